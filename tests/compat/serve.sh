#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ascprof serve, its alerts and its dashboard, without Prometheus; alerts also by promtool where
# there is one. O (or BUILD)=folder of the build. Exit: 0, 1; 77: built without HTTP.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
O=${BUILD:-${O:-$top/build}}
O=$(cd "$O" && pwd)
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$top"/packaging/prometheus/*.yml "$top/tests/serve/rules_test.yml" "$tmp"
python3 - "$top/packaging/grafana/ascprof.json" "$top"/tools/serve_*.c <<'END'
# every metric that a panel asks for is one that is told
import json
import re
import sys
with open(sys.argv[1], encoding="utf-8") as f:
    panels = json.load(f)["panels"]
told = "".join(open(name, encoding="utf-8").read() for name in sys.argv[2:])
asked = {m for p in panels for t in p["targets"] for m in re.findall(r"ascprof_\w+", t["expr"])}
assert len(panels) == len({p["id"] for p in panels}) and len(asked) > 5
assert not [m for m in asked if re.sub("_total$", "", m) not in told], asked
END
if command -v promtool >/dev/null; then
	(cd "$tmp" && promtool check config ascprof.yml && promtool check rules ascprof.rules.yml && promtool test rules rules_test.yml) \
		>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
fi
mkdir "$tmp/work"
cd "$tmp/work"
python3 "$top/tests/serve/serve.py" "$O/bin/ascprof" "$O/tests/serve/marks" "$@"
