package libdevice

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestSpecialValuesMatchC99: results for zeros, infinities, NaN, poles and exact cases from C99 and CUDA's
// documentation. A line has a function, its arguments and its result, for both precisions unless the name ends in one.
func TestSpecialValuesMatchC99(t *testing.T) {
	for row := range strings.Lines(specialValues) {
		left, want, _ := strings.Cut(strings.TrimSpace(row), " = ")
		words := strings.Fields(left)
		for _, suffix := range []string{"", "f"} {
			if strings.HasSuffix(words[0], ".d") && suffix != "" {
				continue
			}
			f := Lookup(Prefix + strings.TrimSuffix(words[0], ".d") + suffix)
			if f == nil {
				t.Fatalf("no function %s", words[0])
			}
			if f.Eval == nil {
				continue // an instruction
			}
			got, expected := call(t, f, words[1:]), number(t, want)
			if f.Results[0] == F32 {
				expected = float64(float32(expected))
			}
			same := math.Float64bits(got) == math.Float64bits(expected) || got != got && expected != expected
			if f.Results[0] == I32 {
				same = got == expected
			}
			if !same {
				t.Errorf("%s(%s) = %v, want %s", f.Name, strings.Join(words[1:], ", "), got, want)
			}
		}
	}
}

const specialValues = `fmod 5 3 = 2
fmod -5 3 = -2
fmod -6 3 = -0
fmod 1 inf = 1
fmod inf 1 = nan
fmod 1 0 = nan
fmod nan 1 = nan
fmod.d 1e300 7e-300 = 5.651755366164927e-300
remainder 5 3 = -1
remainder 7 2 = -1
remainder 5 2 = 1
remainder -6 3 = -0
remainder 3 inf = 3
remainder 3 0 = nan
nextafter 1 1 = 1
nextafter 0 -0 = -0
nextafter nan 1 = nan
nextafter.d 1 2 = 1.0000000000000002
nextafter.d 0 -1 = -5e-324
nextafter.d inf 0 = 1.7976931348623157e308
ldexp 0.75 4 = 12
ldexp -0 4 = -0
ldexp 1 4000 = inf
ldexp.d 1.5 -1074 = 1e-323
ldexp.d 1.25 -1074 = 5e-324
ldexp.d 1 -1075 = 0
scalbn 3 -1 = 1.5
logb 8 = 3
logb 0.75 = -1
logb 0 = -inf
logb -inf = inf
logb nan = nan
logb.d 5e-324 = -1074
ilogb 8 = 3
ilogb 0 = -2147483648
ilogb nan = -2147483648
ilogb inf = 2147483647
exp 0 = 1
exp inf = inf
exp -inf = 0
exp nan = nan
exp.d 1e308 = inf
exp2 -inf = 0
exp2 inf = inf
exp2 10 = 1024
exp2.d -1074 = 5e-324
exp2.d -1076 = 0
exp10 3 = 1000
exp10 inf = inf
exp10 -inf = 0
exp10 nan = nan
expm1 -inf = -1
expm1 inf = inf
expm1 -0 = -0
log 0 = -inf
log -0 = -inf
log -1 = nan
log inf = inf
log 1 = 0
log2 0 = -inf
log2 1024 = 10
log2 -1 = nan
log10 1000 = 3
log10 0 = -inf
log1p -1 = -inf
log1p -2 = nan
log1p -0 = -0
log1p inf = inf
log1p.d 1e308 = 709.1962086421661
pow 2 10 = 1024
pow -2 3 = -8
pow -2 2 = 4
pow -2 0.5 = nan
pow nan 0 = 1
pow 1 nan = 1
pow nan 1 = nan
pow 0 3 = 0
pow -0 3 = -0
pow -0 2 = 0
pow -0 -3 = -inf
pow 0 -2 = inf
pow -0 0.5 = 0
pow -1 inf = 1
pow -1 -inf = 1
pow 0.5 inf = 0
pow 0.5 -inf = inf
pow 2 inf = inf
pow 2 -inf = 0
pow -inf -3 = -0
pow -inf 3 = -inf
pow -inf 2 = inf
pow inf 0.5 = inf
pow inf -1 = 0
powi 2 -2 = 0.25
powi nan 0 = 1
sinh -0 = -0
sinh -inf = -inf
sinh 1000 = inf
cosh 0 = 1
cosh -inf = inf
tanh inf = 1
tanh -0 = -0
tanh -50 = -1
asinh -0 = -0
asinh -inf = -inf
acosh 1 = 0
acosh 0.5 = nan
acosh inf = inf
atanh 1 = inf
atanh -1 = -inf
atanh 1.5 = nan
atanh -0 = -0
sin -0 = -0
sin inf = nan
cos 0 = 1
cos -inf = nan
tan -0 = -0
tan inf = nan
sinpi -0 = -0
sinpi 3 = 0
sinpi -2 = -0
sinpi 0.5 = 1
sinpi 1.5 = -1
sinpi inf = nan
cospi 0.5 = 0
cospi -1.5 = 0
cospi 1 = -1
cospi 1e30 = 1
cospi nan = nan
asin -0 = -0
asin 2 = nan
asin 1 = 1.5707963267948966
acos 1 = 0
acos -1 = 3.141592653589793
acos 1.5 = nan
acos 0 = 1.5707963267948966
atan -inf = -1.5707963267948966
atan -0 = -0
atan2 0 1 = 0
atan2 -0 1 = -0
atan2 0 -1 = 3.141592653589793
atan2 -0 -1 = -3.141592653589793
atan2 0 -0 = 3.141592653589793
atan2 -0 0 = -0
atan2 1 0 = 1.5707963267948966
atan2 -1 -0 = -1.5707963267948966
atan2 inf inf = 0.7853981633974483
atan2 inf -inf = 2.356194490192345
atan2 -inf -inf = -2.356194490192345
atan2 1 inf = 0
atan2 -1 inf = -0
atan2 1 -inf = 3.141592653589793
atan2 inf 1 = 1.5707963267948966
atan2 nan 1 = nan
cbrt -0 = -0
cbrt -inf = -inf
cbrt -27 = -3
rcbrt 0 = inf
rcbrt -0 = -inf
rcbrt inf = 0
rcbrt 8 = 0.5
rsqrt 4 = 0.5
rsqrt 0 = inf
rsqrt -0 = -inf
rsqrt inf = 0
rsqrt -1 = nan
hypot 3 4 = 5
hypot inf nan = inf
hypot nan -inf = inf
hypot nan 1 = nan
hypot -0 0 = 0
rhypot 3 4 = 0.2
rhypot 0 0 = inf
rhypot inf nan = 0
norm3d 2 3 6 = 7
norm3d nan nan inf = inf
norm4d 1 2 2 4 = 5
rnorm4d 0 0 0 0 = inf
erf -0 = -0
erf inf = 1
erf -inf = -1
erf nan = nan
erf 10 = 1
erfc -inf = 2
erfc inf = 0
erfc 0 = 1
erfc.d 28 = 0
erfcx 0 = 1
erfcx inf = 0
erfcx -inf = inf
erfcx nan = nan
erfinv 1 = inf
erfinv -1 = -inf
erfinv 1.5 = nan
erfinv -0 = -0
erfcinv 0 = inf
erfcinv 2 = -inf
erfcinv 1 = 0
erfcinv 3 = nan
erfcinv -1 = nan
normcdf 0 = 0.5
normcdf inf = 1
normcdf -inf = 0
normcdf nan = nan
normcdfinv 0 = -inf
normcdfinv 1 = inf
normcdfinv 0.5 = 0
normcdfinv 2 = nan
lgamma 1 = 0
lgamma 2 = 0
lgamma 0 = inf
lgamma -0 = inf
lgamma -3 = inf
lgamma -inf = inf
lgamma inf = inf
lgamma nan = nan
tgamma 0 = inf
tgamma -0 = -inf
tgamma 5 = 24
tgamma -1 = nan
tgamma -inf = nan
tgamma inf = inf
tgamma 200 = inf
tgamma -200.5 = -0
tgamma -201.5 = 0
j0 0 = 1
j0 inf = 0
j0 nan = nan
j1 0 = 0
j1 -0 = -0
j1 -inf = -0
y0 0 = -inf
y0 -1 = nan
y0 inf = 0
y1 0 = -inf
y1 -1 = nan
y1 inf = 0
jn -1 2 = nan
jn 3 0 = 0
jn 3 inf = 0
jn 3 nan = nan
jn 0 0 = 1
jn 1000 1 = 0
yn -1 2 = nan
yn 3 0 = -inf
yn 3 -1 = nan
yn 3 inf = 0
yn 1000 1 = -inf
yn.d 9 1e-150 = -inf
jn.d 9 1e-150 = 0
yn.d 2 1e-300 = -inf
cyl_bessel_i0 0 = 1
cyl_bessel_i0 -inf = inf
cyl_bessel_i1 -0 = -0
cyl_bessel_i1 -inf = -inf
cyl_bessel_i1 1000 = inf
`

// TestSIMDMatchesReferenceResults: the functions of two and four integers in 32 bits have the results that simd.py
// calculated.
func TestSIMDMatchesReferenceResults(t *testing.T) {
	text, err := os.ReadFile("testdata/simd.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		var name string
		var v Values
		var want uint64
		if _, err := fmt.Sscanf(line, "%s %x %x %x", &name, &v.Args[0], &v.Args[1], &want); err != nil {
			t.Fatal(err)
		}
		f := Lookup(Prefix + name)
		if f == nil {
			t.Fatalf("no function %s", name)
		}
		if f.Eval(&v); v.Results[0] != want {
			t.Errorf("%s: %x", strings.TrimSpace(line), v.Results[0])
		}
		seen[name] = true
	}
	if len(seen) != len(simd()) {
		t.Errorf("%d functions of %d", len(seen), len(simd()))
	}
}
