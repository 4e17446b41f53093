package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "signals.h"
*/
import "C"

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/ordering"
)

// backgroundLaunch is a launch that waits for a value that the program has to write. It continues on its own thread,
// concurrently with the program. At most one exists. Work for its stream, and for streams that wait for it, is
// deferred meanwhile, and so is any other launch.
type backgroundLaunch struct {
	s      *stream
	u      *runningLaunch
	ctx    context.Context
	cancel context.CancelFunc
	ended  func(err error)
	// since when calls of the program have been waiting while the launch waits for the program; zero if that is not
	// the case
	blocked time.Time
}

// deferred is work of a stream to be done after the work before it.
type deferred struct {
	s       *stream
	kind    C.int      // as of node
	after   *recording // must be made before; nil for none
	wait    *memOp     // must be true before; nil for none
	run     func() result
	op      *ordering.Op // nil if nothing checks the order
	running bool
}

const (
	// turn is how long a launch in the background blocks calls of the driver at a time.
	turn = 5 * time.Millisecond
	// A launch that waits for the program polls first after shortNap, and later after up to longNap.
	shortNap, longNap = 20 * time.Microsecond, time.Millisecond
	// hostPatience is how long a call may wait for a launch that itself waits for the program. After that it counts
	// as a hang, because other threads of the program have had enough time to write the value.
	hostPatience = 5 * time.Second
)

// hostMayWrite reports whether a kernel can wait for the program, or for another process: they can write to shared
// memory, or copy in another stream.
func (d *device) hostMayWrite() bool {
	return d.hasStreams || d.shares || d.used[onHost]+d.used[managed]+d.used[registered]+d.used[imported] > 0
}

// goOn continues a launch of a stream in the background. SIGINT ends it.
func (d *device) goOn(s *stream, u *runningLaunch, ended func(err error)) {
	b := &backgroundLaunch{s: s, u: u, ended: ended}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	C.signals_catch_interrupt()
	d.background = b
	go b.goOn()
}

func (b *backgroundLaunch) goOn() {
	debug.SetPanicOnFault(true)
	for nap := shortNap; ; {
		if C.signals_interrupted() != 0 {
			b.cancel()
		}
		dev.mu.Lock()
		err := b.turn()
		w, awaits := errors.AsType[*simtrun.Awaiting](err)
		_, more := errors.AsType[*simtrun.Interrupted](err)
		switch {
		case awaits && b.isHang(w):
			b.end(w.Hang)
			return
		case awaits && w.Proven:
			dev.mu.Unlock()
			time.Sleep(nap)
			nap = min(2*nap, longNap)
		case awaits, more && b.ctx.Err() == nil:
			dev.mu.Unlock()
			nap = shortNap
		default:
			b.end(err)
			return
		}
	}
}

// turn continues the launch for a while.
func (b *backgroundLaunch) turn() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(saidOf(p))
		}
	}()
	ctx, cancel := context.WithTimeout(b.ctx, turn)
	defer cancel()
	if err = b.u.r.Continue(ctx); isInterrupted(err) || isAwaiting(err) {
		if late := b.u.look(); late != nil {
			late.at, _ = errors.AsType[*simtrun.Interrupted](err)
			return late
		}
	}
	return err
}

// isHang reports whether a launch that waits for the program has waited too long while the program waits for it.
func (b *backgroundLaunch) isHang(w *simtrun.Awaiting) bool {
	if !w.Proven || dev.waiters == 0 {
		b.blocked = time.Time{}
		return false
	}
	if b.blocked.IsZero() {
		b.blocked = time.Now()
	}
	return time.Since(b.blocked) > hostPatience
}

// end ends the launch, and does the deferred work. It unlocks the device.
func (b *backgroundLaunch) end(err error) {
	defer dev.mu.Unlock()
	b.cancel()
	dev.background = nil
	dev.outlet.progress.clear()
	b.ended(err)
	C.signals_release_interrupt() // this may end the program
	dev.changed.Broadcast()
	dev.runDeferred()
}

