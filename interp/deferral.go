package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// deferred is an access to memory, or a call of the system, that takes effect at the exchange.
type deferred struct {
	op     *lanes.Op
	acc    lanes.Access
	mask   lanes.Mask
	atomic bool
	result bool   // an instruction uses the atomic's result
	more   bool   // another one of the same instruction follows
	held   uint32 // index in Engine.held of the sources of an atomic
	call   int32  // index in Engine.calls, if it is a call; or noCall
	cancel int32  // index in Engine.cancels, from 1, if it is a request to cancel CTAs; or 0
	tag    uint64
	file   *lanes.File  // of the registers that receive the result
	window *warp.Window // of the file
}

const noCall = -1

// deferral holds the operations that wait for the exchange; see Defer.
type deferral struct {
	// Ahead makes loads read memory as it was before the operations that take effect at the exchange, so that none is
	// deferred. Only instructions that are not ordered after such an operation may be executed with it.
	Ahead bool

	journal   *memory.Journal // nil if everything takes effect at once
	deferred  []deferred
	calls     []deferredCall           // calls of the system
	cancels   []cancelRequest          // requests to cancel CTAs
	held      *lanes.File              // sources of deferred atomics; see hold
	heldBytes int                      // size of held
	heldNext  int                      // offset of the next
	op        lanes.Op                 // an atomic on sources in held
	vec       [2 * lanes.MaxVec]uint32 // the slots of an atomic on a vector
	changed   bool                     // a completed access of the instruction has changed memory
	acquired  bool                     // an instruction that acquires was executed since the exchange
}

// Owned returns the memory of the sources of deferred atomics; see snapshot.Owner.
func (d *deferral) Owned() []byte {
	if d.held == nil {
		return nil
	}
	return d.held.Bytes(d.heldBytes)
}

// deferredCall is a call of the system with the site of the engine when it was issued.
type deferredCall struct {
	systemCall
	site
	split divergence.Split
}

// Defer gives the engine a journal, for launches in which several engines execute independently from one exchange to
// the next. From then on Issue does not change the machine:
//
//   - Stores to global memory wait in the journal, where the engine's loads find them. Faults are reported at once.
//   - Calls of the system and some accesses take effect at the exchange: atomics on global memory, loads that poll
//     (program.Info.Polls), loads from memory that such an atomic changes, and loads after an acquire of the engine.
//     Effect.Deferred is the number to pass to Complete.
//   - Registers that receive the results are undefined until then, and must not be read or written.
//   - A warp that has called the system must not issue an instruction until then.
//
// The caller sets the journal's Position before each instruction. Such an engine cannot Run, and cannot have
// observers of accesses that have taken effect.
func (e *Engine) Defer() *memory.Journal {
	e.journal = new(memory.Journal)
	e.checkObservers()
	return e.journal
}

// DefersLoads reports whether loads of global memory may take effect at the exchange: since the last one, an acquire
// or an atomic on global memory was issued.
func (e *Engine) DefersLoads() bool {
	return e.journal != nil && (e.acquired || e.journal.Defers())
}

// Tag attaches a tag to a deferred access or call. The number is Effect.Deferred; Complete returns the tag.
func (e *Engine) Tag(number int, tag uint64) { e.deferred[number].tag = tag }

// Discard makes a deferred atomic write no result, because nothing reads it. The number is Effect.Deferred.
func (e *Engine) Discard(number int) {
	e.deferred[number].result = false
	for ; number > 0 && e.deferred[number-1].more; number-- {
		e.deferred[number-1].result = false
	}
}

