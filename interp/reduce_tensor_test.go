package interp_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/tensor"
	"github.com/simtrun/simtrun/internal/tensorcase"
	"github.com/simtrun/simtrun/interp"
)

// reducedInTensors are the operations, and the types of the elements of tensors that each of them takes.
var reducedInTensors = map[string]string{
	"add": "u32 s32 u64 f16 bf16 f32", "min": "u32 s32 u64 s64 f16 bf16", "max": "u32 s32 u64 s64 f16 bf16",
	"inc": "u32", "dec": "u32", "and": "u32 s32 u64 s64", "or": "u32 s32 u64 s64", "xor": "u32 s32 u64 s64",
}

// TestTensorReductionsMatchMathBig: random boxes and pixels reduce random tensors, with a clock and without one, by
// each operation on each type, compared with results of math/big.
func TestTensorReductionsMatchMathBig(t *testing.T) {
	short.Alternates(t, 0, 3)
	r := rand.New(rand.NewPCG(3, 4))
	for op, types := range reducedInTensors {
		for typ := range strings.FieldsSeq(types) {
			for range short.Of(8) {
				c := tensorcase.Random(r, 8192, true)
				for c.Type != typ || c.Four || c.Span() > 65536 {
					c = tensorcase.Random(r, 8192, true)
				}
				checkTensorReduction(t, r, c, op)
			}
		}
	}
}

func checkTensorReduction(t *testing.T, r *rand.Rand, c *tensorcase.Case, op string) {
	t.Helper()
	e := elementsOf[c.Type]
	sample := func(n int) (all []byte) {
		for len(all) < n {
			all = e.put(all, e.sample(r, op))
		}
		return all
	}
	elements, box := sample((c.Span()+3)/4*4), sample(8192)
	want := slices.Clone(elements)
	number := func(b []byte) uint64 {
		return binary.LittleEndian.Uint64(append(slices.Clone(b[:e.bytes]), make([]byte, 8)...))
	}
	c.Reduce(want, box, 0, func(old, by []byte) {
		for ; len(old) > 0; old, by = old[e.bytes:], by[e.bytes:] {
			copy(old, e.put(nil, e.combined(op, number(old), number(by))))
		}
	})
	var d tensor.Description
	for word := range strings.FieldsSeq(c.Words()) {
		if err := d.Set(word); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	mode := map[bool]string{true: ".im2col_no_offs", false: ".tile"}[c.Im2col]
	copies := fmt.Sprintf("cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s%s.bulk_group [%%rd2, {%s}], [s];", len(c.Sizes), op, mode,
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Coords)), ", "), "[]"))
	src := strings.NewReplacer("TENSOR", fmt.Sprint(len(elements)/4), "ELEMENTS", strings.Join(decimals(elements), ", "), "BOX", strings.Join(decimals(box), ", "),
		"MAP", strings.Join(decimals(d.Encode()), ", "), "COPY", copies).Replace(kerneltest.Source(t, "testdata/kernels/reduce_tensor.txt", "tensor reduction"))
	for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){nil, withClock} {
		out, _, err := kerneltest.Kernel{Source: src, Words: []int{len(want) / 4}, Driver: driver}.Run(t)
		if err != nil {
			t.Fatalf("%s of %s, clock %v: %v", op, c.Words(), driver != nil, err)
		}
		var got []byte
		for _, word := range out[0] {
			got = binary.LittleEndian.AppendUint32(got, word)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s of %s at %v, clock %v: other elements", op, c.Words(), c.Coords, driver != nil)
		}
	}
}

// TestOverwrittenTensorMapFaults: a copy that overwrites its tensor map leaves none for the lanes after it.
func TestOverwrittenTensorMapFaults(t *testing.T) {
	var d tensor.Description
	for word := range strings.FieldsSeq("32 type=u32 box=32") {
		if err := d.Set(word); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	for operation, want := range map[string]string{ // with the clock
		"cp.async.bulk.tensor.1d.global.shared::cta":           "no tensor map is there",
		"cp.reduce.async.bulk.tensor.1d.global.shared::cta.or": "not supported yet with a clock",
	} {
		src := strings.NewReplacer("MAP", strings.Join(decimals(d.Encode()), ", "), "OPERATION", operation).
			Replace(kerneltest.Source(t, "testdata/kernels/reduce_tensor.txt", "tensor of its own map"))
		for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){withClock, nil} {
			_, _, err := kerneltest.Kernel{Source: src, Words: []int{32}, Driver: driver}.Run(t)
			if driver == nil {
				want = "no tensor map is there"
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, clock %v: %v; want %q", operation, driver != nil, err, want)
			}
		}
	}
}
