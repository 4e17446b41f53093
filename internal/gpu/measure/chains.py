"""Latency of caches and device memory: chains of loads, in which each gives the address of the next; single loads;
sectors; loads while others load."""

import statistics

import cuda
import ptx

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
ARENA = 8 * GB  # the largest chain

# Builds a cycle through slots that are stride bytes apart: slot i leads to (mult*i + add) mod slots. Chains up to
# 64 KB also fit into constant memory.
BUILD = """
.visible .entry build(.param .u64 p_base, .param .u64 p_slots, .param .u64 p_stride, .param .u64 p_mult, .param .u64 p_add)
{
    .reg .b64 base, slots, stride, mult, add, i, step, next, at; .reg .b32 t, c, n, g; .reg .pred p;
    ld.param.u64 base, [p_base]; ld.param.u64 slots, [p_slots]; ld.param.u64 stride, [p_stride];
    ld.param.u64 mult, [p_mult]; ld.param.u64 add, [p_add];
    cvta.to.global.u64 base, base;
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 g, %nctaid.x;
    mad.wide.u32 i, c, n, 0; cvt.u64.u32 at, t; add.u64 i, i, at;
    mul.wide.u32 step, n, g;
LOOP:
    setp.ge.u64 p, i, slots;
    @p ret;
    mad.lo.u64 next, i, mult, add;
    rem.u64 next, next, slots;
    mad.lo.u64 next, next, stride, base;
    mad.lo.u64 at, i, stride, base;
    st.global.u64 [at], next;
    add.u64 i, i, step;
    bra LOOP;
}
"""

# All threads of one CTA read every slot in passes, then thread 0 follows the chain: first "before" steps, then 16
# steps at a time between two clock readings.
CHASE = """
.visible .entry chase_{name}(.param .u64 p_out, .param .u64 p_base, .param .u64 p_slots, .param .u64 p_stride,
    .param .u32 p_passes, .param .u32 p_before, .param .u32 p_steps)
{{
    .reg .b64 out, base, slots, stride, i, at, x, v, acc, first, last; .reg .b32 t, n, passes, before, steps, smid; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 base, [p_base]; ld.param.u64 slots, [p_slots]; ld.param.u64 stride, [p_stride];
    ld.param.u32 passes, [p_passes]; ld.param.u32 before, [p_before]; ld.param.u32 steps, [p_steps];
    mov.u32 t, %tid.x; mov.u32 n, %ntid.x; mov.u64 acc, 0;
PASS:
    setp.eq.u32 p, passes, 0;
    @p bra CHASE;
    sub.u32 passes, passes, 1;
    cvt.u64.u32 i, t;
READ:
    setp.ge.u64 p, i, slots;
    @p bra PASS;
    mad.lo.u64 at, i, stride, base;
    {load} v, [at];
    add.u64 acc, acc, v;
    mad.wide.u32 i, n, 1, i;
    bra READ;
CHASE:
    bar.sync 0;
    setp.ne.u32 p, t, 0;
    @p bra END;
    mov.u64 x, base;
BEFORE:
    .pragma "nounroll";
    setp.eq.u32 p, before, 0;
    @p bra TIMED;
    {load} x, [x];
    sub.u32 before, before, 1;
    bra BEFORE;
TIMED:
    xor.b64 v, x, base;
    setp.eq.u64 p, v, 1;
    @p bra END;
    mov.u64 first, %clock64;
STEP:
    .pragma "nounroll";
    {sixteen}
    sub.u32 steps, steps, 16;
    setp.ne.u32 p, steps, 0;
    @p bra STEP;
    st.global.u64 [out+16], x;
    mov.u64 last, %clock64;
    sub.u64 last, last, first;
    st.global.u64 [out], last;
    mov.u32 smid, %smid;
    st.global.u32 [out+8], smid;
END:
    setp.ne.u64 p, acc, 77;
    @p ret;
    st.global.u64 [out+24], acc;
    ret;
}}
"""

LOADS = {
    "ca": "ld.global.u64",
    "cg": "ld.global.cg.u64",
    "nc": "ld.global.nc.u64",
    "volatile": "ld.volatile.global.u64",
    "relaxed_gpu": "ld.relaxed.gpu.global.u64",
    "generic": "ld.u64",
}
# Chains of other widths: the rest of the address stays in its register.
WIDTHS = {
    "ca32": "ld.global.u32 lo, [x]; mov.b64 x, {lo, hi};",
    "ca128": "ld.global.v2.u64 {x, v}, [x]; xor.b64 acc, acc, v;",
    "ca8": "ld.global.u8 w, [x]; and.b32 w, w, zero; or.b32 lo, lo, w; mov.b64 x, {lo, hi};",
}
ATOMS = {"atom_add": "atom.global.add.u64 x, [x], zero;", "atom_exch": "atom.global.exch.b64 x, [x], x;", "atom_cas": "atom.global.cas.b64 x, [x], x, x;",
         "atom_or": "atom.global.or.b64 x, [x], zero;"}

