package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "entry.h"
#include <stdlib.h>

static inline void callHost(CUhostFn fn, void *data) { fn(data); }
static inline void callStream(CUstreamCallback fn, uintptr_t stream, CUresult status, void *data) { fn((CUstream)stream, status, data); }
*/
import "C"

import (
	"maps"
	"slices"
	"time"
	"unsafe"
)

// stream is a stream: what is done in it is done when it is asked for, unless it is captured into a graph, or waits for a launch that waits for
// the program.
type stream struct {
	h          handle
	ctx        *cudaContext
	flags      uint32
	priority   int
	attributes map[C.int]attributeValue
	capture    *capture       // nil unless what is done is captured
	last       []*node        // of the capture: what the next node depends on
	listed     unsafe.Pointer // their handles, as cuStreamGetCaptureInfo gave them last
}

// capture is streams that are captured into a graph.
type capture struct {
	graph  *graph
	given  bool // the graph was there before
	origin *stream
	mode   C.int
	failed bool // something was asked for that cannot be captured
	ended  bool
}

// stream is the stream with a handle; those of 0, 1 and 2 are the default stream.
func (c *cudaContext) stream(h C.uintptr_t) (*stream, result) {
	if h <= 2 {
		return &c.null, success
	}
	s := object[stream](h)
	if s == nil {
		return nil, errorInvalidHandle
	}
	return s, success
}

// onStream does something in a stream for a call in the context that is current: now, or when the graph is launched into which the
// stream is captured, as a node of that kind.
func onStream(current, h C.uintptr_t, kind C.int, f func(c *cudaContext) result) C.int {
	return in(current, func(c *cudaContext) result {
		s, r := c.stream(h)
		if r != success {
			return r
		}
		return s.do(kind, does(func() result { return f(c) }))
	})
}

func (s *stream) do(kind C.int, a action) result {
	if s.capture == nil {
		return dev.doOrDefer(&deferred{s: s, kind: kind, run: a.run})
	}
	if s.capture.failed {
		return errorStreamCaptureInvalidated
	}
	s.last = []*node{s.capture.graph.add(kind, s.last, a)}
	return success
}

// priority is the priority of a stream that is nearest to one that is asked for.
func priority(wanted C.int) int { return int(min(max(wanted, -5), 0)) }

func newStream(current C.uintptr_t, to *C.uintptr_t, flags C.uint, wanted C.int) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || flags > C.CU_STREAM_NON_BLOCKING {
			return errorInvalidValue
		}
		s := &stream{ctx: c, flags: uint32(flags), priority: priority(wanted)}
		s.h = dev.add(s)
		dev.hasStreams = true
		*to = C.uintptr_t(s.h)
		return success
	})
}

//export go_cuStreamCreate
func go_cuStreamCreate(current C.uintptr_t, s *C.uintptr_t, flags C.uint) C.int {
	return newStream(current, s, flags, 0)
}

//export go_cuStreamCreateWithPriority
func go_cuStreamCreateWithPriority(current C.uintptr_t, s *C.uintptr_t, flags C.uint, priority C.int) C.int {
	return newStream(current, s, flags, priority)
}

// withStream runs f for a call about a stream, which asks for something if wanted.
func withStream(current, h C.uintptr_t, wanted bool, f func(s *stream) result) C.int {
	return in(current, func(c *cudaContext) result {
		s, r := c.stream(h)
		switch {
		case r != success:
			return r
		case !wanted:
			return errorInvalidValue
		}
		return f(s)
	})
}

//export go_cuStreamGetPriority
func go_cuStreamGetPriority(current, h C.uintptr_t, priority *C.int) C.int {
	return withStream(current, h, priority != nil, func(s *stream) result {
		*priority = C.int(s.priority)
		return success
	})
}

//export go_cuStreamGetFlags
func go_cuStreamGetFlags(current, h C.uintptr_t, flags *C.uint) C.int {
	return withStream(current, h, flags != nil, func(s *stream) result {
		*flags = C.uint(s.flags)
		return success
	})
}

//export go_cuStreamGetId
func go_cuStreamGetId(current, h C.uintptr_t, id *C.ulonglong) C.int {
	return withStream(current, h, id != nil, func(s *stream) result {
		*id = C.ulonglong(s.h)
		return success
	})
}

//export go_cuStreamGetCtx
func go_cuStreamGetCtx(current, h C.uintptr_t, ctx *C.uintptr_t) C.int {
	return withStream(current, h, ctx != nil, func(s *stream) result {
		*ctx = C.uintptr_t(s.ctx.h)
		return success
	})
}

