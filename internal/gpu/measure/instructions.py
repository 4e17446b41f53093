"""Latency and throughput of arithmetic, conversions and warp-level operations."""

import bench
import ptx

# An operation on a chain: its steps change register x (and y), with opaque constants c0 to c3, and opaque predicates
# q, which is false, and r, which is true. Steps are used in turn. Names in braces get the chain's number.
#   name, type of the chain, steps, first value of x, y, c0, c1, c2, c3
OPERATIONS = []


def op(name, kind, *steps, values=None):
    default = {
        "u32": (3, 5, 7, 11, 13, 17), "u64": (3, 5, 7, 11, 13, 17),
        "f32": (1.25, 0.75, 1.0001, 0.5, 1.5, 2.5), "f64": (1.25, 0.75, 1.0001, 0.5, 1.5, 2.5),
        "f16x2": (0x3D003D00, 0x3A003A00, 0x3C003C00, 0x38003800, 0x3E003E00, 0x41004100),
    }[kind]
    OPERATIONS.append((name, kind, steps, values or default))


# 32-bit integers
op("add.s32", "u32", "add.s32 {x}, {x}, {y};", "add.s32 {y}, {y}, {x};")
op("add.s32 twice", "u32", "add.s32 {t}, {x}, {y}; add.s32 {x}, {t}, c0;", "add.s32 {t}, {y}, {x}; add.s32 {y}, {t}, c1;")
op("lop3.b32", "u32", "lop3.b32 {x}, {x}, c0, c1, 0x2d;", "lop3.b32 {x}, {x}, c2, c3, 0x78;")
op("shl.b32", "u32", "shl.b32 {x}, {x}, c0;")
op("shr.u32", "u32", "shr.u32 {x}, {x}, c0;")
op("shr.s32", "u32", "shr.s32 {x}, {x}, c0;")
op("shf.l.wrap.b32", "u32", "shf.l.wrap.b32 {x}, {x}, {y}, c0;", "shf.l.wrap.b32 {y}, {y}, {x}, c1;")
op("mul.lo.s32", "u32", "mul.lo.s32 {x}, {x}, c0;")
op("mul.hi.u32", "u32", "mul.hi.u32 {x}, {x}, c0;")
op("mul.hi.s32", "u32", "mul.hi.s32 {x}, {x}, c0;")
op("mul24.lo.u32", "u32", "mul24.lo.u32 {x}, {x}, c0;")
op("mad.lo.s32", "u32", "mad.lo.s32 {x}, {x}, c0, c1;")
op("mad.hi.u32", "u32", "mad.hi.u32 {x}, {x}, c0, c1;")
op("mad.wide.u32", "u64", "cvt.u32.u64 {t}, {x}; mad.wide.u32 {x}, {t}, w0, {x};")
op("min+max.s32", "u32", "min.s32 {x}, {x}, c0;", "max.s32 {x}, {x}, c1;")
op("sad.u32", "u32", "sad.u32 {x}, c0, {x}, c1;")
op("abs+sub.s32", "u32", "abs.s32 {t}, {x}; sub.s32 {x}, {t}, c0;")
op("setp.lt.s32 + selp", "u32", "setp.lt.s32 {p}, {x}, c0; selp.b32 {x}, c1, {x}, {p};")
op("setp.lt.xor.s32", "u32", "setp.lt.xor.s32 {p}, {x}, c0, {p};", "setp.lt.xor.s32 {p}, {x}, c1, {p};")
op("selp.b32", "u32", "selp.b32 {x}, c0, {x}, q;", "selp.b32 {x}, c1, {x}, r;")
op("prmt.b32", "u32", "prmt.b32 {x}, {x}, {y}, c0;", "prmt.b32 {y}, {y}, {x}, c1;")
op("bfe.u32", "u32", "bfe.u32 {x}, {x}, c0, c1;", values=(-1, 5, 1, 31, 0, 0))
op("bfe.s32", "u32", "bfe.s32 {x}, {x}, c0, c1;", values=(-1, 5, 1, 31, 0, 0))
op("bfi.b32", "u32", "bfi.b32 {x}, {x}, {y}, c0, c1;", "bfi.b32 {y}, {y}, {x}, c0, c1;")
op("popc.b32", "u32", "popc.b32 {x}, {x};")
op("clz.b32", "u32", "clz.b32 {x}, {x};")
op("bfind.u32", "u32", "bfind.u32 {x}, {x};")
op("brev.b32 + lop3", "u32", "brev.b32 {t}, {x}; lop3.b32 {x}, {t}, c0, c1, 0x2d;")
op("dp4a.u32.u32", "u32", "dp4a.u32.u32 {x}, {x}, c0, c1;")
op("dp2a.lo.u32.u32", "u32", "dp2a.lo.u32.u32 {x}, {x}, c0, c1;")
op("div.u32", "u32", "div.u32 {x}, c0, {x};", values=(1001, 0, 1000003, 0, 0, 0))
op("div.s32", "u32", "div.s32 {x}, c0, {x};", values=(1001, 0, 1000003, 0, 0, 0))
op("rem.u32 + or", "u32", "rem.u32 {x}, c0, {x}; or.b32 {x}, {x}, c1;", values=(1001, 0, 1000003, 512, 0, 0))
op("rem.s32 + or", "u32", "rem.s32 {x}, c0, {x}; or.b32 {x}, {x}, c1;", values=(1001, 0, 1000003, 512, 0, 0))

