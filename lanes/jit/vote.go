package jit

import "github.com/simtrun/simtrun/lanes"

// Vote is what all lanes of a warp together find out.
type Vote uint8

const (
	NoVote    Vote = iota
	VoteAll        // whether a predicate holds in all
	VoteAny        // whether it does in any
	VoteSame       // whether it is the same in all
	VoteLanes      // in which it holds
	AllHere        // which execute
	Meet           // nothing: each waits for the others, who are there
)

// Vote writes a vote of all lanes of a warp on the predicate in a slot, or its complement, whose result
// is in the slot d.
func (e *Emit) Vote(x Vote, d, a uint32, not bool) {
	switch x {
	case Meet:
		return
	case AllHere:
		e.MovImm(RAX, uint64(uint32(lanes.AllLanes)))
	default:
		e.Load(W32, RAX, At(regFile, int32(a)))
		if not {
			e.Asm.Not(W32, RAX)
		}
	}
	if x == VoteLanes || x == AllHere {
		e.VFromReg(VMOVD, 0, RAX)
		e.AsStrips()
		l, _ := e.shape(32)
		e.V2(VPBROADCASTD, l, 0, 0)
		for at := int32(0); at < 4*lanes.Width; at += e.vectorBytes() {
			e.VStore(VMOVDQU, l, At(regFile, int32(d)+at), 0)
		}
		return
	}
	e.Op(XOR, W32, RSI, RSI) // the verdict
	holds := e.NewLabel()
	done := e.NewLabel()
	if x == VoteAny || x == VoteSame {
		e.Test(W32, RAX, RAX)
		e.Jcc(map[Vote]Cond{VoteAny: CondNE, VoteSame: CondE}[x], holds)
	}
	if x == VoteAll || x == VoteSame {
		e.OpImm(CMP, W32, RAX, -1)
		e.Jcc(CondE, holds)
	}
	e.Jmp(done)
	e.Bind(holds)
	e.MovImm(RSI, uint64(uint32(lanes.AllLanes)))
	e.Bind(done)
	e.Store(W32, At(regFile, int32(d)), RSI)
}
