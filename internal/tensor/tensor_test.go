package tensor_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/tensor"
	"github.com/simtrun/simtrun/internal/tensorcase"
)

func describe(t *testing.T, text string) (*tensor.Map, error) {
	t.Helper()
	var d tensor.Description
	for word := range strings.FieldsSeq(text) {
		if err := d.Set(word); err != nil {
			return nil, err
		}
	}
	return &d.Map, d.Finish()
}

// way and place are those of a case.
func way(c *tensorcase.Case) (w tensor.Way, p tensor.Place) {
	switch {
	case c.Im2col:
		w = tensor.Im2col
	case c.Four:
		w = tensor.FourRows
	}
	for i, n := range c.Coords {
		p.Coords[i] = int64(n)
	}
	for i, n := range c.Offsets {
		p.Offsets[i] = int64(n)
	}
	return w, p
}

// TestRowsMatchSingleElements: rows, swizzles, fills and rounding are those of elements one after the other.
func TestRowsMatchSingleElements(t *testing.T) {
	const base = 0x10000
	r := rand.New(rand.NewPCG(1, 2))
	for range short.Of(20000) {
		c := tensorcase.Random(r, 1<<13, false)
		m, err := describe(t, c.Words())
		if err != nil {
			t.Fatalf("%s: %v", c.Words(), err)
		}
		m.Address = base
		data := make([]byte, c.Span())
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		destination := 128 * r.IntN(9)
		want, got := make([]byte, 1<<14), make([]byte, 1<<14)
		c.Load(want, data, destination)
		w, p := way(c)
		s := m.Shape(w)
		if s.Bytes() != c.Bytes() {
			t.Fatalf("%s: %d bytes, want %d", c.Words(), s.Bytes(), c.Bytes())
		}
		row := make([]byte, s.Row)
		for i := range s.Rows {
			at := m.Row(&s, &p, i)
			m.FillRow(row)
			if at.To > at.From {
				m.Round(row[at.From:][:copy(row[at.From:at.To], data[at.Address-base:])])
			}
			for k, b := range row {
				got[m.Swizzled(uint64(destination+i*s.Pitch+k))] = b
			}
		}
		if !bytes.Equal(want, got) {
			t.Fatalf("%s at %v, offsets %v, to %d: other bytes", c.Words(), c.Coords, c.Offsets, destination)
		}
	}
}

// TestIm2colMatchesExampleOfISA: the first example of PTX's text on im2col, worked out by hand. Images are 9 wide and
// 14 high; with corners of -1 pixels are in W from -1 to 7 and in H from -1 to 12. From (7, 4) on the first pixel is
// the last of its row; the 63 others are 7 rows of 9, and the last of them is row 11.
func TestIm2colMatchesExampleOfISA(t *testing.T) {
	m, err := describe(t, "64x9x14x64 type=f16 pixels=64 channels=8 lower=-1,-1 upper=-1,-1")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Shape(tensor.Im2col)
	p := tensor.Place{Coords: [5]int64{7, 7, 4, 0}}
	place := func(w, h, n int) uint64 { return uint64(((n*14+h)*9+w)*64+7) * 2 }
	for i, want := range map[int]tensor.Row{
		0:  {Address: place(7, 4, 0), From: 0, To: 16},
		1:  {}, // W = -1
		2:  {Address: place(0, 5, 0), From: 0, To: 16},
		9:  {Address: place(7, 5, 0), From: 0, To: 16},
		63: {Address: place(7, 11, 0), From: 0, To: 16},
	} {
		if got := m.Row(&s, &p, i); got != want {
			t.Errorf("pixel %d: %+v, want %+v", i, got, want)
		}
	}
}

func TestEncodedMapDecodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range short.Of(2000) {
		c := tensorcase.Random(r, 1<<13, false)
		m, err := describe(t, c.Words())
		if err != nil {
			t.Fatal(err)
		}
		m.Address = 0x1234560 * 32
		if m.Interleave == tensor.NoInterleave {
			m.Steps[0] = 1
		}
		if m.Im2col {
			m.Box = [5]int{}
		}
		b := m.Encode()
		got, err := tensor.Decode(b)
		if err != nil || len(b) != tensor.Bytes {
			t.Fatal(c.Words(), err)
		}
		for d := m.Rank; d < tensor.MaxRank; d++ {
			got.Sizes[d] = m.Sizes[d]
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Fatal(c.Words(), diff)
		}
	}
}