// log executes the access in e.acc, to global memory, through the journal.
func (e *Engine) log(pc int, m lanes.Mask) {
	op, file, j := e.accessOp(pc), e.path.File, e.journal
	// After an acquire, memory lacks releases of other threads since the exchange.
	polls := !e.Ahead && (e.fn.Info[pc].Polls || e.acquired)
	switch kind := isa.Kind(op.Kind); {
	case kind == isa.Store:
		op.Mem(file, op, m, j.Store(&e.acc, m))
	case kind == isa.Atomic:
		d := e.deferAccess(op, m)
		d.atomic, d.held = true, e.hold(op)
		if d.result = op.D != e.fn.Layout.Sink || op.Vec != nil && op.Vec[0] != 0; d.result {
			e.window.Late = true
		}
		j.DeferChange(e.effect.Deferred, &e.acc, m)
	case !polls && !j.Changes(&e.acc, m):
		op.Mem(file, op, m, &e.acc)
	default:
		if !polls {
			if seen, ok := j.View(&e.acc, m, e.Ahead); ok {
				op.Mem(file, op, m, seen)
				return
			}
		}
		e.deferAccess(op, m)
		e.window.Late = true
		j.Defer(e.effect.Deferred)
	}
	e.acquired = e.acquired || e.fn.Info[pc].Acquires
}

// deferAccess defers the access in e.acc.
func (e *Engine) deferAccess(op *lanes.Op, m lanes.Mask) *deferred {
	d := e.addDeferred()
	copyAccess(&d.acc, &e.acc)
	d.op, d.mask = op, m
	d.atomic, d.result, d.call = false, false, noCall
	return d
}

// addDeferred appends a deferred access of the instruction.
func (e *Engine) addDeferred() *deferred {
	if n := e.effect.Deferred; n >= 0 {
		e.deferred[n].more = true
	}
	n := len(e.deferred)
	if n == cap(e.deferred) {
		e.deferred = append(e.deferred, deferred{})
	}
	e.deferred = e.deferred[:n+1]
	e.effect.Deferred = n
	d := &e.deferred[n]
	d.more, d.tag, d.cancel, d.file, d.window = false, 0, 0, e.path.File, e.window
	return d
}

// Sources of atomics are held in one file until the exchange. It begins with the result of the atomic that is
// executed, and then has the sources of each.
const (
	heldResult = lanes.ScratchBytes
	heldFirst  = heldResult + heldEach
	heldEach   = 2 * lanes.Slot128 // two 128-bit slots, or as many words as a vector has
)

// hold keeps the sources of an atomic, because later instructions may write its registers, and returns their offset.
func (e *Engine) hold(op *lanes.Op) uint32 {
	if e.heldNext+heldEach > e.heldBytes {
		size := max(2*e.heldBytes, heldFirst+16*heldEach)
		file := lanes.NewFile(size)
		if e.held != nil {
			copy(file.Bytes(size), e.held.Bytes(e.heldBytes))
		}
		e.held, e.heldBytes, e.heldNext = file, size, max(e.heldNext, heldFirst)
	}
	at := uint32(e.heldNext)
	e.heldNext += heldEach
	if op.Vec != nil {
		for k, source := range op.Vec[lanes.MaxVec:] {
			*lanes.Reg[uint32](e.held, at+uint32(k)*lanes.Slot32) = *lanes.Reg[uint32](e.path.File, source)
		}
		return at
	}
	copySlot(e.held, at, e.path.File, op.B, e.acc.Size)
	if op.C != 0 {
		copySlot(e.held, at+lanes.Slot128, e.path.File, op.C, e.acc.Size)
	}
	return at
}

// copySlot copies a slot that holds a value of size bytes in memory.
func copySlot(to *lanes.File, toOff uint32, from *lanes.File, fromOff uint32, size uint64) {
	switch size {
	case 16:
		*lanes.Reg[uint64](to, toOff) = *lanes.Reg[uint64](from, fromOff)
		*lanes.Reg[uint64](to, toOff+lanes.Slot64) = *lanes.Reg[uint64](from, fromOff+lanes.Slot64)
	case 8:
		*lanes.Reg[uint64](to, toOff) = *lanes.Reg[uint64](from, fromOff)
	default:
		*lanes.Reg[uint32](to, toOff) = *lanes.Reg[uint32](from, fromOff)
	}
}

// deferCall defers a call of the system.
func (e *Engine) deferCall(call *systemCall) {
	d := e.addDeferred()
	d.call = int32(len(e.calls))
	e.calls = append(e.calls, deferredCall{*call, e.site, *e.split})
	e.journal.Defer(e.effect.Deferred)
}

