#!/usr/bin/env python3
"""Makes simd.txt: results of the functions of two and four integers in 32 bits, worked out one at a time.

It is run by hand: ./simd.py > simd.txt
"""
import random

random.seed(7)


def split(x, n, signed):
    w = 32 // n
    out = [(x >> (w * i)) % 2**w for i in range(n)]
    return [v - 2**w if signed and v >= 2 ** (w - 1) else v for v in out]


def join(vs, n):
    w = 32 // n
    return sum((v % 2**w) << (w * i) for i, v in enumerate(vs))


def clamp(v, lo, hi):
    return lo if v < lo else hi if v > hi else v


compare = {"eq": "==", "ne": "!=", "ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
for n in (2, 4):
    w = 32 // n
    lo, hi, most = -(2 ** (w - 1)), 2 ** (w - 1) - 1, 2**w - 1
    rules = {
        "abs": (True, abs), "absss": (True, lambda a: clamp(abs(a), lo, hi)), "neg": (True, lambda a: -a), "negss": (True, lambda a: clamp(-a, lo, hi)),
        "absdiffs": (True, lambda a, b: abs(a - b)), "absdiffu": (False, lambda a, b: abs(a - b)),
        "maxs": (True, max), "maxu": (False, max), "mins": (True, min), "minu": (False, min),
        "add": (True, lambda a, b: a + b), "addss": (True, lambda a, b: clamp(a + b, lo, hi)), "addus": (False, lambda a, b: clamp(a + b, 0, most)),
        "sub": (True, lambda a, b: a - b), "subss": (True, lambda a, b: clamp(a - b, lo, hi)), "subus": (False, lambda a, b: clamp(a - b, 0, most)),
        "avgs": (True, lambda a, b: (a + b + (1 if a + b >= 0 else 0)) // 2), "avgu": (False, lambda a, b: (a + b + 1) // 2), "haddu": (False, lambda a, b: (a + b) // 2),
    }
    for c, op in compare.items():
        for s in ("s", "u") if c not in ("eq", "ne") else ("",):
            f = eval("lambda a, b: a %s b" % op)
            rules["cmp" + c + s] = (s == "s", lambda a, b, f=f: most if f(a, b) else 0)
            rules["set" + c + s] = (s == "s", lambda a, b, f=f: 1 if f(a, b) else 0)
    for name, (signed, f) in rules.items():
        two = name not in ("abs", "absss", "neg", "negss")
        for a, b in [(0x807F01FF, 0x80FF8001), (0x7F800080, 0x7F7F0180), (random.getrandbits(32), random.getrandbits(32)), (0x12345678, 0x12345678)]:
            if two:
                r = join([f(x, y) for x, y in zip(split(a, n, signed), split(b, n, signed))], n)
            else:
                r = join([f(x) for x in split(a, n, signed)], n)
            print("v%s%d %08x %08x %08x" % (name, n, a, b, r))
    for name, signed in (("sads", True), ("sadu", False)):
        for a, b in [(0x807F01FF, 0x80FF8001), (0x7F800080, 0x7F7F0180), (random.getrandbits(32), random.getrandbits(32))]:
            print("v%s%d %08x %08x %08x" % (name, n, a, b, sum(abs(x - y) for x, y in zip(split(a, n, signed), split(b, n, signed)))))
