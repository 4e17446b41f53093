package debugger

import (
	"testing"

	"github.com/simtrun/simtrun/internal/debuginfo"
)

// TestLayoutShowsOffsetsAndHoles compares ptype/o with the layout that the ABI gives
// struct S : B { char c; int n; unsigned low : 3, high : 7; double d; char end; }, worked out by hand: B has 4 bytes.
func TestLayoutShowsOffsetsAndHoles(t *testing.T) {
	word := fundamental["unsigned"]
	s := &debuginfo.Type{Kind: debuginfo.Struct, Word: "struct", Name: "S", Size: 40, Fields: []debuginfo.Field{
		{Type: &debuginfo.Type{Kind: debuginfo.Struct, Name: "B", Size: 4}, Base: true},
		{Name: "c", Type: fundamental["char"], Offset: 4},
		{Name: "n", Type: fundamental[""], Offset: 8},
		{Name: "low", Type: word, Offset: 12, Bits: 3},
		{Name: "high", Type: word, Offset: 12, Bits: 7, Shift: 3},
		{Name: "d", Type: fundamental["double"], Offset: 16},
		{Name: "end", Type: fundamental["char"], Offset: 24},
	}}
	const want = `struct S {
/*    offset |    size */
/*         0 |       4 */      public B;
/*         4 |       1 */      char c;
/* XXX   3-byte hole   */
/*         8 |       4 */      int n;
/*     12: 0 |       4 */      unsigned int low : 3;
/*     12: 3 |       4 */      unsigned int high : 7;
/* XXX   2-byte hole   */
/*        16 |       8 */      double d;
/*        24 |       1 */      char end;
/* XXX  15-byte padding*/
/*     total |      40 */
}`
	if got := layout(debuginfo.PointerTo(s)); got != want {
		t.Errorf("layout of S:\n%s\nwant\n%s", got, want)
	}
	if got := layout(word); got != "unsigned int" {
		t.Errorf("layout of a number: %s", got)
	}
}

// TestReferencesToStructsAreShownAsPointers: what a lambda captures by reference is shown as the object or its place,
// not as a number.
func TestReferencesToStructsAreShownAsPointers(t *testing.T) {
	of := &debuginfo.Type{Kind: debuginfo.Struct, Word: "struct", Name: "S", Size: 8}
	l := (&scope{}).scalarOf(lvalue{typ: &debuginfo.Type{Kind: debuginfo.Reference, To: of, Size: 8}})
	if got := l.typ.String(); got != "S *" {
		t.Errorf("S & is shown as %s", got)
	}
}
