"""Register banks: instructions with given source registers. The PTX assembler chooses registers itself, so the
machine code of assembled kernels is changed."""

import itertools
import pathlib
import struct

import ptx

COUNT = 128
# PTX, and the opcode in the low 12 bits of machine code of compute capability 7.0 to 9.0, with three (or two)
# registers as sources.
OPERATIONS = {
    "FFMA": ("fma.rn.f32 f{d}, f{a}, f{b}, f{c};", 0x223, 3),
    "FADD": ("add.f32 f{d}, f{a}, f{b};", 0x221, 2),
    "IMAD": ("mad.lo.s32 r{d}, r{a}, r{b}, r{c};", 0x224, 3),
    "IADD3": ("add.s32 r{d}, r{a}, r{b}; add.s32 r{d}, r{d}, r{c};", 0x210, 3),
}


def kernels():
    for name, (text, _, _) in OPERATIONS.items():
        lines = []
        for n in range(COUNT):
            lines.append("    " + text.format(d=n % 24, a=(n + 1) % 24, b=(n + 7) % 24, c=(n + 12) % 24))
        setup = "and.b32 lanea, lane, a; mad.wide.u32 own, lanea, 4, data; " + " ".join(f"ld.global.f32 f{i}, [own+{4 * i}]; ld.global.u32 r{i}, [own+{4 * i}];" for i in range(24))
        yield ptx.Kernel(f"banks_{name}", "\n".join(lines), setup=setup, registers=".reg .f32 f<24>; .reg .b32 r<24>, lanea; .reg .b64 own;",
                         sink=[("f32", f"f{i}") for i in range(24)] + [("u32", f"r{i}") for i in range(24)], module=f"// {name}\n")


def text_section(image, name):
    """Offset and size of a kernel's code in a cubin."""
    shoff, = struct.unpack_from("<Q", image, 0x28)
    shentsize, shnum, shstrndx = struct.unpack_from("<HHH", image, 0x3A)
    section = lambda i: struct.unpack_from("<IIQQQQ", image, shoff + i * shentsize)
    names = section(shstrndx)[4]
    for i in range(shnum):
        at, _, _, _, offset, size = section(i)
        if image[names + at:image.index(b"\0", names + at)].decode() == f".text.{name}":
            return offset, size
    raise KeyError(name)


def instructions(image, name, number):
    """Offsets of the instructions with this number."""
    offset, size = text_section(image, name)
    return [at for at in range(offset, offset + size, 16) if struct.unpack_from("<Q", image, at)[0] & 0xFFF == number]


def changed(image, at, destinations, sources, reuse):
    """Returns the image with other registers in the instructions at these offsets."""
    image = bytearray(image)
    for n, where in enumerate(at):
        low, high = struct.unpack_from("<QQ", image, where)
        low &= ~(0xFF << 16 | 0xFF << 24 | 0xFF << 32)
        low |= destinations[n % len(destinations)] << 16 | sources[0] << 24 | sources[1] << 32
        if len(sources) > 2:
            high = high & ~0xFF | sources[2]
        high &= ~(0xF << 58)  # bits 122 to 125: which operands are kept for reuse
        high |= reuse << 58
        struct.pack_into("<QQ", image, where, low, high)
    return bytes(image)


def hurried(image, name):
    """Returns the image without the assembler's stall cycles after the instructions between the kernel's two clock
    readings that are farthest apart."""
    clocks = instructions(image, name, 0x805)  # CS2R
    start, end = max(zip(clocks, clocks[1:]), key=lambda pair: pair[1] - pair[0])
    image = bytearray(image)
    for where in range(start, end, 16):
        high, = struct.unpack_from("<Q", image, where + 8)
        struct.pack_into("<Q", image, where + 8, high & ~(0xF << 41) | 1 << 41)  # bits 105 to 108
    return bytes(image)


def run(b):
    rows = []
    for name, (_, number, n) in OPERATIONS.items():
        image = pathlib.Path(b.images.where[f"banks_{name}"]).read_bytes()
        at = instructions(image, f"banks_{name}", number)
        used = set()
        for where in at:
            low, high = struct.unpack_from("<QQ", image, where)
            used |= {low >> 16 & 0xFF}
        of = {r: sorted(u for u in used if u % 4 == r) for r in range(4)}
        triples = list(itertools.product(range(4), repeat=n)) if name == "FFMA" else [t for t in itertools.product(range(3), repeat=n)]
        for residues in triples:
            # Different registers, one of each residue modulo 4.
            taken, sources = set(), []
            for r in residues:
                register = next(u for u in of[r] if u not in taken)
                taken.add(register)
                sources.append(register)
            for reuse in (0, 1) if name == "FFMA" and residues[0] == residues[1] else (0,):
                f = b.gpu.function(b.gpu.load(changed(image, at, sorted(used - taken), sources, reuse)), f"banks_{name}")
                b.functions["changed"] = f
                rows.append([name, len(at), " ".join(map(str, residues)), " ".join(f"R{s}" for s in sources), "a" if reuse else "",
                             *[f"{b.slope('changed', 32 * w, 8, 24) / len(at) / max(w / 4, 1):.3f}" for w in (1, 4, 16)]])
    return {"register_banks": ("cycles of a scheduler per instruction whose sources are other registers of these residues modulo 4 and whose destinations are none of them, without and with the first kept for reuse; "
                               "1 warp, 1 and 4 warps a scheduler; machine code changed after assembly", ["operation", "in_a_loop", "residues", "sources", "reuse", "w1", "w4", "w16"], rows)}
