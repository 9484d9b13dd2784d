/* SPDX-License-Identifier: Apache-2.0 */
#include "export/trace.h"

#include <stdlib.h>
#include <string.h>

#include "export/trace_events.h"

/* What one directory shows; loaded before anything is written, for the origin. */
struct loaded {
	struct tx tx;
	struct llc *llc; /* per part */
	struct hbm *hbm;
	struct host_view host;
};

static void earliest(int64_t *origin, int64_t wall)
{
	if (wall < *origin)
		*origin = wall;
}

static int load(struct loaded *l, const struct prof *prof, int64_t *origin, struct diag *diag)
{
	l->llc = calloc(prof->nr_parts, sizeof(*l->llc));
	l->hbm = calloc(prof->nr_parts, sizeof(*l->hbm));
	if (!l->llc || !l->hbm)
		return diag_fail(diag, "%s: out of memory", prof->path);
	if (tx_load(&l->tx, prof_host(prof), TX_ORDER_TRACE, diag))
		return -1;
	if (l->tx.nr)
		earliest(origin, tx_start(&l->tx, 0));
	if (host_view_load(&l->host, prof_host(prof), diag))
		return -1;
	for (unsigned int i = 0; i < l->host.nr_series; i++)
		earliest(origin, l->host.series[i].point[0].wall);
	for (size_t i = 0; i < l->host.nr_calls; i++)
		earliest(origin, l->host.call[i].wall);
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		const struct prof_part *part = &prof->part[i];
		struct soc_reader soc;
		struct soc_sample sample;

		if (part->device < 0)
			continue;
		if (llc_load(&l->llc[i], part, diag) || hbm_load(&l->hbm[i], part, diag))
			return -1;
		for (unsigned int u = 0; u < l->llc[i].nr_units; u++)
			if (l->llc[i].unit[u].nr)
				earliest(origin, l->llc[i].unit[u].sample[0].wall);
		if (l->hbm[i].nr)
			earliest(origin, l->hbm[i].sample[0].wall);
		soc_rewind(&soc, part);
		while (soc_next(&soc, &sample))
			earliest(origin, sample.wall);
	}
	return 0;
}

static void unload(struct loaded *l, const struct prof *prof)
{
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		if (l->llc)
			llc_free(&l->llc[i]);
		if (l->hbm)
			hbm_free(&l->hbm[i]);
	}
	free(l->llc);
	free(l->hbm);
	host_view_free(&l->host);
	tx_free(&l->tx);
}

static int write_prof(struct trace *t, struct loaded *l, const struct prof *prof)
{
	if (trace_tx(t, prof, &l->tx) || trace_host(t, &l->host))
		return -1;
	for (unsigned int i = 0; i < prof->nr_parts; i++) {
		const struct prof_part *part = &prof->part[i];

		if (part->device >= 0 && trace_device(t, part, &l->llc[i], &l->hbm[i]))
			return -1;
	}
	return 0;
}

int trace_export(const struct prof_set *set, const char *path, struct trace_total *total,
		 struct diag *diag)
{
	struct loaded *loaded = calloc(set->nr, sizeof(*loaded));
	struct trace t = { .origin = INT64_MAX };
	int ret = -1;

	*total = (struct trace_total){ 0 };
	if (!loaded)
		return diag_fail(diag, "%s: out of memory", path);
	for (unsigned int i = 0; i < set->nr; i++)
		if (load(&loaded[i], &set->prof[i], &t.origin, diag))
			goto out;
	if (out_open(&t.out, path, diag))
		goto out;
	trace_begin(&t, set->prof[0].start);
	for (unsigned int i = 0; i < set->nr && !t.out.error; i++) {
		if (write_prof(&t, &loaded[i], &set->prof[i])) {
			diag_fail(diag, "%s: out of memory", path);
			goto abort;
		}
		if (prof_check(&set->prof[i], diag))
			goto abort;
	}
	trace_end(&t);
	out_flush(&t.out);
	total->events = t.events;
	total->bytes = t.out.total;
	ret = out_commit(&t.out, diag);
	goto out;
abort:
	out_abort(&t.out);
out:
	tracks_free(&t.tracks);
	for (unsigned int i = 0; i < set->nr; i++)
		unload(&loaded[i], &set->prof[i]);
	free(loaded);
	return ret;
}
