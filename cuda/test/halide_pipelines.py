"""Pipelines in Halide, each scheduled for a GPU and run on the CPU as well. halide.sh runs it."""

import os
import random
import sys
import tempfile
import time

import halide as hl

GPU = hl.get_host_target().with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability50)
CPU = hl.get_host_target()
X, Y = hl.Var("x"), hl.Var("y")
BX, BY, TX, TY = hl.Var("bx"), hl.Var("by"), hl.Var("tx"), hl.Var("ty")


def image(type, *size):
    """A buffer with random values."""
    b = hl.Buffer(type, list(size))
    r = random.Random(17)
    for y in range(size[1] if len(size) > 1 else 1):
        for x in range(size[0]):
            v = r.random() if type == hl.Float(32) else r.randrange(256)
            if len(size) > 1:
                b[x, y] = v
            else:
                b[x] = v
    return b


def tile(f, w=16, h=8):
    f.gpu_tile(X, Y, BX, BY, TX, TY, w, h)


def blur(gpu, shared=False):
    """A blur of 3 x 3, in one go, or with rows in shared memory."""
    source, rows, out = image(hl.UInt(8), 200, 120), hl.Func("rows"), hl.Func("out")
    clamped = hl.BoundaryConditions.repeat_edge(source)
    rows[X, Y] = (hl.cast(hl.UInt(16), clamped[X - 1, Y]) + clamped[X, Y] + clamped[X + 1, Y]) / 3
    out[X, Y] = hl.cast(hl.UInt(8), (rows[X, Y - 1] + rows[X, Y] + rows[X, Y + 1]) / 3)
    if gpu:
        tile(out)
        if shared:
            rows.compute_at(out, BX).gpu_threads(X, Y)
    return out, [200, 120], 0


def matrix_product(gpu):
    """C = A B, 64 x 64 x 64, by an update with a reduction."""
    n = 64
    a, b, c = image(hl.Float(32), n, n), image(hl.Float(32), n, n), hl.Func("c")
    k = hl.RDom([(0, n)])
    c[X, Y] = hl.cast(hl.Float(32), 0)
    c[X, Y] += a[k, Y] * b[X, k]
    if gpu:
        tile(c)
        tile(c.update())
    return c, [n, n], 1e-4


def histogram(gpu):
    """How often each value comes, with atomic additions on the GPU."""
    source, out = image(hl.UInt(8), 300, 100), hl.Func("histogram")
    r = hl.RDom([(0, 300), (0, 100)])
    out[X] = hl.cast(hl.Int(32), 0)
    out[hl.cast(hl.Int(32), source[r.x, r.y])] += 1
    if gpu:
        out.gpu_tile(X, BX, TX, 64)
        rx, tx = hl.RVar("rx"), hl.RVar("tx")
        out.update().atomic().split(r.x, rx, tx, 32).gpu_blocks(rx, r.y).gpu_threads(tx)
    return out, [256], 0


def transposed(gpu):
    """A transposition by tiles in shared memory."""
    source, copy, out = image(hl.Float(32), 96, 96), hl.Func("copy"), hl.Func("out")
    copy[X, Y] = source[X, Y]
    out[X, Y] = copy[Y, X] * 2
    if gpu:
        tile(out, 16, 16)
        copy.compute_at(out, BX).gpu_threads(X, Y)
    return out, [96, 96], 0


def functions(gpu):
    """Functions of libdevice."""
    source, out = image(hl.Float(32), 128, 32), hl.Func("out")
    v = source[X, Y]
    out[X, Y] = hl.sin(v) + hl.cos(v * 3) + hl.exp(v) + hl.log(v + 1) + hl.pow(v + 0.5, 1.75) + hl.sqrt(v) + hl.atan2(v, v + 2) + hl.tanh(v) + hl.floor(v * 9)
    if gpu:
        tile(out)
    return out, [128, 32], 2e-4


def stages(gpu):
    """Three kernels, one after the other, each with its buffer on the device."""
    source, a, b, out = image(hl.Float(32), 160, 90), hl.Func("a"), hl.Func("b"), hl.Func("out")
    clamped = hl.BoundaryConditions.mirror_image(source)
    a[X, Y] = clamped[X, Y] - clamped[X + 1, Y]
    b[X, Y] = hl.max(a[X, Y], a[X, Y + 1]) * hl.select(X % 2 == 0, 2.0, 3.0)
    out[X, Y] = b[X, Y] + b[X + 2, Y]
    if gpu:
        for f in (a, b):
            f.compute_root()
        for f in (a, b, out):
            tile(f)
    return out, [160, 90], 1e-5


def scan(gpu):
    """Sums from the left, a row a thread."""
    source, out = image(hl.Float(32), 64, 64), hl.Func("out")
    r = hl.RDom([(1, 63)])
    out[X, Y] = source[X, Y]
    out[r, Y] += out[r - 1, Y]
    if gpu:
        tile(out)
        out.update().gpu_tile(Y, BY, TY, 32)
    return out, [64, 64], 1e-4


def values(buffer, size):
    return [buffer[x, y] for y in range(size[1]) for x in range(size[0])] if len(size) > 1 else [buffer[x] for x in range(size[0])]


FOLDER = tempfile.TemporaryDirectory()
REPORT = os.path.join(FOLDER.name, "report.json")
os.environ["SIMTRUN_REPORT"] = REPORT  # a line for each launch


def launches():
    """How many kernels were launched so far."""
    if not os.path.exists(REPORT):
        return 0
    with open(REPORT) as lines:
        return sum(1 for _ in lines)


def run(make, **how):
    """Whether a pipeline does the same on both targets."""
    cpu, size, tolerance = make(False, **how)
    want = values(cpu.realize(size, CPU), size)
    gpu, size, tolerance = make(True, **how)
    result = gpu.realize(size, GPU)
    result.copy_to_host()
    got = values(result, size)
    wrong = [i for i in range(len(want)) if not abs(got[i] - want[i]) <= tolerance * max(1, abs(want[i]))]
    return len(want), wrong, [(got[i], want[i]) for i in wrong[:3]]


def main():
    failed = 0
    for make, how in ((blur, {}), (blur, {"shared": True}), (matrix_product, {}), (histogram, {}), (transposed, {}), (functions, {}), (stages, {}), (scan, {})):
        name = make.__name__ + "".join(" " + k for k in how)
        began, before = time.time(), launches()
        try:
            n, wrong, examples = run(make, **how)
            text = f"{len(wrong)} of {n} values differ: {examples}" if wrong else f"ok, {n} values, {launches() - before} launches"
            if launches() == before:
                wrong, text = True, "no kernel was launched"
        except Exception as e:  # of Halide, with what the library says
            wrong, text = True, f"{type(e).__name__}: {e}"
        failed += bool(wrong)
        print(f"{name:<16} {time.time() - began:6.2f} s  {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
