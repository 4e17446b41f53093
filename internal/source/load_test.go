package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
)

// longKernel is a kernel with a thousand instructions; with lines each has a .loc, with sections it has 40 KB of DWARF.
func longKernel(lines, sections bool) []byte {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry _Z1kPf(.param .u64 _Z1kPf_param_0)\n{\n\t.reg .u32 %r<3>;\n")
	for i := range 1000 {
		if lines {
			fmt.Fprintf(&b, "\t.loc\t1 %d %d\n", 10+i%90, 1+i%40)
		}
		b.WriteString("\tadd.u32 \t%r1, %r1, %r2;\n")
	}
	b.WriteString("\tret;\n}\n")
	if lines {
		b.WriteString("\t.file\t1 \"/src/k.cu\"\n")
	}
	if sections {
		for _, name := range []string{".debug_abbrev", ".debug_info"} {
			fmt.Fprintf(&b, "\t.section\t%s\n\t{\n%s\t}\n", name, strings.Repeat(".b8 101,98,105,97,110,32,99,108,97,110\n", 500))
		}
	}
	return []byte(b.String())
}

// TestDebugInformationIsNotReadAtLoad compares allocations: lines and sections of debug information have hardly any of
// their own until a position or a name is asked for, although there are as many lines as instructions.
func TestDebugInformationIsNotReadAtLoad(t *testing.T) {
	loading := func(text []byte) float64 {
		return testing.AllocsPerRun(5, func() {
			mod, err := asm.Parse("k.ptx", text)
			if err != nil {
				t.Fatal(err)
			}
			NameParams(mod)
		})
	}
	const most = 200 // of the grammar's nodes for .file and sections; no more with more lines
	without := loading(longKernel(false, false))
	if n := loading(longKernel(true, true)) - without; n > most {
		t.Errorf("%v allocations for debug information, and %v without any", n, without)
	}
	mod, err := asm.Parse("k.ptx", longKernel(true, true))
	if err != nil {
		t.Fatal(err)
	}
	NameParams(mod)
	read := false
	mod.Funcs[0].Debug.DWARF.Once(func() any { read = true; return nil })
	if !read {
		t.Error("loading has read the sections")
	}
}

// TestNamesAreFoundOnce: at the first question, for all parameters of a kernel.
func TestNamesAreFoundOnce(t *testing.T) {
	fn := &isa.Func{Params: []*isa.Var{{Name: "a"}, {Name: "b"}}}
	times := 0
	fn.NameParams(func() []isa.Named { times++; return []isa.Named{{Name: "x", Type: "int"}, {}} })
	if times != 0 || fn.Params[0].Shown() != "x" || fn.Params[0].SourceType() != "int" || fn.Params[1].Shown() != "b" || times != 1 {
		t.Errorf("%s, %s, found %d times", fn.Params[0].Shown(), fn.Params[1].Shown(), times)
	}
}

// TestOnlyTheFunctionOfAPositionIsRead asks for a position in one of several functions with debug information.
func TestOnlyTheFunctionOfAPositionIsRead(t *testing.T) {
	text, err := packed.ReadFile("../debuginfo/testdata/O0-clang19.ptx.gz")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse("k.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	fns := mod.Entries()
	At(fns[0], 0)
	if n := len(tablesOf(fns[0].Debug).bodies); n != 1 || len(mod.Funcs) < 2 {
		t.Errorf("%d of %d functions were read", n, len(mod.Funcs))
	}
}
