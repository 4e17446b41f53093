"""Shared memory: latency and throughput by bank conflicts, widths, atomics."""

import array

import ptx

MODULE = ".shared .align 128 .b8 smem[40960];\n"
UNROLL = 32


def kernel(name, steps, ilp, extra="", chained=True, sinks=()):
    """Returns a kernel of chains through shared memory: each lane of chain i reads a word with the address of the word
    itself."""
    regs = [f".reg .b32 x{i}, z{i}, w{i}, v{i}; .reg .f32 f{i}; .reg .b64 u{i};" for i in range(ilp)] + [".reg .b32 s, o; .reg .b64 own; .reg .pred active;"] + [extra]
    setup = ["mov.u32 s, smem; mad.wide.u32 own, lane, 4, data; setp.ne.u32 active, a, 1;"]
    for i in range(ilp):
        setup.append(f"""ld.global.u32 o, [own+{128 * i}]; add.u32 x{i}, s, o; mov.u32 w{i}, a; mov.u32 z{i}, a; mov.u32 v{i}, a; mov.f32 f{i}, 0f00000000;
    st.shared.u32 [x{i}], x{i};""")
    body = [("    " + steps[n // ilp % len(steps)]).format(x=f"x{n % ilp}", z=f"z{n % ilp}", w=f"w{n % ilp}", v=f"v{n % ilp}", f=f"f{n % ilp}", u=f"u{n % ilp}") for n in range(UNROLL)]
    sink = [("u32", f"{r}{i}") for i in range(ilp) for r in ("x", "z", "w", "v")] + [("f32", f"f{i}") for i in range(ilp)]
    return ptx.Kernel(name, "\n".join(body), setup="\n".join(setup), registers="\n".join(regs), sink=sink, module=MODULE)


# Steps of chains, by name; a step with an address as its result measures latency.
STEPS = {
    "ld4": "ld.shared.u32 {x}, [{x}];",
    "ld8": "ld.volatile.shared.v2.u32 {{{x}, {z}}}, [{x}];",
    "ld16": "ld.volatile.shared.v4.u32 {{{x}, {z}, {w}, {v}}}, [{x}];",
    "st4": "st.volatile.shared.u32 [{x}], {x};",
    "st8": "st.volatile.shared.v2.u32 [{x}], {{{x}, {x}}};",
    "st16": "st.volatile.shared.v4.u32 [{x}], {{{x}, {x}, {x}, {x}}};",
    "st4+ld4": "st.volatile.shared.u32 [{x}], {x}; ld.volatile.shared.u32 {x}, [{x}];",
    "atom.add": "atom.shared.add.u32 {x}, [{x}], a;",
    "atom.inc1": "atom.shared.add.u32 {z}, [{x}], 1;",
    "atom.min": "atom.shared.min.u32 {x}, [{x}], {x};",
    "atom.or": "atom.shared.or.b32 {x}, [{x}], a;",
    "atom.exch": "atom.shared.exch.b32 {x}, [{x}], {x};",
    "atom.cas": "atom.shared.cas.b32 {x}, [{x}], {x}, {x};",
    "atom.add.f32": "atom.shared.add.f32 {f}, [{x}], {f};",
    "atom.add.u64": "atom.shared.add.u64 {u}, [{x}], {u};",
    "red.add": "red.shared.add.u32 [{x}], a;",
    "ldmatrix.x1": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{z}}}, [{x}]; and.b32 {z}, {z}, a; add.u32 {x}, {x}, {z};",
    "ldmatrix.x4": "{{.reg .b32 m1, m2, m3; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{z}, m1, m2, m3}}, [{x}]; and.b32 {z}, {z}, a; add.u32 {x}, {x}, {z};}}",
}

STRIDES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 33)


def ident(step):
    return step.replace(".", "_").replace("+", "_")


def kernels():
    for name, step in STEPS.items():
        for ilp in (1, 4):
            yield kernel(f"shared_{ident(name)}_i{ilp}", [step], ilp)


