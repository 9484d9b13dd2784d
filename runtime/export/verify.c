/* SPDX-License-Identifier: Apache-2.0 */
#include "export/verify.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/tally.h"
#include "export/verify_parts.h"
#include "export/walk.h"

const char *verify_word(enum verify_finding kind)
{
	static const char *const words[VERIFY_FINDINGS] = { "damaged", "lost", "note" };

	return words[kind];
}

void verify_found(struct verifying *v, enum verify_finding kind, const char *path, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	v->found(v->arg, kind, path, text);
	v->out->found[kind]++;
}

/* ---- the accounting ---- */

static void look_at_kind(struct verifying *v, const struct tally_row *r)
{
	const char *path = v->prof->path;
	const struct account_kind *a = r->account;
	char what[64], why[160];

	if (r->device >= 0)
		snprintf(what, sizeof(what), "%s of device %d", r->kind, r->device);
	else
		snprintf(what, sizeof(what), "%s", r->kind);
	if (tally_mismatch(r, why, sizeof(why)))
		verify_found(v, VERIFY_LOST, path, "%s: the accounting does not hold: %s", what, why);
	for (unsigned int i = 0; a && i < a->nr_reasons; i++)
		verify_found(v, VERIFY_LOST, path, "%s: %" PRIu64 " of %" PRIu64 " dropped: %s", what,
			     a->reason[i].count, a->produced, a->reason[i].name);
	if (a && a->open)
		verify_found(v, VERIFY_NOTE, path, "%s: %" PRIu64 " still open at the end", what, a->open);
}

static int look_at_account(struct verifying *v, int fd)
{
	const struct prof *prof = v->prof;
	const struct account *a = &prof->account;
	struct tally tally = { 0 };
	struct walk_seen seen;
	struct stat st;
	int ret = 0;

	if (!a->exists && !fstatat(fd, "ascprof.json", &st, AT_SYMLINK_NOFOLLOW))
		verify_found(v, VERIFY_DAMAGED, prof->path, "ascprof.json cannot be read");
	else if (!a->exists)
		verify_found(v, VERIFY_NOTE, prof->path, "no accounting in it: what was dropped is not known");
	else if (a->running)
		verify_found(v, VERIFY_DAMAGED, prof->path, "not stopped: its program runs, or was killed: "
			     "ascprof repair completes it");
	if (a->error[0])
		verify_found(v, VERIFY_LOST, prof->path, "writing ended early: %s", a->error);
	if (a->refused)
		verify_found(v, VERIFY_NOTE, prof->path, "%" PRIu64 " annotations after the end had begun", a->refused);
	if (walk_count(prof_host(prof), &seen) || tally_make(&tally, prof, &seen))
		ret = diag_fail(v->diag, "%s: out of memory", prof->path);
	for (unsigned int i = 0; !ret && i < tally.nr; i++) {
		look_at_kind(v, &tally.row[i]);
		v->out->rows += tally.row[i].rows;
	}
	tally_free(&tally);
	return ret;
}

int verify(const struct prof *prof,
	   void (*found)(void *arg, enum verify_finding kind, const char *path, const char *text), void *arg,
	   struct verified *out, struct diag *diag)
{
	struct verifying v = { prof, found, arg, out, diag };
	int fd = open(prof->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return diag_fail(diag, "%s: cannot be opened again", prof->path);
	for (unsigned int i = 0; i < prof->nr_parts && !ret; i++) {
		ret = verify_files(&v, &prof->part[i], fd);
		if (!ret)
			verify_rows(&v, &prof->part[i]);
	}
	if (!ret)
		ret = look_at_account(&v, fd);
	close(fd);
	return ret ? ret : prof_check(prof, diag);
}
