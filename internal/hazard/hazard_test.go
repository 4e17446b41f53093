package hazard_test

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/hazard"
	"github.com/simtrun/simtrun/internal/isa"
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

// element are global pointers: %rd0 = x + 4 * (ctaid.x * ntid.x + tid.x), %rd1 = y + the same, %r1 = the sum.
const element = `
	ld.param.u64 %rd8, [x];
	ld.param.u64 %rd9, [y];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mad.lo.u32 %r1, %r3, %r4, %r2;
	mul.wide.u32 %rd7, %r1, 4;
	add.u64 %rd0, %rd8, %rd7;
	add.u64 %rd1, %rd9, %rd7;
`

// TestWarpsMeet: accesses that may collide end in "// meets". This was determined by hand, from the words that each
// warp of the block accesses between two barriers.
func TestWarpsMeet(t *testing.T) {
	flat, twoRows := isa.Dim{X: 128, Y: 1, Z: 1}, isa.Dim{X: 32, Y: 4, Z: 1}
	cases := []struct {
		name, body string
		block      isa.Dim
		equal      bool // x and y are the same pointer
	}{
		{name: "barriers on both sides", body: shared + `
			st.shared.u32 [%r1], 1;
			bar.sync 0;
			ld.shared.u32 %r5, [s+64];
			bar.sync 0;
			st.shared.u32 [%r1], 2;`},
		{name: "no barrier before the next store", body: shared + `
			st.shared.u32 [%r1], 1;
			bar.sync 0;
			ld.shared.u32 %r5, [s+64]; // meets
			st.shared.u32 [%r1], 2; // meets`},
		{name: "no barrier after the store", body: shared + `
			st.shared.u32 [%r1], 1; // meets
			ld.shared.u32 %r5, [s+64]; // meets`},
		{name: "bar.arrive does not wait", body: shared + `
			st.shared.u32 [%r1], 1; // meets
			bar.arrive 1, 64;
			ld.shared.u32 %r5, [s+64]; // meets`},
		{name: "each thread its own word", body: shared + `
			st.shared.u32 [%r1], 1;
			ld.shared.u32 %r5, [%r1];
			add.u32 %r5, %r5, 1;
			st.shared.u32 [%r1], %r5;`},
		{name: "another array", body: shared + `
			st.shared.u32 [%r1], 1;
			ld.shared.u32 %r5, [other];`},
		{name: "odd and even words", body: shared + `
			shl.b32 %r3, %r2, 3;
			mov.u32 %r4, s;
			add.u32 %r4, %r4, %r3;
			st.shared.u32 [%r4], 1;
			ld.shared.u32 %r5, [s+12];`},
		{name: "tree with a bound that is halved", body: shared + `
			mov.u32 %r3, 64;
		L:	setp.ge.u32 %p1, %r2, %r3;
			@%p1 bra J;
			shl.b32 %r4, %r3, 2;
			add.u32 %r4, %r1, %r4;
			ld.shared.u32 %r5, [%r4];
			ld.shared.u32 %r6, [%r1];
			add.u32 %r5, %r5, %r6;
			st.shared.u32 [%r1], %r5;
		J:	bar.sync 0;
			shr.u32 %r3, %r3, 1;
			setp.ne.u32 %p1, %r3, 0;
			@%p1 bra L;`},
		{name: "tree without its bound", body: shared + `
			mov.u32 %r3, 64;
		L:	shl.b32 %r4, %r3, 2;
			add.u32 %r4, %r1, %r4;
			ld.shared.u32 %r5, [%r4]; // meets
			ld.shared.u32 %r6, [%r1];
			add.u32 %r5, %r5, %r6;
			st.shared.u32 [%r1], %r5; // meets
			bar.sync 0;
			shr.u32 %r3, %r3, 1;
			setp.ne.u32 %p1, %r3, 0;
			@%p1 bra L;`},
		{name: "unrolled tree, by guards", body: shared + `
			setp.lt.u32 %p1, %r2, 64;
			@%p1 ld.shared.u32 %r5, [%r1+256];
			@%p1 st.shared.u32 [%r1], %r5;
			bar.sync 0;
			setp.gt.u32 %p2, %r2, 31;
			@%p2 bra E;
			ld.shared.u32 %r5, [%r1+128];
			st.shared.u32 [%r1], %r5;
			E:`},
		{name: "last steps by one warp", body: shared + `
			setp.gt.u32 %p2, %r2, 31;
			@%p2 bra E;
			ld.volatile.shared.u32 %r5, [%r1+64];
			st.volatile.shared.u32 [%r1], %r5;
			ld.volatile.shared.u32 %r5, [%r1+32];
			st.volatile.shared.u32 [%r1], %r5;
			E:`},
		{name: "last steps by two warps", body: shared + `
			setp.gt.u32 %p2, %r2, 63;
			@%p2 bra E;
			ld.volatile.shared.u32 %r5, [%r1+64]; // meets
			st.volatile.shared.u32 [%r1], %r5; // meets
			E:`},
		{name: "one thread alone", body: shared + `
			setp.ne.u32 %p2, %r2, 0;
			@%p2 bra E;
			ld.shared.u32 %r5, [s+64];
			st.shared.u32 [s+64], %r5;
			E:`},
		{name: "one thread of each row", block: twoRows, body: shared + `
			setp.ne.u32 %p2, %r2, 0;
			@%p2 bra E;
			ld.shared.u32 %r5, [s+64]; // meets
			st.shared.u32 [s+64], %r5; // meets
			E:`},
		{name: "the first warp by its number", body: shared + `
			shr.u32 %r3, %r2, 5;
			setp.ne.u32 %p2, %r3, 0;
			@%p2 bra E;
			ld.shared.u32 %r5, [s+64];
			st.shared.u32 [s+64], %r5;
			E:`},
		{name: "places of warps, read by lanes", body: shared + `
			shr.u32 %r3, %r2, 5;
			and.b32 %r4, %r2, 31;
			mov.u32 %r6, s;
			mad.lo.u32 %r7, %r3, 4, %r6;
			mad.lo.u32 %r8, %r4, 4, %r6;
			st.shared.u32 [%r7], 1; // meets
			ld.shared.u32 %r5, [%r8]; // meets
			ld.shared.u32 %r5, [%r8+16];`},
		{name: "a counter that is set to 0 late", body: shared + `
			setp.eq.u32 %p2, %r2, 0;
			@%p2 st.shared.u32 [s], 0; // meets
			atom.shared.add.u32 %r5, [s], 1; // meets`},
		{name: "tiles: stores, barrier, loads, barrier", body: shared + `
			mov.u32 %r3, 0;
		L:	st.shared.u32 [%r1], %r3;
			bar.sync 0;
			mov.u32 %r4, s;
			mov.u32 %r6, 0;
		M:	ld.shared.u32 %r5, [%r4];
			add.u32 %r4, %r4, 4;
			add.u32 %r6, %r6, 1;
			setp.lt.u32 %p1, %r6, 32;
			@%p1 bra M;
			bar.sync 0;
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 8;
			@%p1 bra L;`},
		{name: "tiles without the second barrier", body: shared + `
			mov.u32 %r3, 0;
		L:	st.shared.u32 [%r1], %r3; // meets
			bar.sync 0;
			mov.u32 %r4, s;
			mov.u32 %r6, 0;
		M:	ld.shared.u32 %r5, [%r4]; // meets
			add.u32 %r4, %r4, 4;
			add.u32 %r6, %r6, 1;
			setp.lt.u32 %p1, %r6, 32;
			@%p1 bra M;
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 8;
			@%p1 bra L;`},
		{name: "columns of a tile", body: shared + `
			mov.u32 %r3, 0;
			mov.u32 %r4, %r1;
		L:	ld.shared.u32 %r5, [%r4];
			st.shared.u32 [%r4+512], %r5;
			add.u32 %r4, %r4, 512;
			add.u32 %r3, %r3, 1;
			setp.lt.u32 %p1, %r3, 4;
			@%p1 bra L;`},
		{name: "an element each, in place", body: element + `
			ld.global.f32 %f1, [%rd0];
			add.f32 %f1, %f1, 0f3f800000;
			st.global.f32 [%rd0], %f1;`},
		{name: "an element of each column, by four rows", block: twoRows, body: element + `
			ld.global.f32 %f1, [%rd0]; // meets
			add.f32 %f1, %f1, 0f3f800000;
			st.global.f32 [%rd0], %f1; // meets`},
		{name: "a grid's stride, in place", body: element + `
			mov.u32 %r5, %nctaid.x;
			mul.lo.u32 %r5, %r5, %r4;
			mul.wide.u32 %rd6, %r5, 4;
		L:	ld.global.f32 %f1, [%rd0];
			st.global.f32 [%rd0], %f1;
			add.u64 %rd0, %rd0, %rd6;
			add.u32 %r1, %r1, %r5;
			setp.lt.u32 %p1, %r1, 100000;
			@%p1 bra L;`},
		{name: "a neighbour's element in the same array", body: element + `
			ld.global.f32 %f1, [%rd0+4]; // meets
			st.global.f32 [%rd0], %f1; // meets`},
		{name: "a neighbour's element in another array", body: element + `
			ld.global.f32 %f1, [%rd0+4];
			st.global.f32 [%rd1], %f1;`},
		{name: "a neighbour's element in the same array by another pointer", equal: true, body: element + `
			ld.global.f32 %f1, [%rd0+4]; // meets
			st.global.f32 [%rd1], %f1; // meets`},
		{name: "four elements each", body: element + `
			mad.wide.u32 %rd0, %r1, 16, %rd8;
			ld.global.f32 %f1, [%rd0];
			ld.global.f32 %f2, [%rd0+4];
			st.global.f32 [%rd0], %f2;
			st.global.f32 [%rd0+4], %f1;`},
		{name: "four elements each of a row", block: twoRows, body: element + `
			mov.u32 %r5, %tid.y;
			ld.param.u32 %r6, [n];
			mul.lo.u32 %r7, %r5, %r6;
			mad.lo.u32 %r7, %r2, 4, %r7;
			mad.wide.u32 %rd0, %r7, 4, %rd8;
			ld.global.f32 %f1, [%rd0];
			ld.global.f32 %f2, [%rd0+4];
			st.global.f32 [%rd0], %f2;
			st.global.f32 [%rd0+4], %f1;`},
		{name: "strong accesses", body: element + `
			ld.relaxed.gpu.global.f32 %f1, [%rd8];
			st.relaxed.gpu.global.f32 [%rd8], %f1;`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.block.X == 0 {
				c.block = flat
			}
			if diff := cmp.Diff(wanted(c.body), found(t, c.body, c.block, c.equal)); diff != "" {
				t.Errorf("-want +found\n%s", diff)
			}
		})
	}
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

// TestLargeFunctions: the work is linear in the size of the function: doubling it does not take much longer than
// twice.
func TestLargeFunctions(t *testing.T) {
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

// TestLongChains: a register whose value goes through a thousand instructions before it is used is known. A chain of a
// hundred thousand takes a stack of less than 16 MB, or the test does not survive.
func TestLongChains(t *testing.T) {
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
