#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ascprof serve, as clients see it that mean well and that do not.

usage: serve.py ASCPROF RECORDER [slow]     in an empty folder; exit 0 or 1
RECORDER: a program that records into the folder it is given until its input ends.
slow: also clients that take their time, which takes 30 s.
"""
import atexit
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

ASCPROF, RECORDER = sys.argv[1:3]
NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')


class Server:
    def __init__(self, *arguments, listen="127.0.0.1:0"):
        self.process = subprocess.Popen([ASCPROF, "serve", "-l", listen, *arguments], stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)      # also after a failure
        self.port = None
        for line in self.process.stderr:
            found = re.match(r"ascprof serve: http://(?:.*):(\d+)/metrics", line)
            if found:
                self.port = int(found.group(1))
                break
        assert self.port, "it does not serve"

    def ask(self, data, whole=True, timeout=20):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            got = b""
            try:
                s.sendall(data)
                if whole:
                    s.shutdown(socket.SHUT_WR)
                while True:
                    more = s.recv(65536)
                    if not more:
                        break
                    got += more
            except OSError:
                pass
            return got

    def get(self, path, method="GET"):
        got = self.ask(("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % (method, path)).encode())
        head, _, body = got.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), head.decode(), body

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.process.stderr.close()
        return code


def parse(text):
    """OpenMetrics, strictly: a dict from (name, labels) to the value."""
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    families, values, family = {}, {}, None
    for line in text[:-6].splitlines():
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert NAME.fullmatch(family) and family not in families and kind in ("counter", "gauge", "info"), line
            families[family] = kind
            continue
        if line.startswith("# HELP "):
            assert line.split(" ")[2] == family, line
            continue
        name = NAME.match(line).group(0)
        suffix = {"counter": "_total", "gauge": "", "info": "_info"}[families[family]]
        assert name == family + suffix, line
        rest, labels = line[len(name):], {}
        if rest.startswith("{"):
            at = 1
            while rest[at] != "}":
                label = LABEL.match(rest[at:]) or LABEL.match(rest[at:rest.rindex("}")])
                assert label and label.group(1) not in labels, line
                labels[label.group(1)] = label.group(2)
                at += label.end()
            rest = rest[at + 1:]
        value = float(re.fullmatch(r" (\S+)", rest).group(1))
        key = (name, tuple(sorted(labels.items())))
        assert key not in values, line
        assert families[family] != "counter" or value >= 0
        values[key] = value
    return values


def page(server):
    code, head, body = server.get("/metrics")
    assert code == 200 and "application/openmetrics-text; version=1.0.0" in head, head
    return parse(body.decode())


def total(values, name, **labels):
    return sum(v for (n, l), v in values.items() if n == name and labels.items() <= dict(l).items())


def folders():
    """Folders that have what should not be there."""
    os.makedirs("odd \"folder\" \\ \n/PROF_ended")
    odd = "odd \"folder\" \\ \n"
    account = {"format": 1, "state": "running", "pid": os.getpid(), "comm": open("/proc/self/comm", encoding="ascii").read().strip(),
               "error": "full", "start": {"raw_ns": 1, "real_ns": 1800000000123000000},
               "accounting": [{"kind": "mark\n\"x\\", "device": -1, "produced": 9, "written": 2, "dropped": {"ring_full": 4, "\u202ere": 3}, "open": 1}]}
    def put(name, content):
        os.makedirs(os.path.join(odd, name), exist_ok=True)
        with open(os.path.join(odd, name, "ascprof.json"), "w", encoding="utf-8") as f:
            f.write(content if isinstance(content, str) else json.dumps(content))
    put("PROF_running", account)
    put("PROF_ended", {**account, "state": "stopped"})
    put("PROF_killed", {**account, "pid": 2 ** 22 + 1})
    put("PROF_no_json", "{")
    put("PROF_large", " " * 300000 + json.dumps(account))
    put("other", account)
    os.makedirs(os.path.join(odd, "PROF_fifo"))
    os.mkfifo(os.path.join(odd, "PROF_fifo", "ascprof.json"))
    os.makedirs(os.path.join(odd, "PROF_link"))
    os.symlink("../PROF_running/ascprof.json", os.path.join(odd, "PROF_link", "ascprof.json"))
    os.symlink("PROF_running", os.path.join(odd, "PROF_folder_link"))
    return odd


def check_page():
    odd = folders()
    os.mkdir("result")
    server = Server("result", odd)
    values = page(server)
    states = {s: total(values, "ascprof_sessions", state=s) for s in ("running", "ended", "killed", "unreadable", "left_out")}
    assert states == {"running": 1, "ended": 1, "killed": 1, "unreadable": 4, "left_out": 0}, states
    assert total(values, "ascprof_session_produced_total", session="PROF_running") == 9
    assert total(values, "ascprof_session_dropped_total", session="PROF_running") == 7
    assert total(values, "ascprof_session_failed", session="PROF_running") == 1
    assert total(values, "ascprof_session_start_seconds") == 1800000000.123
    assert total(values, "ascprof_module_up") in (0, 1)
    # a session that really records
    with subprocess.Popen([RECORDER, "result"], stdin=subprocess.PIPE) as recorder:
        deadline = time.monotonic() + 60
        while total(values, "ascprof_session_info") < 2 and time.monotonic() < deadline:
            values = page(server)
        assert total(values, "ascprof_session_info") == 2, values
        recorder.stdin.close()
        assert recorder.wait() == 0
    while total(values, "ascprof_sessions", state="ended") < 2 and time.monotonic() < deadline:
        values = page(server)
    assert total(values, "ascprof_sessions", state="ended") == 2 and total(values, "ascprof_session_info") == 1
    return server


def check_requests(server):
    assert server.get("/-/healthy")[0] == 200
    code, head, body = server.get("/metrics", "HEAD")
    assert code == 200 and body == b"" and "openmetrics" in head
    for path in ("/", "/metrics/", "/metrics/..", "/../metrics", "/%2e%2e/etc/passwd", "//metrics", "/metrics%00", "/etc/passwd",
                 "/-/healthy/../../etc/passwd", "/METRICS", "/result/PROF_running/ascprof.json", "/%ff"):
        assert server.get(path)[0] in (400, 404), path
    assert server.get("/metrics?x=../../etc/passwd")[0] == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "X"):
        assert server.get("/metrics", method)[0] in (400, 405), method
    # two requests on one connection
    both = server.ask(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\nGET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert both.count(b"200 OK") == 2, both


def check_hostile(server):
    for what in (b"", b"\0" * 5000, b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\xff" * 3000, b"GET /metrics HTTP/9.9\r\n\r\n",
                 b"GET " + b"/a" * 20000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\n" + b"".join(b"H%d: v\r\n" % i for i in range(5000)) + b"\r\n"):
        got = server.ask(what)
        assert b"ascprof_build" not in got and b" 200 " not in got.split(b"\r\n")[0], (what[:40], got[:100])
    # bodies are not waited for
    for head in (b"Content-Length: 99999999999", b"Transfer-Encoding: chunked", b"Content-Length: 5\r\nContent-Length: 7", b"Content-Length: -1"):
        got = server.ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\nhello", whole=False)
        assert b"ascprof_build" not in got.split(b"HTTP/1.1 400")[0], (head, got[:100])
        assert got == b"" or b" 400 " in got.split(b"\r\n")[0] or b" 413 " in got.split(b"\r\n")[0], (head, got[:100])
    # more connections than there may be: those beyond are closed, and it goes on when they are gone
    many = []
    for _ in range(150):
        try:
            many.append(socket.create_connection(("127.0.0.1", server.port), timeout=20))
        except OSError:
            break
    for s in many:
        s.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if server.get("/-/healthy")[0] == 200:
                break
        except (OSError, IndexError):
            pass
    else:
        raise AssertionError("it does not answer after many connections")
    # answers that nobody reads
    unread = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    for s in unread:
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
    assert server.get("/-/healthy")[0] == 200
    for s in unread:
        s.close()
    values = page(server)
    assert total(values, "ascprof_serve_answers_total", answer="refused") > 20
    with open("/proc/%d/status" % server.process.pid, encoding="ascii") as f:
        resident = int(re.search(r"VmRSS:\s+(\d+) kB", f.read()).group(1))
    if not os.environ.get("SANITIZED"):
        assert resident < 64 << 10, resident


def check_slow(server):
    """A byte now and then does not keep a connection; the full house is empty again after a while."""
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(64)]
    begin = time.monotonic()
    alive = list(slow)
    while alive and time.monotonic() - begin < 60:
        for s in list(alive):
            try:
                s.setblocking(False)
                s.send(b"G")
                if s.recv(100) == b"":
                    alive.remove(s)
            except BlockingIOError:
                pass
            except OSError:
                alive.remove(s)
        time.sleep(.5)
    assert not alive, "%d connections stay" % len(alive)
    assert time.monotonic() - begin > 8, "connections end at once"
    assert server.get("/-/healthy")[0] == 200
    assert total(page(server), "ascprof_serve_answers_total", answer="too_slow") > 32


def check_use(server):
    def run(*arguments):
        return subprocess.run([ASCPROF, "serve", *arguments], capture_output=True, text=True, timeout=60, check=False)
    for wrong in ("", "x", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "1.2.3:80", "[::1:80", "::1:80", "localhost:80"):
        assert run("-l", wrong).returncode == 2, wrong
    taken = run("-l", "127.0.0.1:%d" % server.port)
    assert taken.returncode == 1 and "cannot listen" in taken.stderr, taken
    assert run("nowhere").returncode == 1


def main():
    missing = subprocess.run([ASCPROF, "serve", "nowhere"], capture_output=True, text=True, check=False).stderr
    if "no HTTP" in missing:
        print(missing.strip())
        return 77
    server = check_page()
    check_requests(server)
    check_hostile(server)
    if "slow" in sys.argv:
        check_slow(server)
    check_use(server)
    assert server.end() == 0
    print("all hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