//export go_cuStreamGetCtx_v2
func go_cuStreamGetCtx_v2(current, h C.uintptr_t, ctx, green *C.uintptr_t) C.int {
	set(green, 0)
	return go_cuStreamGetCtx(current, h, ctx)
}

//export go_cuStreamGetDevice
func go_cuStreamGetDevice(current, h C.uintptr_t, d *C.int) C.int {
	return withStream(current, h, d != nil, func(*stream) result {
		*d = 0
		return success
	})
}

// Attributes of streams are hints, which are kept.

// isStreamAttribute reports whether streams have an attribute.
func isStreamAttribute(attribute C.int) bool {
	return slices.Contains([]C.int{C.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, C.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, C.CU_LAUNCH_ATTRIBUTE_PRIORITY,
		C.CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, C.CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN}, attribute)
}

//export go_cuStreamGetAttribute
func go_cuStreamGetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withStream(current, h, value != nil && isStreamAttribute(attribute), func(s *stream) result {
		v := s.attributes[attribute]
		if attribute == C.CU_LAUNCH_ATTRIBUTE_PRIORITY {
			*(*C.int)(unsafe.Pointer(&v)) = C.int(s.priority)
		}
		*(*attributeValue)(value) = v
		return success
	})
}

//export go_cuStreamSetAttribute
func go_cuStreamSetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withStream(current, h, value != nil && isStreamAttribute(attribute), func(s *stream) result {
		if s.attributes == nil {
			s.attributes = make(map[C.int]attributeValue)
		}
		s.attributes[attribute] = *(*attributeValue)(value)
		if attribute == C.CU_LAUNCH_ATTRIBUTE_PRIORITY {
			s.priority = priority(*(*C.int)(value))
		}
		return success
	})
}

//export go_cuStreamCopyAttributes
func go_cuStreamCopyAttributes(current, to, from C.uintptr_t) C.int {
	return in(current, func(c *cudaContext) result {
		d, r := c.stream(to)
		if r != success {
			return r
		}
		s, r := c.stream(from)
		if r == success {
			d.attributes, d.priority = maps.Clone(s.attributes), s.priority
		}
		return r
	})
}

//export go_cuStreamQuery
func go_cuStreamQuery(current, h C.uintptr_t) C.int {
	return onDone(current, h, func(s *stream) result { return readyIf(s.isDone()) })
}

//export go_cuStreamSynchronize
func go_cuStreamSynchronize(current, h C.uintptr_t) C.int {
	return onDone(current, h, func(s *stream) result {
		dev.waitUntil(s.isDone)
		return s.ctx.failed
	})
}

// onDone runs f for a call that asks whether a stream is done. One that is captured cannot be waited for.
func onDone(current, h C.uintptr_t, f func(s *stream) result) C.int {
	return withStream(current, h, true, func(s *stream) result {
		if s.capture != nil {
			s.capture.failed = true
			return errorStreamCaptureUnsupported
		}
		return f(s)
	})
}

// readyIf is what a query answers.
func readyIf(done bool) result {
	if done {
		return success
	}
	return errorNotReady
}

//export go_cuStreamDestroy_v2
func go_cuStreamDestroy_v2(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		s := object[stream](h)
		if s == nil {
			return errorInvalidHandle
		}
		C.free(s.listed)
		delete(dev.objects, handle(h))
		return success
	})
}

//export go_cuStreamAttachMemAsync
func go_cuStreamAttachMemAsync(current, h C.uintptr_t, addr C.ulonglong, n C.size_t, flags C.uint) C.int {
	return withStream(current, h, dev.mem.Find(uint64(addr)) != nil, func(*stream) result { return success })
}

// unlocked runs a function of the program, which may call the driver.
func unlocked(f func()) {
	dev.mu.Unlock()
	defer dev.mu.Lock()
	f()
}

// hostCall is a call of a function of the program.
func hostCall(fn C.CUhostFn, data unsafe.Pointer) func() result {
	return func() result {
		unlocked(func() { C.callHost(fn, data) })
		return success
	}
}

//export go_cuLaunchHostFunc
func go_cuLaunchHostFunc(current, h C.uintptr_t, fn C.CUhostFn, data unsafe.Pointer) C.int {
	return withStream(current, h, fn != nil, func(s *stream) result {
		return s.do(C.CU_GRAPH_NODE_TYPE_HOST, &callHost{C.CUDA_HOST_NODE_PARAMS{fn: fn, userData: data}})
	})
}