# 64-bit integers
op("add.s64", "u64", "add.s64 {x}, {x}, {y};", "add.s64 {y}, {y}, {x};")
op("and+or.b64", "u64", "and.b64 {t64}, {x}, {y}; or.b64 {x}, {t64}, w0;", "and.b64 {t64}, {y}, {x}; or.b64 {y}, {t64}, w1;")
op("mul.lo.s64", "u64", "mul.lo.s64 {x}, {x}, w0;")
op("mad.lo.s64", "u64", "mad.lo.s64 {x}, {x}, w0, w1;")
op("mul.hi.u64", "u64", "mul.hi.u64 {x}, {x}, w0;")
op("shl.b64", "u64", "shl.b64 {x}, {x}, c0;")
op("shr.s64", "u64", "shr.s64 {x}, {x}, c0;")
op("min+max.s64", "u64", "min.s64 {x}, {x}, w0;", "max.s64 {x}, {x}, w1;")
op("setp.lt.s64 + selp", "u64", "setp.lt.s64 {p}, {x}, w0; selp.b64 {x}, w1, {x}, {p};")
op("popc.b64", "u64", "popc.b64 {t}, {x}; cvt.u64.u32 {x}, {t};")
op("div.u64 small", "u64", "div.u64 {x}, w0, {x};", values=(1001, 0, 1000003, 0, 0, 0))
op("div.u64 large", "u64", "div.u64 {x}, w0, {x};", values=(1 << 33, 0, (1 << 62) + 12345, 0, 0, 0))
op("div.s64 large", "u64", "div.s64 {x}, w0, {x};", values=(1 << 33, 0, (1 << 62) + 12345, 0, 0, 0))
op("rem.u64 large + or", "u64", "rem.u64 {x}, w0, {x}; or.b64 {x}, {x}, w1;", values=(1 << 33, 0, (1 << 62) + 12345, 1 << 33, 0, 0))

