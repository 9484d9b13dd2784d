#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the profiling channels of an NPU give, with the stand-in for the vendor's library:
# every chip's directory as it was (tests/golden), faults by name, accounts, the order of calls.
# GOLDEN=FOLDER: writes what it compares with there. Exit: 0 or 1.
set -u

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset ASCPROF_AICORE HAL_LOG
export ASCPROF_HAL="$BUILD/tests/hal/libascend_hal.so" ASCPROF_DEVICE=/nonexistent
failures=0

bad()
{
	echo "$*"
	failures=$((failures + 1))
}

# record MODEL [ARGUMENTS]: into ./result, its directory in $prof
record()
{
	HAL_MODEL=$1
	export HAL_MODEL
	shift
	rm -rf result
	"$BUILD/tests/device/channels" result "$@" >out 2>err || bad "$HAL_MODEL: $(cat out err)"
	prof=$(echo "$PWD"/result/PROF_*)
}

# planted [OPTIONS]: the records are those that the stand-in made
planted()
{
	python3 "$TOP/tests/lib/planted.py" "$@" "$prof" >listing || bad "$HAL_MODEL: $(grep -v '^[a-z]' listing)"
}

# says TEXT: a note of ascprof.json
says()
{
	grep -qF "$1" "$prof/ascprof.json" || bad "$HAL_MODEL: ascprof.json does not say: $1"
}

# golden NAME ARGUMENTS...
golden()
{
	name=$1
	shift
	record "$@"
	planted --listing
	{ echo '# SPDX-License-Identifier: Apache-2.0'; grep -v '^lost' listing; } >"$name"
	[ -n "${GOLDEN:-}" ] && cp "$name" "$GOLDEN"
	diff "$TOP/tests/golden/$name" "$name" || bad "$name: not as in tests/golden"
	[ -s err ] && bad "$name: $(cat err)"
	python3 "$TOP/tests/process/profdir.py" result >whole || bad "$name: $(cat whole)"
}

golden ascend310 "chip=0 periods=40"
golden ascend910 "chip=1 periods=40 shuffle"
golden ascend310p "chip=4 periods=40"
golden ascend910b "chip=5 periods=40 pieces"
golden ascend310b "chip=7 periods=40"
golden ascend950 "chip=15 periods=40 shuffle pieces"
ASCPROF_AICORE=sample:20
export ASCPROF_AICORE
golden ascend910-sampled "chip=1 periods=40"
golden ascend910b-sampled "chip=5 periods=40"
golden ascend950-sampled "chip=15 periods=40"
unset ASCPROF_AICORE

ascprof()
{
	"$BUILD/bin/ascprof" "$@" >said 2>&1 || bad "$HAL_MODEL: ascprof $*: $(cat said)"
}

