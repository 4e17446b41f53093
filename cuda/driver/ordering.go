package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/ordering"
	"github.com/simtrun/simtrun/interp"
)

// orders is the check of races between the work of streams, of graphs and of the host. All threads of the host count as
// one, because the driver does not see how they wait for each other. The nil pointer checks nothing.
type orders struct {
	all     ordering.Order
	shadow  *ordering.Shadow
	host    ordering.Clock // work for which the host has waited
	current *ordering.Op   // the work being done; nil for none
	streams map[*stream]bool
	numbers int // of streams
	pending []*pendingCopy
	kept    uint64           // bytes of late copies
	hosts   map[callers]bool // calls with a copy that hostRace has reported
}

// work describes an operation, for messages.
type work struct {
	s    *stream
	what string  // such as "kernel k"
	at   callers // the call of the driver
	// staged says that the host may go on before the work is done, although its call waits for other work.
	staged bool
	node   bool // it is a node of a graph
}

// ordered is the part of a stream or an executable graph that has its order.
type ordered struct {
	line   ordering.Timeline
	lined  bool           // line is set
	done   ordering.Clock // the work before the next operation
	number int            // of a stream, from 1
}

func newOrders() *orders {
	return &orders{shadow: ordering.NewShadow(), streams: make(map[*stream]bool), hosts: make(map[callers]bool)}
}

// kindNames are the names of work by the kind of node; kernels have their own.
var kindNames = map[C.int]string{C.CU_GRAPH_NODE_TYPE_MEMCPY: "copy", C.CU_GRAPH_NODE_TYPE_MEMSET: "fill", C.CU_GRAPH_NODE_TYPE_GRAPH: "graph", C.CU_GRAPH_NODE_TYPE_HOST: "host function",
	C.CU_GRAPH_NODE_TYPE_MEM_ALLOC: "allocation", C.CU_GRAPH_NODE_TYPE_MEM_FREE: "free", C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: "value"}

// next returns the operation of the next work of a stream, with the work before it: earlier work of the stream, work
// for which the host has waited, and for the default stream the work of all blocking streams, which also wait for it
// (CUDA Driver API, stream synchronization behavior).
func (o *orders) next(s *stream, kind C.int) *ordering.Op {
	if o == nil {
		return nil
	}
	o.enlist(s)
	after := []ordering.Clock{s.done, o.host}
	for t := range o.streams {
		if t != s && t.orders(s) {
			after = append(after, t.done)
		}
	}
	op := o.all.Next(s.line, &work{s: s, what: kindNames[kind], at: callersNow()}, after...)
	s.done = op.After
	return op
}

// enlist gives a stream its timeline.
func (o *orders) enlist(s *stream) {
	if !s.lined {
		o.streams[s] = true
		s.line, s.lined = o.all.Begin(), true
		if s.ctx == nil || s != &s.ctx.null {
			o.numbers++
			s.number = o.numbers
		}
	}
}

// leave ends the timeline of a stream that is destroyed. Its work goes on.
func (o *orders) leave(s *stream) {
	if o != nil && s.lined {
		delete(o.streams, s)
		o.all.End(s.line, o.host)
	}
}

// resumes notes that deferred work begins. It may have waited for a value that the program or any other work has
// written.
func (o *orders) resumes(d *deferred) {
	if o == nil || d.op == nil {
		return
	}
	d.op.Join(o.host)
	if d.kind == C.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP {
		d.op.Join(o.all.All())
	}
}

// valueOp says that the current work writes a value, or has found one for which it waits. Streams, kernels and the host
// can wait for such values, which orders them in ways that are not looked at: it comes after all other work.
func (o *orders) valueOp() {
	if o != nil && o.current != nil {
		o.current.Join(o.all.All())
		o.finish(o.current.After)
	}
}

// during does the work of an operation.
func (o *orders) during(op *ordering.Op, run func() result) result {
	if o == nil || op == nil {
		return run()
	}
	before := o.current
	o.current = op
	defer func() {
		o.current = before
		o.report()
	}()
	return run()
}

// joined orders the work of a clock before later work of a stream.
func (o *orders) joined(s *stream, c ordering.Clock) {
	if o != nil {
		o.enlist(s)
		s.done = s.done.Joined(c)
	}
}

// waited records that the host has waited for the work of a clock.
func (o *orders) waited(c ordering.Clock) {
	if o != nil {
		o.host = o.host.Joined(c)
		o.finish(o.host)
		o.report()
	}
}

// hostCalled calls a function of the program, in the order of the current work. Other threads may learn from it that
// the work before it is done, in a way that the driver does not see.
func (o *orders) hostCalled(f func()) {
	if o == nil || o.current == nil {
		unlocked(f)
		return
	}
	op := o.current
	o.finish(op.After)
	unlocked(f)
	o.waited(op.After)
}

// waitedFor records that the host has waited for a stream: the default stream waits for all blocking streams.
func (o *orders) waitedFor(s *stream) {
	if o == nil {
		return
	}
	c := s.done
	for t := range o.streams {
		if s == &s.ctx.null && t.orders(s) {
			c = c.Joined(t.done)
		}
	}
	o.waited(c)
}