# f32
op("add.f32", "f32", "add.f32 {x}, {x}, c0;")
op("mul.f32", "f32", "mul.f32 {x}, {x}, c0;")
op("fma.rn.f32", "f32", "fma.rn.f32 {x}, {x}, c0, c1;")
op("add.rz.f32", "f32", "add.rz.f32 {x}, {x}, c0;")
op("min+max.f32", "f32", "min.f32 {x}, {x}, c0;", "max.f32 {x}, {x}, c1;")
op("abs+sub.f32", "f32", "abs.f32 {f}, {x}; sub.f32 {x}, {f}, c0;")
op("setp.lt.f32 + selp", "f32", "setp.lt.f32 {p}, {x}, c0; selp.f32 {x}, c1, {x}, {p};")
op("rcp.approx.ftz.f32 + add", "f32", "rcp.approx.ftz.f32 {f}, {x}; add.f32 {x}, {f}, c0;")
op("rcp.approx.f32 + add", "f32", "rcp.approx.f32 {f}, {x}; add.f32 {x}, {f}, c0;")
op("rcp.rn.f32 + add", "f32", "rcp.rn.f32 {f}, {x}; add.f32 {x}, {f}, c0;")
op("div.approx.f32", "f32", "div.approx.f32 {x}, c0, {x};")
op("div.full.f32", "f32", "div.full.f32 {x}, c0, {x};")
op("div.rn.f32", "f32", "div.rn.f32 {x}, c0, {x};")
op("sqrt.approx.ftz.f32", "f32", "sqrt.approx.ftz.f32 {x}, {x};")
op("sqrt.approx.f32", "f32", "sqrt.approx.f32 {x}, {x};")
op("sqrt.rn.f32", "f32", "sqrt.rn.f32 {x}, {x};")
op("rsqrt.approx.ftz.f32", "f32", "rsqrt.approx.ftz.f32 {x}, {x};")
op("rsqrt.approx.f32", "f32", "rsqrt.approx.f32 {x}, {x};")
op("sin.approx.ftz.f32", "f32", "sin.approx.ftz.f32 {x}, {x};")
op("cos.approx.ftz.f32", "f32", "cos.approx.ftz.f32 {x}, {x};")
op("lg2.approx.ftz.f32", "f32", "lg2.approx.ftz.f32 {x}, {x};")
op("lg2.approx.f32", "f32", "lg2.approx.f32 {x}, {x};")
op("ex2.approx.ftz.f32", "f32", "ex2.approx.ftz.f32 {x}, {x};")
op("ex2.approx.f32", "f32", "ex2.approx.f32 {x}, {x};")
op("tanh.approx.f32", "f32", "tanh.approx.f32 {x}, {x};")

# f16 and bf16
op("add.f16x2", "f16x2", "add.rn.f16x2 {x}, {x}, c0;")
op("mul.f16x2", "f16x2", "mul.rn.f16x2 {x}, {x}, c0;")
op("fma.rn.f16x2", "f16x2", "fma.rn.f16x2 {x}, {x}, c0, c1;")
op("fma.rn.bf16x2", "f16x2", "fma.rn.bf16x2 {x}, {x}, c0, c1;")
op("min+max.f16x2", "f16x2", "min.f16x2 {x}, {x}, c0;", "max.f16x2 {x}, {x}, c1;")
op("ex2.approx.f16x2", "f16x2", "ex2.approx.f16x2 {x}, {x};")
op("tanh.approx.f16x2", "f16x2", "tanh.approx.f16x2 {x}, {x};")

# f64
op("add.f64", "f64", "add.f64 {x}, {x}, c0;")
op("mul.f64", "f64", "mul.f64 {x}, {x}, c0;")
op("fma.rn.f64", "f64", "fma.rn.f64 {x}, {x}, c0, c1;")
op("min+max.f64", "f64", "min.f64 {x}, {x}, c0;", "max.f64 {x}, {x}, c1;")
op("setp.lt.f64 + selp", "f64", "setp.lt.f64 {p}, {x}, c0; selp.f64 {x}, c1, {x}, {p};")
op("setp.lt.xor.f64", "f64", "setp.lt.xor.f64 {p}, {x}, c0, {p};", "setp.lt.xor.f64 {p}, {x}, c1, {p};")
op("rcp.approx.ftz.f64", "f64", "rcp.approx.ftz.f64 {x}, {x};")
op("rsqrt.approx.ftz.f64", "f64", "rsqrt.approx.ftz.f64 {x}, {x};")
op("rcp.rn.f64", "f64", "rcp.rn.f64 {x}, {x};")
op("div.rn.f64", "f64", "div.rn.f64 {x}, c0, {x};")
op("sqrt.rn.f64", "f64", "sqrt.rn.f64 {x}, {x};")

