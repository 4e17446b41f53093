package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include <string.h>
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

//export go_cuDeviceGet
func go_cuDeviceGet(_ C.uintptr_t, d *C.int, ordinal C.int) C.int {
	return global(func() result {
		switch {
		case d == nil:
			return errorInvalidValue
		case !isDevice(ordinal):
			return errorInvalidDevice
		}
		*d = ordinal
		return success
	})
}

//export go_cuDeviceGetCount
func go_cuDeviceGetCount(_ C.uintptr_t, n *C.int) C.int {
	return global(func() result {
		if n == nil {
			return errorInvalidValue
		}
		*n = 1
		return success
	})
}

// ofDevice runs f for a call that queries device d.
func ofDevice(d C.int, wanted bool, f func()) C.int {
	return global(func() result {
		switch {
		case !isDevice(d):
			return errorInvalidDevice
		case !wanted:
			return errorInvalidValue
		}
		f()
		return success
	})
}

// putText writes a text with its final NUL into n bytes, truncated if it is longer.
func putText(to *C.char, n C.int, text string) {
	if n <= 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(to)), n)
	bytes[copy(bytes[:n-1], text)] = 0
}

//export go_cuDeviceGetName
func go_cuDeviceGetName(_ C.uintptr_t, name *C.char, n C.int, d C.int) C.int {
	return ofDevice(d, name != nil && n > 0, func() { putText(name, n, dev.gpu.Title+" (simtrun)") })
}

//export go_cuDeviceGetPCIBusId
func go_cuDeviceGetPCIBusId(_ C.uintptr_t, id *C.char, n C.int, d C.int) C.int {
	return ofDevice(d, id != nil && n > 0, func() { putText(id, n, pciBusID) })
}

const pciBusID = "0000:01:00.0"

//export go_cuDeviceGetByPCIBusId
func go_cuDeviceGetByPCIBusId(_ C.uintptr_t, d *C.int, id *C.char) C.int {
	return global(func() result {
		var domain, bus, device int
		switch {
		case d == nil || id == nil:
			return errorInvalidValue
		default:
			text := C.GoString(id)
			if n, _ := fmt.Sscanf(text, "%x:%x:%x", &domain, &bus, &device); n < 3 {
				domain = 0
				if n, _ := fmt.Sscanf(text, "%x:%x", &bus, &device); n < 2 {
					return errorInvalidValue
				}
			}
		}
		if domain != 0 || bus != 1 || device != 0 {
			return errorInvalidDevice
		}
		*d = 0
		return success
	})
}

// deviceUUID identifies the device.
const deviceUUID = "simtrun-device-0"

//export go_cuDeviceGetUuid
func go_cuDeviceGetUuid(_ C.uintptr_t, uuid *C.CUuuid, d C.int) C.int {
	return ofDevice(d, uuid != nil, func() {
		for i := range uuid.bytes {
			uuid.bytes[i] = C.char(deviceUUID[i])
		}
	})
}

//export go_cuDeviceGetUuid_v2
func go_cuDeviceGetUuid_v2(current C.uintptr_t, uuid *C.CUuuid, d C.int) C.int {
	return go_cuDeviceGetUuid(current, uuid, d)
}

//export go_cuDeviceGetLuid
func go_cuDeviceGetLuid(_ C.uintptr_t, luid *C.char, mask *C.uint, d C.int) C.int {
	return C.int(errorNotSupported) // exists on Windows only
}

//export go_cuDeviceTotalMem_v2
func go_cuDeviceTotalMem_v2(_ C.uintptr_t, bytes *C.size_t, d C.int) C.int {
	return ofDevice(d, bytes != nil, func() { *bytes = C.size_t(dev.totalMemory()) })
}

//export go_cuDeviceComputeCapability
func go_cuDeviceComputeCapability(_ C.uintptr_t, major, minor *C.int, d C.int) C.int {
	return ofDevice(d, major != nil && minor != nil, func() { *major, *minor = C.int(dev.gpu.Capability[0]), C.int(dev.gpu.Capability[1]) })
}

//export go_cuDeviceCanAccessPeer
func go_cuDeviceCanAccessPeer(_ C.uintptr_t, can *C.int, d, peer C.int) C.int {
	return ofDevice(d|peer, can != nil, func() { *can = 0 })
}

//export go_cuDeviceGetP2PAttribute
func go_cuDeviceGetP2PAttribute(_ C.uintptr_t, value *C.int, attribute, src, dst C.int) C.int {
	return C.int(errorInvalidDevice) // there is only one device
}

