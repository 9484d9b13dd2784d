#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does one thing wrong to a whole directory at a time; ascprof verify has to find it, and nothing else.

usage: verify.py ASCPROF EXAMPLE       in an empty folder; EXAMPLE: a program that records. Exit 0 or 1.
"""
import json
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ASCPROF, EXAMPLE = sys.argv[1:3]
HOST, DEVICE = "host/data/aging.additional.msproftx.slice_0", "device_0/data/"
failures = 0


def planted():
    """Host and device, with an accounting that holds."""
    made = subprocess.run([sys.executable, os.path.join(HERE, "gen_prof.py"), "planted", "--no-host-usage", "--chip", "5",
                           "--split-all", "3840"], capture_output=True, text=True, check=True).stdout.strip()
    for row in range(3):        # what another thread reported, for it is earlier than the rows in front of it
        put(made, HOST[:-1] + "4", struct.pack("<I", 999), row * 256 + 8)
    kinds = [("mark", -1, 20), ("push_pop", -1, 20), ("range", -1, 20), ("mstx_range", -1, 1), ("llc", 0, 320),
             ("hbm", 0, 160), ("soc_profile", 0, 200), ("api", -1, 1)]
    put(made, "ascprof.json", json.dumps({"format": 1, "state": "stopped", "pid": 1, "comm": "x", "accounting": [
        {"kind": k, "device": d, "produced": n, "written": n, "dropped": {}, "open": 0} for k, d, n in kinds]}).encode())
    return made


def put(prof, name, data, at=None, done=False):
    path = os.path.join(prof, name)
    if at is None:
        with open(path, "wb") as f:
            f.write(data)
    else:
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(data)
    if done:
        put(prof, name + ".done", b"filesize:%d\n" % os.path.getsize(path))


def cut(prof, name, size, done=True):
    os.truncate(os.path.join(prof, name), size)
    if done:
        put(prof, name + ".done", b"filesize:%d\n" % size)


def account(prof, change):
    with open(os.path.join(prof, "ascprof.json"), encoding="utf-8") as f:
        a = json.load(f)
    change(a)
    put(prof, "ascprof.json", json.dumps(a).encode())


def verify(prof):
    got = subprocess.run([ASCPROF, "verify", "-q", prof], capture_output=True, text=True, check=False)
    listed = subprocess.run([ASCPROF, "verify", "--json", prof], capture_output=True, text=True, check=False)
    said = json.loads(listed.stdout)
    one = said["directories"][0]
    lines = ["%-8s %s: %s" % (f["finding"], f["path"], f["text"]) for f in one["findings"]]
    assert lines == got.stdout.splitlines() and listed.returncode == got.returncode, (lines, got.stdout)
    kinds = [f["finding"] for f in one["findings"]]
    for kind, word in (("damaged", "damaged"), ("lost", "lost"), ("notes", "note")):
        assert one[kind] == kinds.count(word) and said[kind] >= one[kind], (one, kinds)
    return got.returncode, got.stdout


def expect(what, whole, change, code, *words, other=()):
    """Every word in a line of its own kind; all lines have one of the words."""
    global failures
    copy = os.path.join("copy", os.path.basename(whole))
    shutil.rmtree("copy", ignore_errors=True)
    shutil.copytree(whole, copy)
    change(copy)
    before = snapshot(copy)
    got, text = verify(copy)
    lines = text.splitlines()
    wrong = [w for w in words if not any(w in line for line in lines)]
    more = [line for line in lines if not any(w in line for w in words + tuple(other)) and not line.startswith("note")]
    if got != code or wrong or more or snapshot(copy) != before:
        failures += 1
        print("FAIL: %s: exit %d, missing %s, unexpected %s" % (what, got, wrong, more))


def snapshot(prof):
    return sorted((os.path.join(d, f), os.lstat(os.path.join(d, f)).st_size) for d, _, files in os.walk(prof) for f in files)


def rename(prof, a, b):
    os.rename(os.path.join(prof, a), os.path.join(prof, b))


def u64(offset, value, name=HOST, row=2, size=256):
    return lambda p: put(p, name, struct.pack("<Q", value), row * size + offset)


def check_planted():
    p = planted()
    code, text = verify(p)
    assert code == 0 and text == "", (code, text)
    cases = [
        ("done of another size", lambda p: put(p, HOST + ".done", b"filesize:1\n"), 1, ["its .done says 1"]),
        ("done without a number", lambda p: put(p, HOST + ".done", b"size 1\n"), 1, ["filesize:<bytes> was expected"]),
        ("no done", lambda p: os.unlink(os.path.join(p, HOST + ".done")), 1, ["has no .done beside it"]),
        ("cut in a row", lambda p: cut(p, HOST, 3840 - 100), 1, ["are no whole row", "the accounting does not hold"]),
        ("control file gone", lambda p: os.unlink(os.path.join(p, "host/sample.json")), 1, ["host/sample.json: is not there"]),
        ("no end", lambda p: [os.unlink(os.path.join(p, "host/end_info" + e)) for e in ("", ".done")], 1, ["host/end_info: is not there"]),
        ("device's log gone", lambda p: os.unlink(os.path.join(p, "device_0/dev_start.log.0")), 1, ["dev_start.log.0: is not there", "soc_profile: 200 rows with a time"]),
        ("no JSON", lambda p: put(p, "device_0/info.json.0", b"{\"a\":", done=True), 1, ["info.json.0: not JSON"]),
        ("no object", lambda p: put(p, "host/sample.json", b"[]", done=True), 1, ["a JSON object was expected"]),
        ("a link", lambda p: (os.unlink(os.path.join(p, "host/sample.json.done")), os.symlink("sample.json", os.path.join(p, "host/sample.json.done"))), 1,
         ["is no regular file", "has no .done beside it"]),
        ("a slice gone", lambda p: [os.unlink(os.path.join(p, HOST[:-1] + "1" + e)) for e in ("", ".done")], 3, ["1 slices in front of it are not there", "the accounting does not hold"]),
        ("a slice gone, its done not", lambda p: os.unlink(os.path.join(p, HOST[:-1] + "1")), 3, ["is not there, but its .done is", "1 slices in front", "does not hold"]),
        ("the first gone", lambda p: [os.unlink(os.path.join(p, HOST + e)) for e in ("", ".done")], 3, ["the oldest go first", "does not hold"]),
        ("marks of a row", lambda p: put(p, HOST, b"\0\0", 512), 1, ["without the marks", "does not hold"]),
        ("backward", u64(72, 5_000_000_000_000 + 10_019_999), 1, ["end before they start"]),
        ("payload", u64(56, 1 << 63), 1, ["with a payload of 2^63"]),
        ("event", lambda p: put(p, HOST, struct.pack("<I", 9), 512 + 48), 1, ["of a type that nobody has defined", "does not hold"]),
        ("before the begin", u64(64, 1), 1, ["not between begin and end"]),
        ("after the end", u64(72, 1 << 60), 1, ["not between begin and end", "before that of the row in front"]),
        ("order of counters", u64(0, 0, DEVICE + "hbm.data.0.slice_0", 100, 24), 1, ["hbm: 1 row with a time before"]),
        ("marks of SoC rows", lambda p: put(p, DEVICE + "stars_soc_profile.data.0.slice_0", b"\0\0", 64 + 2), 1, ["soc_profile: 1 row without the marks"]),
        ("dictionary", lambda p: put(p, "host/data/unaging.additional.hash_dic.slice_0", b"no number\n", done=True), 1, ["hash_dic: 1 lines that are not"]),
        ("dropped", lambda p: account(p, lambda a: a["accounting"][0].update(produced=27, dropped={"ring_full": 7})), 3, ["mark: 7 of 27 dropped: ring_full"]),
        ("equation", lambda p: account(p, lambda a: a["accounting"][4].update(produced=321)), 3, ["llc of device 0: the accounting does not hold"]),
        ("error", lambda p: account(p, lambda a: a.update(error="disk full")), 3, ["writing ended early: disk full"]),
        ("killed", lambda p: account(p, lambda a: a.update(state="running")), 1, ["not stopped"]),
        ("no account", lambda p: put(p, "ascprof.json", b"{"), 1, ["ascprof.json cannot be read"]),
        ("open", lambda p: account(p, lambda a: a["accounting"][1].update(open=2)), 0, ["push_pop: 2 still open"]),
        ("left over", lambda p: put(p, "host/data/.x.tmp", b""), 0, ["was left over"]),
        ("none", lambda p: None, 0, []),
    ]
    for what, change, code, words in cases:
        expect(what, p, change, code, *words)


def check_native():
    for compress in ("none", "zstd"):
        folder = "native-" + compress
        subprocess.run([EXAMPLE, folder], check=True, env={**os.environ, "ASCPROF_LAYOUT": "native", "ASCPROF_COMPRESS": compress})
        p = os.path.join(folder, os.listdir(folder)[0])
        code, text = verify(p)
        assert code == 0 and text == "", (code, text)
        name = "host/data/" + sorted(n for n in os.listdir(os.path.join(p, "host/data")) if n.startswith("ascprof.msproftx") and not n.endswith(".done"))[0]
        size = os.path.getsize(os.path.join(p, name))
        expect(compress + ": a byte", p, lambda q: put(q, name, b"\xa5\x5a", 70), 1, "byte 0 of", other=["does not hold"])
        expect(compress + ": the end", p, lambda q: cut(q, name, size - 1), 1, "a block is cut off", other=["does not hold"])
        expect(compress + ": nothing", p, lambda q: None, 0)


def contents(prof):
    """Bytes and time of every file."""
    return {os.path.relpath(os.path.join(d, f), prof): (open(os.path.join(d, f), "rb").read(), os.stat(os.path.join(d, f)).st_mtime_ns)
            for d, _, files in os.walk(prof) for f in files}


def check_repair():
    """repair closes what is not closed, cuts what is torn, and leaves everything else as it is."""
    p = os.path.join(shutil.copytree("planted", "mended"), os.listdir("planted")[0])
    whole = contents(p)
    torn = HOST[:-1] + "1"
    for name in (HOST, torn, DEVICE + "hbm.data.0.slice_0"):
        os.unlink(os.path.join(p, name + ".done"))
    cut(p, torn, 3840 - 100, done=False)
    put(p, HOST[:-1] + "2.done", b"filesize:1\n")
    got = subprocess.run([ASCPROF, "repair", p], capture_output=True, text=True, check=True)
    assert "4 slices closed, 156 bytes of torn ends cut off, 0 control files written" in got.stderr, got.stderr
    after = contents(p)
    assert sorted(after) == sorted(whole)
    changed = {name for name in whole if after[name] != whole[name]}
    assert changed == {torn, HOST + ".done", torn + ".done", HOST[:-1] + "2.done", DEVICE + "hbm.data.0.slice_0.done"}, changed
    assert after[torn][0] == whole[torn][0][:14 * 256] and after[torn + ".done"][0].startswith(b"filesize:3584\n"), after[torn + ".done"]
    got = subprocess.run([ASCPROF, "repair", p], capture_output=True, text=True, check=True)
    assert "complete already" in got.stderr and contents(p) == after, got.stderr


def check_use():
    for arguments, code in ((["planted"], 0), (["nowhere"], 1), ([], 2), (["--wrong", "planted"], 2)):
        got = subprocess.run([ASCPROF, "verify", *arguments], capture_output=True, check=False).returncode
        assert got == code, (arguments, got)


check_planted()
check_native()
check_repair()
check_use()
print("%d failures" % failures)
sys.exit(failures != 0)
