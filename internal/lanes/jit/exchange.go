package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Values that lanes of one subvector read of lanes in other subvectors are first published by all subvectors.

// MaxAcross is the largest number of values that one run of code may publish.
const MaxAcross = 8

// published is the offset of the subvectors of published value n in the Context.
func published(n int) int32 { return ctxPublished + int32(n)*4*lanes.Width }

// Publish stores a subvector of a 32-bit value, under a number, for the other subvectors; with masked, zeros for lanes
// that do not execute.
func (e *Emit) Publish(n int, v Val, masked bool) {
	l, _ := e.shape(32)
	if masked {
		t, p := e.Temp(32), e.Temp(1)
		e.loadLanes(p)
		e.And(t, v, p)
		v = t
	}
	e.vStore(vmovdqu, l, e.atSubvector(regCtx, 1, published(n)), v.Lo)
}

// PublishNone is Publish for a subvector in which no lane executes.
func (e *Emit) PublishNone(n int) {
	l, _ := e.shape(32)
	t := e.Temp(32)
	e.Const(t, 0)
	e.vStore(vmovdqu, l, e.atSubvector(regCtx, 1, published(n)), t.Lo)
}

// OfLanes sets d to the value of A in the lanes with the numbers from, for a template with Across.
func (e *Emit) OfLanes(d Val, o *Operands, from Val) {
	all := e.Temp(32)
	if e.two() { // as a table of 32 words in two vectors
		m := memAt(regCtx, published(o.Published))
		e.v2M(vmovdqu, l512, all.Lo, m)
		e.Move(d, from)
		e.v3M(vpermi2D, l512, d.Lo, all.Lo, m.plus(64))
		return
	}
	e.v3(vpcmpeqd, l256, all.Lo, all.Lo, all.Lo)
	e.v3(vpxor, l256, d.Lo, d.Lo, d.Lo)
	e.vGather(vpgatherdd, l256, d.Lo, regCtx, from.Lo, 4, published(o.Published), all.Lo)
}

// NoteAbsent sets Context.ReadsAbsent if an executing lane for which there holds reads a lane, by its number in from,
// that does not execute. It is for code for any mask.
func (e *Emit) NoteAbsent(there, from Val) {
	executes, reads := e.Temp(32), e.Temp(1)
	l, _ := e.shape(32)
	e.v2M(vpbroadcastd, l, executes.Lo, memAt(regCtx, ctxMask))
	e.ShiftRight(executes, executes, from, false)
	e.AndConst(executes, executes, 1)
	e.loadLanes(reads)
	e.And(reads, reads, there)
	absent, back := e.NewLabel(), e.NewLabel()
	e.CheckNonZero(executes, &reads, absent)
	e.seldom(absent, back, func() { e.storeImm(W32, memAt(regCtx, ctxAbsent), 1) })
	e.Bind(back)
}

// LaneNumbers sets d to the number of each lane.
func (e *Emit) LaneNumbers(d Val) {
	if e.unrolled {
		e.movImm(RCX, uint64(SubvectorLanes*e.subvector))
	} else {
		e.mov(W32, RCX, regSubvector) // four times the number of the subvector's first lane
		e.shiftImm(shr, W32, RCX, 2)
	}
	e.vFromReg(vmovd, d.Lo, RCX)
	l, _ := e.shape(32)
	e.v2(vpbroadcastd, l, d.Lo, d.Lo)
	e.v3M(vpaddd, l, d.Lo, d.Lo, e.laneNumbers(1))
}
