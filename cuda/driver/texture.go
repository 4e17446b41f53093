package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/texture"
)

// imageObject is a texture object or a surface object, with its descriptors for queries.
type imageObject struct {
	ctx      *cudaContext
	image    *simtrun.Image
	resource C.CUDA_RESOURCE_DESC
	desc     C.CUDA_TEXTURE_DESC
	view     *C.CUDA_RESOURCE_VIEW_DESC // nil for none
	surface  bool
}

// texels is the location of a resource's texels.
type texels struct {
	shape texture.Shape
	buf   *simtrun.Buffer
	at    int64
	flags C.uint // of the array; 0 for other memory
}

// resourceArray returns the array of a resource, including mipmapped arrays; nil if there is none.
func resourceArray(d *C.CUDA_RESOURCE_DESC) *array {
	h := *(*C.uintptr_t)(unsafe.Pointer(&d.res))
	if d.resType == C.CU_RESOURCE_TYPE_ARRAY {
		return object[array](h)
	}
	if m := object[mipmapped](h); m != nil {
		return &m.array
	}
	return nil
}

// texelsOf finds the texels of a resource.
func texelsOf(d *C.CUDA_RESOURCE_DESC) (t texels, r result) {
	if d.flags != 0 {
		return t, errorInvalidValue
	}
	switch d.resType {
	case C.CU_RESOURCE_TYPE_ARRAY, C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		a := resourceArray(d)
		if a == nil {
			return t, errorInvalidValue
		}
		return texels{a.shape, a.alloc.buf, a.at, a.desc.Flags}, success
	case C.CU_RESOURCE_TYPE_LINEAR:
		l := (*C.struct_CUresource_linear_st)(unsafe.Pointer(&d.res))
		f, r := formatOf(C.int(l.format), l.numChannels)
		if r != success {
			return t, r
		}
		n := uint64(l.sizeInBytes) / uint64(f.Bytes())
		if n == 0 || n > mostLinear {
			return t, errorInvalidValue
		}
		return linearTexels(l.devPtr, texture.Shape{Kind: texture.D1, Width: int(n), Height: 1, Format: f})
	case C.CU_RESOURCE_TYPE_PITCH2D:
		p := (*C.struct_CUresource_pitch2D_st)(unsafe.Pointer(&d.res))
		f, r := formatOf(C.int(p.format), p.numChannels)
		if r != success {
			return t, r
		}
		if p.width == 0 || uint64(p.width) > mostPitched.width || p.height == 0 || uint64(p.height) > mostPitched.height || p.pitchInBytes > mostPitch || p.pitchInBytes%texturePitchAlign != 0 {
			return t, errorInvalidValue
		}
		return linearTexels(p.devPtr, texture.Shape{Kind: texture.D2, Width: int(p.width), Height: int(p.height), Format: f, Pitch: int(p.pitchInBytes)})
	}
	return t, errorInvalidValue
}

// linearTexels returns texels at an address.
func linearTexels(addr C.ulonglong, s texture.Shape) (t texels, r result) {
	s.Depth, s.Layers, s.Levels = 1, 1, 1
	buf := dev.mem.Find(uint64(addr))
	if uint64(addr)%textureAlign != 0 || buf == nil || s.Check() != nil {
		return t, errorInvalidValue
	}
	if _, r := dev.bytes(uint64(addr), uint64(s.Bytes())); r != success {
		return t, r
	}
	return texels{shape: s, buf: buf, at: int64(uint64(addr) - buf.Addr())}, success
}

// viewFormats are the formats of resource views: channel types in the order of their numbers, each with 1, 2 and 4
// channels.
var viewFormats = [...]texture.Channel{texture.U8, texture.S8, texture.U16, texture.S16, texture.U32, texture.S32, texture.F16, texture.F32}

