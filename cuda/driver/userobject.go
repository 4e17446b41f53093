package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import "unsafe"

// userObject is an object of the program with the lifetime of graphs: a function is called when the last reference is
// gone.
type userObject struct {
	h    handle
	fn   C.CUhostFn
	data unsafe.Pointer
	refs int
}

func (o *userObject) drop(n int) {
	if o.refs -= n; o.refs <= 0 {
		delete(dev.objects, o.h)
		hostCall(o.fn, o.data)()
	}
}

// holdings are a graph's references to user objects.
type holdings map[*userObject]int

func (h holdings) release() {
	for o, n := range h {
		o.drop(n)
	}
}

// retained takes the same references once more, for another graph.
func (h holdings) retained() holdings {
	if len(h) == 0 {
		return nil
	}
	more := make(holdings)
	for o, n := range h {
		o.refs += n
		more[o] = n
	}
	return more
}

// mostReferences is the most references of an object, and the most that a call can take or give.
const mostReferences = 1<<31 - 1

//export go_cuUserObjectCreate
func go_cuUserObjectCreate(_ C.uintptr_t, to *C.uintptr_t, data unsafe.Pointer, fn C.CUhostFn, refs, flags C.uint) C.int {
	return global(func() result {
		if to == nil || fn == nil || refs == 0 || refs > mostReferences || flags != C.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC {
			return errorInvalidValue
		}
		o := &userObject{fn: fn, data: data, refs: int(refs)}
		o.h = dev.add(o)
		*to = C.uintptr_t(o.h)
		return success
	})
}

// withUserObject runs f for a call about n references to an object.
func withUserObject(h C.uintptr_t, n C.uint, f func(o *userObject) result) C.int {
	return global(func() result {
		o := object[userObject](h)
		if o == nil || n == 0 || n > mostReferences {
			return errorInvalidValue
		}
		return f(o)
	})
}

//export go_cuUserObjectRetain
func go_cuUserObjectRetain(_ C.uintptr_t, h C.uintptr_t, n C.uint) C.int {
	return withUserObject(h, n, func(o *userObject) result {
		o.refs += int(n)
		return success
	})
}

//export go_cuUserObjectRelease
func go_cuUserObjectRelease(_ C.uintptr_t, h C.uintptr_t, n C.uint) C.int {
	return withUserObject(h, n, func(o *userObject) result {
		if int(n) > o.refs {
			return errorInvalidValue
		}
		o.drop(int(n))
		return success
	})
}

//export go_cuGraphRetainUserObject
func go_cuGraphRetainUserObject(_ C.uintptr_t, g, h C.uintptr_t, n, flags C.uint) C.int {
	return withUserObject(h, n, func(o *userObject) result {
		to := object[graph](g)
		if to == nil || flags&^C.CU_GRAPH_USER_OBJECT_MOVE != 0 {
			return errorInvalidValue
		}
		if to.holds == nil {
			to.holds = make(holdings)
		}
		to.holds[o] += int(n)
		if flags == 0 { // otherwise the program's references move to the graph
			o.refs += int(n)
		}
		return success
	})
}

//export go_cuGraphReleaseUserObject
func go_cuGraphReleaseUserObject(_ C.uintptr_t, g, h C.uintptr_t, n C.uint) C.int {
	return withUserObject(h, n, func(o *userObject) result {
		of := object[graph](g)
		if of == nil || of.holds[o] < int(n) {
			return errorInvalidValue
		}
		if of.holds[o] -= int(n); of.holds[o] == 0 {
			delete(of.holds, o)
		}
		o.drop(int(n))
		return success
	})
}
