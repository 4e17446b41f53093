package asm

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

const copied = `.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) f(.param .align 4 .b8 p[9])
{
	.reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p1;
begin:
again:
	mov.b64 %rd1, p;
	ld.local.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra again;
	ret;
}
`

// TestAddressOfParameterIsLocal: the code that copies the parameter comes first, is not part of a loop, and leaves
// labels of debug information at the start.
func TestAddressOfParameterIsLocal(t *testing.T) {
	mod, err := Parse("k.ptx", []byte(copied))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Funcs[0]
	const head = 6 // loads and stores of 4, 4 and 1 byte
	if len(f.Code) != head+5 || f.Labels[0].PC != 0 || f.Labels[1].PC != head {
		t.Errorf("%d instructions, labels %+v", len(f.Code), f.Labels)
	}
	for pc := range head {
		if f.Code[pc].Pos != f.Code[head].Pos {
			t.Errorf("instruction %d is at %v", pc, f.Code[pc].Pos)
		}
	}
	if got := f.Text(head); got != "mov.b64 %rd1, p_copy0;" && got != "mov.b64 %rd1, p_copy0" {
		t.Errorf("%s", got)
	}
	if v := f.Vars[len(f.Vars)-1]; v.Space != isa.Local || v.Size() != 9 {
		t.Errorf("%+v", v)
	}
}