# Conversions. Reading the result's bits as the next operand costs nothing.
op("cvt.rn.f32.s32", "u32", "cvt.rn.f32.s32 {f}, {x}; mov.b32 {x}, {f};")
op("cvt.rn.f32.u8", "u32", "{{.reg .b16 l; cvt.u16.u32 l, {x}; cvt.rn.f32.u8 {f}, l; mov.b32 {x}, {f};}}")
op("cvt.rzi.s32.f32", "f32", "cvt.rzi.s32.f32 {t}, {x}; mov.b32 {x}, {t};")
op("cvt.rni.f32.f32 + add", "f32", "cvt.rni.f32.f32 {f}, {x}; add.f32 {x}, {f}, c0;")
op("cvt.rn.f16x2.f32", "u32", "mov.b32 {f}, {x}; cvt.rn.f16x2.f32 {x}, {f}, g0;")
op("cvt.rn.bf16x2.f32", "u32", "mov.b32 {f}, {x}; cvt.rn.bf16x2.f32 {x}, {f}, g0;")
op("cvt.f32.f16", "f16x2", "{{.reg .b16 l, h; mov.b32 {{l, h}}, {x}; cvt.f32.f16 {f}, l; mov.b32 {x}, {f};}}")
op("cvt.rn.f16.f32 + cvt.f32.f16", "f32", "{{.reg .b16 l; cvt.rn.f16.f32 l, {x}; cvt.f32.f16 {x}, l;}}")
op("cvt.f64.f32 + cvt.rn.f32.f64", "f32", "cvt.f64.f32 {d}, {x}; cvt.rn.f32.f64 {x}, {d};")
op("cvt.rn.f64.s32 + cvt.rzi.s32.f64", "u32", "cvt.rn.f64.s32 {d}, {x}; cvt.rzi.s32.f64 {x}, {d};")
op("cvt.rn.f64.s64", "u64", "cvt.rn.f64.s64 {d}, {x}; mov.b64 {x}, {d};")
op("cvt.rzi.s64.f64", "f64", "cvt.rzi.s64.f64 {t64}, {x}; mov.b64 {x}, {t64};")
op("cvt.rn.f32.s64", "u64", "cvt.rn.f32.s64 {f}, {x}; mov.b32 {t}, {f}; mov.b64 {x}, {{{t}, {t}}};")
op("cvt.s32.s8 + add", "u32", "add.s32 {t}, {x}, c0; cvt.s32.s8 {x}, {t};")

# Between the lanes of a warp
op("shfl.sync.bfly.b32", "u32", "shfl.sync.bfly.b32 {x}, {x}, 1, 31, -1;")
op("shfl.sync.idx.b32", "u32", "shfl.sync.idx.b32 {x}, {x}, c0, 31, -1;")
op("shfl.sync.idx.b32 own index", "u32", "shfl.sync.idx.b32 {x}, {x}, {x}, 31, -1;")
op("shfl.sync.up.b32", "u32", "shfl.sync.up.b32 {x}, {x}, 1, 0, -1;")
op("setp + vote.sync.ballot", "u32", "setp.ne.u32 {p}, {x}, c0; vote.sync.ballot.b32 {x}, {p}, -1;")
op("vote.sync.any.pred", "u32", "vote.sync.any.pred {p}, !{p}, -1;")
op("match.any.sync.b32", "u32", "match.any.sync.b32 {x}, {x}, -1;")
op("match.any.sync.b32 32 values", "u32", "xor.b32 {t}, {x}, lane; match.any.sync.b32 {x}, {t}, -1;")
op("match.all.sync.b32", "u32", "match.all.sync.b32 {x}, {x}, -1;")
op("redux.sync.add.s32", "u32", "redux.sync.add.s32 {x}, {x}, -1;")
op("redux.sync.min.u32", "u32", "redux.sync.min.u32 {x}, {x}, -1;")
op("redux.sync.or.b32", "u32", "redux.sync.or.b32 {x}, {x}, -1;")
op("bar.warp.sync full", "u32", "bar.warp.sync -1;")
op("bar.warp.sync register", "u32", "bar.warp.sync c0;", values=(3, 5, -1, 11, 13, 17))
op("clock + add", "u32", "mov.u32 {t}, %clock; add.s32 {x}, {x}, {t};")
op("clock64 + add", "u64", "mov.u64 {t64}, %clock64; add.s64 {x}, {x}, {t64};")
op("globaltimer + add", "u64", "mov.u64 {t64}, %globaltimer; add.s64 {x}, {x}, {t64};")