// complete executes a deferred access or call. It reports whether an atomic has changed memory.
func (e *Engine) complete(d *deferred) (bool, error) {
	switch {
	case d.cancel != 0:
		return false, e.completeCancel(&e.cancels[d.cancel-1])
	case d.call != noCall:
		return false, e.completeCall(&e.calls[d.call])
	case !d.atomic:
		d.op.Mem(d.file, d.op, d.mask, &d.acc)
		return false, nil
	}
	if d.op.Vec != nil {
		e.completeVector(d)
		return true, nil
	}
	op := &e.op
	*op = *d.op
	op.B, op.C, op.D = d.held, d.held+lanes.Slot128, heldResult
	op.Mem(e.held, op, d.mask, &d.acc)
	switch {
	case !d.result:
	case d.acc.Size == 16:
		lanes.Select(lanes.Reg[uint64](d.file, d.op.D), lanes.Reg[uint64](e.held, heldResult), d.mask)
		lanes.Select(lanes.Reg[uint64](d.file, d.op.D+lanes.Slot64), lanes.Reg[uint64](e.held, heldResult+lanes.Slot64), d.mask)
	case d.acc.Size == 8:
		lanes.Select(lanes.Reg[uint64](d.file, d.op.D), lanes.Reg[uint64](e.held, heldResult), d.mask)
	default:
		lanes.Select(lanes.Reg[uint32](d.file, d.op.D), lanes.Reg[uint32](e.held, heldResult), d.mask)
	}
	return changed(e.held, heldResult, d.mask, &d.acc), nil
}

// completeVector executes a deferred atomic on a vector.
func (e *Engine) completeVector(d *deferred) {
	op := &e.op
	*op = *d.op
	op.Vec = &e.vec
	for k := range uint32(lanes.MaxVec) {
		op.Vec[k], op.Vec[lanes.MaxVec+k] = heldResult+k*lanes.Slot32, d.held+k*lanes.Slot32
	}
	op.Mem(e.held, op, d.mask, &d.acc)
	for k, result := range d.op.Vec[:lanes.MaxVec] {
		if d.result && result != 0 {
			lanes.Select(lanes.Reg[uint32](d.file, result), lanes.Reg[uint32](e.held, heldResult+uint32(k)*lanes.Slot32), d.mask)
		}
	}
}

func (e *Engine) completeCall(c *deferredCall) error {
	e.site = c.site
	e.site.split, e.path.File = &c.split, c.window.File
	err := e.callExternal(&c.systemCall)
	e.site = site{}
	return err
}

// ForgetDeferred discards the deferred operations, and empties the journal.
func (e *Engine) ForgetDeferred() {
	for i := range e.deferred {
		e.deferred[i].window.Late = false
	}
	clear(e.calls)
	e.deferred, e.calls, e.cancels, e.heldNext = e.deferred[:0], e.calls[:0], e.cancels[:0], min(e.heldNext, heldFirst)
	e.acquired = false
	e.journal.Empty()
}

// Complete executes the deferred access or call with a number. The Completion says whether that was the last part of
// its instruction.
func (e *Engine) Complete(number int) (done Completion, err error) {
	d := &e.deferred[number]
	wrote, err := e.complete(d)
	e.changed = e.changed || wrote
	if err != nil || d.more || d.cancel != 0 { // no register waits for a request to cancel CTAs
		return Completion{}, err
	}
	done = Completion{Last: true, Tag: d.tag, Changed: e.changed}
	e.changed = false
	return done, nil
}

// Completion is the result of Complete.
type Completion struct {
	Last    bool   // the whole instruction is complete, and its results are in the registers
	Tag     uint64 // see Engine.Tag
	Changed bool   // an atomic of the instruction has changed memory
}

// Journal returns the journal of operations that take effect at the exchange; nil without Defer.
func (e *Engine) Journal() *memory.Journal { return e.journal }

// defers reports whether the engine executes the access at pc through its journal.
func (e *Engine) defers() bool {
	return e.journal != nil && isa.Space(e.acc.Space) == isa.Global
}

// checkObservers panics if observers ask for accesses that have taken effect, which the engine defers.
func (e *Engine) checkObservers() {
	if e.journal != nil && len(e.observers.completion) > 0 {
		panic("simtrun bug: an engine with a journal cannot notify of accesses that were made")
	}
}
