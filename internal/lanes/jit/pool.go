package jit

import (
	"encoding/binary"
	"math"
)

// poolEntry is a constant with its place.
type poolEntry struct {
	poolConstant
	label Label
}

// poolConstant is a constant in every lane of a vector register.
type poolConstant struct {
	bits uint64
	high uint64 // of a pair
	wide bool
	kind poolKind
}

type poolKind uint8

const (
	poolUniform    poolKind = iota
	poolElement             // one element, for broadcasts
	poolRamp                // bits times the number of the lane in its subvector
	poolLanes               // bits times the number of the lane
	poolInterleave          // alternating elements of two vectors, from number bits on, for vpermi2q
	poolPair                // 16 bytes repeated: bits, then high
	poolLog                 // logTable
	poolEvens               // the even numbers of elements, then the odd ones
	poolColumns             // numbers of lanes in the order of product.columns, from word number bits on
)

// laneNumbers is a vector in memory; each 32-bit element is a multiple of its lane's number.
func (e *Emit) laneNumbers(times uint64) Mem {
	return e.pooled(poolConstant{bits: times, kind: poolLanes})
}

// constant is a vector in memory with the same bits in each element of a width.
//
//go:noinline
func (e *Emit) constant(bits uint64, width uint8) Mem {
	return e.pooled(poolConstant{bits: bits, wide: width == 64, kind: poolUniform})
}

func (e *Emit) pooled(want poolConstant) Mem {
	if 2*len(e.pool) >= len(e.inPool) {
		e.inPool = make([]int32, max(64, 2*len(e.inPool)))
		for i := range e.pool {
			*e.placeInPool(&e.pool[i].poolConstant) = int32(i + 1)
		}
	}
	at := e.placeInPool(&want)
	if *at == 0 {
		e.pool = append(e.pool, poolEntry{want, e.NewLabel()})
		*at = int32(len(e.pool))
	}
	return atLabel(e.pool[*at-1].label, 0)
}

// placeInPool returns the place in inPool of a constant, or where it belongs.
func (e *Emit) placeInPool(c *poolConstant) *int32 {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: spreads what differs over the upper bits
	mask := uint64(len(e.inPool) - 1)
	for at := (c.bits ^ c.high<<1 ^ uint64(c.kind)) * golden >> 32; ; at++ {
		at &= mask
		if i := e.inPool[at]; i == 0 || e.pool[i-1].poolConstant == *c {
			return &e.inPool[at]
		}
	}
}

// Pool writes the rarely executed code, and the constants that code has used so far. Execution must not fall into it.
func (e *Emit) Pool() {
	e.Cold()
	vectorBytes := int(e.vectorBytes())
	e.Align(vectorBytes)
	e.elements(true)
	e.elements(false)
	e.Align(vectorBytes)
	for i := range e.pool {
		p := &e.pool[i]
		if p.kind == poolElement {
			continue
		}
		e.Bind(p.label)
		switch p.kind {
		case poolLog:
			e.floats(logTable())
			continue
		case poolUniform:
			e.repeated(p.bits, p.wide, vectorBytes)
			continue
		}
		size := 4
		n := vectorBytes / size
		if p.wide {
			size, n = 8, vectorBytes/8
		}
		if p.kind == poolRamp && p.wide { // for all lanes of a subvector
			n = SubvectorLanes
		}
		var b [64]byte
		for i := range n {
			v := p.bits
			switch {
			case p.kind == poolRamp:
				v *= uint64(i % SubvectorLanes)
			case p.kind == poolLanes:
				v *= uint64(i)
			case p.kind == poolInterleave:
				v += uint64(i/2 + i%2*n)
			case p.kind == poolPair && i%2 == 1:
				v = p.high
			case p.kind == poolEvens:
				v = uint64(2*i%n + 2*i/n)
			case p.kind == poolColumns: // each column is four lanes, one for each word
				v += uint64(4*(i%4*2+i/4%2) + i/8)
			}
			for k := range size {
				b[i*size+k] = byte(v >> (8 * k))
			}
		}
		e.literal(b[:n*size])
	}
	e.pool = e.pool[:0]
	clear(e.inPool)
}

// elements appends the single elements of 64 or of 32 bits.
func (e *Emit) elements(wide bool) {
	for i := range e.pool {
		p := &e.pool[i]
		if p.kind != poolElement || p.wide != wide {
			continue
		}
		e.Bind(p.label)
		if wide {
			e.code = binary.LittleEndian.AppendUint64(e.code, p.bits)
		} else {
			e.code = binary.LittleEndian.AppendUint32(e.code, uint32(p.bits))
		}
	}
}

// repeated appends a vector of n bytes with the same element of 32 or 64 bits in each place.
func (e *Emit) repeated(bits uint64, wide bool, n int) {
	if !wide {
		bits = bits<<32 | bits&math.MaxUint32
	}
	for range n / 8 {
		e.code = binary.LittleEndian.AppendUint64(e.code, bits)
	}
}
