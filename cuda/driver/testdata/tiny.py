# RUN SEED=1
# RUN SEED=2 SIMTRUN_CHECK=race
# RUN SEED=3 SIMTRUN_FUNCTIONAL=0 ROUNDS=3
# RUN SEED=4 SIMTRUN_DIVERGENCE=stack
"""A client in the manner of tinygrad: ctypes, generated PTX, launches by `extra`, graphs whose parameters are set again.

Kernels are random; what they should do is worked out in Python, with float32 rounded after each operation.
"""

import ctypes
import os
import random
import struct
import sys

cuda = ctypes.CDLL("libcuda.so.1")
RANDOM = random.Random(int(os.environ.get("SEED", "1")))
HEAD = ".version 7.5\n.target sm_80\n.address_size 64\n"


def check(status):
    if status != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"error {status}: {text.value}")


def f32(v):
    return struct.unpack("f", struct.pack("f", v))[0]


class Buffer:
    """Memory of the device with elements of a format of struct."""

    def __init__(self, fmt, n):
        self.fmt, self.n, self.size = fmt, n, struct.calcsize(fmt) * n
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.size)))

    def write(self, values):
        data = struct.pack(f"{self.n}{self.fmt}", *values)
        check(cuda.cuMemcpyHtoDAsync_v2(self.address, data, ctypes.c_size_t(self.size), None))
        check(cuda.cuCtxSynchronize())
        return self

    def read(self):
        data = ctypes.create_string_buffer(self.size)
        check(cuda.cuMemcpyDtoH_v2(data, self.address, ctypes.c_size_t(self.size)))
        return list(struct.unpack(f"{self.n}{self.fmt}", data.raw))

    def free(self):
        check(cuda.cuMemFree_v2(self.address))


class Program:
    """A kernel; its parameters are addresses, then ints."""

    def __init__(self, name, text):
        module = ctypes.c_void_p()
        if (status := cuda.cuModuleLoadData(ctypes.byref(module), text.encode())) != 0:
            print(text)
            check(status)
        self.module, self.function = module, ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, name.encode()))

    def arguments(self, buffers, ints=()):
        """What `extra` points to; the object has to live as long as the launch."""
        fields = [(f"f{i}", ctypes.c_uint64) for i in range(len(buffers))] + [(f"v{i}", ctypes.c_int32) for i in range(len(ints))]
        block = type("Arguments", (ctypes.Structure,), {"_fields_": fields})(*[b.address.value for b in buffers], *ints)
        size = ctypes.c_size_t(ctypes.sizeof(block))
        extra = (ctypes.c_void_p * 5)(1, ctypes.cast(ctypes.byref(block), ctypes.c_void_p), 2, ctypes.cast(ctypes.byref(size), ctypes.c_void_p), 0)
        return block, size, extra

    def __call__(self, grid, block, *buffers, ints=()):
        kept = self.arguments(buffers, ints)
        check(cuda.cuLaunchKernel(self.function, *grid, *block, 0, None, None, kept[2]))
        check(cuda.cuCtxSynchronize())

    def unload(self):
        check(cuda.cuModuleUnload(self.module))


def signed(v):
    return (v & 0xFFFFFFFF) - ((v & 0x80000000) << 1)


# Operations by their PTX, and what they do.
INT_OPS = [
    ("add.s32", lambda a, b: a + b),
    ("sub.s32", lambda a, b: a - b),
    ("mul.lo.s32", lambda a, b: a * b),
    ("and.b32", lambda a, b: a & b),
    ("or.b32", lambda a, b: a | b),
    ("xor.b32", lambda a, b: a ^ b),
    ("min.s32", min),
    ("max.s32", max),
]
FLOAT_OPS = [
    ("add.f32", lambda a, b: f32(a + b)),
    ("sub.f32", lambda a, b: f32(a - b)),
    ("mul.f32", lambda a, b: f32(a * b)),
    ("min.f32", min),
    ("max.f32", max),
]


