/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording that `ascprof record --pid` asks for, of a program that runs already and was
 * begun with ASCPROF_ATTACH=1 (or PROFILING_MODE=dynamic, which says the same to the vendor's
 * tool). Only then there are a thread of ours, and a socket at which it waits.
 *
 * The socket is SOCK_SEQPACKET and has an abstract name, so that nothing is left behind:
 *
 *	\0ascprof/<inode of the pid name space>/<pid in it>
 *
 * Who connects must be the same user, or root; the other side looks whether it found the
 * process that it meant. The first packet is the request:
 *
 *	{"id":"<16 hex digits>","devices":<mask; all bits: those there are>,"profiler":{<as in acl.json>}}
 *
 * The answer is one packet: "+" when recording has begun, or "-" and why not. Recording lasts
 * until the other side shuts down its end, or is gone, however it ended; then this side closes.
 * The program's own sessions are refused meanwhile, and are as they were after.
 */
#ifndef ASCPROF_ATTACH_H
#define ASCPROF_ATTACH_H

/* In a forked child: nothing is left; then, with signals as they were, it can be asked itself. */
void attach_child(void);
void attach_child_begin(void);

#endif /* ASCPROF_ATTACH_H */
