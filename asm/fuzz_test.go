package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: no source makes Parse panic, and what it accepts survives
// formatting.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/odd.ptx", "testdata/*.s", "testdata/habits/*.ptx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
			for line := range strings.Lines(string(src)) { // small sources mutate better
				f.Add([]byte(line))
				f.Add([]byte(".entry k() { " + line + " }"))
			}
		}
	}
	for _, src := range []string{
		".entry k() { mov.u32 %r1, (1 + 2) * 3 ? WARP_SZ : ~0; }",
		".global .v2 .u32 x[][2] = {{{1, 2}}, {{3}}};",
		".func (.reg .v2 .f32 r) f(.reg .u32 a) { .reg .v4 .b32 q; mov.b32 a, q.x; }",
		".entry k() { { .reg .b32 a; call a, (a), a$1; } { .reg .b32 a; mov.u32 a, %clock; } }",
		".entry k() { .loc 1 2 3, function_name x+4, inlined_at 1 2 3 ret; }",
		".func f(); .entry k() { call f; { .param .b32 f; p: .callprototype _; call %rd1, p; } } .alias g, h; .func h() { }",
		".func (.reg .f32 r) f(.param .b8 a[4]); .entry k() { t: .calltargets f; { .param .b8 t[4]; call (%f1), %rd1, (t), t1; } t1: .calltargets f; }",
		".entry k() { t: .branchtargets L<2>; brx.idx %r1, t; { L0: t: .branchtargets L0; brx.idx %r1, t; } L0: L1: }",
		".version 1.3 .reg .u32 a<3>; .entry k { .param .u32 n; ld.param.u32 a1, [n]; mov.u16 %rs1, %tid.x; mov.v4.u32 {a1, _, _, _}, %tid; }",
		".func (.reg .pred p) f(.reg .v2 .f32 v) { mov.f32 v.x, v.y; } .entry k() { .reg .v2 .f32 w; call (%p1), f, (w); }",
		".entry k() { .global .b32 a[4] = {1}; { .const .u16 a[2]; ld.const.u16 %rs1, [a[1]+2]; } st.b32 a[1], %r1 + 1; ld.b32 {%r1}, [a]; }",
		".version 1.3 .target sm_13 .func f() .func g(.param .u32 x) .entry k { .param .u32 x; rcp.f32 %f1, %f2; mad.f32 %f1, %f1, %f1, %f1; ld.f32 %f1, [%r1]; }",
		".version 2.3 .target sm_20 .hidden .global .u32 x; .entry k(.hidden .param .u64 y) { mad.f32 %f1, %f1, %f1, %f1; }\n\x00",
	} {
		f.Add([]byte(src))
	}
	named, _ := namedConstants(f)
	for _, src := range named {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("x.s", src)
		if err != nil {
			return
		}
		for _, v := range m.Vars {
			if len(v.Init) > 1<<14 {
				return // comparing would take minutes
			}
		}
		checkIdentity(t, m)
	})
}

// FuzzLink: Link never panics either, and its result is a valid module.
func FuzzLink(f *testing.F) {
	for _, c := range [][2]string{
		{".extern .func f(); .entry k() { call f; }", ".visible .func f() { ret; }"},
		{".weak .global .u32 x; .global .u32 y = 1;", ".common .global .u32 x[2]; .global .u64 y = x; .entry k() { mov.u64 %rd1, y; tex [y]; }"},
		{".func f() { } .alias g, f;", ".func f(.param .b32 f$2) { } .alias g, f; .entry k() { t: .calltargets f; call f, (g); }"},
	} {
		f.Add([]byte(c[0]), []byte(c[1]))
		f.Add([]byte(c[1]), []byte(c[0]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		first, err := Parse("a.s", a)
		if err != nil {
			return
		}
		second, err := Parse("b.s", b)
		if err != nil {
			return
		}
		m, err := Link(first, second)
		if err != nil || hasText(m) {
			return
		}
		if _, err := Parse("ab.s", []byte(Format(m))); err != nil {
			t.Errorf("linked text does not parse: %v\n%s", err, Format(m))
		}
	})
}
