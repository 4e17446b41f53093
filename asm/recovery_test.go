package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEachStatementHasItsMistake: after a syntax error, syntax errors and semantic errors in later statements are still
// reported. After one in a declaration only syntax errors are, since the names that it declares are missing.
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
		"guard":         {"@%p1 ( bra X;\n@ mov.u32 %r1, 1;", "2:13 3:3"},
		"loc":           {".loc 1 x;\nbra NOWHERE;", "2:8 3:5"},
	} {
		_, err := Parse("k.s", []byte(".entry k() {\n"+tt.body+"\n}\n"))
		var got []string
		if list, ok := err.(Errors); ok {
			for _, e := range list.List {
				got = append(got, fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Col))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
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