// viewed returns texels as seen through a resource view.
func (t *texels) viewed(v *C.CUDA_RESOURCE_VIEW_DESC) result {
	s := &t.shape
	if v.format != C.CU_RES_VIEW_FORMAT_NONE {
		n := int(v.format) - 1
		if n < 0 {
			return errorInvalidValue
		}
		if n >= 3*len(viewFormats) {
			dev.outlet.say("block compressed formats of resource views are not supported yet")
			return errorNotSupported
		}
		f := texture.Format{Channel: viewFormats[n/3], Channels: 1 << (n % 3)}
		if f.Bytes() != s.Format.Bytes() {
			return errorInvalidValue
		}
		s.Format = f
	}
	same := func(asked C.size_t, is int) bool { return int(asked) == is || asked == 0 && is == 1 }
	if !same(v.width, s.Width) || !same(v.height, s.Height) || s.Kind == texture.D3 && !same(v.depth, s.Depth) ||
		v.firstMipmapLevel > v.lastMipmapLevel || int(v.lastMipmapLevel) >= s.Levels || v.firstLayer > v.lastLayer {
		return errorInvalidValue
	}
	layers := s.Layers
	// the documentation does not say whether its layers count cubes or faces: both must cover all
	if s.Kind == texture.Cube && s.Array {
		layers *= 6
	}
	switch all := v.firstLayer == 0 && (int(v.lastLayer) == s.Layers-1 || int(v.lastLayer) == layers-1); {
	case int(v.lastLayer) >= layers:
		return errorInvalidValue
	case !all && (s.Levels > 1 || s.Kind == texture.Cube):
		dev.outlet.say("resource views of some of the layers of a mipmapped array or of cube maps are not supported yet")
		return errorNotSupported
	case !all:
		t.at += s.Offset(0, [3]int{2: int(v.firstLayer)}, 0)
		s.Layers = int(v.lastLayer-v.firstLayer) + 1
	}
	rest, start := s.Level(int(v.firstMipmapLevel))
	rest.Levels = int(v.lastMipmapLevel-v.firstMipmapLevel) + 1
	t.shape, t.at = rest, t.at+start
	return success
}

// addressModes maps CUaddress_mode to address modes.
var addressModes = [...]texture.Address{texture.Wrap, texture.ClampEdge, texture.Mirror, texture.Border}

// textureOf returns the texture for texels and a description. Memory that is not an array has no address modes and,
// in one dimension, no filters. Coordinates that are not normalized cannot be repeated, and are clamped instead.
func textureOf(t *texels, d *C.CUDA_TEXTURE_DESC, resource C.CUresourcetype) (tex texture.Texture, r result) {
	const known = C.CU_TRSF_READ_AS_INTEGER | C.CU_TRSF_NORMALIZED_COORDINATES | C.CU_TRSF_SRGB | C.CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | C.CU_TRSF_SEAMLESS_CUBEMAP
	if d.flags&^known != 0 || d.filterMode&^1 != 0 || d.mipmapFilterMode&^1 != 0 {
		return tex, errorInvalidValue
	}
	tex.Shape, tex.SRGB = t.shape, d.flags&C.CU_TRSF_SRGB != 0
	if d.flags&C.CU_TRSF_SEAMLESS_CUBEMAP != 0 && tex.Kind == texture.Cube {
		dev.outlet.say("seamless cubemaps are not supported yet")
		return tex, errorNotSupported
	}
	if d.flags&C.CU_TRSF_READ_AS_INTEGER == 0 {
		tex.Format.Channel = normalized(tex.Format.Channel)
	}
	s := &tex.Sampler
	s.Normalized = d.flags&C.CU_TRSF_NORMALIZED_COORDINATES != 0 || tex.Kind == texture.Cube
	// Integers are not filtered. Unlike the runtime, the driver allows such a request, which ffmpeg makes.
	filtered := tex.Format.Channel.IsFloat()
	s.Linear, s.MipLinear = filtered && d.filterMode == C.CU_TR_FILTER_MODE_LINEAR, filtered && d.mipmapFilterMode == C.CU_TR_FILTER_MODE_LINEAR && tex.Levels > 1
	for i, mode := range d.addressMode {
		if mode < 0 || int(mode) >= len(addressModes) {
			return tex, errorInvalidValue
		}
		if s.Address[i] = addressModes[mode]; !s.Normalized && s.Address[i] <= texture.Mirror {
			s.Address[i] = texture.ClampEdge
		}
	}
	for i, x := range d.borderColor {
		s.Border[i] = float32(x)
	}
	switch {
	case resource == C.CU_RESOURCE_TYPE_LINEAR: // reads outside return zeros
		s.Linear, s.Normalized, s.Border = false, false, [4]float32{}
		s.Address = [3]texture.Address{texture.Border, texture.ClampEdge, texture.ClampEdge}
	case resource == C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		if !s.Normalized {
			return tex, errorInvalidValue
		}
		s.Levels = &texture.Levels{Bias: float32(d.mipmapLevelBias), Min: float32(d.minMipmapLevelClamp), Max: float32(d.maxMipmapLevelClamp)}
	}
	if err := s.Check(&tex.Shape, tex.SRGB); err != nil {
		dev.outlet.say("texture: %v", err)
		return tex, errorInvalidValue
	}
	return tex, success
}

