package hazard_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/hazard"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// shared are declarations, and %r0 = 4 * tid.x, %r1 = s + 4 * tid.x, %r2 = tid.x.
const shared = `
	.shared .b32 s[1024];
	.shared .b32 other[1024];
	mov.u32 %r2, %tid.x;
	shl.b32 %r0, %r2, 2;
	mov.u32 %r1, s;
	add.u32 %r1, %r1, %r0;
`

// TestCollidingAccessesAreFound finds which accesses of testdata/hazards.txt may collide.
func TestCollidingAccessesAreFound(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/hazards.txt", "block", "equal") {
		t.Run(c.Name, func(t *testing.T) {
			block := isa.Dim{X: 128, Y: 1, Z: 1}
			if c.Has("block") {
				block = c.Dim(t, "block")
			}
			if diff := cmp.Diff(wanted(c.Body), found(t, c.Body, block, c.Has("equal"))); diff != "" {
				t.Errorf("-want +found\n%s", diff)
			}
		})
	}
}

// TestLayoutDoesNotMatter finds the same accesses if the parts of a kernel between labels are in another order in the
// text: compilers put the end of a loop before its beginning, too.
func TestLayoutDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	moved := 0
	for _, c := range kerneltest.Cases(t, "testdata/hazards.txt", "block", "equal") {
		block := isa.Dim{X: 128, Y: 1, Z: 1}
		if c.Has("block") {
			block = c.Dim(t, "block")
		}
		want := slices.Sorted(slices.Values(wanted(c.Body)))
		for range 4 {
			body, parts := shuffled(c.Body, rng)
			if parts < 3 {
				break
			}
			moved++
			if diff := cmp.Diff(want, slices.Sorted(slices.Values(found(t, body, block, c.Has("equal"))))); diff != "" {
				t.Errorf("%s: -want +found\n%s\nin\n%s", c.Name, diff, body)
			}
		}
	}
	if moved < 40 {
		t.Errorf("%d kernels have parts", moved)
	}
}

// shuffled puts the parts of a body in another order, except the first one: parts begin at labels and after branches,
// and end with a branch to the part that followed.
func shuffled(body string, rng *rand.Rand) (text string, parts int) {
	all := []string{""}
	for _, line := range strings.Split(body, "\n") {
		before := all[len(all)-1]
		if label.MatchString(line) || strings.Contains(before, "bra ") {
			all = append(all, "")
		}
		all[len(all)-1] += line + "\n"
	}
	for i := range all {
		all[i] = fmt.Sprintf("part%d:\n%sbra.uni part%d;\n", i, all[i], i+1)
	}
	n := len(all)
	rng.Shuffle(n-1, func(i, k int) { all[i+1], all[k+1] = all[k+1], all[i+1] })
	return strings.Join(all, "") + fmt.Sprintf("part%d:\n", n), n
}

// TestRepeatsOnlyForAddressesAlikeInEveryCTA: accesses by the thread's index, constants, parameters and the passes of
// loops are to the same places of shared memory in every CTA. Those by values in memory or the CTA's index may not
// be. Accesses to global memory do not count.
func TestRepeatsOnlyForAddressesAlikeInEveryCTA(t *testing.T) {
	for _, c := range []struct {
		index string // sets %r3
		ld    string
		want  bool
	}{
		{"xor.b32 %r3, %r0, 64;", "ld.shared.u32", true},
		{"ld.param.u32 %r3, [n];", "ld.shared.u32", true},
		{"mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 9;\n@%p1 bra L;\nmul.lo.u32 %r3, %r4, 4;", "ld.shared.u32", true},
		{"mov.u32 %r3, %ctaid.x;", "ld.shared.u32", false},
		{"ld.global.u32 %r3, [%rd8];", "ld.shared.u32", false},
		{"mov.u32 %r3, %smid;", "ld.shared.u32", false},
		{"ld.shared.u32 %r3, [other];", "ld.shared.u32", false},
		{"xor.b32 %r3, %r0, 64;", "ld.volatile.shared.u32", false},
	} {
		body := shared + "ld.param.u64 %rd8, [x];\n" + c.index + "\nmov.u32 %r5, s;\nadd.u32 %r3, %r3, %r5;\n" + c.ld + " %r6, [%r3];\nst.shared.u32 [%r1], %r6;\nret;\n}"
		m, err := asm.Parse("k.s", []byte(header+body))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		h := hazard.Find(f, flow.New(f), func(pc int) bool { return false })
		meet, repeats := h.In(isa.Dim{X: 128, Y: 1, Z: 1}, func(p, q int64) bool { return p == q }, make([]bool, len(f.Code)))
		if !meet || repeats != c.want {
			t.Errorf("%s %s: meet %v, repeat %v, want %v", c.index, c.ld, meet, repeats, c.want)
		}
	}
}

