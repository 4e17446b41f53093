"""Branches, divergence, calls."""

import ptx

REGISTERS = ".reg .b32 x, c, y; .reg .f32 f0, f1, g0, g1, g2; .reg .pred p, q; .reg .b64 own;"
SETUP = """    and.b32 x, lane, never; mad.wide.u32 own, x, 4, data; ld.global.u32 x, [own]; ld.global.u32 c, [own+4]; mov.u32 y, lane;
    ld.global.f32 g0, [own+8]; ld.global.f32 g1, [own+12]; mov.f32 f0, g0; mov.f32 f1, g1; mov.f32 g2, g0;
    setp.lt.u32 q, lane, a;"""
SINK = [("u32", "x"), ("u32", "y"), ("f32", "f0"), ("f32", "f1")]


def fmas(n, dependent=True):
    return "\n".join(f"    fma.rn.f32 f{0 if dependent else i % 2}, f{0 if dependent else i % 2}, g0, g1;" for i in range(n))


def kernels():
    def make(name, body, module=""):
        return ptx.Kernel(name, body, setup=SETUP, registers=REGISTERS, sink=SINK, module=module)
    for n in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 16384):
        yield make(f"loop_fma_{n}", fmas(n))
    for n in (2048, 4096, 8192, 16384, 32768):
        yield make(f"loop_indep_{n}", fmas(n, False))
    for n in (16, 48):
        yield make(f"untested_{n}", "\n".join("    add.u32 x, x, y; add.u32 y, y, c; setp.eq.u32 p, x, 77; selp.u32 c, x, c, p;" for _ in range(n)))
        yield make(f"not_taken_{n}", "\n".join("    add.u32 x, x, y; add.u32 y, y, c; setp.eq.u32 p, x, 77; @p bra OUT;" for _ in range(n)) + "\nOUT:")
        body = []
        for i in range(n):
            body.append(f"    add.u32 x, x, c; setp.ne.u32 p, x, 77; @p bra T{i};\n" + "\n".join("    mul.lo.u32 y, y, x; xor.b32 y, y, c;" for _ in range(12)) + f"\nT{i}:")
        yield make(f"taken_{n}", "\n".join(body))
    for n in (4, 8, 16, 32, 64):
        yield make(f"if_else_{n}", f"""    @q bra THEN;
{fmas(n)}
    bra MEET;
THEN:
{fmas(n).replace("g0, g1", "g1, g0")}
MEET:
    add.u32 x, x, c;""")
        yield make(f"if_only_{n}", f"""    @q bra SKIP;
{fmas(n)}
SKIP:
    add.u32 x, x, c;""")
    paths = "\n".join(f"    setp.ne.u32 p, y, {j}; @p bra S{j};\n{fmas(32)}\nS{j}:" for j in range(32))
    yield make("kway", f"    sub.u32 y, a, 1; and.b32 y, y, lane;\n{paths}")
    labels = ", ".join(f"B{j}" for j in range(32))
    arms = "\n".join(f"B{j}:\n{fmas(32 + j % 2)}\n    bra BMEET;" for j in range(32))
    yield make("brx", f"    sub.u32 y, a, 1; and.b32 y, y, lane;\n    targets: .branchtargets {labels};\n    brx.idx y, targets;\n{arms}\nBMEET:")
    functions = "\n".join(f""".func (.param .b32 r) work{j}(.param .b32 v) {{ .reg .f32 f; ld.param.f32 f, [v]; add.f32 f, f, 0f3F800000; st.param.f32 [r], f; ret; }}""" for j in range(2))
    for n in (8, 24):
        calls = "\n".join("""    { .param .b32 pr, pv; st.param.f32 [pv], f0; call (pr), at2, (pv), proto; ld.param.f32 f0, [pr]; }""" for _ in range(n))
        yield ptx.Kernel(f"call_{n}", calls, setup=SETUP + "\n    mov.u64 at1, work0; mov.u64 at2, work1; selp.u64 at2, at1, at2, q; proto: .callprototype (.param .b32 r) _ (.param .b32 v);",
                         registers=REGISTERS + " .reg .b64 at1, at2;", sink=SINK, module=functions + "\n")


def run(b):
    b.gpu.write(b.data, b"\x03\0\0\0\x05\0\0\0\0\0\x80\x3f\0\0\0\x3f")
    rows = []
    def add(what, n, k, warps, cycles, note=""):
        rows.append([what, n, k, warps, f"{cycles:.3f}", note])
    for n in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 16384):
        low, high = (16, 48) if n < 512 else (4, 12)
        for warps in (1, 4, 16):
            add("loop of n dependent fma", n, "", warps, b.slope(f"loop_fma_{n}", 32 * warps, low, high), "cycles of an iteration")
    for n in (2048, 4096, 8192, 16384, 32768):
        for warps in (1, 4, 16):
            add("loop of n fma in two chains", n, "", warps, b.slope(f"loop_indep_{n}", 32 * warps, 4, 12), "cycles of an iteration")
    for what in ("untested", "not_taken", "taken"):
        for warps in (1, 4, 8, 32):
            add(what, "", "", warps, (b.slope(f"{what}_48", 32 * warps) - b.slope(f"{what}_16", 32 * warps)) / 32, "add, add, setp, selp" if what == "untested" else "add, add, setp, branch" if what == "not_taken" else "add, setp, branch over 24 instructions")
    for kind in ("if_else", "if_only"):
        for n in (4, 8, 16, 32, 64):
            for lanes in (0, 1, 16, 31, 32):
                for warps in (1, 16):
                    add(f"{kind}: a lanes branch", n, lanes, warps, b.slope(f"{kind}_{n}", 32 * warps, a=lanes), "cycles of an iteration with n dependent fma in each arm")
    for what in ("kway", "brx"):
        for k in (1, 2, 4, 8, 16, 32):
            for warps in (1, 4, 16):
                add(f"{what}: lanes go k ways", 32, k, warps, b.slope(what, 32 * warps, a=k), "cycles of an iteration; 32 dependent fma a way" + ("; a test for each of 32 ways" if what == "kway" else ""))
    for lanes in (0, 16, 32):
        add("indirect call and return, a lanes elsewhere", "", lanes, 1, (b.slope("call_24", 32, a=lanes) - b.slope("call_8", 32, a=lanes)) / 16, "an add.f32 in the function")
    return {"control": ("cycles of the SM: for loops an iteration (they end with subtract, test, branch), else one of what is named; medians of 5", ["what", "n", "k_or_lanes", "warps", "cycles", "note"], rows)}
