#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Public programs with this library in place of the vendor's: the profiling examples of the
# public runtime, as they are, compiled against the public headers.
#
#   CLIENTS_DIR=checkout of the public runtime  MSTX_DIR=checkout of mstx, for its own header
#
# standin/ has what takes the place of a device and of what is not in these checkouts; the
# libraries that a program names when it is linked are here the stand-in's and ours.
# TOP, BUILD: the source and build folders. Exit 0, 1, or 77: no checkout.
set -eu

if [ -z "${CLIENTS_DIR:-}" ]; then
	echo "CLIENTS_DIR is not set: no checkout of the public runtime with its examples"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$top/build}
build=$(cd "$build" && pwd)
clients=$(cd "$CLIENTS_DIR" && pwd)
examples=$clients/example/5_performance/profiling
standin=$here/standin
cc=${CC:-cc}
cxx=${CXX:-c++}
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
	echo "FAIL: $*"
	exit 1
}

# ---- what the programs are linked with ----

# our own folder also has an acl/: it comes last
include="-I$clients/include/external -I$clients/pkg_inc -I$clients/pkg_inc/runtime -I$standin
	-idirafter $top/runtime/include"
mkdir lib64
# shared FILE SOURCE...
shared()
{
	file=$1
	shift
	# shellcheck disable=SC2086
	$cc -O1 -Wall -Wextra -Werror -shared -fPIC $include -Wl,-soname,"${file##*/}" -o "$file" "$@" -ldl
}
shared lib64/libruntime.so "$standin/runtime.c"
shared lib64/libascendcl.so "$standin/ascendcl.c" "$standin/models.c"
shared tool.so "$standin/tool.c"
ln -s "$build/ascprof/libmsprofiler.so" "$build/ascprof/libms_tools_ext.so" "$build/ascprof/libascprof.so.1" lib64/
export LD_LIBRARY_PATH="$work/lib64"

# compiled NAME OPTION...: a program whose libraries are all needed, as the examples' are
compiled()
{
	name=$1
	shift
	# shellcheck disable=SC2086
	$cxx -w -g "$@" -x none $include -I"$clients/example" -o "$name" -Llib64 -Wl,--no-as-needed -lmsprofiler -lascendcl \
		-lruntime -lpthread -ldl || fail "$name: does not build"
}

# ran NAME COMMAND...: in a folder of its own; says nothing of errors, and success
ran()
{
	mkdir "$1.dir"
	if ! (cd "$1.dir" && shift && env ASCPROF_LOG=warn "$@") >"$1.out" 2>&1; then
		cat "$1.out"
		fail "$1: does not end well"
	fi
	! grep -i -e error -e failed -e ascprof: "$1.out" || fail "$1: says so"
}

# directories NAME FOLDER STATE: what the checker says of the result
directories()
{
	python3 "$top/tests/process/profdir.py" --state "$3" "$2" >log || { cat log; fail "$1: its result"; }
}

# events NAME FOLDER <EXPECTED: a line for each event in order of their ends: type|message|domain
events()
{
	cat >expected
	rm -rf csv
	"$build/bin/ascprof" export -q -f csv -o csv "$2"/PROF_* || fail "$1: export"
	python3 - csv >got <<-'END'
	import csv, glob, sys
	rows = []
	for name in glob.glob(sys.argv[1] + "/**/msprof_tx.csv", recursive=True):
	    with open(name, newline="") as file:
	        rows += csv.DictReader(file)
	rows.sort(key=lambda row: [int(x) for x in row["End_time(us)"].strip().split(".")])
	for row in rows:
	    print(row["event_type"], row["message"], row["domain"], sep="|")
	END
	diff expected got || fail "$1: events (<: expected)"
}

# ---- 0_create_config ----

compiled create_config "$examples/0_create_config/main.cpp"
ran create_config ../create_config
directories create_config create_config.dir/output stopped

# ---- 1_msproftx ----

compiled msproftx "$examples/1_msproftx/main.cpp"
STANDIN_LOG=$work/stamped
export STANDIN_LOG
ran msproftx ../msproftx
directories msproftx msproftx.dir/output stopped
events msproftx msproftx.dir/output <<END
marker|model_load_mark|N/A
start/end|preprocess_range|N/A
push/pop|operator_dispatch_push|N/A
marker|model_exec_mark|N/A
push/pop|forward_pass_push|N/A
END
cat >expected <<END
tag 0 stream given
tag 1 stream given
END
sed 's/.*tag/tag/' stamped | diff expected - || fail "msproftx: the device is to stamp begin and end of a step"

# ---- 2_subscribe_model, which executes none; and a client of our own, which does ----

compiled subscribe_model "$examples/2_subscribe_model/main.cpp"
ran subscribe_model timeout 60 ../subscribe_model

echo 'Conv2D net/conv 120 Relu net/relu 8' >model_a
echo 'MatMul other/matmul 40' >model_b
echo 'Add sum/add 5 Softmax sum/softmax 17 Cast sum/cast 2' >model_c
compiled subscribe -x c "$here/clients/subscribe.c"
ran subscribe timeout 60 ../subscribe ../model_a ../model_b ../model_c
for _ in 1 2 3; do
	printf '%s\n' '0 Conv2D net/conv 120' '0 Relu net/relu 8'
done >expected
for _ in 1 2 3; do
	printf '%s\n' '2 Add sum/add 5' '2 Softmax sum/softmax 17' '2 Cast sum/cast 2'
done >>expected
diff expected subscribe.out || fail "subscribe: records (<: expected)"

# ---- 3_mstx_with_domain ----

echo "{\"profiler\":{\"switch\":\"on\",\"output\":\"$work/mstx\",\"msproftx\":\"on\"}}" >acl.json
export STANDIN_ACL_JSON="$work/acl.json"

# mstx WAY ENVIRONMENT...
mstx()
{
	way=$1
	shift
	rm -rf mstx
	ran "mstx_$way" env LD_PRELOAD="$work/tool.so" "$@" "../mstx_$way"
	grep -q 'result\[7\] is: 10.6' "mstx_$way.out" || fail "mstx $way: the operator's result"
	directories "mstx $way" mstx finalized
	events "mstx $way" mstx <<-END
	marker|DoAclAdd Start|default
	marker|Create alpha aclScalar|DoAclAdd_Inner
	start/end|After aclnnAdd|DoAclAdd_Inner
	start/end|TestMstxWithDomain|default
	END
}
for header in ${MSTX_DIR:+public} ours; do
	set -- "$examples/3_mstx_with_domain/mstx_with_domain.cpp" -I"$examples/3_mstx_with_domain"
	[ "$header" = ours ] || set -- "$@" -I"$(cd "$MSTX_DIR/c/include" && pwd)"
	compiled "mstx_$header" "$@"
	mstx "$header" MSTX_INJECTION_PATH="$build/libascprof.so.1"
	compiled "mstx_${header}_found" "$@"
	mstx "${header}_found"
	compiled "mstx_${header}_linked" -DMSTX_NO_IMPL "$@" -Llib64 -lms_tools_ext
	mstx "${header}_linked"
done
echo "all as expected"
