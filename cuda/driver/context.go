package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"


static inline int push_context(uintptr_t ctx) { return context_calls->push(ctx); }
static inline uintptr_t pop_context(void) { return context_calls->pop(); }
static inline void set_context(uintptr_t ctx) { context_calls->set(ctx); }
*/
import "C"

import "unsafe"

// cudaContext is a context. Its objects are destroyed with it.
type cudaContext struct {
	h       handle
	flags   uint32
	retains int    // of the primary context
	failed  result // the error of every further call after a kernel has failed; otherwise success
	limits  map[C.int]uint64
	cache   C.int
	modules map[*module]bool
	allocs  map[*allocation]bool
	null    stream // the legacy default stream
	// perThread are the default streams of threads, by their IDs
	perThread map[int]*stream
}

func (d *device) newContext(flags C.uint) *cudaContext {
	c := &cudaContext{flags: uint32(flags), modules: make(map[*module]bool), allocs: make(map[*allocation]bool), limits: map[C.int]uint64{
		C.CU_LIMIT_STACK_SIZE: 1024, C.CU_LIMIT_PRINTF_FIFO_SIZE: 1 << 20, C.CU_LIMIT_MALLOC_HEAP_SIZE: 8 << 20,
		C.CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: 2, C.CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT: 2048, C.CU_LIMIT_MAX_L2_FETCH_GRANULARITY: 64, C.CU_LIMIT_PERSISTING_L2_CACHE_SIZE: 0}}
	c.null.ctx = c
	c.h = d.add(c)
	return c
}

// destroy waits until all work of a context is done, and frees its objects.
func (c *cudaContext) destroy() {
	dev.settle()
	for m := range c.modules {
		m.unload()
	}
	for a := range c.allocs {
		a.free()
	}
	for handle, i := range dev.images {
		if i.ctx == c {
			i.image.Remove()
			delete(dev.images, handle)
		}
	}
	for h, o := range dev.objects {
		switch o := o.(type) {
		case *stream:
			if o.ctx == c {
				delete(dev.objects, h)
			}
		case *event:
			if o.ctx == c {
				delete(dev.objects, h)
			}
		case *array:
			if o.ctx == c {
				delete(dev.objects, h)
			}
		case *mipmapped:
			if o.ctx == c {
				delete(dev.objects, h)
			}
		case *texref:
			if o.ctx == c {
				delete(dev.objects, h)
			}
		}
	}
	delete(dev.objects, c.h)
}

// isDevice reports whether n is the number of the only device.
func isDevice(n C.int) bool { return n == 0 }

//export go_cuDevicePrimaryCtxRetain
func go_cuDevicePrimaryCtxRetain(_ C.uintptr_t, ctx *C.uintptr_t, d C.int) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case ctx == nil:
			return errorInvalidValue
		case dev.primary == nil:
			dev.primary = dev.newContext(C.uint(dev.flags))
		}
		dev.primary.retains++
		*ctx = C.uintptr_t(dev.primary.h)
		return success
	})
}

//export go_cuDevicePrimaryCtxRelease
func go_cuDevicePrimaryCtxRelease(current C.uintptr_t, d C.int) C.int {
	return go_cuDevicePrimaryCtxRelease_v2(current, d)
}

//export go_cuDevicePrimaryCtxRelease_v2
func go_cuDevicePrimaryCtxRelease_v2(_ C.uintptr_t, d C.int) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case dev.primary == nil:
			return errorInvalidContext
		}
		if dev.primary.retains--; dev.primary.retains <= 0 {
			dev.dropPrimary()
		}
		return success
	})
}

func (d *device) dropPrimary() {
	if d.primary != nil {
		d.primary.destroy()
		d.primary = nil
	}
}

//export go_cuDevicePrimaryCtxReset
func go_cuDevicePrimaryCtxReset(current C.uintptr_t, d C.int) C.int {
	return go_cuDevicePrimaryCtxReset_v2(current, d)
}

// The handle of the primary context stays valid, and refers to a new context.
//
//export go_cuDevicePrimaryCtxReset_v2
func go_cuDevicePrimaryCtxReset_v2(_ C.uintptr_t, d C.int) C.int {
	return global(func() result {
		if !isDevice(d) {
			return errorInvalidDevice
		}
		if old := dev.primary; old != nil {
			old.destroy()
			fresh := dev.newContext(C.uint(dev.flags))
			delete(dev.objects, fresh.h)
			fresh.h, fresh.retains = old.h, old.retains
			dev.objects[fresh.h], dev.primary = fresh, fresh
		}
		return success
	})
}

