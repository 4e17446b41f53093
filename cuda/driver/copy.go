package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// place is the source or the destination of a copy. It is resolved when bytes are copied, because memory may be
// allocated in between.
type place struct {
	bytes func(n uint64) ([]byte, result)
	addr  uint64
	host  bool // it may be host memory that the driver does not know
	// for an array: the contiguous bytes from done on; nil for other memory
	rows func(done, all uint64) ([]byte, result)
}

// transfer is a copy of bytes.
type transfer struct {
	to, from place
	at       callers // the call that copies
}

func deviceAt(addr C.ulonglong) place {
	return place{bytes: func(n uint64) ([]byte, result) { return dev.bytes(uint64(addr), n) }, addr: uint64(addr)}
}

func hostAt(p unsafe.Pointer) place {
	return place{bytes: func(n uint64) ([]byte, result) { return hostBytes(p, n) }, addr: uint64(uintptr(p)), host: true}
}

func anyAt(addr C.ulonglong) place {
	return place{bytes: func(n uint64) ([]byte, result) { return dev.anyBytes(uint64(addr), n) }, addr: uint64(addr), host: true}
}

// isPageable reports whether the driver does not know the memory.
func (p *place) isPageable() bool { return p.host && dev.mem.Find(p.addr) == nil }

// piece returns the contiguous bytes from done on, up to all.
func (p *place) piece(done, all uint64) ([]byte, result) {
	if p.rows != nil {
		return p.rows(done, all)
	}
	b, r := p.bytes(all)
	if r != success {
		return nil, r
	}
	return b[done:], success
}

// copyBytes copies n bytes, which are contiguous except in arrays.
func copyBytes(t *transfer, n uint64) result {
	out := outgoing{at: t.at}
	defer out.report()
	for done := uint64(0); done < n; {
		to, r := t.to.piece(done, n)
		if r != success {
			return r
		}
		from, r := t.from.piece(done, n)
		if r != success {
			return r
		}
		if t.to.rows != nil || t.from.rows != nil { // the others were recorded as a whole
			dev.orders.moved(to, from)
		}
		some := copy(to, from)
		dev.wrote(to[:some], from[:some], &out)
		done += uint64(some)
	}
	return success
}

// copyNow copies in the stream 0, and waits.
func copyNow(current C.uintptr_t, t transfer, n C.size_t) C.int {
	return whenDone(current, func() C.int {
		r := copyOn(current, 0, t, n, true)
		if r == C.int(success) {
			dev.copied(current, t.to.memory(), t.from.memory())
		}
		return r
	})
}

// copyIn copies in a stream.
func copyIn(current, h C.uintptr_t, t transfer, n C.size_t) C.int {
	return copyOn(current, h, t, n, false)
}

// copyOn copies in a stream. waits says that the call waits for the copy.
func copyOn(current, h C.uintptr_t, t transfer, n C.size_t, waits bool) C.int {
	t.at = callersNow()
	return withStream(current, h, true, func(s *stream) result {
		if s.capture == nil && !s.isDone() {
			if r := t.stage(s, n); r != success {
				return r
			}
		}
		return s.do(C.CU_GRAPH_NODE_TYPE_MEMCPY, does(func() result { return dev.orders.copy(&t, uint64(n), waits) }))
	})
}

// stage prepares a copy that is deferred. Pageable memory of the program is read now, and written before the call
// returns (CUDA Driver API, API synchronization behavior).
func (t *transfer) stage(s *stream, n C.size_t) result {
	if t.from.isPageable() {
		from, r := t.from.bytes(uint64(n))
		if r != success {
			return r
		}
		from = bytes.Clone(from)
		t.from.bytes = func(uint64) ([]byte, result) { return from, success }
	}
	if t.to.isPageable() {
		dev.waitUntil(s.isDone)
	}
	return s.ctx.failed
}

//export go_cuMemcpy
func go_cuMemcpy(current C.uintptr_t, dst, src C.ulonglong, n C.size_t) C.int {
	return copyNow(current, transfer{to: anyAt(dst), from: anyAt(src)}, n)
}

//export go_cuMemcpyAsync
func go_cuMemcpyAsync(current C.uintptr_t, dst, src C.ulonglong, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: anyAt(dst), from: anyAt(src)}, n)
}

//export go_cuMemcpyPeer
func go_cuMemcpyPeer(current C.uintptr_t, dst C.ulonglong, dstContext C.uintptr_t, src C.ulonglong, srcContext C.uintptr_t, n C.size_t) C.int {
	return copyNow(current, transfer{to: deviceAt(dst), from: deviceAt(src)}, n)
}