//export go_cuStreamAddCallback
func go_cuStreamAddCallback(current, h C.uintptr_t, fn C.CUstreamCallback, data unsafe.Pointer, flags C.uint) C.int {
	return withStream(current, h, fn != nil && flags == 0, func(s *stream) result {
		if s.capture != nil {
			s.capture.failed = true
			return errorStreamCaptureUnsupported
		}
		return s.do(C.CU_GRAPH_NODE_TYPE_HOST, does(func() result {
			unlocked(func() { C.callStream(fn, h, C.CUDA_SUCCESS, data) })
			return success
		}))
	})
}

// Captures.

//export go_cuStreamBeginCapture_v2
func go_cuStreamBeginCapture_v2(current, h C.uintptr_t, mode C.int) C.int {
	return withStream(current, h, mode >= 0 && mode <= C.CU_STREAM_CAPTURE_MODE_RELAXED, func(s *stream) result {
		switch {
		case h <= 1: // the legacy stream
			return errorStreamCaptureUnsupported
		case s.capture != nil:
			return errorIllegalState
		}
		s.capture, s.last = &capture{graph: newGraph(), origin: s, mode: mode}, nil
		return success
	})
}

//export go_cuStreamBeginCapture
func go_cuStreamBeginCapture(current, h C.uintptr_t) C.int {
	return go_cuStreamBeginCapture_v2(current, h, C.CU_STREAM_CAPTURE_MODE_GLOBAL)
}

//export go_cuStreamBeginCaptureToGraph
func go_cuStreamBeginCaptureToGraph(current, h, to C.uintptr_t, deps *C.uintptr_t, edges *C.CUgraphEdgeData, n C.size_t, mode C.int) C.int {
	var behind []*node
	r := withGraph(current, to, true, func(_ *cudaContext, g *graph) (r result) {
		behind, r = g.nodesAt(deps, n)
		return r
	})
	if r == C.int(success) {
		r = go_cuStreamBeginCapture_v2(current, h, mode)
	}
	if r != C.int(success) {
		return r
	}
	return withStream(current, h, true, func(s *stream) result {
		s.capture.graph.destroy()
		s.capture.graph, s.capture.given, s.last = object[graph](to), true, behind
		return success
	})
}

//export go_cuStreamUpdateCaptureDependencies
func go_cuStreamUpdateCaptureDependencies(current, h C.uintptr_t, deps *C.uintptr_t, n C.size_t, flags C.uint) C.int {
	return withStream(current, h, flags <= C.CU_STREAM_SET_CAPTURE_DEPENDENCIES, func(s *stream) result {
		switch {
		case s.capture == nil:
			return errorIllegalState
		case s.capture.failed:
			return errorStreamCaptureInvalidated
		}
		behind, r := s.capture.graph.nodesAt(deps, n)
		if r != success {
			return r
		}
		if flags == C.CU_STREAM_ADD_CAPTURE_DEPENDENCIES {
			behind = append(slices.Clone(s.last), behind...)
		}
		s.last = behind
		return success
	})
}

//export go_cuStreamUpdateCaptureDependencies_v2
func go_cuStreamUpdateCaptureDependencies_v2(current, h C.uintptr_t, deps *C.uintptr_t, edges *C.CUgraphEdgeData, n C.size_t, flags C.uint) C.int {
	return go_cuStreamUpdateCaptureDependencies(current, h, deps, n, flags)
}

//export go_cuStreamEndCapture
func go_cuStreamEndCapture(current, h C.uintptr_t, to *C.uintptr_t) C.int {
	return withStream(current, h, to != nil, func(s *stream) result {
		c := s.capture
		*to = 0
		switch {
		case c == nil:
			return errorIllegalState
		case c.origin != s:
			return errorStreamCaptureUnmatched
		}
		joined := c.joined()
		c.end()
		switch {
		case c.failed || !joined:
			if !c.given {
				c.graph.destroy()
			}
			if c.failed {
				return errorStreamCaptureInvalidated
			}
			return errorStreamCaptureUnjoined
		}
		*to = C.uintptr_t(c.graph.h)
		return success
	})
}

// streams are the streams that are captured.
func (c *capture) streams() (all []*stream) {
	for _, o := range dev.objects {
		switch o := o.(type) {
		case *stream:
			all = append(all, o)
		case *cudaContext:
			all = append(all, &o.null)
		}
	}
	return slices.DeleteFunc(all, func(s *stream) bool { return s.capture != c })
}

