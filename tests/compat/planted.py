# SPDX-License-Identifier: Apache-2.0
"""Result directories of a host, with annotations whose times are known."""
import json
import os

import gen_prof


def make(path, pid, ranges, account=None):
    """ranges: (event type, start, end, thread, name), in us. Returns the directory."""
    root = os.path.join(path, "PROF_000001_20270115080000000_%08dABCDEFGH" % pid)
    os.makedirs(root)
    part = gen_prof.Writer(os.path.join(root, "host"))
    part.slices("aging.additional.msproftx", b"".join(
        gen_prof.tx_record(kind, gen_prof.MONO0 + start * 1000, gen_prof.MONO0 + end * 1000, name, tid=tid, pid=pid)
        for kind, start, end, tid, name in ranges))
    part.control("info.json", {"pid": str(pid), "pid_name": "probe", "hostname": "box", "platform_version": "5",
                               "CPU": [{"Id": 0, "Frequency": ""}]})
    part.control("start_info", {"collectionTimeBegin": str(gen_prof.WALL0), "clockMonotonicRaw": str(gen_prof.MONO0)})
    part.control("end_info", {"collectionTimeEnd": str(gen_prof.WALL0 + 2000000),
                              "clockMonotonicRaw": str(gen_prof.MONO0 + 2 * 10 ** 9)})
    if account:
        with open(os.path.join(root, "ascprof.json"), "w", encoding="utf-8") as f:
            json.dump(account, f)
    return root
