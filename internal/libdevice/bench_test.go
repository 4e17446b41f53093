package libdevice

import (
	"math"
	"testing"
)

// BenchmarkEval is a lane of functions of each kind.
func BenchmarkEval(b *testing.B) {
	for _, name := range []string{"expf", "logf", "sinf", "powf", "tanhf", "erff", "sqrtf", "lgammaf", "j0f", "normcdfinvf", "exp", "exp2", "expm1", "log", "log1p", "sin", "tan", "sinh", "tanh", "pow", "atan2", "asinh", "cbrt", "rsqrt", "hypot", "norm3d", "erf", "erfc", "normcdf", "tgamma", "lgamma", "erfinv", "j0"} {
		f := Lookup(Prefix + name)
		if f.Eval == nil {
			continue
		}
		b.Run(name, func(b *testing.B) {
			var v Values
			for i := range f.Params {
				if v.Args[i] = math.Float64bits(0.37); f.Params[i] == F32 {
					v.Args[i] = uint64(math.Float32bits(0.37))
				}
			}
			for b.Loop() {
				f.Eval(&v)
			}
		})
	}
}
