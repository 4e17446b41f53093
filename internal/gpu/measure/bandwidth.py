"""Bandwidth of L2 and device memory, by sets, SMs, resident threads and strides;
throughput of atomics."""

import collections
import statistics

import cuda
import ptx
from chains import KB, MB, Chain

# Streams: every thread of the grid reads or writes words of 16 bytes in steps, four at a time.
STREAM = """
.visible .entry stream_{name}(.param .u64 p_out, .param .u64 p_in, .param .u64 p_to, .param .u64 p_words, .param .u32 p_rounds)
{{
    .reg .b64 out, in, to, words, i, at, step, off, first, last, record; .reg .b32 t, c, n, g, rounds, r, smid; .reg .b32 a<4>, b<4>, d<4>, e<4>, s<4>; .reg .pred p, q;
    ld.param.u64 out, [p_out]; ld.param.u64 in, [p_in]; ld.param.u64 to, [p_to]; ld.param.u64 words, [p_words]; ld.param.u32 rounds, [p_rounds];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 g, %nctaid.x;
    mov.u64 first, %clock64;
    mov.u32 s0, 0; mov.u32 s1, 0; mov.u32 s2, 0; mov.u32 s3, 0; mov.u32 r, rounds;
    mul.wide.u32 step, n, g; shl.b64 step, step, 4;
    shl.b64 words, words, 4; add.u64 words, words, in;
ROUND:
    mad.lo.u32 d0, c, n, t; mul.wide.u32 off, d0, 16; add.u64 i, in, off; sub.u64 at, to, in;
LOOP:
    .pragma "nounroll";
    setp.ge.u64 p, i, words;
    @p bra NEXT;
    {body}
    bra LOOP;
NEXT:
    sub.u32 r, r, 1;
    setp.ne.u32 p, r, 0;
    @p bra ROUND;
    mov.u64 last, %clock64;
    add.u32 s0, s0, s1; add.u32 s0, s0, s2; add.u32 s0, s0, s3;
    setp.eq.u32 q, s0, 0x12345;
    @q st.global.u32 [out], s0;
    setp.ne.u32 p, t, 0;
    @p ret;
    mad.wide.u32 record, c, 24, out; mov.u32 smid, %smid;
    st.global.u64 [record], first; st.global.u64 [record+8], last; st.global.u32 [record+16], smid;
    ret;
}}
"""
QUAD = "{{{r}0, {r}1, {r}2, {r}3}}"


def stream_body(read, write):
    regs = "abde"
    lines, modifier = [], read if read == ".cg" else ""
    for j in range(4):
        if j:
            lines.append(f"add.u64 i, i, step; ")
        if read:
            lines.append(f"ld.global{modifier}.v4.u32 {QUAD.format(r=regs[j])}, [i];")
        if write and not read:
            lines.append("add.u64 off, i, at; st.global.v4.u32 [off], {s0, s1, s2, s3};")
    if read and write:
        lines.append("add.u64 off, i, at;")
        for j in reversed(range(4)):
            lines.append(f"st.global.v4.u32 [off], {QUAD.format(r=regs[j])};" + (" sub.u64 off, off, step;" if j else ""))
    if read and not write:
        lines += [f"xor.b32 s{k}, s{k}, {r}{k};" for r in regs for k in range(4)]
    lines.append("add.u64 i, i, step;")
    return "\n    ".join(lines)


# One element of 8 bytes per thread: bandwidth by resident threads.
# The static shared memory and the launch limit an SM to two CTAs.
ONCE = """
.visible .entry once_read(.param .u64 p_in, .param .u64 p_n, .param .u64 p_out)
{
    .reg .b64 in, n, out, i; .reg .b32 t, c, w; .reg .f64 v, x; .reg .pred p;
    ld.param.u64 in, [p_in]; ld.param.u64 n, [p_n]; ld.param.u64 out, [p_out];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 w, %ntid.x;
    mad.lo.u32 t, c, w, t; cvt.u64.u32 i, t;
    setp.ge.u64 p, i, n;
    @p ret;
    mad.wide.u32 in, t, 8, in;
    ld.global.f64 v, [in];
    setp.ne.f64 p, v, 0d405EC7AE147AE148;
    @p ret;
    st.global.f64 [out], v;
    ret;
}
"""
ONCE_WRITE = """
.visible .entry once_write(.param .u64 p_in, .param .u64 p_n, .param .u64 p_out)
{
    .reg .b64 in, n, i; .reg .b32 t, c, w; .reg .f64 v; .reg .pred p;
    ld.param.u64 in, [p_in]; ld.param.u64 n, [p_n];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 w, %ntid.x;
    mad.lo.u32 t, c, w, t; cvt.u64.u32 i, t;
    setp.ge.u64 p, i, n;
    @p ret;
    mad.wide.u32 in, t, 8, in;
    mov.f64 v, 0d3FF0000000000000;
    st.global.f64 [in], v;
    ret;
}
"""