//export go_cuMemcpyPeerAsync
func go_cuMemcpyPeerAsync(current C.uintptr_t, dst C.ulonglong, dstContext C.uintptr_t, src C.ulonglong, srcContext C.uintptr_t, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: deviceAt(dst), from: deviceAt(src)}, n)
}

//export go_cuMemcpyHtoD_v2
func go_cuMemcpyHtoD_v2(current C.uintptr_t, dst C.ulonglong, src unsafe.Pointer, n C.size_t) C.int {
	return copyNow(current, transfer{to: deviceAt(dst), from: hostAt(src)}, n)
}

//export go_cuMemcpyDtoH_v2
func go_cuMemcpyDtoH_v2(current C.uintptr_t, dst unsafe.Pointer, src C.ulonglong, n C.size_t) C.int {
	return copyNow(current, transfer{to: hostAt(dst), from: deviceAt(src)}, n)
}

//export go_cuMemcpyDtoD_v2
func go_cuMemcpyDtoD_v2(current C.uintptr_t, dst, src C.ulonglong, n C.size_t) C.int {
	return copyNow(current, transfer{to: deviceAt(dst), from: deviceAt(src)}, n)
}

//export go_cuMemcpyHtoDAsync_v2
func go_cuMemcpyHtoDAsync_v2(current C.uintptr_t, dst C.ulonglong, src unsafe.Pointer, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: deviceAt(dst), from: hostAt(src)}, n)
}

//export go_cuMemcpyDtoHAsync_v2
func go_cuMemcpyDtoHAsync_v2(current C.uintptr_t, dst unsafe.Pointer, src C.ulonglong, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: hostAt(dst), from: deviceAt(src)}, n)
}

//export go_cuMemcpyDtoDAsync_v2
func go_cuMemcpyDtoDAsync_v2(current C.uintptr_t, dst, src C.ulonglong, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: deviceAt(dst), from: deviceAt(src)}, n)
}

// box is one side of a copy of a box of bytes.
type box struct {
	memory        C.CUmemorytype
	host          unsafe.Pointer
	device        C.ulonglong
	array         C.CUarray
	x, y, z       uint64 // start of the box; x in bytes
	pitch, height uint64 // bytes of a row; rows of a slice, 0: same as the copied box
}

// row returns n bytes of the box, at row y of slice z.
func (b *box) row(y, z, n uint64) ([]byte, result) {
	if a := b.arrayOf(); a != nil {
		return a.row(b.x, b.y+y, b.z+z, n)
	}
	offset := b.x + (b.y+y)*b.pitch + (b.z+z)*b.pitch*b.height
	switch b.memory {
	case C.CU_MEMORYTYPE_HOST:
		if b.host == nil {
			return nil, errorInvalidValue
		}
		return hostBytes(unsafe.Add(b.host, offset), n)
	case C.CU_MEMORYTYPE_DEVICE:
		return dev.bytes(uint64(b.device)+offset, n)
	case C.CU_MEMORYTYPE_UNIFIED:
		return dev.anyBytes(uint64(b.device)+offset, n)
	}
	return nil, errorInvalidValue
}

// arrayOf returns the side's array, or nil.
func (b *box) arrayOf() *array {
	if b.memory != C.CU_MEMORYTYPE_ARRAY {
		return nil
	}
	return object[array](C.uintptr_t(uintptr(unsafe.Pointer(b.array))))
}

// copyBox copies boxes of width bytes, height rows and depth slices, for a call.
func copyBox(to, from box, width, height, depth uint64, at callers) result {
	for _, side := range []*box{&to, &from} {
		if side.memory == C.CU_MEMORYTYPE_ARRAY { // an array has its own pitch
			continue
		}
		if side.height == 0 {
			side.height = height
		}
		if side.pitch == 0 {
			side.pitch = side.x + width
		}
		if side.pitch < side.x+width && (height > 1 || depth > 1) || side.height < height && depth > 1 {
			return errorInvalidValue
		}
	}
	if width == 0 || height == 0 || depth == 0 {
		return success
	}
	eachRow := func(f func(to, from []byte)) result {
		for z := range depth {
			for y := range height {
				t, r := to.row(y, z, width)
				if r != success {
					return r
				}
				s, r := from.row(y, z, width)
				if r != success {
					return r
				}
				f(t, s)
			}
		}
		return success
	}
	// check first, so that nothing is copied if there is an error
	if r := eachRow(func(_, _ []byte) {}); r != success {
		return r
	}
	out := outgoing{at: at}
	defer out.report()
	return eachRow(func(to, from []byte) {
		dev.orders.moved(to, from)
		copy(to, from)
		dev.wrote(to, from, &out)
	})
}

