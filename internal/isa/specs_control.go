package isa

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

var controlSpecs = []*Spec{
	{Name: "bra", Mods: "[uni]", Form: "t:label", Needs: "1", Kind: Branch, Cost: on(CBU).of(OpBranch),
		Doc:      "Continues at the label. With a guard, each lane decides separately. .uni promises that all lanes go the same way; simtrun does not rely on it.",
		examples: []string{"bra LABEL;", "@%p1 bra LABEL;", "@!%p1 bra LABEL;"}},
	{Name: "brx", Mods: "idx [uni]", Form: "a:u32, t:table", Needs: "6.0 sm_30", Kind: Branch,
		Cost:     on(CBU, CostIndirectBranch).as("product > load_constant > integer > indirect_branch"), // the target comes from a table
		Doc:      "Continues at target number a of the list, separately for each lane.",
		examples: []string{"brx.idx %r1, LIST;"}},
	{Name: "call", Mods: "[uni]", Form: "t:func", Needs: "1", Kind: CallKind,
		Cost:     on(CBU, CostCall).as("integer, call"), // the return address is passed in a register
		Doc:      "Calls a function. If the function is a register, each lane calls the function whose address its register holds.",
		examples: []string{"call f;", "call.uni f;"}},
	{Name: "ret", Mods: "[uni]", Needs: "1", Kind: Return, Cost: on(CBU, CostCall), Doc: "Returns to the caller. In a kernel it ends the thread."},
	{Name: "exit", Needs: "1", Kind: Exit, Cost: on(CBU, CostExit), Doc: "Ends the thread.",
		examples: []string{"exit;", "@%p1 exit;"}},
	{Name: "trap", Needs: "1", Kind: Trap, Cost: on(CBU), Doc: "Stops the launch with an error."},
	{Name: "brkpt", Needs: "1", Kind: Nop, Cost: on(CBU), Doc: "Stops in a debugger. It has no effect without one."},
	{Name: "pmevent", Mods: "[mask]", Form: "i:imm", Needs: "1", Kind: Nop, Cost: on(CBU), Doc: "Counts an event, or events, of a profiler. It has no effect in simtrun."},
	{Name: "nanosleep", Mods: "type", Form: "a", Needs: "6.3 sm_70", Kind: Nop, Cost: on(CBU, CostSleep), Types: []Type{U32},
		Doc: "Sleeps for 0 to 2a ns. In simtrun it sleeps for a ns with a clock, and not at all without one."},
	{Name: "bar", Mods: "[cta] bar", Form: "a:u32, ?b:u32", Needs: "1; cta 7.8", Kind: Barrier, Cost: on(ADU, CostCTABarrier), Facts: Facts{Aligned: true},
		Doc:      "bar.sync waits at barrier a (0 to 15) until all warps of the CTA have arrived; with b, until b threads have arrived, counted in whole warps. bar.arrive arrives and does not wait.",
		examples: []string{"bar.sync 0;", "bar.sync 1, 64;"},
		Legal:    syncOrArrive, Check: arrivalCount},
	{Name: "bar", With: "red", Mods: "[cta] bar redop type", Form: "d, a:u32, ?b:u32, c:pred", Needs: "1; cta 7.8", Kind: Barrier, Cost: on(ADU, CostCTABarrier), Facts: Facts{Aligned: true},
		Doc:      "Waits as bar.sync does. d = whether c holds in all threads of the barrier (.and) or in any of them (.or), or the number of threads in which it holds (.popc).",
		examples: []string{"bar.red.popc.u32 %r1, 0, %p1;"},
		Types:    []Type{U32, Pred}, Legal: barrierReduction, Check: barrierNumber},
	{Name: "bar", With: "warp", Mods: "bar sync", Form: "e:b32", Needs: "6.0 sm_30", Kind: Barrier, Cost: on(CBU, CostWarpSync),
		Doc:      "Waits until all lanes of the mask e that have not ended have arrived.",
		examples: []string{"bar.warp.sync -1;"},
		Legal:    func(v *Variant) bool { return v.Mods[BarOp] == BarWarp },
		Lower:    Lower{vote: func(*Variant) jit.Vote { return jit.Meet }}},
	{Name: "barrier", Mods: "[cta] bar [aligned]", Form: "a:u32, ?b:u32", Needs: "6.0 sm_30; cta 7.8", Kind: Barrier, Cost: on(ADU, CostCTABarrier),
		Doc:      "The same as bar.",
		examples: []string{"barrier.sync 0;"},
		Legal:    syncOrArrive, Check: arrivalCount},
	{Name: "barrier", With: "red", Mods: "[cta] bar redop [aligned] type", Form: "d, a:u32, ?b:u32, c:pred", Needs: "6.0 sm_30; cta 7.8", Kind: Barrier, Cost: on(ADU, CostCTABarrier),
		Doc:      "The same as bar.red.",
		examples: []string{"barrier.red.or.pred %p1, 0, %p2;"},
		Types:    []Type{U32, Pred}, Legal: barrierReduction, Check: barrierNumber},
	{Name: "shfl", Mods: "[sync] shfl type", Form: "d|q:pred, a, b:u32, c:u32, ?e:b32", Needs: "3.0 sm_30; sync 6.0 sm_30", Kind: Shuffle, Cost: on(LSU, CostShuffle),
		Doc: "d = the value of a in another lane of the segment that c defines: the lane b below (.up) or above (.down), the lane number xor b (.bfly), or lane b (.idx). q = whether that lane exists. " +
			"If it does not, d = a; if it exists but does not take part, d = 0. e is the mask of the lanes that take part.",
		examples: []string{"shfl.sync.down.b32 %r1, %r2, 16, 31, -1;", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;"},
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B32 {
				return nil
			}
			return [...]lanes.Func{nil, lanes.ShflUp, lanes.ShflDown, lanes.ShflBfly, lanes.ShflIdx}[v.Mods[ShflMode]]
		},
		Lower: Lower{code: shuffleCode}, Facts: Facts{Spread: Spread{Rule: SpreadShuffle}, SeesLanes: true}, Check: memberMask(6)},
	{Name: "vote", Mods: "[sync] vote type", Form: "d, a:pred, ?e:b32", Needs: "1; sync 6.0 sm_30", Kind: Vote, Cost: on(ALU, CostVote).of(OpVote),
		Doc:      "d = whether a holds in all lanes that take part (.all), in any of them (.any), or in all or none (.uni); or the mask of the lanes in which it holds (.ballot). e is the mask of the lanes that take part.",
		examples: []string{"vote.sync.ballot.b32 %r1, %p1, -1;", "vote.sync.any.pred %p1, %p2, -1;"},
		Bind: func(v *Variant) lanes.Func {
			switch mode := v.Mods[VoteMode]; {
			case mode == VoteBallot && v.Type() == B32:
				return lanes.VoteBallot
			case v.Type() == Pred && mode != VoteBallot:
				return [...]lanes.Func{nil, lanes.VoteAll, lanes.VoteAny, lanes.VoteUni}[mode]
			}
			return nil
		},
		Lower: Lower{vote: func(v *Variant) jit.Vote {
			return map[Mod]jit.Vote{VoteAll: jit.VoteAll, VoteAny: jit.VoteAny, VoteUni: jit.VoteSame, VoteBallot: jit.VoteLanes}[v.Mods[VoteMode]]
		}},
		Facts: Facts{Spread: Spread{Rule: SpreadVote}, SeesLanes: true}, Check: memberMask(3)},
	{Name: "match", Facts: Facts{Spread: Spread{Rule: SpreadLanes}}, Mods: "vote sync type", Form: "d:b32|q:pred, a, e:b32", Needs: "6.0 sm_70", Kind: Vote, Cost: on(LSU, CostMatch),
		Doc:      "d = the mask of the lanes with the same a (.any), or the mask of all lanes if their values are equal, else 0 (.all); q = whether they are equal. e is the mask of the lanes that take part.",
		examples: []string{"match.any.sync.b32 %r1, %r2, -1;"},
		Bind: func(v *Variant) lanes.Func {
			switch v.Mods[VoteMode] {
			case VoteAny:
				return Exec{B32: lanes.MatchAny[uint32], B64: lanes.MatchAny[uint64]}[v.Type()]
			case VoteAll:
				return Exec{B32: lanes.MatchAll[uint32], B64: lanes.MatchAll[uint64]}[v.Type()]
			}
			return nil
		},
		Lower: Lower{vote: func(v *Variant) jit.Vote {
			if v.Type() != B32 {
				return jit.NoVote
			}
			return map[Mod]jit.Vote{VoteAny: jit.MatchAny, VoteAll: jit.MatchAll}[v.Mods[VoteMode]]
		}},
		Check: func(in *Instr) string {
			if in.Mods[VoteMode] == VoteAny && in.Args[1].Kind != NoOperand {
				return "only .all has a second result"
			}
			return ""
		}},
	{Name: "redux", Facts: Facts{Spread: Spread{Rule: SpreadLanes}}, Mods: "sync op [abs] [nan] type", Form: "d, a, e:b32", Needs: "7.0 sm_80; f32/abs/NaN 8.6 sm_100f", Kind: Vote, Cost: on(ALU, CostReduction),
		Doc:      "d = a of all lanes that take part, combined by the operation. e is the mask of these lanes. A .f32 that is NaN is ignored; with .NaN the result is NaN. +0 is greater than -0. .abs combines magnitudes.",
		examples: []string{"redux.sync.add.u32 %r1, %r2, -1;"},
		Bind: func(v *Variant) lanes.Func {
			op := v.Mods[AtomOp]
			switch {
			case v.Type() == F32 && (op == AtomMin || op == AtomMax):
				return lanes.ReduxF32
			case !v.only(Sync, AtomOp):
				return nil
			}
			return reductions[op][v.Type()]
		},
		Imm: func(v *Variant) uint64 {
			if v.Mods[AtomOp] == AtomMax {
				return extremumImm(v) | lanes.ExtremumMax
			}
			return extremumImm(v)
		},
		Lower: Lower{vote: reductionCode}},
	{Name: "activemask", Mods: "type", Form: "d", Needs: "6.2 sm_30", Kind: Compute, Cost: on(ALU, CostVote),
		Doc:  "d = the mask of the lanes that execute the instruction together, which excludes lanes with a false guard.",
		Exec: Exec{B32: activeMask}, Facts: Facts{SeesLanes: true},
		Lower: Lower{vote: func(*Variant) jit.Vote { return jit.AllHere }}},
}

