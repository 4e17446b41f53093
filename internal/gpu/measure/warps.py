"""Which warp the scheduler picks, when memory instructions leave, and which schedulers warps are on."""

import pathlib
import statistics

import banks
import cuda
import ptx

STAMPS = 24
WORK = {
    "independent": ["fma.rn.f32 f{i}, f{i}, g0, g1;"] * 4,
    "dependent": ["fma.rn.f32 f0, f0, g0, g1;"] * 4,
    "mufu": ["ex2.approx.ftz.f32 f{i}, f{i};"],
    "imad": ["mad.lo.s32 r{i}, r{i}, r8, r9;"] * 4,
}


def policy(name, steps):
    lines, n = [], 0
    for k in range(STAMPS):
        lines.append(f"    mov.u64 c{k}, %clock64;")
        for step in steps:
            lines.append("    " + step.format(i=n % 8))
            n += 1
    stores = "\n".join(f"    st.global.u64 [at+{8 * k}], c{k};" for k in range(STAMPS))
    return ptx.Raw(f"policy_{name}", f"""
.visible .entry policy_{name}(.param .u64 p_out, .param .u64 p_data, .param .u32 p_mask, .param .u32 p_threads, .param .u32 p_rounds)
{{
    .reg .b64 out, data, at, c<{STAMPS}>; .reg .b32 t, w, lane, mask, threads, m, rounds, r<10>; .reg .f32 f<8>, g0, g1; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 data, [p_data]; ld.param.u32 mask, [p_mask]; ld.param.u32 threads, [p_threads]; ld.param.u32 rounds, [p_rounds];
    mov.u32 t, %tid.x; shr.u32 w, t, 5; and.b32 lane, t, 31;
    shr.u32 m, mask, w; and.b32 m, m, 1; setp.eq.u32 p, m, 0;
    @p ret;
    ld.global.f32 g0, [data]; ld.global.f32 g1, [data+4];
    {" ".join(f"ld.global.f32 f{i}, [data+{8 + 4 * i}]; ld.global.u32 r{i}, [data+{8 + 4 * i}];" for i in range(8))}
    ld.global.u32 r8, [data]; ld.global.u32 r9, [data+4];
ROUND:
    .pragma "nounroll";
    bar.sync 1, threads;
{chr(10).join(lines)}
    sub.u32 rounds, rounds, 1;
    setp.ne.u32 p, rounds, 0;
    @p bra ROUND;
    mad.wide.u32 at, w, {8 * STAMPS}, out;
    setp.ne.u32 p, lane, 0;
    @p bra SINK;
{stores}
SINK:
    {" ".join(f"add.f32 g0, g0, f{i}; mov.b32 m, f{i}; add.u32 r8, r8, r{i};" for i in range(8))}
    setp.neu.f32 p, g0, 0f42280000; @p ret;
    st.global.f32 [out], g0; st.global.u32 [out], r8;
    ret;
}}
""")


BURST = {
    "ld.shared.u32": "ld.shared.u32 d{n}, [x{n}];", "ld.shared.v4": "ld.shared.v4.u32 {{d{n}, e{n}, h{n}, k{n}}}, [x{n}];",
    "ld.global.u32 (L1 hit)": "ld.global.u32 d{n}, [y{n}];", "ld.global.v4 (L1 hit)": "ld.global.v4.u32 {{d{n}, e{n}, h{n}, k{n}}}, [y{n}];",
    "st.shared.u32": "st.shared.u32 [x{n}], x0;", "st.global.u32": "st.global.u32 [y{n}], x0;",
    "shfl": "shfl.sync.bfly.b32 d{n}, x{n}, 1, 31, -1;", "ex2": "ex2.approx.ftz.f32 f{n}, f{n};",
    "atom.shared.add": "atom.shared.add.u32 d{n}, [x{n}], x0;",
    "fma.f64": "fma.rn.f64 q{n}, q{n}, q{n}, q{n};",
}
COUNTS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)


def burst(index, text, n):
    regs = f".reg .b32 x<16>, d<16>, e<16>, h<16>, k<16>, s; .reg .b64 y<16>, t0, t1; .reg .f32 f<16>; .reg .f64 q<16>; .reg .b64 own;"
    setup = ["mov.u32 s, smem; mad.wide.u32 own, lane, 16, data; mad.lo.u32 s, lane, 16, s;"]
    for i in range(16):
        setup.append(f"mov.u32 x{i}, s; add.u32 x{i}, x{i}, {512 * i}; add.u64 y{i}, own, {512 * i}; mov.u32 d{i}, a; mov.u32 e{i}, a; mov.u32 h{i}, a; mov.u32 k{i}, a; mov.f32 f{i}, 0f3F800000; mov.f64 q{i}, 0d3FF0000000000000;")
    body = ["    bar.sync 0;", "    mov.u64 t0, %clock64;"] + ["    " + text.format(n=i) for i in range(n)] + ["    mov.u64 t1, %clock64;"]
    fold = []
    for i in range(n):
        fold.append(f"    add.u32 d15, d15, d{i}; add.u32 d15, d15, e{i}; add.u32 d15, d15, h{i}; xor.b32 d15, d15, k{i}; mov.b32 e15, f{i}; add.u32 d15, d15, e15; cvt.rn.f32.f64 f15, q{i}; mov.b32 e15, f15; add.u32 d15, d15, e15;" if i < 15 else "")
    return ptx.Kernel(f"burst_{index}_{n}", "\n".join(body + fold), setup="\n".join(setup), registers=regs, sink=[("u32", "d15")],
                      module=".shared .align 128 .b8 smem[8192];\n", after="    mov.u64 first, t0; mov.u64 last, t1;")


