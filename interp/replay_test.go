package interp_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm/exchange"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// A random program is straight-line code of accesses to a small buffer, by all threads at colliding places, with
// arithmetic between them. It is executed on SMs that exchange their accesses at the end of a window, and
// independently, thread by thread and byte by byte, by replay.

const (
	replayRegs  = 8    // of 32 and of 64 bits each
	replayBytes = 2048 // of the buffer that programs access
	replaySMs   = 3
	replayCTAs  = 6
	replayBlock = 50 // threads: the last warp is not full
)

// replayOp is an instruction of a random program.
type replayOp struct {
	kind     isa.Kind // Load, Store, Atomic, or Compute for registers alone
	name     string   // of the atomic operation
	polls    bool
	acquires bool // of other CTAs' releases; set by text
	reduces  bool // without a result
	signed   bool
	bits     int
	vec      int
	mul, add uint32 // the thread's element is mul*thread+add
	own      bool   // the thread's place is byte add of its own part after the buffer
	guard    int    // bit of the thread's number for which it executes; negative for none
	d, b, c  int    // registers, the first of vectors
	imm      uint32
}

func (o *replayOp) size() int { return o.bits / 8 * o.vec }

// writes and reads return registers, by their numbers; those of 64 bits follow the others.
func (o *replayOp) writes() []int {
	if o.kind == isa.Store || o.reduces {
		return nil
	}
	return o.regs(o.d, o.vec)
}

func (o *replayOp) reads() []int {
	switch {
	case o.kind == isa.Load:
		return nil
	case o.kind == isa.Store:
		return o.regs(o.b, o.vec)
	case o.name == "cas":
		return append(o.regs(o.b, 1), o.regs(o.c, 1)...)
	}
	return o.regs(o.b, 1)
}

func (o *replayOp) regs(first, n int) (all []int) {
	if o.bits == 64 {
		first += replayRegs
	}
	for i := range n {
		all = append(all, first+i)
	}
	return all
}

// reg is the name of a register.
func (o *replayOp) reg(n int) string {
	if o.bits == 64 {
		return fmt.Sprintf("%%rd%d", 10+n)
	}
	return fmt.Sprintf("%%r%d", 10+n)
}

