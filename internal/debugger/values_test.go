package debugger

import (
	"encoding/binary"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// values-clang16.ptx, values-clang19.ptx and values-clang22.ptx are what simtrun cc -G makes of testdata/values.cu, and
// values-O2.ptx what cc -g makes of it with clang 22, with other folders for the source and for simtrun's headers.

// newValues begins a launch of values with p = {7, {10, 20, 30, 40}, nullptr, true, Color::Green}, shape = (4, 5, 6).
func newValues(t *testing.T, file string) *bench {
	t.Helper()
	return newCompiled(t, file, func(in, out uint64) interp.Launch {
		params := make([]byte, 0, 68)
		for _, n := range []uint32{7, 10, 20, 30, 40, 0, 0, 0, 1 | 5<<8, 0} {
			params = binary.LittleEndian.AppendUint32(params, n)
		}
		params = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(params, out), in)
		for _, n := range []uint32{4, 5, 6} {
			params = binary.LittleEndian.AppendUint32(params, n)
		}
		return interp.Launch{Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: params}
	})
}

// cxxValues are expressions at line 88 of values.cu, and what gdb shows of them, by the source. In code without
// optimisation, values of local variables are in the stack frame of each thread: simtrun shows all lanes.
var cxxValues = [][2]string{
	{"p s", `^s const char \*   all: 0x\w+ "hello"$`},
	{"p/s s", `0x\w+ "hello"$`},
	{"p *s@5", `"hello"$`},
	{"p null", `^null const char \*   all: 0x0$`},
	{"p text", `^text char \[2\]\[4\]\n.*"ab"\n.*"it\\201"$`},
	{"p text[0]", `"ab"$`},
	{"p message", `^message const char \* = 0x\w+ "abc"$`},
	{"p byte", `all: 200 '\\310'$`},
	{"p zero", `all: 0 '\\000'$`},
	{"p bytes", `.x unsigned char   all: 65 'A'\n  .y unsigned char   all: 10 '\\n'$`},
	{"p color", `^color Color   0-30 by 2: Color::Blue   1-31 by 2: Color::Green$`},
	{"p color == Color::Blue", `0-30 by 2$`},
	{"p (Color)0", `= Color::Red$`},
	{"p (Color)9", `= 9$`},
	{"p list", `(?s)Color::Red.*Color::Blue$`},
	{"p flags", `all: \(A \| C\)$`},
	{"p (Flags)12", `= \(C \| unknown: 0x8\)$`},
	{"p (Flags)8", `= 8$`},
	{"p mode", `^mode ns::Mode   all: ns::On$`},
	{"p mode == ns::On", `all$`},
	{"p mode == ns::Mode::On", `all$`},
	{"p t", `^t ns::Type\n  .a int   all: 3\n  .speed ns::Type::Speed   all: ns::Type::Speed::Fast\n  .inner.z int   all: 4$`},
	{"p pt", `^pt ns::Type \*   all: &t$`},
	{"p pt->inner.z", `all: 4$`},
	{"p (*pt).a", `all: 3$`},
	{"p ns::Type::limit", `^ns::Type::limit const int = 7$`},
	{"p ns::var", `^ns::var int = 42$`},
	{"p ::ns::var", `int = 42$`},
	{"p 'ns::var'", `int = 42$`},
	{"p ns::deep::var", `^ns::deep::var float = 2.5$`},
	{"p deep::var", `^deep::var float = 2.5$`},
	{"p var", `^no register, parameter, buffer or variable var`},
	{"p hidden", `^hidden int = 9$`},
	{"p Holder::count", `^Holder::count int = 77$`},
	{"p ns::where", `^ns::where ns::Type \* = &ns::origin \(0x\w+\)$`},
	{"p ns::where->speed", `= ns::Type::Speed::Fast$`},
	{"p *ns::where", `= \{a = 1, speed = ns::Type::Speed::Fast, inner = \{z = 3\}\}$`},
	{"p &ns::origin.inner", `= &ns::origin.inner \(0x\w+\)$`},
	{"p v", `^v Vec<float, 3>\n  .v\[0\] float   all: 1\n`},
	{"p pair.v[0]", `0-31: lane$`},
	{"p fn", `^fn int \(\*\)\(const Vec<int, 2> &\)   all: &twice<int>$`},
	{"p first", `^first Node \*   all: &head$`},
	{"p *first", `^\*first Node\n  .x int   all: 1\n  .next Node \*   all: &tail$`},
	{"p first->next->x", `all: 2$`},
	{"p first->next->next", `all: 0x0$`},
	{"p both", `\[0\] 0-31: &head\n  \[1\] 0-31: &tail$`},
	{"p both[1]->x", `all: 2$`},
	{"p bits", `.a unsigned int   all: 5\n  .b int   all: -3\n  .c bool   all: true$`},
	{"p either.f", `all: 1$`},
	{"p either.bytes[3]", `all: 63 '\?'$`},
	{"p anon.f", `all: 4e-45$`},
	{"p anon.s[1].hi", `all: 4$`},
	{"p derived.base", `all: 10$`},
	{"p ref", `^ref Base\n  .base int   all: 10$`},
	{"p four", `.x float   all: 1\n  .y float   all: 2\n  .z float   all: 3\n  .w float   all: 4$`},
	{"p matrix[1][2]", `all: 6$`},
	{"p *row", `\[0\] 0-31: 4\n  \[1\] 0-31: 5\n  \[2\] 0-31: 6$`},
	{"p row", `^row int \(\*\)\[3\]   all: &matrix\[1\]$`},
	{"p place", `int   all: 18$`}, // 6 * 3
	{"p &place", `0-31: &out\[lane\]$`},
	{"p out[3]@2", `int\[2\] = 18 18$`},
	{"p scaled", `\.factor int   all: 6\n`},
	{"p scaled.place", `int   all: 18$`},
	{"p tiles[1].speed", `= ns::Type::Speed::Fast$`},
	{"p calls", `^calls int = 3$`},
	{"p p.x", `int (  all:|=) 7$`},
	{"p p.list[2]", `int (  all:|=) 30$`},
	{"p *p.list@2", `(?s)int\[2\].*10.*20$`},
	{"p p.name", `const char \* (  all:|=) 0x0$`},
	{"p p.color", `Color (  all:|=) Color::Green$`},
	{"p shape", `^shape dim3 = \{x = 4, y = 5, z = 6\}$`},
	{"set p.x = 8", `^p\.x .*set$`},
	{"p p.x", `int (  all:|=) 8$`},
	{"set anon.s[0].lo = 9", `set$`},
	{"p anon.s[0]", `.lo short   all: 9\n  .hi short   all: 2$`},
	{"set bits.b = 4", `set$`},
	{"p bits.b", `all: 4$`},
	{"p sizeof(Vec<float, 3>)", `= 12$`},
	{"p sizeof(Args)", `= 40$`},
	{"whatis t", `^type = ns::Type$`},
	{"whatis &t", `^type = ns::Type \*$`},
	{"whatis place", `^type = int &$`},
	{"whatis place + 1", `^type = int$`},
	{"whatis both", `^type = Node \*\[2\]$`},
	{"whatis row", `^type = int \(\*\)\[3\]$`},
	{"whatis fn", `^type = int \(\*\)\(const Vec<int, 2> &\)$`},
	{"whatis scaled", `^type = class \{\.\.\.\}$`},
	{"whatis threadIdx", `^type = const uint3$`},
	{"whatis blockDim", `^type = const dim3$`},
	{"whatis values", `^type = void \(Args, int \*, const float \*, dim3\)$`},
	{"ptype pt", `^type = struct ns::Type \{\n    int a;\n    ns::Type::Speed speed;\n    ns::Type::Inner inner;\n\} \*$`},
	{"ptype Color", `^type = enum class Color( : unsigned char)? \{Color::Red, Color::Green = 5, Color::Blue\}$`},
	{"ptype Flags", `^type = enum Flags (: unsigned int )?\{A = 1, B, C = 4\}$`},
	{"ptype bits", `\{\n    unsigned int a : 3;\n    int b : 5;\n    bool c : 1;\n\}$`},
	{"ptype anon", `\{\n    int kind;\n    union \{\n        int i;\n        float f;\n    \};\n    struct \{\n        short lo;\n        short hi;\n    \} s\[2\];\n\}$`},
	{"ptype derived", `^type = struct Derived : public Base \{\n    int own;\n\}$`},
	{"ptype threadIdx", `^type = struct uint3 \{\n    unsigned int x;`},
	{"info args", `(?s)^p Args.*\{x = 8, list = \{10, 20, 30, 40\}, name = 0x0, on = true, color = Color::Green\}\nout int \*   all: out\nin const float \*   all: in\nshape dim3 = \{x = 4, y = 5, z = 6\}$`},
	{"info locals", `(?s)s const char \*   all: 0x\w+ "hello"\n.*\nderived Derived  lane 0: \{<Base> = \{base = 10\}, own = 11\}\n.*\nscaled class \{\.\.\.\}  lane 0: \{(place = 18, )?factor = 6`},
	{"info cuda kernels", `^values  grid 1x1x1 .*\n  p Args = \{x = \d, list = .*\n  out int \* = out\n  in const float \* = in\n  shape dim3 = \{x = 4, y = 5, z = 6\}\n`},
}