// orders reports whether work in t must follow earlier work in s: they are the same stream, or one is the default
// stream of the context and the other was not created as non-blocking.
func (s *stream) orders(t *stream) bool {
	if s == t {
		return true
	}
	null := &s.ctx.null
	return s.ctx == t.ctx && (s == null && t.flags&C.CU_STREAM_NON_BLOCKING == 0 || t == null && s.flags&C.CU_STREAM_NON_BLOCKING == 0)
}

// holds reports whether a stream must wait for the launch in the background, or for deferred work.
func (d *device) holds(s *stream, all []*deferred) bool {
	return d.background != nil && d.background.s.orders(s) || slices.ContainsFunc(all, func(o *deferred) bool { return o.s.orders(s) })
}

// mayRun reports whether work of a stream can be done now, before all of others.
func (d *device) mayRun(o *deferred, others []*deferred) bool {
	launches := o.kind == C.CU_GRAPH_NODE_TYPE_KERNEL || o.kind == C.CU_GRAPH_NODE_TYPE_GRAPH
	return !o.running && !d.holds(o.s, others) && o.after.over() && (o.wait == nil || o.wait.isOver()) && (d.background == nil || !launches)
}

// doOrDefer does work of a stream now, or defers it until it can be done.
func (d *device) doOrDefer(o *deferred) result {
	o.op = d.orders.next(o.s, o.kind)
	if d.mayRun(o, d.deferred) {
		return o.do()
	}
	d.deferred = append(d.deferred, o)
	d.watch()
	return success
}

// runDeferred does all deferred work that can be done.
func (d *device) runDeferred() {
	for {
		i := slices.IndexFunc(d.deferred, func(o *deferred) bool { return d.mayRun(o, d.deferred[:slices.Index(d.deferred, o)]) })
		if i < 0 {
			return
		}
		o := d.deferred[i]
		o.running = true
		r := d.run(o)
		if d.deferred = slices.DeleteFunc(d.deferred, func(p *deferred) bool { return p == o }); r != success && o.s.ctx.failed == success {
			o.s.ctx.failed = r
		}
		d.changed.Broadcast()
	}
}

// run does deferred work, unless the context has failed since.
func (d *device) run(o *deferred) (r result) {
	defer func() {
		if p := recover(); p != nil {
			d.outlet.say("%s", saidOf(p))
			r = errorUnknown
		}
	}()
	if o.s.ctx.failed != success && o.kind != C.CU_GRAPH_NODE_TYPE_EVENT_RECORD { // others may wait for the record
		return o.s.ctx.failed
	}
	d.orders.resumes(o)
	return o.do()
}

// do does the work.
func (o *deferred) do() result {
	r := dev.orders.during(o.op, o.run)
	if o.op != nil { // a graph, or a wait for a value, may depend on more than the stream's earlier work
		dev.orders.joined(o.s, o.op.After)
	}
	return r
}

// waitUntil waits for the launch in the background and for deferred work until over returns true.
func (d *device) waitUntil(over func() bool) {
	if over() {
		return
	}
	d.waiters++
	waitAside(func() {
		for !over() {
			d.changed.Wait()
		}
	})
	d.waiters--
}

// settle waits until nothing runs and nothing is deferred.
func (d *device) settle() {
	d.waitUntil(func() bool { return d.background == nil && len(d.deferred) == 0 })
	d.orders.waitedForAll()
}

// settle is device.settle, and returns the context's error.
func (c *cudaContext) settle() result {
	dev.settle()
	return c.failed
}

// isDone reports whether the stream has done all its work.
func (s *stream) isDone() bool { return !dev.holds(s, dev.deferred) }

// whenDone returns the result of a synchronous call, after the default stream has done all its work.
func whenDone(current C.uintptr_t, call func() C.int) C.int {
	r := in(current, func(c *cudaContext) result {
		dev.waitUntil(c.null.isDone)
		return c.failed
	})
	if r != C.int(success) {
		return r
	}
	return call()
}
