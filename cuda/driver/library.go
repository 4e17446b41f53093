package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"
)

// Libraries are modules of the context in which they are loaded. Their kernels are functions that can be launched in
// any context.

//export go_cuLibraryLoadData
func go_cuLibraryLoadData(current C.uintptr_t, to *C.uintptr_t, code unsafe.Pointer, options *C.int, values *unsafe.Pointer, n C.uint, libraryOptions, libraryValues unsafe.Pointer, libraryN C.uint) C.int {
	return loadTo(current, to, code, true, func() *jitLog { return newJITLog(n, options, values) })
}

//export go_cuLibraryLoadFromFile
func go_cuLibraryLoadFromFile(current C.uintptr_t, to *C.uintptr_t, file *C.char, options *C.int, values *unsafe.Pointer, n C.uint, libraryOptions, libraryValues unsafe.Pointer, libraryN C.uint) C.int {
	return loadFile(current, to, file, true, func() *jitLog { return newJITLog(n, options, values) })
}

//export go_cuLibraryUnload
func go_cuLibraryUnload(current, h C.uintptr_t) C.int { return go_cuModuleUnload(current, h) }

//export go_cuLibraryGetKernel
func go_cuLibraryGetKernel(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, name *C.char) C.int {
	return go_cuModuleGetFunction(current, to, h, name)
}

//export go_cuLibraryGetKernelCount
func go_cuLibraryGetKernelCount(current C.uintptr_t, n *C.uint, h C.uintptr_t) C.int {
	return go_cuModuleGetFunctionCount(current, n, h)
}

//export go_cuLibraryEnumerateKernels
func go_cuLibraryEnumerateKernels(current C.uintptr_t, to *C.uintptr_t, n C.uint, h C.uintptr_t) C.int {
	return go_cuModuleEnumerateFunctions(current, to, n, h)
}

//export go_cuLibraryGetModule
func go_cuLibraryGetModule(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withModule(current, h, to != nil, func(*module) result {
		*to = h
		return success
	})
}

//export go_cuLibraryGetGlobal
func go_cuLibraryGetGlobal(current C.uintptr_t, addr *C.ulonglong, n *C.size_t, h C.uintptr_t, name *C.char) C.int {
	return go_cuModuleGetGlobal_v2(current, addr, n, h, name)
}

//export go_cuLibraryGetManaged
func go_cuLibraryGetManaged(current C.uintptr_t, addr *C.ulonglong, n *C.size_t, h C.uintptr_t, name *C.char) C.int {
	return go_cuModuleGetGlobal_v2(current, addr, n, h, name)
}

//export go_cuKernelGetFunction
func go_cuKernelGetFunction(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withFunction(current, h, to != nil, func(*function) result {
		*to = h
		return success
	})
}

//export go_cuKernelGetLibrary
func go_cuKernelGetLibrary(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return go_cuFuncGetModule(current, to, h)
}

//export go_cuKernelGetAttribute
func go_cuKernelGetAttribute(current C.uintptr_t, value *C.int, attribute C.int, h C.uintptr_t, d C.int) C.int {
	return go_cuFuncGetAttribute(current, value, attribute, h)
}

//export go_cuKernelSetAttribute
func go_cuKernelSetAttribute(current C.uintptr_t, attribute, value C.int, h C.uintptr_t, d C.int) C.int {
	return go_cuFuncSetAttribute(current, h, attribute, value)
}

//export go_cuKernelSetCacheConfig
func go_cuKernelSetCacheConfig(current, h C.uintptr_t, config, d C.int) C.int {
	return go_cuFuncSetCacheConfig(current, h, config)
}

//export go_cuKernelGetName
func go_cuKernelGetName(current C.uintptr_t, name **C.char, h C.uintptr_t) C.int {
	return go_cuFuncGetName(current, name, h)
}

//export go_cuKernelGetParamInfo
func go_cuKernelGetParamInfo(current, h C.uintptr_t, i C.size_t, offset, size *C.size_t) C.int {
	return go_cuFuncGetParamInfo(current, h, i, offset, size)
}
