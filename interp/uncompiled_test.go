package interp_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/interp"
)

// runTriples launches a kernel of twoKernels, and returns the functions that could not be compiled.
func runTriples(t *testing.T, m *interp.Machine, kernel string) []interp.Uncompiled {
	t.Helper()
	const ctas, threads = 8, 64
	out, err := m.Alloc("out", 4*ctas*threads)
	if err != nil {
		t.Fatal(err)
	}
	s, err := functional.Begin(m, interp.Launch{Kernel: kernel, Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(threads, 1), Params: binary.LittleEndian.AppendUint64(nil, out.Base)})
	if err != nil {
		t.Fatal(err)
	}
	s.Alone, s.WorthHelp = 0, 0
	if err := s.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, v := range kerneltest.WordsOf(out) {
		if v != 3*uint32(i) {
			t.Fatalf("%s: out[%d] is %d", kernel, i, v)
		}
	}
	return s.Uncompiled()
}

// TestCompilerPanicsOnce: after a panic of the compiler the launch has the right result and reports the function, which
// is not compiled again; other functions are compiled.
func TestCompilerPanicsOnce(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	for _, threads := range []int{1, 2} {
		for _, inPartial := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d threads, partial %t", threads, inPartial), func(t *testing.T) {
				mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/uncompiled.txt", "two kernels")))
				if err != nil {
					t.Fatal(err)
				}
				m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Threads: threads, Lanes: kerneltest.Levels()[0]})
				if err != nil {
					t.Fatal(err)
				}
				tried := map[native.Subject]int{}
				m.BeforeCompiling(func(s native.Subject, partial bool) {
					if s.Func.Src.Name == "second" && partial == inPartial {
						tried[s]++
						var none []int
						none[5]++
					}
				})
				for range 3 {
					found := runTriples(t, m, "second")
					if len(found) != 1 {
						t.Fatalf("not compiled: %v", found)
					}
					if u := found[0]; u.Func != "second" || u.Partial != inPartial || !strings.Contains(u.Reason, "index out of range [5]") || !strings.Contains(u.Stack, "uncompiled_test.go") || u.Pos.Line != 10 {
						t.Errorf("%+v: %v", u, &u)
					}
				}
				for s, n := range tried {
					if n != 1 {
						t.Errorf("compiled %d times: %+v", n, s)
					}
				}
				if found := runTriples(t, m, "first"); found != nil {
					t.Errorf("not compiled: %v", found)
				}
				if _, whole := m.CodeOf("first"); !whole {
					t.Error("the other kernel is not compiled")
				}
				if some, whole := m.CodeOf("second"); some != inPartial || whole {
					t.Errorf("compiled: %t, with partial-mask code: %t", some, whole)
				}
			})
		}
	}
}

// TestExitsOfCodeAreReported: the instructions at which code is left most often are named if that takes much of the
// time, on one thread and on several, and with the line of the source from which they were compiled.
func TestExitsOfCodeAreReported(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	const loop = `
.file 1 "k.cu"
.entry k(.param .u64 out)
{
	mov.u32 %%r1, 0;
	%s
L:	call f, ();
	add.u32 %%r1, %%r1, 1;
	setp.lt.u32 %%p1, %%r1, %d;
	@%%p1 bra L;
	ret;
}
.func f() { ret; ret; }
`
	for _, c := range []struct {
		loc                 string
		iterations, threads int
		at, want            string
	}{
		{".loc 1 12 3", 1000, 1, "k.cu:12:3", "[compiled code was left 16000 times at: call f; (calls and returns change the frames of a warp)]"},
		{"", 1000, 1, "k.s:7:4", "[compiled code was left 16000 times at: call f; (calls and returns change the frames of a warp)]"},
		{"", 1000, 2, "k.s:7:4", "[compiled code was left 16000 times at: call f; (calls and returns change the frames of a warp)]"},
		{"", 100, 1, "", "[]"}, // too seldom
	} {
		mod, err := asm.Parse("k.s", fmt.Appendf(nil, loop, c.loc, c.iterations))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Threads: c.threads, Lanes: kerneltest.Levels()[0]})
		if err != nil {
			t.Fatal(err)
		}
		s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(32, 1), Params: make([]byte, 8)})
		if err != nil {
			t.Fatal(err)
		}
		s.Alone, s.WorthHelp = 0, 0
		if err := s.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		texts := []string{}
		for _, l := range s.Left() {
			if texts = append(texts, l.String()); l.Func != "k" || l.Place.String() != c.at {
				t.Errorf("%+v", l)
			}
		}
		if got := fmt.Sprint(texts); got != c.want {
			t.Errorf("%d iterations, %d threads: %s, want %s", c.iterations, c.threads, got, c.want)
		}
	}
}

// TestUncompiledForObserversIsReported: a launch that could have been compiled but for its observers is reported.
func TestUncompiledForObserversIsReported(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	mod, err := asm.Parse("k.s", []byte(".entry k(.param .u64 out) { mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 900; @%p1 bra L; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{Lanes: kerneltest.Levels()[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, observers := range [][]interp.Observer{nil, {&startCount{}}, {&runCount{}}} {
		s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(32, 1), Params: make([]byte, 8), Observers: observers})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := "[]"
		if len(observers) > 0 && fmt.Sprintf("%T", observers[0]) == "*interp_test.runCount" {
			want = "[k ran without compiled code and took many times as long: observers see each instruction]"
		}
		texts := []string{}
		for _, u := range s.Uncompiled() {
			texts = append(texts, u.String())
		}
		if got := fmt.Sprint(texts); got != want {
			t.Errorf("%T: %s, want %s", observers, got, want)
		}
	}
}

// runCount is notified of each instruction.
type runCount struct{}

func (*runCount) Ran(*interp.Place, int, int, lanes.Mask) {}
