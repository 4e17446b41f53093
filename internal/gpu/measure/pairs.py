"""Finds operations that share a pipe, by running two independent kinds at the same time."""

import re

import instructions
import ptx

NAMES = ("add.s32 twice", "lop3.b32", "shf.l.wrap.b32", "prmt.b32", "selp.b32", "mad.lo.s32", "add.f32", "fma.rn.f32", "min+max.f32",
         "fma.rn.bf16x2", "fma.rn.f64", "ex2.approx.ftz.f32", "popc.b32", "cvt.rn.f32.s32", "cvt.rzi.s32.f32", "shfl.sync.bfly.b32")
WARPS, EACH = 16, 64


def operation(name):
    return next(o for o in instructions.OPERATIONS if o[0] == name)


def kernels():
    for i, a in enumerate(NAMES):
        for b in NAMES[i:]:
            parts = []
            for letter, name in (("A", a), ("B", b)):
                _, kind, steps, _ = operation(name)
                parts.append(rename(instructions.chain(name, kind, steps, 2, EACH), letter))
            lines = [line for pair in zip(parts[0]["body"].split("\n"), parts[1]["body"].split("\n")) for line in pair]
            yield ptx.Kernel(f"pair_{NAMES.index(a)}_{NAMES.index(b)}", body="\n".join(lines), setup=parts[0]["setup"] + "\n" + parts[1]["setup"],
                             registers=parts[0]["registers"] + "\n" + parts[1]["registers"], after=parts[0]["after"] + "\n" + parts[1]["after"],
                             sink=parts[0]["sink"] + parts[1]["sink"])


def rename(part, letter):
    """Renames the registers of one of the two, so that the other has its own."""
    names = set(re.findall(r"\.reg \.\w+ ([^;]+);", part["registers"] + part["after"]))
    words = {n.strip() for group in names for n in group.split(",")}
    pattern = re.compile(r"\b(" + "|".join(sorted(words, key=len, reverse=True)) + r")\b")
    change = lambda text: pattern.sub(lambda m: m[1] + letter, text)
    return {k: ([(t, change(r)) for t, r in v] if k == "sink" else change(v)) for k, v in part.items()}


def run(b):
    rows = []
    for i, one in enumerate(NAMES):
        for other in NAMES[i:]:
            # The time of these operations does not depend on values.
            instructions.constants(b, "f32", (1.25, 0.75, 1.0001, 0.5, 1.5, 2.5))
            name = f"pair_{i}_{NAMES.index(other)}"
            cycles = b.slope(name, 32 * WARPS) / EACH / WARPS * 4
            mix = ptx.mix(b.images.code.get(name, []))
            made = " ".join(f"{m}:{n}" for m, n in mix.most_common(3) if n >= EACH // 2)
            rows.append([one, other, f"{cycles:.3f}", made])
    return {"pairs": (
        "cycles of a scheduler for one operation of each kind, of 16 warps with two chains of each; about the sum of both intervals where they "
        "share a pipe, the larger where not; sass counts the most frequent instructions of the kernel, of which 64 are meant of each kind",
        ["one", "other", "cycles_per_scheduler", "sass"], rows)}
