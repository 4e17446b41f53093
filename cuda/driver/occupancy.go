package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "signals.h"

static inline size_t callB2D(CUoccupancyB2DSize f, int n)
{
	struct outside o;
	signals_call_program(&o);
	size_t bytes = f(n);
	signals_called_program(&o);
	return bytes;
}
*/
import "C"

import (
	"math"

	"github.com/simtrun/simtrun"
)

//export go_cuOccupancyMaxActiveBlocksPerMultiprocessor
func go_cuOccupancyMaxActiveBlocksPerMultiprocessor(current C.uintptr_t, blocks *C.int, fn C.uintptr_t, threads C.int, shared C.size_t) C.int {
	return withFunction(current, fn, blocks != nil && threads > 0, func(f *function) result {
		*blocks = 0
		if int64(shared) <= f.mostDynamic() {
			*blocks = C.int(f.k.Occupancy(simtrun.Dim{X: uint32(threads)}, int64(shared)).CTAs)
		}
		return success
	})
}

//export go_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
func go_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(current C.uintptr_t, blocks *C.int, fn C.uintptr_t, threads C.int, shared C.size_t, flags C.uint) C.int {
	return go_cuOccupancyMaxActiveBlocksPerMultiprocessor(current, blocks, fn, threads, shared)
}

//export go_cuOccupancyMaxPotentialBlockSize
func go_cuOccupancyMaxPotentialBlockSize(current C.uintptr_t, grid, block *C.int, fn C.uintptr_t, sharedOf C.CUoccupancyB2DSize, shared C.size_t, limit C.int) C.int {
	return withFunction(current, fn, grid != nil && block != nil, func(f *function) result {
		bytes := func(threads int) int64 {
			n := shared
			if sharedOf != nil {
				unlocked(func() { n = C.callB2D(sharedOf, C.int(threads)) })
			}
			if int64(n) > f.mostDynamic() {
				return math.MaxInt32 // no SM has this much
			}
			return int64(n)
		}
		threads, best := f.k.BestBlock(int(limit), bytes)
		if threads == 0 {
			return errorInvalidValue
		}
		*grid, *block = C.int(best.CTAs*dev.gpu.SMs), C.int(threads)
		return success
	})
}

//export go_cuOccupancyMaxPotentialBlockSizeWithFlags
func go_cuOccupancyMaxPotentialBlockSizeWithFlags(current C.uintptr_t, grid, block *C.int, fn C.uintptr_t, sharedOf C.CUoccupancyB2DSize, shared C.size_t, limit C.int, flags C.uint) C.int {
	return go_cuOccupancyMaxPotentialBlockSize(current, grid, block, fn, sharedOf, shared, limit)
}

//export go_cuOccupancyAvailableDynamicSMemPerBlock
func go_cuOccupancyAvailableDynamicSMemPerBlock(current C.uintptr_t, bytes *C.size_t, fn C.uintptr_t, blocks, threads C.int) C.int {
	return withFunction(current, fn, bytes != nil && blocks > 0 && threads > 0, func(f *function) result {
		fits := func(n int64) bool {
			return f.k.Occupancy(simtrun.Dim{X: uint32(threads)}, n).CTAs >= int(blocks)
		}
		if !fits(0) {
			return errorInvalidValue
		}
		low, high := int64(0), f.attrs.MaxDynamicShared+1 // low fits, high does not
		for high-low > 1 {
			if middle := (low + high) / 2; fits(middle) {
				low = middle
			} else {
				high = middle
			}
		}
		*bytes = C.size_t(low)
		return success
	})
}

//export go_cuOccupancyMaxPotentialClusterSize
func go_cuOccupancyMaxPotentialClusterSize(current C.uintptr_t, size *C.int, fn C.uintptr_t, config *C.CUlaunchConfig) C.int {
	return withFunction(current, fn, size != nil && config != nil, func(*function) result {
		*size = C.int(min(dev.gpu.Cluster.Size, 8)) // the portable size
		return success
	})
}

//export go_cuOccupancyMaxActiveClusters
func go_cuOccupancyMaxActiveClusters(current C.uintptr_t, clusters *C.int, fn C.uintptr_t, config *C.CUlaunchConfig) C.int {
	return withFunction(current, fn, clusters != nil && config != nil, func(f *function) result {
		l := launch{f: f}
		if r := l.apply(config); r != success {
			return r
		}
		o := f.k.Occupancy(simtrun.Dim{X: uint32(config.blockDimX), Y: uint32(config.blockDimY), Z: uint32(config.blockDimZ)}, int64(config.sharedMemBytes))
		*clusters = C.int(dev.gpu.MaxActiveClusters(int(l.cluster.Count()), o.CTAs))
		return success
	})
}
