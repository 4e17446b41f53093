package program

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/asm"
)

// TestCallSiteSaysWhereValuesAre: .param variables of a function are laid out by their sizes, and aligned.
func TestCallSiteSaysWhereValuesAre(t *testing.T) {
	p := lowered(t, `
.func (.param .b32 r, .reg .pred %p1) f(.param .b8 a, .param .b64 b, .reg .u32 %r1) { ret; }
.entry k()
{
	.param .b8 x;
	.param .b64 y;
	.param .b32 z;
	call (z, %p2), f, (x, y, %r2);
	ret;
}`, true)
	k, f := p.Kernel(), p.Funcs[1]
	site := k.Info[0].Call
	want := &CallSite{Callee: 1,
		Args: []Location{{Size: 1, At: 0}, {Size: 8, At: 8}, {Size: 4, InReg: true, Slot: k.Layout.regs[k.reg("%r2")]}},
		Rets: []Location{{Size: 4, At: 16}, {InReg: true, Pred: true, Slot: k.Layout.regs[k.reg("%p2")]}},
	}
	if diff := cmp.Diff(want, site, cmpopts.IgnoreUnexported(Location{})); diff != "" {
		t.Errorf("call site (-want +got):\n%s", diff)
	}
	if f.Formals[1].At != 8 || f.Results[0].At != 16 || f.FrameBytes != 32 || f.Mismatch(site) != "" {
		t.Errorf("formals %+v, results %+v in %d bytes: %s", f.Formals, f.Results, f.FrameBytes, f.Mismatch(site))
	}
}

// reg is the number of a register in the source.
func (f *Func) reg(name string) int {
	for i := range f.Src.Regs {
		if f.Src.Regs[i].Name == name {
			return i
		}
	}
	return -1
}

// TestMismatchNamesTheDifference, which an indirect call finds when it is executed; the assembler checks others.
func TestMismatchNamesTheDifference(t *testing.T) {
	f := lowered(t, ".func (.param .b32 r) f(.param .b64 a) { ret; }\n.entry k() { .param .b32 w; .param .b64 x; call (w), f, (x); ret; }", true).Funcs[1]
	wide, narrow, register := Location{Size: 8}, Location{Size: 4}, Location{Size: 4, InReg: true}
	predicate := Location{InReg: true, Pred: true}
	for want, site := range map[string]*CallSite{
		"":                                {Args: []Location{wide}, Rets: []Location{narrow}},
		"0 arguments; the function has 1": {Rets: []Location{narrow}},
		"2 results; the function has 1":   {Args: []Location{wide}, Rets: []Location{narrow, narrow}},
		"argument 1 has 4 bytes; the function's has 8":  {Args: []Location{narrow}, Rets: []Location{narrow}},
		"argument 1 is a predicate in one of them only": {Args: []Location{predicate}, Rets: []Location{narrow}},
		"result 1 is a predicate in one of them only":   {Args: []Location{register}, Rets: []Location{predicate}}, // a register holds what it can
	} {
		if got := f.Mismatch(site); got != want {
			t.Errorf("%+v: %q, want %q", site, got, want)
		}
	}
	sink := Location{InReg: true, Pred: true, sink: true}
	if got := f.Mismatch(&CallSite{Args: []Location{wide}, Rets: []Location{sink}}); got != "" {
		t.Errorf("a result that is not kept: %q", got)
	}
}

func TestCallsOfWhatIsNoFunctionAreRefused(t *testing.T) {
	for callee, want := range map[string]string{"g": "<nil>", "v": "v is not a function"} { // g is an error where it is called
		src := ".global .b32 v;\n.extern .func g();\n.entry k() { call " + callee + "; ret; }"
		if got := lowerError(t, src); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", callee, got, want)
		}
	}
}

// TestCalleesAreFound: by name, by address, elsewhere, and in libdevice.
func TestCalleesAreFound(t *testing.T) {
	p := lowered(t, `
.extern .func e();
.extern .func (.param .b32 r) __nv_sinf(.param .b32 a);
.func f() { ret; }
.func taken() { ret; }
.func unused() { ret; }
.global .u64 table[1] = { taken };
.entry k()
{
	.param .b32 a;
	call f;
	call e;
	call (a), __nv_sinf, (a);
	P: .callprototype _ ();
	call %rd1, (), P;
	ret;
}`, true)
	k := p.Kernel()
	var names []string
	for _, f := range p.Funcs {
		names = append(names, f.Src.Name)
	}
	if diff := cmp.Diff([]string{"k", "f", "taken"}, names); diff != "" {
		t.Errorf("functions that the kernel can reach (-want +got):\n%s", diff)
	}
	byName, external, served, indirect := k.Info[0].Call, k.Info[1].Call, k.Info[2].Call, k.Info[3].Call
	if byName.Callee != 1 || external.External != "e" || external.Callee >= 0 || served.Served == nil || indirect.Callee >= 0 || !indirect.Wide {
		t.Errorf("%+v, %+v, %+v, %+v", byName, external, served, indirect)
	}
	marked := p.Executing(func(f *Func, pc int) bool { return f.Src.Name == "taken" })
	if diff := cmp.Diff(Executing{true, false, true}, marked); diff != "" {
		t.Errorf("functions that may execute an instruction of taken (-want +got):\n%s", diff)
	}
	if marked.ByCall(byName) || marked.ByCall(external) || marked.ByCall(served) || marked.ByCall(nil) || !marked.ByCall(indirect) {
		t.Error("calls that may execute one")
	}
}

func TestModuleKnowsItsFunctions(t *testing.T) {
	mod, err := asm.Parse("m.ptx", []byte(`
.extern .func f();
.entry k() { call f; ret; }
.func f() { ret; }
.entry other() { ret; }
`))
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t, mod)
	for name, want := range map[string]bool{"k": true, "other": true, "f": false, "none": false} {
		if e := m.Entry(name); (e != nil) != want || e != nil && e.Name != name {
			t.Errorf("kernel %s: %+v", name, e)
		}
	}
	if n, ok := m.FuncNumber("f"); !ok || mod.Funcs[n].Name != "f" || !mod.Funcs[n].Defined {
		t.Errorf("f is function %d", n)
	}
	if _, ok := m.FuncNumber("none"); ok {
		t.Error("a function that is not there has a number")
	}
}

func TestLibdeviceCanBeLeftUndefined(t *testing.T) {
	for body, want := range map[string]string{
		"call (a), __nv_sinf, (a);": "__nv_sinf is declared but not defined in any module, and --no-libdevice leaves it undefined",
		"":                          "<nil>",
	} {
		mod, err := asm.Parse("m.ptx", []byte(".extern .func (.param .b32 r) __nv_sinf(.param .b32 a);\n.entry k() { .param .b32 a; "+body+" ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = NewModule(mod, false); want == "<nil>" && err != nil || want != "<nil>" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
}
