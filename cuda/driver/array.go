package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/texture"
)

// array is an array, or a level of a mipmapped array.
type array struct {
	h     handle
	ctx   *cudaContext
	desc  C.CUDA_ARRAY3D_DESCRIPTOR
	shape texture.Shape
	alloc *allocation
	at    int64      // offset in the allocation
	of    *mipmapped // nil unless it is a level
}

// mipmapped is a mipmapped array. Its shape includes all levels.
type mipmapped struct {
	array
	levels []*array // nil for levels without a handle
}

// rowAlign is the alignment of array rows in bytes: a sector.
const rowAlign = 32

// elementFormats maps CUarray_format to channel types, without normalisation of integers.
var elementFormats = map[C.int]texture.Channel{
	C.CU_AD_FORMAT_UNSIGNED_INT8: texture.U8, C.CU_AD_FORMAT_UNSIGNED_INT16: texture.U16, C.CU_AD_FORMAT_UNSIGNED_INT32: texture.U32,
	C.CU_AD_FORMAT_SIGNED_INT8: texture.S8, C.CU_AD_FORMAT_SIGNED_INT16: texture.S16, C.CU_AD_FORMAT_SIGNED_INT32: texture.S32,
	C.CU_AD_FORMAT_HALF: texture.F16, C.CU_AD_FORMAT_FLOAT: texture.F32,
}

// normalizedFormats are formats in which integers stand for numbers up to 1.
var normalizedFormats = map[C.int]texture.Format{
	C.CU_AD_FORMAT_UNORM_INT8X1: {Channel: texture.Unorm8, Channels: 1}, C.CU_AD_FORMAT_UNORM_INT8X2: {Channel: texture.Unorm8, Channels: 2}, C.CU_AD_FORMAT_UNORM_INT8X4: {Channel: texture.Unorm8, Channels: 4},
	C.CU_AD_FORMAT_UNORM_INT16X1: {Channel: texture.Unorm16, Channels: 1}, C.CU_AD_FORMAT_UNORM_INT16X2: {Channel: texture.Unorm16, Channels: 2}, C.CU_AD_FORMAT_UNORM_INT16X4: {Channel: texture.Unorm16, Channels: 4},
	C.CU_AD_FORMAT_SNORM_INT8X1: {Channel: texture.Snorm8, Channels: 1}, C.CU_AD_FORMAT_SNORM_INT8X2: {Channel: texture.Snorm8, Channels: 2}, C.CU_AD_FORMAT_SNORM_INT8X4: {Channel: texture.Snorm8, Channels: 4},
	C.CU_AD_FORMAT_SNORM_INT16X1: {Channel: texture.Snorm16, Channels: 1}, C.CU_AD_FORMAT_SNORM_INT16X2: {Channel: texture.Snorm16, Channels: 2}, C.CU_AD_FORMAT_SNORM_INT16X4: {Channel: texture.Snorm16, Channels: 4},
}

// formatOf returns the format of elements with a number of channels.
func formatOf(format C.int, channels C.uint) (texture.Format, result) {
	if f, ok := normalizedFormats[format]; ok {
		if C.uint(f.Channels) != channels {
			return f, errorInvalidValue
		}
		return f, success
	}
	c, ok := elementFormats[format]
	if !ok && format > 0 && format <= 0xff {
		dev.outlet.say("the format %#x of arrays is not supported yet", format)
		return texture.Format{}, errorNotSupported
	}
	if !ok || channels != 1 && channels != 2 && channels != 4 {
		return texture.Format{}, errorInvalidValue
	}
	return texture.Format{Channel: c, Channels: int(channels)}, success
}

// extents are the largest sizes of arrays of a kind in each direction, and the most layers (CUDA C++ Programming
// Guide, technical specifications by compute capability).
type extents struct{ width, height, depth, layers uint64 }

