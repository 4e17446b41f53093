package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEachItemHasItsMistake: after a syntax error outside of functions, syntax errors in later items and in all
// functions are still reported, and none that are only consequences.
func TestEachItemHasItsMistake(t *testing.T) {
	for name, tt := range map[string]struct{ src, want string }{
		"unknown directive":              {".foo x;\n.entry k() { mov.u32 %r1, (; }\n.bar y;\n.entry j() { ret; }", "1:1 2:28 3:1"},
		"no semicolon":                   {".global .u32 x\n.entry k() {\nadd.u32 %r1, (3;\n}\n.global .u32 ;", "1:15 3:16 5:14"},
		"stray brace":                    {".entry k() {\nret;\n}\n}\n.global .u32 x[;", "4:1 5:16"},
		"brace too early":                {".entry k() {\n}\nmov.u32 %r1, 1;\nret;\n}\n.entry j() { mov.u32 %r1, [; }", "3:1 6:28"},
		"parameters":                     {".entry k(\n.param .u64 x,\n.param u32 y)\n{ ret; }\n.func f() { ) }", "3:8 5:13"},
		"initialiser":                    {".global .u32 x[2] = {1, (2};\n.global .u32 y[2] = {1, 2};\n.const .u32 z = ;", "1:27 3:17"},
		"linkage":                        {".visible\n.entry k( {\nret; }\n.visible\n.entry j() {\n5;\n}", "2:11 6:1"},
		"opcodes":                        {".foo x;\n.entry k() {\nmvo.u32 %r1, nope;\nmov.u32 %r1, nope\nret;\n}", "1:1 3:1 4:18"},
		"two on a line":                  {".foo x; .global .u32 y; .bar z;", "1:1 1:25"},
		"header":                         {".version\n.target sm_80\n.address_size\n.entry k() { 5; }", "2:1 4:1 4:14"},
		"never closed":                   {".foo x;\n.entry k() {\nmov.u32 %r1, (;\n", "1:1 3:15 4:1"},
		"strange characters":             {"§\n.entry k() { bra NOWHERE; }", "1:1"},
		"directives of another language": {"#define N 4\n.entry k() {\nmov.u32 %r1, N;\n# 5 \"k.s\"\n#if 1 \\\n + 1\nbra NOWHERE;\n#endif\n}", "1:1 3:14 5:1 7:5 8:1"},
	} {
		if diff := cmp.Diff(tt.want, places(tt.src)); diff != "" {
			_, err := Parse("k.s", []byte(tt.src))
			t.Errorf("%s: %s\n%v", name, diff, err)
		}
	}
}

// TestOtherFunctionsAreChecked: a syntax error in a declaration within a function hides no semantic error of another.
func TestOtherFunctionsAreChecked(t *testing.T) {
	const src = ".entry k() {\n.reg .u32 %x<;\nmov.u32 %x1, 1;\n}\n.entry j() {\nbra NOWHERE;\n}"
	if got := places(src); got != "2:14 6:5" {
		t.Error(got)
	}
}

// TestLineMarkersAreIgnored: lines that a preprocessor leaves have no effect; others are errors that say what to do.
func TestLineMarkersAreIgnored(t *testing.T) {
	m := parse(t, "# 1 \"k.s\"\n# 1 \"<built-in>\" 1\n.entry k() {\n#line 7\n\tret; // # 8\n/*\n# 9\n*/\n}")
	if in := m.Entry("k").Code; len(in) != 1 || in[0].Pos.Line != 5 || in[0].Pos.Col != 2 {
		t.Errorf("%+v", in)
	}
	_, err := Parse("k.s", []byte(" #  include \"a.h\"\n.entry k() { ret; }"))
	if want := "k.s:1:2: #include is for the C preprocessor, which simtrun does not run; expand the file before, as with cpp -P -C"; err == nil || err.Error() != want {
		t.Error(err)
	}
}

// places returns the places of the errors in a source.
func places(src string) string {
	_, err := Parse("k.s", []byte(src))
	var got []string
	if list, ok := err.(Errors); ok {
		for _, e := range list.List {
			got = append(got, fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Col))
		}
	}
	return strings.Join(got, " ")
}

