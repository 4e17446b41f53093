package workloads

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Inputs are the arguments of a workload and what is to come of them, computed in plain Go.
type Inputs struct {
	// Args are slices for buffers, and int32 or float32 for scalars.
	Args []any
	// Out is the argument that is the result.
	Out int
	// Near is how far an implementation that rounds differently may be off, relative
	// to the greater of 1 and what is wanted, and Few how many elements may still differ:
	// pixels at a border that another rounding shifts. 0 means bit for bit.
	Near float64
	Few  int

	reference func(out *output) error
	// crc is the IEEE CRC-32 of the result where the reference knows it only to within Near,
	// because PTX does not say which bits approximate instructions give; 0 means that
	// the reference is exact. Machine code for a workload is to give the same bits as the
	// lane functions of Go.
	crc uint32
}

// check compares a result bit for bit with what simtrun is to give.
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
	few   int     // how many elements may still differ
}

// same compares element i of a result of Ts.
func same[T float32 | float64 | int32 | uint32 | uint64](o *output, i int, want T) error {
	var bits, wantBits uint64 // which tell zeros apart, and NaNs
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
