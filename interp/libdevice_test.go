package interp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/interp"
)

// width is the bits in which clang passes a value.
func width(t libdevice.Type) int {
	switch t {
	case libdevice.I64, libdevice.F64, libdevice.Pointer:
		return 64
	}
	return 32
}

// callingKernel is a kernel that calls a function for each thread as clang's code does. The thread has four arguments
// of 8 bytes at in, and 32 bytes at out: the result, and what the function stores by its pointers, into memory of a
// space.
func callingKernel(f *libdevice.Func, space string) string {
	var b strings.Builder
	formals, results := []string{}, ""
	for i, p := range f.Params {
		formals = append(formals, fmt.Sprintf(".param .b%d p%d", width(p), i))
	}
	if len(f.Results) > 0 {
		results = fmt.Sprintf("(.param .b%d r) ", width(f.Results[0]))
	}
	fmt.Fprintf(&b, ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func %s%s(%s);\n", results, f.Name, strings.Join(formals, ", "))
	b.WriteString(`.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<9>; .reg .b64 %rd<20>;
	.shared .align 8 .b8 s[2048];
	.local .align 8 .b8 l[16];
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 32;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
`)
	switch space {
	case "global":
		b.WriteString("add.s64 %rd4, %rd2, 16;\n")
	case "shared":
		b.WriteString("mov.u64 %rd4, s; mul.wide.u32 %rd5, %r1, 16; add.s64 %rd4, %rd4, %rd5; cvta.shared.u64 %rd4, %rd4;\n")
	case "local":
		b.WriteString("mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;\n")
	}
	var args []string
	pointers := 0
	b.WriteString("{\n")
	for i, p := range f.Params {
		if p == libdevice.Pointer {
			fmt.Fprintf(&b, "add.s64 %%rd1%d, %%rd4, %d;\n", i, 8*pointers)
			pointers++
		} else {
			fmt.Fprintf(&b, "ld.global.u64 %%rd1%d, [%%rd1+%d];\n", i, 8*i)
		}
		args = append(args, fmt.Sprint("a", i))
		fmt.Fprintf(&b, ".param .b%d a%d; st.param.b%d [a%d], %%rd1%d;\n", width(p), i, width(p), i, i)
	}
	call := "call.uni "
	if results != "" {
		fmt.Fprintf(&b, ".param .b%d r;\n", width(f.Results[0]))
		call += "(r), "
	}
	fmt.Fprintf(&b, "%s%s, (%s);\n", call, f.Name, strings.Join(args, ", "))
	if results != "" {
		fmt.Fprintf(&b, "ld.param.b%d %%rd5, [r]; st.global.u64 [%%rd2], %%rd5;\n", width(f.Results[0]))
	}
	b.WriteString("}\n")
	if pointers > 0 {
		b.WriteString("ld.u64 %rd6, [%rd4]; st.global.u64 [%rd2+16], %rd6; ld.u64 %rd6, [%rd4+8]; st.global.u64 [%rd2+24], %rd6;\n")
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// callAll returns the 32 bytes that a function stores in each thread, for four arguments each.
func callAll(t *testing.T, src string, args [][4]uint64, by driven) (out [][4]uint64) {
	t.Helper()
	mod, err := asm.Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	by.GPU = smallGPU(4)
	m, err := kerneltest.New(mod, by.Config)
	if err != nil {
		t.Fatal(err)
	}
	var params []byte
	var buffers [2][]byte
	for i := range buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(32*len(args)))
		if err != nil {
			t.Fatal(err)
		}
		buffers[i], params = r.Data, binary.LittleEndian.AppendUint64(params, r.Base)
	}
	for i, a := range args {
		for k, v := range a {
			binary.LittleEndian.PutUint64(buffers[0][32*i+8*k:], v)
		}
	}
	if err := by.launch(m, interp.Launch{Kernel: "k", Grid: dimOf([3]uint32{1, 1, 1}), Block: isa.Dim{X: uint32(len(args)), Y: 1, Z: 1}, Params: params}); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for i := range args {
		var v [4]uint64
		for k := range v {
			v[k] = binary.LittleEndian.Uint64(buffers[1][32*i+8*k:])
		}
		out = append(out, v)
	}
	return out
}

// argumentsFor returns arguments for a function, special and random ones; bits that a parameter does not have are
// set, and must be ignored.
func argumentsFor(f *libdevice.Func, rng *rand.Rand) (all [][4]uint64) {
	special32 := []uint64{0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000, 0x7f800000, 0xff800000, 0x3f800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x40200000, 0x4b000001, 0xc0200000, 0x5f000000, 0x00400000}
	special64 := []uint64{0, 1, 1 << 63, 1<<63 - 1, 1<<64 - 1, 0x7ff8 << 48, 0x7ff0 << 48, 0xfff0 << 48, 0x3ff0 << 48, 0x3fe0 << 48, 0xbfe0 << 48, 0x3fdf_ffff_ffff_ffff, 0x4004 << 48, 0xc004 << 48, 0x43e0 << 48, 0x0008 << 48, 0x4330_0000_0000_0001}
	for i := range 96 {
		var a [4]uint64
		for k, p := range f.Params {
			switch p {
			case libdevice.I16, libdevice.I32:
				a[k] = rng.Uint64()
				if i < 32 {
					a[k] = special32[rng.IntN(6)] | 0xabcd<<32
				}
			case libdevice.F32:
				a[k] = uint64(math.Float32bits(float32(rng.NormFloat64()*math.Exp2(float64(rng.IntN(40)-20))))) | 0xabcd<<32
				if i < 32 {
					a[k] = special32[rng.IntN(len(special32))] | 0xabcd<<32
				}
			case libdevice.I64:
				a[k] = rng.Uint64()
				if i < 32 {
					a[k] = special64[rng.IntN(5)]
				}
			case libdevice.F64:
				a[k] = math.Float64bits(rng.NormFloat64() * math.Exp2(float64(rng.IntN(100)-50)))
				if i < 32 {
					a[k] = special64[rng.IntN(len(special64))]
				}
			}
			if p == libdevice.I32 && i < 96 && strings.HasPrefix(f.Name, "__nv_jn") || strings.HasPrefix(f.Name, "__nv_yn") {
				a[0] %= 50
			}
		}
		all = append(all, a)
	}
	return all
}

// TestLibdeviceServesEveryFunction: every function without pointers can be called, with a clock and without one, and
// in compiled code, by lanes that all have different arguments: those in Go have the results of a direct call, the
// others those of a reference.
func TestLibdeviceServesEveryFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for n, f := range libdevice.Functions() {
		want := f.Eval
		reference := references[strings.TrimPrefix(f.Name, libdevice.Prefix)]
		if want == nil && reference == nil {
			continue
		}
		args := argumentsFor(f, rng)
		got := callAll(t, callingKernel(f, ""), args, driven{timed: n%2 == 0})
		some := len(args) - 13 // in code for a partial mask, too
		if compiled := callAll(t, callingKernel(f, ""), args[:some], driven{Config: interp.Config{Compile: interp.CompileAlways}}); !slices.Equal(compiled, got[:some]) {
			t.Errorf("%s has other results in compiled code", f.Name)
		}
		for i, a := range args {
			var v libdevice.Values
			if v.Args = a; want != nil {
				want(&v)
			} else {
				v.Results[0] = reference(a)
			}
			mask := uint64(1)<<width(f.Results[0]) - 1
			if width(f.Results[0]) == 64 {
				mask = math.MaxUint64
			}
			if g, w := got[i][0]&mask, v.Results[0]&mask; g != w {
				t.Errorf("%s(%x) = %x, want %x", f.Name, a[:len(f.Params)], g, w)
				break
			}
		}
		compared++
	}
	if compared < 200 {
		t.Errorf("compared %d functions", compared)
	}
}

