"""What all measurements share: the GPU, images of kernels, buffers, medians."""

import collections
import ctypes
import statistics

import cuda
import ptx

OUT = 64 << 20  # bytes of records and other results


class Bench:
    def __init__(self, gpu, images, data=1 << 20, repeats=5):
        self.gpu, self.images, self.repeats = gpu, images, repeats
        self.out = gpu.alloc(OUT)
        self.data_size = data
        self.data = gpu.alloc(data)
        gpu.zero(self.data, data)
        self.functions, self.modules = {}, {}

    def module(self, name):
        image = self.images.where[name]
        if image not in self.modules:
            content = image.read_bytes()
            self.modules[image] = self.gpu.load(content + b"\0" if image.suffix == ".ptx" else content)
        return self.modules[image]

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = self.gpu.function(self.module(name), name)
        return self.functions[name]

    def start(self, name, threads, iterations, grid=1, a=0, b=0, data=None, shared=0):
        """Launches a ptx.Kernel without waiting for it."""
        f = self.function(name)
        if shared > 48 << 10:
            self.gpu.set_function(f, "max_dynamic_shared", shared)
        args = [cuda.u64(self.out), cuda.u64(self.data if data is None else data), cuda.u32(iterations),
                cuda.u32(a), cuda.u32(b), cuda.u32(0)]
        self.gpu.launch(f, grid, threads, args, shared)

    def records(self, name, threads, iterations, grid=1, **more):
        """Returns (first, last, sm) of every warp of one launch."""
        self.start(name, threads, iterations, grid, **more)
        self.gpu.sync()
        n = grid * max(threads // 32, 1)
        words = self.gpu.read(self.out, "Q", n * 3)
        return [(words[3 * i], words[3 * i + 1], words[3 * i + 2] & 0xFFFFFFFF) for i in range(n)]

    def cycles(self, name, threads, iterations, grid=1, **more):
        """Returns the cycles from an SM's first clock reading to its last: the median over the SMs, then over the
        repetitions."""
        got = []
        for i in range(self.repeats + 1):
            sms = collections.defaultdict(list)
            for first, last, sm in self.records(name, threads, iterations, grid, **more):
                sms[sm].append((first, last))
            got.append(statistics.median(max(r[1] for r in rs) - min(r[0] for r in rs) for rs in sms.values()))
        return statistics.median(got[1:])  # the first one warms the caches

    def slope(self, name, threads, low=16, high=48, grid=1, **more):
        """Returns the cycles of one iteration."""
        return (self.cycles(name, threads, high, grid, **more) - self.cycles(name, threads, low, grid, **more)) / (high - low)

    def latency(self, name, threads=32, low=16, high=48, **more):
        """Returns the cycles of one iteration of each warp's own loop: the median over the warps."""
        def one(n):
            got = [statistics.median(r[1] - r[0] for r in self.records(name, threads, n, **more)) for _ in range(self.repeats + 1)]
            return statistics.median(got[1:])
        return (one(high) - one(low)) / (high - low)


def pack(values, kind):
    """Packs values into slots of eight bytes."""
    t = {"u32": ctypes.c_uint32, "u64": ctypes.c_uint64, "f32": ctypes.c_float, "f64": ctypes.c_double}[kind]
    return b"".join(bytes(t(v)).ljust(8, b"\0") for v in values)
