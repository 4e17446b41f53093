package debuginfo_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
)

// testdata/O0-clang19.ptx and O0-clang22.ptx are what simtrun cc -G makes of testdata/shapes.cu, O2-clang19.ptx what
// simtrun cc -g makes of it, with another folder for simtrun's headers.

// kernel returns the kernel of a file of testdata.
func kernel(t *testing.T, file string) *isa.Func {
	t.Helper()
	text, err := packed.ReadFile("testdata/" + file + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return mod.Entries()[0]
}

// lineOf returns the first instruction of a line of shapes.cu that is found by its text.
func lineOf(t *testing.T, fn *isa.Func, text string) int {
	t.Helper()
	src, err := os.ReadFile("testdata/shapes.cu")
	if err != nil {
		t.Fatal(err)
	}
	line := 1 + slices.IndexFunc(strings.Split(string(src), "\n"), func(l string) bool { return strings.Contains(l, text) })
	for pc := range fn.Code {
		if loc := fn.Code[pc].Loc; int(loc.Line) == line && strings.HasSuffix(loc.File, "shapes.cu") {
			return pc
		}
	}
	t.Fatalf("%s has no instruction on line %d", fn.Name, line)
	return 0
}

// lane is an Env with symbols at fixed addresses and registers with values of their own.
type lane struct{}

func (lane) Register(name string) (uint64, bool) {
	if name == "%rd3" {
		return 0x3000, true
	}
	return 0, false
}

func (lane) Symbol(name string) (uint64, bool) {
	at, ok := map[string]uint64{"__local_depot1": 0x1000, "table": 0x2000, "_ZZ1kPKiPii4PairE1s": 0x400}[name]
	return at, ok
}

func (lane) Frame() (uint64, bool)                            { return 0, false }
func (lane) Load(debuginfo.Space, uint64, int) (uint64, bool) { return 0, false }
func placeText(i *debuginfo.Info, v *debuginfo.Variable, pc int) string {
	p, err := i.Locate(v, pc, lane{})
	switch {
	case err != nil:
		return err.Error()
	case p.Register != "":
		return p.Register
	case p.Constant:
		return fmt.Sprintf("= %d", p.Bits)
	}
	return fmt.Sprintf("%d:%x", p.Space, p.Addr)
}

// TestUnoptimisedVariablesHavePlaces compares names, types and places of all variables with shapes.cu and with the
// stores of O0-clang19.ptx: t is stored to [%SP+60], for example, which is at 60 of __local_depot1.
func TestUnoptimisedVariablesHavePlaces(t *testing.T) {
	fn := kernel(t, "O0-clang19.ptx")
	i := debuginfo.Of(fn)
	pc := lineOf(t, fn, "r = s[7")
	frames := i.Frames(fn, pc)
	frame := frames[len(frames)-1]
	var got []string
	for _, v := range frame.Vars {
		got = append(got, v.Type.Declare(v.Name)+"  "+placeText(i, v, pc))
	}
	want := []string{
		"int t  6:10a4", // of the block, before that of the function
		"int s[8][16]  8:400",
		"const int *in  6:1028", // DWARF 2 has no __restrict__
		"int *out  6:1030",
		"int n  6:1038",
		"Pair pr  6:1000",
		"int t  6:103c",
		"Acc acc  6:1040",
		"float arr[4]  6:1070",
		"int &r  6:1088",
		"bool last  6:1090",
		"char letter  6:1091",
		"Byte byte  6:1092",
		"Word w  6:10a0",
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if v := frame.Vars[0]; v.Name != "t" || placeText(i, v, pc) != "6:10a4" {
		t.Errorf("the first t is %s at %s, not that of the block", v.Name, placeText(i, v, pc))
	}
	if outside := i.Frames(fn, lineOf(t, fn, "w.u =")); len(outside) == 0 || slices.ContainsFunc(outside[len(outside)-1].Vars, func(v *debuginfo.Variable) bool { return placeText(i, v, pc) == "6:10a4" }) {
		t.Error("the t of the block is visible outside of it")
	}
}

// TestParameterIsFoundInRegister finds the address of a parameter, which clang 22 leaves in a register.
func TestParameterIsFoundInRegister(t *testing.T) {
	fn := kernel(t, "O0-clang22.ptx")
	i := debuginfo.Of(fn)
	for _, v := range i.Frames(fn, len(fn.Code)-1)[0].Vars {
		if v.Name == "pr" {
			if got := placeText(i, v, 5); got != fmt.Sprintf("%d:3000", debuginfo.InGeneric) {
				t.Errorf("pr is at %s", got)
			}
			return
		}
	}
	t.Error("no parameter pr")
}

// TestOptimisedVariablesHaveNoPlace: the back end of clang gives optimised variables no places, except for those in
// memory that has a name, and constants.
func TestOptimisedVariablesHaveNoPlace(t *testing.T) {
	fn := kernel(t, "O2-clang19.ptx")
	i := debuginfo.Of(fn)
	frames := i.Frames(fn, len(fn.Code)-1)
	places := make(map[string]string)
	for _, v := range frames[len(frames)-1].Vars {
		places[v.Name] = placeText(i, v, len(fn.Code)-1)
	}
	for name, want := range map[string]string{"s": "8:400", "n": debuginfo.ErrOptimisedOut.Error(), "acc": debuginfo.ErrOptimisedOut.Error()} {
		if places[name] != want {
			t.Errorf("%s: %s, want %s", name, places[name], want)
		}
	}
}

// TestTypesMatchABI compares types with shapes.cu, offsets as of the C++ ABI of Linux.
func TestTypesMatchABI(t *testing.T) {
	for _, file := range []string{"O0-clang19.ptx", "O0-clang22.ptx", "O2-clang19.ptx"} {
		i := debuginfo.Of(kernel(t, file))
		acc := i.TypeNamed("struct Acc")
		if acc == nil {
			t.Fatalf("%s: no type Acc", file)
		}
		var got []string
		for _, f := range acc.Bare().Fields {
			text := fmt.Sprintf("%d %s", f.Offset, f.Type.Declare(f.Name))
			if f.Bits > 0 {
				text += fmt.Sprintf(" : %d at %d", f.Bits, f.Shift)
			}
			got = append(got, text)
		}
		want := []string{"0 Base", "4 float v[3]", "16 Pair p", "24 int *q", "32 Kind k", "36 unsigned int low : 3 at 0", "36 unsigned int high : 9 at 3", "40 const Acc *next"}
		if !slices.Equal(got, want) || acc.Size != 48 {
			t.Errorf("%s: %d bytes\n%s", file, acc.Size, strings.Join(got, "\n"))
		}
		kind := i.TypeNamed("Kind")
		if want := []debuginfo.Enumerator{{"Red", 0}, {"Green", 5}}; kind == nil || !slices.Equal(kind.Values, want) {
			t.Errorf("%s: enum Kind is %+v", file, kind)
		}
		if next := acc.Fields[len(acc.Fields)-1].Type; next.To.Bare() != acc {
			t.Errorf("%s: next points to another type", file)
		}
	}
}

// TestGlobalsAreFoundInNamespaces finds variables of the module, also in a namespace.
func TestGlobalsAreFoundInNamespaces(t *testing.T) {
	i := debuginfo.Of(kernel(t, "O0-clang19.ptx"))
	var got []string
	for _, v := range i.Globals() {
		got = append(got, v.Type.Declare(v.Name)+" "+v.Symbol)
	}
	if want := []string{"int table[4] table", "int counter _ZN4deep7counterE"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDeclarationsHaveCSyntax writes types as C++ does.
func TestDeclarationsHaveCSyntax(t *testing.T) {
	num := &debuginfo.Type{Kind: debuginfo.Signed, Name: "int", Size: 4}
	constant := func(to *debuginfo.Type) *debuginfo.Type { return &debuginfo.Type{Kind: debuginfo.Const, To: to} }
	for want, typ := range map[string]*debuginfo.Type{
		"int x":          num,
		"const int *x":   debuginfo.PointerTo(constant(num)),
		"int *const x":   constant(debuginfo.PointerTo(num)),
		"int **x":        debuginfo.PointerTo(debuginfo.PointerTo(num)),
		"int x[2][3]":    debuginfo.ArrayOf(debuginfo.ArrayOf(num, 3), 2),
		"int (*x)[3]":    debuginfo.PointerTo(debuginfo.ArrayOf(num, 3)),
		"int *x[3]":      debuginfo.ArrayOf(debuginfo.PointerTo(num), 3),
		"void *x":        debuginfo.PointerTo(nil),
		"int (*x)()":     debuginfo.PointerTo(&debuginfo.Type{Kind: debuginfo.Function, To: num}),
		"const int &x":   {Kind: debuginfo.Reference, Word: "&", To: constant(num)},
		"int x[]":        debuginfo.ArrayOf(num, -1),
		"const int x[2]": debuginfo.ArrayOf(constant(num), 2),
	} {
		if got := typ.Declare("x"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// listPTX has a variable with a location list, in %r1 at the first instruction and nowhere afterwards, one at a sum,
// and one that is split.
const listPTX = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<3>;
$L0:
	mov.u32 %r1, 1;
$L1:
	mov.u32 %r2, 2;
	ret;
$L2:
}
	.file 1 "k.cu"
	.section .debug_abbrev { .b8 1,17,1,0,0, 2,46,1,17,1,18,1,3,8,0,0, 3,52,0,3,8,2,6,0,0, 4,52,0,3,8,2,10,0,0, 0 }
	.section .debug_info {
.b32 90
.b8 2,0
.b32 .debug_abbrev
.b8 8,1,2
.b64 $L0, $L2
.b8 107,0
.b8 3,120,0
.b32 .debug_loc
.b8 4,121,0,4,48,51,34,159
.b8 4,122,0,4,49,147,4,48
.b8 4,119,0,7,16,129,1,17,127,34,159
.b8 4,118,0,3,8,255,159
.b8 4,117,0,3,150,8,255
.b8 4,116,0,2,150,150
.b8 0,0,0,0,0,0,0,0,0
}
	.section .debug_loc {
.b64 $L0, $L1
.b8 6,0,144,177,228,149,1,0
.b64 0,0
}
`

// TestLocationExpressionsAreEvaluated evaluates expressions that a compiler could write, by hand: 0 + 3, 129 - 1, 255
// after an operation that does nothing, two such operations, which are no place, and "%r1", which is
// 0x257231, and in LEB128 b1 e4 95 01.
func TestLocationExpressionsAreEvaluated(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(listPTX))
	if err != nil {
		t.Fatal(err)
	}
	fn := mod.Entries()[0]
	i := debuginfo.Of(fn)
	if i == nil {
		t.Fatal("the debug information cannot be read")
	}
	frames := i.Frames(fn, 0)
	var got []string
	for _, pc := range []int{0, 1} {
		for _, v := range frames[0].Vars {
			got = append(got, v.Name+" "+placeText(i, v, pc))
		}
	}
	rest := []string{"y = 3", "z its place is not well-formed", "w = 128", "v = 255", "u = 255", "t " + debuginfo.ErrOptimisedOut.Error()}
	want := slices.Concat([]string{"x %r1"}, rest, []string{"x " + debuginfo.ErrOptimisedOut.Error()}, rest)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzRead reads debug sections of any text, which must not crash: PTX comes from users.
func FuzzRead(f *testing.F) {
	f.Add(".b8 1,17,1,0,0, 2,52,0,3,8,2,10,0,0, 0", ".b32 20\n.b8 4,0\n.b32 0\n.b8 8,1,2,120,0,2,48,159,0", ".b64 0,0")
	f.Fuzz(func(t *testing.T, abbrev, info, loc string) {
		fn := &isa.Func{Name: "k", Code: make([]isa.Instr, 2)}
		d := &isa.Debug{Sections: map[string]string{".debug_abbrev": abbrev, ".debug_info": info, ".debug_loc": loc}, Funcs: []*isa.Func{fn}}
		fn.Debug = d
		i := debuginfo.Of(fn)
		if i == nil {
			return
		}
		vars := i.Globals()
		for _, frame := range i.Frames(fn, 0) {
			vars = append(vars, frame.Vars...)
		}
		for _, v := range vars {
			_ = v.Type.String()
			if p, err := i.Locate(v, 0, lane{}); err != nil && !reflect.DeepEqual(p, debuginfo.Place{}) && !errors.Is(err, debuginfo.ErrOptimisedOut) {
				t.Errorf("a place and an error: %v", err)
			}
		}
	})
}

// TestParametersDecodeOnlyTheirEntries holds the cost of loading PTX with debug information, whose parameters are named
// at once: the functions with code, the parameters and their types are decoded, and not all variables and types.
func TestParametersDecodeOnlyTheirEntries(t *testing.T) {
	for _, file := range []string{"O0-clang19.ptx", "O0-clang22.ptx", "O2-clang19.ptx"} {
		fn := kernel(t, file)
		i := debuginfo.Of(fn)
		var names []string
		for _, v := range i.Parameters(fn) {
			names = append(names, v.Type.Declare(v.Name))
		}
		if got := strings.Join(names, ", "); !strings.HasPrefix(got, "const int *in, int *out, int n") {
			t.Errorf("%s: parameters %s", file, got)
		}
		const most = 20 // functions, their declarations, parameters, their types
		if n, all := i.Decoded(); n > most || all < 4*most {
			t.Errorf("%s: %d of %d entries decoded", file, n, all)
		}
	}
}
