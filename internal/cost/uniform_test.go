package cost

import (
	"slices"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
)

// TestUniformCountersTakeLonger: of several sums with constants, those of counters that all lanes share take longer,
// unless an assembler unrolls their loop by four.
func TestUniformCountersTakeLonger(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(`.entry k(.param .u32 n)
{
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, 0;
	mov.u32 %r4, 0;
	mov.u32 %r5, %tid.x;
	add.u32 %r5, %r5, 1;
L:
	bar.sync 0;
	add.u32 %r1, %r1, -1;
	add.u32 %r2, %r2, 4;
	add.u32 %r3, %r3, 4;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra L;
UNROLLED:
	xor.b32 %r5, %r5, %r2;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, %r2;
	@%p2 bra UNROLLED;
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Funcs[0]
	var got []string
	for pc, c := range Lower(f, flow.New(f), Lowered, true) {
		if len(c.Slots) > 0 && c.Slots[len(c.Slots)-1].More > 0 {
			got = append(got, f.Text(pc))
		}
	}
	if want := []string{"add.u32 %r1, %r1, -1;", "add.u32 %r3, %r3, 4;"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
