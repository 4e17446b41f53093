package asm

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// modules parses sources named a.ptx, b.ptx and so on.
func modules(t *testing.T, sources ...string) []*isa.Module {
	t.Helper()
	var mods []*isa.Module
	for i, src := range sources {
		m, err := Parse(string(rune('a'+i))+".ptx", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		mods = append(mods, m)
	}
	return mods
}

func link(t *testing.T, sources ...string) *isa.Module {
	t.Helper()
	m, err := Link(modules(t, sources...)...)
	if err != nil {
		t.Fatal(err)
	}
	checkIdentity(t, m)
	return m
}

// names returns the functions and variables of m with the files they come from.
func names(m *isa.Module) []string {
	var all []string
	for _, v := range m.Vars {
		all = append(all, fmt.Sprintf("%s%s %s %d", v.Linkage, v.Name, v.Pos.File, v.Size()))
	}
	for _, f := range m.Funcs {
		body := ""
		if f.Defined {
			body = " {}"
		}
		all = append(all, fmt.Sprintf("%s%s %s%s", f.Linkage, f.Name, f.Pos.File, body))
	}
	return all
}

func TestLinkResolvesExterns(t *testing.T) {
	for _, c := range []struct {
		name    string
		sources []string
		want    []string
	}{
		{"extern finds its definition", []string{
			".extern .func f(.param .b32 a); .extern .global .u32 x[]; .entry k() { call f, (1); mov.u64 %rd1, x; }",
			".visible .global .u32 x[4]; .visible .func f(.param .b32 a) { ret; }",
		}, []string{".visiblex b.ptx 16", ".visiblef a.ptx", ".visiblek a.ptx {}", ".visiblef b.ptx {}"}},
		{"extern without a definition", []string{
			".extern .func f(); .extern .global .u32 x; .entry k() { call f; }",
			".extern .func f(); .extern .global .u32 x; .entry j() { call f; }",
		}, []string{".externx a.ptx 4", ".externf a.ptx", ".visiblek a.ptx {}", ".visiblej b.ptx {}"}},
		{"a kernel that is declared as a function", []string{
			".extern .func j(.param .b64 a); .global .u64 used[1] = {j};",
			".entry j(.param .u64 a) { ret; }",
		}, []string{"used a.ptx 8", ".visiblej b.ptx", ".visiblej b.ptx {}"}},
		{"initialisers with addresses of what is declared later", []string{
			".extern .global .u64 p; .extern .global .u64 g; .entry k() { ld.global.u64 %rd1, [p]; }",
			".extern .func h(); .visible .global .u32 q; .visible .global .u64 p = q; .visible .global .u64 g = h;",
			".visible .func h() { ret; }",
		}, []string{".visiblep b.ptx 8", ".visibleg b.ptx 8", ".visibleq b.ptx 4", ".visiblek a.ptx {}", ".visibleh b.ptx", ".visibleh c.ptx {}"}},
		{"strong wins over weak", []string{
			".weak .func f() { ret; } .weak .global .u32 x = 1; .weak .entry k() { call f; }",
			".visible .func f() { exit; } .visible .global .u32 x = 2; .visible .entry k() { ret; }",
		}, []string{".visiblex b.ptx 4", ".visiblef a.ptx", ".visiblef b.ptx {}", ".visiblek b.ptx {}"}},
		{"the first weak wins", []string{
			".weak .func f(); .entry k() { call f; }",
			".weak .func f() { ret; } .weak .global .u32 x = 1; .weak .entry w() { ret; }",
			".weak .func f() { ret; } .weak .global .u32 x = 2; .weak .entry w() { ret; }",
		}, []string{".weakx b.ptx 4", ".weakf a.ptx", ".visiblek a.ptx {}", ".weakf b.ptx {}", ".weakw b.ptx {}"}},
		{"the largest common wins", []string{
			".common .global .u32 x; .common .global .u32 y;",
			".common .global .u32 x[4]; .visible .global .u32 y = 5;",
			".common .global .u32 x[2]; .extern .global .u32 x2;",
		}, []string{".commonx b.ptx 16", ".visibley b.ptx 4", ".externx2 c.ptx 4"}},
		{"dynamic shared memory", []string{
			".extern .shared .align 4 .b8 buffer[]; .entry k() { mov.u64 %rd1, buffer; }",
			".extern .shared .align 16 .b8 buffer[]; .entry j() { mov.u64 %rd1, buffer; }",
		}, []string{".externbuffer b.ptx 0", ".visiblek a.ptx {}", ".visiblej b.ptx {}"}},
		{"an alias defines", []string{
			".extern .func f(); .entry k() { call f; }",
			".visible .func f(); .alias f, g; .func g() { ret; }",
			".weak .func f(); .weak .func g2() { ret; } .alias f, g2;",
		}, []string{".visiblef a.ptx", ".visiblek a.ptx {}", "g b.ptx {}", ".weakg2 c.ptx {}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, names(link(t, c.sources...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLinkKeepsInternalNamesApart: internal names of several modules stay different, in code, initialisers and text.
func TestLinkKeepsInternalNamesApart(t *testing.T) {
	const src = `
.global .u32 x = %d;
.global .u64 table[3] = {x, f, generic(x)+4};
.func (.param .b32 r) f() { ret; }
.alias g, f;
.func usesParameter(.param .b32 x) { .local .b32 y; ld.param.b32 %%r1, [x]; ret; }
.visible .entry k%d() {
	.reg .b32 x$2;
	mov.u32 x$2, 1;
	ld.global.u32 %%r1, [x+4];
	mov.u64 %%rd1, f;
	mov.b64 %%rd1, table;
	call (%%r1), g, ();
	call (%%r1), %%rd1, (), targets;
	targets: .calltargets f, g;
	tcgen05.shift [x], f, x$2;
}`
	mods := modules(t, fmt.Sprintf(src, 1, 1), fmt.Sprintf(src, 2, 2), ".visible .global .u32 table$2;")
	before := Format(mods[1])
	m, err := Link(mods...)
	if err != nil {
		t.Fatal(err)
	}
	checkIdentity(t, m)
	if diff := cmp.Diff(before, Format(mods[1])); diff != "" {
		t.Errorf("Link changed a module:\n%s", diff)
	}
	want := []string{
		"x a.ptx 4", "table a.ptx 24", "x$3 b.ptx 4", "table$3 b.ptx 24", ".visibletable$2 c.ptx 4",
		"f a.ptx {}", "usesParameter a.ptx {}", ".visiblek1 a.ptx {}", "f$2 b.ptx {}", "usesParameter$2 b.ptx {}", ".visiblek2 b.ptx {}",
	}
	if diff := cmp.Diff(want, names(m)); diff != "" {
		t.Error(diff)
	}
	var code []string
	k := m.Entry("k2")
	for pc := range k.Code {
		code = append(code, k.Text(pc))
	}
	wantCode := []string{
		"mov.u32 x$2, 1;",
		"ld.global.u32 %r1, [x$3+4];",
		"mov.u64 %rd1, f$2;",
		"mov.b64 %rd1, table$3;",
		"call (%r1), g$2, ();",
		"call (%r1), %rd1, (), targets;",
		"tcgen05.shift [x$3], f$2, x$2;",
	}
	if diff := cmp.Diff(wantCode, code); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"f$2", "g$2"}, k.Protos[0].Targets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]isa.Init{{Sym: "x$3"}, {Sym: "f$2"}, {Sym: "x$3", Generic: true, Bits: 4}}, m.Vars[3].Init, sameModule); diff != "" {
		t.Error(diff)
	}
	if got, want := m.Func("usesParameter$2").Text(0), "ld.param.b32 %r1, [x];"; got != want {
		t.Errorf("code %s, want %s", got, want)
	}
}

func TestLinkErrorsNameBothPlaces(t *testing.T) {
	for _, c := range []struct {
		name, a, b, want string
	}{
		{"two functions", ".visible .func f() { ret; }", "\n.visible .func f() { ret; }", "b.ptx:2:16: f is defined already, at a.ptx:1:16"},
		{"two kernels", ".entry k() { ret; }", ".entry k() { ret; }", "b.ptx:1:8: k is defined already, at a.ptx:1:8"},
		{"two variables", ".visible .global .u32 x;", ".visible .global .u32 x = 1;", "b.ptx:1:23: x is defined already, at a.ptx:1:23"},
		{"other types", ".extern .func f(.param .b32 a);", ".visible .func f() { ret; }", "b.ptx:1:16: f is () here and (.b32) there, at a.ptx:1:15"},
		{"other sizes", ".extern .global .u32 x;", ".visible .global .u64 x;", "b.ptx:1:23: x has 8 bytes here and 4 there, at a.ptx:1:22"},
		{"other spaces", ".extern .global .u32 x;", ".visible .const .u32 x = 0;", "b.ptx:1:22: x is in .const here and in .global there, at a.ptx:1:22"},
		{"a function and a variable", ".visible .global .u32 x;", ".weak .func x() { ret; }", "b.ptx:1:13: x is a variable in one place and a function in the other, at a.ptx:1:23"},
		{"a function and a kernel", ".visible .func x() { ret; }", ".entry x() { ret; }", "b.ptx:1:8: x is a kernel in one place and not in the other, at a.ptx:1:16"},
		{"a call of a kernel", ".extern .func x(); .entry k() { call x; }", ".entry x() { ret; }", "a.ptx:1:33: x is a kernel, at b.ptx:1:8; only a .func can be called"},
		{"address sizes", "", ".address_size 32", "b.ptx:1:1: addresses of 32 bits; those of a.ptx have 64"},
	} {
		_, err := Link(modules(t, c.a, c.b)...)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestLinkTakesNewestHeader(t *testing.T) {
	m := link(t, ".version 7.8\n.target sm_70", ".version 7.10\n.target sm_90a\n", ".target sm_80, debug")
	if m.Name != "a.ptx" || m.Version != "7.10" || m.Target != "sm_90a" {
		t.Errorf("name %s, version %s, target %s", m.Name, m.Version, m.Target)
	}
}