var (
	mostOf1D          = extents{width: 131072}
	mostOf1DLayered   = extents{width: 32768, layers: 2048}
	mostOf2D          = extents{width: 131072, height: 65536}
	mostOf2DLayered   = extents{width: 32768, height: 32768, layers: 2048}
	mostOf3D          = extents{width: 16384, height: 16384, depth: 16384}
	mostOf3DDeep      = extents{width: 8192, height: 8192, depth: 32768}
	mostOfCube        = extents{width: 32768, height: 32768}
	mostOfCubeLayered = extents{width: 32768, height: 32768, layers: 2046 / 6}
	mostToGather      = extents{width: 32768, height: 32768}
	mostOf1DSurface   = extents{width: 32768}
	mostOf1DLevels    = extents{width: 32768}
	mostOf2DLevels    = extents{width: 32768, height: 32768}
)

// Limits of textures in memory that is not an array: texels in one dimension, and in pitched memory.
const (
	mostLinear        = 1 << 28
	mostPitch         = 2097120
	texturePitchAlign = 32
)

var mostPitched = extents{width: 131072, height: 65000}

// imageLimits are the limits of arrays and textures, as attributes of the device.
var imageLimits = map[C.int]uint64{
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH: mostOf1D.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: mostLinear, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: mostOf1DLevels.width,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: mostOf1DLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: mostOf1DLayered.layers,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH: mostOf2D.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT: mostOf2D.height,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: mostOf2DLevels.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: mostOf2DLevels.height,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: mostToGather.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: mostToGather.height,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: mostPitched.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: mostPitched.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: mostPitch,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: mostOf2DLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: mostOf2DLayered.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: mostOf2DLayered.layers,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH: mostOf3D.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT: mostOf3D.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH: mostOf3D.depth,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: mostOf3DDeep.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: mostOf3DDeep.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: mostOf3DDeep.depth,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH: mostOfCube.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: mostOfCubeLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: 6 * mostOfCubeLayered.layers,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH: mostOf1DSurface.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: mostOf1DLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: mostOf1DLayered.layers,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH: mostOf2D.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT: mostOf2D.height,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: mostOf2DLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: mostOf2DLayered.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: mostOf2DLayered.layers,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH: mostOf3D.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT: mostOf3D.height, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH: mostOf3D.depth,
	C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH: mostOfCube.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: mostOfCubeLayered.width, C.CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: 6 * mostOfCubeLayered.layers,
}

// within reports whether a shape is within the limits.
func (e extents) within(s *texture.Shape) bool {
	in := func(n int, most uint64) bool { return uint64(n) <= max(most, 1) }
	return in(s.Width, e.width) && in(s.Height, e.height) && in(s.Depth, e.depth) && in(s.Layers, e.layers)
}

// shapeOf returns the shape of an array with a number of levels of detail.
func shapeOf(d *C.CUDA_ARRAY3D_DESCRIPTOR, levels C.uint) (s texture.Shape, r result) {
	const known = C.CUDA_ARRAY3D_LAYERED | C.CUDA_ARRAY3D_SURFACE_LDST | C.CUDA_ARRAY3D_CUBEMAP | C.CUDA_ARRAY3D_TEXTURE_GATHER
	if d.Flags&^known != 0 {
		dev.outlet.say("the flags %#x of arrays are not supported yet", d.Flags&^known)
		return s, errorNotSupported
	}
	const most = 1 << 17
	if d.Width == 0 || d.Width > most || d.Height > most || d.Depth > most {
		return s, errorInvalidValue
	}
	layered := d.Flags&C.CUDA_ARRAY3D_LAYERED != 0
	s = texture.Shape{Width: int(d.Width), Height: max(int(d.Height), 1), Depth: 1, Layers: 1, Array: layered, RowAlign: rowAlign}
	limit, ok := kindOf(d, levels, &s)
	if !ok {
		return s, errorInvalidValue
	}
	if gather := d.Flags&C.CUDA_ARRAY3D_TEXTURE_GATHER != 0; gather && (s.Kind != texture.D2 || layered || !mostToGather.within(&s)) || !limit.within(&s) {
		return s, errorInvalidValue
	}
	if s.Format, r = formatOf(C.int(d.Format), d.NumChannels); r != success {
		return s, r
	}
	// A number of levels above the possible one means all levels.
	for s.Levels = 1; s.Levels < int(min(levels, 32)) && max(s.Width, s.Height, s.Depth)>>s.Levels > 0; s.Levels++ {
	}
	if err := s.Check(); err != nil {
		dev.outlet.say("array: %v", err)
		return s, errorInvalidValue
	}
	return s, success
}