//export go_cuDeviceGetTexture1DLinearMaxWidth
func go_cuDeviceGetTexture1DLinearMaxWidth(_ C.uintptr_t, elements *C.size_t, format C.int, channels C.uint, d C.int) C.int {
	return ofDevice(d, elements != nil, func() { *elements = mostLinear })
}

//export go_cuDeviceGetExecAffinitySupport
func go_cuDeviceGetExecAffinitySupport(_ C.uintptr_t, can *C.int, kind C.int, d C.int) C.int {
	return ofDevice(d, can != nil && kind == C.CU_EXEC_AFFINITY_TYPE_SM_COUNT, func() { *can = 0 })
}

//export go_cuDeviceGetProperties
func go_cuDeviceGetProperties(_ C.uintptr_t, p *C.CUdevprop, d C.int) C.int {
	return ofDevice(d, p != nil, func() {
		a := func(n C.int) C.int { return C.int(dev.attribute(n)) }
		p.maxThreadsPerBlock, p.sharedMemPerBlock, p.totalConstantMemory, p.SIMDWidth = a(1), a(8), a(9), a(10)
		p.maxThreadsDim, p.maxGridSize = [3]C.int{a(2), a(3), a(4)}, [3]C.int{a(5), a(6), a(7)}
		p.memPitch, p.regsPerBlock, p.clockRate, p.textureAlign = a(11), a(12), a(13), a(14)
	})
}

//export go_cuDeviceGetAttribute
func go_cuDeviceGetAttribute(_ C.uintptr_t, value *C.int, attribute C.int, d C.int) C.int {
	return global(func() result {
		switch {
		case value == nil || attribute < 1 || attribute >= C.CU_DEVICE_ATTRIBUTE_MAX:
			return errorInvalidValue
		case !isDevice(d):
			return errorInvalidDevice
		}
		*value = C.int(min(dev.attribute(attribute), math.MaxInt32))
		return success
	})
}

// attribute returns an attribute of the device: from the GPU's preset, or from the programming guide for its compute
// capability, and 0 for features that the device does not have.
func (d *device) attribute(n C.int) int64 {
	g := d.gpu
	hopper := int64(0)
	if g.Capability[0] >= 9 {
		hopper = 1
	}
	switch n {
	case C.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		return g.Limits.BlockThreads
	case C.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
		return int64(g.Limits.Block.X)
	case C.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
		return int64(g.Limits.Block.Y)
	case C.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
		return int64(g.Limits.Block.Z)
	case C.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
		return int64(g.Limits.Grid.X)
	case C.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
		return int64(g.Limits.Grid.Y)
	case C.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
		return int64(g.Limits.Grid.Z)
	case C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
		return g.Residency.SharedPerCTA
	case C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
		return g.Residency.SharedOptIn
	case C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
		return g.Residency.Shared
	case C.CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
		return g.Residency.SharedReserved
	case C.CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
		return int64(g.Residency.RegistersPerCTA)
	case C.CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
		return int64(g.Residency.Registers)
	case C.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
		return int64(g.Residency.Threads)
	case C.CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
		return int64(g.Residency.CTAs)
	case C.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
		return int64(g.SMs)
	case C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		return int64(g.Capability[0])
	case C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		return int64(g.Capability[1])
	case C.CU_DEVICE_ATTRIBUTE_CLOCK_RATE: // kHz
		return int64(g.ClockMHz * 1000)
	case C.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, C.CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
		return g.Memory.L2Bytes
	case C.CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: // bits
		return busBits
	case C.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: // kHz, at which a double-data-rate bus of busBits reaches the peak
		return int64(g.Memory.DRAMPeak * 1e6 / (2 * busBits / 8))
	case C.CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
		return int64(g.Units.FP32 / max(1, g.Units.FP64))
	case C.CU_DEVICE_ATTRIBUTE_WARP_SIZE:
		return 32
	case C.CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
		return 64 << 10
	case C.CU_DEVICE_ATTRIBUTE_MAX_PITCH:
		return math.MaxInt32
	case C.CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, C.CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
		return textureAlign
	case C.CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
		return texturePitchAlign
	case C.CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
		return 1
	case C.CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
		return 3
	case C.CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
		return 1 + 3*hopper
	case C.CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, C.CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
		return hopper
	case C.CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, C.CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER, C.CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, C.CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
		C.CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, C.CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED,
		C.CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, C.CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
		C.CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
		C.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, C.CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, C.CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED,
		C.CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, C.CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
		C.CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, C.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1, C.CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1,
		C.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, C.CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
		return 1
	}
	return int64(imageLimits[n])
}

// busBits is the width of the memory bus in attributes, as of five HBM stacks.
const busBits = 5120
