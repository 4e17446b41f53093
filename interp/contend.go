package interp

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Contend has engines that are made from now on stop behind accesses at which warps of
// a CTA may meet (program.Contention): Run and Issue return Yielded there, so that a
// driver can let warps take turns as short as a GPU's. Under an observer of
// synchronisation they do not: a checker of races shows most where a race does most harm.
func (g *Grid) Contend() {
	if os := ObserversOf(g.Launch.Observers); len(os.sync) == 0 {
		g.contention = g.p.Contention(g.Launch.Block, g.Launch.Params)
	}
}

// Contends reports whether there are such accesses in the launch.
func (g *Grid) Contends() bool { return g.contention != nil }

// contender is an Engine of a launch whose warps may meet, as lanes.Path.Exec sees it.
type contender Engine

// Locate implements lanes.Memory. It leaves accesses at which warps may meet to follow.
func (c *contender) Locate(pc int, m lanes.Mask) *lanes.Access {
	e := (*Engine)(c)
	switch {
	case e.mayMeet(pc):
		return nil
	case e.watcher != nil:
		return (*watched)(c).Locate(pc, m)
	}
	return (*locator)(c).Locate(pc, m)
}

// mayMeet reports whether warps may meet at the access at pc.
func (e *Engine) mayMeet(pc int) bool { return e.meets != nil && e.meets[pc] }

// meetings is what warps of a CTA have done to words of its shared memory in the interval
// between barriers that is under way. Only accesses at which warps may meet are kept.
type meetings struct {
	interval uint32 // its number; 0 before the first
	words    []meeting
	// Of the store that is under way: the words that it goes to, and what they were.
	stored []storedWord
}

// meeting is what warps have done to a word.
type meeting struct {
	interval  uint32
	readers   uint32 // by ID of warps
	writer    int32  // ID of the warp that changed it last, or -1
	read, set access // the latest load, and the store that changed it
}

// access is an instruction of one of the program's functions.
type access struct{ fn, pc int32 }

type storedWord struct{ index, was uint32 }

// nextInterval begins a new interval: accesses from now on are ordered after those before.
func (c *CTA) nextInterval() { c.meetings.interval++ }

// watchesMeetings reports whether an access is one by which results may come to depend
// on the order of warps. Programs expect strong accesses to meet others, and may order
// weak ones by them.
func (e *Engine) watchesMeetings(pc int) bool {
	if !e.mayMeet(pc) {
		return false
	}
	if in := &e.fn.Info[pc]; in.Strong || in.Polls && isa.Kind(e.fn.Ops[pc].Kind) == isa.Load {
		e.cta.nextInterval()
		return false
	}
	return isa.Space(e.acc.Space) == isa.Shared && e.acc.Region == e.cta.Shared.Number
}

// meeting is what warps have done to word i of shared memory in this interval.
func (c *CTA) meeting(i uint32) *meeting {
	if c.meetings.words == nil {
		c.meetings.words = make([]meeting, (len(c.Shared.Data)+3)/4)
		c.meetings.interval++
	}
	m := &c.meetings.words[i]
	if m.interval != c.meetings.interval {
		*m = meeting{interval: c.meetings.interval, writer: -1}
	}
	return m
}

// eachWord calls do with each word of shared memory that lanes of m access.
func (e *Engine) eachWord(m lanes.Mask, do func(i uint32)) {
	for ; m != 0; m &= m - 1 {
		at := e.acc.At(firstLane(m))
		for i := at / 4; i <= (at+e.acc.Size-1)/4; i++ {
			do(uint32(i))
		}
	}
}

// beforeMeeting looks at the access in e.acc, which the lanes of m are about to make.
func (e *Engine) beforeMeeting(pc int, kind isa.Kind, m lanes.Mask) {
	c, self := e.cta, uint32(1)<<e.warp.ID
	c.meetings.stored = c.meetings.stored[:0]
	e.eachWord(m, func(i uint32) {
		w := c.meeting(i)
		if kind == isa.Store {
			c.meetings.stored = append(c.meetings.stored, storedWord{i, e.sharedWord(i)})
			return
		}
		if w.writer >= 0 && int(w.writer) != e.warp.ID {
			e.warnOrder(pc, m, "load of what warp %d stored at %s", int(w.writer), w.set)
		}
		w.readers, w.read = w.readers|self, access{int32(e.fn.Number), int32(pc)}
	})
}

// afterMeeting looks at the access that the lanes of m have made. A store that changes
// nothing cannot be noticed; and programs order other accesses by atomics.
func (e *Engine) afterMeeting(pc int, kind isa.Kind, m lanes.Mask) {
	if kind == isa.Atomic {
		e.cta.nextInterval()
		return
	}
	c, self := e.cta, uint32(1)<<e.warp.ID
	for _, s := range c.meetings.stored {
		w := c.meeting(s.index)
		if e.sharedWord(s.index) == s.was {
			continue
		}
		if others := w.readers &^ self; others != 0 {
			e.warnOrder(pc, m, "store over what warp %d loaded at %s", bits.TrailingZeros32(others), w.read)
		}
		w.writer, w.set = int32(e.warp.ID), access{int32(e.fn.Number), int32(pc)}
	}
	c.meetings.stored = c.meetings.stored[:0]
}

// sharedWord is a word of the CTA's shared memory, whose last one may be cut off.
func (e *Engine) sharedWord(i uint32) uint32 {
	data := e.cta.Shared.Data[4*i:]
	if len(data) >= 4 {
		return binary.LittleEndian.Uint32(data)
	}
	var word [4]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint32(word[:])
}

// warnOrder warns that results may depend on the order of warps. What says what lanes do, in terms of another warp and of
// where that has made its access.
func (e *Engine) warnOrder(pc int, m lanes.Mask, what string, warp int, by access) {
	n, known := e.warned[e.fn.Src.Code[pc].Pos]
	if known && e.Stats.Warnings[n].Rule != RuleOrder {
		return
	}
	msg := ""
	if !known {
		at := e.p.Funcs[by.fn].Src.PosAt(int(by.pc))
		msg = "results may depend on the order of warps: " + fmt.Sprintf(what, warp, at) + ", with no barrier in between; --check race says more"
	}
	e.warn(pc, m, RuleOrder, msg, func() []Involved { return []Involved{involved(Affects, e.where(m))} })
}
