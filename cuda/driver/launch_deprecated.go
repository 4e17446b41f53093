package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"
)

// oldLaunch holds the settings of the next launch from the calls before CUDA 4.
type oldLaunch struct {
	bx, by, bz C.int
	shared     C.uint
	params     []byte
}

//export go_cuFuncSetBlockShape
func go_cuFuncSetBlockShape(current, h C.uintptr_t, x, y, z C.int) C.int {
	return withFunction(current, h, x > 0 && y > 0 && z > 0, func(f *function) result {
		f.old.bx, f.old.by, f.old.bz = x, y, z
		return success
	})
}

//export go_cuFuncSetSharedSize
func go_cuFuncSetSharedSize(current, h C.uintptr_t, n C.uint) C.int {
	return withFunction(current, h, true, func(f *function) result {
		f.old.shared = n
		return success
	})
}

//export go_cuParamSetSize
func go_cuParamSetSize(current, h C.uintptr_t, n C.uint) C.int {
	return withFunction(current, h, true, func(f *function) result {
		if int64(n) > f.k.ParamBytes() {
			return errorInvalidValue
		}
		return success
	})
}

// setParam sets bytes of the parameter block of the next launch.
func setParam(current, h C.uintptr_t, offset C.int, value []byte) C.int {
	return withFunction(current, h, offset >= 0, func(f *function) result {
		if f.old.params == nil {
			f.old.params = make([]byte, f.k.ParamBytes())
		}
		if int(offset)+len(value) > len(f.old.params) {
			return errorInvalidValue
		}
		copy(f.old.params[offset:], value)
		return success
	})
}

//export go_cuParamSeti
func go_cuParamSeti(current, h C.uintptr_t, offset C.int, value C.uint) C.int {
	return setParam(current, h, offset, unsafe.Slice((*byte)(unsafe.Pointer(&value)), 4))
}

//export go_cuParamSetf
func go_cuParamSetf(current, h C.uintptr_t, offset C.int, value C.float) C.int {
	return setParam(current, h, offset, unsafe.Slice((*byte)(unsafe.Pointer(&value)), 4))
}

//export go_cuParamSetv
func go_cuParamSetv(current, h C.uintptr_t, offset C.int, p unsafe.Pointer, n C.uint) C.int {
	if p == nil {
		return C.int(errorInvalidValue)
	}
	return setParam(current, h, offset, unsafe.Slice((*byte)(p), n))
}

//export go_cuLaunch
func go_cuLaunch(current, h C.uintptr_t) C.int { return go_cuLaunchGridAsync(current, h, 1, 1, 0) }

//export go_cuLaunchGrid
func go_cuLaunchGrid(current, h C.uintptr_t, w, height C.int) C.int {
	return go_cuLaunchGridAsync(current, h, w, height, 0)
}

//export go_cuLaunchGridAsync
func go_cuLaunchGridAsync(current, h C.uintptr_t, w, height C.int, stream C.uintptr_t) C.int {
	return launchIn(current, h, stream, func(f *function) (*launch, result) {
		o := &f.old
		if w <= 0 || height <= 0 {
			return nil, errorInvalidValue
		}
		params := append([]byte(nil), o.params...)
		if params == nil {
			params = make([]byte, f.k.ParamBytes())
		}
		l, r := newLaunch(&function{k: f.k, attrs: f.attrs, mod: f.mod, dynamic: f.dynamic}, shape{C.uint(w), C.uint(height), 1, C.uint(o.bx), C.uint(o.by), C.uint(o.bz), o.shared}, nil, nil)
		if r == success {
			l.f, l.params = f, params
		}
		return l, r
	})
}
