package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
#include "signals.h"
#include <stdlib.h>

static inline void callHost(CUhostFn fn, void *data)
{
	struct outside o;
	signals_call_program(&o);
	fn(data);
	signals_called_program(&o);
}

static inline int call_per_thread(void) { return context_calls->per_thread(); }

static inline void callStream(CUstreamCallback fn, uintptr_t stream, CUresult status, void *data)
{
	struct outside o;
	signals_call_program(&o);
	fn((CUstream)stream, status, data);
	signals_called_program(&o);
}
*/
import "C"

import (
	"maps"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stream is a stream. Its work is done during the calls, unless it is captured into a graph, or waits for a launch
// that waits for the program.
type stream struct {
	h          handle
	ctx        *cudaContext
	flags      uint32
	priority   int
	attributes map[C.int]attributeValue
	capture    *capture       // nil unless the stream is being captured
	last       []*node        // for a capture: dependencies of the next node
	listed     unsafe.Pointer // their handles, as returned by the latest cuStreamGetCaptureInfo
	perThread  bool           // it is the default stream of a thread
	ordered
}

// stream returns the stream with a handle. 0 is the default stream of the call: the legacy one, 1, or that of the
// thread, 2.
func (c *cudaContext) stream(h C.uintptr_t) (*stream, result) {
	switch {
	case h == 2, h == 0 && C.call_per_thread() != 0:
		return c.threadStream(), success
	case h <= 1:
		return &c.null, success
	}
	s := object[stream](h)
	if s == nil {
		return nil, errorInvalidHandle
	}
	return s, success
}

// threadStream returns the default stream of the calling thread.
func (c *cudaContext) threadStream() *stream {
	id := unix.Gettid()
	s := c.perThread[id]
	if s == nil {
		s = &stream{ctx: c, perThread: true}
		s.h = dev.add(s)
		if c.perThread == nil {
			c.perThread = make(map[int]*stream)
		}
		c.perThread[id] = s
	}
	return s
}

// onStream does work of a stream for a call in the current context: now, or as a node of that kind in the graph into
// which the stream is captured.
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

// priority returns the valid priority nearest to the requested one.
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

// withStream runs f for a call about a stream. wanted reports whether the result pointer is not NULL.
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

// Attributes of streams are hints, which are stored and have no effect.

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
		copy(attributeAt(attribute, value), v[:])
		return success
	})
}

//export go_cuStreamSetAttribute
func go_cuStreamSetAttribute(current, h C.uintptr_t, attribute C.int, value unsafe.Pointer) C.int {
	return withStream(current, h, value != nil && isStreamAttribute(attribute), func(s *stream) result {
		if s.attributes == nil {
			s.attributes = make(map[C.int]attributeValue)
		}
		s.attributes[attribute] = readAttribute(attribute, value)
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
	return onDone(current, h, func(s *stream) result {
		if s.isDone() {
			dev.orders.waitedFor(s)
		}
		return readyIf(s.isDone())
	})
}

//export go_cuStreamSynchronize
func go_cuStreamSynchronize(current, h C.uintptr_t) C.int {
	return onDone(current, h, func(s *stream) result {
		dev.waitUntil(s.isDone)
		dev.orders.waitedFor(s)
		return s.ctx.failed
	})
}

// onDone runs f for a call that queries or awaits the completion of a stream, which must not be capturing.
func onDone(current, h C.uintptr_t, f func(s *stream) result) C.int {
	return withStream(current, h, true, func(s *stream) result {
		if s.capture != nil {
			s.capture.failed = true
			return errorStreamCaptureUnsupported
		}
		return f(s)
	})
}

// readyIf returns the result of a query.
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
		dev.orders.leave(s)
		delete(dev.objects, handle(h))
		return success
	})
}

//export go_cuStreamAttachMemAsync
func go_cuStreamAttachMemAsync(current, h C.uintptr_t, addr C.ulonglong, n C.size_t, flags C.uint) C.int {
	return withStream(current, h, dev.mem.Find(uint64(addr)) != nil, func(*stream) result { return success })
}

// unlocked runs a function of the program, which may call the driver, without the lock.
func unlocked(f func()) {
	dev.mu.Unlock()
	defer dev.lock()
	f()
}

// hostCall returns an action that calls a function of the program.
func hostCall(fn C.CUhostFn, data unsafe.Pointer) func() result {
	return func() result {
		dev.orders.hostCalled(func() { C.callHost(fn, data) })
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
			dev.orders.hostCalled(func() { C.callStream(fn, h, C.CUDA_SUCCESS, data) })
			return success
		}))
	})
}
