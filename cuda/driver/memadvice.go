package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

// Hints about the location of managed memory have no effect, because there is only one.
func (d *device) hint(addr, n uint64) result {
	if _, r := d.bytes(addr, n); r != success || n == 0 {
		return errorInvalidValue
	}
	return success
}

//export go_cuMemAdvise
func go_cuMemAdvise(current C.uintptr_t, addr C.ulonglong, n C.size_t, advice, d C.int) C.int {
	return in(current, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemAdvise_v2
func go_cuMemAdvise_v2(current C.uintptr_t, addr C.ulonglong, n C.size_t, advice C.int, location C.CUmemLocation) C.int {
	return in(current, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemPrefetchAsync
func go_cuMemPrefetchAsync(current C.uintptr_t, addr C.ulonglong, n C.size_t, d C.int, s C.uintptr_t) C.int {
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_EMPTY, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}

//export go_cuMemPrefetchAsync_v2
func go_cuMemPrefetchAsync_v2(current C.uintptr_t, addr C.ulonglong, n C.size_t, location C.CUmemLocation, flags C.uint, s C.uintptr_t) C.int {
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_EMPTY, func(*cudaContext) result { return dev.hint(uint64(addr), uint64(n)) })
}
