package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/isa"
)

// texref is a texture reference or a surface reference: a variable of a module, or one made by cuTexRefCreate. A
// variable is bound to the reference's resource when a kernel of the module is launched.
type texref struct {
	h        handle
	ctx      *cudaContext
	mod      *module // nil without a module
	name     string
	surface  bool
	resource C.CUDA_RESOURCE_DESC
	bound    bool // to the resource
	desc     C.CUDA_TEXTURE_DESC
	format   C.CUarray_format // for memory that is not an array
	channels C.int
	changed  bool // since the variable was last bound
}

// reference returns the reference for a variable of the module, a .texref or a .surfref.
func (m *module) reference(name string, of isa.Type) (*texref, result) {
	if r := m.refs[name]; r != nil && r.surface == (of == isa.SurfRef) {
		return r, success
	}
	if t, ok := m.m.ImageVar(name); !ok || t != of {
		return nil, errorNotFound
	}
	r := newTexref(m.ctx)
	r.mod, r.name, r.surface = m, name, of == isa.SurfRef
	m.refs[name] = r
	return r, success
}

func newTexref(c *cudaContext) *texref {
	r := &texref{ctx: c, format: C.CU_AD_FORMAT_FLOAT, channels: 1}
	r.desc.maxAnisotropy = 1
	r.h = dev.add(r)
	return r
}

// bindRefs binds the variables of the module whose references have changed.
func (m *module) bindRefs() result {
	for _, name := range slices.Sorted(maps.Keys(m.refs)) {
		r := m.refs[name]
		if !r.changed {
			continue
		}
		var image *simtrun.Image
		if r.bound {
			var why result
			if r.surface {
				image, why = newSurface(r.name, &r.resource)
			} else {
				image, why = newTexture(r.name, &r.resource, &r.desc, nil)
			}
			if why != success {
				dev.outlet.say("%s cannot be bound to what its reference has", r.name)
				return why
			}
		}
		err := m.m.Bind(r.name, image)
		if image != nil {
			image.Remove() // the variable has its own handle
		}
		if err != nil {
			dev.outlet.say("%v", err)
			return errorInvalidValue
		}
		r.changed = false
	}
	return success
}

// bind binds the reference to a resource.
func (r *texref) bind(d C.CUDA_RESOURCE_DESC) result {
	if _, why := texelsOf(&d); why != success {
		return why
	}
	r.change()
	r.resource, r.bound = d, true
	return success
}

func (r *texref) unbind() result {
	r.change()
	r.bound = false
	return success
}

func arrayResource(kind C.CUresourcetype, h C.uintptr_t) C.CUDA_RESOURCE_DESC {
	d := C.CUDA_RESOURCE_DESC{resType: kind}
	*(*C.uintptr_t)(unsafe.Pointer(&d.res)) = h
	return d
}

//export go_cuModuleGetTexRef
func go_cuModuleGetTexRef(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, name *C.char) C.int {
	return referenceTo(current, to, h, name, isa.TexRef)
}

//export go_cuModuleGetSurfRef
func go_cuModuleGetSurfRef(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, name *C.char) C.int {
	return referenceTo(current, to, h, name, isa.SurfRef)
}

func referenceTo(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t, name *C.char, of isa.Type) C.int {
	return withModule(current, h, to != nil && name != nil, func(m *module) result {
		r, why := m.reference(C.GoString(name), of)
		if why == success {
			*to = C.uintptr_t(r.h)
		}
		return why
	})
}

//export go_cuTexRefCreate
func go_cuTexRefCreate(current C.uintptr_t, to *C.uintptr_t) C.int {
	return in(current, func(c *cudaContext) result {
		if to == nil {
			return errorInvalidValue
		}
		*to = C.uintptr_t(newTexref(c).h)
		return success
	})
}

//export go_cuTexRefDestroy
func go_cuTexRefDestroy(current, h C.uintptr_t) C.int {
	return withTexref(current, h, true, func(r *texref) result {
		if r.mod != nil {
			return errorInvalidValue
		}
		delete(dev.objects, r.h)
		return success
	})
}

// withTexref runs f for a call about a texture reference. wanted reports whether the result pointer is not NULL.
func withTexref(current, h C.uintptr_t, wanted bool, f func(r *texref) result) C.int {
	return withReference(current, h, false, wanted, f)
}

