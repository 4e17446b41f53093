package flowgraph

import (
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestLinesOfOtherFilesHaveTheirNames: lines of a header are no lines of the kernel's file.
func TestLinesOfOtherFilesHaveTheirNames(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(`.version 8.0
.target sm_80
.address_size 64
.entry k()
{
	.reg .u32 %r<3>;
	.loc 1 23 3
	mov.u32 %r1, %tid.x;
	.loc 2 18 9
	add.u32 %r1, %r1, 1;
	.loc 2 16 9
	add.u32 %r1, %r1, 1;
	.loc 1 25 9
	add.u32 %r2, %r1, 1;
	bra L;
L:
	.loc 2 30 1
	ret;
}
	.file 1 "/src/k.cu"
	.file 2 "/src/tools.cuh"
`))
	if err != nil {
		t.Fatal(err)
	}
	g := New(mod)[0]
	if got, want := g.sourceLines(&g.Blocks[0]), "lines 23-25, tools.cuh:16-18"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := g.sourceLines(&g.Blocks[1]), "tools.cuh:30"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