//export go_cuDevicePrimaryCtxSetFlags
func go_cuDevicePrimaryCtxSetFlags(current C.uintptr_t, d C.int, flags C.uint) C.int {
	return go_cuDevicePrimaryCtxSetFlags_v2(current, d, flags)
}

//export go_cuDevicePrimaryCtxSetFlags_v2
func go_cuDevicePrimaryCtxSetFlags_v2(_ C.uintptr_t, d C.int, flags C.uint) C.int {
	return global(func() result {
		if !isDevice(d) {
			return errorInvalidDevice
		}
		if dev.flags = uint32(flags); dev.primary != nil {
			dev.primary.flags = dev.flags
		}
		return success
	})
}

//export go_cuDevicePrimaryCtxGetState
func go_cuDevicePrimaryCtxGetState(_ C.uintptr_t, d C.int, flags *C.uint, active *C.int) C.int {
	return global(func() result {
		if !isDevice(d) {
			return errorInvalidDevice
		}
		set(flags, C.uint(dev.flags))
		on := C.int(0)
		if dev.primary != nil {
			on = 1
		}
		set(active, on)
		return success
	})
}

//export go_cuCtxCreate_v2
func go_cuCtxCreate_v2(_ C.uintptr_t, ctx *C.uintptr_t, flags C.uint, d C.int) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case ctx == nil:
			return errorInvalidValue
		}
		c := dev.newContext(flags)
		if C.push_context(C.uintptr_t(c.h)) == 0 {
			c.destroy()
			return errorOutOfMemory
		}
		*ctx = C.uintptr_t(c.h)
		return success
	})
}

//export go_cuCtxCreate_v3
func go_cuCtxCreate_v3(current C.uintptr_t, ctx *C.uintptr_t, affinities unsafe.Pointer, n C.int, flags C.uint, d C.int) C.int {
	if n != 0 {
		return C.int(errorUnsupportedExecAffinity)
	}
	return go_cuCtxCreate_v2(current, ctx, flags, d)
}

//export go_cuCtxCreate_v4
func go_cuCtxCreate_v4(current C.uintptr_t, ctx *C.uintptr_t, params unsafe.Pointer, flags C.uint, d C.int) C.int {
	if p := (*C.CUctxCreateParams)(params); p != nil {
		switch {
		case p.numExecAffinityParams != 0:
			return C.int(errorUnsupportedExecAffinity)
		case p.cigParams != nil:
			return C.int(errorNotSupported)
		}
	}
	return go_cuCtxCreate_v2(current, ctx, flags, d)
}

//export go_cuCtxDestroy_v2
func go_cuCtxDestroy_v2(current C.uintptr_t, ctx C.uintptr_t) C.int {
	return global(func() result {
		c := object[cudaContext](ctx)
		switch {
		case c == nil || c == dev.primary:
			return errorInvalidContext
		case current == ctx:
			C.pop_context()
		}
		c.destroy()
		return success
	})
}

//export go_cuCtxPushCurrent_v2
func go_cuCtxPushCurrent_v2(_ C.uintptr_t, ctx C.uintptr_t) C.int {
	return global(func() result {
		if object[cudaContext](ctx) == nil {
			return errorInvalidContext
		}
		if C.push_context(ctx) == 0 {
			return errorOutOfMemory
		}
		return success
	})
}

//export go_cuCtxPopCurrent_v2
func go_cuCtxPopCurrent_v2(current C.uintptr_t, ctx *C.uintptr_t) C.int {
	return global(func() result {
		if current == 0 {
			return errorInvalidContext
		}
		C.pop_context()
		set(ctx, current)
		return success
	})
}

//export go_cuCtxSetCurrent
func go_cuCtxSetCurrent(_ C.uintptr_t, ctx C.uintptr_t) C.int {
	return global(func() result {
		if ctx != 0 && object[cudaContext](ctx) == nil {
			return errorInvalidContext
		}
		C.set_context(ctx)
		return success
	})
}

//export go_cuCtxGetCurrent
func go_cuCtxGetCurrent(current C.uintptr_t, ctx *C.uintptr_t) C.int {
	return global(func() result {
		if ctx == nil {
			return errorInvalidValue
		}
		*ctx = current
		return success
	})
}

//export go_cuCtxGetDevice
func go_cuCtxGetDevice(current C.uintptr_t, d *C.int) C.int {
	return in(current, func(*cudaContext) result {
		if d == nil {
			return errorInvalidValue
		}
		*d = 0
		return success
	})
}

//export go_cuCtxGetFlags
func go_cuCtxGetFlags(current C.uintptr_t, flags *C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if flags == nil {
			return errorInvalidValue
		}
		*flags = C.uint(c.flags)
		return success
	})
}

