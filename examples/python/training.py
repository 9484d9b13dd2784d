# SPDX-License-Identifier: Apache-2.0
"""A training loop with ranges for each step, as one writes it with torch: training.py [DIRECTORY]

The model is a few lines of Python, so that nothing else is needed. With torch_npu, `annotate` goes around the
same calls. Under `ascprof record` the program's own session is not needed:

  ascprof record python3 examples/python/training.py none
"""
import contextlib
import random
import sys

import acl

ACL_PROF_MSPROFTX = 0x0080
ACL_AICORE_NONE = 0xFF
EPOCHS, STEPS, BATCH = 2, 10, 32


@contextlib.contextmanager
def annotate(text):
    """A range of this thread; nothing when nobody records."""
    stamp = acl.prof.create_stamp()
    if not stamp:
        yield
        return
    acl.prof.set_stamp_trace_message(stamp, text, len(text.encode()))
    acl.prof.push(stamp)
    try:
        yield
    finally:
        acl.prof.pop()
        acl.prof.destroy_stamp(stamp)


def check(call, ret):
    if ret:
        sys.exit(f"{call}: {ret}: {acl.get_recent_err_msg()}")


@contextlib.contextmanager
def recorded(path):
    """Records annotations meanwhile, without any device."""
    check("acl.prof.init", acl.prof.init(path))
    config = acl.prof.create_config([], ACL_AICORE_NONE, 0, ACL_PROF_MSPROFTX)
    check("acl.prof.start", acl.prof.start(config))
    try:
        yield
    finally:
        check("acl.prof.stop", acl.prof.stop(config))
        check("acl.prof.destroy_config", acl.prof.destroy_config(config))
        check("acl.prof.finalize", acl.prof.finalize())


class Linear:
    """y = w x + b, and its gradients."""

    def __init__(self):
        self.weight, self.bias = random.random(), 0.0
        self.gradient = (0.0, 0.0)

    def forward(self, batch):
        return [self.weight * x + self.bias for x, _ in batch]

    def backward(self, batch, predicted):
        errors = [2 * (p - y) / len(batch) for p, (_, y) in zip(predicted, batch)]
        self.gradient = (sum(e * x for e, (x, _) in zip(errors, batch)), sum(errors))

    def step(self, rate):
        self.weight -= rate * self.gradient[0]
        self.bias -= rate * self.gradient[1]


def batches():
    """Batches of (x, 3 x + 1)."""
    for _ in range(STEPS):
        with annotate("load"):
            points = [random.uniform(-1, 1) for _ in range(BATCH)]
            batch = [(x, 3 * x + 1) for x in points]
        yield batch


def train(model):
    loss = 0.0
    for epoch in range(EPOCHS):
        with annotate(f"epoch {epoch}"):
            for number, batch in enumerate(batches()):
                with annotate(f"step {number}"):
                    with annotate("forward"):
                        predicted = model.forward(batch)
                        loss = sum((p - y) ** 2 for p, (_, y) in zip(predicted, batch)) / len(batch)
                    with annotate("backward"):
                        model.backward(batch, predicted)
                    with annotate("optimizer"):
                        model.step(0.5)
    return loss


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "./result"
    random.seed(1)
    with contextlib.nullcontext() if path == "none" else recorded(path):
        loss = train(Linear())
    print(f"loss {loss:.6f}")


if __name__ == "__main__":
    main()
