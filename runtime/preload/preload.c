/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded by ascprof record in front of the C library: ways in which a program ends, or becomes
 * another one, that run no handler of exit(). Shells and Python's child processes end so.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/injected.h"

#define EXPORT __attribute__((visibility("default")))

/* The C library's own; it is loaded behind us. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

EXPORT void _exit(int status)
{
	ascprof_injected_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

/* Where it fails, the program goes on. */
#define EXECUTE(call)                             \
	do {                                      \
		int ret_;                         \
		ascprof_injected_end();           \
		ret_ = (call);                    \
		ascprof_injected_again();         \
		return ret_;                      \
	} while (0)

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	EXECUTE(REAL(execve)(path, argv, envp));
}

EXPORT int execv(const char *path, char *const argv[])
{
	EXECUTE(REAL(execv)(path, argv));
}

EXPORT int execvp(const char *file, char *const argv[])
{
	EXECUTE(REAL(execvp)(file, argv));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	EXECUTE(REAL(execvpe)(file, argv, envp));
}
