package source

import (
	"slices"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

const namedText = `.version 8.0
.target sm_80
.address_size 64
.shared .b8 _ZZ3addPiiE1s[4];
.global .b8 __PRETTY_FUNCTION___$__Z3addPii[4];
.func _Z4meetf(.param .b32 _Z4meetf_param_0)
{
	.reg .b32 %r1;
	ld.param.u32 %r1, [_Z4meetf_param_0];
	ret;
}
.entry _Z3addPii(.param .u64 _Z3addPii_param_0, .param .u32 _Z3addPii_param_1)
{
	.reg .b64 %rd1;
	.local .b8 __local_depot0[8];
	.param .b32 p;
$L__func_begin0:
$L__tmp0:
$L__BB0:
	ld.param.u64 %rd1, [_Z3addPii_param_0];
	mov.u64 %rd1, _ZZ3addPiiE1s;
	mov.u64 %rd1, __local_depot0;
	mov.u64 %rd1, __PRETTY_FUNCTION___$__Z3addPii;
	call _Z4meetf, (p);
	ret;
}
`

// TestTextHasNamesOfTheSource: of parameters, variables and functions, but not of what the source does not have.
func TestTextHasNamesOfTheSource(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(namedText))
	if err != nil {
		t.Fatal(err)
	}
	NameParams(mod)
	fn := mod.Func("_Z3addPii")
	var got []string
	for pc := range len(fn.Code) + 1 {
		got = append(got, Text(fn, pc))
	}
	want := []string{"ld.param.u64 %rd1, [param_0];", "mov.u64 %rd1, s;", "mov.u64 %rd1, __local_depot0;", "mov.u64 %rd1, __PRETTY_FUNCTION__;",
		"call meet(float), (p);", "ret;", "end of add"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text := Text(mod.Func("_Z4meetf"), 0); text != "ld.param.u32 %r1, [param_0];" {
		t.Error(text)
	}
	if labels := LabelsAt(fn, 0); !slices.Equal(labels, []string{"$L__BB0"}) {
		t.Error(labels)
	}
}