def kernels():
    for name, steps in WORK.items():
        yield policy(name, steps)
    for index, text in enumerate(BURST.values()):
        for n in COUNTS:
            yield burst(index, text, n)
    # Two warps of a block: do they share a scheduler?
    body = "\n".join(f"    fma.rn.f32 f{i % 8}, f{i % 8}, g0, g1;" for i in range(128))
    yield ptx.Kernel("together", body, meet=False, registers=".reg .f32 f<8>, g0, g1; .reg .pred p; .reg .b32 m;",
                     setup="shr.u32 m, a, warp; and.b32 m, m, 1; setp.eq.u32 p, m, 0; @p ret; ld.global.f32 g0, [data]; ld.global.f32 g1, [data+4]; " + " ".join(f"mov.f32 f{i}, g0;" for i in range(8)),
                     sink=[("f32", f"f{i}") for i in range(8)])


def run(b):
    b.gpu.write(b.data, b"\0\0\x80\x3f" * 64)
    rows, bursts, together = [], [], []
    sets = [[0], [0, 4], [0, 4, 8], [0, 4, 8, 12], [0, 4, 8, 12, 16], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7]]
    for name in WORK:
        for warps in sets:
            for attempt in range(2):
                args = [cuda.u64(b.out), cuda.u64(b.data), cuda.u32(sum(1 << w for w in warps)), cuda.u32(32 * len(warps)), cuda.u32(3)]
                b.gpu.launch(b.function(f"policy_{name}"), 1, 32 * (max(warps) + 1), args)
                b.gpu.sync()
                words = b.gpu.read(b.out, "Q", 32 * STAMPS)
                if attempt:
                    stamps = {w: list(words[w * STAMPS:(w + 1) * STAMPS]) for w in warps}
                    start = min(s[0] for s in stamps.values())
                    for w in sorted(warps):
                        rows.append([name, " ".join(map(str, warps)), w, " ".join(str(c - start) for c in stamps[w])])
    b.gpu.write(b.data, bytes(65536))
    for index, name in enumerate(BURST):
        for how in ("assembled", "hurried"):
            for n in COUNTS:
                kernel = f"burst_{index}_{n}"
                if how == "hurried":
                    image = banks.hurried(pathlib.Path(b.images.where[kernel]).read_bytes(), kernel)
                    b.functions[f"{kernel}_{how}"] = b.gpu.function(b.gpu.load(image), kernel)
            for warps in (1, 2, 3, 4, 5, 8):
                row = []
                for n in COUNTS:
                    kernel = f"burst_{index}_{n}" + ("_hurried" if how == "hurried" else "")
                    runs = [[r[1] - r[0] for r in b.records(kernel, 32 * warps, 6)] for _ in range(4)]
                    row.append(f"{min(min(r) for r in runs)}-{min(max(r) for r in runs)}")
                bursts.append([name, how, warps, *row])
    for other in (None, 1, 2, 3, 4, 5, 6, 7, 8, 12):
        mask = 1 | (1 << other if other else 0)
        got = []
        for _ in range(3):
            times = []
            for n in (16, 48):
                records = b.records("together", 512, n, a=mask)
                times.append(records[0][1] - records[0][0])
            got.append((times[1] - times[0]) / 32 / 128)
        together.append([other if other else "alone", f"{statistics.median(got):.3f}"])
    return {
        "policy": (f"clock readings of warps that run the same straight code after meeting at a barrier, relative to the first: {STAMPS} of them with work between (4 fma in 8 chains or in one, 1 ex2, 4 mad.lo)", ["work", "warps", "warp", "clocks"], rows),
        "bursts": ("cycles from a clock reading to the next with n instructions between that do not wait for each other, least and most of the warps of one CTA (warp w in sub-partition w mod 4); hurried: without the cycles that the assembler lets pass after each of them", ["instruction", "code", "warps", *[f"n{n}" for n in COUNTS]], bursts),
        "together": ("cycles per fma of warp 0 with 8 chains while a second warp of the block does the same", ["second_warp", "cycles"], together),
    }