// halfValues need half precision, which clang 16 does not have.
var halfValues = [][2]string{
	{"p half", `^half __half   all: 1.5$`},
	{"p half * 2 + 1", `float   all: 4$`},
	{"p halves", `\[0\] 0-31: 1.5\n  \[1\] 0-31: 1.5$`},
	{"p/x half", `0x3e00$`},
	{"p brain", `^brain __nv_bfloat16   all: 3.25$`},
	{"p/x brain", `0x4050$`},
	{"set brain = 1.1", `set$`}, // the nearest of 8 significant bits
	{"p brain", `all: 1.1015625$`},
	{"set half = -0.5", `set$`},
	{"p half", `all: -0.5$`},
	{"p half.__x", `unsigned short   all: 47104$`}, // 0xb800
	{"ptype half", `^type = struct __half \{\n    unsigned short __x;\n\}$`},
}

// TestCUDAValuesAreShown shows values of every kind of type, in code that is not optimised.
func TestCUDAValuesAreShown(t *testing.T) {
	for _, file := range []string{"values-clang16.ptx", "values-clang19.ptx", "values-clang22.ptx"} {
		b := newValues(t, file)
		b.do("break 88")
		b.do("continue")
		asked := cxxValues
		if !strings.Contains(file, "16") {
			asked = append(asked[:len(asked):len(asked)], halfValues...)
		}
		for _, c := range asked {
			if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
				t.Errorf("%s: %s:\n%s\nwant %s", file, c[0], got, c[1])
			}
		}
	}
}

