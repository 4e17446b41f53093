package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestUndefinedIsWhatKernelsReach: what kernels reach is undefined where nothing defines it; what is declared only, or
// named by functions that nothing reaches, is not reported, and neither are a function of libdevice and one of the
// system's.
func TestUndefinedIsWhatKernelsReach(t *testing.T) {
	mod, err := asm.Parse("m.ptx", []byte(`
.extern .func unused();
.extern .func behind();
.extern .func stored();
.extern .func taken();
.extern .func unreached();
.extern .func __nv_sinf();
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b32 r) __nv_abs (.param .b32 a);
.extern .global .b32 count;
.extern .const .b32 limit;
.extern .shared .b32 dynamic[];
.func second() { call behind; call behind; ret; }
.func first() { call second; call first; ret; }
.func dead() { call unreached; ret; }
.func tabled() { call stored; ret; }
.global .u64 table[1] = { tabled };
.entry k()
{
	call first;
	mov.u64 %rd1, taken;
	ld.global.b32 %r1, [count];
	mov.u32 %r2, dynamic;
	.param .b32 p; .param .b32 q;
	st.param.b32 [p], %r1;
	call (q), __nv_abs, (p);
	.param .b64 f; .param .b64 a;
	call (q), vprintf, (f, a);
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModule(mod, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range m.Undefined(func(name string) bool { return name == "vprintf" }) {
		got = append(got, strings.TrimSuffix(e.Error(), " is declared but not defined in any module"))
	}
	slices.Sort(got)
	want := []string{"m.ptx:13:23: behind", "m.ptx:16:23: stored", "m.ptx:21:16: taken", "m.ptx:22:21: count"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