STRIDED = """
.visible .entry strided(.param .u64 p_in, .param .u32 p_n, .param .u32 p_stride, .param .u64 p_out)
{
    .reg .b64 in, out, at; .reg .b32 t, c, w, n, s, v; .reg .pred p;
    ld.param.u64 in, [p_in]; ld.param.u32 n, [p_n]; ld.param.u32 s, [p_stride]; ld.param.u64 out, [p_out];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 w, %ntid.x;
    mad.lo.u32 t, c, w, t;
    setp.ge.u32 p, t, n;
    @p ret;
    mul.lo.u32 s, s, 4;
    mad.wide.u32 at, t, s, in;
    ld.global.u32 v, [at];
    setp.ne.u32 p, v, 0x12345;
    @p ret;
    st.global.u32 [out], v;
    ret;
}
"""

# Atomics of every thread of the grid to base + lane*a + warp*b + cta*c.
ATOMIC = """
.visible .entry atomic_{name}(.param .u64 p_out, .param .u64 p_base, .param .u32 p_lane, .param .u32 p_warp, .param .u32 p_cta, .param .u32 p_rounds)
{{
    .reg .b64 out, base, at, first, last; .reg .b32 t, c, n, l, w, a, b, d, r, v, s, smid, z; .reg .f32 f; .reg .pred p;
    ld.param.u64 out, [p_out]; ld.param.u64 base, [p_base]; ld.param.u32 a, [p_lane]; ld.param.u32 b, [p_warp]; ld.param.u32 d, [p_cta]; ld.param.u32 r, [p_rounds];
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mov.u32 n, %ntid.x; and.b32 l, t, 31; shr.u32 w, t, 5;
    mad.wide.u32 at, l, a, base; mad.wide.u32 at, w, b, at; mad.wide.u32 at, c, d, at; mov.u32 s, 0; mov.u32 z, t; mov.f32 f, 0f3F800000;
    bar.sync 0;
    mov.u64 first, %clock64;
LOOP:
    .pragma "nounroll";
    {step}
    {step}
    {step}
    {step}
    sub.u32 r, r, 1;
    setp.ne.u32 p, r, 0;
    @p bra LOOP;
    membar.gl;
    mov.u64 last, %clock64;
    setp.eq.u32 p, s, 0x12345;
    @p st.global.u32 [out], s;
    setp.ne.u32 p, t, 0;
    @p ret;
    mad.wide.u32 out, c, 24, out; mov.u32 smid, %smid;
    st.global.u64 [out], first; st.global.u64 [out+8], last; st.global.u32 [out+16], smid;
    ret;
}}
"""
ATOMIC_STEPS = {
    "red_add_u32": "red.global.add.u32 [at], z;",
    "atom_add_u32": "atom.global.add.u32 v, [at], z; add.u32 s, s, v;",
    "red_add_f32": "red.global.add.f32 [at], f;",
    "atom_cas_b32": "atom.global.cas.b32 v, [at], s, z; add.u32 s, s, v;",
    "atom_exch_b32": "atom.global.exch.b32 v, [at], z; add.u32 s, s, v;",
    "st_u32": "st.volatile.global.u32 [at], z;",
}


def kernels():
    for name, read, write in (("read", "plain", False), ("readcg", ".cg", False), ("write", None, True), ("copy", "plain", True)):
        yield ptx.Raw(f"stream_{name}", STREAM.format(name=name, body=stream_body(read, write)))
    yield ptx.Raw("once_read", ONCE)
    yield ptx.Raw("strided", STRIDED)
    yield ptx.Raw("once_write", ONCE_WRITE)
    for name, step in ATOMIC_STEPS.items():
        yield ptx.Raw(f"atomic_{name}", ATOMIC.format(name=name, step=step))