// kindOf sets the kind, the depth and the layers of an array according to its extents, and returns its limits. ok is
// false if there is no such kind.
func kindOf(d *C.CUDA_ARRAY3D_DESCRIPTOR, levels C.uint, s *texture.Shape) (limit extents, ok bool) {
	layered := d.Flags&C.CUDA_ARRAY3D_LAYERED != 0
	switch {
	case d.Flags&C.CUDA_ARRAY3D_CUBEMAP != 0:
		s.Kind, limit = texture.Cube, mostOfCube
		if d.Width != d.Height || d.Depth == 0 || d.Depth%6 != 0 || !layered && d.Depth != 6 {
			return limit, false
		}
		if layered {
			s.Layers, limit = int(d.Depth)/6, mostOfCubeLayered
		}
	case layered && d.Depth == 0:
		return limit, false
	case layered && d.Height == 0:
		s.Kind, s.Layers, limit = texture.D1, int(d.Depth), mostOf1DLayered
	case layered:
		s.Kind, s.Layers, limit = texture.D2, int(d.Depth), mostOf2DLayered
	case d.Height == 0 && d.Depth == 0:
		s.Kind, limit = texture.D1, mostOf1D
		if d.Flags&C.CUDA_ARRAY3D_SURFACE_LDST != 0 {
			limit = mostOf1DSurface
		}
		if levels > 1 {
			limit = mostOf1DLevels
		}
	case d.Height == 0:
		return limit, false
	case d.Depth == 0:
		s.Kind, limit = texture.D2, mostOf2D
		if levels > 1 {
			limit = mostOf2DLevels
		}
	default:
		s.Kind, s.Depth, limit = texture.D3, int(d.Depth), mostOf3D
		if mostOf3DDeep.within(s) {
			limit = mostOf3DDeep
		}
	}
	return limit, true
}

// newArray makes an array with a number of levels of detail. It does not have a handle yet.
func (c *cudaContext) newArray(d *C.CUDA_ARRAY3D_DESCRIPTOR, levels C.uint) (a array, r result) {
	a = array{ctx: c, desc: *d}
	if a.shape, r = shapeOf(d, levels); r != success {
		return a, r
	}
	a.alloc, r = c.alloc(uint64(a.shape.Bytes()), inArray)
	return a, r
}

// of3D converts a two-dimensional descriptor to a three-dimensional one.
func of3D(d *C.CUDA_ARRAY_DESCRIPTOR) C.CUDA_ARRAY3D_DESCRIPTOR {
	return C.CUDA_ARRAY3D_DESCRIPTOR{Width: d.Width, Height: d.Height, Format: d.Format, NumChannels: d.NumChannels}
}

//export go_cuArrayCreate_v2
func go_cuArrayCreate_v2(current C.uintptr_t, to *C.uintptr_t, d *C.CUDA_ARRAY_DESCRIPTOR) C.int {
	if d == nil {
		return go_cuArray3DCreate_v2(current, to, nil)
	}
	all := of3D(d)
	return go_cuArray3DCreate_v2(current, to, &all)
}

//export go_cuArray3DCreate_v2
func go_cuArray3DCreate_v2(current C.uintptr_t, to *C.uintptr_t, d *C.CUDA_ARRAY3D_DESCRIPTOR) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || d == nil {
			return errorInvalidValue
		}
		a, r := c.newArray(d, 1)
		if r == success {
			a.h = dev.add(&a)
			*to = C.uintptr_t(a.h)
		}
		return r
	})
}

