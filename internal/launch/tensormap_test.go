package launch

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

const mapped = `
.const .align 64 .b8 c[128];
.global .b8 g[128];
.entry k(.param .align 64 .b8 map[128], .param .u32 n, .param .b8 agg[128]) { ret; }
`

// TestTensorMapsArePassedByName checks that a map is passed by its name, or to a parameter of its name that has no arg,
// or as the value of a variable.
func TestTensorMapsArePassedByName(t *testing.T) {
	const numbers = "//sim:buffer x = zeros:4096:f16\n"
	const rest = "//sim:arg n = 1\n//sim:arg agg = hex:" // of 128 bytes
	bytes := strings.Repeat("00", 128)
	for _, c := range []struct{ header, want string }{
		{"//sim:tensormap map = x 64x64 box=64x8\n", ""},
		{"//sim:tensormap m = x+128 64x32 box=64x8 swizzle=128B\n//sim:arg map = m\n", ""},
		{"//sim:tensormap m = x 64x64 box=64x8\n//sim:arg map = m\n//sim:symbol c = m\n", ""},
		{"//sim:tensormap m = x 64x64 box=64x8\n//sim:arg n = m\n//sim:arg map = m\n//sim:arg agg = m\n", "n is .u32, aligned to 4; a tensor map takes .align 64 .b8 n[128]"},
		{"//sim:tensormap map = x 64x64 box=64x8\n//sim:symbol g = map\n", "g is .b8[128], aligned to 1; a tensor map takes .align 64 .b8 g[128]"},
		{"//sim:arg map = 1\n", "it takes its 128 bytes as hex:… or bytes:@FILE, or the name of a tensormap"},
		{"//sim:tensormap map = x 64x65 box=64x8\n", "map takes 8320 bytes; x has 8192"},
		{"//sim:tensormap map = y 64x64 box=64x8\n", "no buffer y"},
		{"//sim:tensormap map = c 64 box=8 type=u16\n", "c is in .const space; a tensor is in global memory"},
		{"//sim:tensormap map = x+8 64 box=8\n", "x+8: the address of a tensor is a multiple of 16"},
		{"//sim:tensormap map = x 64x64 box=128x8 swizzle=128\n", "256 bytes in dimension 0 of the box; a swizzle of 128 bytes takes no more"},
		{"//sim:tensormap map = x 64x64 colour=red\n", `no "colour" here`},
		{"//sim:tensormap x = x 64x64 box=64x8\n//sim:arg map = x\n", "x is a buffer or a variable of the module; name the tensor map otherwise"},
		{"//sim:tensormap map = 7 64x64\n", `"7" cannot be a buffer`},
		{"//sim:tensormap map =\n", "map: no buffer; expected tensormap NAME = BUFFER"},
		{"//sim:tensormap 64x64\n", "expected tensormap NAME = BUFFER"},
		{"//sim:tensormap map = x 64x64 box=64x8\n//sim:tensormap map = x 64x64 box=64x8\n", "tensormap map is at"},
	} {
		header := numbers + c.header
		if !strings.Contains(header, "arg n =") {
			header += rest + bytes + "\n"
		}
		mod, err := asm.Parse("k.s", []byte(mapped))
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseHeader("k.s", "", []byte(header))
		if err == nil {
			_, err = NewPlan(mod, l)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s%v; want %q", c.header, err, c.want)
		}
	}
}
