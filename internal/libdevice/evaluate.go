package libdevice

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Vectors are the arguments and the results of a function in the lanes of a warp.
type Vectors struct {
	Args    [4]Vector
	Results [3]Vector
	Lanes   lanes.Mask // that call it; results in others stay as they are

	wide [4][lanes.Width]float64 // arguments of 32 bits
}

// Vector is a value in each lane: in Long if it has 64 bits, else in Word.
type Vector struct {
	Word *[lanes.Width]uint32
	Long *[lanes.Width]uint64
}

// bits returns the bits of a value of a type in a lane.
func (v *Vector) bits(t Type, lane int) uint64 {
	if t.IsLong() {
		return v.Long[lane]
	}
	return uint64(v.Word[lane])
}

func (v *Vector) setBits(t Type, lane int, bits uint64) {
	if t.IsLong() {
		v.Long[lane] = bits
	} else {
		v.Word[lane] = uint32(bits)
	}
}

// IsLong reports whether values of the type have 64 bits.
func (t Type) IsLong() bool { return types[t].bytes == 8 }

// floats returns argument i as numbers. Inlining it at every call would make the command larger for no speed.
//
//go:noinline
func (v *Vectors) floats(f *Func, i int) *[lanes.Width]float64 {
	if f.Params[i] == F64 {
		return (*[lanes.Width]float64)(unsafe.Pointer(v.Args[i].Long))
	}
	for lane, bits := range v.Args[i].Word {
		v.wide[i][lane] = float64(math.Float32frombits(bits))
	}
	return &v.wide[i]
}

// EvalLanes computes a function with Eval in the lanes of a warp.
func (f *Func) EvalLanes(v *Vectors) {
	r := &v.wide[0] // an argument in a lane is read before the result is written
	if len(f.Results) == 1 && f.Results[0] == F64 {
		r = (*[lanes.Width]float64)(unsafe.Pointer(v.Results[0].Long))
	}
	switch of := f.of.(type) {
	case func(a float64) float64:
		a := v.floats(f, 0)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(a[lane])
		}
	case func(a, b float64) float64:
		a, b := v.floats(f, 0), v.floats(f, 1)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(a[lane], b[lane])
		}
	case func(a, b, c float64) float64:
		a, b, c := v.floats(f, 0), v.floats(f, 1), v.floats(f, 2)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(a[lane], b[lane], c[lane])
		}
	case func(a, b, c, d float64) float64:
		a, b, c, d := v.floats(f, 0), v.floats(f, 1), v.floats(f, 2), v.floats(f, 3)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(a[lane], b[lane], c[lane], d[lane])
		}
	default:
		f.evalMixed(v, r)
		return
	}
	v.round(f, r)
}

// evalMixed is EvalLanes for functions with other arguments or results than floats.
func (f *Func) evalMixed(v *Vectors, r *[lanes.Width]float64) {
	switch of := f.of.(type) {
	case func(a float64, n int32) float64:
		a := v.floats(f, 0)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(a[lane], int32(v.Args[1].Word[lane]))
		}
	case func(n int32, a float64) float64:
		a := v.floats(f, 1)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			r[lane] = of(int32(v.Args[0].Word[lane]), a[lane])
		}
	case func(a float64) int32:
		a := v.floats(f, 0)
		for m := uint32(v.Lanes); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes.Width
			v.Results[0].Word[lane] = uint32(of(a[lane]))
		}
		return
	case func(v Values) [3]uint64:
		f.eachLane(v, of)
		return
	}
	v.round(f, r)
}

// round rounds the numbers of the result to its type.
func (v *Vectors) round(f *Func, r *[lanes.Width]float64) {
	d := &v.Results[0]
	for m := uint32(v.Lanes); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) % lanes.Width
		if f.Results[0] == F32 {
			d.Word[lane] = uint32(bits32(r[lane]))
		} else {
			d.Long[lane] = bits64(r[lane])
		}
	}
}

// eachLane calls a function of the bits of values for each lane.
func (f *Func) eachLane(v *Vectors, of func(v Values) [3]uint64) {
	var one Values
	for m := uint32(v.Lanes); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for i, t := range f.Params {
			one.Args[i] = v.Args[i].bits(t, lane)
		}
		one.Results = of(one)
		for i, t := range f.Results {
			v.Results[i].setBits(t, lane, one.Results[i])
		}
	}
}

// evalOne is Eval, by EvalLanes.
func (f *Func) evalOne(one *Values) {
	const lane = 0
	var memory [len(one.Args) + len(one.Results)]struct {
		word [lanes.Width]uint32
		long [lanes.Width]uint64
	}
	v := &Vectors{Lanes: 1 << lane}
	for i, t := range f.Params {
		m := &memory[i]
		v.Args[i] = Vector{&m.word, &m.long}
		v.Args[i].setBits(t, lane, one.Args[i])
	}
	for i := range f.Results {
		m := &memory[len(one.Args)+i]
		v.Results[i] = Vector{&m.word, &m.long}
	}
	f.EvalLanes(v)
	for i, t := range f.Results {
		one.Results[i] = v.Results[i].bits(t, lane)
	}
}
