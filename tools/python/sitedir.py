# SPDX-License-Identifier: Apache-2.0
"""Where a Python package goes, for `make install-python`.

  sitedir.py PREFIX         prints the folder for packages under PREFIX
  sitedir.py --other        prints the file of a module `acl` that is not ours
"""
import importlib.machinery
import os
import site
import sys
import sysconfig


def folder(prefix):
    """One that this Python looks into, if there is one; else where it would."""
    for path in site.getsitepackages():
        if path.startswith(os.path.join(prefix, "lib")):
            return path
    return sysconfig.get_path("platlib", "posix_prefix", {"base": prefix, "platbase": prefix})


def other():
    spec = importlib.machinery.PathFinder.find_spec("acl", sys.path[1:])
    origin = spec and spec.origin
    if origin and os.path.dirname(os.path.realpath(origin)).endswith("/ascprof/acl"):
        return ""
    return origin or ""


print(other() if sys.argv[1] == "--other" else folder(sys.argv[1]))
