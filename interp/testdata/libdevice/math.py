#!/usr/bin/env python3
"""Makes math.txt: arguments for the kernels of math.cu, and what they are to store.

It is run by hand, with Python 3 and mpmath 1.3: ./math.py > math.txt

A line has the kernel, the thread, a name and a number: x or y, an argument, or a value of the list
that is the kernels' order. A value is written with 25 digits, exact ones as floats.
"""
import math, random, struct
from mpmath import mp, mpf
import mpmath as m

mp.prec = 300
random.seed(11)


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def remquo(x, y):
    r = math.remainder(x, y)
    q = int(round((mpf(x) - mpf(r)) / mpf(y)))
    q = (abs(q) & 7) * (1 if q >= 0 else -1)
    return r, q


def away(x):
    return math.copysign(math.floor(abs(mpf(x)) + mpf(0.5)), x)


def values(x, y):
    X, Y = mpf(x), mpf(y)
    frac, whole = math.modf(x)
    man, e = math.frexp(x)
    r, q = remquo(x, y)
    return [("sin", m.sin(X)), ("cos", m.cos(X)), ("tan", m.tan(X)), ("exp", m.exp(X)), ("log", m.log(Y)), ("pow", Y ** X), ("erf", m.erf(X)), ("erfc", m.erfc(X)),
            ("lgamma", m.loggamma(Y)), ("tgamma", m.gamma(X)), ("j0", m.besselj(0, Y)), ("y1", m.bessely(1, Y)), ("jn", m.besselj(3, Y)), ("cbrt", m.sign(X) * m.cbrt(abs(X))), ("hypot", m.sqrt(X * X + Y * Y)),
            ("atan2", m.atan2(X, Y)), ("asinh", m.asinh(X)), ("tanh", m.tanh(X)), ("log1p", m.log1p(Y)), ("normcdf", m.erfc(-X / m.sqrt(2)) / 2), ("sincos.s", m.sin(X)), ("sincos.c", m.cos(X)),
            ("frexp", man), ("frexp.e", e), ("modf", frac), ("modf.whole", whole), ("remquo", r), ("remquo.q", q), ("fmod", math.fmod(x, y)), ("sqrt", m.sqrt(Y)), ("sinpi", m.sinpi(X)), ("round", away(x))]


def text(v):
    if isinstance(v, mpf):
        return m.nstr(v, 25, min_fixed=0, max_fixed=0)
    return repr(float(v))


for kernel, cast in (("doubles", float), ("floats", single)):
    for i in range(40):
        x = cast(random.uniform(-8, 8) if i % 2 else random.gauss(0, 1) * 10.0 ** random.randint(-3, 1))
        y = cast(random.uniform(0.01, 9) if i % 2 else abs(random.gauss(0, 1)) * 10.0 ** random.randint(-2, 1))
        print(kernel, i, "x", repr(x))
        print(kernel, i, "y", repr(y))
        for name, v in values(x, y):
            print(kernel, i, name, text(v))