def bandwidths(b, chain):
    rows = []
    for name in ("read", "readcg", "write", "copy"):
        for mb in (4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 128, 256, 1024, 2048):
            size = mb * MB
            if 2 * size > chain.size:
                continue
            best = None
            for threads, per_sm in ((1024, 2), (512, 4), (256, 1), (512, 1)):
                rounds = max(1, min(128, 1024 * MB // size)) if mb < 256 else 1
                grid = per_sm * b.gpu.sms
                words = size // 16 // (threads * grid * 4) * (threads * grid * 4)
                if not words:
                    continue
                args = [cuda.u64(b.out), cuda.u64(chain.base), cuda.u64(chain.base + chain.size // 2), cuda.u64(words), cuda.u32(rounds)]
                f = b.function(f"stream_{name}")
                got = []
                for _ in range(4):
                    seconds = b.gpu.seconds(lambda: b.gpu.launch(f, grid, threads, args))
                    words_out = b.gpu.read(b.out, "Q", 3 * grid)
                    sms = collections.defaultdict(list)
                    for k in range(grid):
                        sms[words_out[3 * k + 2] & 0xFFFF].append((words_out[3 * k], words_out[3 * k + 1]))
                    cycles = max(max(r[1] for r in rs) - min(r[0] for r in rs) for rs in sms.values())
                    got.append((seconds, cycles))
                seconds, cycles = sorted(got[1:])[1]
                moved = words * 16 * rounds * (2 if name == "copy" else 1)
                if best is None or moved / cycles > best[3]:
                    best = (threads, per_sm, moved / seconds / 1e9, moved / cycles)
            if best:
                rows.append([name, mb, best[0], best[1], f"{best[2]:.0f}", f"{best[3]:.1f}"])
    return rows


def few_sms(b, chain):
    """Bandwidth of streams on few SMs, from L2 and from device memory."""
    rows = []
    for name, mb in (("readcg", 16), ("read", 1024), ("write", 16), ("write", 1024)):
        f = b.function(f"stream_{name}")
        b.gpu.set_function(f, "carveout", -1)
        for sms in (1, 2, 4, 8, 16, 33, 66, 132):
            for threads, shared in ((1024, 0), (512, 0), (256, 0), (128, 0)):
                if sms > b.gpu.sms or (threads < 1024 and sms > 1):
                    continue
                # With at most one CTA per SM, each has an SM to itself.
                words = (mb * MB // 16 if mb < 100 else mb * MB // 16 * sms // 132) // (threads * sms * 4) * (threads * sms * 4)
                rounds = max(1, 4 * sms // 132) if mb < 100 else 1
                args = [cuda.u64(b.out), cuda.u64(chain.base), cuda.u64(chain.base + chain.size // 2), cuda.u64(words), cuda.u32(rounds + 1 if mb < 100 else 1)]
                got = []
                for _ in range(3):
                    if mb >= 100:
                        b.gpu.zero(chain.base + chain.size - 256 * MB, 256 * MB)  # evicts the others from L2
                    b.gpu.launch(f, sms, threads, args)
                    b.gpu.sync()
                    w = b.gpu.read(b.out, "Q", 3 * sms)
                    got.append(max(w[3 * k + 1] - w[3 * k] for k in range(sms)))
                moved = words * 16 * (rounds + 1 if mb < 100 else 1)
                rows.append([name, mb, sms, threads, f"{moved / statistics.median(got) / sms:.2f}"])
    return rows


def strides(b, chain):
    rows = []
    for s in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128):
        n = min(chain.size // 4 // s, 1 << 26)
        got = [b.gpu.seconds(lambda: b.gpu.launch(b.function("strided"), n // 256, 256, [cuda.u64(chain.base), cuda.u32(n), cuda.u32(s), cuda.u64(b.out)])) for _ in range(4)]
        rows.append([s, n, f"{4 * n / statistics.median(got[1:]) / 1e9:.1f}"])
    return rows


def residents(b, chain):
    """Bandwidth by resident threads: 8 bytes per thread, two CTAs per SM."""
    rows = []
    n = 1 << 27
    if 8 * n > chain.size:
        n = chain.size // 8
    for name in ("once_read", "once_write"):
        f = b.function(name)
        b.gpu.set_function(f, "max_dynamic_shared", 100 * KB)
        for per_sm, shared in ((2, 100 * KB), (1, 200 * KB), (4, 50 * KB), (0, 0)):
            if shared > 48 * KB:
                b.gpu.set_function(f, "max_dynamic_shared", shared)
            b.gpu.set_function(f, "carveout", 100 if shared else -1)
            for threads in (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024):
                args = [cuda.u64(chain.base), cuda.u64(n), cuda.u64(b.out)]
                resident = b.gpu.blocks_per_sm(f, threads, shared)
                times = [b.gpu.seconds(lambda: b.gpu.launch(f, n // threads, threads, args, shared)) for _ in range(3)]
                rows.append([name, shared >> 10, resident, threads, resident * threads, f"{8 * n / statistics.median(times) / 1e9:.1f}"])
    return rows


def atomics(b, chain):
    rows = []
    shapes = [("one address", 0, 0, 0), ("an address for each warp of a CTA, 128 bytes apart", 0, 128, 0), ("an address for each CTA, 4 KB apart", 0, 0, 4096), ("an address for each warp, 128 bytes apart", 0, 128, 4096),
              ("lanes consecutive, all warps alike", 4, 0, 0), ("lanes consecutive, a line for each warp of a CTA", 4, 128, 0), ("lanes consecutive, a line for each warp", 4, 128, 4096),
              ("lanes 32 bytes apart, all warps apart", 32, 1024, 32768), ("lanes 128 bytes apart, all warps apart", 128, 4096, 131072)]
    for name in ATOMIC_STEPS:
        for shape, lane, warp, cta in shapes:
            for grid, threads in ((1, 32), (1, 1024), (b.gpu.sms, 1024)):
                rounds = 8 if grid > 1 else 32
                def once(r):
                    args = [cuda.u64(b.out), cuda.u64(chain.base), cuda.u32(lane), cuda.u32(warp), cuda.u32(cta), cuda.u32(r)]
                    b.gpu.launch(b.function(f"atomic_{name}"), grid, threads, args)
                    b.gpu.sync()
                    w = b.gpu.read(b.out, "Q", 3 * grid)
                    return max(w[3 * k + 1] - w[3 * k] for k in range(grid))
                b.gpu.zero(chain.base, 32 * MB)
                low = statistics.median([once(rounds) for _ in range(3)])
                high = statistics.median([once(3 * rounds) for _ in range(3)])
                cycles = (high - low) / (2 * rounds) / 4
                rows.append([name, shape, grid, threads // 32, f"{cycles:.2f}", f"{grid * threads / cycles:.3f}" if cycles > 0 else ""])
    return rows


def parts(b):
    chain = Chain(b)
    return [
        lambda: {"residents": ("1 GB, one element of 8 bytes for each thread, by CTAs that reside on an SM and their threads; events, median of 3", ["kernel", "shared_kb", "ctas_per_sm", "threads", "resident_threads", "gb_per_s"], residents(b, chain))},
        lambda: {"bandwidth": ("16 bytes a lane and load, 4 loads in flight a thread; the best of 2 x 1024, 4 x 512, 1 x 512 and 1 x 256 threads an SM, median of 3; copy counts both ways. The data were touched by the rounds before where they fit L2", ["operation", "mb", "threads", "ctas_per_sm", "gb_per_s", "bytes_per_sm_clock"], bandwidths(b, chain))},
        lambda: {"few_sms": ("bytes per clock of one SM while so many SMs stream with one CTA each, 16 bytes a lane and load, 4 loads in flight a thread", ["operation", "mb", "sms", "threads", "bytes_per_clock_and_sm"], few_sms(b, chain))},
        lambda: {"strides": ("one load of 4 bytes for each thread, stride elements apart, from device memory; useful bytes; events, median of 3", ["stride", "threads", "gb_per_s"], strides(b, chain))},
        lambda: {"atomics": ("cycles from one to the next of a thread, and operations of lanes per clock of the whole GPU: difference of two numbers of them in a row", ["operation", "addresses", "ctas", "warps_per_cta", "cycles", "lanes_per_clock"], atomics(b, chain))},
    ]
