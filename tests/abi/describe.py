#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The binary interface of acl_prof.h, as facts: constants, types, layouts, prototypes.

  describe.py FOLDER          of the header FOLDER/acl/acl_prof.h; what public.txt holds
  describe.py --assert FILE   a C and C++ source that fails to compile where headers
                              found by the compiler differ from the description FILE

public.txt was made from the public header (hicann/runtime, include/external) of
version 9.1.0. To make it from another one:

  describe.py FOLDER >tests/abi/public.txt

Values, sizes and offsets are asked of the compiler, CC or cc.
"""
import os
import re
import subprocess
import sys
import tempfile

HEAD = """# SPDX-License-Identifier: Apache-2.0
# Facts of the public acl/acl_prof.h, made by describe.py. Lines:
#   type NAME TYPE              a typedef
#   code NAME VALUE             of aclError
#   macro NAME VALUE BYTES
#   enum NAME BYTES             and: enumerator ENUM NAME VALUE
#   opaque NAME                 a structure that is only declared
#   struct NAME BYTES           and: member STRUCT NAME OFFSET BYTES TYPE
#   function RETURN NAME(TYPES)
"""


def plain(path):
    """A header without comments, directives and attributes; continued lines joined."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return text


def declarations(text):
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    text = re.sub(r"\b(ASCPROF_PUBLIC|MSVP_PROF_API|ACL_FUNC_VISIBILITY)\b", "", text)
    return re.sub(r"__attribute__\s*\(\(.*?\)\)|extern \"C\" \{", "", text)


def spaced(text):
    """One way to write a type: `const char *`, `uint32_t *`."""
    text = re.sub(r"\s*\*\s*", " *", re.sub(r"\s+", " ", text.strip()))
    return re.sub(r"\* \*", "**", text).strip()


def without_name(parameter):
    """A parameter's type."""
    parameter = spaced(parameter)
    if parameter in ("", "void"):
        return "void"
    match = re.fullmatch(r"(.*[ *])(\w+)", parameter)
    return match[1].strip() if match and match[1].strip() not in ("const", "unsigned", "struct") else parameter


def functions(text):
    pattern = re.compile(r"([A-Za-z_][\w \t\n*]*?[\s*])(aclprof\w+)\s*\(([^()]*)\)\s*;")
    for match in pattern.finditer(text):
        types = ", ".join(without_name(p) for p in match[3].split(","))
        yield f"function {spaced(match[1])} {match[2]}({types})".replace("* aclprof", "*aclprof")


def structures(text):
    for match in re.finditer(r"typedef struct (\w+) \{(.*?)\n\}\s*(\w+);", text, flags=re.S):
        body, members = re.sub(r"union (\w+) \{[^}]*\}", "union Message", match[2]), []
        for member in body.split(";"):
            found = re.fullmatch(r"(.*[ *])(\w+)(\[\w+\])?", spaced(member))
            if found:
                members.append((found[2], spaced(found[1]) + (found[3] or "")))
        yield match[3], members


def enums(text):
    for match in re.finditer(r"typedef enum (?:\w+ )?\{(.*?)\}\s*(\w+);", text, flags=re.S):
        yield match[2], re.findall(r"\b(ACL_\w+)\b\s*(?:=[^,]*)?(?:,|$)", match[1].strip())


def ask(folder, names):
    """What the compiler makes of expressions, in their order."""
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "ask.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stddef.h>\n#include <stdio.h>\n#include \"acl/acl_prof.h\"\nint main(void)\n{\n")
            for name in names:
                file.write(f"\tprintf(\"%lld\\n\", (long long)({name}));\n")
            file.write("\treturn 0;\n}\n")
        program = os.path.join(work, "ask")
        cc = os.environ.get("CC", "cc").split()
        subprocess.run([*cc, "-w", f"-I{folder}", f"-I{folder}/acl", "-o", program, source], check=True)
        output = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout
    return output.decode().split()


