package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"
)

// pointerAttribute writes an attribute of an address.
func (d *device) pointerAttribute(to unsafe.Pointer, attribute C.int, addr uint64) result {
	if to == nil {
		return errorInvalidValue
	}
	b := d.mem.Find(addr)
	if b == nil {
		return errorInvalidValue
	}
	a := d.allocs[d.baseOf(b)] // nil for a variable
	host := a != nil && a.host()
	switch attribute {
	case C.CU_POINTER_ATTRIBUTE_CONTEXT:
		*(*handle)(to) = a.context()
	case C.CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		t := C.uint(C.CU_MEMORYTYPE_DEVICE)
		if a != nil && (a.kind == onHost || a.kind == registered) {
			t = C.CU_MEMORYTYPE_HOST
		}
		*(*C.uint)(to) = t
	case C.CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(*uint64)(to) = addr
	case C.CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if !host {
			return errorInvalidValue
		}
		*(*uint64)(to) = addr
	case C.CU_POINTER_ATTRIBUTE_BUFFER_ID:
		var id uint64
		if a != nil {
			id = a.serial
		}
		*(*uint64)(to) = id
	case C.CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(*C.uint)(to) = truth(a != nil && a.kind == managed)
	case C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(*C.int)(to) = 0
	case C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(*uint64)(to), _ = d.rangeOf(b)
	case C.CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		_, *(*uint64)(to) = d.rangeOf(b)
	case C.CU_POINTER_ATTRIBUTE_MAPPED:
		*(*C.uint)(to) = 1
	case C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, C.CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, C.CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(*C.uint)(to) = 0
	case C.CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(*C.uint)(to) = C.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
	case C.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(*uint64)(to) = 0
		if m := d.mappingAt(addr); m != nil {
			*(*uint64)(to) = uint64(m.of.props.requestedHandleTypes)
		}
	case C.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(*uint64)(to) = uint64(a.poolHandle())
	default:
		return errorNotSupported
	}
	return success
}

// context returns the context of an allocation, or 0 for a variable, which has none.
func (a *allocation) context() handle {
	if a == nil || a.ctx == nil {
		return 0
	}
	return a.ctx.h
}

// poolHandle returns the pool of an allocation, or 0.
func (a *allocation) poolHandle() handle {
	if a == nil || a.pool == nil {
		return 0
	}
	return a.pool.h
}

func truth(b bool) C.uint {
	if b {
		return 1
	}
	return 0
}

//export go_cuPointerGetAttribute
func go_cuPointerGetAttribute(current C.uintptr_t, to unsafe.Pointer, attribute C.int, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result { return dev.pointerAttribute(to, attribute, uint64(addr)) })
}

// For an address that the driver does not know, it writes zeros and returns no error.
//
//export go_cuPointerGetAttributes
func go_cuPointerGetAttributes(current C.uintptr_t, n C.uint, attributes *C.int, to *unsafe.Pointer, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		if n == 0 || attributes == nil || to == nil {
			return errorInvalidValue
		}
		places := unsafe.Slice(to, n)
		for i, a := range unsafe.Slice(attributes, n) {
			if dev.pointerAttribute(places[i], a, uint64(addr)) != success && places[i] != nil {
				switch a {
				case C.CU_POINTER_ATTRIBUTE_CONTEXT, C.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, C.CU_POINTER_ATTRIBUTE_HOST_POINTER, C.CU_POINTER_ATTRIBUTE_BUFFER_ID,
					C.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, C.CU_POINTER_ATTRIBUTE_RANGE_SIZE, C.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, C.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
					*(*uint64)(places[i]) = 0
				case C.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
					*(*C.int)(places[i]) = C.CU_DEVICE_INVALID
				default:
					*(*C.uint)(places[i]) = 0
				}
			}
		}
		return success
	})
}

//export go_cuPointerSetAttribute
func go_cuPointerSetAttribute(current C.uintptr_t, value unsafe.Pointer, attribute C.int, addr C.ulonglong) C.int {
	return in(current, func(*cudaContext) result {
		if value == nil || attribute != C.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || dev.mem.Find(uint64(addr)) == nil {
			return errorInvalidValue
		}
		return success
	})
}
