package debugger

import (
	"encoding/binary"
	"math"
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// captures-clang19.ptx and captures-clang22.ptx are what simtrun cc -g makes of testdata/captures.cu.

// newCaptures begins a launch of captures with 32 threads, scale 2, n 64, and buffers of newCompiled.
func newCaptures(t *testing.T, file string) *bench {
	return newCompiled(t, file, func(in, out uint64) interp.Launch {
		params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
		params = binary.LittleEndian.AppendUint32(params, math.Float32bits(2))
		params = binary.LittleEndian.AppendUint32(params, 64)
		return interp.Launch{Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: params}
	})
}

// TestInlinedLambdasShowCaptures: both lambdas were inlined, so that there is no object of their classes. clang 22 has
// places for the members of the copy that each has, and for the variables that are captured by reference. clang 19
// records no registers.
func TestInlinedLambdasShowCaptures(t *testing.T) {
	for _, c := range []struct{ file, bias, sum string }{
		{"captures-clang22.ptx", `^bias float   all: 2$`, `^sum float`},
		{"captures-clang19.ptx", `^bias: optimised out here`, `^sum: optimised out here`},
	} {
		b := newCaptures(t, c.file)
		b.do("break 11")
		b.do("break 16")
		for _, q := range [][2]string{
			{"continue", `=> 11 `},
			{"bt 2", `(?s)#0  captures\(.*\)::\{lambda\(int\)#1\}::operator\(\) \(i=.*, this=optimised out\) at captures.cu:11: .*#1  each<.*> \(n=64, f=`},
			{"p scale", `^scale .* = 2$|^scale float   all: 2$`},
			{"p in[3]", `^in\[3\] .* = `},
			{"ptype this", `float bias;`},
			{"p bias", c.bias},
			{"continue", `=> 11 `}, // for the second time: the compiler moved an instruction of the line out of the loop
			{"continue", `=> 16 `},
			{"p sum", c.sum},
			{"p bias", c.bias},
		} {
			if got := b.do(q[0]); !regexp.MustCompile(q[1]).MatchString(got) {
				t.Errorf("%s: %s:\n%s\nwant %s", c.file, q[0], got, q[1])
			}
		}
	}
}