func f32of(v uint64) float32 { return math.Float32frombits(uint32(v)) }
func f64of(v uint64) float64 { return math.Float64frombits(v) }
func bool32(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// b32 and b64 return the bits of a float, with NaN as the one NaN that PTX has for .f32; NaN of .f64 is quiet.
func b32(x float32) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(x))
}

// references are the functions that are PTX, computed independently. Those on floats are found below in families.
var references = func() map[string]func(a [4]uint64) uint64 {
	type ref = func(a [4]uint64) uint64
	i32 := func(f func(a, b int32) int32) ref {
		return func(a [4]uint64) uint64 { return uint64(uint32(f(int32(a[0]), int32(a[1])))) }
	}
	u32 := func(f func(a, b uint32) uint32) ref {
		return func(a [4]uint64) uint64 { return uint64(f(uint32(a[0]), uint32(a[1]))) }
	}
	refs := map[string]ref{
		"abs": i32(func(a, _ int32) int32 { return max(a, -a) }), "min": i32(func(a, b int32) int32 { return min(a, b) }), "max": i32(func(a, b int32) int32 { return max(a, b) }),
		"umin": u32(func(a, b uint32) uint32 { return min(a, b) }), "umax": u32(func(a, b uint32) uint32 { return max(a, b) }),
		"llabs":  func(a [4]uint64) uint64 { return uint64(max(int64(a[0]), -int64(a[0]))) },
		"llmin":  func(a [4]uint64) uint64 { return uint64(min(int64(a[0]), int64(a[1]))) },
		"llmax":  func(a [4]uint64) uint64 { return uint64(max(int64(a[0]), int64(a[1]))) },
		"ullmin": func(a [4]uint64) uint64 { return min(a[0], a[1]) }, "ullmax": func(a [4]uint64) uint64 { return max(a[0], a[1]) },
		"brev": func(a [4]uint64) uint64 { return uint64(bits.Reverse32(uint32(a[0]))) }, "brevll": func(a [4]uint64) uint64 { return bits.Reverse64(a[0]) },
		"clz": func(a [4]uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a[0]))) }, "clzll": func(a [4]uint64) uint64 { return uint64(bits.LeadingZeros64(a[0])) },
		"popc": func(a [4]uint64) uint64 { return uint64(bits.OnesCount32(uint32(a[0]))) }, "popcll": func(a [4]uint64) uint64 { return uint64(bits.OnesCount64(a[0])) },
		"ffs": func(a [4]uint64) uint64 {
			return uint64((bits.TrailingZeros32(uint32(a[0])) + 1) % 33)
		},
		"ffsll": func(a [4]uint64) uint64 { return uint64((bits.TrailingZeros64(a[0]) + 1) % 65) },
		"hadd":  i32(func(a, b int32) int32 { return int32((int64(a) + int64(b)) >> 1) }), "rhadd": i32(func(a, b int32) int32 { return int32((int64(a) + int64(b) + 1) >> 1) }),
		"uhadd": u32(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b)) >> 1) }), "urhadd": u32(func(a, b uint32) uint32 { return uint32((uint64(a) + uint64(b) + 1) >> 1) }),
		"mul24": i32(func(a, b int32) int32 { return (a << 8 >> 8) * (b << 8 >> 8) }), "umul24": u32(func(a, b uint32) uint32 { return a << 8 >> 8 * (b << 8 >> 8) }),
		"mulhi": i32(func(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }), "umulhi": u32(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }),
		"umul64hi": func(a [4]uint64) uint64 { hi, _ := bits.Mul64(a[0], a[1]); return hi },
		"mul64hi": func(a [4]uint64) uint64 {
			p := new(big.Int).Mul(big.NewInt(int64(a[0])), big.NewInt(int64(a[1])))
			return uint64(p.Rsh(p, 64).Int64())
		},
		"sad": func(a [4]uint64) uint64 {
			return uint64(max(int32(a[0]), int32(a[1]))-min(int32(a[0]), int32(a[1]))) + a[2]
		},
		"usad": func(a [4]uint64) uint64 {
			return uint64(max(uint32(a[0]), uint32(a[1]))-min(uint32(a[0]), uint32(a[1]))) + a[2]
		},
		"byte_perm": func(a [4]uint64) (r uint64) {
			from := a[0]&math.MaxUint32 | a[1]<<32
			for i := range 4 {
				r |= from >> (8 * (a[2] >> (4 * i) & 7)) & 0xff << (8 * i)
			}
			return r
		},
		"double2hiint": func(a [4]uint64) uint64 { return a[0] >> 32 }, "double2loint": func(a [4]uint64) uint64 { return a[0] & math.MaxUint32 },
		"hiloint2double": func(a [4]uint64) uint64 { return a[0]<<32 | a[1]&math.MaxUint32 },
		"isnand":         func(a [4]uint64) uint64 { return bool32(math.IsNaN(f64of(a[0]))) }, "isnanf": func(a [4]uint64) uint64 { return bool32(f32of(a[0]) != f32of(a[0])) },
		"isinfd": func(a [4]uint64) uint64 { return bool32(math.IsInf(f64of(a[0]), 0)) }, "isinff": func(a [4]uint64) uint64 { return bool32(math.IsInf(float64(f32of(a[0])), 0)) },
		"isfinited": func(a [4]uint64) uint64 { return bool32(math.Abs(f64of(a[0])) <= math.MaxFloat64) }, "finitef": func(a [4]uint64) uint64 { return bool32(uint32(a[0])<<1 < 0xff000000) },
		"signbitd": func(a [4]uint64) uint64 { return a[0] >> 63 }, "signbitf": func(a [4]uint64) uint64 { return a[0] >> 31 & 1 },
		"copysign": func(a [4]uint64) uint64 { return a[0]&math.MaxInt64 | a[1]&(1<<63) }, "copysignf": func(a [4]uint64) uint64 { return a[0]&math.MaxInt32 | a[1]&(1<<31) },
		"saturatef": func(a [4]uint64) uint64 { return b32(min(max(0, notNaN(f32of(a[0]))), 1)) },
		"fdimf": func(a [4]uint64) uint64 {
			if x, y := f32of(a[0]), f32of(a[1]); x <= y {
				return 0
			} else {
				return b32(x - y)
			}
		},
		"float2half_rn": halfOf, "half2float": func(a [4]uint64) uint64 { return b32(fromHalf(uint16(a[0]))) },
		"roundf":   func(a [4]uint64) uint64 { return b32(float32(math.Round(float64(f32of(a[0]))))) },
		"ceilf":    func(a [4]uint64) uint64 { return b32(float32(math.Ceil(float64(f32of(a[0]))))) },
		"floorf":   func(a [4]uint64) uint64 { return b32(float32(math.Floor(float64(f32of(a[0]))))) },
		"truncf":   func(a [4]uint64) uint64 { return b32(float32(math.Trunc(float64(f32of(a[0]))))) },
		"rintf":    func(a [4]uint64) uint64 { return b32(float32(math.RoundToEven(float64(f32of(a[0]))))) },
		"llround":  func(a [4]uint64) uint64 { return toInteger(math.Round(f64of(a[0])), true, 64, true) },
		"llroundf": func(a [4]uint64) uint64 { return toInteger(math.Round(float64(f32of(a[0]))), true, 64, false) },
	}
	for _, name := range []string{"double_as_longlong", "longlong_as_double", "float_as_int", "float_as_uint", "int_as_float", "uint_as_float"} {
		refs[name] = func(a [4]uint64) uint64 { return a[0] }
	}
	refs["nearbyintf"] = refs["rintf"]
	for _, r := range []struct {
		name  string
		mode  big.RoundingMode
		whole func(float64) float64
	}{{"rn", big.ToNearestEven, math.RoundToEven}, {"rz", big.ToZero, math.Trunc}, {"rd", big.ToNegativeInf, math.Floor}, {"ru", big.ToPositiveInf, math.Ceil}} {
		for _, to := range []struct {
			name   string
			signed bool
			bits   int
		}{{"int", true, 32}, {"uint", false, 32}, {"ll", true, 64}, {"ull", false, 64}} {
			refs["double2"+to.name+"_"+r.name] = func(a [4]uint64) uint64 { return toInteger(r.whole(f64of(a[0])), to.signed, to.bits, true) }
			refs["float2"+to.name+"_"+r.name] = func(a [4]uint64) uint64 {
				return toInteger(r.whole(float64(f32of(a[0]))), to.signed, to.bits, false)
			}
			integer := func(a uint64) *big.Float {
				v := new(big.Float).SetPrec(64).SetUint64(a << (64 - to.bits) >> (64 - to.bits))
				if to.signed {
					v.SetInt64(int64(a<<(64-to.bits)) >> (64 - to.bits))
				}
				return v
			}
			refs[to.name+"2float_"+r.name] = func(a [4]uint64) uint64 {
				x, _ := integer(a[0]).SetMode(r.mode).SetPrec(24).Float32()
				return b32(x)
			}
			refs[to.name+"2double_"+r.name] = func(a [4]uint64) uint64 {
				x, _ := integer(a[0]).SetMode(r.mode).SetPrec(53).Float64()
				return math.Float64bits(x)
			}
		}
	}
	return refs
}()

