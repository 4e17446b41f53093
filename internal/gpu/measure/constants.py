"""Constant and local memory."""

import array

import ptx
from chains import KB

CONSTANT = """
.const .align 256 .b8 table[65536];
"""


def kernels():
    for ilp in (1, 4):
        regs = "\n".join([f".reg .b32 x{i};" for i in range(ilp)] + [".reg .b64 own; .reg .b32 s;"])
        setup = "\n".join(["mov.u32 s, table; mad.wide.u32 own, lane, 4, data;"] + [f"ld.global.u32 x{i}, [own+{128 * i}]; add.u32 x{i}, x{i}, s;" for i in range(ilp)])
        body = "\n".join(f"    ld.const.u32 x{n % ilp}, [x{n % ilp}];" for n in range(32))
        yield ptx.Kernel(f"constant_i{ilp}", body, setup=setup, registers=regs, sink=[("u32", f"x{i}") for i in range(ilp)], module=CONSTANT)
    yield ptx.Kernel("local", "\n".join(["    ld.local.u32 x, [x];"] * 32), registers=".reg .b32 x, o; .local .align 16 .b8 depot[512];",
                     setup="mov.u32 o, depot; and.b32 x, a, 255; add.u32 x, x, o; st.local.u32 [x], x;", sink=[("u32", "x")])


def constants(b):
    address, size = b.gpu.variable(b.module("constant_i1"), "table")
    address4, _ = b.gpu.variable(b.module("constant_i4"), "table")
    rows = []
    def chain(bytes_, stride, lanes):
        table = array.array("I", [0] * (size // 4))
        n = bytes_ // stride
        for k in range(n):
            table[k * stride // 4] = (k + 1) % n * stride
        for lane in set(lanes):
            if table[lane // 4] == 0 and lane:
                table[lane // 4] = lane
        for at in (address, address4):
            b.gpu.write(at, table.tobytes())
        b.gpu.write(b.data, array.array("I", list(lanes) * 4).tobytes())
    for kb in (0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64):
        bytes_ = int(kb * KB)
        chain(bytes_, 64, [0] * 32)
        low = max(1, bytes_ // 64 // 32)
        rows.append(["chain of 64-byte steps", bytes_, f"{b.latency('constant_i1', low=2 * low, high=6 * low) / 32:.2f}", "", ""])
    for n in (1, 2, 3, 4, 8, 16, 32):
        for what, gap in (("different words of a line", 4), ("words 64 bytes apart", 64)):
            lanes = [(lane % n) * gap for lane in range(32)]
            chain(0 + 4, 4, lanes)
            rows.append([f"lanes at n {what}", n, f"{b.latency('constant_i1') / 32:.2f}", f"{b.slope('constant_i4', 128) / 32 / 4:.3f}", f"{b.slope('constant_i4', 1024) / 32 / 32:.3f}"])
    return rows


def parts(b):
    return [
        lambda: {"constants": ("cycles of ld.const whose result is the next address: one warp; 4 chains of 4 warps and of 32 warps per instruction", ["what", "n_or_bytes", "latency", "cycles_4_warps", "cycles_32_warps"], constants(b))},
        lambda: {"local": ("cycles of ld.local whose result is the next address", ["warps", "cycles"], [[w, f"{b.latency('local', 32 * w) / 32:.2f}"] for w in (1, 4)])},
    ]