// normalized returns the normalized type for integers of 8 and 16 bits, and other types unchanged.
func normalized(c texture.Channel) texture.Channel {
	switch c {
	case texture.U8:
		return texture.Unorm8
	case texture.S8:
		return texture.Snorm8
	case texture.U16:
		return texture.Unorm16
	case texture.S16:
		return texture.Snorm16
	}
	return c
}

// newTexture makes a texture.
func newTexture(name string, d *C.CUDA_RESOURCE_DESC, desc *C.CUDA_TEXTURE_DESC, view *C.CUDA_RESOURCE_VIEW_DESC) (*simtrun.Image, result) {
	t, r := texelsOf(d)
	if r != success {
		return nil, r
	}
	if view != nil {
		if d.resType != C.CU_RESOURCE_TYPE_ARRAY && d.resType != C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY {
			return nil, errorInvalidValue
		}
		if r := t.viewed(view); r != success {
			return nil, r
		}
	}
	tex, r := textureOf(&t, desc, d.resType)
	if r != success {
		return nil, r
	}
	return made(dev.mem.NewTexture(name, t.buf, t.at, tex))
}

// newSurface makes a surface of an array: one created for surfaces, or a level of a mipmapped array, for which CUDA
// has no such condition. Faces of a cube map become layers.
func newSurface(name string, d *C.CUDA_RESOURCE_DESC) (*simtrun.Image, result) {
	if d.resType != C.CU_RESOURCE_TYPE_ARRAY {
		return nil, errorInvalidValue
	}
	t, r := texelsOf(d)
	if r != success {
		return nil, r
	}
	if t.flags&C.CUDA_ARRAY3D_SURFACE_LDST == 0 && resourceArray(d).of == nil {
		dev.outlet.say("a surface of an array that was made without CUDA_ARRAY3D_SURFACE_LDST")
		return nil, errorInvalidValue
	}
	if s := &t.shape; s.Kind == texture.Cube {
		s.Kind, s.Array, s.Layers = texture.D2, true, 6*s.Layers
	}
	return made(dev.mem.NewSurface(name, t.buf, t.at, t.shape))
}

// made passes on a new image or the error.
func made(i *simtrun.Image, err error) (*simtrun.Image, result) {
	if err != nil {
		dev.outlet.say("%v", err)
		return nil, errorInvalidValue
	}
	return i, success
}

// keep makes a texture or surface object for a program.
func (c *cudaContext) keep(o *imageObject, to *C.ulonglong) {
	o.ctx = c
	dev.images[o.image.Handle()] = o
	*to = C.ulonglong(o.image.Handle())
}

// imageName returns a name for the next object in messages.
func (d *device) imageName() string {
	d.made++
	return fmt.Sprintf("object %d", d.made)
}

