package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Vote is a joint operation of the executing lanes of a warp.
type Vote uint8

const (
	NoVote    Vote = iota
	VoteAll        // whether a predicate holds in all lanes
	VoteAny        // whether it holds in any lane
	VoteSame       // whether it is the same in all
	VoteLanes      // the lanes in which it holds
	AllHere        // the executing lanes
	Meet           // no result: lanes wait for the others, which are here

	// Votes on words. The reduction of all words:
	ReduxAdd
	ReduxAnd
	ReduxOr
	ReduxXor
	ReduxMin
	ReduxMax
	ReduxMinUnsigned
	ReduxMaxUnsigned
	MatchAny // the lanes with the same word
	MatchAll // all lanes, and whether that is so, if they have the same word
)

// Members are the lanes that must execute an instruction together, as each of them names them.
type Members struct {
	Known bool
	Mask  lanes.Mask // if Known
	Slot  uint32     // else the slot with each lane's members
}

// CheckMembers jumps to fail unless the executing lanes (those of Context.Mask if masked, else all) all name exactly
// themselves among the live lanes.
func (e *Emit) CheckMembers(m *Members, masked bool, fail Label) {
	e.executing(masked)
	if m.Known {
		e.movImm(RAX, uint64(m.Mask))
	} else {
		e.tzcnt(W32, RAX, RDX)
		e.Load(W32, RAX, atIndex(regFile, RAX, 4, int32(m.Slot)))
		e.vFromReg(vmovd, 0, RAX)
		e.v2(vpbroadcastd, l256, 0, 0)
		e.op(xor, W32, RSI, RSI) // lanes that name the same members as the first of them
		for s := int32(subvectors - 1); s >= 0; s-- {
			e.v3M(vpcmpeqd, l256, 1, 0, memAt(regFile, int32(m.Slot)+32*s))
			e.vToReg(vmovmskps, l256, RCX, 1)
			e.shiftImm(shl, W32, RSI, SubvectorLanes)
			e.op(or, W32, RSI, RCX)
		}
		e.op(and, W32, RSI, RDX)
		e.op(cmp, W32, RSI, RDX)
		e.jcc(condNE, fail)
	}
	if masked {
		e.opLoad(and, W32, RAX, memAt(regCtx, ctxLive))
	}
	e.op(cmp, W32, RAX, RDX)
	e.jcc(condNE, fail)
}

// executing sets EDX to the executing lanes.
func (e *Emit) executing(masked bool) {
	if masked {
		e.Load(W32, RDX, memAt(regCtx, ctxMask))
	} else {
		e.movImm(RDX, uint64(uint32(lanes.AllLanes)))
	}
}

// Vote writes a vote of the executing lanes (those of Context.Mask if masked, else all) on the predicate in a slot,
// or its complement. Its result goes to slot d.
func (e *Emit) Vote(x Vote, d, a uint32, not, masked bool) {
	if x == Meet {
		return
	}
	e.executing(masked)
	if x == AllHere {
		e.mov(W32, RAX, RDX)
	} else {
		e.Load(W32, RAX, memAt(regFile, int32(a)))
		if not {
			e.Asm.not(W32, RAX)
		}
		e.op(and, W32, RAX, RDX)
	}
	if x == VoteLanes || x == AllHere {
		e.AsSubvectors()
		all := e.Temp(32)
		l, _ := e.shape(32)
		e.vFromReg(vmovd, all.Lo, RAX)
		e.v2(vpbroadcastd, l, all.Lo, all.Lo)
		if masked {
			e.EachExecutingSubvector(false, func() { e.MergeSlot(d, all) }, nil)
		} else {
			e.EachSubvector(true, func() { e.StoreSlot(d, all) })
		}
		return
	}
	e.op(xor, W32, RSI, RSI) // the result
	holds, done := e.NewLabel(), e.NewLabel()
	if x == VoteAny || x == VoteSame {
		e.test(W32, RAX, RAX)
		e.jcc(map[Vote]cond{VoteAny: condNE, VoteSame: condE}[x], holds)
	}
	if x == VoteAll || x == VoteSame {
		e.op(cmp, W32, RAX, RDX)
		e.jcc(condE, holds)
	}
	e.Jmp(done)
	e.Bind(holds)
	e.movImm(RSI, uint64(uint32(lanes.AllLanes)))
	e.Bind(done)
	e.StorePred(d, RSI, masked)
}
