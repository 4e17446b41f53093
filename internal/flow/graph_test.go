package flow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
)

// Each branch of this code claims where its lanes meet: "reconverges L" or "never",
// then "leaves L" if lanes that go to L leave its region, and "retreats" if it
// is retreating.
var reconvergences = []struct{ name, src string }{
	{"if", `
		@p bra J // reconverges J
		op
	J:	exit`},
	{"if else", `
		@p bra E // reconverges J
		op
		bra J // reconverges J
	E:	op
	J:	exit`},
	{"nested if else", `
		@p bra E // reconverges J
		@q bra B // reconverges K
		op
		bra K // reconverges K
	B:	op
	K:	op
		bra J // reconverges J
	E:	@r bra D // reconverges L
		op
		bra L // reconverges L
	D:	op
	L:	op
	J:	exit`},
	{"while", `
	H:	@p bra X // reconverges X
		op
		bra H // reconverges H retreats
	X:	exit`},
	{"do while", `
	H:	op
		@p bra H // reconverges X retreats
	X:	exit`},
	{"loop in one instruction", `
	H:	@p bra H // reconverges X retreats
	X:	exit`},
	{"loop laid out with its test last", `
		bra T // reconverges T
	B:	op
	T:	@p bra B // reconverges X retreats
	X:	exit`},
	{"break and continue", `
	H:	@p bra X // reconverges X
		@q bra X // reconverges X
		op
		@r bra C // reconverges C
		op
	C:	op
		bra H // reconverges H retreats
	X:	exit`},
	{"break in a nested if", `
	H:	@s bra X // reconverges X
		@p bra N // reconverges X
		@q bra X // reconverges X
		op
	N:	op
		bra H // reconverges H retreats
	X:	exit`},
	{"loop that ends only in an arm", `
	H:	@p bra N // reconverges Q
	Q:	@q bra X // reconverges X
		op
	N:	bra H // reconverges H retreats
	X:	exit`},
	{"loop with two exits that meet later", `
	H:	@p bra A // reconverges J
		@q bra B // reconverges J
		bra H // reconverges H retreats
	A:	op
		bra J // reconverges J
	B:	op
	J:	exit`},
	{"guarded exit in an arm", `
		@p bra J // reconverges J
		op
		@q exit
		op
	J:	op
		exit`},
	{"early ret in an arm", `
		@p bra J // reconverges J
		@q bra R // reconverges X leaves R
	X:	op
		bra J // reconverges J
	R:	op
		ret
	J:	op
		exit`},
	{"early ret as fall-through", `
		@p bra J // reconverges J leaves R
	R:	op
		ret
	J:	op
		exit`},
	{"branch to the common ret", `
		@p bra DONE // reconverges DONE
		op
	DONE:	ret`},
	{"trap block behind the end", `
		@p bra T // reconverges A leaves T
	A:	op
		@q bra T // reconverges B leaves T
	B:	op
		exit
	T:	exit`},
	{"assertion in an arm", `
		@p bra J // reconverges J
		@q bra T // reconverges J leaves T
	J:	op
		exit
	T:	exit`},
	{"long trap block, short end", `
		@p bra J // reconverges X leaves J
	X:	@q bra T // reconverges T leaves J
	J:	exit
	T:	op
		op
		exit`},
	{"equal ways out: the last is the main one", `
		@p bra B // reconverges B leaves A
	A:	exit
	B:	exit`},
	{"regions beyond the second", `
		@p bra F // reconverges M leaves F
	M:	op
		op
		@s bra N // reconverges N
		op
	N:	op
		exit
	F:	@q bra G // reconverges G leaves H
	H:	exit
	G:	op
		exit`},
	{"only what is left decides on the next way out", `
		bra P, V // reconverges P leaves V
	P:	op
		op
		op
		bra A, B // reconverges A leaves B
	A:	op
		op
		op
		exit
	B:	exit
	V:	@q bra B // reconverges C leaves B retreats
	C:	op
		exit`},
	{"endless region beside the way out", `
		@p bra L // reconverges X leaves L
	X:	exit
	L:	@q bra K // reconverges K
		op
	K:	op
		bra L // never retreats`},
	{"endless loop", `
	H:	@p bra J // reconverges J
		op
	J:	bra H // never retreats`},
	{"endless loop that divides at its end", `
	A:	op
	B:	op
		@p bra A // reconverges L retreats
	L:	bra A, B // never retreats`},
	{"endless loop after an endless loop", `
		bra A // reconverges A
	B:	bra B // never retreats
	A:	@p bra B // reconverges K leaves B retreats
	K:	@q bra A // reconverges M retreats
	M:	bra A // never retreats`},
	{"short circuit and, with else", `
		@p bra E // reconverges J
		@q bra E // reconverges J
		op
		bra J // reconverges J
	E:	op
	J:	exit`},
	{"short circuit or", `
		@p bra T // reconverges J
		@q bra J // reconverges J
	T:	op
	J:	exit`},
	{"shared tail", `
		@p bra A // reconverges J
		@q bra B // reconverges J
		op
		bra J // reconverges J
	A:	op
		bra T // reconverges T
	B:	op
	T:	op
	J:	exit`},
	{"irreducible", `
		@p bra B // reconverges X
	A:	op
		@q bra X // reconverges X
	B:	op
		@r bra A // reconverges X retreats
	X:	exit`},
	{"several targets", `
		bra A, B, A, C // reconverges J
	A:	op
		bra J // reconverges J
	B:	op
	C:	op
	J:	exit`},
	{"guarded branch with several targets", `
		@p bra B, J // reconverges J
		op
	B:	op
	J:	exit`},
	{"one of several targets leaves", `
		bra A, B, R // reconverges J leaves R
	A:	op
		bra J // reconverges J
	B:	op
	J:	op
		exit
	R:	exit`},
	{"off the end", `
		@p bra END // reconverges END
		op
		@q bra END // reconverges END
		op
	END:`},
	{"off the end and exit", `
		@p bra E // reconverges E leaves END
		@q exit
	E:	op
		op
		exit
		bra END // never
	END:`},
	{"branch to the next instruction", `
		@p bra J // reconverges J
	J:	exit`},
	{"unreachable code does not count", `
		@p bra B // reconverges B leaves A
	A:	exit
	B:	exit
		bra A // never retreats
		bra A // never retreats`},
}