# The remaining cost of an instruction with a false guard
op("@false fma.rn.f32", "f32", "@q fma.rn.f32 {x}, {x}, c0, c1;")
op("@false ex2.approx.ftz.f32", "f32", "@q ex2.approx.ftz.f32 {x}, {x};")
op("@false fma.rn.f64", "f64", "@q fma.rn.f64 {x}, {x}, c0, c1;")

# Matrices: one warp's 16x8x16 product, f16 in and f32 or f16 accumulators
op("mma.m16n8k16.f32.f16", "f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{x}, {m1}, {m2}, {m3}}}, {{k0, k1, k2, k3}}, {{k0, k1}}, {{{x}, {m1}, {m2}, {m3}}};")
op("mma.m16n8k16.f16.f16", "u32", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{{x}, {y}}}, {{k0, k1, k2, k3}}, {{k0, k1}}, {{{x}, {y}}};")

# Loops have fewer operations in their body if one takes many instructions.
LONG = ("div.", "rem.", "sqrt.rn", "rcp.rn", "match.any", "mma", "cvt.rzi.s64", "cvt.rn.f64.s64", "cvt.rn.f32.s64", "globaltimer")


def sizes(name):
    return (16, 48) if name.startswith(LONG) or "+ cvt.rzi.s32.f64" in name else (64, 192)


def ident(name):
    return "".join(ch if ch.isalnum() else "_" for ch in name.replace("@", "no_"))


FIRST = 64  # offset of the chains' values, after the constants


def chain(name, kind, steps, ilp, count, constants=""):
    """Returns the text of a body of count steps in ilp chains, the registers, and the setup."""
    reg = {"u32": "b32", "f16x2": "b32", "u64": "b64", "f32": "f32", "f64": "f64"}[kind]
    load = {"b32": "u32", "b64": "u64"}.get(reg, reg)
    regs = [f".reg .{reg} x{i}, y{i}; .reg .b32 t{i}; .reg .b64 u{i}; .reg .f32 f{i}, m{i}_1, m{i}_2, m{i}_3; .reg .f64 d{i}; .reg .pred p{i};" for i in range(ilp)]
    regs.append(".reg .b64 own; .reg .b32 lanea, lq; .reg .f32 g0; .reg .b32 k0, k1, k2, k3; .reg .pred q, r;")
    setup = ["and.b32 lanea, lane, a; mad.wide.u32 own, lanea, 4, data;"]
    setup += [f"ld.global.{load} x{i}, [own+{FIRST + 16 * i}]; ld.global.{load} y{i}, [own+{FIRST + 8 + 16 * i}]; ld.global.u32 t{i}, [own]; setp.eq.u32 p{i}, t{i}, 1234; mov.f32 m{i}_1, 0f00000000; mov.f32 m{i}_2, 0f00000000; mov.f32 m{i}_3, 0f00000000;" for i in range(ilp)]
    # a is 0, but the assembler does not know this: for it, values differ between lanes and between chains.
    # Constants of the chain's type are c0 to c3; of 64-bit chains w0 and w1, and c0 and c1 are their lower halves.
    if kind == "u64":
        regs.append(".reg .b64 w0, w1; .reg .b32 c0, c1;")
        setup += ["ld.global.u64 w0, [own+16]; ld.global.u64 w1, [own+24]; ld.global.u32 c0, [own+16]; ld.global.u32 c1, [own+24];"]
        if name == "mad.wide.u32":
            regs[-1] = ".reg .b32 w0, w1, c0, c1;"
            setup[-1] = setup[-1].replace("u64 w", "u32 w")
    else:
        regs.append(f".reg .{reg} c0, c1, c2, c3;")
        setup += [f"ld.global.{load} c{j}, [own+{16 + 8 * j}];" for j in range(4)]
    setup += ["ld.global.f32 g0, [own+48];", *[f"ld.global.u32 k{j}, [own+{48 + 4 * j}];" for j in range(4)],
              "ld.global.u32 lq, [own+8]; setp.eq.u32 q, lq, 1234; setp.ne.u32 r, lq, 1234;"]
    body = []
    for n in range(count):
        i, turn = n % ilp, n // ilp
        body.append("    " + steps[turn % len(steps)].format(
            x=f"x{i}", y=f"y{i}", t=f"t{i}", t64=f"u{i}", f=f"f{i}", d=f"d{i}", p=f"p{i}", m1=f"m{i}_1", m2=f"m{i}_2", m3=f"m{i}_3"))
    after = "\n".join(f"    .reg .b32 s{i}; selp.u32 s{i}, 1, 0, p{i};" for i in range(ilp))
    sink = [(load, f"x{i}") for i in range(ilp)] + [(load, f"y{i}") for i in range(ilp)] + [("u32", f"s{i}") for i in range(ilp)]
    if name.startswith("mma"):
        sink += [("f32", f"m{i}_{j}") for i in range(ilp) for j in (1, 2, 3)]
    return dict(body="\n".join(body), registers="\n".join(regs), setup="\n".join(setup), sink=sink, after=after)


