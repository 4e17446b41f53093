package divergence

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/isa"
)

// Each branch of this code claims where its lanes meet: "joins L" or "never",
// then "leaves L" if lanes that go to L leave its round, and "retreats" if it
// is retreating.
var joins = []struct{ name, src string }{
	{"if", `
		@p bra J // joins J
		op
	J:	exit`},
	{"if else", `
		@p bra E // joins J
		op
		bra J // joins J
	E:	op
	J:	exit`},
	{"nested if else", `
		@p bra E // joins J
		@q bra B // joins K
		op
		bra K // joins K
	B:	op
	K:	op
		bra J // joins J
	E:	@r bra D // joins L
		op
		bra L // joins L
	D:	op
	L:	op
	J:	exit`},
	{"while", `
	H:	@p bra X // joins X
		op
		bra H // joins H retreats
	X:	exit`},
	{"do while", `
	H:	op
		@p bra H // joins X retreats
	X:	exit`},
	{"loop in one instruction", `
	H:	@p bra H // joins X retreats
	X:	exit`},
	{"loop laid out with its test last", `
		bra T // joins T
	B:	op
	T:	@p bra B // joins X retreats
	X:	exit`},
	{"break and continue", `
	H:	@p bra X // joins X
		@q bra X // joins X
		op
		@r bra C // joins C
		op
	C:	op
		bra H // joins H retreats
	X:	exit`},
	{"break in a nested if", `
	H:	@s bra X // joins X
		@p bra N // joins X
		@q bra X // joins X
		op
	N:	op
		bra H // joins H retreats
	X:	exit`},
	{"loop that ends only in an arm", `
	H:	@p bra N // joins Q
	Q:	@q bra X // joins X
		op
	N:	bra H // joins H retreats
	X:	exit`},
	{"loop with two exits that meet later", `
	H:	@p bra A // joins J
		@q bra B // joins J
		bra H // joins H retreats
	A:	op
		bra J // joins J
	B:	op
	J:	exit`},
	{"guarded exit in an arm", `
		@p bra J // joins J
		op
		@q exit
		op
	J:	op
		exit`},
	{"early ret in an arm", `
		@p bra J // joins J
		@q bra R // joins X leaves R
	X:	op
		bra J // joins J
	R:	op
		ret
	J:	op
		exit`},
	{"early ret as fall-through", `
		@p bra J // joins J leaves R
	R:	op
		ret
	J:	op
		exit`},
	{"branch to the common ret", `
		@p bra DONE // joins DONE
		op
	DONE:	ret`},
	{"trap block behind the end", `
		@p bra T // joins A leaves T
	A:	op
		@q bra T // joins B leaves T
	B:	op
		exit
	T:	exit`},
	{"assertion in an arm", `
		@p bra J // joins J
		@q bra T // joins J leaves T
	J:	op
		exit
	T:	exit`},
	{"long trap block, short end", `
		@p bra J // joins X leaves J
	X:	@q bra T // joins T leaves J
	J:	exit
	T:	op
		op
		exit`},
	{"equal ways out: the last is the main one", `
		@p bra B // joins B leaves A
	A:	exit
	B:	exit`},
	{"rounds beyond the second", `
		@p bra F // joins M leaves F
	M:	op
		op
		@s bra N // joins N
		op
	N:	op
		exit
	F:	@q bra G // joins G leaves H
	H:	exit
	G:	op
		exit`},
	{"only what is left decides on the next way out", `
		bra P, V // joins P leaves V
	P:	op
		op
		op
		bra A, B // joins A leaves B
	A:	op
		op
		op
		exit
	B:	exit
	V:	@q bra B // joins C leaves B retreats
	C:	op
		exit`},
	{"endless region beside the way out", `
		@p bra L // joins X leaves L
	X:	exit
	L:	@q bra K // joins K
		op
	K:	op
		bra L // never retreats`},
	{"endless loop", `
	H:	@p bra J // joins J
		op
	J:	bra H // never retreats`},
	{"endless loop that divides at its end", `
	A:	op
	B:	op
		@p bra A // joins L retreats
	L:	bra A, B // never retreats`},
	{"endless loop after an endless loop", `
		bra A // joins A
	B:	bra B // never retreats
	A:	@p bra B // joins K leaves B retreats
	K:	@q bra A // joins M retreats
	M:	bra A // never retreats`},
	{"short circuit and, with else", `
		@p bra E // joins J
		@q bra E // joins J
		op
		bra J // joins J
	E:	op
	J:	exit`},
	{"short circuit or", `
		@p bra T // joins J
		@q bra J // joins J
	T:	op
	J:	exit`},
	{"shared tail", `
		@p bra A // joins J
		@q bra B // joins J
		op
		bra J // joins J
	A:	op
		bra T // joins T
	B:	op
	T:	op
	J:	exit`},
	{"irreducible", `
		@p bra B // joins X
	A:	op
		@q bra X // joins X
	B:	op
		@r bra A // joins X retreats
	X:	exit`},
	{"several targets", `
		bra A, B, A, C // joins J
	A:	op
		bra J // joins J
	B:	op
	C:	op
	J:	exit`},
	{"guarded branch with several targets", `
		@p bra B, J // joins J
		op
	B:	op
	J:	exit`},
	{"one of several targets leaves", `
		bra A, B, R // joins J leaves R
	A:	op
		bra J // joins J
	B:	op
	J:	op
		exit
	R:	exit`},
	{"off the end", `
		@p bra END // joins END
		op
		@q bra END // joins END
		op
	END:`},
	{"off the end and exit", `
		@p bra E // joins E leaves END
		@q exit
	E:	op
		op
		exit
		bra END // never
	END:`},
	{"branch to the next instruction", `
		@p bra J // joins J
	J:	exit`},
	{"unreachable code does not count", `
		@p bra B // joins B leaves A
	A:	exit
	B:	exit
		bra A // never retreats
		bra A // never retreats`},
}

