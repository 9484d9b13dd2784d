# SPDX-License-Identifier: Apache-2.0
"""What the examples record: examples.py COMMAND EXAMPLES, in an empty folder. BUILD: folder of the build."""
import collections
import glob
import json
import os
import subprocess
import sys

COMMAND, EXAMPLES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
BUILD = os.environ["BUILD"]
PYTHON = dict(os.environ, PYTHONPATH=BUILD + "/python/site")


def run(*command, **more):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)
    assert result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def example(name):
    return os.path.join(BUILD, "examples", name)


def events(folder, *kinds):
    """Events of a folder's directories, as `ascprof export` tells them."""
    lines = run(COMMAND, "export", folder, "--format", "jsonl", "--output", "-", "--quiet").split("\n")
    return [event for event in map(json.loads, filter(None, lines)) if event["kind"] in kinds]


def inside(inner, outer):
    return outer["tid"] == inner["tid"] and outer["start_ns"] <= inner["start_ns"] and inner["end_ns"] <= outer["end_ns"]


def named(found, prefix):
    return [event for event in found if event["name"].startswith(prefix)]


def scopes():
    """C++: three layers in each forward, and requests that another thread ended."""
    if not os.path.exists(example("scopes")):
        print("skipped: scopes was not built: no C++ compiler")
        return
    run(example("scopes"), "scopes")
    found = events("scopes", "push_pop")
    for forward in named(found, "forward"):
        assert len([layer for layer in named(found, "layer ") if inside(layer, forward)]) == 3, forward
    assert len(named(found, "forward")) == 10 and len(found) == 40, len(found)
    requests = events("scopes", "range")
    assert sorted(event["name"] for event in requests) == sorted(f"request {i}" for i in range(10)), requests
    assert not {event["tid"] for event in requests} & {event["tid"] for event in found}, "ended by the thread that began"


def check_training(folder):
    found = events(folder, "push_pop")
    counts = collections.Counter(event["name"].split()[0] for event in found)
    assert counts == {"epoch": 2, "step": 20, "load": 20, "forward": 20, "backward": 20, "optimizer": 20}, counts
    for step in named(found, "step "):
        parts = sorted((e for e in found if e["name"] in ("forward", "backward", "optimizer") and inside(e, step)),
                       key=lambda event: event["start_ns"])
        assert [part["name"] for part in parts] == ["forward", "backward", "optimizer"], parts
        assert len([epoch for epoch in named(found, "epoch ") if inside(step, epoch)]) == 1, step


def training():
    """Python: ranges per step, by the program's own session and recorded from outside."""
    program = os.path.join(EXAMPLES, "python", "training.py")
    if not os.path.isdir(BUILD + "/python/site"):
        print("skipped: training.py needs the Python module, which was not built: no Python.h")
        return
    assert run(sys.executable, program, "training", env=PYTHON).startswith("loss 0.0000")
    check_training("training")
    run(COMMAND, "record", "--quiet", "--output", "from_outside", sys.executable, program, "none", env=PYTHON)
    check_training("from_outside")


def from_file():
    """acl.json tells what is recorded, and where."""
    run(example("from_file"), os.path.join(EXAMPLES, "acl.json"))
    assert sorted(e["name"] for e in events("result", "push_pop")) == sorted(f"step {i}" for i in range(20))
    [directory] = glob.glob("result/PROF_*")
    names = os.listdir(directory + "/host/data")
    for kind in ("host_cpu.data", "host_mem.data"):
        assert any(name.startswith(kind) for name in names), (kind, names)
    with open(directory + "/host/sample.json", encoding="utf-8") as file:
        assert json.load(file)["storageLimit"] == "1000MB"
    refused = subprocess.run([example("from_file"), "no argument", "too many"], capture_output=True, check=False)
    assert refused.returncode == 2, refused


def job():
    """Four processes: one timeline, in which each computes and waits in turn."""
    printed = run(os.path.join(EXAMPLES, "job.sh"), "job", "4")
    assert "Total of 4 directories" in printed and "all-reduce" in printed, printed
    found = events("job", "mstx_range")
    ranks = collections.defaultdict(list)
    for event in sorted(found, key=lambda event: event["start_ns"]):
        ranks[event["pid"]].append((event["name"], event.get("domain", "default")))
    assert len(ranks) == 4, ranks.keys()
    for pid, seen in ranks.items():
        assert seen == [("compute", "default"), ("all-reduce", "network")] * 10, (pid, seen)
    with open("job/job.json", encoding="utf-8") as file:
        timeline = json.load(file)
    drawn = {event["pid"] for event in timeline if event.get("name") == "all-reduce"}
    assert len(drawn) == 4, drawn
    infos = [json.loads(run("cat", name)) for name in glob.glob("job/PROF_*/host/info.json")]
    assert sorted(info["rank_id"] for info in infos) == [0, 1, 2, 3], infos


def two_models():
    """Two sessions of one program, of which each has a directory."""
    run(example("two_models"), "models")
    found = events("models", "push_pop")
    assert len(glob.glob("models/PROF_*")) == 2
    assert sorted(collections.Counter(event["name"] for event in found).values()) == [10, 10], found


def main():
    for part in (scopes, training, from_file, job, two_models):
        part()
        print("ok", part.__name__)


if __name__ == "__main__":
    main()