# Every thread 0 of a CTA times single loads: address base + (k*mult mod count)*step.
SINGLE = """
.extern .shared .align 16 .b8 dynamic[];
.visible .entry single(.param .u64 p_out, .param .u64 p_base, .param .u32 p_count, .param .u32 p_step, .param .u32 p_mult)
{
    .reg .b64 out, base, at; .reg .b32 t, c, count, step, mult, k, i, v, took, smid, s; .reg .b64 first, last; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 base, [p_base]; ld.param.u32 count, [p_count]; ld.param.u32 step, [p_step];
    ld.param.u32 mult, [p_mult];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 smid, %smid; mov.u32 s, dynamic;
    setp.ne.u32 p, t, 0;
    @p ret;
    mul.lo.u32 i, smid, count;
    mad.wide.u32 out, i, 4, out;
    mov.u32 k, 0; mov.u32 i, 0;
LOOP:
    .pragma "nounroll";
    mad.wide.u32 at, i, step, base;
    mov.u64 first, %clock64;
    ld.global.cg.u32 v, [at];
    st.volatile.shared.u32 [s], v;
    mov.u64 last, %clock64;
    sub.u64 last, last, first; cvt.u32.u64 took, last;
    mad.wide.u32 at, i, 4, out;
    st.global.u32 [at], took;
    add.u32 i, i, mult;
    rem.u32 i, i, count;
    add.u32 k, k, 1;
    setp.lt.u32 p, k, count;
    @p bra LOOP;
    ret;
}
"""

# Four loads of consecutive offsets within each step, each timed: they show which sectors one sector brings with it.
SECTORS = """
.visible .entry sectors(.param .u64 p_out, .param .u64 p_base, .param .u32 p_count, .param .u64 p_step, .param .u32 p_gap)
{
    .reg .b64 out, base, step, at; .reg .b32 count, k, j, v, took, gap, s; .reg .b64 first, last; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 base, [p_base]; ld.param.u32 count, [p_count]; ld.param.u64 step, [p_step]; ld.param.u32 gap, [p_gap];
    mov.u32 k, 0; mov.u32 s, small;
LINE:
    .pragma "nounroll";
    mov.u64 at, base;
    mov.u32 j, 0;
SECTOR:
    .pragma "nounroll";
    mov.u64 first, %clock64;
    ld.global.u32 v, [at];
    st.volatile.shared.u32 [s], v;
    mov.u64 last, %clock64;
    sub.u64 last, last, first; cvt.u32.u64 took, last;
    st.global.u32 [out], took;
    add.u64 out, out, 4;
    mad.wide.u32 at, gap, 1, at;
    add.u32 j, j, 1;
    setp.lt.u32 p, j, 8;
    @p bra SECTOR;
    add.u64 base, base, step;
    add.u32 k, k, 1;
    setp.lt.u32 p, k, count;
    @p bra LINE;
    ret;
}
"""

