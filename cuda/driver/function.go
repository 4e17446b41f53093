package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

// withFunction runs f for a call about a function. wanted reports whether the result pointer is not NULL.
func withFunction(current, h C.uintptr_t, wanted bool, f func(f *function) result) C.int {
	return in(current, func(*cudaContext) result {
		fn := object[function](h)
		switch {
		case fn == nil:
			return errorInvalidHandle
		case !wanted:
			return errorInvalidValue
		}
		return f(fn)
	})
}

//export go_cuFuncGetAttribute
func go_cuFuncGetAttribute(current C.uintptr_t, value *C.int, attribute C.int, h C.uintptr_t) C.int {
	return withFunction(current, h, value != nil, func(f *function) result {
		a := &f.attrs
		switch attribute {
		case C.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
			*value = C.int(a.MaxThreads)
		case C.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
			*value = C.int(a.StaticShared)
		case C.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
			*value = C.int(a.Const)
		case C.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
			*value = C.int(a.Local)
		case C.CU_FUNC_ATTRIBUTE_NUM_REGS:
			*value = C.int(a.Registers)
		case C.CU_FUNC_ATTRIBUTE_PTX_VERSION: // of the architecture, not the PTX version
			*value = C.int(f.mod.target)
		case C.CU_FUNC_ATTRIBUTE_BINARY_VERSION:
			*value = C.int(dev.target())
		case C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
			*value = C.int(f.mostDynamic())
		case C.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
			*value = f.carve
		case C.CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, C.CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
			C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, C.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, C.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
			C.CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
			*value = 0
		default:
			return errorInvalidValue
		}
		return success
	})
}

//export go_cuFuncSetAttribute
func go_cuFuncSetAttribute(current, h C.uintptr_t, attribute, value C.int) C.int {
	return withFunction(current, h, true, func(f *function) result {
		switch attribute {
		case C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
			if value < 0 || int64(value) > f.attrs.MaxDynamicShared {
				return dev.misuse.because(errorInvalidValue, "%d bytes of dynamic shared memory; the kernel can have %d", value, f.attrs.MaxDynamicShared)
			}
			f.dynamic = int64(value)
		case C.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
			if value < -1 || value > 100 {
				return errorInvalidValue
			}
			f.carve = value
		case C.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, C.CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		default:
			return errorInvalidValue
		}
		return success
	})
}

//export go_cuFuncSetCacheConfig
func go_cuFuncSetCacheConfig(current, h C.uintptr_t, config C.int) C.int {
	return withFunction(current, h, config >= 0 && config <= C.CU_FUNC_CACHE_PREFER_EQUAL, func(*function) result { return success })
}

//export go_cuFuncSetSharedMemConfig
func go_cuFuncSetSharedMemConfig(current, h C.uintptr_t, config C.int) C.int {
	return withFunction(current, h, config >= 0 && config <= C.CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, func(*function) result { return success })
}

//export go_cuFuncGetModule
func go_cuFuncGetModule(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return withFunction(current, h, to != nil, func(f *function) result {
		*to = C.uintptr_t(f.mod.h)
		return success
	})
}

//export go_cuFuncGetName
func go_cuFuncGetName(current C.uintptr_t, name **C.char, h C.uintptr_t) C.int {
	return withFunction(current, h, name != nil, func(f *function) result {
		*name = dev.constant(f.k.Name())
		return success
	})
}

//export go_cuFuncGetParamInfo
func go_cuFuncGetParamInfo(current, h C.uintptr_t, i C.size_t, offset, size *C.size_t) C.int {
	return withFunction(current, h, offset != nil, func(f *function) result {
		if uint64(i) >= uint64(len(f.params)) {
			return errorInvalidValue
		}
		*offset = C.size_t(f.params[i].Offset)
		set(size, C.size_t(f.params[i].Size))
		return success
	})
}

//export go_cuFuncIsLoaded
func go_cuFuncIsLoaded(current C.uintptr_t, state *C.int, h C.uintptr_t) C.int {
	return withFunction(current, h, state != nil, func(*function) result {
		*state = 1
		return success
	})
}

//export go_cuFuncLoad
func go_cuFuncLoad(current, h C.uintptr_t) C.int {
	return withFunction(current, h, true, func(*function) result { return success })
}