func copy2D(c *C.CUDA_MEMCPY2D, at callers) result {
	to := box{memory: c.dstMemoryType, host: c.dstHost, device: c.dstDevice, array: c.dstArray, x: uint64(c.dstXInBytes), y: uint64(c.dstY), pitch: uint64(c.dstPitch)}
	from := box{memory: c.srcMemoryType, host: c.srcHost, device: c.srcDevice, array: c.srcArray, x: uint64(c.srcXInBytes), y: uint64(c.srcY), pitch: uint64(c.srcPitch)}
	return copyBox(to, from, uint64(c.WidthInBytes), uint64(c.Height), 1, at)
}

func copy3D(c *C.CUDA_MEMCPY3D, at callers) result {
	if c.srcLOD != 0 || c.dstLOD != 0 {
		return errorInvalidValue
	}
	to := box{memory: c.dstMemoryType, host: c.dstHost, device: c.dstDevice, array: c.dstArray, x: uint64(c.dstXInBytes), y: uint64(c.dstY), z: uint64(c.dstZ), pitch: uint64(c.dstPitch), height: uint64(c.dstHeight)}
	from := box{memory: c.srcMemoryType, host: c.srcHost, device: c.srcDevice, array: c.srcArray, x: uint64(c.srcXInBytes), y: uint64(c.srcY), z: uint64(c.srcZ), pitch: uint64(c.srcPitch), height: uint64(c.srcHeight)}
	return copyBox(to, from, uint64(c.WidthInBytes), uint64(c.Height), uint64(c.Depth), at)
}

func copy2DIn(current, s C.uintptr_t, c *C.CUDA_MEMCPY2D) C.int {
	if c == nil {
		return C.int(errorInvalidValue)
	}
	now, at := *c, callersNow()
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_MEMCPY, func(*cudaContext) result { return copy2D(&now, at) })
}

func copy3DIn(current, s C.uintptr_t, c *C.CUDA_MEMCPY3D) C.int {
	if c == nil {
		return C.int(errorInvalidValue)
	}
	now, at := *c, callersNow()
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_MEMCPY, func(*cudaContext) result { return copy3D(&now, at) })
}

//export go_cuMemcpy2D_v2
func go_cuMemcpy2D_v2(current C.uintptr_t, c *C.CUDA_MEMCPY2D) C.int {
	return whenDone(current, func() C.int {
		r := copy2DIn(current, 0, c)
		if r == C.int(success) {
			dev.copied(current, boxMemory(c.dstMemoryType, c.dstHost, c.dstDevice), boxMemory(c.srcMemoryType, c.srcHost, c.srcDevice))
		}
		return r
	})
}

//export go_cuMemcpy2DUnaligned_v2
func go_cuMemcpy2DUnaligned_v2(current C.uintptr_t, c *C.CUDA_MEMCPY2D) C.int {
	return go_cuMemcpy2D_v2(current, c)
}

//export go_cuMemcpy2DAsync_v2
func go_cuMemcpy2DAsync_v2(current C.uintptr_t, c *C.CUDA_MEMCPY2D, s C.uintptr_t) C.int {
	return copy2DIn(current, s, c)
}

//export go_cuMemcpy3D_v2
func go_cuMemcpy3D_v2(current C.uintptr_t, c *C.CUDA_MEMCPY3D) C.int {
	return whenDone(current, func() C.int {
		r := copy3DIn(current, 0, c)
		if r == C.int(success) {
			dev.copied(current, boxMemory(c.dstMemoryType, c.dstHost, c.dstDevice), boxMemory(c.srcMemoryType, c.srcHost, c.srcDevice))
		}
		return r
	})
}

//export go_cuMemcpy3DAsync_v2
func go_cuMemcpy3DAsync_v2(current C.uintptr_t, c *C.CUDA_MEMCPY3D, s C.uintptr_t) C.int {
	return copy3DIn(current, s, c)
}

// The contexts of both sides take the place of CUDA_MEMCPY3D's reserved members.
//
//export go_cuMemcpy3DPeer
func go_cuMemcpy3DPeer(current C.uintptr_t, c *C.CUDA_MEMCPY3D_PEER) C.int {
	return go_cuMemcpy3D_v2(current, (*C.CUDA_MEMCPY3D)(unsafe.Pointer(c)))
}

