# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What docs/troubleshooting.md takes for granted: a program, and a directory of one that was killed.
cat >train.c <<'SOURCE'
#include <mstx/ms_tools_ext.h>

int main(void)
{
	mstxMarkA("step", NULL);
	return 0;
}
SOURCE
cc train.c -o train
ascprof record --quiet ./train
cp -r result killed
sed -i 's/"state":"stopped"/"state":"running"/' killed/PROF_*/ascprof.json