def describe(folder):
    acl = os.path.join(folder, "acl")
    with_directives = plain(os.path.join(acl, "acl_prof.h"))
    text = declarations(with_directives)
    base = "".join(plain(os.path.join(acl, name)) for name in sorted(os.listdir(acl))
                   if name.startswith("acl_base"))
    codes = list(dict.fromkeys(re.findall(r"(?:#define|static const int) (ACL_(?:ERROR_\w+|SUCCESS))\b", base)))
    macros = re.findall(r"^\s*#\s*define (ACL_\w+) +[^\s(]", with_directives, flags=re.M)
    lines, asked = [], []

    def line(text_, *expressions):
        lines.append((text_, len(expressions)))
        asked.extend(expressions)

    for kind, name in sorted(re.findall(r"typedef ([\w ]+\*?) ?(aclError|aclrtStream);", base)):
        line(f"type {name} {spaced(kind)}")
    for name in sorted(codes):
        line(f"code {name} {{}}", name)
    for name in sorted(set(macros)):
        line(f"macro {name} {{}} {{}}", name, f"sizeof({name})")
    for name, values in sorted(enums(text)):
        line(f"enum {name} {{}}", f"sizeof({name})")
        for value in values:
            line(f"enumerator {name} {value} {{}}", value)
    for name in sorted(re.findall(r"typedef struct \w+ (\w+);", text)):
        line(f"opaque {name}")
    for name, members in sorted(structures(text)):
        line(f"struct {name} {{}}", f"sizeof({name})")
        for member, kind in members:
            line(f"member {name} {member} {{}} {{}} {kind}", f"offsetof({name}, {member})",
                 f"sizeof((({name} *)0)->{member})")
    for function in sorted(functions(text), key=lambda f: f.split("(")[0].split()[-1].lstrip("*")):
        line(function)
    answers = iter(ask(folder, asked))
    return "".join(text_.format(*(next(answers) for _ in range(count))) + "\n" for text_, count in lines)


# ---- a source that checks ----

ASSERTS = """#include <stddef.h>
#include "acl/acl_prof.h"
#ifdef __cplusplus
#include <type_traits>
#define CHECK(condition, what) static_assert(condition, what)
#define SAME_TYPE(a, ...) (std::is_same<a, __VA_ARGS__>::value)
#define MEMBER(type, name) decltype(type::name)
#else
#define CHECK(condition, what) _Static_assert(condition, what)
#define SAME_TYPE(a, ...) __builtin_types_compatible_p(a, __VA_ARGS__)
#define MEMBER(type, name) __typeof__(((type *)0)->name)
#endif
"""


def asserts(path):
    out = [ASSERTS]

    def check(condition, what):
        out.append(f'CHECK({condition}, "{what}");\n')

    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        what, rest = line.split(" ", 1)
        f = rest.split(" ")
        if what == "type":
            check(f"SAME_TYPE({f[0]}, {rest.split(' ', 1)[1]})", f[0])
        elif what == "code":
            # Those that the headers under test have; as a macro or as a constant.
            out.append(f"#ifdef {f[0]}\n")
            check(f"{f[0]} == {f[1]}", f[0])
            out.append("#endif\n")
        elif what == "macro":
            check(f"(long long)({f[0]}) == {f[1]}LL && sizeof({f[0]}) == {f[2]}", f[0])
        elif what == "enum":
            check(f"sizeof({f[0]}) == {f[1]}", f[0])
        elif what == "enumerator":
            check(f"(long long)({f[1]}) == {f[2]}LL", f[1])
        elif what == "opaque":
            check(f"sizeof({f[0]} *) == sizeof(void *)", f[0])
        elif what == "struct":
            check(f"sizeof({f[0]}) == {f[1]}", f[0])
        elif what == "member":
            check(f"offsetof({f[0]}, {f[1]}) == {f[2]} && sizeof((({f[0]} *)0)->{f[1]}) == {f[3]}",
                  f"{f[0]}.{f[1]}")
            kind = " ".join(f[4:])
            if not kind.startswith("union"):
                check(f"SAME_TYPE(MEMBER({f[0]}, {f[1]}), {kind})", f"{f[0]}.{f[1]}: type")
        elif what == "function":
            match = re.fullmatch(r"(.*?[ *])(aclprof\w+)\((.*)\)", rest)
            check(f"SAME_TYPE(__typeof__(&{match[2]}), {match[1].strip()} (*)({match[3]}))", match[2])
        else:
            raise SystemExit(f"{path}: {line}")
    return "".join(out)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--assert":
        sys.stdout.write(asserts(sys.argv[2]))
    elif len(sys.argv) == 2 and os.path.isfile(os.path.join(sys.argv[1], "acl", "acl_prof.h")):
        sys.stdout.write(HEAD + describe(sys.argv[1]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
