package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"slices"
	"time"

	"github.com/simtrun/simtrun/internal/ordering"
)

// event is a point in a stream.
type event struct {
	h        handle
	ctx      *cudaContext
	flags    uint32
	recorded bool
	last     *recording     // the latest one; nil for none
	at       float64        // ms
	capture  *capture       // capture in which it was recorded; otherwise nil
	nodes    []*node        // nodes of the capture on which it depends
	before   ordering.Clock // the work before the latest record
}

// recording is one record of an event.
type recording struct{ done bool }

// over reports whether a record is made, or there is none.
func (r *recording) over() bool { return r == nil || r.done }

// start is the origin of the host's times.
var start = time.Now()

// now returns the time: that of the clock, if there is one, or else the host's.
func (d *device) now() (ms float64) {
	if d.opts.Machine.Clock != nil {
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
			e.capture, e.nodes, e.last = s.capture, s.last, nil
			return success
		}
		if s.capture != nil {
			return s.do(C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, &recordEvent{e})
		}
		r := new(recording)
		e.last, e.capture, e.nodes = r, nil, nil
		done := s.do(C.CU_GRAPH_NODE_TYPE_EVENT_RECORD, does(func() result {
			if r.done = true; r != e.last {
				return success
			}
			return e.record()
		}))
		e.before = s.done
		return done
	})
}

func (e *event) record() result {
	e.recorded, e.at = true, dev.now()
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
		case e.capture == nil && s.capture != nil && (e.recorded || e.last != nil):
			s.capture.failed = true
			return errorStreamCaptureIsolation
		case e.capture == nil && s.capture == nil:
			return s.await(e)
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
		s.capture = e.capture // the stream joins the capture
		for _, n := range e.nodes {
			if !slices.Contains(s.last, n) {
				s.last = append(slices.Clip(s.last), n)
			}
		}
		return success
	})
}

// await makes the stream wait for the latest record of an event.
func (s *stream) await(e *event) result {
	dev.orders.joined(s, e.before)
	return dev.doOrDefer(&deferred{s: s, kind: C.CU_GRAPH_NODE_TYPE_WAIT_EVENT, after: e.last, run: func() result { return success }})
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
	return withEvent(current, h, func(e *event) result {
		if e.last.over() {
			dev.orders.waited(e.before)
		}
		return readyIf(e.last.over())
	})
}

//export go_cuEventSynchronize
func go_cuEventSynchronize(current, h C.uintptr_t) C.int {
	return withEvent(current, h, func(e *event) result {
		dev.waitUntil(e.last.over)
		dev.orders.waited(e.before)
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
			return dev.misuse.because(errorInvalidHandle, "an event was created with CU_EVENT_DISABLE_TIMING")
		case !a.last.over() || !b.last.over():
			return errorNotReady
		case !a.recorded || !b.recorded:
			return dev.misuse.because(errorInvalidHandle, "an event was not recorded")
		}
		dev.orders.waited(a.before)
		dev.orders.waited(b.before)
		*ms = C.float(b.at - a.at)
		return success
	})
}

//export go_cuEventElapsedTime_v2
func go_cuEventElapsedTime_v2(current C.uintptr_t, ms *C.float, from, to C.uintptr_t) C.int {
	return go_cuEventElapsedTime(current, ms, from, to)
}
