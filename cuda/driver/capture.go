package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"
#include <stdlib.h>
*/
import "C"

import (
	"slices"
	"unsafe"
)

// capture is a set of streams being captured into a graph.
type capture struct {
	graph  *graph
	given  bool // the program passed the graph
	origin *stream
	mode   C.int
	failed bool // the program used an operation that cannot be captured
	ended  bool
}

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

// A program that has captured into its own graph need not query the result.
//
//export go_cuStreamEndCapture
func go_cuStreamEndCapture(current, h C.uintptr_t, to *C.uintptr_t) C.int {
	return withStream(current, h, true, func(s *stream) result {
		c := s.capture
		set(to, 0)
		switch {
		case to == nil && (c == nil || !c.given):
			return errorInvalidValue
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
		set(to, C.uintptr_t(c.graph.h))
		return success
	})
}

// streams returns the captured streams.
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

// joined reports whether the last node of the stream in which the capture began depends on all work of the others.
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
			// The data of the edges, which are zero, follow the nodes. Both have 8 bytes.
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