func withReference(current, h C.uintptr_t, surface, wanted bool, f func(r *texref) result) C.int {
	return in(current, func(*cudaContext) result {
		r := object[texref](h)
		if r == nil || r.surface != surface || !wanted {
			return errorInvalidValue
		}
		return f(r)
	})
}

// setTexref sets a property of a texture reference.
func setTexref(current, h C.uintptr_t, valid bool, set func(r *texref)) C.int {
	return withTexref(current, h, valid, func(r *texref) result {
		r.change()
		set(r)
		return success
	})
}

// change must precede any change of the reference: it begins launches that were requested earlier.
func (r *texref) change() {
	dev.settle()
	r.changed = true
}

//export go_cuTexRefSetArray
func go_cuTexRefSetArray(current, h, a C.uintptr_t, flags C.uint) C.int {
	return withTexref(current, h, flags == C.CU_TRSA_OVERRIDE_FORMAT || a == 0, func(r *texref) result {
		if a == 0 {
			return r.unbind()
		}
		if why := r.bind(arrayResource(C.CU_RESOURCE_TYPE_ARRAY, a)); why != success {
			return why
		}
		of := &object[array](a).desc
		r.format, r.channels = of.Format, C.int(of.NumChannels)
		return success
	})
}

//export go_cuTexRefSetMipmappedArray
func go_cuTexRefSetMipmappedArray(current, h, a C.uintptr_t, flags C.uint) C.int {
	return withTexref(current, h, flags == C.CU_TRSA_OVERRIDE_FORMAT, func(r *texref) result {
		if why := r.bind(arrayResource(C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, a)); why != success {
			return why
		}
		of := &object[mipmapped](a).desc
		r.format, r.channels = of.Format, C.int(of.NumChannels)
		return success
	})
}

// A texture begins at a multiple of textureAlign. The offset is the distance to the address.
//
//export go_cuTexRefSetAddress_v2
func go_cuTexRefSetAddress_v2(current C.uintptr_t, offset *C.size_t, h C.uintptr_t, addr C.ulonglong, n C.size_t) C.int {
	return withTexref(current, h, true, func(r *texref) result {
		set(offset, 0)
		if addr == 0 {
			return r.unbind()
		}
		before := C.size_t(addr % textureAlign)
		if before != 0 && offset == nil {
			return errorInvalidValue
		}
		d := C.CUDA_RESOURCE_DESC{resType: C.CU_RESOURCE_TYPE_LINEAR}
		*(*C.struct_CUresource_linear_st)(unsafe.Pointer(&d.res)) = C.struct_CUresource_linear_st{devPtr: addr - C.ulonglong(before), format: r.format, numChannels: C.uint(r.channels), sizeInBytes: allocated(addr, n) + before}
		why := r.bind(d)
		if why == success {
			set(offset, before)
		}
		return why
	})
}

// allocated returns how many of n bytes at an address are allocated. A GPU binds any range, and fails at the fetch of
// what is not allocated; here such a fetch is past the end of the texture, and returns 0. It returns n if the call must
// fail: without an allocation there, and for more than the widest texture.
func allocated(addr C.ulonglong, n C.size_t) C.size_t {
	b := dev.mem.Find(uint64(addr))
	if b == nil || n/16 > mostLinear {
		return n
	}
	return min(n, C.size_t(b.Addr()+uint64(len(b.Bytes()))-uint64(addr)))
}

//export go_cuTexRefSetAddress2D_v2
func go_cuTexRefSetAddress2D_v2(current, h C.uintptr_t, desc *C.CUDA_ARRAY_DESCRIPTOR, addr C.ulonglong, pitch C.size_t) C.int {
	return go_cuTexRefSetAddress2D_v3(current, h, desc, addr, pitch)
}

//export go_cuTexRefSetAddress2D_v3
func go_cuTexRefSetAddress2D_v3(current, h C.uintptr_t, desc *C.CUDA_ARRAY_DESCRIPTOR, addr C.ulonglong, pitch C.size_t) C.int {
	return withTexref(current, h, desc != nil, func(r *texref) result {
		if addr == 0 {
			return r.unbind()
		}
		d := C.CUDA_RESOURCE_DESC{resType: C.CU_RESOURCE_TYPE_PITCH2D}
		*(*C.struct_CUresource_pitch2D_st)(unsafe.Pointer(&d.res)) = C.struct_CUresource_pitch2D_st{devPtr: addr, format: desc.Format, numChannels: desc.NumChannels, width: desc.Width, height: desc.Height, pitchInBytes: pitch}
		why := r.bind(d)
		if why == success {
			r.format, r.channels = desc.Format, C.int(desc.NumChannels)
		}
		return why
	})
}

