package lanes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestExecFollowsGuardedBranches executes a loop with guards that hold in the lower half of the warp, and code after
// it.
func TestExecFollowsGuardedBranches(t *testing.T) {
	type executed struct {
		PC   int
		Mask Mask
	}
	const (
		always = ScratchBytes
		lower  = ScratchBytes + SlotPred
		low    = Mask(0x0000ffff)
		high   = ^low
		far    = 100 // steps
	)
	var got []executed
	note := func(_ *File, in *Op, m Mask) { got = append(got, executed{int(in.D), m}) }
	ops := []Op{
		{Kind: Compute, Fn: note, D: 0, Guard: always},
		{Kind: Guarded, Fn: note, D: 1, Guard: lower},
		{Kind: Nop, Guard: always},
		{Kind: Jump, Imm: 0, Guard: lower},
		{Kind: Compute, Fn: note, D: 4, Guard: always},
		{Kind: NumKinds, Guard: always}, // none of Exec's
	}
	f := NewFile(ScratchBytes + 2*SlotPred)
	*Pred(f, always), *Pred(f, lower) = AllLanes, low
	for name, test := range map[string]struct {
		before Path
		want   Why
		after  Path
		ran    []executed
	}{
		"up to a stop": {
			Path{Mask: AllLanes, Stop: 2, Limit: far}, AtStop,
			Path{PC: 2}, []executed{{0, AllLanes}, {1, low}},
		},
		"at the stop": {Path{Mask: AllLanes, PC: 2, Stop: 2, First: 1}, AtStop, Path{PC: 2, First: 1}, nil},
		"up to a branch that lanes take differently": {
			Path{Mask: AllLanes, Stop: -1, Limit: far}, AtOp,
			Path{PC: 3}, []executed{{0, AllLanes}, {1, low}},
		},
		"past a branch, to another kind": {
			Path{Mask: high, Stop: -1, Limit: far}, AtOp,
			Path{PC: 5, First: 4, Steps: 4}, []executed{{0, high}, {4, high}},
		},
		"at another kind": {Path{Mask: high, PC: 5, Stop: -1, First: 4, Steps: 4}, AtOp, Path{PC: 5, First: 4, Steps: 4}, nil},
		"past a branch, to the stop": {
			Path{Mask: high, Stop: 4, Limit: far}, AtStop,
			Path{PC: 4, First: 4, Steps: 4}, []executed{{0, high}},
		},
		"past a branch that is the last": {
			Path{Mask: high, PC: 2, Stop: 4, First: 1, Steps: 97, Limit: far}, Branched,
			Path{PC: 4, First: 4, Steps: 100, Branch: 3}, nil,
		},
		"round and round": {
			Path{Mask: low, Stop: -1, Limit: 5}, Branched,
			Path{Steps: 8, Branch: 3}, []executed{{0, low}, {1, low}, {0, low}, {1, low}},
		},
		"to the first branch": {
			Path{Mask: low, PC: 1, First: 1, Stop: -1}, Branched,
			Path{Steps: 3, Branch: 3}, []executed{{1, low}},
		},
	} {
		got = nil
		p := test.before
		p.File, p.Ops = f, ops
		why := p.Exec()
		test.after.Mask, test.after.Stop, test.after.Limit = p.Mask, p.Stop, p.Limit
		if diff := cmp.Diff(test.after, p, cmpopts.IgnoreFields(Path{}, "File", "Ops")); why != test.want || diff != "" {
			t.Errorf("%s: ended with %d, want %d; -want +got:\n%s", name, why, test.want, diff)
		}
		if diff := cmp.Diff(test.ran, got); diff != "" {
			t.Errorf("%s: executed, -want +got:\n%s", name, diff)
		}
	}
}

// located is a Memory with one place for all lanes.
type located struct {
	place *Access
	asked Mask
}

func (l *located) Locate(_ int, m Mask) *Access {
	l.asked = m
	return l.place
}

// TestExecGuardsAccesses executes an access with a guard that holds in the lower half of the warp.
func TestExecGuardsAccesses(t *testing.T) {
	const (
		lower = ScratchBytes
		low   = Mask(0x0000ffff)
	)
	place := new(Access)
	var moved Mask
	ops := []Op{{Kind: NumKinds, Guard: lower, Mem: func(_ *File, _ *Op, m Mask, a *Access) {
		if a == place {
			moved = m
		}
	}}}
	f := NewFile(ScratchBytes + SlotPred)
	*Pred(f, lower) = low
	for name, test := range map[string]struct {
		memory       Memory
		mask         Mask
		want         Why
		asked, moved Mask
	}{
		"in a place":            {&located{place: place}, AllLanes, AtStop, low, low},
		"in no place":           {&located{}, AllLanes, AtOp, low, 0},
		"by no lane":            {&located{place: place}, ^low, AtStop, 0, 0},
		"left to another":       {nil, AllLanes, AtOp, 0, 0},
		"by no lane to another": {nil, ^low, AtOp, 0, 0},
	} {
		moved = 0
		p := Path{File: f, Ops: ops, Memory: test.memory, Mask: test.mask, Stop: 1}
		if why := p.Exec(); why != test.want || (why == AtOp) != (p.PC == 0) {
			t.Errorf("%s: ended with %d at %d, want %d", name, why, p.PC, test.want)
		}
		if l, ok := test.memory.(*located); ok && l.asked != test.asked {
			t.Errorf("%s: asked for the place of lanes %v, want %v", name, l.asked.Ranges(), test.asked.Ranges())
		}
		if moved != test.moved {
			t.Errorf("%s: moved lanes %v, want %v", name, moved.Ranges(), test.moved.Ranges())
		}
	}
}
