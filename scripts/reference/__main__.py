#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes manual pages and references from comments of the headers and docstrings.

  reference FOLDER          writes FOLDER/packaging/man/man3/*.3 and FOLDER/docs/api-c.md
  reference FOLDER SITE     FOLDER/docs/api-python.md, of the Python module below SITE
  reference --names         prints the functions that have pages
"""
import email.utils
import importlib
import inspect
import os
import re
import sys

import headers
import markdown
import mdoc

STATE_ROWS = ("init", "set", "warmup", "start", "stop", "finalize", "subscribe", "unsubscribe")
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def write(folder, path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def date():
    """That of the release."""
    when = email.utils.parsedate_to_datetime(re.search(r"^ -- .*>  (.*)$", read("debian/changelog"), re.M)[1])
    return f"{when:%B} {when.day}, {when.year}"


def states():
    """Which call is allowed in which state, of the table that the calls are tested with."""
    rows, out = {}, []
    for line in read("tests/api/states.txt").split("\n"):
        cells = re.split(r"\s{2,}", line.strip())
        call = re.match(r"(\w+)\(", cells[1]) if len(cells) > 6 else None
        if call and cells[0] in STATE_ROWS:
            rows[cells[0]] = ["aclprof" + call[1]] + [re.sub(r"[/>].*", "", cell) for cell in cells[2:7]]
    for name in STATE_ROWS:
        function, *codes = rows[name]
        cells = ["allowed" if code == "0" else code for code in codes]
        out.append(f".It Xr {function} 3 Ta " + " Ta ".join(cells) + "\n")
    return "".join(out)


def c_reference(folder, chapters, codes):
    pages = [page for chapter in chapters for page in chapter.pages]
    writer = mdoc.Writer(date(), pages, codes)
    for page in pages:
        write(folder, f"packaging/man/man3/{page.names[0]}.3", writer.function(page))
        for name in page.names[1:]:
            write(folder, f"packaging/man/man3/{name}.3",
                  f'.\\" SPDX-License-Identifier: Apache-2.0\n.so man3/{page.names[0]}.3\n')
    write(folder, "packaging/man/man3/libascprof.3",
          writer.overview(read("packaging/man/parts/libascprof.3").replace("@STATES@\n", states()), chapters))
    write(folder, "docs/api-c.md", markdown.Writer(pages).c(chapters, codes).rstrip("\n") + "\n")


def python_reference(folder, site, chapters):
    sys.path.insert(0, site)
    modules = []
    for name in ("acl", "acl.rt", "acl.prof"):
        module = importlib.import_module("ascprof." + name)
        functions = [(each, str(inspect.signature(getattr(module, each))), getattr(module, each).__doc__)
                     for each in vars(module) if inspect.isbuiltin(getattr(module, each))]
        modules.append((name, module.__doc__, functions))
    where = markdown.Writer([page for chapter in chapters for page in chapter.pages]).where
    write(folder, "docs/api-python.md", markdown.python(modules, where).rstrip("\n") + "\n")


def main():
    chapters, codes = headers.read(os.path.join(TOP, "runtime/include"))
    if sys.argv[1:] == ["--names"]:
        print("\n".join(name for chapter in chapters for page in chapter.pages for name in page.names))
    elif len(sys.argv) == 2:
        c_reference(sys.argv[1], chapters, codes)
    elif len(sys.argv) == 3:
        python_reference(sys.argv[1], sys.argv[2], chapters)
    else:
        raise SystemExit(__doc__)


main()