// waitedForAll records that the host has waited for all work.
func (o *orders) waitedForAll() {
	if o != nil {
		o.waited(o.all.All())
	}
}

// stream names the stream of work.
func (w *work) stream() string {
	switch {
	case w.s == &w.s.ctx.null:
		return "the default stream"
	case w.s.perThread:
		return "the default stream of a thread"
	}
	return fmt.Sprintf("stream %d", w.s.number)
}

// isKernel says that the current work is a launch, and returns the function that observes its accesses; nil if nothing
// is checked.
func (o *orders) isKernel(name string, seen **ordering.Launch) func(*interp.Machine, *interp.Launch) error {
	if o == nil || o.current == nil {
		return nil
	}
	op := o.current
	op.What.(*work).what = "kernel " + cxx.Short(name)
	return func(m *interp.Machine, l *interp.Launch) (err error) {
		*seen, err = o.shadow.Attach(op, m, l)
		return err
	}
}

// accessed records an access of the current work to n bytes from an address on.
func (o *orders) accessed(addr, n uint64, writes bool) {
	if o.current == nil || n == 0 {
		return
	}
	o.shadow.Trim()
	o.shadow.Access(o.shadow.New(o.current, o.current.What.(*work).at, writes, false), addr, n)
}

// moved records that the current work copies bytes, or sets them if from is nil. Memory that is neither allocated nor
// registered is not looked at.
func (o *orders) moved(to, from []byte) {
	if o == nil {
		return
	}
	if addr, ok := o.addressOf(from); ok {
		o.accessed(addr, uint64(len(from)), false)
	}
	if addr, ok := o.addressOf(to); ok {
		o.accessed(addr, uint64(len(to)), true)
	}
}

// filled records that the current work sets n bytes from an address on.
func (o *orders) filled(addr, n uint64) {
	if o != nil {
		o.accessed(addr, n, true)
	}
}

// memoryKind is where memory is, as far as the order of copies depends on it.
type memoryKind uint8

const (
	onGPU      memoryKind = iota // also managed memory
	pageLocked                   // of the host
	pageable                     // of the host: the driver does not know it
)

// kindAt returns where the memory at an address is that may be of the host.
func (d *device) kindAt(addr uint64) memoryKind {
	if a := d.find(addr); a != nil && (a.kind == onHost || a.kind == registered) {
		return pageLocked
	}
	if d.mem.Find(addr) == nil {
		return pageable
	}
	return onGPU
}

// shared reports whether host and GPU share the memory at an address.
func (o *orders) shared(addr uint64) bool {
	if o == nil {
		return false
	}
	a := dev.find(addr)
	return a != nil && a.host()
}

// memory returns where a place of a copy is.
func (p *place) memory() memoryKind {
	if !p.host {
		return onGPU
	}
	return dev.kindAt(p.addr)
}

// boxMemory returns where a side of a copy of boxes is.
func boxMemory(kind C.CUmemorytype, host unsafe.Pointer, addr C.ulonglong) memoryKind {
	switch kind {
	case C.CU_MEMORYTYPE_HOST:
		return dev.kindAt(uint64(uintptr(host)))
	case C.CU_MEMORYTYPE_UNIFIED:
		return dev.kindAt(uint64(addr))
	}
	return onGPU
}

// copied records which work is ordered by a copy in the default stream whose call waits for it: the host may continue
// before a copy within the GPU is done, and before the bytes of pageable memory have arrived there (CUDA Driver API,
// API synchronization behavior).
func (d *device) copied(current C.uintptr_t, to, from memoryKind) {
	if d.orders == nil || to == onGPU && from != pageLocked {
		return
	}
	in(current, func(c *cudaContext) result {
		s, r := c.stream(0)
		if r == success {
			d.orders.waited(s.done)
		}
		return r
	})
}

// addressOf returns the address of bytes of an allocation.
func (o *orders) addressOf(bytes []byte) (addr uint64, ok bool) {
	if len(bytes) == 0 {
		return 0, false
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))
	for _, a := range dev.allocs {
		all := a.buf.Bytes()
		if off := at - uintptr(unsafe.Pointer(unsafe.SliceData(all))); off < uintptr(len(all)) {
			return a.buf.Addr() + uint64(off), true
		}
	}
	return 0, false
}

// allocated records that memory is allocated in the order of a stream.
func (o *orders) allocated(s *stream, a *allocation) {
	if o == nil {
		return
	}
	op := o.next(s, C.CU_GRAPH_NODE_TYPE_MEM_ALLOC)
	o.during(op, func() result {
		o.accessed(a.base, a.size, true)
		return success
	})
}

// forget forgets accesses to memory that is freed. Those of the current work, which frees it, are checked before.
func (o *orders) forget(a *allocation) {
	if o == nil {
		return
	}
	if o.current != nil {
		o.accessed(a.base, a.size, true)
		o.report()
	}
	o.shadow.Forget(a.base, a.size)
}