// joined reports whether the last of the stream in which the capture began is behind all that the others have done.
func (c *capture) joined() bool {
	before := make(map[*node]bool)
	for rest := slices.Clone(c.origin.last); len(rest) > 0; {
		n := rest[len(rest)-1]
		if rest = rest[:len(rest)-1]; !before[n] {
			before[n], rest = true, append(rest, n.deps...)
		}
	}
	return !slices.ContainsFunc(c.streams(), func(s *stream) bool {
		return slices.ContainsFunc(s.last, func(n *node) bool { return !before[n] })
	})
}

// end ends the capture for all of its streams.
func (c *capture) end() {
	for _, s := range c.streams() {
		s.capture, s.last = nil, nil
	}
	c.ended = true
}

//export go_cuStreamIsCapturing
func go_cuStreamIsCapturing(current, h C.uintptr_t, status *C.int) C.int {
	return withStream(current, h, status != nil, func(s *stream) result {
		*status = s.captureStatus()
		return success
	})
}

func (s *stream) captureStatus() C.int {
	switch {
	case s.capture == nil:
		return C.CU_STREAM_CAPTURE_STATUS_NONE
	case s.capture.failed:
		return C.CU_STREAM_CAPTURE_STATUS_INVALIDATED
	}
	return C.CU_STREAM_CAPTURE_STATUS_ACTIVE
}

//export go_cuStreamGetCaptureInfo
func go_cuStreamGetCaptureInfo(current, h C.uintptr_t, status *C.int, id *C.ulonglong) C.int {
	return go_cuStreamGetCaptureInfo_v3(current, h, status, id, nil, nil, nil, nil)
}

//export go_cuStreamGetCaptureInfo_v2
func go_cuStreamGetCaptureInfo_v2(current, h C.uintptr_t, status *C.int, id *C.ulonglong, g *C.uintptr_t, deps *unsafe.Pointer, n *C.size_t) C.int {
	return go_cuStreamGetCaptureInfo_v3(current, h, status, id, g, deps, nil, n)
}

//export go_cuStreamGetCaptureInfo_v3
func go_cuStreamGetCaptureInfo_v3(current, h C.uintptr_t, status *C.int, id *C.ulonglong, g *C.uintptr_t, deps, edges *unsafe.Pointer, n *C.size_t) C.int {
	return withStream(current, h, status != nil, func(s *stream) result {
		if *status = s.captureStatus(); s.capture == nil {
			return success
		}
		set(id, C.ulonglong(s.capture.graph.h))
		set(g, C.uintptr_t(s.capture.graph.h))
		set(n, C.size_t(len(s.last)))
		if deps != nil || edges != nil {
			// What there is to say of edges, which is zeros, is behind the nodes. Both have 8 bytes.
			s.listed = C.realloc(s.listed, C.size_t(2*len(s.last)+1)*C.size_t(unsafe.Sizeof(handle(0))))
			places := unsafe.Slice((*handle)(s.listed), 2*len(s.last))
			clear(places)
			for i, last := range s.last {
				places[i] = last.h
			}
			set(deps, s.listed)
			set(edges, unsafe.Add(s.listed, len(s.last)*int(unsafe.Sizeof(handle(0)))))
		}
		return success
	})
}

//export go_cuThreadExchangeStreamCaptureMode
func go_cuThreadExchangeStreamCaptureMode(current C.uintptr_t, mode *C.int) C.int {
	if mode == nil || *mode < 0 || *mode > C.CU_STREAM_CAPTURE_MODE_RELAXED {
		return C.int(errorInvalidValue)
	}
	*mode = C.exchange_capture_mode(*mode)
	return C.int(success)
}

// Events.

// event is a point in a stream.
type event struct {
	h        handle
	ctx      *cudaContext
	flags    uint32
	recorded bool
	pending  int      // how often it is to be recorded yet
	at       float64  // ms
	capture  *capture // in which it was recorded; else nil
	nodes    []*node  // of that, behind which it is
}

// start is when the library began to tell time.
var start = time.Now()

// now is the time: that of the clock, if there is one, else the host's.
func (d *device) now() (ms float64) {
	if d.opts.machine.Clock != nil {
		return float64(d.mem.TimeStamp()) / (d.gpu.ClockMHz * 1000)
	}
	return float64(time.Since(start)) / float64(time.Millisecond)
}

