package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"unsafe"

	"github.com/simtrun/simtrun"
)

// linkState is a set of inputs to be linked.
type linkState struct {
	h      handle
	log    *jitLog
	inputs []*simtrun.Program
	text   string         // text of the last input
	out    unsafe.Pointer // the result, which the program can read; nil before
}

//export go_cuLinkCreate_v2
func go_cuLinkCreate_v2(current C.uintptr_t, n C.uint, options *C.int, values *unsafe.Pointer, to *C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if to == nil {
			return errorInvalidValue
		}
		l := &linkState{log: newJITLog(n, options, values)}
		l.h = dev.add(l)
		*to = C.uintptr_t(l.h)
		return success
	})
}

//export go_cuLinkAddData_v2
func go_cuLinkAddData_v2(current, h C.uintptr_t, t C.int, data unsafe.Pointer, n C.size_t, name *C.char, optionN C.uint, options *C.int, values *unsafe.Pointer) C.int {
	return in(current, func(*cudaContext) result {
		l := object[linkState](h)
		switch {
		case l == nil:
			return errorInvalidHandle
		case data == nil || n == 0:
			return errorInvalidValue
		}
		return l.add(unsafe.Slice((*byte)(data), n))
	})
}

//export go_cuLinkAddFile_v2
func go_cuLinkAddFile_v2(current, h C.uintptr_t, t C.int, path *C.char, optionN C.uint, options *C.int, values *unsafe.Pointer) C.int {
	return in(current, func(*cudaContext) result {
		l := object[linkState](h)
		switch {
		case l == nil:
			return errorInvalidHandle
		case path == nil:
			return errorInvalidValue
		}
		data, r := readFile(C.GoString(path))
		if r != success {
			return r
		}
		return l.add(data)
	})
}

// add adds an image.
func (l *linkState) add(image []byte) result {
	at, err := wholeImage(image)
	if err != nil {
		l.log.say(err)
		return errorInvalidImage
	}
	text, err := ptxOf(at, dev.target())
	if err != nil {
		l.log.say(err)
		return imageError(err)
	}
	if r, err := dev.fits(text); err != nil {
		l.log.say(err)
		return r
	}
	p, err := simtrun.Load(fmt.Sprintf("input%d.ptx", len(l.inputs)+1), text)
	if err != nil {
		l.log.say(err)
		return errorInvalidPtx
	}
	l.inputs, l.text = append(l.inputs, p), string(text)
	return success
}

//export go_cuLinkComplete
func go_cuLinkComplete(current, h C.uintptr_t, out *unsafe.Pointer, size *C.size_t) C.int {
	return in(current, func(*cudaContext) result {
		l := object[linkState](h)
		switch {
		case l == nil:
			return errorInvalidHandle
		case out == nil || len(l.inputs) == 0:
			return errorInvalidValue
		}
		p, warnings, err := simtrun.Link(l.inputs...)
		if err != nil {
			l.log.say(err)
			return errorInvalidPtx
		}
		for _, w := range warnings {
			dev.outlet.say("%s", w)
		}
		if err := p.Undefined(); err != nil {
			l.log.say(err)
			return errorUnknown // as NVIDIA's driver
		}
		text := l.text
		if len(l.inputs) > 1 {
			text = p.PTX()
		}
		if key := sha256.Sum256([]byte(text)); dev.programs[key] == nil {
			dev.programs[key] = p // it has the source positions of the inputs, which the text does not have
		}
		l.out = unsafe.Pointer(C.CString(text))
		*out = l.out
		set(size, C.size_t(len(text)+1))
		return success
	})
}

//export go_cuLinkDestroy
func go_cuLinkDestroy(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if object[linkState](h) == nil {
			return errorInvalidHandle
		}
		delete(dev.objects, handle(h)) // the result is kept, because programs load it later than allowed
		return success
	})
}
