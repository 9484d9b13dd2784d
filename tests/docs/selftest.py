#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants each kind of fault in a page, and looks whether it is found, at its line. Prints TAP.
TOP: the source tree; BUILD: folder of the build, which is complete."""
import concurrent.futures
import itertools
import os
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check            # noqa: E402
import commands         # noqa: E402
import names            # noqa: E402
import translations     # noqa: E402
from pages import Fault, Page       # noqa: E402

GOOD = """\
# One

See [two](#two-things), [Makefile](Makefile) and `ascprof export --format csv`, `--quiet`, `make docs`, `ASCPROF_LOG`,
`aclprofInit`, `runtime/{api,flush}.c`.

## Two things

```sh
echo one >file    # a comment
cat file
cat <<-WORDS
	several lines
	WORDS
test "$(cat file)" = one
```

<!-- not run: it would never end; instead: Makefile -->
```sh
sleep infinity
```

<!-- each until it has told something, then Ctrl-C -->
```sh
sh -c 'trap "exit 0" INT; echo ready; while :; do sleep 0.01; done'
```

```c
/* named.c */
int main(void)
{
	return 0;
}
```

```sh
cc named.c -o named
./named
```

```c
#include <string.h>
size_t length = strlen(word);
```

```cpp
int main()
{
	return 0;
}
```

```python
assert 1 + 1 == 2
```

```json
{"profiler": {"switch": "off"}}
```

```text
anything <at all>
```
"""

# what, the text of GOOD that is replaced, by what, the line of the fault, what is said of it
BLOCK_FAULTS = (
    ("a command that fails", "cat file\n", "cat other\n", 10, "exit status 1"),
    ("the last of several commands", "= one\n", "= two\n", 14, "exit status 1"),
    ("a command that there is not", "cat file\n", "catt file\n", 10, "exit status 127"),
    ("a command without an end", "cat file\n", "if true; then\n", 10, "has no end"),
    ("no shell, not run", "sleep infinity", "sleep (infinity", 19, "is no shell"),
    ("not run, tested nowhere", "instead: Makefile", "instead: tests/none.sh", 18, "there is no tests/none.sh"),
    ("not run, without a reason", "not run: it would never end; instead", "not run; instead", 18,
     "none that this test knows"),
    ("a comment that means nothing", "each until it has told something", "each as long as it likes", 23,
     "none that this test knows"),
    ("ended by itself", "sh -c 'trap", "true 'trap", 24, "ended by itself"),
    ("Ctrl-C makes it fail", "exit 0", "exit 5", 24, "after Ctrl-C: exit status 5"),
    ("C++ that does not compile", "int main()\n{\n\treturn 0;", "int main()\n{\n\treturn x;", 46, "named.md:48"),
    ("C with a warning", "int main(void)\n{\n", "int main(void)\n{\n\tint x = \"\";\n", 28, "named.md:31"),
    ("a fragment that does not compile", "strlen(word)", "strlen(wrod)", 41, "named.md:42"),
    ("C++ that fails", "int main()\n{\n\treturn 0;", "int main()\n{\n\treturn 3;", 46, "ends with 3"),
    ("Python that fails", "1 + 1 == 2", "1 + 1 == 3", 53, "AssertionError"),
    ("JSON that is none", '{"profiler"', '{profiler', 57, "is no JSON"),
    ("a key that acl.json does not know", '"switch": "off"', '"switch": "on", "swich": "on"', 57, "aclInit refuses it"),
    ("a block without a language", "```text", "```", 60, "its language is ''"),
)
NAME_FAULTS = (
    ("a command that hides in text", "anything <at all>", "ascprof report result", 61, "looks like a command"),
    ("a command that hides in what is indented", "`aclprofInit`, ", "\n\n    ascprof report result\n\n", 6,
     "looks like a command"),
    ("a link to no file", "(Makefile)", "(Makefiles)", 3, "leads to no file"),
    ("a link to no heading", "(#two-things)", "(#two-thing)", 3, "leads to no heading"),
    ("an option that there is not", "--format csv", "--fromat csv", 3, "ascprof export has no option --fromat"),
    ("an option of no command", "`--quiet`", "`--quite`", 3, "no command of ours has the option --quite"),
    ("an option in a block", "sleep infinity", "ascprof export --fromat csv", 19, "has no option --fromat"),
    ("a command in the text that there is not", "`ascprof export", "`ascprof exprot", 3, "no command ascprof exprot"),
    ("a target that there is not", "`make docs`", "`make dosc`", 3, "there is no target dosc"),
    ("a variable that there is not", "ASCPROF_LOG", "ASCPROF_LOGS", 3, "nothing here has the name ASCPROF_LOGS"),
    ("a function that there is not", "aclprofInit", "aclprofInitialise", 4, "has the name aclprofInitialise"),
    ("a file that there is not", "{api,flush}", "{api,fluhs}", 4, "there is no runtime/fluhs.c"),
)

TRANSLATED = """\
# Eins

## Zwei

| a | b |
| --- | --- |
| c | d |

```sh
echo one    # eins
```
"""
TRANSLATION_FAULTS = (
    ("translation: a heading of another level", "## Zwei", "### Zwei", 3, "level of heading"),
    ("translation: a heading too many", "## Zwei", "## Zwei\n\n## Drei", 5, "3 of the kind"),
    ("translation: a row too few", "| c | d |\n", "", 5, "rows of table"),
    ("translation: another command", "echo one", "echo two", 10, "code is not that of original.md:10"),
    ("translation: another comment is none", "# eins", "# zwei", 0, ""),
)


class Tree:
    """A small tree with one page, and all that belongs to it."""

    def __init__(self, work, build):
        self.top = os.path.join(work, "top")
        self.root = os.path.join(work, "root")
        self.work, self.build = work, build
        self.numbers, self.lock = itertools.count(), threading.Lock()
        os.makedirs(self.top + "/runtime")
        os.makedirs(self.top + "/tests/docs/given")
        for name in ("Makefile", "runtime/api.c", "runtime/flush.c"):
            self.write(name, "")
        self.write("original.md", TRANSLATED)
        self.write("tests/docs/given/named.h", "static const char *word;\n")
        local = self.root + "/usr/local"
        os.makedirs(local + "/python")
        source = os.environ["TOP"]
        for name, target in (("bin", build + "/bin"), ("lib", build), ("include", source + "/runtime/include"),
                             ("python/ascprof", build + "/python/site/ascprof")):
            os.symlink(target, local + "/" + name)
        self.known = names.Known(self.top, {"ASCPROF_LOG", "aclprofInit"}, {"docs"},
                                 names.command_options(build + "/bin/ascprof"), set())

    def write(self, name, text):
        with open(os.path.join(self.top, name), "w", encoding="utf-8") as file:
            file.write(text)

    def folder(self, _page):
        return commands.Folder(f"{self.work}/{next(self.numbers)}", self.top, self.build, self.root)

    def page(self, text):
        with self.lock:
            self.write("named.md", text)
            return Page(self.top, "named.md")

    def block_faults(self, text):
        return [str(fault) for fault in check.block_faults(self.page(text), self.top, self.folder)]

    def name_faults(self, text):
        page = self.page(text)
        return [str(fault) for fault in (*names.links(page, self.known), *names.names(page, self.known))]

    def translation_faults(self, text):
        page, original = self.page(text), Page(self.top, "original.md")
        return [str(fault) for fault in translations.compare(page, original)]


def changed(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def as_expected(found, line, says):
    """What is wrong with the faults that were found: they must be one, of that line, and say this."""
    if not line:
        return found
    if len(found) == 1 and found[0].startswith(f"named.md:{line}:") and says in found[0]:
        return []
    return [f"expected named.md:{line}: ... {says}, found: {found}"]


def main():
    results = check.Results()
    with tempfile.TemporaryDirectory(prefix="ascprof-docs-", ignore_cleanup_errors=True) as work:
        tree = Tree(work, os.path.abspath(os.environ["BUILD"]))
        results.add("a good page", tree.block_faults(GOOD) + tree.name_faults(GOOD))
        results.add("a good translation", tree.translation_faults(TRANSLATED))
        for group, good, look in ((BLOCK_FAULTS, GOOD, tree.block_faults), (NAME_FAULTS, GOOD, tree.name_faults),
                                  (TRANSLATION_FAULTS, TRANSLATED, tree.translation_faults)):
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                found = pool.map(look, [changed(good, old, new) for _, old, new, _, _ in group])
            for (what, _, _, line, says), faults in zip(group, found):
                results.add(what, as_expected(faults, line, says))
        blocks = Page(tree.top, "original.md").blocks * (check.MOST_NOT_RUN + 1)
        pieces = names.pieces_of('printf("%s: there are only %d " "of these things\\n", name, n);')
        page = tree.page("```text\nascprof: there are only 3 of these things\nascprof: there is a thing\n```\n")
        results.add("a message that nothing prints",
                    as_expected([str(fault) for fault in names.messages(page, pieces)], 3, "prints such a line"))
        pages = [tree.page("[original](original.md#eins)"), Page(tree.top, "original.md")]
        results.add("a page that others lead to", names.unreachable(pages, "named.md"))
        found = [str(fault) for fault in names.unreachable(pages, "original.md")]
        results.add("a page that nothing leads to", as_expected(found, 1, "no link leads here from original.md"))
        results.add("too many that are not run", [] if list(check.too_many(blocks)) else ["not found"])
        try:
            tree.page("# One\n\n```sh\ntrue\n")
            results.add("a block without an end", ["not found"])
        except Fault as fault:
            results.add("a block without an end", as_expected([str(fault)], 3, "has no end"))
    return results.end()


if __name__ == "__main__":
    sys.exit(main())