//export go_cuEventCreate
func go_cuEventCreate(current C.uintptr_t, to *C.uintptr_t, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || flags > C.CU_EVENT_BLOCKING_SYNC|C.CU_EVENT_DISABLE_TIMING|C.CU_EVENT_INTERPROCESS {
			return errorInvalidValue
		}
		e := &event{ctx: c, flags: uint32(flags)}
		e.h = dev.add(e)
		*to = C.uintptr_t(e.h)
		return success
	})
}

//export go_cuEventRecord
func go_cuEventRecord(current, e, h C.uintptr_t) C.int {
	return go_cuEventRecordWithFlags(current, e, h, 0)
}

//export go_cuEventRecordWithFlags
func go_cuEventRecordWithFlags(current, ev, h C.uintptr_t, flags C.uint) C.int {
	return withStream(current, h, true, func(s *stream) result {
		e := object[event](ev)
		if e == nil {
			return errorInvalidHandle
		}
		if s.capture != nil && flags&C.CU_EVENT_RECORD_EXTERNAL == 0 {
			e.capture, e.nodes = s.capture, s.last
			return success
		}
		if s.capture != nil {
			return s.do(C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, &recordEvent{e})
		}
		e.pending++
		return s.do(C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, does(func() result {
			e.pending--
			return e.record()
		}))
	})
}

func (e *event) record() result {
	e.recorded, e.at, e.capture, e.nodes = true, dev.now(), nil, nil
	return success
}

//export go_cuStreamWaitEvent
func go_cuStreamWaitEvent(current, h, ev C.uintptr_t, flags C.uint) C.int {
	return withStream(current, h, true, func(s *stream) result {
		e := object[event](ev)
		switch {
		case e == nil:
			return errorInvalidHandle
		case s.capture != nil && flags&C.CU_EVENT_WAIT_EXTERNAL != 0:
			return s.do(C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, &waitEvent{e})
		case e.capture == nil && s.capture != nil && e.recorded:
			s.capture.failed = true
			return errorStreamCaptureIsolation
		case e.capture == nil && s.capture == nil:
			return dev.doOrDefer(&deferred{s: s, kind: C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, after: e, run: func() result { return success }})
		case e.capture == nil:
			return success
		case e.capture.ended:
			return errorCapturedEvent
		case s.capture != nil && s.capture != e.capture:
			s.capture.failed = true
			return errorStreamCaptureMerge
		case h <= 1: // the legacy stream
			e.capture.failed = true
			return errorStreamCaptureImplicit
		}
		s.capture = e.capture // which the stream joins
		for _, n := range e.nodes {
			if !slices.Contains(s.last, n) {
				s.last = append(slices.Clip(s.last), n)
			}
		}
		return success
	})
}

// withEvent runs f for a call about an event.
func withEvent(current, h C.uintptr_t, f func(e *event) result) C.int {
	return in(current, func(*cudaContext) result {
		e := object[event](h)
		switch {
		case e == nil:
			return errorInvalidHandle
		case e.capture != nil:
			return errorCapturedEvent
		}
		return f(e)
	})
}

//export go_cuEventQuery
func go_cuEventQuery(current, h C.uintptr_t) C.int {
	return withEvent(current, h, func(e *event) result { return readyIf(e.pending == 0) })
}

//export go_cuEventSynchronize
func go_cuEventSynchronize(current, h C.uintptr_t) C.int {
	return withEvent(current, h, func(e *event) result {
		dev.waitUntil(func() bool { return e.pending == 0 })
		return e.ctx.failed
	})
}

//export go_cuEventDestroy_v2
func go_cuEventDestroy_v2(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if object[event](h) == nil {
			return errorInvalidHandle
		}
		delete(dev.objects, handle(h))
		return success
	})
}

//export go_cuEventElapsedTime
func go_cuEventElapsedTime(current C.uintptr_t, ms *C.float, from, to C.uintptr_t) C.int {
	return withEvent(current, from, func(a *event) result {
		b := object[event](to)
		switch {
		case b == nil:
			return errorInvalidHandle
		case b.capture != nil:
			return errorCapturedEvent
		case ms == nil:
			return errorInvalidValue
		case (a.flags|b.flags)&C.CU_EVENT_DISABLE_TIMING != 0:
			return errorInvalidHandle
		case a.pending+b.pending > 0:
			return errorNotReady
		case !a.recorded || !b.recorded:
			return errorInvalidHandle
		}
		*ms = C.float(b.at - a.at)
		return success
	})
}

//export go_cuEventElapsedTime_v2
func go_cuEventElapsedTime_v2(current C.uintptr_t, ms *C.float, from, to C.uintptr_t) C.int {
	return go_cuEventElapsedTime(current, ms, from, to)
}