// TestEachStatementHasItsMistake: after a syntax error, syntax errors and semantic errors in later statements are still
// reported. After one in a declaration operands are not checked, since the names that it declares are missing.
func TestEachStatementHasItsMistake(t *testing.T) {
	for name, tt := range map[string]struct {
		body, want string /* places */
	}{
		"brackets":      {"ld.global.u32 %r1, [%rd1;\nmov.u32 %r1, %nope;\nst.global.u32 [%rd1, %r1;\nbra NOWHERE;", "2:25 3:14 4:25 5:5"},
		"no semicolon":  {"add.u32 %r1, %r2, (3\nmov.u32 %r1, 1;\nad.u32 %r1, %r1, 1;", "3:15 4:1"},
		"stray sign":    {"mov.u32 %r1, 1;\n) ;\n5;\nbra NOWHERE;", "3:1 4:1 5:5"},
		"declaration":   {".reg .u32 %x<;\nmov.u32 %x1, 1;\nmov.u32 %r1, (;", "2:14 4:15"},
		"label":         {"L: .branchtargets A, (;\nbra A;\n", "2:23"},
		"two functions": {"mov.u32 %r1, (;\n}\n.entry j()\n{\nmov.u32 %r1, [;", "2:15 6:15"},
		"never closed":  {"mov.u32 %r1, 1;\n{\nbra NOWHERE;", "6:1"},
		"dotted label":  {"mov.u32 %r1, 1\nmov.u32 %r2, 2;\n.loop:\nmvo.u32 %r1, 1;\nbra NOWHERE;", "2:15 4:1 5:1 6:5"},
		"opcodes":       {".reg .u32 %x<;\nmov.u32 %x1, 1\nmov.u32 %x2, 1;\n@%x3 mvo.u32 %x1, 1;\nbra X;\n@!%p1 add.u32 %x1, %x1, 1;", "2:14 3:15 5:6"},
		"unknown":       {".foo 3;\nbra NOWHERE;", "2:1 3:5"},
		"guard":         {"@%p1 ( bra X;\n@ mov.u32 %r1, 1;", "2:13 3:3"},
		"loc":           {".loc 1 x;\nbra NOWHERE;", "2:8 3:5"},
	} {
		src := ".entry k() {\n" + tt.body + "\n}\n"
		if diff := cmp.Diff(tt.want, places(src)); diff != "" {
			_, err := Parse("k.s", []byte(src))
			t.Errorf("%s: %s\n%v", name, diff, err)
		}
	}
}

// TestErrorsNoteUnwrittenRegisters: errors come with notes on registers that no instruction writes, each at its first
// read. An instruction that does not assemble counts as writing its result.
func TestErrorsNoteUnwrittenRegisters(t *testing.T) {
	for body, want := range map[string]string{
		"ad.u32 %r1, %r2, %r3; mov.u32 %r4, %r1; mov.u32 %r3, 1;":            "%r2",
		"bra NOWHERE; ld.global.u32 %r1, [%rd9]; st.global.u32 [%rd9], %r2;": "%rd9 %r2",
		"bra NOWHERE; mov.b64 {%r1, %r2}, %rd1; add.u32 %r3, %r1, %r2;":      "%rd1",
		"nop.x [%rd1], %r1; @%p2 exit; setp.eq.u32 %p1|%p3, %r1, 3;":         "%rd1 %r1 %p2",
		"mov.u32 %r1, %r2;": "",
	} {
		_, err := Parse("k.s", []byte(".entry k() { "+body+" }"))
		var got []string
		if list, ok := err.(Errors); ok {
			for _, n := range list.Notes {
				got = append(got, strings.Fields(n.Msg)[1])
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s\n%v", body, s, want, err)
		}
	}
}

// TestZerosAfterSourceAreIgnored checks that zero bytes behind a source, which images for the driver end with, change
// neither its meaning nor its errors. The source is cut at every byte.
func TestZerosAfterSourceAreIgnored(t *testing.T) {
	const kernel = "# 1 \"k.cu\" 1\n#define N 4\n.version 8.0 // text\n.target sm_90 /* more */\n.address_size 64\n" +
		".file 1 \"k.cu\"\n.entry k(.param .u64 x) {\n\t.reg .b32 %r<3>;\n.loc 1 2 3\n@@DWARF x\nL: mov.u32 %r1, 0x1F;\n\tbra L;\n}\n"
	parse := func(src string) string {
		m, err := Parse("k.s", []byte(src))
		if err != nil {
			return err.Error()
		}
		return Format(m)
	}
	for end := range len(kernel) + 1 {
		src := kernel[:end]
		if want, got := parse(src), parse(src+"\x00\x00\x00"); got != want {
			t.Errorf("%q with zeros behind it:\n%s\nwant\n%s", src, got, want)
		}
	}
}