func (o *replayOp) vector(first int) string {
	if o.vec == 1 {
		return o.reg(first)
	}
	var regs []string
	for i := range o.vec {
		regs = append(regs, o.reg(first+i))
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

func choose[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

// newReplayOp returns a random instruction. With plain loads, which see what the SM knows, the results of a program
// depend on the window.
func newReplayOp(rnd *rand.Rand, plainLoads bool) (o replayOp) {
	o.vec, o.bits, o.guard = 1, choose(rnd, 32, 32, 64), -1
	o.mul, o.add, o.imm = choose[uint32](rnd, 0, 1, 1, 1, 3, rnd.Uint32()), rnd.Uint32()%64, rnd.Uint32()%100
	if rnd.IntN(3) == 0 {
		o.guard = rnd.IntN(6)
	}
	switch rnd.IntN(6) {
	case 0, 1:
		o.kind, o.guard = isa.Compute, -1
	case 2:
		o.kind = isa.Atomic
		o.name = choose(rnd, "add", "exch", "cas", "min", "max", "and", "or", "xor")
		o.reduces = rnd.IntN(2) == 0 && o.name != "exch" && o.name != "cas"
	default:
		o.kind = choose(rnd, isa.Load, isa.Store)
		o.polls = o.kind == isa.Load && (!plainLoads || rnd.IntN(3) == 0)
		o.bits = choose(rnd, 8, 16, 32, 32, 64)
		o.vec = choose(rnd, 1, 1, 2, 4)
		o.signed = o.kind == isa.Load && rnd.IntN(3) == 0
	}
	o.d, o.b, o.c = rnd.IntN(replayRegs+1-o.vec), rnd.IntN(replayRegs+1-o.vec), rnd.IntN(replayRegs)
	return o
}

// text returns the instruction in PTX; [%rd3] is its place.
func (o *replayOp) text(rnd *rand.Rand) string {
	guard, vec, typ := "", "", "u"
	if o.guard >= 0 {
		guard = fmt.Sprintf("@%%p%d ", o.guard)
	}
	if o.vec > 1 {
		vec = fmt.Sprintf(".v%d", o.vec)
	}
	if o.signed {
		typ = "s"
	}
	space := choose(rnd, ".global", "")
	switch o.kind {
	case isa.Compute:
		return fmt.Sprintf("mad.lo.u%d %s, %s, 5, %d;", o.bits, o.reg(o.d), o.reg(o.b), o.imm)
	case isa.Load:
		order := choose(rnd, "", "", ".weak")
		if o.polls {
			order = choose(rnd, ".volatile", ".relaxed.gpu", ".acquire.cta", ".acquire.sys")
		}
		o.acquires = order == ".acquire.sys"
		return fmt.Sprintf("%sld%s%s%s.%s%d %s, [%%rd3];", guard, order, space, vec, typ, o.bits, o.vector(o.d))
	case isa.Store:
		order := choose(rnd, "", "", ".volatile", ".relaxed.cta", ".release.gpu")
		return fmt.Sprintf("%sst%s%s%s.u%d [%%rd3], %s;", guard, order, space, vec, o.bits, o.vector(o.b))
	}
	typ = map[string]string{"add": "u", "min": "u", "max": "u"}[o.name]
	if typ == "" {
		typ = "b"
	}
	operands := o.reg(o.b)
	if o.name == "cas" {
		operands += ", " + o.reg(o.c)
	}
	if o.reduces {
		return fmt.Sprintf("%sred%s.%s.%s%d [%%rd3], %s;", guard, space, o.name, typ, o.bits, operands)
	}
	order := choose(rnd, "", "", ".acq_rel.cta", ".acq_rel.gpu")
	o.acquires = order == ".acq_rel.gpu"
	return fmt.Sprintf("%satom%s%s.%s.%s%d %s, [%%rd3], %s;", guard, order, space, o.name, typ, o.bits, o.reg(o.d), operands)
}

// newReplayProgram returns a random program, and its instructions by PC. At the end each thread stores its registers
// after the buffer.
func newReplayProgram(rnd *rand.Rand, plainLoads bool) (src string, ops map[int]*replayOp) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("ld.param.u64 %%rd1, [out];")
	add("mov.u32 %%r2, %%ctaid.x;")
	add("mov.u32 %%r3, %%tid.x;")
	add("mad.lo.u32 %%r1, %%r2, %d, %%r3;", replayBlock)
	for i := range replayRegs {
		add("mad.lo.u32 %%r%d, %%r1, %d, %d;", 10+i, 7919*(i+1), i)
		add("mul.wide.u32 %%rd%d, %%r1, %d;", 10+i, 104729*(i+1))
	}
	for bit := range 6 {
		add("and.b32 %%r2, %%r1, %d;", 1<<bit)
		add("setp.ne.u32 %%p%d, %%r2, 0;", bit)
	}
	ops = make(map[int]*replayOp)
	for range 40 {
		o := newReplayOp(rnd, plainLoads)
		if o.kind != isa.Compute {
			add("mad.lo.u32 %%r2, %%r1, %d, %d;", o.mul, o.add)
			add("and.b32 %%r2, %%r2, %d;", replayBytes/o.size()-1)
			add("mul.wide.u32 %%rd2, %%r2, %d;", o.size())
			add("add.u64 %%rd3, %%rd1, %%rd2;")
		}
		ops[len(lines)] = &o
		add("%s", o.text(rnd))
	}
	add("mul.wide.u32 %%rd2, %%r1, %d;", 12*replayRegs)
	add("add.u64 %%rd3, %%rd1, %%rd2;")
	for n := range 2 * replayRegs {
		o := &replayOp{kind: isa.Store, bits: 32, vec: 1, guard: -1, own: true, b: n % replayRegs, add: uint32(8*replayRegs + 4*n)}
		if n >= replayRegs {
			o.bits, o.add = 64, uint32(8*(n-replayRegs))
		}
		ops[len(lines)] = o
		add("st.global.u%d [%%rd3+%d], %s;", o.bits, replayBytes+o.add, o.reg(o.b))
	}
	add("ret;")
	return kerneltest.Entry + strings.Join(lines, "\n") + "\n}", ops
}

// replay is the state of a random program in execution: on SMs, and by replay.
type replay struct {
	t        *testing.T
	ops      map[int]*replayOp
	base     uint64
	engines  []*interp.Engine
	sms      [replaySMs][]*replayWarp
	memory   []byte // by replay
	threads  [replayCTAs * replayBlock][2 * replayRegs]uint64
	events   [replaySMs][]event // since the exchange
	notified int                // deferred accesses that are not completed yet
	put      int                // plain loads that were deferred
}

type replayWarp struct {
	cta   *interp.CTA
	state *warp.State
	split divergence.Split
	ready [2 * replayRegs]int64 // by register: the cycle from which on it can be used
}

// event is an access of a warp that waits for the exchange.
type event struct {
	cycle   int64
	sm, seq int
	op      *replayOp
	lanes   []lane
}

// lane is a thread's part in an event.
type lane struct {
	thread int
	at     int // in the buffer
	bytes  []byte
	b, c   uint64
}

// TestWindowsMatchReplay runs random programs with several windows, and compares them with a replay.
func TestWindowsMatchReplay(t *testing.T) {
	seeds, tried, put := 150, 0, 0
	if testing.Short() {
		seeds = 30
	}
	for seed := range uint64(seeds) {
		if short.Waits(int(seed), 6) {
			continue
		}
		tried++
		plainLoads := seed%2 == 0
		src, ops := newReplayProgram(rand.New(rand.NewPCG(seed, 1)), plainLoads)
		var first []byte
		for _, window := range []int64{1, 50, 255} {
			left, late := runReplay(t, src, ops, seed, window)
			if t.Failed() {
				t.Fatalf("seed %d, window %d:\n%s", seed, window, src)
			}
			put += late
			if first == nil {
				first = left
			}
			if !plainLoads && !bytes.Equal(left, first) {
				t.Fatalf("seed %d: windows of 1 and of %d cycles leave different memory:\n%s", seed, window, src)
			}
		}
	}
	if put < tried {
		t.Errorf("only %d plain loads read what is made at the exchange", put)
	}
}

// runReplay runs a program, and returns its final memory.
func runReplay(t *testing.T, src string, ops map[int]*replayOp, seed uint64, window int64) (left []byte, put int) {
	size := replayBytes + replayCTAs*replayBlock*12*replayRegs
	g, out := grid(t, interp.Config{}, src, kerneltest.Dim(replayCTAs, 1), kerneltest.Dim(replayBlock, 1), size/4)
	r := &replay{t: t, ops: ops, base: out.Base, engines: g.NewEngines(replaySMs, replayCTAs), memory: make([]byte, size)}
	for i := range r.threads {
		for n := range uint64(replayRegs) {
			r.threads[i][n] = uint64(uint32(i)*7919*uint32(n+1) + uint32(n))
			r.threads[i][replayRegs+n] = uint64(i) * 104729 * (n + 1)
		}
	}
	var journals []*int64
	var rnds []*rand.Rand
	for sm, e := range r.engines {
		journals = append(journals, &e.Defer().Position)
		rnds = append(rnds, rand.New(rand.NewPCG(seed, uint64(sm))))
	}
	for i := range replayCTAs {
		c, err := g.NewCTA()
		if err != nil {
			t.Fatal(err)
		}
		sm := i % replaySMs
		r.engines[sm].Start(c, g.Launch.Grid.At(int64(i)))
		for _, w := range c.Warps {
			r.sms[sm] = append(r.sms[sm], &replayWarp{cta: c, state: w})
		}
	}
	var x exchange.Exchange
	for now := int64(0); r.live(); now++ {
		for sm := range r.sms {
			*journals[sm] = now
			r.issue(sm, r.sms[sm][rnds[sm].IntN(len(r.sms[sm]))], now)
		}
		if (now+1)%window != 0 {
			continue
		}
		if _, err := x.Apply(r.engines, exchange.Ever, r); err != nil {
			t.Fatal(err)
		}
		r.exchange()
		if r.notified != 0 || !bytes.Equal(out.Data, r.memory) {
			t.Errorf("cycle %d: memory is not what the replay has, or of what was deferred %d are not done", now, r.notified)
			return nil, 0
		}
	}
	if _, err := x.Apply(r.engines, exchange.Ever, r); err != nil {
		t.Fatal(err)
	}
	r.exchange()
	if !bytes.Equal(out.Data, r.memory) {
		t.Error("registers are not what the replay has")
	}
	return out.Data, r.put
}

func (r *replay) live() bool {
	for _, warps := range r.sms {
		for _, w := range warps {
			if w.state.Live != 0 {
				return true
			}
		}
	}
	return false
}

// Completed implements exchange.Completer.
func (r *replay) Completed(sm int, tag uint64, changed bool) {
	if tag != uint64(sm)+100 {
		r.t.Errorf("SM %d: tag %d", sm, tag)
	}
	r.notified--
}

// issue issues the next instruction of a warp, if its registers are ready.
func (r *replay) issue(sm int, w *replayWarp, now int64) {
	if w.state.Live == 0 {
		return
	}
	w.state.Control.Ready(0, &w.split)
	o := r.ops[w.split.PC]
	if o != nil {
		for _, n := range append(o.reads(), o.writes()...) {
			if now < w.ready[n] {
				return
			}
		}
	}
	mask := w.split.Mask
	var effect interp.Effect
	why, err := r.engines[sm].Issue(w.cta, w.state, &w.split, &effect)
	if err != nil {
		r.t.Fatal(err)
	}
	if why == interp.Executed {
		w.state.Control.Advance(w.split.ID, w.split.PC)
	}
	defers := o != nil && r.execute(sm, w, o, mask, now)
	if defers != (effect.Deferred >= 0) {
		r.t.Errorf("cycle %d, SM %d, PC %d: deferred %v, want %v", now, sm, effect.PC, effect.Deferred >= 0, defers)
	}
	if effect.Deferred >= 0 {
		r.engines[sm].Tag(effect.Deferred, uint64(sm)+100)
		r.notified++
		for _, n := range o.writes() {
			w.ready[n] = now + lag
		}
	}
}

// execute executes an instruction by replay, except for the part at the exchange. It reports whether it is deferred.
func (r *replay) execute(sm int, w *replayWarp, o *replayOp, mask lanes.Mask, now int64) (defers bool) {
	e := event{cycle: now, sm: sm, seq: len(r.events[sm]), op: o}
	for i := range lanes.Width {
		if mask>>i&1 == 0 {
			continue
		}
		thread := int(w.cta.At.X)*replayBlock + w.state.ID*lanes.Width + i
		if o.guard >= 0 && thread>>o.guard&1 == 0 {
			continue
		}
		regs := &r.threads[thread]
		l := lane{thread: thread}
		if reads := o.reads(); len(reads) > 0 {
			l.b, l.c = regs[reads[0]], regs[reads[len(reads)-1]]
		}
		if o.kind == isa.Compute {
			v := l.b*5 + uint64(o.imm)
			if o.bits == 32 {
				v = uint64(uint32(v))
			}
			regs[o.writes()[0]] = v
			continue
		}
		l.at = int((uint32(thread)*o.mul + o.add) % uint32(replayBytes/o.size()) * uint32(o.size()))
		if o.own {
			l.at = replayBytes + thread*12*replayRegs + int(o.add)
		}
		if o.kind == isa.Store {
			for _, n := range o.reads() {
				word := binary.LittleEndian.AppendUint64(nil, regs[n])
				l.bytes = append(l.bytes, word[:o.bits/8]...)
			}
		}
		e.lanes = append(e.lanes, l)
	}
	switch {
	case len(e.lanes) == 0:
		return false
	case o.kind == isa.Load && !o.polls && !r.dependsOnExchange(&e):
		for i := range e.lanes {
			l := &e.lanes[i]
			r.load(o, l, r.seen(sm, l.at, o.size()))
		}
		return false
	case o.kind == isa.Load && !o.polls:
		r.put++
	}
	r.events[sm] = append(r.events[sm], e)
	return o.kind != isa.Store
}

// dependsOnExchange reports whether a load of the SM reads bytes that a deferred atomic of the SM changes, or follows
// an acquire of the SM.
func (r *replay) dependsOnExchange(e *event) bool {
	for i := range r.events[e.sm] {
		before := &r.events[e.sm][i]
		if before.op.acquires {
			return true
		}
		if before.op.kind != isa.Atomic {
			continue
		}
		for _, l := range before.lanes {
			for _, own := range e.lanes {
				if l.at < own.at+e.op.size() && own.at < l.at+before.op.size() {
					return true
				}
			}
		}
	}
	return false
}

// seen returns the memory at a place as an SM sees it: with its own stores.
func (r *replay) seen(sm, at, size int) []byte {
	b := slices.Clone(r.memory[at : at+size])
	for i := range r.events[sm] {
		for _, l := range r.events[sm][i].lanes {
			for k, v := range l.bytes {
				if p := l.at + k - at; p >= 0 && p < size {
					b[p] = v
				}
			}
		}
	}
	return b
}

// load writes loaded bytes to a thread's registers.
func (r *replay) load(o *replayOp, l *lane, b []byte) {
	for k, n := range o.writes() {
		var word [8]byte
		copy(word[:], b[k*o.bits/8:][:o.bits/8])
		v := binary.LittleEndian.Uint64(word[:])
		if o.signed && o.bits < 32 {
			v = uint64(uint32(int32(uint32(v)<<(32-o.bits)) >> (32 - o.bits)))
		}
		r.threads[l.thread][n] = v
	}
}

// exchange replays the accesses of all SMs since the previous exchange.
func (r *replay) exchange() {
	var all []event
	for sm := range r.events {
		all = append(all, r.events[sm]...)
		r.events[sm] = nil
	}
	slices.SortFunc(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.sm, b.sm), cmp.Compare(a.seq, b.seq))
	})
	for i := range all {
		e := &all[i]
		for k := range e.lanes {
			r.apply(e.op, &e.lanes[k])
		}
	}
}

func (r *replay) apply(o *replayOp, l *lane) {
	at := r.memory[l.at:]
	switch o.kind {
	case isa.Store:
		copy(at, l.bytes)
		return
	case isa.Load:
		r.load(o, l, at[:o.size()])
		return
	}
	var word [8]byte
	copy(word[:], at[:o.bits/8])
	old := binary.LittleEndian.Uint64(word[:])
	b, c, v := l.b, l.c, uint64(0)
	switch o.name {
	case "add":
		v = old + b
	case "exch":
		v = b
	case "cas":
		if v = old; old == b {
			v = c
		}
	case "min":
		v = min(old, b)
	case "max":
		v = max(old, b)
	case "and":
		v = old & b
	case "or":
		v = old | b
	case "xor":
		v = old ^ b
	}
	binary.LittleEndian.PutUint64(word[:], v)
	copy(at, word[:o.bits/8])
	for _, n := range o.writes() {
		r.threads[l.thread][n] = old
	}
}
