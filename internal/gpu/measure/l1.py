"""The first-level cache: cycles of a load by its lanes' addresses, the sets of its tags, requests to L2."""

import array

import ptx
from chains import MB, Chain


def pattern_kernel(name, load, registers, ilp, unroll=16):
    """Loads at data + pattern, one address per lane, of zeros that are added to the address: chains of loads of
    unchanged addresses. All chains of all warps are b bytes apart."""
    regs = [f".reg .b64 x{i}, v{i}_0, v{i}_1; .reg .b32 w{i}_0, w{i}_1, w{i}_2, w{i}_3, o{i};" for i in range(ilp)] + [".reg .b64 own; .reg .b32 sum;"]
    setup = ["mov.u32 sum, a;"] + [f"mad.wide.u32 own, lane, 4, data; ld.global.u32 o{i}, [own+{128 * i}]; mad.wide.u32 x{i}, o{i}, 1, data; add.u64 x{i}, x{i}, 4096; mad.lo.u32 o{i}, cta, 32, warp; mul.lo.u32 o{i}, o{i}, {ilp}; add.u32 o{i}, o{i}, {i}; mad.wide.u32 x{i}, o{i}, b, x{i};" for i in range(ilp)]
    body = []
    for n in range(unroll):
        i = n % ilp
        regs_of = registers.format(i=i)
        if load.startswith("st"):
            body.append(f"    {load} [x{i}], {regs_of};")
            continue
        fold = " ".join(f"or.b32 w{i}_0, w{i}_0, w{i}_{j};" for j in range(1, 4) if f"_{j}" in regs_of)
        body.append(f"    {load} {regs_of}, [x{i}]; {fold} mad.wide.u32 x{i}, w{i}_0, 1, x{i};")
    sink = [("u64", f"x{i}") for i in range(ilp)]
    setup += [f"mov.u32 w{i}_{j}, a;" for i in range(ilp) for j in range(4)]
    return ptx.Kernel(name, "\n".join(body), setup="\n".join(setup), registers="\n".join(regs), sink=sink)


PATTERN = {"ld4": ("ld.global.u32", "w{i}_0"), "ld8": ("ld.global.v2.u32", "{{w{i}_0, w{i}_1}}"), "ld16": ("ld.global.v4.u32", "{{w{i}_0, w{i}_1, w{i}_2, w{i}_3}}"),
           "ldcg4": ("ld.global.cg.u32", "w{i}_0"), "ldcg16": ("ld.global.cg.v4.u32", "{{w{i}_0, w{i}_1, w{i}_2, w{i}_3}}"),
           "st4": ("st.global.u32", "w{i}_0"), "st16": ("st.global.v4.u32", "{{w{i}_0, w{i}_1, w{i}_2, w{i}_3}}")}


def kernels():
    for name, (load, regs) in PATTERN.items():
        yield pattern_kernel(f"pattern_{name}", load, regs, 4)
    yield pattern_kernel("pattern_ld4_i1", *PATTERN["ld4"], 1)
    yield pattern_kernel("pattern_ldcg4_i1", *PATTERN["ldcg4"], 1)