// reductions are the operations of redux, by operation and type.
var reductions = map[Mod]map[Type]lanes.Func{
	AtomAdd: {U32: lanes.ReduxAdd, S32: lanes.ReduxAdd},
	AtomMin: {U32: lanes.ReduxMin[uint32], S32: lanes.ReduxMin[int32]},
	AtomMax: {U32: lanes.ReduxMax[uint32], S32: lanes.ReduxMax[int32]},
	AtomAnd: {B32: lanes.ReduxAnd},
	AtomOr:  {B32: lanes.ReduxOr},
	AtomXor: {B32: lanes.ReduxXor},
}

// reductionCode returns how compiled code executes redux of integers.
func reductionCode(v *Variant) jit.Vote {
	switch op := v.Mods[AtomOp]; {
	case v.Type() == F32:
		return jit.NoVote
	case op == AtomMin && v.Type() == U32:
		return jit.ReduxMinUnsigned
	case op == AtomMax && v.Type() == U32:
		return jit.ReduxMaxUnsigned
	default:
		return map[Mod]jit.Vote{AtomAdd: jit.ReduxAdd, AtomAnd: jit.ReduxAnd, AtomOr: jit.ReduxOr, AtomXor: jit.ReduxXor, AtomMin: jit.ReduxMin, AtomMax: jit.ReduxMax}[op]
	}
}