# The first CTA follows a chain in device memory while W warps of each other CTA stream, for a number of cycles of
# their own clocks.
LOADED = """
.extern .shared .align 16 .b8 dynamic[];
.visible .entry loaded(.param .u64 p_out, .param .u64 p_chain, .param .u32 p_steps, .param .u64 p_in, .param .u64 p_mask, .param .u32 p_warps, .param .u32 p_delay, .param .u32 p_cycles)
{
    .reg .b64 out, chain, in, mask, x, first, last, off, acc, stop, now; .reg .b32 t, c, warps, w, steps, a<4>, s, n, delay, k, cycles; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 chain, [p_chain]; ld.param.u32 steps, [p_steps]; ld.param.u64 in, [p_in]; ld.param.u64 mask, [p_mask];
    ld.param.u32 warps, [p_warps]; ld.param.u32 delay, [p_delay]; ld.param.u32 cycles, [p_cycles];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; shr.u32 w, t, 5; mov.u32 s, 0;
    mov.u64 first, %clock64;
    mad.wide.u32 stop, cycles, 1, first;
    setp.eq.u32 p, c, 0;
    @p bra CHAIN;
    setp.ge.u32 p, w, warps;
    @p ret;
    // The stream: 512 bytes a warp and step, every warp from a place of its own.
    mad.lo.u32 n, c, 32, w; and.b32 a0, t, 31;
    mul.wide.u32 off, n, 991; shl.b64 off, off, 10; mad.wide.u32 off, a0, 16, off;
    mov.u64 acc, 0;
STREAM:
    .pragma "nounroll";
    and.b64 off, off, mask;
    add.u64 x, in, off;
    ld.global.cg.v4.u32 {a0, a1, a2, a3}, [x];
    add.u32 s, s, a0; xor.b32 s, s, a1; add.u32 s, s, a2; xor.b32 s, s, a3;
    add.u64 off, off, 512; add.u64 acc, acc, 512;
    mov.u32 k, delay;
WAIT:
    .pragma "nounroll";
    setp.eq.u32 p, k, 0;
    @p bra WAITED;
    nanosleep.u32 40;
    sub.u32 k, k, 1;
    bra WAIT;
WAITED:
    mov.u64 now, %clock64;
    setp.lt.u64 p, now, stop;
    @p bra STREAM;
    setp.eq.u32 p, s, 0x12345;
    @p st.global.u32 [out+40], s;
    and.b32 a0, t, 31;
    setp.ne.u32 p, a0, 0;
    @p ret;
    red.global.add.u64 [out+32], acc;
    ret;
CHAIN:
    setp.ne.u32 p, t, 0;
    @p ret;
    mov.u64 x, chain;
    // Let the others get going.
    add.u64 stop, first, 200000;
IDLE:
    .pragma "nounroll";
    mov.u64 now, %clock64;
    setp.lt.u64 p, now, stop;
    @p bra IDLE;
    mov.u64 first, %clock64;
STEP:
    .pragma "nounroll";
    ld.global.cg.u64 x, [x];
    ld.global.cg.u64 x, [x];
    ld.global.cg.u64 x, [x];
    ld.global.cg.u64 x, [x];
    sub.u32 steps, steps, 4;
    setp.ne.u32 p, steps, 0;
    @p bra STEP;
    st.global.u64 [out+24], x;
    mov.u64 last, %clock64;
    sub.u64 now, last, first;
    st.global.u64 [out+8], now;
    ret;
}
"""


def kernels():
    yield ptx.Raw("build", BUILD)
    for name, load in LOADS.items():
        yield ptx.Raw(f"chase_{name}", CHASE.format(name=name, load=load, sixteen="\n    ".join([f"{load} x, [x];"] * 16)))
    for name, step in WIDTHS.items():
        text = CHASE.format(name=name, load="ld.global.u64", sixteen="\n    ".join([step] * 16))
        text = text.replace("TIMED:", "TIMED:\n    mov.b64 {lo, hi}, x; mov.u32 zero, passes; mov.u32 w, passes;")
        yield ptx.Raw(f"chase_{name}", text.replace(".reg .pred p;", ".reg .pred p; .reg .b32 lo, hi, w, zero;"))
    for name, step in ATOMS.items():
        text = CHASE.format(name=name, load="ld.global.cg.u64", sixteen="\n    ".join([step] * 16))
        yield ptx.Raw(f"chase_{name}", text.replace(".reg .pred p;", ".reg .pred p; .reg .b64 zero; ").replace("mov.u64 acc, 0;", "mov.u64 acc, 0; cvt.u64.u32 zero, passes; shr.u64 zero, zero, 31;"))
    yield ptx.Raw("single", SINGLE, module="// single\n")
    yield ptx.Raw("sectors", SECTORS, module=".shared .b8 small[16];\n")
    yield ptx.Raw("loaded", LOADED, module="// loaded\n")