WARPS = (1, 2, 4, 8, 16, 32)
HIDING = ("add.s32 twice", "fma.rn.f32", "mad.lo.s32", "ex2.approx.ftz.f32", "fma.rn.f64", "shfl.sync.bfly.b32", "add.f16x2")
HIDING_WARPS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 28, 32)


def kernels():
    for name, kind, steps, _ in OPERATIONS:
        for ilp in (1, 2, 4) if name in HIDING else (1, 4):
            for count in sizes(name):
                yield ptx.Kernel(f"{ident(name)}_i{ilp}_n{count}", **chain(name, kind, steps, ilp, count))


def constants(b, kind, values):
    """Writes a chain's values, and those of other types, to the buffer."""
    kind = "u32" if kind == "f16x2" else kind
    mask = 0xFFFFFFFF if kind == "u32" else (1 << 64) - 1
    if kind[0] == "u":
        values = [v & mask for v in values]
    b.gpu.write(b.data, bench.pack(values, kind) + bench.pack([1.5, 2.5], "f32") + bench.pack(values[:2] * 4, kind))


def per_op(b, name, ilp, threads, scale=1):
    """Returns the cycles of an SM for one operation of each warp, without those of the loop."""
    low, high = sizes(name)
    more = [b.slope(f"{ident(name)}_i{ilp}_n{n}", threads, 16 // scale, 48 // scale) for n in (low, high)]
    return (more[1] - more[0]) / (high - low)


def run(b):
    code = b.images.code
    table, hiding, sass = [], [], []
    for name, kind, steps, values in OPERATIONS:
        constants(b, kind, values)
        low, high = sizes(name)
        one = [ptx.mix(code.get(f"{ident(name)}_i1_n{n}", [])) for n in (low, high)]
        per = {m: (one[1][m] - one[0][m]) / (high - low) for m in one[1] if one[1][m] != one[0][m]}
        made = " ".join(f"{m}*{v:.4g}" for m, v in sorted(per.items(), key=lambda e: -e[1]) if abs(v) >= 0.02)
        row = {w: per_op(b, name, 1, 32 * w) for w in WARPS}
        row4 = {w: per_op(b, name, 4, 32 * w) for w in WARPS}
        table.append([name, made, *[f"{row[w]:.3f}" for w in WARPS], *[f"{row4[w] / w:.4f}" for w in WARPS]])
        if name in HIDING:
            for ilp in (1, 2, 4):
                hiding.append([name, ilp, *[f"{per_op(b, name, ilp, 32 * w) / w:.4f}" for w in HIDING_WARPS]])
        sass.append(f"== {name}\n" + "\n".join(ptx.between_clocks(code.get(f"{ident(name)}_i1_n{low}", []))[:min(12, low)]))
    return {
        "instructions": (
            "cycles of the SM for one operation of every warp: ILP 1 (one chain of dependent operations, 1 warp is the latency) per operation; "
            "ILP 4 (four chains) divided by the number of warps, the throughput. Differences of two lengths of loop body and two trip counts, medians of 5",
            ["operation", "sass_per_operation", *[f"chain_{w}w" for w in WARPS], *[f"ilp4_per_warp_{w}w" for w in WARPS]], table),
        "hiding_alu": (
            "cycles of the SM for one operation of one warp, by independent chains in a warp and warps of one CTA",
            ["operation", "ilp", *[f"w{w}" for w in HIDING_WARPS]], hiding),
        "instructions.sass.txt": "\n".join(sass),
    }