// TestReplacedFieldsEqualEncoding: a map that is made of zeros, field by field, is the one that is encoded.
func TestReplacedFieldsEqualEncoding(t *testing.T) {
	want, err := describe(t, "64x32 type=bf16 strides=256 box=16x8 steps=1,2 swizzle=32 fill=nan")
	if err != nil {
		t.Fatal(err)
	}
	want.Address = 0x700000100
	b := make([]byte, tensor.Bytes)
	for _, f := range []struct {
		field   tensor.Field
		ordinal int
		value   uint64
	}{
		{tensor.GlobalAddress, 0, 0x700000100}, {tensor.Rank, 0, 1}, {tensor.GlobalDim, 0, 64}, {tensor.GlobalDim, 1, 32}, {tensor.GlobalStride, 0, 256},
		{tensor.BoxDim, 0, 16}, {tensor.BoxDim, 1, 8}, {tensor.ElementStride, 0, 1}, {tensor.ElementStride, 1, 2},
		{tensor.ElemType, 0, 10}, {tensor.InterleaveLayout, 0, 0}, {tensor.SwizzleMode, 0, 1}, {tensor.SwizzleAtomicity, 0, 0}, {tensor.FillMode, 0, 1},
	} {
		if err := tensor.Replace(b, f.field, f.ordinal, f.value); err != nil {
			t.Fatal(err)
		}
	}
	got, err := tensor.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	for d := 2; d < tensor.MaxRank; d++ {
		got.Sizes[d], want.Steps[d] = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for want, f := range map[string]func() error{
		"5 as the rank; expected 0 to 4":            func() error { return tensor.Replace(b, tensor.Rank, 0, 5) },
		"global_stride 4; there are 4":              func() error { return tensor.Replace(b, tensor.GlobalStride, 4, 16) },
		"65536 as the box_dim; it is at most":       func() error { return tensor.Replace(b, tensor.BoxDim, 0, 1<<16) },
		"4 as the swizzle_mode; expected 0 to 3":    func() error { return tensor.Replace(b, tensor.SwizzleMode, 0, 4) },
		"13 as the elemtype; expected 0 to 12":      func() error { return tensor.Replace(b, tensor.ElemType, 0, 13) },
		"no tensor map is there":                    func() error { _, err := tensor.Decode(make([]byte, 128)); return err },
		"9 as its fill_mode":                        func() error { c := bytes.Clone(b); c[10] = 9; _, err := tensor.Decode(c); return err },
		"a size of 0 in dimension 0; expected 1 to": func() error { var m tensor.Map; m.Rank = 1; return m.Check() },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestWrongDescriptionsAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "no sizes, such as 64x64",
		"64x64":                               "no type, such as type=f16",
		"64x64 type=f16":                      "no box, such as box=8x8",
		"64x64 type=f15 box=8x8":              `no element type "f15"; there are u8, u16`,
		"8x8x8x8x8x8 type=f16":                "8x8x8x8x8x8 has 6 dimensions; a tensor has 1 to 5",
		"64x0 type=f16 box=8x8":               "a size of 0 in dimension 1; expected 1 to 4294967296",
		"64xx type=f16 box=8x8":               `"" is not a number`,
		"64x64 type=f16 box=8x8x8":            "box=8x8x8 has 3 numbers; it takes 2",
		"512x512 type=u8 box=16x257":          "a box of 257 in dimension 1; expected 1 to 256",
		"64x64 type=f16 box=4x8":              "8 bytes in dimension 0 of the box, which is not a multiple of 16",
		"64x64 type=f16 box=32x8 swizzle=32B": "64 bytes in dimension 0 of the box; a swizzle of 32 bytes takes no more than those",
		"64x64 type=f16 box=8x8 swizzle=96":   "swizzle=96; there are 0 32 64 128",
		"64x64 type=f16 box=8x8 swizzle=64 atomicity=32":     "an atom of 32 bytes needs a swizzle of 128 bytes",
		"63x64 type=f16 box=8x8":                             "a stride of 126 bytes in dimension 1, which is not a multiple of 16",
		"64x64 type=f16 box=8x8 strides=1099511627776":       "a stride of 1099511627776 bytes in dimension 1; it is less than 2^40",
		"64x64 type=f16 box=8x8 steps=1,9":                   "a step of 9 in dimension 1; expected 1 to 8",
		"64x64 type=u16 box=8x8 fill=nan":                    "NaN as the fill of .u16; it takes a floating-point type",
		"64x64 type=f16 box=8x8 interleave=16":               "interleave of a tensor of 2 dimensions; expected 3 to 5",
		"4x4x4 type=f16 box=4x1x4 interleave=32":             "an interleave of 32 bytes needs a swizzle of 32 bytes",
		"4x4x4 type=f16 box=4x2x4 interleave=16":             "a box of 2 slices of channels, in dimension 1, is not supported yet; it is 1",
		"4x4x4 type=f16 box=4x1x4 interleave=16 swizzle=64":  "an interleave of 16 bytes with a swizzle is not supported yet",
		"64x64 type=f16 pixels=8 channels=8":                 "im2col of a tensor of 2 dimensions; expected 3 to 5",
		"64x8x8 type=f16 pixels=1025 channels=8":             "1025 pixels; expected 1 to 1024",
		"64x8x8 type=f16 pixels=8 channels=257":              "257 channels of a pixel; expected 1 to 256",
		"64x8x8x8 type=f16 pixels=8 channels=8 lower=-129,0": "a corner of -129; of a tensor of 4 dimensions it is -128 to 127",
		"64x8x8 type=f16 pixels=8 channels=8 lower=8":        "the box of dimension 1 is empty: from 8 to 7",
		"64x8x8 type=f16 pixels=8 channels=8 box=8x8x8":      "a box, and what im2col has in its place",
		"64x64 type=f16 colour=red":                          `no "colour" here; expected SIZExSIZE`,
		"64x64 box=8x8 box=8x8":                              "box is said twice",
		"box=8x8":                                            "box before the sizes",
		"64x64 64":                                           `"64" is out of place`,
		"64x64 type=f16 box=8x-8":                            "a box of -8 in dimension 1; expected 1 to 256",
	} {
		if _, err := describe(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}
