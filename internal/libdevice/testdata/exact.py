#!/usr/bin/env python3
"""Makes exact.txt: values of functions at hard, special and random arguments.

It is run by hand, with Python 3 and mpmath 1.3: ./exact.py > exact.txt

A line has a function's name, its arguments, and its value as the sum of two floats: of
which the first is the nearest float64, and where that is subnormal or out of range the value
is m * 2^e, written m and e behind an @.
"""
import random, struct, sys
from mpmath import mp, mpf, inf, isnan, isinf, frexp, ldexp
import mpmath as m

mp.prec = 400
random.seed(20)


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def normal(lo, hi, signed=True):
    """Random with an exponent between lo and hi."""
    x = random.uniform(1, 2) * 2.0 ** random.randint(lo, hi - 1)
    return -x if signed and random.random() < 0.5 else x


def line(name, args, v):
    if not isinstance(v, mpf) or isinf(v) or isnan(v):
        return
    if v == 0:
        out = "0x0p+0 0x0p+0"
    else:
        man, e = frexp(v)
        h = float(man)
        l = float(man - mpf(h))
        out = "%s %s %d" % (h.hex(), l.hex(), int(e))
    print(name, *[a.hex() if isinstance(a, float) else str(a) for a in args], "=", out)


def many(name, f, args):
    for a in args:
        a = a if isinstance(a, tuple) else (a,)
        try:
            v = f(*[mpf(x) if isinstance(x, float) else x for x in a])
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        line(name, a, v)


def spread(n, *ranges, signed=True):
    return [normal(lo, hi, signed) for lo, hi in ranges for _ in range(n)]


def near(points, n=3):
    """Floats next to the points."""
    out = []
    for p in points:
        x = float(p)
        b = struct.unpack("<Q", struct.pack("<d", abs(x)))[0]
        for d in range(-n, n + 1):
            v = f64(b + d)
            out.append(-v if x < 0 else v)
    return out


def pairs(xs, ys):
    return list(zip(xs, ys))