def elementwise(is_float):
    """A random expression of three inputs, one element a thread; then a comparison and a selection."""
    n, threads = RANDOM.randrange(1, 300), RANDOM.choice([32, 64, 96])
    kind, fmt, load = ("f32", "f", lambda: f32(RANDOM.uniform(-4, 4))) if is_float else ("s32", "i", lambda: signed(RANDOM.getrandbits(32)))
    inputs = [[load() for _ in range(n)] for _ in range(3)]
    lines, values = [], [list(v) for v in inputs]
    for _ in range(RANDOM.randrange(1, 25)):
        op, do = RANDOM.choice(FLOAT_OPS if is_float else INT_OPS)
        a, b = RANDOM.randrange(len(values)), RANDOM.randrange(len(values))
        lines.append(f"{op} %v{len(values)}, %v{a}, %v{b};")
        values.append([do(x, y) if is_float else signed(do(x, y)) for x, y in zip(values[a], values[b])])
    a, b, c, d = (RANDOM.randrange(len(values)) for _ in range(4))
    lines += [f"setp.lt.{kind} %p1, %v{a}, %v{b};", f"selp.b32 %v{len(values)}, %v{c}, %v{d}, %p1;"]
    values.append([z if x < y else w for x, y, z, w in zip(values[a], values[b], values[c], values[d])])
    loads = "".join(f"ld.param.u64 %d{i}, [data{i}];\nadd.s64 %d{i}, %d{i}, %d9;\n" for i in range(4))
    text = f"""{HEAD}.visible .entry E(.param .u64 data0, .param .u64 data1, .param .u64 data2, .param .u64 data3, .param .s32 n)
{{
.reg .{"f32" if is_float else "b32"} %v<{len(values)}>;
.reg .b64 %d<10>;
.reg .b32 %i<4>;
.reg .pred %p<2>;
mov.u32 %i0, %ctaid.x;
mov.u32 %i1, %tid.x;
mad.lo.s32 %i0, %i0, {threads}, %i1;
ld.param.s32 %i2, [n];
setp.ge.s32 %p0, %i0, %i2;
@%p0 bra END;
mul.wide.s32 %d9, %i0, 4;
{loads}{"".join(f"ld.global.{kind} %v{i}, [%d{i + 1}+0];{chr(10)}" for i in range(3))}{chr(10).join(lines)}
st.global.{kind} [%d0+0], %v{len(values) - 1};
END:
ret;
}}"""
    program, buffers = Program("E", text), [Buffer(fmt, n)] + [Buffer(fmt, n).write(v) for v in inputs]
    program(((n + threads - 1) // threads, 1, 1), (threads, 1, 1), *buffers, ints=(n,))
    compare("elementwise", buffers[0].read(), values[-1])
    for b in buffers:
        b.free()
    program.unload()


def reduction():
    """Each CTA adds `per` numbers a thread, then those of its threads in shared memory, which the first adds in their order."""
    threads, per, ctas = RANDOM.choice([16, 32, 64, 128]), RANDOM.randrange(1, 20), RANDOM.randrange(1, 6)
    n = threads * per * ctas
    data = [f32(RANDOM.uniform(-1, 1)) for _ in range(n)]
    text = f"""{HEAD}.visible .entry R(.param .u64 data0, .param .u64 data1)
{{
.reg .f32 %f<4>;
.reg .b64 %d<8>;
.reg .b32 %i<8>;
.reg .pred %p<3>;
.shared .align 16 .b8 local0[{4 * threads}];
mov.u64 %d2, local0[0];
ld.param.u64 %d0, [data0];
ld.param.u64 %d1, [data1];
mov.u32 %i0, %ctaid.x;
mov.u32 %i1, %tid.x;
mad.lo.s32 %i2, %i0, {threads}, %i1;
mul.lo.s32 %i2, %i2, {per};
mul.wide.s32 %d3, %i2, 4;
add.s64 %d3, %d1, %d3;
mov.f32 %f0, 0f00000000;
mov.u32 %i3, 0;
LOOP0:
mul.wide.s32 %d4, %i3, 4;
add.s64 %d4, %d3, %d4;
ld.global.f32 %f1, [%d4+0];
add.f32 %f0, %f0, %f1;
add.s32 %i3, %i3, 1;
setp.lt.s32 %p0, %i3, {per};
@%p0 bra LOOP0;
mul.wide.s32 %d5, %i1, 4;
add.s64 %d5, %d2, %d5;
st.shared.f32 [%d5+0], %f0;
bar.sync 0;
setp.ne.s32 %p1, %i1, 0;
@%p1 bra END;
mov.f32 %f2, 0f00000000;
mov.u32 %i4, 0;
LOOP1:
mul.wide.s32 %d6, %i4, 4;
add.s64 %d6, %d2, %d6;
ld.shared.f32 %f3, [%d6+0];
add.f32 %f2, %f2, %f3;
add.s32 %i4, %i4, 1;
setp.lt.s32 %p2, %i4, {threads};
@%p2 bra LOOP1;
mul.wide.s32 %d7, %i0, 4;
add.s64 %d7, %d0, %d7;
st.global.f32 [%d7+0], %f2;
END:
ret;
}}"""
    want = []
    for c in range(ctas):
        total = 0.0
        for t in range(threads):
            part = 0.0
            for v in data[(c * threads + t) * per :][:per]:
                part = f32(part + v)
            total = f32(total + part)
        want.append(total)
    program, out, source = Program("R", text), Buffer("f", ctas), Buffer("f", n).write(data)
    program((ctas, 1, 1), (threads, 1, 1), out, source)
    compare("reduction", out.read(), want)
    out.free()
    source.free()
    program.unload()


def matmul_text(m, n, k):
    """C of m x n, in tiles of 8 x 8 by way of shared memory."""
    return f"""{HEAD}.visible .entry M(.param .u64 data0, .param .u64 data1, .param .u64 data2)
{{
.reg .f32 %f<4>;
.reg .b64 %d<16>;
.reg .b32 %i<16>;
.reg .pred %p<3>;
.shared .align 16 .b8 local0[256];
.shared .align 16 .b8 local1[256];
mov.u64 %d0, local0[0];
mov.u64 %d1, local1[0];
ld.param.u64 %d2, [data0];
ld.param.u64 %d3, [data1];
ld.param.u64 %d4, [data2];
mov.u32 %i0, %ctaid.x;
mov.u32 %i1, %ctaid.y;
mov.u32 %i2, %tid.x;
mov.u32 %i3, %tid.y;
shl.b32 %i4, %i1, 3;
add.s32 %i4, %i4, %i3;
shl.b32 %i5, %i0, 3;
add.s32 %i5, %i5, %i2;
shl.b32 %i6, %i3, 3;
add.s32 %i6, %i6, %i2;
mul.wide.s32 %d5, %i6, 4;
add.s64 %d6, %d0, %d5;
add.s64 %d7, %d1, %d5;
mov.f32 %f0, 0f00000000;
mov.u32 %i7, 0;
LOOP0:
mad.lo.s32 %i8, %i4, {k}, %i7;
add.s32 %i8, %i8, %i2;
mul.wide.s32 %d8, %i8, 4;
add.s64 %d8, %d3, %d8;
ld.global.f32 %f1, [%d8+0];
st.shared.f32 [%d6+0], %f1;
add.s32 %i9, %i7, %i3;
mad.lo.s32 %i9, %i9, {n}, %i5;
mul.wide.s32 %d9, %i9, 4;
add.s64 %d9, %d4, %d9;
ld.global.f32 %f1, [%d9+0];
st.shared.f32 [%d7+0], %f1;
bar.sync 0;
mov.u32 %i10, 0;
LOOP1:
shl.b32 %i11, %i3, 3;
add.s32 %i11, %i11, %i10;
mul.wide.s32 %d10, %i11, 4;
add.s64 %d10, %d0, %d10;
ld.shared.f32 %f1, [%d10+0];
shl.b32 %i12, %i10, 3;
add.s32 %i12, %i12, %i2;
mul.wide.s32 %d11, %i12, 4;
add.s64 %d11, %d1, %d11;
ld.shared.f32 %f2, [%d11+0];
mul.rn.f32 %f3, %f1, %f2;
add.rn.f32 %f0, %f0, %f3;
add.s32 %i10, %i10, 1;
setp.lt.s32 %p0, %i10, 8;
@%p0 bra LOOP1;
bar.sync 0;
add.s32 %i7, %i7, 8;
setp.lt.s32 %p1, %i7, {k};
@%p1 bra LOOP0;
mad.lo.s32 %i13, %i4, {n}, %i5;
mul.wide.s32 %d12, %i13, 4;
add.s64 %d12, %d2, %d12;
st.global.f32 [%d12+0], %f0;
ret;
}}"""


def product(a, b, m, n, k):
    out = []
    for y in range(m):
        for x in range(n):
            total = 0.0
            for i in range(k):
                total = f32(total + f32(a[y * k + i] * b[i * n + x]))
            out.append(total)
    return out


def matmul():
    m, n, k = (8 * RANDOM.randrange(1, 4) for _ in range(3))
    a, b = ([f32(RANDOM.uniform(-1, 1)) for _ in range(size)] for size in (m * k, k * n))
    program, buffers = Program("M", matmul_text(m, n, k)), [Buffer("f", m * n), Buffer("f", m * k).write(a), Buffer("f", k * n).write(b)]
    program((n // 8, m // 8, 1), (8, 8, 1), *buffers)
    compare("matrix product", buffers[0].read(), product(a, b, m, n, k))
    for buffer in buffers:
        buffer.free()
    program.unload()


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS_v1"""

    _fields_ = [("func", ctypes.c_void_p)] + [(n, ctypes.c_uint) for n in ("gx", "gy", "gz", "bx", "by", "bz", "shared")] + [("params", ctypes.c_void_p), ("extra", ctypes.c_void_p)]


class Memcpy3D(ctypes.Structure):
    """CUDA_MEMCPY3D"""

    _fields_ = [
        *[(n, ctypes.c_size_t) for n in ("src_x", "src_y", "src_z", "src_lod")], ("src_type", ctypes.c_uint), ("src_host", ctypes.c_void_p),
        ("src_device", ctypes.c_uint64), ("src_array", ctypes.c_void_p), ("reserved0", ctypes.c_void_p), ("src_pitch", ctypes.c_size_t), ("src_height", ctypes.c_size_t),
        *[(n, ctypes.c_size_t) for n in ("dst_x", "dst_y", "dst_z", "dst_lod")], ("dst_type", ctypes.c_uint), ("dst_host", ctypes.c_void_p),
        ("dst_device", ctypes.c_uint64), ("dst_array", ctypes.c_void_p), ("reserved1", ctypes.c_void_p), ("dst_pitch", ctypes.c_size_t), ("dst_height", ctypes.c_size_t),
        ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t),
    ]  # fmt: skip


def copy_of(dst, src):
    """A copy of a buffer of the device to another."""
    return Memcpy3D(src_type=2, src_device=src.address.value, src_pitch=src.size, src_height=1, dst_type=2, dst_device=dst.address.value, dst_pitch=src.size, dst_height=1, width=src.size, height=1, depth=1)


SCALE = HEAD + """.visible .entry S(.param .u64 data0, .param .u64 data1, .param .s32 by)
{
.reg .b64 %d<3>;
.reg .b32 %i<3>;
ld.param.u64 %d0, [data0];
ld.param.u64 %d1, [data1];
ld.param.s32 %i1, [by];
mov.u32 %i0, %tid.x;
mul.wide.s32 %d2, %i0, 4;
add.s64 %d0, %d0, %d2;
add.s64 %d1, %d1, %d2;
ld.global.s32 %i2, [%d1+0];
mad.lo.s32 %i2, %i2, %i1, %i0;
st.global.s32 [%d0+0], %i2;
ret;
}"""


def graphs():
    """A chain of kernels and copies in a graph; each launch has other buffers and numbers, which are set in between."""
    n, program = 32, Program("S", SCALE)
    buffers = [Buffer("i", n) for _ in range(4)]
    graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuGraphCreate(ctypes.byref(graph), 0))
    steps, previous, kept = [], None, []

    def parameters(kind):
        dst, src, by = RANDOM.choice(buffers), RANDOM.choice(buffers), RANDOM.randrange(-3, 4)
        if kind == "copy":
            return (dst, src, by), copy_of(dst, src), None
        arguments = program.arguments((dst, src), (by,))
        node = KernelNode(program.function, 1, 1, 1, n, 1, 1, 0, None, ctypes.cast(arguments[2], ctypes.c_void_p))
        return (dst, src, by), node, arguments

    for _ in range(RANDOM.randrange(2, 12)):
        kind = RANDOM.choice(["copy", "kernel", "kernel"])
        what, params, arguments = parameters(kind)
        node, deps = ctypes.c_void_p(), (ctypes.c_void_p * 1)(previous) if previous else None
        if kind == "copy":
            check(cuda.cuGraphAddMemcpyNode(ctypes.byref(node), graph, deps, ctypes.c_size_t(1 if deps else 0), ctypes.byref(params), None))
        else:
            check(cuda.cuGraphAddKernelNode(ctypes.byref(node), graph, deps, ctypes.c_size_t(1 if deps else 0), ctypes.byref(params)))
        previous = node.value
        kept.append((params, arguments))
        steps.append([kind, node, what])
    check(cuda.cuGraphInstantiate_v2(ctypes.byref(instance), graph, None, None, ctypes.c_size_t(0)))
    for _ in range(4):
        state = {id(b): [RANDOM.randrange(-9, 10) for _ in range(n)] for b in buffers}
        for b in buffers:
            b.write(state[id(b)])
        for kind, _, (dst, src, by) in steps:
            state[id(dst)] = list(state[id(src)]) if kind == "copy" else [signed(v * by + i) for i, v in enumerate(state[id(src)])]
        check(cuda.cuGraphLaunch(instance, None))
        check(cuda.cuCtxSynchronize())
        for b in buffers:
            compare("graph", b.read(), state[id(b)])
        for step in RANDOM.sample(steps, RANDOM.randrange(len(steps) + 1)):
            step[2], params, arguments = parameters(step[0])
            kept.append((params, arguments))
            if step[0] == "copy":
                check(cuda.cuGraphExecMemcpyNodeSetParams(instance, step[1], ctypes.byref(params), None))
            else:
                check(cuda.cuGraphExecKernelNodeSetParams(instance, step[1], ctypes.byref(params)))
    check(cuda.cuGraphExecDestroy(instance))
    check(cuda.cuGraphDestroy(graph))
    for b in buffers:
        b.free()
    program.unload()


FAILED = []


def compare(what, got, want):
    if got != want:
        wrong = [i for i in range(len(want)) if got[i] != want[i]]
        print(f"{what}: {len(wrong)} of {len(want)} differ, first [{wrong[0]}]: {got[wrong[0]]}, want {want[wrong[0]]}" if wrong else f"{what}: NaN")
        FAILED.append(what)


def main():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    major, minor = ctypes.c_int(), ctypes.c_int()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
    check(cuda.cuDeviceComputeCapability(ctypes.byref(major), ctypes.byref(minor), device))
    for _ in range(int(os.environ.get("ROUNDS", "15"))):
        elementwise(False)
        elementwise(True)
        reduction()
        matmul()
        graphs()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    check(cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)))
    if free.value != total.value:
        print(f"{total.value - free.value} bytes are not free")
        FAILED.append("memory")
    check(cuda.cuCtxDestroy_v2(context))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