// The format at the time of the launch applies to linear memory, even if it was set after the address.
//
//export go_cuTexRefSetFormat
func go_cuTexRefSetFormat(current, h C.uintptr_t, format, channels C.int) C.int {
	return withTexref(current, h, true, func(r *texref) result {
		_, why := formatOf(format, C.uint(channels))
		if why == success {
			r.change()
			r.format, r.channels = C.CUarray_format(format), channels
			if r.resource.resType == C.CU_RESOURCE_TYPE_LINEAR {
				l := (*C.struct_CUresource_linear_st)(unsafe.Pointer(&r.resource.res))
				l.format, l.numChannels = r.format, C.uint(r.channels)
			}
		}
		return why
	})
}

//export go_cuTexRefSetAddressMode
func go_cuTexRefSetAddressMode(current, h C.uintptr_t, dim, mode C.int) C.int {
	return setTexref(current, h, dim >= 0 && dim < 3 && mode >= 0 && int(mode) < len(addressModes), func(r *texref) { r.desc.addressMode[dim] = C.CUaddress_mode(mode) })
}

//export go_cuTexRefSetFilterMode
func go_cuTexRefSetFilterMode(current, h C.uintptr_t, mode C.int) C.int {
	return setTexref(current, h, mode&^1 == 0, func(r *texref) { r.desc.filterMode = C.CUfilter_mode(mode) })
}

//export go_cuTexRefSetMipmapFilterMode
func go_cuTexRefSetMipmapFilterMode(current, h C.uintptr_t, mode C.int) C.int {
	return setTexref(current, h, mode&^1 == 0, func(r *texref) { r.desc.mipmapFilterMode = C.CUfilter_mode(mode) })
}

//export go_cuTexRefSetMipmapLevelBias
func go_cuTexRefSetMipmapLevelBias(current, h C.uintptr_t, bias C.float) C.int {
	return setTexref(current, h, true, func(r *texref) { r.desc.mipmapLevelBias = bias })
}

//export go_cuTexRefSetMipmapLevelClamp
func go_cuTexRefSetMipmapLevelClamp(current, h C.uintptr_t, least, most C.float) C.int {
	return setTexref(current, h, true, func(r *texref) { r.desc.minMipmapLevelClamp, r.desc.maxMipmapLevelClamp = least, most })
}

//export go_cuTexRefSetMaxAnisotropy
func go_cuTexRefSetMaxAnisotropy(current, h C.uintptr_t, most C.uint) C.int {
	return setTexref(current, h, true, func(r *texref) { r.desc.maxAnisotropy = most })
}

//export go_cuTexRefSetBorderColor
func go_cuTexRefSetBorderColor(current, h C.uintptr_t, colour *C.float) C.int {
	return setTexref(current, h, colour != nil, func(r *texref) { r.desc.borderColor = *(*[4]C.float)(unsafe.Pointer(colour)) })
}

//export go_cuTexRefSetFlags
func go_cuTexRefSetFlags(current, h C.uintptr_t, flags C.uint) C.int {
	const known = C.CU_TRSF_READ_AS_INTEGER | C.CU_TRSF_NORMALIZED_COORDINATES | C.CU_TRSF_SRGB | C.CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
	return setTexref(current, h, flags&^known == 0, func(r *texref) { r.desc.flags = flags })
}

// bindingOf writes the resource to which a reference is bound. It is an error if it is unbound, or bound to another
// kind of resource.
func bindingOf[T any](current C.uintptr_t, to *T, h C.uintptr_t, surface bool, kinds ...C.CUresourcetype) C.int {
	return withReference(current, h, surface, to != nil, func(r *texref) result {
		for _, kind := range kinds {
			if r.bound && r.resource.resType == kind {
				*to = *(*T)(unsafe.Pointer(&r.resource.res))
				return success
			}
		}
		return errorInvalidValue
	})
}