class Chain:
    """Memory for chains of loads."""

    def __init__(self, b):
        self.b = b
        free = b.gpu.memory_free()
        self.size = min(ARENA, free // 4)
        self.base = b.gpu.alloc(self.size)

    def lay(self, slots, stride, linear=False, turn=0):
        """Writes a chain in order, or shuffled differently in each turn."""
        mult = 1
        if not linear and slots > 8:
            # A full cycle needs mult-1 to be a multiple of every prime factor of slots, and of 4 where slots is.
            step, rest, p = (4 if slots % 4 == 0 else 1), slots, 2
            while rest > 1:
                if rest % p == 0:
                    step = step if step % p == 0 else step * p
                    while rest % p == 0:
                        rest //= p
                p += 1 if p == 2 else 2
                if p * p > rest > 1:
                    step, rest = (step if step % rest == 0 else step * rest), 1
            want = int(slots * (0.381966, 0.236068, 0.145898)[turn % 3])
            mult = want // step * step + 1
            if mult <= 1:
                mult = step + 1 if step + 1 < slots else 1
        add = 1
        args = [cuda.u64(v) for v in (self.base, slots, stride, mult, add)]
        self.b.gpu.launch(self.b.function("build"), min(4096, slots // 256 + 1), 256, args)
        self.b.gpu.sync()

    def chase(self, kind, slots, stride, passes, before, steps, threads=512):
        b = self.b
        args = [cuda.u64(b.out), cuda.u64(self.base), cuda.u64(slots), cuda.u64(stride), cuda.u32(passes), cuda.u32(before), cuda.u32(steps)]
        b.gpu.launch(b.function(f"chase_{kind}"), 1, threads, args)
        b.gpu.sync()
        words = b.gpu.read(b.out, "Q", 2)
        return words[0] / steps, words[1] & 0xFFFFFFFF


def latencies(b, chain):
    rows = []
    def add(kind, size, stride, passes, before, steps, linear=False, what=""):
        slots = max(size // stride, 1)
        got = []
        for turn in range(3):
            if turn == 0 or not passes + before:
                chain.lay(slots, stride, linear, turn)
            got.append(chain.chase(kind, slots, stride, passes, before, steps)[0])
        rows.append([kind, size, stride, "in order" if linear else "shuffled", f"{statistics.median(got):.2f}", f"{min(got):.2f}", f"{max(got):.2f}", what])
    # L1, then L2, then device memory
    for kind in ("ca", "nc", "generic", "ca32", "ca128", "ca8"):
        add(kind, 8 * KB if kind != "ca8" else 128, 128, 0, 256, 1024)
    for size in [k * KB for k in (1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 176, 192, 200, 208, 216, 220, 224, 228, 232, 240, 248, 256, 288, 320, 384, 512)]:
        for stride, linear in ((128, False), (128, True), (32, False)):
            add("ca", size, stride, 0, 3 * max(size // stride, 1), 4096 if size // stride < 4096 else size // stride, linear)
    for kind in ("cg", "volatile", "relaxed_gpu", *ATOMS):
        add(kind, 1 * MB, 128, 2, 0, 4096)
    for mb in (1, 2, 4, 8, 12, 16, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 48, 50, 52, 56, 60, 64, 72, 80, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192):
        if mb * MB <= chain.size:
            add("cg", mb * MB, 128, 2 if mb <= 128 else 0, 0, 8192)
    # Translation: few lines, far apart
    for stride in (64 * KB, 512 * KB, 2 * MB + 4096, 4 * MB + 4096, 8 * MB + 4096, 32 * MB + 4096):
        for slots in (8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096):
            if slots * stride <= chain.size:
                add("cg", slots * stride, stride, 2, slots, max(1024, slots * 2), what="translation")
    return rows


def carveouts(b, chain):
    """Measures the largest chain that L1 holds, by requested carve-out."""
    rows = []
    for percent in (-1, 0, 1, 4, 14, 15, 28, 29, 43, 44, 57, 58, 71, 72, 86, 100):
        f = b.function("chase_ca")
        b.gpu.set_function(f, "carveout", percent)
        row = []
        for kb in range(4, 265, 4):
            slots = kb * KB // 128
            chain.lay(slots, 128, linear=True)
            row.append(chain.chase("ca", slots, 128, 0, 2 * slots, max(slots, 128), threads=32)[0])
        fits = [4 * (i + 1) for i, v in enumerate(row) if v < row[0] + 4]
        rows.append([percent, max(fits, default=0), " ".join(f"{v:.0f}" for v in row)])
    b.gpu.set_function(b.function("chase_ca"), "carveout", -1)
    return rows


def singles(b, chain):
    """Measures the latency of single L2 hits by SM: the near and the far half."""
    count, rows, lines = 2048, [], []
    for name, step, region in (("1 MB", 512, 0), ("16 MB", 8192, 64 * MB)):
        for attempt in range(2):
            args = [cuda.u64(b.out), cuda.u64(chain.base + region), cuda.u32(count), cuda.u32(step), cuda.u32(773)]
            f = b.function("single")
            b.gpu.set_function(f, "max_dynamic_shared", 200 * KB)
            b.gpu.launch(f, b.gpu.sms, 32, args, 200 * KB)
            b.gpu.sync()
        got = b.gpu.read(b.out, "I", count * b.gpu.sms)
        for sm in range(b.gpu.sms):
            v = sorted(got[sm * count:(sm + 1) * count])
            rows.append([name, sm, v[0], *[v[int(q * (count - 1))] for q in (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)], f"{statistics.mean(v):.1f}"])
        for sm in (0, 1, 2, 3, 16, 17, 64, 65, 100, 131):
            if sm < b.gpu.sms:
                lines.append([name, sm, " ".join(str(v) for v in got[sm * count:sm * count + 256])])
    return rows, lines


def sector_costs(b, chain):
    rows = []
    for gap in (32, 64, 128, 256, 512, 1024, 4096):
        b.gpu.zero(chain.base, 256 * MB)  # afterwards L2 holds the end of this memory, not its start
        count = 256
        args = [cuda.u64(b.out), cuda.u64(chain.base), cuda.u32(count), cuda.u64(64 * KB), cuda.u32(gap)]
        b.gpu.launch(b.function("sectors"), 1, 1, args)
        b.gpu.sync()
        got = b.gpu.read(b.out, "I", count * 8)
        rows.append([gap, *[statistics.median(got[j::8][16:]) for j in range(8)]])
    return rows


def loaded(b, chain):
    """Measures the latency of device memory, and of L2, while others read it."""
    rows = []
    half, steps, cycles = chain.size // 2, 1024, 3_500_000
    f = b.function("loaded")
    b.gpu.set_function(f, "max_dynamic_shared", 200 * KB)
    loads = ((0, 0), (1, 16), (1, 8), (1, 4), (1, 2), (1, 1), (1, 0), (2, 2), (2, 1), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (8, 0), (10, 0), (12, 0), (16, 0), (24, 0), (32, 0))
    for level, slots, stride, size in (("L2", 8192, 128, 8 * MB), ("memory", 1 << 21, half >> 21, half // 2)):
        chain.lay(slots, stride)
        for row, (warps, delay) in enumerate(loads):
            for turn in range(2 if level == "L2" else 1):  # the first turn loads the data into L2
                b.gpu.zero(b.out, 64)
                start = (row * 99991 + 12345) % slots * stride if level == "memory" else 0
                args = [cuda.u64(b.out), cuda.u64(chain.base + start), cuda.u32(steps), cuda.u64(chain.base + half), cuda.u64(size - 1), cuda.u32(warps), cuda.u32(delay), cuda.u32(cycles)]
                seconds = b.gpu.seconds(lambda: b.gpu.launch(f, b.gpu.sms, 1024, args, 200 * KB))
            words = b.gpu.read(b.out, "Q", 6)
            rows.append([level, warps, delay, f"{words[1] / steps:.1f}", f"{words[4] / cycles:.1f}", f"{words[4] / seconds / 1e9:.0f}"])
    return rows


def parts(b):
    chain = Chain(b)
    def near_far():
        single, lines = singles(b, chain)
        return {
            "l2_by_sm": ("cycles of single L2 hits (.cg), from before the load to behind a shared store that needs it, of 2048 lines; one thread on each SM, all at once", ["set", "sm", "min", "p10", "p25", "p50", "p75", "p90", "p99", "mean"], single),
            "l2_by_line": ("the same, of the first 256 lines for a few SMs; lines are 512 bytes apart in the 1 MB set and 8 KB apart in the 16 MB set", ["set", "sm", "cycles_by_line"], lines),
        }
    return [
        lambda: {"latency": ("cycles per load of a chain of 8-byte loads, one thread; 2 passes of one CTA over the chain before where it fits L2; median, least and most of 3", ["load", "bytes", "stride", "order", "cycles", "min", "max", "note"], latencies(b, chain))},
        lambda: {"carveout": ("cycles per load by size of the chain, 4 KB to 264 KB in steps of 4 KB, in order, by the carve-out in percent that the kernel asks for (-1: none); fits is the largest of these sizes that still hits", ["percent", "fits_kb", "cycles_by_size"], carveouts(b, chain))},
        near_far,
        lambda: {"latency_under_load": ("one thread follows a chain in L2, or in device memory, while warps of the other SMs read 512 bytes each at a time from the same level (the delay is in sleeps of 40 ns between them)", ["level", "warps_per_sm", "delay", "cycles_per_load", "bytes_per_clock", "gb_per_s"], loaded(b, chain))},
        lambda: {"sectors": ("median cycles of eight loads in a row, gap bytes apart, the first of which nobody has read before; 240 places 64 KB apart", ["gap", *[f"load{j}" for j in range(8)]], sector_costs(b, chain))},
    ]
