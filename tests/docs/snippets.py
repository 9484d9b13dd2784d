# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs what pages show of C, C++, Python and JSON.

A block whose first line is a comment with a file's name is that file, for the commands that follow it. C with a
main() is compiled, linked and, unless commands of the page have its name, run; C without is compiled inside a
function, after tests/docs/given/PAGE.h, which declares what the text around it takes for granted.
"""
import json
import os
import re
import subprocess

NAMED = re.compile(r"^(?:/\*|//|#)\s*([\w.-]+\.(?:c|cc|py))\s*(?:\*/)?$")
COMPILERS = {"c": (["cc", "-std=gnu11"], ".c"), "cpp": (["c++", "-std=c++11"], ".cc")}
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-result", "-fno-diagnostics-show-caret", "-Iuapi"]


def name_of(block):
    match = NAMED.match(block.text[0].strip()) if block.text else None
    return match[1] if match else None


def check(block, folder, given):
    """Raises the fault of a block of one of these languages. One that is not to run is compiled all the same."""
    if block.language in COMPILERS:
        native(block, folder, given)
    elif block.not_run:
        syntax(block)
    elif block.language == "python":
        python(block, folder)
    elif block.language == "json":
        plain(block, folder)


def native(block, folder, given):
    compiler, suffix = COMPILERS[block.language]
    whole = any(re.match(r"int main\(", line) for line in block.text)
    named = name_of(block)
    source = os.path.join(folder.path, named or ".snippet" + suffix)
    binary = os.path.join(folder.path, ".snippet")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(numbered(block) if whole else fragment(block, given)) + "\n")
    command = compiler + STRICT + [source, "-o", binary]
    command += ["-lascprof", "-pthread"] if whole else ["-c"]
    code, printed = folder.run_program(command)
    if code:
        raise block.fault("does not compile:\n" + "\n".join(printed.strip().split("\n")[:6]))
    if whole and named:
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(block.text) + "\n")
    elif whole and not block.not_run:
        code, printed = folder.run_program([binary])
        if code:
            raise block.fault(f"ends with {code}:\n{printed}")


def numbered(block):
    return [f'#line {block.line} "{block.path}"'] + block.text


def fragment(block, given):
    """#include lines first, as a program would have them, the rest inside a function."""
    includes = [line for line in block.text if line.startswith("#include")]
    body = ["" if line.startswith("#include") else line for line in block.text]
    before = [f'#include "{given}"'] if os.path.exists(given) else []
    if block.language == "cpp":
        before = []
    place = f'#line {block.line} "{block.path}"'
    return [*includes, *before, "void snippet(void);", "void snippet(void)", "{", place, *body, "}"]


def python(block, folder):
    source = os.path.join(folder.path, name_of(block) or ".snippet.py")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(block.text) + "\n")
    code, printed = folder.run_program(["python3", source])
    if code:
        raise block.fault(f"ends with {code}:\n{printed}")


ACL_JSON = """\
import sys
from ascprof import acl
ret = acl.init(sys.argv[1])
if ret or acl.finalize():
    sys.exit(f"{ret} {acl.get_recent_err_msg()}")
"""


def plain(block, folder):
    """JSON; what has a profiler object is an acl.json, and this library takes it."""
    try:
        value = json.loads("\n".join(block.text))
    except ValueError as error:
        raise block.fault(f"is no JSON: {error}") from None
    if isinstance(value, dict) and "profiler" in value:
        path = os.path.join(folder.path, "acl.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file)
        code, printed = folder.run_program(["python3", "-c", ACL_JSON, path])
        if code:
            raise block.fault(f"aclInit refuses it:\n{printed}")


def syntax(block):
    """Of a block that is not run, what can be told all the same."""
    if block.language == "python":
        try:
            compile("\n".join(block.text), block.path, "exec")
        except SyntaxError as error:
            raise block.fault(f"is no Python: {error}") from None
    elif block.language == "sh":
        command = ["sh", "-n", "-c", "\n".join(block.text)]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if result.returncode:
            raise block.fault(f"is no shell: {result.stderr.strip()}")
