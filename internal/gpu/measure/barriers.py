"""Barriers, fences, sleeping."""

import ptx

UNROLL = 16
REGISTERS = ".reg .b64 at2, u; .reg .b32 x; .reg .pred p; .reg .b32 y;"
SETUP = "mad.lo.u32 x, cta, ntid, tid; mad.wide.u32 at2, x, 4, data; mov.u32 x, a; mov.u32 y, a; setp.ne.u32 p, a, 5;"
STEPS = {
    "bar.sync 0": "bar.sync 0;",
    "bar.red.popc": "bar.red.popc.u32 x, 0, p;",
    "barrier.cta.sync.aligned 1": "bar.sync 1;",
    "bar.warp.sync of 16 lanes": None,
    "membar.cta": "membar.cta;",
    "membar.gl": "membar.gl;",
    "membar.sys": "membar.sys;",
    "fence.acq_rel.cta": "fence.acq_rel.cta;",
    "fence.acq_rel.gpu": "fence.acq_rel.gpu;",
    "fence.acq_rel.sys": "fence.acq_rel.sys;",
    "fence.sc.cta": "fence.sc.cta;",
    "fence.sc.gpu": "fence.sc.gpu;",
    "st.shared + membar.cta": "st.volatile.shared.u32 [smem], x; membar.cta;",
    "st.global + membar.cta": "st.volatile.global.u32 [at2], x; membar.cta;",
    "st.global + membar.gl": "st.volatile.global.u32 [at2], x; membar.gl;",
    "st.global + membar.sys": "st.volatile.global.u32 [at2], x; membar.sys;",
    "st.release.gpu": "st.release.gpu.global.u32 [at2], x;",
    "ld.acquire.gpu": "ld.acquire.gpu.global.u32 x, [at2];",
    "nanosleep 0": "nanosleep.u32 0;",
    "nanosleep 20": "nanosleep.u32 20;",
    "nanosleep 100": "nanosleep.u32 100;",
    "nanosleep 1000": "nanosleep.u32 1000;",
    "nanosleep 10000": "nanosleep.u32 10000;",
}
STEPS = {k: v for k, v in STEPS.items() if v}


def ident(step):
    return "barrier_" + "".join(ch if ch.isalnum() else "_" for ch in step)


def kernels():
    for name, step in STEPS.items():
        yield ptx.Kernel(ident(name), "\n".join(["    " + step] * UNROLL), setup=SETUP, registers=REGISTERS,
                         sink=[("u32", "x"), ("u32", "y")], module=".shared .align 16 .b8 smem[1024];\n")


WARPS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32)


def run(b):
    rows = []
    for name in STEPS:
        several = name.startswith("bar")
        for warps in WARPS if several else (1, 4, 32) if "mem" in name or "fence" in name else (1,):
            cycles = b.slope(ident(name), 32 * warps, low=2, high=6) / UNROLL
            rows.append([name, warps, 1, f"{cycles:.2f}"])
    # Several CTAs on each SM
    for ctas, warps in ((2, 4), (4, 4), (8, 4), (2, 8), (4, 8), (8, 8), (2, 16), (4, 16), (2, 32)):
        cycles = b.slope(ident("bar.sync 0"), 32 * warps, low=20, high=60, grid=ctas * b.gpu.sms) / UNROLL
        rows.append(["bar.sync 0", warps, ctas, f"{cycles:.2f}"])
    return {"barriers": ("cycles of one of it: difference of two trip counts of a loop that has 16, medians of 5. Every warp of ctas_per_sm CTAs does it",
                         ["operation", "warps_per_cta", "ctas_per_sm", "cycles"], rows)}