func notNaN(x float32) float32 {
	if x != x {
		return 0
	}
	return x
}

// toInteger is an integral value clamped to an integer type. NaN is 0, or from .f64 to 64 bits,
// and from .f64 in general, the highest bit alone.
func toInteger(x float64, signed bool, n int, double bool) uint64 {
	least, most := 0.0, math.Ldexp(1, n)
	if signed {
		least, most = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
	}
	switch {
	case x != x && (double || n == 64):
		return 1 << (n - 1)
	case x != x:
		return 0
	case x <= least:
		return uint64(int64(least)) & (1<<(n-1)<<1 - 1)
	case x >= most && signed:
		return 1<<(n-1) - 1
	case x >= most:
		return 1<<(n-1)<<1 - 1
	case signed:
		return uint64(int64(x)) & (1<<(n-1)<<1 - 1)
	}
	return uint64(x)
}

// fromHalf is the value of a half.
func fromHalf(h uint16) float32 {
	sign, e, m := float64(1), int(h>>10&31), float64(h&0x3ff)
	if h>>15 != 0 {
		sign = -1
	}
	switch {
	case e == 31 && m != 0:
		return float32(math.NaN())
	case e == 31:
		return float32(math.Inf(int(sign)))
	case e == 0:
		return float32(math.Copysign(math.Ldexp(m, -24), sign))
	}
	return float32(sign * math.Ldexp(m+1024, e-25))
}

// halfOf returns the half nearest to a .f32, found among all.
func halfOf(a [4]uint64) uint64 {
	x := float64(f32of(a[0]))
	if x != x {
		return 0x7fff
	}
	lo, hi := 0, 0x7c00 // the halves around |x|
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; float64(fromHalf(uint16(mid))) <= math.Abs(x) {
			lo = mid
		} else {
			hi = mid
		}
	}
	above := float64(fromHalf(uint16(hi)))
	if hi == 0x7c00 {
		above = 65536
	}
	low := float64(fromHalf(uint16(lo)))
	if d := math.Abs(x) - low; d > above-math.Abs(x) || d == above-math.Abs(x) && lo&1 != 0 {
		lo = hi
	}
	if math.Signbit(x) {
		lo |= 0x8000
	}
	return uint64(lo)
}
