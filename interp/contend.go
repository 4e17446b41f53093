package interp

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
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

// Contention is where warps may meet, for Yield; nil where they do not.
func (g *Grid) Contention() *program.Contention { return g.contention }

// Yield says at which accesses the engine stops, and engines that are made from now on; nil for none.
func (e *Engine) Yield(at *program.Contention) {
	if g := e.grid; g.contention != at {
		g.contention = at
		e.fn, e.window, e.native.ctx = nil, nil, nil
		e.Observe(e.observers)
	}
}

// Met reports whether warps of a CTA that the engine has executed have met.
func (e *Engine) Met() bool { return e.met }

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
	interval uint32    // its number; 0 before the first
	words    []meeting // nil before the first access
	at       []uint32  // the words of the access that is under way
	was      []uint32  // what they held before a store
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

// enterMeetings finds the words to which the lanes of m go by the access in e.acc.
func (e *Engine) enterMeetings(m lanes.Mask) {
	k := &e.cta.meetings
	if k.words == nil {
		k.words = make([]meeting, (len(e.cta.Shared.Data)+3)/4)
		k.interval++
	}
	k.at, k.was = k.at[:0], k.was[:0]
	for ; m != 0; m &= m - 1 {
		at := e.acc.At(firstLane(m))
		for i := at / 4; i <= (at+e.acc.Size-1)/4; i++ {
			k.at = append(k.at, uint32(i))
		}
	}
	for _, i := range k.at {
		if w := &k.words[i]; w.interval != k.interval {
			*w = meeting{interval: k.interval, writer: -1}
		}
	}
}

// beforeMeeting looks at the access in e.acc, which the lanes of m are about to make.
func (e *Engine) beforeMeeting(pc int, kind isa.Kind, m lanes.Mask) {
	e.enterMeetings(m)
	k, self := &e.cta.meetings, int32(e.warp.ID)
	for _, i := range k.at {
		w := &k.words[i]
		if kind == isa.Store {
			k.was = append(k.was, e.sharedWord(i))
			continue
		}
		if w.writer >= 0 && w.writer != self {
			e.warnOrder(pc, m, "load of what warp %d stored at %s", int(w.writer), w.set)
		}
		w.readers, w.read = w.readers|1<<self, access{int32(e.fn.Number), int32(pc)}
	}
}

// afterMeeting looks at the access that the lanes of m have made. A store that changes
// nothing cannot be noticed; and programs order other accesses by atomics.
func (e *Engine) afterMeeting(pc int, kind isa.Kind, m lanes.Mask) {
	if kind == isa.Atomic {
		e.cta.nextInterval()
	}
	k, self := &e.cta.meetings, int32(e.warp.ID)
	for n, was := range k.was {
		w := &k.words[k.at[n]]
		if e.sharedWord(k.at[n]) == was {
			continue
		}
		if others := w.readers &^ (1 << self); others != 0 {
			e.warnOrder(pc, m, "store over what warp %d loaded at %s", bits.TrailingZeros32(others), w.read)
		}
		w.writer, w.set = self, access{int32(e.fn.Number), int32(pc)}
	}
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
	e.met = true
	msg := ""
	if _, known := e.warned[warningKey{pos: e.fn.Src.Code[pc].Pos, rule: RuleOrder}]; !known {
		at := e.p.Funcs[by.fn].Src.PosAt(int(by.pc))
		msg = "results may depend on the order of warps: " + fmt.Sprintf(what, warp, at) + ", with no barrier in between; --check race says more"
	}
	e.warn(pc, m, RuleOrder, msg, func() []Involved { return []Involved{involved(Affects, e.where(m))} })
}