def l1_patterns(b, chain):
    b.gpu.zero(b.data, b.data_size)
    rows = []
    strides = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 31, 32, 33, 40, 48, 63, 64, 65, 96, 128)
    def place(offsets):
        b.gpu.write(b.data, array.array("I", offsets * 4).tobytes())
    for width, name in ((4, "ld4"), (8, "ld8"), (16, "ld16")):
        for s in strides:
            for at in (0, 4, 8, 16, 32, 48, 64, 96, 124) if width == 4 else (0, 16, 32, 64, 112):
                place([at + lane * s * width for lane in range(32)])
                rows.append([name, f"stride {s}", at, f"{b.slope(f'pattern_{name}', 1024, 20, 60) / 16 / 32:.3f}"])
    seed = 12345
    for n in range(4):
        offsets = []
        for _ in range(32):
            seed = (1103515245 * seed + 12345) & 0x7FFFFFFF
            offsets.append(seed // 97 % 24576 * 4)
        place(offsets)
        rows.append(["ld4", "random: " + " ".join(map(str, offsets)), 0, f"{b.slope('pattern_ld4', 1024, 20, 60) / 16 / 32:.3f}"])
    # latency of one warp's load by pattern, including the multiply-add's 4 to 5 cycles
    latency = []
    for s in (0, 1, 2, 4, 8, 16, 32, 33, 64):
        place([lane * s * 4 for lane in range(32)])
        latency.append([f"stride {s}", f"{b.latency('pattern_ld4_i1') / 16:.2f}", f"{b.latency('pattern_ldcg4_i1') / 16:.2f}"])
    # From here on with a larger buffer of zeros, because each warp has its own lines.
    b.gpu.zero(chain.base, 256 * MB)
    def place(offsets):
        b.gpu.write(chain.base, array.array("I", offsets * 4).tobytes())
    hiding = []
    for name, stride, apart in (("ld4", 1, 0), ("ldcg4", 1, 512), ("ldcg4", 8, 8192), ("ldcg16", 1, 2048)):
        place([lane * stride * int(name.strip("ldcg")) for lane in range(32)])
        for ilp in (1, 4) if name != "ldcg16" else (4,):
            for warps in (1, 2, 4, 6, 8, 12, 16, 24, 32):
                kernel = f"pattern_{name}_i1" if ilp == 1 else f"pattern_{name}"
                alone = b.slope(kernel, 32 * warps, data=chain.base, b=apart) / 16 / warps
                full = b.slope(kernel, 32 * warps, data=chain.base, b=apart, grid=b.gpu.sms) / 16 / warps if apart else ""
                hiding.append([name, stride, ilp, warps, f"{alone:.3f}", f"{full:.3f}" if full else ""])
    beyond = []
    for name in ("ldcg4", "ldcg16", "st4", "st16"):
        width = int(name[-2:]) if name.endswith("16") else 4
        for s in (0, 1, 2, 4, 8):
            place([lane * s * width for lane in range(32)])
            for what, apart in (("all alike", 0), ("each its own", 32 * max(s, 1) * width)):
                got = [b.slope(f"pattern_{name}", 1024, 20, 60, data=chain.base, b=apart) / 16 / 32]
                got.append(b.slope(f"pattern_{name}", 1024, 20, 60, grid=b.gpu.sms, data=chain.base, b=apart) / 16 / 32)
                beyond.append([name, s, what, *[f"{v:.3f}" for v in got]])
    return rows, latency, hiding, beyond


def l1_tags(b):
    """Pairs of lines, each accessed by half of the lanes, in words of different banks: two cycles if both lines need
    the same part of the tags."""
    b.gpu.zero(b.data, b.data_size)
    def cost(offsets):
        b.gpu.write(b.data, array.array("I", offsets * 4).tobytes())
        return b.slope("pattern_ld4", 1024, 10, 30) / 16 / 32
    pairs = []
    for first in (0, 1):
        line = "".join(f"{min(round(cost([(first if i < 16 else other) * 128 + 4 * i for i in range(32)])), 9)}" for other in range(1024))
        pairs.append([f"lines {first} and k", line])
    # Many lines at once: each lane accesses a different one
    seed = 2026
    for n in (2, 3, 4, 6, 8, 12, 16, 24, 32):
        for turn in range(8):
            lines = []
            while len(lines) < n:
                seed = (1103515245 * seed + 12345) & 0x7FFFFFFF
                if (k := seed // 211 % 1024) not in lines:
                    lines.append(k)
            pairs.append(["lines " + " ".join(map(str, lines)), f"{cost([lines[i % n] * 128 + 4 * i for i in range(32)]):.3f}"])
    return pairs


def parts(b):
    chain = Chain(b)
    def l1():
        patterns, latency, hiding, beyond = l1_patterns(b, chain)
        return {
            "l1_patterns": ("cycles of the SM per warp load that hits L1, 32 warps with 4 in flight; at is the byte offset of lane 0 from a line's start", ["load", "pattern", "at", "cycles"], patterns),
            "l1_pattern_latency": ("cycles from a load of 4 bytes a lane to the next that depends on it, with a 64-bit addition between; L1 hit and L2 hit (.cg)", ["pattern", "l1", "l2"], latency),
            "hiding_memory": ("cycles of the SM per coalesced load of a warp, by warps and chains; ld4 hits L1, all chains at one line, ldcg hits L2, each chain at lines of its own; a 64-bit addition between dependent loads; one SM alone, and each of all SMs", ["load", "stride", "ilp", "warps", "one_sm", "all_sms"], hiding),
            "l2_requests": ("cycles of the SM per warp instruction, 32 warps with 4 in flight: loads that hit L2 (.cg) and stores, by stride in elements, at one place or each chain at a place of its own; one SM alone, and each of all SMs", ["operation", "stride", "places", "one_sm", "all_sms"], beyond),
        }
    return [
        l1,
        lambda: {"l1_tags": ("cycles of the SM per warp load that hits L1, of lanes at words of different banks in several 128-byte lines; in the rows of pairs one digit for each k from 0 to 1023", ["lines", "cycles"], l1_tags(b))},
    ]