func activeMask(f *lanes.File, in *lanes.Op, m lanes.Mask) {
	d := lanes.Out[uint32](f, in.D, m)
	for i := range d {
		d[i] = uint32(m)
	}
	lanes.Merge[uint32](f, in.D, m)
}

func syncOrArrive(v *Variant) bool {
	return v.Mods[BarOp] == BarSync || v.Mods[BarOp] == BarArrive
}

// barrierReduction reports whether the result has the type of the reduction: integer for a number of threads, or
// predicate.
func barrierReduction(v *Variant) bool {
	return v.Mods[BarOp] == BarRed && (v.Mods[RedOp] == RedPopc) == (v.Type() == U32)
}

// ctaBarriers are the named barriers of a CTA (PTX ISA 9.7.13.1).
const ctaBarriers = 16

// barrierNumber checks the number of a barrier, operand a, and that of threads, operand b, if they are constants.
func barrierNumber(in *Instr) string {
	for i := range in.Args {
		if a := &in.Args[i]; in.Spec.formals[i].Name == 'a' && a.Kind == ImmOperand && a.Bits >= ctaBarriers {
			return fmt.Sprintf("barrier %d: a CTA has barriers 0 to %d", int64(a.Bits), ctaBarriers-1)
		} else if in.Spec.formals[i].Name == 'b' && a.Kind == ImmOperand && a.Bits%lanes.Width != 0 {
			return fmt.Sprintf("%d threads: expected a multiple of %d, the threads of a warp", int64(a.Bits), lanes.Width)
		}
	}
	return ""
}

// arrivalCount checks the number of the barrier, and that .arrive has a number of threads.
func arrivalCount(in *Instr) string {
	if msg := barrierNumber(in); msg != "" {
		return msg
	}
	if in.Mods[BarOp] == BarArrive && len(in.Args) < 2 {
		return "a thread that only arrives must say for how many threads b the barrier is"
	}
	return ""
}

// memberMask checks that an instruction has a mask of lanes, as the last of n operands, if and only if it has .sync.
func memberMask(n int) func(*Instr) string {
	return func(in *Instr) string {
		switch has := len(in.Args) == n; {
		case has && in.Mods[Sync] == 0:
			return "only the .sync form takes a mask of lanes"
		case !has && in.Mods[Sync] != 0:
			return "the .sync form needs a mask of lanes as its last operand"
		}
		return ""
	}
}