//export go_cuMemcpy3DPeerAsync
func go_cuMemcpy3DPeerAsync(current C.uintptr_t, c *C.CUDA_MEMCPY3D_PEER, s C.uintptr_t) C.int {
	return copy3DIn(current, s, (*C.CUDA_MEMCPY3D)(unsafe.Pointer(c)))
}

// pattern returns the bytes of an element for a memset.
func pattern(value C.uint, size uint64) []byte {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(value))
	return b[:size]
}

// memset sets height rows of width elements, of size bytes each, with a distance of pitch bytes.
func memset(dst C.ulonglong, pitch C.size_t, value C.uint, size uint64, width, height C.size_t) result {
	const most = 1 << 60
	if width == 0 || height == 0 {
		return success
	}
	row, between, rows := uint64(width)*size, uint64(pitch), uint64(height)
	if uint64(dst)%size != 0 || width > most || rows > 1 && (between%size != 0 || between < row || between > most/(rows-1)) {
		return errorInvalidValue
	}
	all, r := dev.bytes(uint64(dst), (rows-1)*between+row)
	if r != success {
		return r
	}
	for y := range rows {
		dev.orders.filled(uint64(dst)+y*between, row)
		fill(all[y*between:][:row], pattern(value, size))
		dev.wrote(all[y*between:][:row], nil, nil)
	}
	return success
}

func setIn(current, s C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uint, size uint64, width, height C.size_t) C.int {
	return onStream(current, s, C.CU_GRAPH_NODE_TYPE_MEMSET, func(*cudaContext) result { return memset(dst, pitch, value, size, width, height) })
}

// setNow sets memory in the default stream. The host waits only for memory that it shares.
func setNow(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uint, size uint64, width, height C.size_t) C.int {
	r := setIn(current, 0, dst, pitch, value, size, width, height)
	if a := dev.orders.shared(uint64(dst)); r == C.int(success) && a {
		dev.copied(current, pageLocked, onGPU)
	}
	return r
}

//export go_cuMemsetD8_v2
func go_cuMemsetD8_v2(current C.uintptr_t, dst C.ulonglong, value C.uchar, n C.size_t) C.int {
	return setNow(current, dst, 0, C.uint(value), 1, n, 1)
}

//export go_cuMemsetD16_v2
func go_cuMemsetD16_v2(current C.uintptr_t, dst C.ulonglong, value C.ushort, n C.size_t) C.int {
	return setNow(current, dst, 0, C.uint(value), 2, n, 1)
}

//export go_cuMemsetD32_v2
func go_cuMemsetD32_v2(current C.uintptr_t, dst C.ulonglong, value C.uint, n C.size_t) C.int {
	return setNow(current, dst, 0, value, 4, n, 1)
}

//export go_cuMemsetD2D8_v2
func go_cuMemsetD2D8_v2(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uchar, width, height C.size_t) C.int {
	return setNow(current, dst, pitch, C.uint(value), 1, width, height)
}

//export go_cuMemsetD2D16_v2
func go_cuMemsetD2D16_v2(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.ushort, width, height C.size_t) C.int {
	return setNow(current, dst, pitch, C.uint(value), 2, width, height)
}

//export go_cuMemsetD2D32_v2
func go_cuMemsetD2D32_v2(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uint, width, height C.size_t) C.int {
	return setNow(current, dst, pitch, value, 4, width, height)
}

//export go_cuMemsetD8Async
func go_cuMemsetD8Async(current C.uintptr_t, dst C.ulonglong, value C.uchar, n C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, 0, C.uint(value), 1, n, 1)
}

//export go_cuMemsetD16Async
func go_cuMemsetD16Async(current C.uintptr_t, dst C.ulonglong, value C.ushort, n C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, 0, C.uint(value), 2, n, 1)
}

//export go_cuMemsetD32Async
func go_cuMemsetD32Async(current C.uintptr_t, dst C.ulonglong, value C.uint, n C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, 0, value, 4, n, 1)
}

//export go_cuMemsetD2D8Async
func go_cuMemsetD2D8Async(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uchar, width, height C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, pitch, C.uint(value), 1, width, height)
}

//export go_cuMemsetD2D16Async
func go_cuMemsetD2D16Async(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.ushort, width, height C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, pitch, C.uint(value), 2, width, height)
}

//export go_cuMemsetD2D32Async
func go_cuMemsetD2D32Async(current C.uintptr_t, dst C.ulonglong, pitch C.size_t, value C.uint, width, height C.size_t, s C.uintptr_t) C.int {
	return setIn(current, s, dst, pitch, value, 4, width, height)
}