pi = m.pi
hardTrig = [6381956970095103.0 * 2.0**797, 5.319372648326541e255, 1e22, 1e300, 1.7976931348623157e308, float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.6ac5b262ca1ffp+849")]
trig = spread(25, (-40, -1), (-1, 3), (3, 20), (20, 60)) + spread(15, (60, 1023)) + hardTrig + near([k * pi / 2 for k in (1, 2, 3, 4, 5, 11, 33, 101, 355, 710)], 1) + [float.fromhex("0x1p-1022"), 5e-324]
many("sin", m.sin, trig)
many("cos", m.cos, trig)
many("tan", m.tan, trig)
turn = spread(25, (-40, -1), (-1, 3), (3, 40)) + near([0.25, 0.5, 1.0, 1.5, 2.0, 1000.5], 1)
many("sinpi", m.sinpi, turn + [5e-324, 1e-310])
many("cospi", m.cospi, turn)

exps = spread(20, (-60, -5), (-5, 0), (0, 4), (4, 9)) + [709.7, 709.782712893384, -708.4, -720.0, -740.0, -745.1, 88.7, -87.3, -103.9, 5e-324]
many("exp", m.exp, exps)
many("expm1", m.expm1, exps)
many("exp2", lambda x: mpf(2) ** x, spread(20, (-60, -5), (-5, 0), (0, 4), (4, 10)) + [1023.9, -1022.5, -1050.25, -1074.0, -1074.4, 0.5, -0.5])
many("exp10", lambda x: mpf(10) ** x, spread(20, (-60, -5), (-5, 0), (0, 4), (4, 8)) + [308.2, -307.5, -315.25, -323.0, 1.0, 2.0, 22.0, 23.0])
logs = spread(25, (-1074, -1), (-1, 1), (1, 60), (60, 1023), signed=False) + near([1], 20) + near([0.5, 2, 10, 100, 1e22], 1) + [5e-324, 1.7976931348623157e308]
many("log", m.log, logs)
many("log2", lambda x: m.log(x) / m.log(2), logs + [8.0, 0.125, 2.0**-1074])
many("log10", lambda x: m.log(x) / m.log(10), logs + [1000.0, 1e-5])
many("log1p", m.log1p, spread(25, (-60, -10), (-10, -1)) + spread(30, (-1, 50), (50, 1023), signed=False) + near([-1], 4) + [-0.9999])
hyper = spread(25, (-40, -3), (-3, 1), (1, 5), (5, 9)) + [710.4, 710.475, 5e-324]
many("sinh", m.sinh, hyper)
many("cosh", m.cosh, hyper)
many("tanh", m.tanh, hyper)
inverse = spread(25, (-60, -3), (-3, 1), (1, 30), (30, 1023))
many("asinh", m.asinh, inverse)
many("acosh", m.acosh, [1 + abs(x) for x in inverse] + near([1], 10)[11:] + [2.0, 1.5])
unit = spread(30, (-60, -10), (-10, -3), (-3, 0)) + near([1, 0.5, -1], 4)
unit = [x for x in unit if abs(x) <= 1]
many("atanh", m.atanh, [x for x in unit if abs(x) < 1])
many("asin", m.asin, unit)
many("acos", m.acos, unit)
many("atan", m.atan, spread(25, (-60, -3), (-3, 1), (1, 30), (30, 1023)) + near([1, 0.41421356237], 3))
many("atan2", lambda y, x: m.atan2(y, x), pairs(spread(60, (-5, 5)), spread(60, (-5, 5))) + pairs(spread(40, (-1000, 1000)), spread(40, (-1000, 1000))) + [(5e-324, 2.0), (1e-310, 1.5), (1e-300, 1e8), (1.0, -1.0), (1e-30, -1.0)])
bases, powers = spread(60, (-3, 3), signed=False), spread(60, (-3, 6))
many("pow", lambda x, y: m.exp(y * m.log(x)) if x > 0 else x ** int(y), pairs(bases, powers) + pairs(spread(40, (-1000, 1000), signed=False), spread(40, (-6, 0))) + pairs([1 + normal(-30, -2) for _ in range(40)], spread(40, (0, 30))) +
     [(2.0, 0.5), (3.0, 33.0), (-3.0, 33.0), (-1.5, -7.0), (10.0, 22.0), (10.0, 23.0), (10.0, -5.0), (2.0, -1074.0), (2.0, -1060.5), (0.5, 1070.25), (9.0, 1.5), (1.0000000001, 7e12), (7.0, 18.0), (1e-150, 2.0), (3e-160, 2.0), (134217729.0, 2.0)])
many("powi", lambda x, n: x ** n, [(normal(-3, 3), random.randint(-40, 40)) for _ in range(40)] + [(1.0000001, 2147483647), (0.9999999, -2147483648), (-2.0, 3)])
roots = spread(60, (-1000, 1000)) + [8.0, 27.0, 1e-310, 5e-324, 1.7e308, 64.0, 1000.0]
many("cbrt", lambda x: m.sign(x) * m.cbrt(abs(x)), roots)
many("rcbrt", lambda x: m.sign(x) / m.cbrt(abs(x)), roots)
many("rsqrt", lambda x: 1 / m.sqrt(x), [abs(x) for x in roots])


def norm(*v):
    return m.sqrt(sum(x * x for x in v))


for name, n in (("hypot", 2), ("norm3d", 3), ("norm4d", 4)):
    vs = []
    for _ in range(50):
        e = random.randint(-1000, 1000)
        vs.append(tuple(normal(-4, 4) * 2.0**e for _ in range(n)))
        vs.append(tuple(normal(-60, 60) for _ in range(n)))
    vs += [tuple([3.0, 4.0, 12.0, 84.0][:n]), tuple([5e-324] * n), tuple([1e-308] * n), tuple([1.2e308] + [1e307] * (n - 1))]
    many(name, norm, vs)
    many("r" + name, lambda *v: 1 / norm(*v), vs)

erfs = spread(25, (-60, -5), (-5, 1), (1, 3)) + near([2, 0.5, 1], 1) + [5.9, 6.0, 27.2, 26.5, -5.9, 1e-310]
many("erf", m.erf, erfs)
many("erfc", m.erfc, erfs + spread(25, (3, 5), signed=False))
many("normcdf", lambda x: m.erfc(-x / m.sqrt(2)) / 2, spread(25, (-60, -5), (-5, 1), (1, 5)) + [-38.4, -37.5, 8.2])


def erfcx(x):
    mp.prec += 1400
    if x > 40:
        v = t = mpf(1)
        for k in range(1, 120):
            t *= -(2 * k - 1) / (2 * x * x)
            if abs(t) < mpf(2) ** -400:
                break
            v += t
        v /= x * m.sqrt(pi)
    else:
        v = m.erfc(x) * m.exp(x * x)
    mp.prec -= 1400
    return +v


many("erfcx", erfcx, spread(25, (-60, -5), (-5, 1), (1, 4)) + spread(25, (4, 5), (5, 1023), signed=False) + [-26.6, 1.7e308])


def inverse(f, derivative, start):
    def g(y):
        x = start(y)
        for _ in range(200):
            d = (f(x) - y) / derivative(x)
            x -= d
            if abs(d) < abs(x) * mpf(2) ** -380:
                return x
        raise ValueError
    return g


def erfcinv(z):
    if z > 1:
        return -erfcinv(2 - z)
    if z > 0.5:
        return m.erfinv(1 - z)
    x = m.sqrt(-m.log(z))
    for _ in range(400):  # of log(erfc(x)): it is convex enough
        d = (m.log(m.erfc(x)) - m.log(z)) / (-2 / m.sqrt(pi) * m.exp(-x * x) / m.erfc(x))
        x -= d
        if abs(d) < x * mpf(2) ** -200:
            return x
    raise ValueError


def erfinvHard(y):
    return erfcinv(1 - y) if y > 0.5 else -erfcinv(1 + y) if y < -0.5 else m.erfinv(y)


uniform = [random.random() for _ in range(40)]
many("erfinv", erfinvHard, spread(25, (-60, -5), (-5, 0)) + [1 - 2.0**-k for k in (1, 2, 5, 10, 20, 40, 53)] + [-u for u in uniform] + near([0.5], 1))
tails = uniform + spread(25, (-60, -2), (-1000, -60), signed=False) + [5e-324, 0.5, 0.25, 0.75]
many("erfcinv", erfcinv, tails + [2 * u for u in uniform] + near([1], 2) + [2 - 2.0**-k for k in (3, 20, 51)])
many("normcdfinv", lambda p: -m.sqrt(2) * erfcinv(2 * p), tails + [1 - 2.0**-k for k in (2, 5, 30, 53)])

gammas = spread(25, (-60, -2), (-2, 2), (2, 6)) + near([1, 2, 0.5, 1.5, 2.5, 3, 20], 2) + [171.5, 171.62, -0.5, -1.5, -2.5, -20.5, -100.25, -170.5, -178.3, 1e-300, 10.0, 23.0]
many("tgamma", m.gamma, gammas)
zeros = [m.findroot(lambda x: m.log(abs(m.gamma(x))), z, verify=False) for z in (-2.457, -2.747, -3.143, -3.955, -4.039, -4.991, -5.008, -6.0013)]
many("lgamma", lambda x: m.re(m.loggamma(x)) if x > 0 else m.log(abs(m.gamma(x))), gammas + spread(25, (6, 60), (60, 1010), signed=False) + near(zeros, 3) + near([-2, -3, -10], 2) + [-1e5 - 0.25, 2.5e305, -1e-310])


def besselzeros(f, n, k):
    return [f(n, i) for i in k]


some = (1, 2, 3, 4, 5, 6, 8, 20, 100)
for n in (0, 1):
    at = spread(25, (-30, 1), (1, 4), (4, 10)) + spread(8, (10, 60), (60, 1000)) + near([15.999999999999, 16], 1)
    many("j%d" % n, lambda x: m.besselj(n, x), at + near(besselzeros(m.besseljzero, n, some), 2))
    at = [abs(x) for x in at] + near([0.5, 1], 1)
    many("y%d" % n, lambda x: m.bessely(n, x), at + near(besselzeros(m.besselyzero, n, some), 2))
orders = [2, 3, 5, 10, 30, 100, 1000]
many("jn", lambda n, x: m.besselj(n, x), [(n, normal(-3, 9)) for n in orders for _ in range(10)] + [(7, 7.0), (50, 1.0), (100, 1e-2), (2, 1e10), (200, 0.7), (30, 1e5), (1000, 1e12), (3, 37.0), (5, 101.0), (2, 16.0), (7, 1e30), (2, 1e-150), (2, 1e-161), (3, 1e-100), (3, 2.0**-355), (100, 99.5), (100, 100.0), (1000, 900.0), (28, 5e-324)])
many("yn", lambda n, x: m.bessely(n, x), [(n, normal(-3, 9, False)) for n in orders for _ in range(10)] + [(7, 7.0), (50, 1.0), (2, 1e10), (3, 1e-90), (30, 1e5), (1000, 1e12), (3, 37.0), (5, 101.0), (7, 1e30), (2, 1e-150), (2, 2.0**-505), (5, 1e-60), (3, 0.99), (100, 99.5)])
many("cyl_bessel_i0", lambda x: m.besseli(0, x), spread(25, (-60, -2), (-2, 3), (3, 9)) + near([20], 2) + [713.0, 700.0])
many("cyl_bessel_i1", lambda x: m.besseli(1, x), spread(25, (-60, -2), (-2, 3), (3, 9)) + near([20], 2) + [713.0, 700.0])