// header is the lines of a module before the body.
const header = ".entry k(.param .u64 x, .param .u64 y, .param .u32 n)\n{\n"

// wanted returns the lines of a body that end in "// meets".
func wanted(body string) (all []string) {
	for _, line := range strings.Split(body, "\n") {
		if text, meets := strings.CutSuffix(line, " // meets"); meets {
			all = append(all, bare(text))
		}
	}
	return all
}

var label = regexp.MustCompile(`^\s*\w+:`)

func bare(line string) string { return strings.TrimSpace(label.ReplaceAllString(line, "")) }

// found returns the lines of the accesses that may collide.
func found(t *testing.T, body string, block isa.Dim, equal bool) (all []string) {
	t.Helper()
	m, err := asm.Parse("k.s", []byte(header+body+"\nret;\n}"))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	h := hazard.Find(f, flow.New(f), func(pc int) bool {
		return f.Code[pc].Is(isa.Barrier) && f.Code[pc].Mods[isa.BarOp] != isa.BarArrive
	})
	if h == nil {
		return nil
	}
	mark := make([]bool, len(f.Code))
	h.In(block, func(p, q int64) bool { return p == q || equal }, mark)
	lines := strings.Split(header+body, "\n")
	for pc, meets := range mark {
		if meets {
			text, _, _ := strings.Cut(lines[f.Code[pc].Pos.Line-1], " // ")
			all = append(all, bare(text))
		}
	}
	return all
}

// TestWorkIsLinearInFunction: the work is linear in the size of the function: doubling it does not take much longer
// than twice.
func TestWorkIsLinearInFunction(t *testing.T) {
	steps := func(n int) float64 {
		var s strings.Builder
		s.WriteString(header + shared)
		for i := range n {
			fmt.Fprintf(&s, "setp.eq.u32 %%p1, %%r2, %d;\n@%%p1 bra L%d;\nld.shared.u32 %%r5, [%%r1+%d];\nL%d: bar.sync 0;\n", i, i, 4*i, i)
		}
		s.WriteString("st.shared.u32 [%r1], %r5;\nret;\n}")
		m, err := asm.Parse("k.s", []byte(s.String()))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		g := flow.New(f)
		return testing.AllocsPerRun(1, func() {
			hazard.Find(f, g, func(pc int) bool { return f.Code[pc].Is(isa.Barrier) })
		})
	}
	if small, large := steps(400), steps(800); large > 2.5*small {
		t.Errorf("%v allocations for 400 steps, %v for 800", small, large)
	}
}

// TestLongChainsAreFollowed: a register whose value goes through a thousand instructions before it is used is known. A
// chain of a hundred thousand takes a stack of less than 16 MB, or the test does not survive.
func TestLongChainsAreFollowed(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	for _, link := range []string{"add.u32 %r1, %r1, 0;\n", "setp.eq.u32 %p1, %r2, 7;\n@%p1 bra L#;\nL#:\n"} {
		meet := func(links int, address string) bool {
			var s strings.Builder
			s.WriteString(shared + "st.shared.u32 [%r1], %r2;\n")
			for i := range links {
				s.WriteString(strings.ReplaceAll(link, "#", strconv.Itoa(i)))
			}
			s.WriteString("ld.shared.u32 %r5, " + address + ";")
			return len(found(t, s.String(), isa.Dim{X: 128, Y: 1, Z: 1}, false)) > 0
		}
		if meet(1000, "[%r1]") || !meet(1000, "[%r1+4]") {
			t.Errorf("after 1000 times %q the address is not known", link)
		}
		meet(100000, "[%r1]")
	}
}