//export go_cuTexRefGetAddress_v2
func go_cuTexRefGetAddress_v2(current C.uintptr_t, to *C.ulonglong, h C.uintptr_t) C.int {
	return bindingOf(current, to, h, false, C.CU_RESOURCE_TYPE_LINEAR, C.CU_RESOURCE_TYPE_PITCH2D)
}

//export go_cuTexRefGetArray
func go_cuTexRefGetArray(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return bindingOf(current, to, h, false, C.CU_RESOURCE_TYPE_ARRAY)
}

//export go_cuTexRefGetMipmappedArray
func go_cuTexRefGetMipmappedArray(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return bindingOf(current, to, h, false, C.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
}

//export go_cuSurfRefGetArray
func go_cuSurfRefGetArray(current C.uintptr_t, to *C.uintptr_t, h C.uintptr_t) C.int {
	return bindingOf(current, to, h, true, C.CU_RESOURCE_TYPE_ARRAY)
}

// getTexref reads a property of a texture reference.
func getTexref(current, h C.uintptr_t, wanted bool, get func(r *texref)) C.int {
	return withTexref(current, h, wanted, func(r *texref) result {
		get(r)
		return success
	})
}

//export go_cuTexRefGetAddressMode
func go_cuTexRefGetAddressMode(current C.uintptr_t, to *C.int, h C.uintptr_t, dim C.int) C.int {
	return getTexref(current, h, to != nil && dim >= 0 && dim < 3, func(r *texref) { *to = C.int(r.desc.addressMode[dim]) })
}

//export go_cuTexRefGetFilterMode
func go_cuTexRefGetFilterMode(current C.uintptr_t, to *C.int, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *to = C.int(r.desc.filterMode) })
}

//export go_cuTexRefGetFormat
func go_cuTexRefGetFormat(current C.uintptr_t, format, channels *C.int, h C.uintptr_t) C.int {
	return getTexref(current, h, true, func(r *texref) {
		set(format, C.int(r.format))
		set(channels, r.channels)
	})
}

//export go_cuTexRefGetMipmapFilterMode
func go_cuTexRefGetMipmapFilterMode(current C.uintptr_t, to *C.int, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *to = C.int(r.desc.mipmapFilterMode) })
}

//export go_cuTexRefGetMipmapLevelBias
func go_cuTexRefGetMipmapLevelBias(current C.uintptr_t, to *C.float, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *to = r.desc.mipmapLevelBias })
}

//export go_cuTexRefGetMipmapLevelClamp
func go_cuTexRefGetMipmapLevelClamp(current C.uintptr_t, least, most *C.float, h C.uintptr_t) C.int {
	return getTexref(current, h, true, func(r *texref) {
		set(least, r.desc.minMipmapLevelClamp)
		set(most, r.desc.maxMipmapLevelClamp)
	})
}

//export go_cuTexRefGetMaxAnisotropy
func go_cuTexRefGetMaxAnisotropy(current C.uintptr_t, to *C.int, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *to = C.int(r.desc.maxAnisotropy) })
}

//export go_cuTexRefGetBorderColor
func go_cuTexRefGetBorderColor(current C.uintptr_t, to *C.float, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *(*[4]C.float)(unsafe.Pointer(to)) = r.desc.borderColor })
}

//export go_cuTexRefGetFlags
func go_cuTexRefGetFlags(current C.uintptr_t, to *C.uint, h C.uintptr_t) C.int {
	return getTexref(current, h, to != nil, func(r *texref) { *to = r.desc.flags })
}

//export go_cuSurfRefSetArray
func go_cuSurfRefSetArray(current, h, a C.uintptr_t, flags C.uint) C.int {
	return withReference(current, h, true, flags == 0, func(r *texref) result {
		d := arrayResource(C.CU_RESOURCE_TYPE_ARRAY, a)
		if t, why := texelsOf(&d); why != success || t.flags&C.CUDA_ARRAY3D_SURFACE_LDST == 0 {
			return errorInvalidValue
		}
		return r.bind(d)
	})
}

// A kernel can use all references of its module, so adding one to a kernel has no effect.
//
//export go_cuParamSetTexRef
func go_cuParamSetTexRef(current, fn C.uintptr_t, unit C.int, h C.uintptr_t) C.int {
	return withFunction(current, fn, unit == C.CU_PARAM_TR_DEFAULT, func(f *function) result {
		if r := object[texref](h); r == nil || r.surface || r.mod != f.mod {
			return errorInvalidValue
		}
		return success
	})
}