// TestLambdasAndMethodsKnowTheirNames asks for what a lambda captures, and for members of the object of a method, by
// their names.
func TestLambdasAndMethodsKnowTheirNames(t *testing.T) {
	for _, file := range []string{"values-clang16.ptx", "values-clang19.ptx", "values-clang22.ptx"} {
		b := newValues(t, file)
		b.do("break 77")
		b.do("break 23")
		for _, c := range [][2]string{
			{"continue", `=> 77 `},
			{"p factor", `^factor int   all: 6$`},
			{"p inside", `^inside int   all: 18$`},
			{"p place", `^place int   all: 18$`},
			{"p p.list[1]", `all: 20$`},
			{"p k", `all: 3$`},
			{"p this->factor", `all: 6$`},
			{"whatis this", `^type = const class \{\.\.\.\} \*$`},
			{"continue", `=> 23 `},
			{"p a", `^a int   all: 3$`},
			{"p limit", `^limit const int = 7$`},
			{"p by", `all: 2$`},
			{"p var", `^var int = 42$`}, // of the namespace around the class
			{"p inner", `z`},
			{"p *this", `^\*this ns::Type\n  .a int   all: 3\n`},
			{"whatis *this", `^type = ns::Type$`},
		} {
			if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
				t.Errorf("%s: %s:\n%s\nwant %s", file, c[0], got, c[1])
			}
		}
	}
}

// TestOptimisedStructsAreShown: members of structs are in registers and constants of their own.
func TestOptimisedStructsAreShown(t *testing.T) {
	b := newValues(t, "values-O2.ptx")
	b.do("break 88")
	b.do("continue")
	for _, c := range [][2]string{
		{"p pair", `^pair Vec<int, 2>\n  .v\[0\] int   0-31: lane\n  .v\[1\] int = 5$`},
		{"p pair.v[1]", `^pair.v\[1\] int = 5$`},
		{"p four", `(?s)\.x .*\.w float = 4$`},
		{"p color", `^color: optimised out here: `},
		{"p v", `^v Vec<float, 3>\n  .v\[0\] optimised out\n  .v\[1\] float = 2\n  .v\[2\] optimised out$`},
		{"p mode", `^mode ns::Mode = ns::On$`}, // a constant
		{"p p", `= \{x = 7, list = \{10, 20, 30, 40\}, name = 0x0, on = true, color = Color::Green\}$`},
		{"set p.x = 9", `set$`},
		{"p p.x", `= 9$`},
		{"p shape.y", `= 5$`},
		{"info locals", `(?m)^pair Vec<int, 2>  lane 0: \{v = \{0, 5\}\}$`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