func TestJoins(t *testing.T) {
	for _, tt := range joins {
		t.Run(tt.name, func(t *testing.T) {
			p := assemble(t, tt.src)
			fl := Analyze(p.Func)
			for pc := range p.Code {
				if branches(&p.Code[pc]) {
					checkClaims(t, p, fl, pc)
				}
			}
		})
	}
}

// checkClaims compares what the comment says of the branch at pc.
func checkClaims(t *testing.T, p program, fl *Flow, pc int) {
	t.Helper()
	claims := p.claims[pc]
	want, got := NoJoin, fl.Join(pc)
	switch {
	case len(claims) == 0:
		t.Fatalf("nothing is claimed of the branch at %d", pc)
	case claims[0] == "joins":
		want = p.labels[claims[1]]
	}
	if got != want {
		t.Errorf("Join(%d) = %d %v, want %d", pc, got, p.labelsAt(got), want)
	}
	if got, want := fl.Retreating(pc), slices.Contains(claims, "retreats"); got != want {
		t.Errorf("Retreating(%d) = %v, want %v", pc, got, want)
	}
	left := NoJoin
	if i := slices.Index(claims, "leaves"); i >= 0 {
		left = p.labels[claims[i+1]]
	}
	for _, s := range fl.Blocks()[fl.BlockOf(pc)].Succ {
		to := fl.Blocks()[s].Start
		if got, want := fl.Later(pc, to), to == left; got != want {
			t.Errorf("Later(%d, %d %v) = %v, want %v", pc, to, p.labelsAt(to), got, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	p := assemble(t, `
		op
	A:	op
	B:	@p bra A
		@q exit
		op
		bra C, B, C
		op
	C:	ret`)
	fl := Analyze(p.Func)
	want := []Block{
		{Start: 0, End: 1, Succ: []int{1}},
		{Start: 1, End: 2, Succ: []int{2}, Pred: []int{0, 2}},
		{Start: 2, End: 3, Succ: []int{1, 3}, Pred: []int{1, 3}},
		{Start: 3, End: 6, Succ: []int{5, 2}, Pred: []int{2}},
		{Start: 6, End: 7, Succ: []int{5}},
		{Start: 7, End: 8, Pred: []int{3, 4}},
		{Start: 8, End: 8},
	}
	if diff := cmp.Diff(want, fl.Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	for pc, want := range []int{0, 1, 2, 3, 3, 3, 4, 5, 6} {
		if got := fl.BlockOf(pc); got != want {
			t.Errorf("BlockOf(%d) = %d, want %d", pc, got, want)
		}
	}
}

// TestLater has a branch and an exit in forms that cannot be run yet, of which
// the operands may mean anything.
func TestLater(t *testing.T) {
	f := assemble(t, `
	A:	bra A
		exit
		op`).Func
	f.Code[0].Later, f.Code[1].Later = "a branch of some kind", "an exit of some kind"
	want := []Block{{Start: 0, End: 3, Succ: []int{1}}, {Start: 3, End: 3, Pred: []int{0}}}
	if diff := cmp.Diff(want, Analyze(f).Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func TestNoCode(t *testing.T) {
	fl := Analyze(&isa.Func{})
	if diff := cmp.Diff([]Block{{}}, fl.Blocks()); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if got := fl.Join(0); got != NoJoin {
		t.Errorf("Join(0) = %d, want none", got)
	}
}
