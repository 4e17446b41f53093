package sm

import (
	"slices"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

// noLine is the line of machine code of an op that needs none of its own: it is taken to be in that of the op before
// it.
const noLine = 0

// instructionsPerLine is the number of machine instructions in a line of the instruction caches.
const instructionsPerLine = gpu.FetchLine / gpu.InstructionBytes

// layOut gives the machine instructions of a program addresses, function after function, in the order of the PTX:
// each op has the number of its line, from 1. It returns the number of lines.
func layOut(all []*code) (lines int32) {
	next := 0 // instruction
	place := func(ops []op) {
		for i := range ops {
			ops[i].line = int32(1 + next/instructionsPerLine)
			next++
		}
	}
	for _, c := range all {
		place(c.entry.ops)
		for pc := 0; pc < len(c.instrs); pc++ {
			if r := c.regions[pc]; r != nil {
				c.placeRegion(r, place)
				pc = r.End - 1
				continue
			}
			place(c.instrs[pc].ops)
		}
		for pc := range c.instrs {
			c.placeSkipped(pc)
		}
		next = (next + instructionsPerLine - 1) / instructionsPerLine * instructionsPerLine
	}
	return int32(next / instructionsPerLine)
}

// placeRegion gives the machine instructions of a region addresses: what is before a loop, its bodies with that of the
// most iterations first, and what is after it. Its PTX instructions, which a warp issues one by one if it must, have
// the lines of their machine instructions.
func (c *code) placeRegion(r *region, place func(ops []op)) {
	place(r.entry)
	for _, b := range slices.Backward(r.bodies) {
		for i := range b.instrs {
			in := &b.instrs[i]
			place(in.ops)
			for k := range c.instrs[in.pc].ops {
				if len(in.ops) > 0 {
					c.instrs[in.pc].ops[k].line = in.ops[0].line
				}
			}
		}
	}
	place(r.exit)
}

// placeSkipped gives the ops that the branch at pc issues of an arm that it jumps over the lines of the arm.
func (c *code) placeSkipped(pc int) {
	in, n := &c.instrs[pc], 0
	for i := pc + 1; n < len(in.skipped); i++ {
		for _, o := range c.instrs[i].ops {
			in.skipped[n].line = o.line
			n++
		}
	}
}

// stableLines is one more than the number of the last line for which a scheduler notes that its instruction cache has
// it for good, so that it is not looked up again.
const stableLines = 64

// InstructionCaches is the contents of the SMs' instruction caches between launches.
type InstructionCaches struct {
	on *gpu.Config
	// numbers of the lines before the first of each kernel that the caches may hold
	before map[*isa.Func]int32
	lines  int32 // of all of them
	stay   bool  // each scheduler's cache has room for all of them, so that none gives way
	sms    []*instructionCaches
}

// NewInstructionCaches returns empty caches for the SMs of a GPU.
func NewInstructionCaches(on *gpu.Config) *InstructionCaches {
	return &InstructionCaches{on: on, before: make(map[*isa.Func]int32), sms: make([]*instructionCaches, on.SMs)}
}

// begin prepares the caches for launches that run together. They keep what they have if it belongs to kernels that
// are launched again; another kernel empties them, as its code is loaded to where it is found.
func (all *InstructionCaches) begin(launches []*launch) {
	if slices.ContainsFunc(launches, func(l *launch) bool { _, known := all.before[l.entry()]; return !known }) {
		clear(all.before)
		clear(all.sms)
		all.lines = 0
	}
	for _, l := range launches {
		before, known := all.before[l.entry()]
		if !known {
			before = all.lines
			all.before[l.entry()] = before
			all.lines += l.lines
		}
		l.firstLine = before
	}
	all.stay = int64(all.lines)*gpu.FetchLine <= all.on.Fetch.L0
	for _, m := range all.sms {
		if m != nil {
			m.arrive()
		}
	}
}

// entry returns the function of the launch's kernel.
func (l *launch) entry() *isa.Func { return l.codes[0].fn.Src }

// of returns the caches of an SM.
func (all *InstructionCaches) of(sm int) *instructionCaches {
	if all.sms[sm] == nil {
		on := &all.on.Fetch
		m := &instructionCaches{l1: newLineCache(on.L1), l0: make([]lineCache, all.on.Schedulers)}
		for i := range m.l0 {
			m.l0[i] = newLineCache(on.L0)
		}
		if int64(all.lines)*gpu.FetchLine > on.L1 {
			m.l15 = newLineCache(on.L15)
		}
		all.sms[sm] = m
	}
	return all.sms[sm]
}

// instructionCaches are the instruction caches of an SM.
type instructionCaches struct {
	l0      []lineCache // by scheduler
	l1, l15 lineCache
	free15  int64 // from this cycle on another line can come from l15
	free    int64 // from this cycle on another line can come from outside the SM
}

// arrive makes all lines present, also those that were on the way in an earlier session, which had a time of its own.
func (m *instructionCaches) arrive() {
	m.free15, m.free = 0, 0
	for i := range m.l0 {
		clear(m.l0[i].ready)
	}
	clear(m.l1.ready)
	clear(m.l15.ready)
}

// isSupplied reports whether the warp in x, which could issue at t otherwise, has its next op, and the constant
// that this loads to a uniform register. If not, it goes back into the wheel, in the state in which it has waited
// longest.
func (m *multiprocessor) isSupplied(x *slot, t int64) bool {
	ready, state := t, NoInstruction
	if x.op.line != noLine && x.op.line != x.line {
		if x.line = x.op.line; m.gpu.Fetch.L0 > 0 {
			ready = m.fetch(x, t)
		}
		if ready <= t && x.line < stableLines && m.options.Instructions.stay {
			*x.stable |= 1 << x.line
		}
	}
	if ready <= t && x.op.constant != noConstant {
		// A load to registers asks for its line, too, but only the reader of its result waits.
		if there := m.launchConstant(x.share, x.op, t); x.op.class == isa.CostUniformConstant {
			if ready, state = there, IMCMiss; there > t {
				x.replays = m.gpu.Constants.Replays
			}
		}
	}
	if ready <= t {
		return true
	}
	if ready-t < t-(x.issuedAt+1) {
		state = x.wake.state()
	}
	x.scheduler.place(x, at(ready, state), t)
	return false
}

// fetch returns from which cycle on the scheduler of the warp in x has the line of its next op, which needs it at t. It
// also fetches lines ahead when a line is used first.
func (m *multiprocessor) fetch(x *slot, t int64) int64 {
	if m.instructions == nil {
		m.instructions = m.options.Instructions.of(m.id)
	}
	l, on, l0 := x.cta.launch, &m.gpu.Fetch, &m.instructions.l0[x.place]
	line := l.firstLine + x.op.line
	i := l0.find(line)
	if i >= 0 && !l0.ahead[i] {
		return l0.ready[i]
	}
	var ready int64
	if i >= 0 {
		ready = l0.ready[i]
		l0.ahead[i] = false
	} else {
		ready = m.bring(l, l0, line, t)
		l0.insert(line, ready, false)
	}
	for next := line + 1; next <= min(line+int32(on.Ahead), l.firstLine+l.lines); next++ {
		if l0.find(next) < 0 {
			l0.insert(next, m.bring(l, l0, next, t), true)
		}
	}
	return ready
}

// bring returns when a line arrives that a scheduler asks for at t and does not have, and puts it into the SM's
// caches.
func (m *multiprocessor) bring(l *launch, l0 *lineCache, line int32, t int64) (ready int64) {
	on, caches := &m.gpu.Fetch, m.instructions
	if m.options.WarmCode && l0.hasRoom(line) {
		return t
	}
	if i := caches.l1.find(line); i >= 0 {
		return max(t+int64(on.L1Latency), caches.l1.ready[i])
	}
	latency := int64(on.Latency)
	if of := &m.of[l.index]; !of.fetched {
		latency, of.fetched = int64(on.First), true
	}
	switch i := caches.l15.find(line); {
	case i >= 0:
		ready = max(t+int64(on.L15Latency), caches.l15.ready[i], caches.free15)
		caches.free15 = ready + int64(on.L15Interval)
	case m.options.WarmCode && caches.l1.hasRoom(line):
		ready = t + int64(on.L1Latency)
	case m.options.WarmCode && caches.l15.hasRoom(line):
		ready = t + int64(on.L15Latency)
	default:
		ready = max(t+latency, caches.free)
		caches.free = ready + int64(on.Interval)
	}
	caches.l1.insert(line, ready, false)
	if caches.l15.find(line) < 0 {
		caches.l15.insert(line, ready, false)
	}
	return ready
}

// lineCache is an instruction cache: lines by number, in sets of which the least recently used line gives way. The
// zero lineCache has no room.
type lineCache struct {
	sets  int32
	mask  int32   // of the set in a line's number, if sets is a power of two; otherwise -1
	lines []int32 // by set and way, most recently used first; 0 for none
	ready []int64 // from which cycle on they are there
	ahead []bool  // that the line was fetched ahead, and has not been used
}

// ways is the number of lines in a set of an instruction cache.
const ways = 4

func newLineCache(bytes int64) lineCache {
	sets := int32(bytes / gpu.FetchLine / ways)
	n, mask := sets*ways, int32(-1)
	if sets&(sets-1) == 0 {
		mask = sets - 1
	}
	return lineCache{sets, mask, make([]int32, n), make([]int64, n), make([]bool, n)}
}

// firstOf returns the index of the first way of a line's set.
func (c *lineCache) firstOf(line int32) int {
	if c.mask >= 0 {
		return int(line&c.mask) * ways
	}
	return int(line%c.sets) * ways
}

// find returns the index of a line, which is now the first of its set; -1 if it is not there.
func (c *lineCache) find(line int32) int {
	if c.sets == 0 {
		return -1
	}
	first := c.firstOf(line)
	if c.lines[first] == line {
		return first
	}
	for i := first + 1; i < first+ways; i++ {
		if c.lines[i] == line {
			c.moveUp(first, i)
			return first
		}
	}
	return -1
}

// moveUp makes the line at index i the first of its set, which begins at index first.
func (c *lineCache) moveUp(first, i int) {
	if i == first {
		return
	}
	line, ready, ahead := c.lines[i], c.ready[i], c.ahead[i]
	copy(c.lines[first+1:i+1], c.lines[first:i])
	copy(c.ready[first+1:i+1], c.ready[first:i])
	copy(c.ahead[first+1:i+1], c.ahead[first:i])
	c.lines[first], c.ready[first], c.ahead[first] = line, ready, ahead
}

// hasRoom reports whether a set has never been full.
func (c *lineCache) hasRoom(line int32) bool {
	return c.sets > 0 && c.lines[c.firstOf(line)+ways-1] == 0
}

// insert puts a line that is not there in place of the least recently used line of its set.
func (c *lineCache) insert(line int32, ready int64, ahead bool) {
	if c.sets == 0 {
		return
	}
	first := c.firstOf(line)
	last := first + ways - 1
	c.lines[last], c.ready[last], c.ahead[last] = line, ready, ahead
	c.moveUp(first, last)
}
