package workloads

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Inputs are the arguments of a workload and its expected result, computed in plain Go.
type Inputs struct {
	// Args are slices for buffers, and int32 or float32 for scalars.
	Args []any
	// Out is the index of the argument that is the result.
	Out int
	// Near is the error that an implementation with other rounding may have, relative to the greater of 1 and the
	// expected value, and Few how many elements may differ more: pixels at a border that another rounding shifts. 0
	// means bit for bit.
	Near float64
	Few  int

	reference func(out *output) error
	// crc is the IEEE CRC-32 of the result if the reference knows it only to within Near, because PTX does not specify
	// the bits of approximate instructions; 0 means that the reference is exact. Machine code for a workload must give
	// the same bits as the lane functions in Go.
	crc uint32
}

// check compares a result bit for bit with simtrun's expected one.
func (in *Inputs) check(out []byte) error {
	o := &output{bytes: out}
	if in.crc != 0 {
		o.near = in.Near
	}
	if err := in.reference(o); err != nil {
		return err
	}
	if got := crc32.ChecksumIEEE(out); in.crc != 0 && got != in.crc {
		return fmt.Errorf("the CRC is %08x, not %08x", got, in.crc)
	}
	return nil
}

// CheckNear compares the result of another implementation, which may round differently.
func (in *Inputs) CheckNear(out []byte) error {
	return in.reference(&output{bytes: out, near: in.Near, few: in.Few})
}

// output is a result that is compared with a reference.
type output struct {
	bytes []byte
	near  float64 // as Inputs.Near
	few   int     // how many more elements may differ
}

// same compares element i of a result of Ts.
func same[T float32 | float64 | int32 | uint32 | uint64](o *output, i int, want T) error {
	var bits, wantBits uint64 // distinguishes zeros, and NaNs
	var got T
	switch v := any(want).(type) {
	case float32:
		bits, wantBits = o.word(i), uint64(math.Float32bits(v))
		got = T(math.Float32frombits(uint32(bits)))
	case float64:
		bits, wantBits = o.long(i), math.Float64bits(v)
		got = T(math.Float64frombits(bits))
	case int32:
		bits, wantBits = o.word(i), uint64(uint32(v))
		got = T(int32(bits))
	case uint32:
		bits, wantBits = o.word(i), uint64(v)
		got = T(bits)
	case uint64:
		bits, wantBits = o.long(i), v
		got = T(bits)
	}
	if bits == wantBits || o.near > 0 && math.Abs(float64(got)-float64(want)) <= o.near*max(1, math.Abs(float64(want))) {
		return nil
	}
	if o.few--; o.few >= 0 {
		return nil
	}
	return fmt.Errorf("[%d]: got %v (%#x), want %v (%#x)", i, got, bits, want, wantBits)
}

func (o *output) word(i int) uint64 { return uint64(binary.LittleEndian.Uint32(o.bytes[4*i:])) }
func (o *output) long(i int) uint64 { return binary.LittleEndian.Uint64(o.bytes[8*i:]) }