//export go_cuCtxSetFlags
func go_cuCtxSetFlags(current C.uintptr_t, flags C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		c.flags = uint32(flags)
		return success
	})
}

// contextOr returns the context with a handle, or the current one for the handle 0.
func contextOr(current, ctx C.uintptr_t) *cudaContext {
	if ctx == 0 {
		ctx = current
	}
	return object[cudaContext](ctx)
}

//export go_cuCtxGetId
func go_cuCtxGetId(current, ctx C.uintptr_t, id *C.ulonglong) C.int {
	return global(func() result {
		c := contextOr(current, ctx)
		switch {
		case c == nil:
			return errorInvalidContext
		case id == nil:
			return errorInvalidValue
		}
		*id = C.ulonglong(c.h)
		return success
	})
}

//export go_cuCtxGetApiVersion
func go_cuCtxGetApiVersion(current, ctx C.uintptr_t, version *C.uint) C.int {
	return global(func() result {
		switch {
		case contextOr(current, ctx) == nil:
			return errorInvalidContext
		case version == nil:
			return errorInvalidValue
		}
		*version = 3020
		return success
	})
}

//export go_cuCtxSynchronize
func go_cuCtxSynchronize(current C.uintptr_t) C.int { return in(current, (*cudaContext).settle) }

// nothing is the work of calls that need none, because all earlier work is done.
func nothing(*cudaContext) result { return success }

//export go_cuCtxSetLimit
func go_cuCtxSetLimit(current C.uintptr_t, limit C.int, value C.size_t) C.int {
	return in(current, func(c *cudaContext) result {
		if _, known := c.limits[limit]; !known {
			return errorUnsupportedLimit
		}
		c.limits[limit] = uint64(value)
		if limit == C.CU_LIMIT_MALLOC_HEAP_SIZE {
			dev.mem.SetHeap(uint64(value))
		}
		return success
	})
}

//export go_cuCtxGetLimit
func go_cuCtxGetLimit(current C.uintptr_t, value *C.size_t, limit C.int) C.int {
	return in(current, func(c *cudaContext) result {
		v, known := c.limits[limit]
		switch {
		case value == nil:
			return errorInvalidValue
		case !known:
			return errorUnsupportedLimit
		}
		*value = C.size_t(v)
		return success
	})
}

//export go_cuCtxGetCacheConfig
func go_cuCtxGetCacheConfig(current C.uintptr_t, config *C.int) C.int {
	return in(current, func(c *cudaContext) result {
		set(config, c.cache)
		return success
	})
}

//export go_cuCtxSetCacheConfig
func go_cuCtxSetCacheConfig(current C.uintptr_t, config C.int) C.int {
	return in(current, func(c *cudaContext) result {
		c.cache = config
		return success
	})
}

//export go_cuCtxGetSharedMemConfig
func go_cuCtxGetSharedMemConfig(current C.uintptr_t, config *C.int) C.int {
	return in(current, func(c *cudaContext) result {
		set(config, C.int(C.CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE))
		return success
	})
}

//export go_cuCtxSetSharedMemConfig
func go_cuCtxSetSharedMemConfig(current C.uintptr_t, config C.int) C.int {
	return in(current, nothing)
}

//export go_cuCtxGetStreamPriorityRange
func go_cuCtxGetStreamPriorityRange(current C.uintptr_t, least, greatest *C.int) C.int {
	return in(current, func(*cudaContext) result {
		set(least, 0)
		set(greatest, -5)
		return success
	})
}

//export go_cuCtxResetPersistingL2Cache
func go_cuCtxResetPersistingL2Cache(current C.uintptr_t) C.int { return in(current, nothing) }

//export go_cuCtxAttach
func go_cuCtxAttach(current C.uintptr_t, ctx *C.uintptr_t, flags C.uint) C.int {
	return in(current, func(*cudaContext) result {
		set(ctx, current)
		return success
	})
}

//export go_cuCtxDetach
func go_cuCtxDetach(current, ctx C.uintptr_t) C.int { return in(current, nothing) }

//export go_cuCtxEnablePeerAccess
func go_cuCtxEnablePeerAccess(current, peer C.uintptr_t, flags C.uint) C.int {
	return in(current, func(*cudaContext) result {
		if object[cudaContext](peer) == nil || peer == current {
			return errorInvalidContext
		}
		return success
	})
}

//export go_cuCtxDisablePeerAccess
func go_cuCtxDisablePeerAccess(current, peer C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		if object[cudaContext](peer) == nil {
			return errorInvalidContext
		}
		return success
	})
}
