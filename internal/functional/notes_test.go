package functional_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// recorder is an interp.Watcher that records which words of each region were read and written, lane by lane. It gives
// compiled code pages of notes.
type recorder struct {
	words    [2]map[word]bool // read, and written
	pages    [2]map[int32][]*memory.Page
	notified int // accesses of which it was notified
}

// word is one of global memory.
type word struct {
	region int32
	number uint64
}

func newRecorder() *recorder {
	r := new(recorder)
	for i := range r.words {
		r.words[i], r.pages[i] = make(map[word]bool), make(map[int32][]*memory.Page)
	}
	return r
}

// of returns the index of loads, or of all other accesses.
func (r *recorder) of(kind isa.Kind) int {
	if kind == isa.Load {
		return 0
	}
	return 1
}

func (r *recorder) Access(kind isa.Kind, _ *program.Info, a *lanes.Access, m lanes.Mask) {
	r.notified++
	for lane := range lanes.Width {
		for i := uint64(0); i < a.Size && m>>lane&1 != 0; i++ {
			r.words[r.of(kind)][word{a.Region, (a.At(lane) + i) / 4}] = true
		}
	}
}

func (r *recorder) Notes(kind isa.Kind, _ *program.Info, g *memory.Region) ([]byte, []*memory.Page, bool) {
	tables := r.pages[r.of(kind)]
	if tables[g.Number] == nil {
		tables[g.Number] = make([]*memory.Page, len(g.Data)/memory.PageBytes+1)
	}
	return g.Data, tables[g.Number], kind != isa.Atomic
}

func (r *recorder) NeedsPage(kind isa.Kind, g *memory.Region, off uint64) {
	page := &r.pages[r.of(kind)][g.Number][off/memory.PageBytes]
	if *page != nil {
		panic("there is the page that is asked for")
	}
	*page = new(memory.Page)
}

// all returns the words of which the recorder was notified, and those in its pages.
func (r *recorder) all(t *testing.T) [2]map[word]bool {
	for i := range r.words {
		for region, pages := range r.pages[i] {
			for n, page := range pages {
				if page == nil {
					continue
				}
				for w, mark := range page {
					switch mark {
					case 0:
					case memory.Marked:
						r.words[i][word{region, uint64(n*memory.PageBytes/4 + w)}] = true
					default:
						t.Errorf("a mark is %#x", mark)
					}
				}
			}
		}
	}
	return r.words
}

