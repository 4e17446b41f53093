package cost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
)

// BenchmarkLower lowers 20,000 instructions with a branch in every ten.
func BenchmarkLower(b *testing.B) {
	var src strings.Builder
	src.WriteString(".entry k()\n{\nmov.u32 %r1, %tid.x;\n")
	for i := range 2000 {
		fmt.Fprintf(&src, "mul.f32 %%f1, %%f2, %%f3; add.f32 %%f4, %%f1, %%f5; mul.wide.u32 %%rd1, %%r1, 4; add.s64 %%rd2, %%rd3, %%rd1; ld.global.f32 %%f6, [%%rd2]; add.u32 %%r1, %%r1, %%r2; div.rn.f32 %%f7, %%f6, %%f4; setp.lt.u32 %%p1, %%r1, %%r3; @%%p1 bra L%d; st.global.f32 [%%rd2], %%f7;\nL%d:\n", i*7919%2000, i)
	}
	src.WriteString("ret;\n}")
	mod, err := asm.Parse("k.s", []byte(src.String()))
	if err != nil {
		b.Fatal(err)
	}
	f := mod.Funcs[0]
	g := flow.New(f)
	for b.Loop() {
		cost.Lower(f, g, cost.Lowered, true)
	}
}