# compressed NAME ARGUMENTS...: slices of frames, exported as they are, give the same bytes when they are unpacked
compressed()
{
	name=$1
	shift
	record "$@"
	find "$prof"/device_*/data -type f ! -name '*.zst' ! -name '*.zst.done' >plain
	[ -s plain ] && bad "$name: not compressed: $(cat plain)"
	ascprof verify "$prof"
	ascprof export --format jsonl --output before.jsonl "$prof"
	rm -rf torn
	cp -r result torn
	ascprof unpack "$prof"
	ascprof verify "$prof"
	ascprof export --format jsonl --output after.jsonl "$prof"
	cmp before.jsonl after.jsonl || bad "$name: exports differ"
	planted --listing
	{ echo '# SPDX-License-Identifier: Apache-2.0'; grep -v '^lost' listing; } | diff "$TOP/tests/golden/$name" - ||
		bad "$name: compressed, and not as in tests/golden"

	# as a program leaves it that was killed within a write
	prof=$(echo "$PWD"/torn/PROF_*)
	sed -i 's/"state":"stopped"/"state":"running"/' "$prof/ascprof.json"
	rm "$prof"/*/data/*.done "$prof"/*/end_info*
	for slice in "$prof"/device_*/data/*.slice_*; do
		truncate -s -1 "$slice"
	done
	"$BUILD/bin/ascprof" unpack "$prof" 2>/dev/null && bad "$name: unpacked what was killed"
	ascprof repair "$prof"
	ascprof verify "$prof"
	ascprof unpack "$prof"
	planted --lossy
}

if ldconfig -p | grep -q libzstd.so.1; then
	export ASCPROF_LAYOUT=native ASCPROF_COMPRESS=zstd:3
	compressed ascend910 "chip=1 periods=40 shuffle"
	compressed ascend910b "chip=5 periods=40 pieces"
	unset ASCPROF_LAYOUT ASCPROF_COMPRESS
fi

# killed MODEL: its account is made anew of what is in the files, of every kind
killed()
{
	record "$1"
	for cut in '' --cut; do
		rm -rf torn
		cp -r result torn
		torn=$(echo "$PWD"/torn/PROF_*)
		python3 "$TOP/tests/lib/killed.py" leave $cut "$torn"
		ascprof repair "$torn"
		ascprof verify "$torn"
		python3 "$TOP/tests/lib/killed.py" account "$prof" "$torn" >said || bad "$1, killed: $(cat said)"
	done
}

killed "chip=1 periods=20"
killed "chip=5 periods=20"

# channels are free again after each Stop
record "chip=5 devices=3 periods=20" 0 3 1 all 5
python3 "$TOP/tests/lib/planted.py" result/PROF_* >listing || bad "again and again: $(grep -v '^[a-z]' listing)"
[ "$(grep -c '^hbm.data 160 ' listing)" = 15 ] || bad "again and again: $(grep -c '^hbm' listing) times, expected 15"

# every channel is flushed if it can be, then stopped, once, after all were started
HAL_LOG=$PWD/calls
export HAL_LOG
record "chip=5 devices=2 shuffle" 120 2
unset HAL_LOG
planted
sed 's/ type.*//' calls | awk '
	$1 == "start" { started[$2, $3]++; if (stopping) print "started late: " $0 }
	$1 == "flush" { if ($2 in stops) print "flushed after the first stop: " $0 }
	$1 == "stop" { stops[$2] = 1; stopping = 1; stopped[$2, $3]++ }
	END { for (c in started) if (started[c] != 1 || stopped[c] != 1) print "not started and stopped once: " c }
' >order
[ -s order ] && bad "order of calls: $(cat order)"
grep -c '^start' calls | grep -qx 42 || bad "channels started: $(grep -c '^start' calls), expected 42"

# a fault of one channel is told by name, and the others go on
record "chip=5 periods=30 fail=8:30 fail=3:-7 fail=6:115 gone=4:7 stopped=129:9 lost=52"
says 'channel llc: busy: it runs already, for another collector (30)'
says 'channel pcie: not supported (-7)'
says 'channel dvpp: the program has not set the device yet (115)'
says 'channel nic: cannot be read any more: is the device gone? (-1)'
says 'channel roce: the driver has stopped it (-4)'
says 'channel soc_profile: the device lost data before it could be read (2326)'
planted
grep -qx 'nic.data 7 .*' listing || bad "nic before it went: $(grep nic listing)"
grep -qx 'roce.data 9 .*' listing || bad "roce before it stopped: $(grep roce listing)"
grep -qx 'hbm.data 240 5760' listing || bad "hbm beside faults: $(grep hbm listing)"
[ -e "$prof/device_0/data/llc.data.0.slice_0" ] && bad "a busy channel has a file"

# what is no whole record at the end is counted, and in no file
record "chip=1 periods=20 odd" 0 1 1 memory
planted
grep -q "lost npu_mem device 0 of 641: {'torn': 1}" listing || bad "torn: $(grep lost listing)"

# a driver that takes its time for one channel: nothing of any is lost
record "chip=5 periods=30 stall=3:30 stall=133:30"
planted

# a device whose buffers are too small for how seldom anybody comes: its driver tells of no loss, what came is whole
record "chip=1 rate=100000 ring=8192" 200 1 1 memory
python3 "$TOP/tests/lib/planted.py" "$prof" >listing && bad "small buffers of a device: nothing was lost: $(cat listing)"
planted --lossy

# nothing is told of the device but its chip
record "chip=7 periods=20 nofacts"
planted
grep -q '"platform_version":"7"' "$prof/device_0/info.json.0" || bad "chip of nofacts"
grep -q '"hwts_frequency":"48.000000"' "$prof/device_0/info.json.0" || bad "frequency of nofacts"

# a chip that is not known, a device that is not there, a library that is none
record "chip=99 periods=5"
says 'a chip that is not known: 99'
[ -e "$prof/device_0" ] && bad "an unknown chip has a part"
HAL_MODEL="chip=5 devices=1" "$BUILD/tests/device/channels" result 0 2 2>err && bad "a second device of one"
grep -q 'expected at most 1' err || bad "a second device: $(cat err)"
ASCPROF_HAL=$BUILD/tests/device/stalled_disk.so
record "chip=5"
says 'stalled_disk.so: has no function prof_drv_get_channels'
ASCPROF_HAL=/nonexistent/libascend_hal.so
record "chip=5"
says '/nonexistent/libascend_hal.so: cannot open shared object file'
ASCPROF_HAL=$BUILD/tests/hal/libascend_hal.so

[ "$failures" = 0 ]
