package main

/*
#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
*/
import "C"

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/tensor"
)

// Tensor maps: the 128 bytes that NVIDIA's driver writes are not documented. These are simtrun's own format, the same
// as that of the directive tensormap.

// tensorTypes maps CUtensorMapDataType to types.
var tensorTypes = [...]tensor.Type{tensor.U8, tensor.U16, tensor.U32, tensor.S32, tensor.U64, tensor.S64, tensor.F16, tensor.F32, tensor.F64, tensor.BF16,
	tensor.F32FTZ, tensor.TF32, tensor.TF32FTZ}

// swizzles maps CUtensorMapSwizzle to swizzles and their atoms.
var swizzles = [...]struct {
	span tensor.Swizzle
	atom tensor.Atom
}{{tensor.NoSwizzle, tensor.Atom16}, {tensor.Swizzle32, tensor.Atom16}, {tensor.Swizzle64, tensor.Atom16}, {tensor.Swizzle128, tensor.Atom16},
	{tensor.Swizzle128, tensor.Atom32}, {tensor.Swizzle128, tensor.Atom32Flip}, {tensor.Swizzle128, tensor.Atom64}}

// tensorLayout holds the common parameters of all kinds of maps.
type tensorLayout struct {
	kind                                    C.int
	rank                                    C.uint
	address                                 unsafe.Pointer
	sizes, strides                          *C.ulonglong
	steps                                   *C.uint
	interleave, swizzle, promotion, outside C.int
}

// newMap returns a map without its box, or nil with an error for undocumented values.
func (l *tensorLayout) newMap() (*tensor.Map, result) {
	switch {
	case l.rank < 1 || l.rank > tensor.MaxRank || l.sizes == nil || l.steps == nil || l.strides == nil && l.rank > 1,
		l.kind < 0, l.interleave < 0 || l.interleave > 2, l.swizzle < 0 || int(l.swizzle) >= len(swizzles), l.promotion < 0 || l.promotion > 3, l.outside < 0 || l.outside > 1:
		return nil, errorInvalidValue
	case int(l.kind) >= len(tensorTypes):
		dev.outlet.say("tensor maps of elements of 4 and 6 bits are not supported yet")
		return nil, errorNotSupported
	}
	s := swizzles[l.swizzle]
	m := &tensor.Map{Type: tensorTypes[l.kind], Rank: int(l.rank), Address: uint64(uintptr(l.address)), Interleave: tensor.Interleave(l.interleave),
		Swizzle: s.span, Atom: s.atom, Fill: tensor.Fill(l.outside), Promotion: uint8(l.promotion)}
	for i, n := range unsafe.Slice(l.sizes, l.rank) {
		m.Sizes[i] = uint64(n)
	}
	for i, n := range unsafe.Slice(l.strides, l.rank-1) {
		m.Strides[i] = uint64(n)
	}
	for i, n := range unsafe.Slice(l.steps, l.rank) {
		m.Steps[i] = int(n)
	}
	return m, success
}

// encode writes a map, if its parameters satisfy the documented conditions.
func encode(to *C.CUtensorMap, l tensorLayout, box func(m *tensor.Map) bool) C.int {
	return global(func() result {
		if to == nil || uintptr(unsafe.Pointer(to))%tensor.Align != 0 {
			return errorInvalidValue
		}
		m, r := l.newMap()
		if r != success {
			return r
		}
		if !box(m) {
			return errorInvalidValue
		}
		return putMap(to, m)
	})
}

func putMap(to *C.CUtensorMap, m *tensor.Map) result {
	if err := m.Check(); err != nil {
		dev.outlet.say("tensor map: %v", err)
		return errorInvalidValue
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(to)), tensor.Bytes), m.Encode())
	return success
}

//export go_cuTensorMapEncodeTiled
func go_cuTensorMapEncodeTiled(_ C.uintptr_t, to *C.CUtensorMap, kind C.int, rank C.uint, address unsafe.Pointer, sizes, strides *C.ulonglong, box, steps *C.uint, interleave, swizzle, promotion, outside C.int) C.int {
	return encode(to, tensorLayout{kind, rank, address, sizes, strides, steps, interleave, swizzle, promotion, outside}, func(m *tensor.Map) bool {
		if box == nil {
			return false
		}
		for i, n := range unsafe.Slice(box, rank) {
			m.Box[i] = int(n)
		}
		return true
	})
}

//export go_cuTensorMapEncodeIm2col
func go_cuTensorMapEncodeIm2col(_ C.uintptr_t, to *C.CUtensorMap, kind C.int, rank C.uint, address unsafe.Pointer, sizes, strides *C.ulonglong, lower, upper *C.int, channels, pixels C.uint, steps *C.uint, interleave, swizzle, promotion, outside C.int) C.int {
	return encode(to, tensorLayout{kind, rank, address, sizes, strides, steps, interleave, swizzle, promotion, outside}, func(m *tensor.Map) bool {
		if rank < 3 || lower == nil || upper == nil {
			return false
		}
		m.Im2col, m.Channels, m.Pixels = true, int(channels), int(pixels)
		for i, n := range unsafe.Slice(lower, rank-2) {
			m.Lower[i] = int(n)
		}
		for i, n := range unsafe.Slice(upper, rank-2) {
			m.Upper[i] = int(n)
		}
		return true
	})
}

//export go_cuTensorMapReplaceAddress
func go_cuTensorMapReplaceAddress(_ C.uintptr_t, at *C.CUtensorMap, address unsafe.Pointer) C.int {
	return global(func() result {
		if at == nil || uintptr(unsafe.Pointer(at))%tensor.Align != 0 {
			return errorInvalidValue
		}
		m, err := tensor.Decode(unsafe.Slice((*byte)(unsafe.Pointer(at)), tensor.Bytes))
		if err != nil {
			dev.outlet.say("tensor map: %v", err)
			return errorInvalidValue
		}
		m.Address = uint64(uintptr(address))
		return putMap(at, m)
	})
}
