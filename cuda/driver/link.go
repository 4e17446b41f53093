package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun"
)

// linkState is inputs that are to be linked: their texts.
type linkState struct {
	h     handle
	log   *jitLog
	texts []string
	out   unsafe.Pointer // what was linked, which the program has; nil before
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
		return l.add(append(slices.Clone(unsafe.Slice((*byte)(data), n)), 0, 0, 0, 0))
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
		data, err := os.ReadFile(C.GoString(path))
		if err != nil {
			return errorFileNotFound
		}
		return l.add(append(data, 0, 0, 0, 0))
	})
}

// add adds an image that ends with zeros.
func (l *linkState) add(image []byte) result {
	text, err := ptxOf(unsafe.Pointer(unsafe.SliceData(image)), dev.target())
	if err != nil {
		l.log.say(err)
		return errorInvalidImage
	}
	l.texts = append(l.texts, string(text))
	return success
}

//export go_cuLinkComplete
func go_cuLinkComplete(current, h C.uintptr_t, out *unsafe.Pointer, size *C.size_t) C.int {
	return in(current, func(*cudaContext) result {
		l := object[linkState](h)
		switch {
		case l == nil:
			return errorInvalidHandle
		case out == nil || len(l.texts) == 0:
			return errorInvalidValue
		}
		files := make(texts)
		var names []string
		for i, t := range l.texts {
			names = append(names, fmt.Sprintf("input%d.ptx", i+1))
			files[names[i]] = t
		}
		p, err := simtrun.LoadFS(files, names...)
		if err != nil {
			l.log.say(err)
			return errorInvalidPtx
		}
		if err := p.Undefined(); err != nil {
			l.log.say(err)
			return errorUnknown // as NVIDIA's driver answers
		}
		text := l.texts[0]
		if len(l.texts) > 1 {
			text = p.PTX()
		}
		if key := sha256.Sum256([]byte(text)); dev.programs[key] == nil {
			dev.programs[key] = p // it knows the lines of the inputs and of their sources, which the text does not
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
		delete(dev.objects, handle(h)) // what was linked is kept: programs load it later than they should
		return success
	})
}

// texts is files in memory.
type texts map[string]string

// Open implements fs.FS.
func (t texts) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (t texts) ReadFile(name string) ([]byte, error) { return []byte(t[name]), nil }