def patterns(width):
    """Yields byte offsets of 32 lanes, by name."""
    for s in STRIDES:
        yield f"stride {s}", [i * s * width for i in range(32)]
    for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32):
        # n lanes in bank 0, the others in banks of their own
        if width == 4:
            yield f"column {n}", [i * 128 if i < n else 4 * i for i in range(32)]
    if width > 4:
        for x in (1, 2, 4, 8, 16):
            yield f"lanes i and i^{x} alike, else consecutive", [(i & ~x) * width for i in range(32)]
            # the remaining lanes are in the same banks
            yield f"lanes i and i^{x} alike, else 512 bytes apart", [(i & ~x) * 512 for i in range(32)]
        for k in (1, 2, 4, 8, 16):
            # k different words: lane i uses word i mod k, or i div 32/k; the words are adjacent, or in one bank
            yield f"{k} places, lane mod {k}", [i % k * width for i in range(32)]
            yield f"{k} places, lane mod {k}, 512 bytes apart", [i % k * 512 for i in range(32)]
            yield f"{k} places, lane div {32 // k}", [i // (32 // k) * width for i in range(32)]
            yield f"{k} places, lane div {32 // k}, 512 bytes apart", [i // (32 // k) * 512 for i in range(32)]
        yield "8 lanes at each of 4 places of one bank, others consecutive", [i // 8 * 512 + i % 8 // 8 * width for i in range(32)]
        yield "first half alike, second consecutive", [0 if i < 16 else i * width for i in range(32)]
        yield "reversed", [(31 - i) * width for i in range(32)]
        yield "halves swapped", [(i ^ 16) * width for i in range(32)]
        yield "evens then odds", [((i >> 1) | (i & 1) << 4) * width for i in range(32)]
        yield "quads apart", [(i % 4 * 8 + i // 4) * width for i in range(32)]
        yield "two rows of one bank", [(i % 2) * 1024 + i // 2 * width for i in range(32)]
    else:
        yield "permuted", [(i * 5 + 3) % 32 * 4 for i in range(32)]
        yield "pairs alike", [i // 2 * 4 for i in range(32)]
        yield "two words of one bank", [i % 2 * 128 for i in range(32)]
        yield "xor swizzled column of 32x32", [i * 128 + (i ^ 5) * 4 for i in range(32)]


def place(b, offsets):
    b.gpu.write(b.data, array.array("I", offsets * 4).tobytes())


def run(b):
    rows = []
    for width in (4, 8, 16):
        for name, offsets in patterns(width):
            if max(offsets) + width > 40960:
                continue
            place(b, offsets)
            latency = b.latency(f"shared_ld{width}_i1") / UNROLL
            load = b.slope(f"shared_ld{width}_i4", 1024) / UNROLL / 32
            store = b.slope(f"shared_st{width}_i4", 1024) / UNROLL / 32
            rows.append([width, name, f"{latency:.2f}", f"{load:.3f}", f"{store:.3f}", " ".join(str(o) for o in offsets)])
    atomics = []
    shapes = [("one address", n, [0 if i < n else 4 * i for i in range(32)]) for n in (1, 2, 3, 4, 8, 16, 32)]
    shapes += [("one bank", n, [i * 128 if i < n else 4 * i for i in range(32)]) for n in (2, 4, 8, 16, 32)]
    for step in STEPS:
        if step in ("ld4", "ld8", "ld16", "st4", "st8", "st16"):
            continue
        for shape, n, offsets in shapes:
            if not step.startswith(("atom", "red")) and n > 1:
                continue
            if step == "atom.add.u64":
                offsets = [2 * o for o in offsets]
            elif step.startswith("ldmatrix"):
                offsets = [16 * i for i in range(32)]
            place(b, offsets)
            latency = b.latency(f"shared_{ident(step)}_i1", low=4, high=12) / UNROLL
            one = b.slope(f"shared_{ident(step)}_i4", 32, low=4, high=12) / UNROLL
            many = b.slope(f"shared_{ident(step)}_i4", 1024, low=4, high=12) / UNROLL / 32
            atomics.append([step, shape, n, f"{latency:.2f}", f"{one:.2f}", f"{many:.3f}"])
    hiding = []
    for name, offsets in (("conflict-free", [4 * i for i in range(32)]), ("2-way", [8 * i for i in range(32)]), ("4-way", [16 * i for i in range(32)])):
        place(b, offsets)
        for ilp in (1, 4):
            for warps in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32):
                hiding.append([name, ilp, warps, f"{b.slope(f'shared_ld4_i{ilp}', 32 * warps) / UNROLL / warps:.3f}"])
    return {
        "shared": ("latency: cycles of a load whose result is the next address, one warp. load, store: cycles of the SM per warp instruction, 32 warps, 4 in flight each; medians of 5",
                   ["width", "pattern", "latency", "load", "store", "byte_offsets_of_lanes"], rows),
        "shared_atomics": ("latency of a chain, one warp (for st4+ld4 of the pair, for ldmatrix with an AND and an ADD behind it); "
                           "one: cycles per instruction of one warp with 4 chains; many: cycles of the SM per warp instruction, 32 warps. n lanes share an address, or a bank; the others lie in banks of their own",
                           ["operation", "shape", "n", "latency", "one_warp", "many"], atomics),
        "hiding_shared": ("cycles of the SM per shared load (4 bytes a lane) of a warp, by chains per warp and warps",
                          ["pattern", "ilp", "warps", "cycles_per_load"], hiding),
    }
