"""Distribution of CTAs over SMs, their start, their replacement, launches."""

import collections
import statistics

import cuda
import ptx

# Every warp's record of 32 bytes: first clock, last clock, global timer at the start, SM. A CTA spins for a number
# of cycles; uneven ones add cycles by their index.
CTA = """
.extern .shared .align 16 .b8 dynamic[];
.visible .entry cta_{name}(.param .u64 p_out, .param .u32 p_spin, .param .u32 p_uneven)
{{
    .reg .b64 first, last, now, stop, gt, out; .reg .b32 t, c, n, w, lane, smid, spin, uneven, k, warps; .reg .pred p;
    mov.u64 first, %clock64;
    mov.u64 gt, %globaltimer;
    ld.param.u64 out, [p_out]; ld.param.u32 spin, [p_spin]; ld.param.u32 uneven, [p_uneven];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; and.b32 lane, t, 31; shr.u32 w, t, 5; shr.u32 warps, n, 5; mov.u32 smid, %smid;
    and.b32 k, c, 7; mad.lo.u32 spin, k, uneven, spin;
    mad.lo.u32 k, c, warps, w; mad.wide.u32 out, k, 32, out;
    mad.wide.u32 stop, spin, 1, first;
WAIT:
    .pragma "nounroll";
    mov.u64 now, %clock64;
    setp.lt.u64 p, now, stop;
    @p bra WAIT;
    setp.ne.u32 p, lane, 0;
    @p ret;
    st.global.u64 [out], first; st.global.u64 [out+16], gt; st.global.u32 [out+24], smid;
    mov.u64 last, %clock64;
    st.global.u64 [out+8], last;
    ret;
}}
"""
EMPTY = """
.visible .entry empty() { ret; }
"""
TIMER = """
.visible .entry timer(.param .u64 p_out, .param .u32 p_n)
{
    .reg .b64 out, a, b, c0, c1; .reg .b32 n; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u32 n, [p_n];
    mov.u64 a, %globaltimer;
LOOP:
    .pragma "nounroll";
    mov.u64 b, %globaltimer;
    setp.eq.u64 p, a, b;
    @p bra LOOP;
    mov.u64 c0, %clock64;
    st.global.u64 [out], b; st.global.u64 [out+8], c0;
    mov.u64 a, b;
    add.u64 out, out, 16;
    sub.u32 n, n, 1;
    setp.ne.u32 p, n, 0;
    @p bra LOOP;
    ret;
}
"""


def kernels():
    for name in ("few", "many"):
        text = CTA.format(name=name)
        if name == "many":  # 128 registers a thread
            text = text.replace("(.param .u64 p_out, .param .u32 p_spin, .param .u32 p_uneven)\n", "(.param .u64 p_out, .param .u32 p_spin, .param .u32 p_uneven)\n.maxnreg 128\n")
        yield ptx.Raw(f"cta_{name}", text, module="// cta\n")
    yield ptx.Raw("empty", EMPTY)
    yield ptx.Raw("timer", TIMER)
    for size in CLUSTERS:
        yield ptx.Raw(f"cluster_{size}", CLUSTER.replace("SIZE", str(size)), module="// cluster\n")