//export go_cuTexObjectCreate
func go_cuTexObjectCreate(current C.uintptr_t, to *C.ulonglong, d *C.CUDA_RESOURCE_DESC, desc *C.CUDA_TEXTURE_DESC, view *C.CUDA_RESOURCE_VIEW_DESC) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || d == nil || desc == nil {
			return errorInvalidValue
		}
		i, r := newTexture(dev.imageName(), d, desc, view)
		if r != success {
			return r
		}
		o := &imageObject{image: i, resource: *d, desc: *desc}
		if view != nil {
			v := *view
			o.view = &v
		}
		c.keep(o, to)
		return success
	})
}

//export go_cuSurfObjectCreate
func go_cuSurfObjectCreate(current C.uintptr_t, to *C.ulonglong, d *C.CUDA_RESOURCE_DESC) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil || d == nil {
			return errorInvalidValue
		}
		i, r := newSurface(dev.imageName(), d)
		if r == success {
			c.keep(&imageObject{image: i, resource: *d, surface: true}, to)
		}
		return r
	})
}

// withImage runs f for a call about a texture object or surface object. wanted reports whether the result pointer is
// not NULL.
func withImage(current C.uintptr_t, handle C.ulonglong, surface, wanted bool, f func(o *imageObject) result) C.int {
	return in(current, func(*cudaContext) result {
		o := dev.images[uint64(handle)]
		if o == nil || o.surface != surface || !wanted {
			return errorInvalidValue
		}
		return f(o)
	})
}

// destroyImage destroys an object when kernels no longer use it.
func destroyImage(current C.uintptr_t, handle C.ulonglong, surface bool) C.int {
	return in(current, func(*cudaContext) result {
		dev.settle()
		if handle == 0 { // a null object: no-op, as for free(NULL)
			return success
		}
		o := dev.images[uint64(handle)]
		if o == nil || o.surface != surface {
			return errorInvalidValue
		}
		delete(dev.images, o.image.Handle())
		if err := o.image.Remove(); err != nil {
			panic(bug("destroying a texture or surface object", err))
		}
		return success
	})
}

//export go_cuTexObjectDestroy
func go_cuTexObjectDestroy(current C.uintptr_t, handle C.ulonglong) C.int {
	return destroyImage(current, handle, false)
}

//export go_cuSurfObjectDestroy
func go_cuSurfObjectDestroy(current C.uintptr_t, handle C.ulonglong) C.int {
	return destroyImage(current, handle, true)
}

//export go_cuTexObjectGetResourceDesc
func go_cuTexObjectGetResourceDesc(current C.uintptr_t, d *C.CUDA_RESOURCE_DESC, handle C.ulonglong) C.int {
	return withImage(current, handle, false, d != nil, func(o *imageObject) result {
		*d = o.resource
		return success
	})
}

//export go_cuSurfObjectGetResourceDesc
func go_cuSurfObjectGetResourceDesc(current C.uintptr_t, d *C.CUDA_RESOURCE_DESC, handle C.ulonglong) C.int {
	return withImage(current, handle, true, d != nil, func(o *imageObject) result {
		*d = o.resource
		return success
	})
}

//export go_cuTexObjectGetTextureDesc
func go_cuTexObjectGetTextureDesc(current C.uintptr_t, d *C.CUDA_TEXTURE_DESC, handle C.ulonglong) C.int {
	return withImage(current, handle, false, d != nil, func(o *imageObject) result {
		*d = o.desc
		return success
	})
}

//export go_cuTexObjectGetResourceViewDesc
func go_cuTexObjectGetResourceViewDesc(current C.uintptr_t, d *C.CUDA_RESOURCE_VIEW_DESC, handle C.ulonglong) C.int {
	return withImage(current, handle, false, d != nil, func(o *imageObject) result {
		if o.view == nil {
			return errorInvalidValue
		}
		*d = *o.view
		return success
	})
}