// describeTo runs f for a call that queries an array. wanted reports whether the result pointer is not NULL.
func describeTo(current, h C.uintptr_t, wanted bool, f func(a *array) result) C.int {
	return in(current, func(*cudaContext) result {
		a := object[array](h)
		switch {
		case a == nil:
			return errorInvalidHandle
		case !wanted:
			return errorInvalidValue
		}
		return f(a)
	})
}

//export go_cuArray3DGetDescriptor_v2
func go_cuArray3DGetDescriptor_v2(current C.uintptr_t, d *C.CUDA_ARRAY3D_DESCRIPTOR, h C.uintptr_t) C.int {
	return describeTo(current, h, d != nil, func(a *array) result {
		*d = a.desc
		return success
	})
}

//export go_cuArrayGetDescriptor_v2
func go_cuArrayGetDescriptor_v2(current C.uintptr_t, d *C.CUDA_ARRAY_DESCRIPTOR, h C.uintptr_t) C.int {
	return describeTo(current, h, d != nil, func(a *array) result {
		*d = C.CUDA_ARRAY_DESCRIPTOR{Width: a.desc.Width, Height: a.desc.Height, Format: a.desc.Format, NumChannels: a.desc.NumChannels}
		return success
	})
}

// Levels are destroyed with their mipmapped array only.
//
//export go_cuArrayDestroy
func go_cuArrayDestroy(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		a := object[array](h)
		switch {
		case a == nil:
			return errorInvalidHandle
		case a.of != nil:
			return errorInvalidValue
		}
		a.alloc.free()
		delete(dev.objects, a.h)
		return success
	})
}

//export go_cuMipmappedArrayCreate
func go_cuMipmappedArrayCreate(current C.uintptr_t, to *C.uintptr_t, d *C.CUDA_ARRAY3D_DESCRIPTOR, levels C.uint) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || d == nil {
			return errorInvalidValue
		}
		a, r := c.newArray(d, levels)
		if r == success {
			m := &mipmapped{array: a, levels: make([]*array, a.shape.Levels)}
			m.h = dev.add(m)
			*to = C.uintptr_t(m.h)
		}
		return r
	})
}

//export go_cuMipmappedArrayGetLevel
func go_cuMipmappedArrayGetLevel(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, n C.uint) C.int {
	return in(current, func(*cudaContext) result {
		m := object[mipmapped](h)
		switch {
		case m == nil:
			return errorInvalidHandle
		case to == nil || int64(n) >= int64(len(m.levels)):
			return errorInvalidValue
		}
		*to = C.uintptr_t(m.level(int(n)).h)
		return success
	})
}

// level returns a level of detail as an array.
func (m *mipmapped) level(n int) *array {
	if m.levels[n] == nil {
		l := &array{ctx: m.ctx, desc: m.desc, alloc: m.alloc, of: m}
		l.shape, l.at = m.shape.Level(n)
		l.shape.Levels = 1
		half := func(size C.size_t) C.size_t {
			if size == 0 { // absent dimension
				return 0
			}
			return max(size>>n, 1)
		}
		l.desc.Width, l.desc.Height = half(m.desc.Width), half(m.desc.Height)
		if m.shape.Kind == texture.D3 {
			l.desc.Depth = half(m.desc.Depth)
		}
		l.h = dev.add(l)
		m.levels[n] = l
	}
	return m.levels[n]
}

//export go_cuMipmappedArrayDestroy
func go_cuMipmappedArrayDestroy(current, h C.uintptr_t) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		m := object[mipmapped](h)
		if m == nil {
			return errorInvalidHandle
		}
		for _, l := range m.levels {
			if l != nil {
				delete(dev.objects, l.h)
			}
		}
		m.alloc.free()
		delete(dev.objects, m.h)
		return success
	})
}

