#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command on a terminal: top at two sizes, its keys, resizing; record's progress line
and Ctrl-C. BUILD, TOP: the build and source folders. Exit: 0, or 1 with a traceback."""
import os
import signal
import subprocess
import sys
import tempfile
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["TOP"], "tests", "lib"))
from screen import Screen  # noqa: E402

ASCPROF = os.path.join(os.path.abspath(os.environ["BUILD"]), "bin", "ascprof")
PLAIN = {"TERM": "xterm", "LC_ALL": "C", "NO_COLOR": ""}


def recording(work):
    """A program that records until its standard input ends, with three ranges open: one of each kind."""
    source, program = os.path.join(work, "wait.c"), os.path.join(work, "wait")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""
#include <stdio.h>
#include <unistd.h>
#include <acl/acl_prof.h>
#include <mstx/ms_tools_ext.h>
int main(void)
{
	void *stamp = aclprofCreateStamp();
	char c;
	aclprofSetStampTraceMessage(stamp, "outer", 5);
	aclprofPush(stamp);
	uint32_t id[2];
	aclprofRangeStart(stamp, &id[0]);
	aclprofRangeStart(stamp, &id[1]);
	mstxRangeStartA("outer", 0);
	mstxRangeEnd(mstxRangeStartA("over", 0));
	aclprofRangeStop(id[1]);
	for (int i = 0; i < 500; i++)
		mstxMarkA("work", 0);
	puts("ready");
	fflush(stdout);
	return read(0, &c, 1) < 0;
}
""")
    top, build = os.environ["TOP"], os.path.abspath(os.environ["BUILD"])
    subprocess.run([os.environ.get("CC", "cc"), "-DMSTX_NO_IMPL", f"-I{top}/runtime/include", "-o", program, source,
                    f"-L{build}", "-lascprof", f"-Wl,-rpath,{build}"], check=True)
    process = subprocess.Popen([ASCPROF, "record", "-q", "-o", os.path.join(work, "out"), program],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    return process


def clean(screen):
    """The terminal is as it was: the first screen, with its cursor, and its modes."""
    assert b"\033[?1049h" in screen.raw and screen.raw.rstrip().endswith(b"\033[?1049l"), screen.raw[-40:]
    assert b"\033[?25h" in screen.raw


def top_sizes(work):
    with recording(work) as process:
        for rows, columns in (24, 80), (60, 200):
            screen = Screen([ASCPROF, "top", "-d", "100ms"], rows, columns, PLAIN)
            # the accounting is written once a second
            screen.until(lambda lines: any(line.split()[1:2] == ["wait"] and line.split()[3] == "502"
                                           and line.split()[6] == "3" for line in lines), "the session")
            # whole frames; other sessions may run on this machine
            screen.until(lambda lines: lines[0].startswith("ascprof top - ") and " session" in lines[0]
                         and lines[-1].startswith("F1 Help  q Quit")
                         and any("RECORDS/S" in line for line in lines)
                         and any("out/PROF_" in line for line in lines) == (columns > 80), "a whole frame")
            modes = termios.tcgetattr(screen.fd)[3]
            assert not modes & termios.ICANON and not modes & termios.ECHO
            screen.press(b"q")
            assert screen.end() == 0
            clean(screen)
        process.stdin.close()
        assert process.wait() == 0


def top_keys():
    screen = Screen([ASCPROF, "top", "-d", "100ms"], 12, 80, PLAIN)
    screen.shows("every 0.1 s")
    screen.press(b"+")
    screen.shows("every 0.2 s")
    screen.press(b"-")
    screen.shows("every 0.1 s")
    screen.press(b"h")
    screen.shows("scroll by a line")
    screen.press(b"\033[B\033[B"[:3])
    screen.until(lambda lines: "q F10" not in lines[1], "the second line of help")
    screen.press(b"\033[H")
    screen.until(lambda lines: "q F10" in lines[1], "the first line of help")
    screen.press(b"\033OP")
    screen.shows("RECORDS/S")
    screen.press(b"Z")
    screen.shows(", held")
    screen.resize(40, 132)
    screen.until(lambda lines: lines[39].startswith("F1 Help") and "DIRECTORY" in "".join(lines), "the new size")
    screen.press(b"\x03")
    assert screen.end() == 0
    clean(screen)

    screen = Screen([ASCPROF, "top"], 24, 80, PLAIN)
    screen.shows("ascprof top")
    os.kill(screen.pid, signal.SIGTERM)
    assert screen.end() == 0
    clean(screen)


def top_looks():
    """Colours and UTF-8 where they are wanted; neither escapes nor more than asked for elsewhere."""
    screen = Screen([ASCPROF, "top", "-n", "1", "-d", "100ms"], 24, 80, dict(PLAIN, NO_COLOR="1", LC_ALL="C.UTF-8"))
    assert screen.end() == 0
    assert not [n for n in range(30, 48) if b"\033[%dm" % n in screen.raw]
    for arguments, env in (["-b"], {}), ([], {"TERM": "dumb"}), ([], {"TERM": ""}):
        screen = Screen([ASCPROF, "top", "-n", "2", "-d", "100ms"] + arguments, 24, 80, dict(PLAIN, **env))
        assert screen.end() == 0
        assert b"\033" not in screen.raw and screen.raw.count(b"ascprof top - ") == 2, screen.raw


def progress(work):
    fifo = os.path.join(work, "go")
    os.mkfifo(fifo)
    out = os.path.join(work, "shown")
    screen = Screen([ASCPROF, "record", "-o", out, "sh", "-c", f"cat {fifo}"], 24, 100, PLAIN)
    screen.until(lambda lines: any(" s " in line and " MB " in line and "records" in line and "0 dropped" in line
                                   and not line.startswith("ascprof record:") for line in lines), "the progress")
    with open(fifo, "w", encoding="utf-8"):
        pass
    assert screen.end() == 0
    # the line is wiped out before the last one
    text = "".join(screen.screen.display)
    assert text.count("dropped") == 1 and f"ascprof record: {out}/PROF_" in text, text


def interrupted(work):
    """Ctrl-C goes to both; the program ends by it, its data is whole, and so ends the command."""
    out = os.path.join(work, "interrupted")
    screen = Screen([ASCPROF, "record", "-o", out, "sh", "-c", "echo ready; exec sleep 1000"], 24, 100, PLAIN)
    screen.shows("ready")
    screen.press(b"\x03")
    assert screen.end() == -signal.SIGINT, screen.status
    assert "ascprof record: " in "".join(screen.screen.display)


def main():
    with tempfile.TemporaryDirectory() as work:
        top_sizes(work)
        top_keys()
        top_looks()
        progress(work)
        interrupted(work)
    return 0


sys.exit(main())
