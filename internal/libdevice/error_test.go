package libdevice

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// example is a function's exact value for some arguments: hi + lo times 2^exp, with hi between
// a half and 1, or 0.
type example struct {
	line   int
	name   string
	args   []string
	hi, lo float64
	exp    int
}

// examples returns those of testdata: random arguments of all magnitudes, and arguments at which a function is near a
// float, a bound or a zero. mpmath computed them (exact.py).
func examples(t *testing.T) (all []example) {
	t.Helper()
	f, err := os.Open("testdata/exact.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		left, right, _ := strings.Cut(scan.Text(), " = ")
		words, value := strings.Fields(left), strings.Fields(right)
		e := example{line: n, name: words[0], args: words[1:], hi: number(t, value[0]), lo: number(t, value[1])}
		if len(value) > 2 {
			e.exp = int(number(t, value[2]))
		}
		all = append(all, e)
	}
	return all
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ulps returns the distance of got from the value, in units of the last place of a format with this many bits and a
// least number of 2^least. It is 0 if the value rounds to infinity and got is infinite.
func (e *example) ulps(got float64, bits, least int) float64 {
	if math.IsInf(got, 0) {
		most := math.Ldexp(1-math.Ldexp(1, -bits-1), 1024)
		if bits == 24 {
			most = math.Ldexp(1-math.Ldexp(1, -bits-1), 128)
		}
		if math.Abs(math.Ldexp(e.hi, e.exp)) >= most || math.IsInf(math.Ldexp(e.hi, e.exp), 0) {
			return 0
		}
		return math.Inf(1)
	}
	unit := max(-bits, least-e.exp)
	if e.hi == 0 && got == 0 {
		return 0
	}
	m, exp := math.Frexp(got)
	scaled := math.Ldexp(m, exp-e.exp)
	return math.Abs(math.Ldexp((scaled-e.hi)-e.lo, -unit))
}

// call returns the function's result for arguments in text form.
func call(t *testing.T, f *Func, args []string) float64 {
	t.Helper()
	var v Values
	for i, p := range f.Params {
		switch x := number(t, args[i]); p {
		case F64:
			v.Args[i] = math.Float64bits(x)
		case F32:
			v.Args[i] = uint64(math.Float32bits(float32(x)))
		default:
			v.Args[i] = uint64(uint32(int32(x)))
		}
	}
	f.Eval(&v)
	switch f.Results[0] {
	case I32:
		return float64(int32(v.Results[0]))
	case F32:
		return float64(math.Float32frombits(uint32(v.Results[0])))
	}
	return math.Float64frombits(v.Results[0])
}

// SignatureOf returns a function's type for the page.
func SignatureOf(f *Func) string { return f.signature() }

// MeasuredErrors returns the greatest errors of the functions on the examples, in ulps. Functions for .f32 have
// rounded arguments, and are compared with the function for .f64, which is within 2^-50 of the value.
func MeasuredErrors(t *testing.T) map[string]float64 {
	t.Helper()
	worst := make(map[string]float64)
	for _, e := range examples(t) {
		f := Lookup(Prefix + e.name)
		if f == nil {
			t.Fatalf("line %d: no function %s", e.line, e.name)
		}
		got := call(t, f, e.args)
		err := e.ulps(got, 53, -1074)
		if !(err < 1) {
			t.Errorf("line %d: %s(%s) = %x, %.3g ulps from %v*2^%d", e.line, e.name, strings.Join(e.args, ", "), got, err, e.hi, e.exp)
		}
		worst[f.Name] = max(worst[f.Name], err)

		single := Lookup(f.Name + "f")
		if single.Eval == nil {
			continue // an instruction
		}
		args := make([]string, len(e.args))
		for i, a := range e.args {
			if args[i] = a; f.Params[i] == F64 {
				args[i] = strconv.FormatFloat(float64(float32(number(t, a))), 'x', -1, 64)
			}
		}
		value := call(t, f, args)
		if math.IsInf(value, 0) || value != value {
			continue
		}
		as := e
		as.lo = 0
		as.hi, as.exp = math.Frexp(value)
		got = call(t, single, args)
		err = as.ulps(got, 24, -149)
		if !(err < 1) {
			t.Errorf("line %d: %s(%s) = %x, %.3g ulps from %x", e.line, single.Name, strings.Join(args, ", "), got, err, value)
		}
		worst[single.Name] = max(worst[single.Name], err)
	}
	return worst
}

// TestErrorsAreBelowAnUlp: the results of the functions are within an ulp of the exact value.
func TestErrorsAreBelowAnUlp(t *testing.T) {
	measured := MeasuredErrors(t)
	for _, f := range Functions() {
		if _, ok := measured[f.Name]; f.Eval != nil && f.Params[0] != I32 && !ok && !exactly[strings.TrimSuffix(strings.TrimPrefix(f.Name, Prefix), "f")] {
			t.Errorf("%s: no examples", f.Name)
		}
	}
}

// exactly are the functions without error; TestExact has examples of them.
var exactly = map[string]bool{"fmod": true, "remainder": true, "nextafter": true, "ldexp": true, "scalbn": true, "logb": true, "ilogb": true, "frsqrt_rn": true}

// TestSinglePrecisionIsNearest: separately computed functions for .f32 return the nearest float to the result of
// those for .f64, or are at most slightly more than half an ulp from it, for arguments of all bit patterns.
func TestSinglePrecisionIsNearest(t *testing.T) {
	many := 20000
	if testing.Short() {
		many = 3000
	}
	rng := rand.New(rand.NewPCG(8, 9))
	compared := 0
	for _, f := range Functions() {
		name := strings.TrimSuffix(f.Name, "f")
		double := Lookup(name)
		if f.Eval == nil || exactly[strings.TrimPrefix(name, Prefix)] || double == nil || double == f || f.Results[0] != F32 || double.Params[0] != F64 || len(double.Params) > 1 && double.Params[1] != F64 {
			continue
		}
		n := many
		if f.Cost == LongF32 {
			n /= 10
		}
		for range n {
			var v, w Values
			for i := range f.Params {
				b := rng.Uint32()
				if rng.IntN(2) == 0 {
					b = math.Float32bits(float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(12)-6))))
				}
				v.Args[i], w.Args[i] = uint64(b), math.Float64bits(float64(math.Float32frombits(b)))
			}
			f.Eval(&v)
			double.Eval(&w)
			got, want := float64(math.Float32frombits(uint32(v.Results[0]))), math.Float64frombits(w.Results[0])
			if got == float64(float32(want)) || got != got && want != want {
				continue
			}
			e := example{hi: want}
			e.hi, e.exp = math.Frexp(want)
			if err := e.ulps(got, 24, -149); !(err < 0.5001) {
				t.Fatalf("%s(%x): %v is %.6f ulps from %v", f.Name, v.Args[:len(f.Params)], got, err, want)
			}
		}
		compared++
	}
	if compared < 45 {
		t.Errorf("compared %d functions", compared)
	}
}

// TestBitsAreSameOnEveryMachine: results are the same bits on every machine: those of an amd64, of all functions, for
// arguments of all bit patterns.
func TestBitsAreSameOnEveryMachine(t *testing.T) {
	const want = 0xb43200a14699080e
	rng := rand.New(rand.NewPCG(21, 22))
	sum := fnv.New64a()
	for i := range functions() {
		f := &functions()[i]
		if f.Eval == nil {
			continue
		}
		for range 300 {
			var v Values
			for k, p := range f.Params {
				switch v.Args[k] = rng.Uint64(); {
				case p == I32 && f.Name[len(Prefix)] != 'v':
					v.Args[k] %= 300
				case p == F64 && rng.IntN(2) == 0:
					v.Args[k] = v.Args[k]&^(0x7ff<<52) | uint64(1023-20+rng.IntN(30))<<52
				case p == F32 && rng.IntN(2) == 0:
					v.Args[k] = v.Args[k]&0x807fffff | uint64(127-20+rng.IntN(30))<<23
				}
			}
			f.Eval(&v)
			fmt.Fprintf(sum, "%x ", v.Results)
		}
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("results come to %#x, want %#x", got, uint64(want))
	}
}
