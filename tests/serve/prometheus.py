#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prometheus scrapes two instances of ascprof serve, of which one goes.

usage: prometheus.py ASCPROF RECORDER      in a folder with ascprof.rules.yml; exit 0 or 1
"""
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serve

CONFIG = """
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [ascprof.rules.yml]
scrape_configs:
  - job_name: ascprof
    static_configs: [{targets: ['127.0.0.1:%d', '127.0.0.1:%d']}]
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def main():
    servers, recorders = [], []
    for folder in ("one", "two"):
        os.mkdir(folder)
        recorders.append(subprocess.Popen([sys.argv[2], folder], stdin=subprocess.PIPE))
        servers.append(serve.Server(folder))
    with open("prometheus.yml", "w", encoding="utf-8") as f:
        f.write(CONFIG % tuple(s.port for s in servers))
    subprocess.run(["promtool", "check", "config", "prometheus.yml"], check=True, stdout=subprocess.DEVNULL)
    port = free_port()
    log = open("log", "wb")
    prometheus = subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                                   "--web.listen-address=127.0.0.1:%d" % port], stdout=log, stderr=log)

    def api(path, **arguments):
        url = "http://127.0.0.1:%d/api/v1/%s?%s" % (port, path, urllib.parse.urlencode(arguments))
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def until(what, good):
        deadline = time.monotonic() + 60
        last = None
        while time.monotonic() < deadline:
            try:
                last = good()
                if last is True:
                    return
            except OSError as error:
                last = error
            time.sleep(.3)
        raise AssertionError("%s: %s" % (what, last))

    def values(query):
        return {r["metric"]["instance"]: float(r["value"][1]) for r in api("query", query=query)["result"]}

    instances = ["127.0.0.1:%d" % s.port for s in servers]
    try:
        until("both are up", lambda: values("up") == dict.fromkeys(instances, 1) or api("targets"))
        until("both tell of their session", lambda: values('ascprof_sessions{state="running"}') == dict.fromkeys(instances, 1))
        # twice the recorder has written its account in between
        until("what is recorded grows", lambda: set(values('increase(ascprof_session_produced_total{kind="mark"}[20s]) > 100')) == set(instances))
        targets = api("targets")["activeTargets"]
        assert all(t["health"] == "up" and not t["lastError"] for t in targets), targets
        kinds = {m: api("metadata", metric=m)[m][0]["type"] for m in ("ascprof_session_produced", "ascprof_sessions")}
        assert kinds == {"ascprof_session_produced": "counter", "ascprof_sessions": "gauge"}, kinds
        rules = [r for g in api("rules")["groups"] for r in g["rules"]]
        until("all rules are evaluated", lambda: all(r["health"] == "ok" for r in [r for g in api("rules")["groups"] for r in g["rules"]]) or rules)
        assert {r["name"] for r in rules} >= {"AscprofDown", "AscprofDropping", "AscprofWritingFailed"}, rules
        # one goes: it is down, and an alert begins to wait
        assert servers[1].end() == 0
        until("one is down", lambda: values("up") == {instances[0]: 1, instances[1]: 0})
        until("an alert is pending", lambda: [(a["labels"]["alertname"], a["labels"]["instance"], a["state"]) for a in api("alerts")["alerts"]]
              == [("AscprofDown", instances[1], "pending")])
        for r in recorders:
            r.stdin.close()
            assert r.wait(60) == 0
        until("the session has ended", lambda: values('ascprof_sessions{state="ended"}') == {instances[0]: 1})
        assert servers[0].end() == 0
    finally:
        for p in [prometheus, *recorders, *(s.process for s in servers)]:
            if p.poll() is None:
                p.kill()
                p.wait()
        log.close()
    print("all hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
