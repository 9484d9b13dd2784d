# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What docs/guide.md takes for granted: a program, a script, and what was recorded before a change and after it.
cat >train.c <<'SOURCE'
#include <mstx/ms_tools_ext.h>

int main(void)
{
	for (int i = 0; i < 20; i++) {
		mstxRangeId range = mstxRangeStartA("step", NULL);

		mstxMarkA("batch", NULL);
		mstxRangeEnd(range);
	}
	return 0;
}
SOURCE
cc train.c -o train
cat >train.py <<'SOURCE'
import acl

stamp = acl.prof.create_stamp()
acl.prof.set_stamp_trace_message(stamp, "step", 4)
acl.prof.mark(stamp)
SOURCE
ascprof record --quiet -o before ./train
ascprof record --quiet -o before ./train
ascprof record --quiet -o after ./train
ascprof record --quiet -o after ./train
ascprof record --quiet -o result ./train
