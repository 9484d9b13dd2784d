#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the documents say: prints TAP.

  check.py [PAGE...]     TOP: the source tree; BUILD: folder of the build, which is complete

Commands of ```sh blocks run as they are written, in a folder like a checkout that was built, with all installed
below a root of the test's own. A block that cannot run here says so in a comment above it:

  <!-- not run: REASON; instead: FILES THAT TEST IT -->

and one whose commands go on until they are told to end:

  <!-- each until it has told something, then Ctrl-C -->

What a page takes for granted is made by tests/docs/given/PAGE.sh. Every other block has a language, too: c, cpp,
python, json, or text, which is nothing to run.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import commands         # noqa: E402
import names            # noqa: E402
import snippets         # noqa: E402
import translations     # noqa: E402
from pages import Fault, Page       # noqa: E402

LANGUAGES = ("sh", "c", "cpp", "python", "json", "text")
MOST_NOT_RUN = 20       # more of them, and documents are no longer tested
MESSAGES = "docs/troubleshooting.md"    # what it quotes is what the sources print
TRANSLATED = {"README.zh.md": "README.md", "docs/guide.zh.md": "docs/guide.md"}
GENERATED = re.compile(r"docs/api-\w+\.md$")    # their code is the headers', which compile


class Results:
    """TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def add(self, name, faults):
        self.count += 1
        faults = list(faults)
        for fault in faults:
            for line in str(fault).split("\n"):
                print("# " + line)
        self.failed += bool(faults)
        print(f"{'not ' if faults else ''}ok {self.count} - {name}", flush=True)

    def end(self):
        """The plan; the exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def given(top, page, suffix):
    stem = re.sub(r"\.md$", "", page.path).replace("/", "-")
    return os.path.join(top, "tests", "docs", "given", stem + suffix)


def block_faults(page, top, make_folder):
    """Runs, compiles and reads the blocks of a page, in its order; make_folder makes where."""
    folder = None
    for block in page.blocks:
        try:
            if block.language not in LANGUAGES:
                raise block.fault(f"its language is '{block.language}', expected one of {', '.join(LANGUAGES)}", -1)
            if block.note and not block.not_run and not block.interrupted:
                raise block.fault("the comment above is none that this test knows", -1)
            if block.language == "text":
                continue
            if block.not_run:
                excused(block, top)
            if not folder:
                folder = make_folder(page)
            if block.language == "sh" and not block.not_run:
                folder.run(block)
            else:
                snippets.check(block, folder, given(top, page, ".h"))
        except Fault as fault:
            yield fault


def excused(block, top):
    """A block that is not run must be worth it, and tested elsewhere."""
    for name in re.split(r"[,\s]+", block.not_run["instead"].strip()):
        if not os.path.exists(os.path.join(top, name)):
            raise block.fault(f"is not run, and there is no {name} that tests it instead", -1)


def not_run(pages):
    return [block for page in pages for block in page.blocks if block.not_run and page.path not in TRANSLATED]


def too_many(blocks):
    if len(blocks) > MOST_NOT_RUN:
        yield blocks[MOST_NOT_RUN].fault(f"{len(blocks)} blocks are not run, expected at most {MOST_NOT_RUN}")


class Folders:
    """Makes folders for pages, with what each takes for granted, on one root."""

    def __init__(self, top, build, work):
        self.top, self.build, self.work, self.root = top, build, work, os.path.join(work, "root")

    def install(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        command = ["make", "-C", self.top, "--no-print-directory", "O=" + self.build, "DESTDIR=" + self.root, "install"]
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if result.returncode:
            yield Fault("Makefile", 1, "make install fails:\n" + result.stdout + result.stderr)

    def make(self, page):
        folder = commands.Folder(os.path.join(self.work, page.path.replace("/", "-")), self.top, self.build, self.root)
        script = given(self.top, page, ".sh")
        if os.path.exists(script):
            code, printed = folder.given(script)
            if code:
                raise Fault(os.path.relpath(script, self.top), 1, f"{commands.told(code)}:\n{printed}")
        return folder


def check_all(results, top, build, work):
    folders = Folders(top, build, work)
    results.add("install", folders.install())
    known = names.Known.of(top, build)
    whole = [Page(top, path) for path in names.git_files(top, "*.md")]
    results.add("each page is reached from README.md", names.unreachable(whole, "README.md"))
    pages = [Page(top, path) for path in sys.argv[1:]] or whole
    for page in pages:
        results.add(page.path + ": links and names", [*names.links(page, known), *names.names(page, known)])
        if page.path == MESSAGES:
            printed = names.printed_pieces(top)
            results.add(page.path + ": messages are those that are printed", names.messages(page, printed))
        if page.path in TRANSLATED:
            original = Page(top, TRANSLATED[page.path])
            results.add(f"{page.path}: as {original.path}", translations.compare(page, original))
        elif not GENERATED.match(page.path):
            run = sum(not block.not_run and block.language != "text" for block in page.blocks)
            results.add(f"{page.path}: {run} blocks run", block_faults(page, top, folders.make))
    results.add("variables that are read are in the guide", names.variables(known, "docs/guide.md"))
    excused_blocks = not_run(pages)
    for block in excused_blocks:
        print(f"# not run: {block.path}:{block.line}: {block.not_run['reason']}")
    results.add(f"{len(excused_blocks)} blocks are not run here, each with its reason", too_many(excused_blocks))


def main():
    top, build = os.path.abspath(os.environ["TOP"]), os.path.abspath(os.environ["BUILD"])
    results = Results()
    with tempfile.TemporaryDirectory(prefix="ascprof-docs-", ignore_cleanup_errors=True) as work:
        try:
            check_all(results, top, build, work)
        except Fault as fault:
            results.add("pages", [fault])
    return results.end()


if __name__ == "__main__":
    sys.exit(main())
