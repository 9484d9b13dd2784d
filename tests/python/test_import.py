# SPDX-License-Identifier: Apache-2.0
"""How the module is imported and described."""
import ast
import importlib
import inspect
import os
import sys
import unittest

import helper

import acl
import acl.prof
import acl.rt

STUBS = os.path.join(helper.TOP, "tools", "python", "ascprof", "acl")
OWN_NAMES = {
    "init", "finalize", "create_config", "destroy_config", "start", "stop", "set_config", "create_stamp",
    "destroy_stamp", "set_stamp_trace_message", "mark", "push", "pop", "range_start", "range_stop",
    "create_subscribe_config", "destroy_subscribe_config", "model_subscribe", "model_un_subscribe",
    "model_unsubscribe", "get_op_desc_size", "get_op_num", "get_op_type_len", "get_op_type", "get_op_type_v2",
    "get_op_name_len", "get_op_name", "get_op_name_v2", "get_op_start", "get_op_end", "get_op_duration",
    "get_model_id",
}


def public(module):
    return {name for name in dir(module) if not name.startswith("_")}


class Names(unittest.TestCase):
    def test_both_names(self):
        from ascprof import acl as other

        self.assertEqual(acl.__name__, "acl")
        self.assertIs(sys.modules["acl.prof"], acl.prof)
        self.assertIs(importlib.import_module("acl.prof"), acl.prof)
        self.assertIs(sys.modules["acl.rt"], acl.rt)
        self.assertEqual(acl.prof.__name__, "acl.prof")
        self.assertEqual(acl.prof.mark.__module__, "acl.prof")
        self.assertEqual(other.__name__, "ascprof.acl")
        self.assertIs(sys.modules["ascprof.acl.prof"], other.prof)
        self.assertTrue(os.path.samefile(acl.__file__, other.__file__))
        self.assertTrue(acl.__file__.endswith(".abi3.so"))

    def test_functions(self):
        self.assertEqual(public(acl), {"init", "finalize", "get_recent_err_msg", "prof", "rt"})
        self.assertEqual(public(acl.rt), {"set_device", "reset_device"})
        self.assertLessEqual(OWN_NAMES, public(acl.prof))

    def test_again(self):
        kept = {name: sys.modules.pop(name) for name in ("acl", "acl.prof", "acl.rt")}
        try:
            again = importlib.import_module("acl")
            self.assertEqual(public(again.prof), public(acl.prof))
        finally:
            sys.modules.update(kept)


class Stubs(unittest.TestCase):
    """The stubs say what docstrings say, and a docstring is there."""

    def stub(self, name):
        with open(os.path.join(STUBS, name)) as file:
            tree = ast.parse(file.read())
        return {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}

    def compare(self, module, stub):
        functions = {name for name in public(module) if callable(getattr(module, name))}
        self.assertLessEqual(functions, stub.keys())
        for name in functions:
            function = getattr(module, name)
            kinds = {inspect.Parameter.POSITIONAL_ONLY: [], inspect.Parameter.VAR_POSITIONAL: []}
            for parameter in inspect.signature(function).parameters.values():
                kinds[parameter.kind].append(parameter.name)
            arguments = stub[name]
            with self.subTest(name):
                self.assertEqual(kinds[inspect.Parameter.POSITIONAL_ONLY], [a.arg for a in arguments.posonlyargs])
                self.assertEqual(kinds[inspect.Parameter.VAR_POSITIONAL],
                                 [arguments.vararg.arg] if arguments.vararg else [])
                self.assertEqual(arguments.args + arguments.kwonlyargs, [])
                self.assertIn("Returns ", function.__doc__)

    def test_acl(self):
        self.compare(acl, self.stub("__init__.pyi"))

    def test_prof(self):
        stub = self.stub("prof.pyi")
        self.assertEqual(len(stub), 36)
        self.compare(acl.prof, stub)

    def test_rt(self):
        self.compare(acl.rt, self.stub("rt.pyi"))


class Interpreters(helper.Case):
    """One interpreter of a process has the module; each other gets an ImportError."""

    PROGRAM = """
        import sys

        if sys.version_info >= (3, 13):
            import _interpreters as interpreters
        else:
            import _xxsubinterpreters as interpreters

        def create(isolated):
            if sys.version_info >= (3, 13):
                return interpreters.create("isolated" if isolated else "legacy")
            return interpreters.create(isolated=isolated)

        def run(interpreter, name):
            interpreters.run_string(interpreter, f'''if True:
                try:
                    import {name}
                    text = "imported"
                except ImportError as error:
                    text = str(error)
                with open("said", "w") as file:
                    file.write(text)
                ''')
            with open("said") as file:
                return file.read()

        """
    REFUSED = "acl: another interpreter of this process has imported it already; " \
              "profiling is for one interpreter of a process"
    # Python itself refuses in interpreters that share nothing, since 3.12
    ISOLATED_REFUSED = REFUSED if sys.version_info < (3, 12) else "does not support loading in subinterpreters"
    ENV = {"PYTHONWARNINGS": "ignore"}

    def test_second(self):
        said = self.run_python(self.PROGRAM + """
        import acl
        for isolated in (False, True):
            for name in ("acl", "ascprof.acl"):
                print(run(create(isolated), name))
        print(acl.prof.pop(), __import__("ascprof.acl").acl.prof.pop())
        """, env=self.ENV).splitlines()
        self.assertEqual(said[:2], [self.REFUSED] * 2)
        for text in said[2:4]:
            self.assertIn(self.ISOLATED_REFUSED, text)
        self.assertEqual(said[4], "100043 100043")

    def test_main_is_second(self):
        said = self.run_python(self.PROGRAM + """
        first = create(False)
        print(run(first, "acl"))
        print(run(first, "ascprof.acl"))
        print(run(create(False), "acl"))
        try:
            import acl
        except ImportError as error:
            print(error)
        """, env=self.ENV).splitlines()
        self.assertEqual(said, ["imported", "imported", self.REFUSED, self.REFUSED])


if __name__ == "__main__":
    unittest.main()