// rowBytes returns the bytes of a row without padding.
func (a *array) rowBytes() uint64 { return uint64(a.shape.Width * a.shape.Format.Bytes()) }

// slices returns the number of slices, layers and faces.
func (a *array) slices() uint64 {
	if a.shape.Kind == texture.Cube {
		return 6 * uint64(a.shape.Layers)
	}
	return uint64(a.shape.Depth * a.shape.Layers)
}

// row returns n bytes of a row, from byte x on.
func (a *array) row(x, y, z, n uint64) ([]byte, result) {
	element, width := uint64(a.shape.Format.Bytes()), a.rowBytes()
	if x%element != 0 || n%element != 0 || x > width || n > width-x || y >= uint64(a.shape.Height) || z >= a.slices() {
		return nil, errorInvalidValue
	}
	start := uint64(a.at+a.shape.Offset(0, [3]int{0, int(y), int(z)}, 0)) + x
	return a.alloc.buf.Bytes()[start:][:n], success
}

// inRows returns an array as a place, with its rows one after the other, from an offset on.
func inRows(h C.uintptr_t, offset C.size_t) place {
	return place{rows: func(done, all uint64) ([]byte, result) {
		a := object[array](h)
		if a == nil {
			return nil, errorInvalidValue
		}
		width, rows := a.rowBytes(), uint64(a.shape.Height)
		size := width * rows * a.slices()
		if uint64(offset) > size || all > size-uint64(offset) {
			return nil, errorInvalidValue
		}
		at := uint64(offset) + done
		return a.row(at%width, at/width%rows, at/width/rows, min(all-done, width-at%width))
	}}
}

//export go_cuMemcpyAtoA_v2
func go_cuMemcpyAtoA_v2(current, dst C.uintptr_t, dstOffset C.size_t, src C.uintptr_t, srcOffset, n C.size_t) C.int {
	return copyNow(current, transfer{to: inRows(dst, dstOffset), from: inRows(src, srcOffset)}, n)
}

//export go_cuMemcpyAtoD_v2
func go_cuMemcpyAtoD_v2(current C.uintptr_t, dst C.ulonglong, src C.uintptr_t, srcOffset, n C.size_t) C.int {
	return copyNow(current, transfer{to: deviceAt(dst), from: inRows(src, srcOffset)}, n)
}

//export go_cuMemcpyDtoA_v2
func go_cuMemcpyDtoA_v2(current, dst C.uintptr_t, dstOffset C.size_t, src C.ulonglong, n C.size_t) C.int {
	return copyNow(current, transfer{to: inRows(dst, dstOffset), from: deviceAt(src)}, n)
}

//export go_cuMemcpyAtoH_v2
func go_cuMemcpyAtoH_v2(current C.uintptr_t, dst unsafe.Pointer, src C.uintptr_t, srcOffset, n C.size_t) C.int {
	return copyNow(current, transfer{to: hostAt(dst), from: inRows(src, srcOffset)}, n)
}

//export go_cuMemcpyHtoA_v2
func go_cuMemcpyHtoA_v2(current, dst C.uintptr_t, dstOffset C.size_t, src unsafe.Pointer, n C.size_t) C.int {
	return copyNow(current, transfer{to: inRows(dst, dstOffset), from: hostAt(src)}, n)
}

//export go_cuMemcpyAtoHAsync_v2
func go_cuMemcpyAtoHAsync_v2(current C.uintptr_t, dst unsafe.Pointer, src C.uintptr_t, srcOffset, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: hostAt(dst), from: inRows(src, srcOffset)}, n)
}

//export go_cuMemcpyHtoAAsync_v2
func go_cuMemcpyHtoAAsync_v2(current, dst C.uintptr_t, dstOffset C.size_t, src unsafe.Pointer, n C.size_t, s C.uintptr_t) C.int {
	return copyIn(current, s, transfer{to: inRows(dst, dstOffset), from: hostAt(src)}, n)
}
