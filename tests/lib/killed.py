#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program leaves that is killed before it tells what it has written.

  killed.py leave [--cut] PROF     makes such a directory of a whole one; --cut: within a write of each device's file
  killed.py account WHOLE MENDED   the account of one that was repaired says what the whole one's says, or, where
                                   less is there, what is in the files; prints kinds that do not
"""
import glob
import json
import os
import sys


def summary(prof):
    with open(os.path.join(prof, "ascprof.json"), encoding="utf-8") as file:
        return json.load(file)


def leave(prof, cut):
    own = summary(prof)
    own["state"] = "running"
    for entry in own["accounting"]:
        entry.update(produced=0, written=0, first_ns=0, last_ns=0)
    with open(os.path.join(prof, "ascprof.json"), "w", encoding="utf-8") as file:
        json.dump(own, file, separators=(",", ":"))
    for name in glob.glob(prof + "/*/data/*.done") + glob.glob(prof + "/*/end_info*"):
        os.remove(name)
    for name in glob.glob(prof + "/device_*/data/*.slice_*") if cut else ():
        os.truncate(name, os.path.getsize(name) - 1)


def in_files(prof, entry):
    return sum(map(os.path.getsize, glob.glob("%s/device_%d/data/%s.%d.slice_*[0-9]" % (
        prof, entry["device"], entry["file"], entry["device"]))))


def account(whole, mended):
    bad = 0
    before, after = ({(e["kind"], e["device"]): e for e in summary(prof)["accounting"]} for prof in (whole, mended))
    if before.keys() != after.keys() or summary(mended)["state"] != "repaired":
        sys.exit("other kinds, or not repaired")
    for key, old in before.items():
        new = after[key]
        want = in_files(mended, old) if "file" in old else old["written"]
        if "file" in old and not (want % old["row_bytes"] == 0 and 0 <= old["written"] - want <= max(
                256, old["row_bytes"])):
            print("%s of device %d: %d bytes are left of %d" % (*key, want, old["written"]))
            bad = 1
        if (new["written"], new["produced"]) != (want, want + sum(new["dropped"].values())):
            print("%s of device %d: expected %d written: %s" % (*key, want, new))
            bad = 1
        if bool(new["first_ns"]) != bool(want) or new["first_ns"] > new["last_ns"]:
            print("%s of device %d: times: %s" % (*key, new))
            bad = 1
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "leave":
        leave(sys.argv[-1], "--cut" in sys.argv)
    else:
        sys.exit(account(*sys.argv[2:]))
