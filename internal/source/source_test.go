package source_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// inlined is the kernel of testdata/inlined.cu. testdata/inlined.ptx is what simtrun cc made of it with clang 19, with
// other folders.
func inlined(t *testing.T) *isa.Func {
	t.Helper()
	text, err := os.ReadFile("testdata/inlined.ptx")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse("inlined.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	return mod.Funcs[0]
}

// TestPlaceHasTheCallsThatWereInlined compares places with testdata/inlined.cu, by the beginning of the instruction.
func TestPlaceHasTheCallsThatWereInlined(t *testing.T) {
	fn := inlined(t)
	for _, want := range []struct {
		instr string
		n     int // which of those instructions
		place string
	}{
		{"mov.u32 %r22, %tid.x", 0, "/src/inlined.cu:10"}, // of clang's header
		{"st.shared", 0, "/src/inlined.h:3 < put, called by k<int, F> at /src/inlined.cu:11"},
		{"ld.shared", 0, "/src/inlined.cu:4 < get, called by k<int, F> at /src/inlined.cu:13"},
		{"st.global", 0, "/src/inlined.h:3 < put, called by put2 at /src/inlined.h:5 < put2, called by F::operator() at /src/inlined.cu:6 < F::operator(), called by k<int, F> at /src/inlined.cu:14"},
		{"ld.global", 0, "/src/inlined.h:5 < put2, called by F::operator() at /src/inlined.cu:6 < F::operator(), called by k<int, F> at /src/inlined.cu:14"},
		{"shfl", 0, "/src/inlined.cu:15"}, // of clang's header, too
		{"ld.shared", 2, "/src/inlined.cu:4 < get, called by k<int, F> at /src/inlined.cu:16"},
		{"st.global", 2, "/src/inlined.cu:16"},
		{"div", 0, "/src/inlined.cu:19"},
	} {
		found := -1
		for pc := range fn.Code {
			if strings.HasPrefix(fn.Text(pc), want.instr) {
				if found++; found == want.n {
					at := source.At(fn, pc)
					got := strings.Join(append([]string{at.Short()}, at.Calls()...), " < ")
					if got != want.place {
						t.Errorf("%s: %s, want %s", fn.Text(pc), got, want.place)
					}
				}
			}
		}
		if found < want.n {
			t.Errorf("no instruction %d %s", want.n, want.instr)
		}
	}
}

func TestParametersHaveNamesAndTypes(t *testing.T) {
	want := "[o int * n int g F]"
	fn := inlined(t)
	source.NameParams(&isa.Module{Funcs: []*isa.Func{fn}})
	var got []string
	for _, v := range fn.Params {
		got = append(got, v.Shown()+" "+v.SourceType())
	}
	if fmt.Sprint(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLineHasItsInstructions checks that instructions of an inlined function belong to the line of the call, too, and
// that each belongs to the innermost line of a file.
func TestLineHasItsInstructions(t *testing.T) {
	fn := inlined(t)
	for pc := range fn.Code {
		at := source.At(fn, pc)
		if at.Pos().File == "/src/inlined.h" {
			if line, ok := source.LineIn(fn, pc, "inlined.cu"); !ok || line != 6 && line != 11 {
				t.Errorf("%s: line %d of inlined.cu", fn.Text(pc), line)
			}
		}
	}
	n := 0
	for pc := range fn.Code {
		if line, ok := source.LineIn(fn, pc, "inlined.h"); ok && line == 3 && strings.HasPrefix(fn.Text(pc), "st.") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d stores in line 3 of inlined.h, want 2", n)
	}
}

// TestLocAloneHasInlining checks positions in PTX without DWARF, in which .loc has the calls, and PTX written by hand.
func TestLocAloneHasInlining(t *testing.T) {
	const text = `.file 1 "/src/a.cu"
.file 2 "/src/a.h"
.entry _Z1kPf(.param .u64 p)
{
	.loc 1 10 0
	.loc 1 12 3
	ld.param.u64 %rd1, [p];
	.loc 2 7 5, function_name $L__info_string0, inlined_at 1 12 3
	st.global.u32 [%rd1], 0;
	ret;
}
.entry plain() { ret; }
`
	mod, err := asm.Parse("a.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at := source.At(mod.Funcs[0], 1)
	if got, want := fmt.Sprint(at, at.Calls()), "/src/a.h:7:5 [a function, called by k at /src/a.cu:12]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if at := source.At(mod.Funcs[1], 0); at.IsCompiled() || at.String() != "a.ptx:12:18" {
		t.Errorf("%v, compiled %v", at, at.IsCompiled())
	}
}

func TestSystemFilesAreKnown(t *testing.T) {
	for file, want := range map[string]bool{
		"/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_intrinsics.h":        true,
		"/home/u/.cache/simtrun/cuda-fd124d4f99be08bc/include/mma.h":             true,
		"/usr/include/thrust/system/cuda/detail/for_each.h":                      true,
		"/usr/local/cuda-12.8/targets/x86_64-linux/include/cooperative_groups.h": true,
		"k.cu": false, "../include/mine.cuh": false, "/home/u/cuda/include/mine.h": false, "/opt/work/k.cu": false,
	} {
		if got := source.IsSystem(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// TestInstructionWithoutLineStaysInItsBlock: an instruction at the head of a block, with line 0 and without a user that
// has a line, is not shown at the line of the block before it, which other threads execute. clang -O0 writes this for
// if (t < n) __syncthreads(); atomicAdd(&total, 1);
func TestInstructionWithoutLineStaysInItsBlock(t *testing.T) {
	const text = `.file 1 "/src/a.cu"
.global .u32 total;
.entry k()
{
	.loc 1 5 0
	setp.eq.u32 %p1, %tid.x, 0;
	.loc 1 6 9
	@%p1 bra NEXT;
	.loc 1 7 9
	bar.sync 0;
	bra.uni NEXT;
NEXT:
	.loc 1 0 9
	mov.b32 %r1, 1;
	st.local.u32 [%rd1], %r1;
	.loc 1 8 5
	ld.local.u32 %r2, [%rd1];
	.loc 1 0 5
	st.local.u32 [%rd1], 0;
	ret;
}
`
	mod, err := asm.Parse("a.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for pc, want := range []int32{0: 6, 6, 7, 7, 8, 8, 8, 8, 8} {
		if got := source.At(mod.Funcs[0], pc).Pos().Line; got != want {
			t.Errorf("%s: line %d, want %d", mod.Funcs[0].Text(pc), got, want)
		}
	}
}

// TestMessagesShowThePartOfALongLineAroundThePlace: of a table of 3,000 characters a message shows 160.
func TestMessagesShowThePartOfALongLineAroundThePlace(t *testing.T) {
	text, err := os.ReadFile("testdata/long_line.ptx")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse("a.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	digits := strings.Repeat("0123456789", 300)
	fn := mod.Funcs[0]
	fn.Debug.Sources = map[string][]string{"/src/a.cu": {" " + digits, "\t" + digits[:160]}}
	for pc, want := range []string{
		digits[:160] + "…",
		"…" + digits[1499-60:1499+100] + "…",
		"…" + digits[2993-60:],
		digits[:160],
	} {
		at := source.At(fn, pc)
		if got := at.Text("ret;"); got != want {
			t.Errorf("the line at column %d: %s, want %s", at.Pos().Col, got, want)
		}
	}
}