func TestReconvergenceIsAtPostDominator(t *testing.T) {
	for _, tt := range reconvergences {
		t.Run(tt.name, func(t *testing.T) {
			p := flowcode.Assemble(t, tt.src)
			g := New(p.Func)
			for pc := range p.Code {
				if p.Code[pc].Is(isa.Branch) {
					checkClaims(t, p, g, pc)
				}
			}
		})
	}
}

// checkClaims compares the branch at pc with its comment.
func checkClaims(t *testing.T, p flowcode.Program, g *Graph, pc int) {
	t.Helper()
	claims := p.Claims[pc]
	want, got := None, g.Reconvergence(pc)
	switch {
	case len(claims) == 0:
		t.Fatalf("nothing is claimed of the branch at %d", pc)
	case claims[0] == "reconverges":
		want = p.Labels[claims[1]]
	}
	if got != want {
		t.Errorf("Reconvergence(%d) = %d %v, want %d", pc, got, p.LabelsAt(got), want)
	}
	if got, want := g.Retreating(pc), slices.Contains(claims, "retreats"); got != want {
		t.Errorf("Retreating(%d) = %v, want %v", pc, got, want)
	}
	left := None
	if i := slices.Index(claims, "leaves"); i >= 0 {
		left = p.Labels[claims[i+1]]
	}
	for _, s := range g.Blocks()[g.BlockOf(pc)].Succ {
		to := g.Blocks()[s].Start
		if got, want := g.Leaves(pc, to), to == left; got != want {
			t.Errorf("Leaves(%d, %d %v) = %v, want %v", pc, to, p.LabelsAt(to), got, want)
		}
	}
}

func TestBlocksEndAtBranches(t *testing.T) {
	p := flowcode.Assemble(t, `
		op
	A:	op
	B:	@p bra A
		@q exit
		op
		bra C, B, C
		op
	C:	ret`)
	g := New(p.Func)
	want := []Block{
		{Start: 0, End: 1, Succ: []int{1}},
		{Start: 1, End: 2, Succ: []int{2}, Pred: []int{0, 2}},
		{Start: 2, End: 3, Succ: []int{1, 3}, Pred: []int{1, 3}},
		{Start: 3, End: 6, Succ: []int{5, 2}, Pred: []int{2}},
		{Start: 6, End: 7, Succ: []int{5}},
		{Start: 7, End: 8, Pred: []int{3, 4}},
		{Start: 8, End: 8},
	}
	if diff := cmp.Diff(want, g.Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	for pc, want := range []int{0, 1, 2, 3, 3, 3, 4, 5, 6} {
		if got := g.BlockOf(pc); got != want {
			t.Errorf("BlockOf(%d) = %d, want %d", pc, got, want)
		}
	}
}

// TestUnsupportedFormsDoNotEndBlocks has a branch and an exit in unsupported forms, with operands of unknown meaning.
func TestUnsupportedFormsDoNotEndBlocks(t *testing.T) {
	f := flowcode.Assemble(t, `
	A:	bra A
		exit
		op`).Func
	f.Code[0].Later, f.Code[1].Later = "a branch of some kind", "an exit of some kind"
	want := []Block{{Start: 0, End: 3, Succ: []int{1}}, {Start: 3, End: 3, Pred: []int{0}}}
	if diff := cmp.Diff(want, New(f).Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestEmptyFunctionHasOneBlock(t *testing.T) {
	g := New(&isa.Func{})
	if diff := cmp.Diff([]Block{{}}, g.Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if got := g.Reconvergence(0); got != None {
		t.Errorf("Reconvergence(0) = %d, want none", got)
	}
}