def launch(b, grid, threads, shared, spin, uneven=0, carveout=100):
    f = b.function("cta_few")
    b.gpu.set_function(f, "max_dynamic_shared", max(shared, 0))
    b.gpu.set_function(f, "carveout", carveout)
    warps = max(threads // 32, 1)
    for _ in range(2):
        b.gpu.launch(f, grid, threads, [cuda.u64(b.out), cuda.u32(spin), cuda.u32(uneven)], shared)
        b.gpu.sync()
    words = b.gpu.read(b.out, "Q", 4 * grid * warps)
    ctas = []
    for k in range(grid):
        part = [words[4 * (k * warps + w):4 * (k * warps + w) + 4] for w in range(warps)]
        ctas.append(dict(sm=part[0][3] & 0xFFFFFFFF, first=[p[0] for p in part], last=[p[1] for p in part], timer=min(p[2] for p in part)))
    return ctas, b.gpu.blocks_per_sm(f, threads, shared)


def turnaround(b):
    """Measures the time from the last clock reading of a CTA to the first of its successor."""
    rows = []
    for threads, shared in ((32, 200), (64, 200), (128, 200), (256, 200), (512, 200), (1024, 200), (128, 150), (128, 110), (256, 110), (512, 110), (1024, 110), (32, 50), (128, 50), (256, 50), (512, 50), (128, 24), (256, 24), (32, 0), (64, 0), (128, 0), (256, 0), (512, 0), (1024, 0)):
        for spin in (4000, 400) if threads <= 256 and shared else (4000,):
            per = max(b.gpu.blocks_per_sm(b.function("cta_few"), threads, 0), 1)
            if shared:
                b.gpu.set_function(b.function("cta_few"), "max_dynamic_shared", shared << 10)
                per = b.gpu.blocks_per_sm(b.function("cta_few"), threads, shared << 10)
            grid = b.gpu.sms * per * (8 if threads > 128 else 10)
            ctas, per = launch(b, grid, threads, shared << 10, spin)
            sms = collections.defaultdict(list)
            for c in ctas:
                sms[c["sm"]].append(c)
            gaps, skews, within, warpgaps = [], [], [], []
            for list_ in sms.values():
                starts = sorted(min(c["first"]) for c in list_)
                ends = sorted(max(c["last"]) for c in list_)
                gaps += [starts[per + i] - ends[i] for i in range(per, len(starts) - 2 * per)]  # not the first and last generation
                within += [starts[i + 1] - starts[i] for i in range(min(per, len(starts)) - 1)]
                for c in list_[per:]:
                    f = sorted(c["first"])
                    skews.append(f[-1] - f[0])
                    warpgaps += [y - x for x, y in zip(c["first"], c["first"][1:])]
            gaps.sort()
            q = lambda v, f: sorted(v)[int(f * (len(v) - 1))] if v else ""
            rows.append([threads, shared, per, spin, q(gaps, 0), q(gaps, .1), q(gaps, .5), q(gaps, .9), f"{statistics.mean(gaps):.0f}", q(skews, .5), q(warpgaps, .5), q(within, .5), q(within, 0)])
    return rows


def distribution(b):
    rows = []
    n = b.gpu.sms
    for threads, shared, grid in ((32, 0, n), (256, 0, n), (1024, 0, n), (256, 200, n), (256, 0, 2 * n), (1024, 0, 2 * n), (256, 100, 2 * n), (256, 0, 4 * n), (256, 50, 4 * n), (128, 0, 8 * n), (256, 0, 8 * n), (256, 0, 20), (256, 0, 66), (256, 0, 100), (1024, 0, 3 * n), (512, 0, 600), (32, 0, 4 * n)):
        ctas, per = launch(b, grid, threads, shared << 10, 60000)
        start = min(c["timer"] for c in ctas)
        rows.append([threads, shared, per, grid, " ".join(str(c["sm"]) for c in ctas), " ".join(str(c["timer"] - start) for c in ctas)])
    return rows


def waves(b):
    """Measures elapsed time around whole numbers of waves, and with uneven CTAs."""
    rows = []
    n = b.gpu.sms
    for threads, shared in ((256, 50), (1024, 0)):
        _, per = launch(b, 1, threads, shared << 10, 0)
        for grid in (1, n // 2, n, per * n - 1, per * n, per * n + 1, per * n * 3 // 2, 2 * per * n, 2 * per * n + 1, 3 * per * n, 4 * per * n):
            for uneven in (0, 2000):
                ctas, _ = launch(b, grid, threads, shared << 10, 20000, uneven)
                sms = collections.defaultdict(list)
                for c in ctas:
                    sms[c["sm"]].append((min(c["first"]), max(c["last"])))
                busy = [max(e for _, e in v) - min(s for s, _ in v) for v in sms.values()]
                f = b.function("cta_few")
                seconds = statistics.median(b.gpu.seconds(lambda: b.gpu.launch(f, grid, threads, [cuda.u64(b.out), cuda.u32(20000), cuda.u32(uneven)], shared << 10)) for _ in range(3))
                rows.append([threads, per, grid, uneven, len(sms), max(busy), f"{seconds * 1e6:.2f}"])
    return rows


def launches(b):
    rows = []
    f = b.function("empty")
    for grid in (1, b.gpu.sms, 16 * b.gpu.sms, 32 * b.gpu.sms, 320 * b.gpu.sms):
        for threads in (32, 128, 256, 1024):
            for many in (1, 200):
                got = []
                for _ in range(4):
                    got.append(b.gpu.seconds(lambda: [b.gpu.launch(f, grid, threads, []) for _ in range(many)]) / many)
                rows.append(["empty kernels in a row", grid, threads, many, f"{statistics.median(got[1:]) * 1e6:.3f}"])
    b.gpu.launch(b.function("timer"), 1, 1, [cuda.u64(b.out), cuda.u32(64)])
    b.gpu.sync()
    words = b.gpu.read(b.out, "Q", 128)
    steps = [words[2 * i + 2] - words[2 * i] for i in range(63)]
    rows.append(["step of the global timer, ns", "", "", "", statistics.median(steps)])
    rows.append(["clocks in such a step", "", "", "", statistics.median(words[2 * i + 3] - words[2 * i + 1] for i in range(63))])
    rows.append(["clocks per ns over 63 steps", "", "", "", f"{(words[127] - words[1]) / (words[126] - words[0]):.4f}"])
    return rows + gaps(b)


CLUSTERS = (2, 4, 8, 16)
CLUSTER = """
.extern .shared .align 16 .b8 dynamic[];
.visible .entry cluster_SIZE(.param .u64 p_out, .param .u32 p_spin, .param .u32 p_uneven)
.reqnctapercluster SIZE, 1, 1
{
    .reg .b64 out, first, now, stop; .reg .b32 t, c, smid, spin, k; .reg .pred p;
    mov.u64 first, %clock64;
    ld.param.u64 out, [p_out]; ld.param.u32 spin, [p_spin]; ld.param.u32 k, [p_uneven];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 smid, %smid;
    // Clusters end at different times, so that they mix.
    mul.lo.u32 k, k, c; mul.lo.u32 k, k, 977; and.b32 k, k, 16383; add.u32 spin, spin, k;
    mad.wide.u32 stop, spin, 1, first;
WAIT:
    .pragma "nounroll";
    mov.u64 now, %clock64;
    setp.lt.u64 p, now, stop;
    @p bra WAIT;
    setp.ne.u32 p, t, 0;
    @p ret;
    mad.wide.u32 out, c, 4, out;
    st.global.u32 [out], smid;
    ret;
}
"""


def largest(b, f):
    """Returns whether clusters of 16 can be launched."""
    try:
        b.gpu.launch(f, 16, 32, [cuda.u64(b.out), cuda.u32(0), cuda.u32(0)], 200 << 10)
        b.gpu.sync()
        return True
    except cuda.Error:
        return False


def gpcs(b):
    """SMs that have shared a cluster of CTAs are in one GPC."""
    rows = []
    for size in CLUSTERS:
        f = b.function(f"cluster_{size}")
        b.gpu.set_function(f, "max_dynamic_shared", 200 << 10)
        if size > 8:
            b.gpu.set_function(f, "non_portable_cluster", 1)
        with_ = {s: {s} for s in range(b.gpu.sms)}
        for attempt in range(60 if size <= 8 or largest(b, f) else 0):
            grid = size * (b.gpu.sms // size + attempt)
            b.gpu.launch(f, grid, 1024 if attempt % 2 else 32, [cuda.u64(b.out), cuda.u32(3000 + 700 * attempt), cuda.u32(attempt)], 200 << 10)
            b.gpu.sync()
            sms = b.gpu.read(b.out, "I", grid)
            for k in range(0, grid, size):
                merged = set().union(*[with_[s] for s in sms[k:k + size]])
                for s in merged:
                    with_[s] = merged
        groups = sorted({tuple(sorted(g)) for g in with_.values()})
        rows += [[size, len(g), " ".join(map(str, g))] for g in groups]
    return rows


def gaps(b):
    """Measures the time from a kernel's last clock reading on an SM to the first of the next kernel there."""
    f = b.function("cta_few")
    b.gpu.set_function(f, "max_dynamic_shared", 0)
    rows = []
    for threads, per in ((32, 1), (256, 1), (1024, 2)):
        grid = per * b.gpu.sms
        warps = threads // 32
        size = 32 * grid * warps
        found = []
        for _ in range(6):
            for k in range(4):
                b.gpu.launch(f, grid, threads, [cuda.u64(b.out + k * size), cuda.u32(100000 if k == 0 else 20000), cuda.u32(0)])
            b.gpu.sync()
            words = b.gpu.read(b.out, "Q", 4 * size // 8)
            last, first, timer = [collections.defaultdict(int) for _ in range(4)], [{} for _ in range(4)], []
            for k in range(4):
                for i in range(grid * warps):
                    a, z, t, sm = words[4 * (k * grid * warps + i):4 * (k * grid * warps + i) + 4]
                    sm &= 0xFFFFFFFF
                    last[k][sm] = max(last[k][sm], z)
                    first[k][sm] = min(first[k].get(sm, a), a)
            for k in (1, 2):
                found.append(statistics.median(first[k + 1][sm] - last[k][sm] for sm in first[k + 1] if sm in last[k]))
        rows.append(["cycles between kernels on an SM", grid, threads, 4, f"{statistics.median(found):.0f} ({min(found):.0f} to {max(found):.0f})"])
    return rows


def parts(b):
    return [
        lambda: {"gpcs": ("SMs that clusters of so many CTAs were seen to share, joined: GPCs, or parts of them", ["cluster", "sms", "smid"], gpcs(b))},
        lambda: {"distribution": ("the SM of every CTA in order, and when it started in ns by the global timer; every CTA spins for 60,000 cycles",
                                  ["threads", "shared_kb", "ctas_per_sm_at_most", "grid", "sms", "start_ns"], distribution(b))},
        lambda: {"turnaround": ("cycles on an SM from a CTA's last clock (a store and the exit follow) to the first clock of the CTA that takes its place; each CTA spins for so many cycles; "
                                "skew: from a CTA's first warp to its last; per_warp: between neighbours; first_wave: between starts of the first CTAs of an SM; 8 or 10 generations, the first and last left out",
                                ["threads", "shared_kb", "ctas_per_sm", "spin", "min", "p10", "median", "p90", "mean", "skew", "per_warp", "first_wave", "first_wave_min"], turnaround(b))},
        lambda: {"waves": ("CTAs that spin for 20,000 cycles, and uneven * (number mod 8) more: the busiest SM's cycles, and the kernel's time by events",
                           ["threads", "ctas_per_sm", "grid", "uneven", "sms_used", "cycles", "us"], waves(b))},
        lambda: {"launches": ("microseconds for each kernel, by events, of so many in a row", ["what", "grid", "threads", "in_a_row", "value"], launches(b))},
    ]