// noteCases are kernels for CTAs of 70 threads. %r5 is a thread's index in the grid; %rd1 a buffer of 8192 words that
// hold their numbers, and %rd5 the thread's word of it. %p1 holds in some lanes.
var noteCases = []string{
	"st.global.u32 [%rd5], %r5;",
	"st.global.u32 [%rd5+1996], %r5;",
	"st.global.u32 [%rd5+2044], %r5; st.global.u32 [%rd5+6108], %r5; ld.global.u32 %r7, [%rd5+4092];",
	"ld.global.u32 %r7, [%rd5+2000]; add.u32 %r7, %r7, 1; st.global.u32 [%rd5+2000], %r7;",
	"mad.wide.u32 %rd2, %r5, 1, %rd1; ld.global.u8 %r7, [%rd2+2043]; st.global.u8 [%rd2+2043], %r7;",
	"mad.wide.u32 %rd2, %r5, 2, %rd1; ld.global.u16 %r7, [%rd2+1830]; st.global.u16 [%rd2+1830], %r7;",
	"mad.wide.u32 %rd2, %r5, 8, %rd1; ld.global.u64 %rd3, [%rd2+1832]; st.global.u64 [%rd2+1832], %rd3;",
	"mad.wide.u32 %rd2, %r5, 8, %rd1; ld.global.v2.u32 {%r7, %r8}, [%rd2+1832]; st.global.v2.u32 [%rd2+2008], {%r7, %r8};",
	"mad.wide.u32 %rd2, %r5, 16, %rd1; ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd2+1808]; st.global.v4.u32 [%rd2+1936], {%r7, %r8, %r9, %r10};",
	"mad.wide.u32 %rd2, %r5, 16, %rd1; st.global.v2.u64 [%rd2+1936], {%rd2, %rd1};",
	"mad.wide.u32 %rd2, %r5, 12, %rd1; st.global.u32 [%rd2+1984], %r5; ld.global.u32 %r7, [%rd2+1988];",
	"mad.wide.u32 %rd2, %r5, 136, %rd1; st.global.u32 [%rd2], %r5;",
	"sub.u32 %r7, 4000, %r5; mad.wide.u32 %rd2, %r7, 4, %rd1; st.global.u32 [%rd2], %r5; ld.global.u32 %r7, [%rd2];",
	"st.global.u32 [%rd1+2044], %r5; ld.global.u64 %rd2, [%rd1+2040];",
	"mad.wide.u32 %rd2, %r6, 4, %rd1; st.global.u32 [%rd2+2040], %r5; ld.global.u8 %r7, [%rd2+2041];",
	"mul.lo.u32 %r7, %r5, 2654435761; shr.u32 %r7, %r7, 19; mad.wide.u32 %rd2, %r7, 4, %rd1; ld.global.u32 %r8, [%rd2]; xor.b32 %r8, %r8, 85; and.b32 %r8, %r8, 8191; mad.wide.u32 %rd2, %r8, 4, %rd1; st.global.u32 [%rd2], %r8;",
	"mul.lo.u32 %r7, %r5, 2654435761; shr.u32 %r7, %r7, 20; mad.wide.u32 %rd2, %r7, 8, %rd1; ld.global.u64 %rd3, [%rd2]; st.global.v2.u32 [%rd2], {%r7, %r5}; ld.global.u8 %r8, [%rd2+3];",
	"@%p1 st.global.u32 [%rd5+1996], %r5; @!%p1 ld.global.u32 %r7, [%rd5+1996];",
	"setp.lt.u32 %p2, %r4, 45; @%p2 st.global.u32 [%rd5+1996], %r5; @!%p2 st.global.u64 [%rd1], %rd5;",
	"setp.gt.u32 %p2, %r4, 67; mul.lo.u32 %r7, %r5, 2654435761; shr.u32 %r7, %r7, 19; mad.wide.u32 %rd2, %r7, 4, %rd1; @%p2 st.global.u32 [%rd2], %r5; @%p1 ld.global.u32 %r7, [%rd2];",
	"setp.eq.u32 %p2, %r4, 33; mad.wide.u32 %rd2, %r6, 4, %rd1; @%p2 st.global.u32 [%rd2+2040], %r5; @%p2 ld.global.u32 %r7, [%rd2+2044];",
	"@%p1 bra A; st.global.u32 [%rd5+1996], %r5; mad.wide.u32 %rd2, %r5, 8, %rd1; st.global.u64 [%rd2+8192], %rd2; bra B; A: ld.global.u32 %r7, [%rd5+2000]; st.global.u8 [%rd5+4000], %r7; B: st.global.u32 [%rd5+12288], %r7;",
	"@%p1 bra A; mul.lo.u32 %r7, %r5, 2654435761; shr.u32 %r7, %r7, 19; mad.wide.u32 %rd2, %r7, 4, %rd1; st.global.u32 [%rd2], %r7; ld.global.u16 %r8, [%rd2+2]; A:",
	"L: add.u32 %r7, %r7, 1; st.global.u32 [%rd5], %r7; add.u64 %rd5, %rd5, 1004; and.b32 %r8, %r5, 7; setp.le.u32 %p2, %r7, %r8; @%p2 bra L;",
	"L: add.u32 %r7, %r7, 1; ld.global.u32 %r8, [%rd5]; add.u64 %rd5, %rd5, 1004; setp.lt.u32 %p2, %r7, 9; @%p2 bra L; st.global.u32 [%rd1], %r8;",
	"ld.u32 %r7, [%rd5+2000]; st.u32 [%rd5+2004], %r7;",
	"cvta.shared.u64 %rd2, tile; mad.wide.u32 %rd2, %r4, 4, %rd2; st.u32 [%rd2], %r5; ld.u32 %r7, [%rd2]; st.u32 [%rd5], %r7;",
	"selp.b64 %rd2, %rd5, %rd1, %p1; st.global.u32 [%rd2], %r5; mov.u64 %rd3, other; selp.b64 %rd2, %rd5, %rd3, %p1; st.u32 [%rd2], %r5; ld.u32 %r7, [%rd2];",
	"red.global.add.u32 [%rd5], 1; atom.global.add.u32 %r7, [%rd5+2048], %r5; st.global.u32 [%rd5+4096], %r7; red.global.max.u32 [%rd5], 7;",
	"ld.global.f32 %f1, [%rd5+4]; ld.global.f32 %f2, [%rd5+2048]; div.rn.f32 %f1, %f1, %f2; st.global.f32 [%rd5+8192], %f1;",
}

// TestCompiledCodeNotesAccessedWords: the words that compiled code records, and those of which the watcher is notified,
// are the ones that lane functions access one by one.
func TestCompiledCodeNotesAccessedWords(t *testing.T) {
	notified, noted := 0, 0
	levels := []jit.Level{jit.None}
	for level, _ := jit.Chosen(); level > jit.None; level-- {
		levels = append(levels, level)
	}
	for _, src := range noteCases {
		var want [2]map[word]bool
		for _, level := range levels {
			compile := interp.CompileAlways
			if level == jit.None {
				compile = interp.CompileNever
			}
			r := newRecorder()
			k := kerneltest.Kernel{
				Source: kerneltest.Source(t, "testdata/kernels/notes.txt", "notes", "$src", src),
				Grid:   kerneltest.Dim(3, 1), Block: kerneltest.Dim(70, 1), Words: []int{8192},
				Config: interp.Config{Compile: compile, Lanes: level, Divergence: divergence.IndependentThreads},
			}
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := functional.Begin(m, l)
				if err != nil {
					return interp.Stats{}, err
				}
				s.Watch(r)
				err = s.Continue(context.Background())
				return s.Stats(), err
			}
			if _, _, err := k.Run(t); err != nil {
				t.Fatalf("%s\n%v", src, err)
			}
			if compile == interp.CompileNever {
				want, notified = r.all(t), notified+r.notified
				continue
			}
			noted += r.notified
			for i, what := range []string{"read", "written"} {
				if diff := cmp.Diff(want[i], r.all(t)[i]); diff != "" {
					t.Errorf("%s\nwords that are %s (-lane functions +%v):\n%s", src, what, level, diff)
				}
			}
		}
	}
	t.Logf("of %d accesses the watcher was notified of %d, at %d levels", notified, noted, len(levels)-1)
}
