#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install-python: the package always, and `acl` unless another module has the name.
# TOP, BUILD: the source and build folders; PYTHON: the interpreter
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=${TOP:-$(cd "$here/../.." && pwd)}
build=${BUILD:-$top/build}
python=${PYTHON:-python3}

if [ ! -f "$build/python/site/ascprof/acl/__init__.abi3.so" ]; then
	echo "skipped: the Python module is not built: no Python.h (python3-dev)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

# install VARIABLE=VALUE... [GOAL]
install()
{
	make -s -C "$top" O="$build" PYTHON="$python" PREFIX="$work/usr" install-python "$@"
}

# import_all PYTHONPATH STATEMENTS
import_all()
{
	(cd "$work" && PYTHONPATH=$1 "$python" -c "$2")
}

fail()
{
	echo "$*"
	exit 1
}

# 1. below a prefix of its own: the module finds the library by itself
install install-lib >"$work/out"
site=$(find "$work/usr/lib" -name ascprof -path '*-packages/*' -type d)
site=${site%/ascprof}
import_all "$site" '
import acl, acl.prof, ascprof.acl
assert acl.prof.pop() == ascprof.acl.prof.pop() == 100043
assert acl.__name__ == "acl" and ascprof.acl.__name__ == "ascprof.acl"'
for file in __init__.pyi prof.pyi rt.pyi py.typed; do
	[ -f "$site/acl/$file" ] || fail "$file is not installed"
done
[ ! -s "$work/out" ] || fail "$(cat "$work/out")"

# 2. again, over itself
install
[ "$(readlink "$site/acl")" = ascprof/acl ] || fail "acl is no link any more"
[ ! -e "$site/acl/acl" ] || fail "a link within the link"

# 3. where another acl is
mkdir "$work/vendor"
echo 'vendor = True' >"$work/vendor/acl.py"
PYTHONPATH="$work/vendor" install PYTHONDIR="$work/second" >"$work/out"
grep -q "$work/vendor/acl.py" "$work/out" || fail "the other module is not told: $(cat "$work/out")"
[ ! -e "$work/second/acl" ] || fail "acl was installed beside another one"
LD_LIBRARY_PATH="$build" import_all "$work/vendor:$work/second" '
import acl
from ascprof import acl as ours
assert acl.vendor
assert ours.prof.pop() == 100043'

# 4. as told
PYTHONPATH="$work/vendor" install PYTHONDIR="$work/third" PYTHON_ACL=yes
[ -e "$work/third/acl" ] || fail "PYTHON_ACL=yes did not install acl"
install PYTHONDIR="$work/fourth" PYTHON_ACL=no
[ ! -e "$work/fourth/acl" ] || fail "PYTHON_ACL=no installed acl"

# 5. for a package, on a machine that has ours
PYTHONPATH="$site" install DESTDIR="$work/root" PYTHONDIR=/opt/site
[ -f "$work/root/opt/site/acl/__init__.abi3.so" ] || fail "DESTDIR is not used"
