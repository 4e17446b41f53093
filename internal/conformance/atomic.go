package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// atomicSeeds times 32 lanes are enough for the edges of any type.
const atomicSeeds = 4

// cells are how many lanes of a warp share a cell: each by itself, four, all.
var cells = []int{32, 8, 1}

// atomics runs 32 lanes on 32, 8 and 1 cells in memory. Lanes that share a cell come in the order of their numbers,
// as the lanes of a warp do here; PTX leaves the order open.
func atomics(f form) []trial {
	if f.has(longType) {
		return longAtomics(f)
	}
	if f.oneOf("v2", "v4", "v8") != "" {
		return vectorAtomics(f)
	}
	typ := f.types[0]
	var all []trial
	for _, space := range (&access{form: f}).spaces() {
		if space == "local" {
			continue // has no atomics
		}
		for _, n := range cells {
			for seed := range uint64(atomicSeeds) {
				all = append(all, atomicTrial(f, typ, space, n, seed))
			}
		}
	}
	return all
}

const cellBytes = 8

// atomicTrial has the cells in the first 32 words of in, or copies them to shared memory and back, and then two
// operands for each lane. Each lane writes the result of the instruction to out, after the cells.
func atomicTrial(f form, typ, space string, n int, seed uint64) trial {
	x := someAtomics(f, typ, n, seed)
	in, want := x.input(), x.outcome(f, typ, space)
	return trial{src: atomicKernel(f, space, typeBits[typ], n), buffers: [][]byte{in, make([]byte, len(want))}, ordered: n < 32,
		check: func(after [][]byte) error {
			for i := 0; i < len(want); i += 8 {
				w, g := binary.LittleEndian.Uint64(want[i:]), binary.LittleEndian.Uint64(after[1][i:])
				if w != g {
					return fmt.Errorf("%d cells in %s space: word %d is %#x, want %#x", n, space, i/8, g, w)
				}
			}
			return nil
		}}
}

// warpAtomics are cells and the operations of 32 lanes on them. Lane i has the operands b[i] and c[i], and the cell
// with number i modulo the number of cells.
type warpAtomics struct {
	cells []uint64
	b, c  [32]uint64
}

// someAtomics are random atomics on n cells.
func someAtomics(f form, typ string, n int, seed uint64) *warpAtomics {
	r := rand.New(rand.NewPCG(seed, hash(typ)))
	cas := f.has("cas")
	e := edges(typ)
	value := func() uint64 {
		if r.IntN(2) == 0 {
			return e[r.IntN(len(e))]
		}
		return randomValue(typ, r)
	}
	x := &warpAtomics{cells: make([]uint64, n)}
	for i := range x.cells {
		x.cells[i] = value()
	}
	for lane := range 32 {
		x.b[lane], x.c[lane] = value(), value()
		switch {
		case cas && lane >= n && r.IntN(3) > 0: // the value that the lane before stored
			x.b[lane] = x.c[lane-n]
		case n == 8 && r.IntN(4) == 0:
			x.b[lane] = x.cells[lane%n]
		case n > 8 && !cas: // all edges come in turn
			x.b[lane] = e[(int(seed)*32+lane)%len(e)]
		}
	}
	return x
}

// input returns the cells, repeated to fill 32 words, and the operands.
func (x *warpAtomics) input() []byte {
	in := make([]byte, 0, 32*3*cellBytes)
	for i := range 32 {
		in = binary.LittleEndian.AppendUint64(in, x.cells[i%len(x.cells)])
	}
	for lane := range 32 {
		in = binary.LittleEndian.AppendUint64(in, x.b[lane])
		in = binary.LittleEndian.AppendUint64(in, x.c[lane])
	}
	return in
}

// outcome returns the final cells, repeated to fill 32 words, and the old value that each lane got.
func (x *warpAtomics) outcome(f form, typ, space string) (want []byte) {
	flush := space == "global" && typ == "f32" // PTX ISA 9.7.13: only there
	memory := slices.Clone(x.cells)
	var old [32]uint64
	for lane := range 32 {
		cell := &memory[lane%len(memory)]
		old[lane] = *cell
		*cell = atomicResult(f, typ, *cell, x.b[lane], x.c[lane], flush)
		if typ == "f64" && f.has("add") && double.isNaN(*cell) {
			*cell = atomicNaN(old[lane], x.b[lane], space == "shared")
		}
	}
	for i := range 32 {
		want = binary.LittleEndian.AppendUint64(want, memory[i%len(memory)])
	}
	for lane := range 32 {
		if f.op == "red" {
			old[lane] = 0
		}
		want = binary.LittleEndian.AppendUint64(want, old[lane])
	}
	return want
}

func atomicKernel(f form, space string, bits, n int) string {
	w := &kernelText{}
	w.line(".shared .align 8 .b64 cells[32];")
	w.line(".reg .b64 %%in, %%out, %%a, %%x, %%own;")
	w.line(".reg .b32 %%i, %%cell;")
	w.line(".reg .b%d %%b, %%c, %%d;", bits)
	w.line("mov.u32 %%i, %%tid.x;")
	w.line("and.b32 %%cell, %%i, %d;", n-1)
	w.line("ld.param.u64 %%in, [in];")
	w.line("ld.param.u64 %%out, [out];")
	w.line("mad.wide.u32 %%out, %%i, 8, %%out;")
	w.line("mad.wide.u32 %%own, %%i, 8, %%in;")
	w.line("ld.global.u64 %%x, [%%own];")
	w.line("mad.wide.u32 %%own, %%i, 8, %%own;") // two operands to a lane
	w.line("ld.global.b%d %%b, [%%own+256];", bits)
	w.line("ld.global.b%d %%c, [%%own+264];", bits)
	if space == "shared" {
		w.line("mov.u64 %%a, cells;")
		w.line("mad.wide.u32 %%own, %%i, 8, %%a;")
		w.line("st.shared.u64 [%%own], %%x;")
		w.line("bar.sync 0;")
		if f.oneOf("shared") == "" {
			w.line("cvta.shared.u64 %%a, %%a;")
		}
	} else {
		w.line("mov.u64 %%a, %%in;")
	}
	w.line("mad.wide.u32 %%a, %%cell, 8, %%a;")
	w.line("mov.b%d %%d, 0;", bits)
	switch {
	case f.op == "red":
		w.line("%s [%%a], %%b;", f.text)
	case f.has("cas"):
		w.line("%s %%d, [%%a], %%b, %%c;", f.text)
	default:
		w.line("%s %%d, [%%a], %%b;", f.text)
	}
	w.line("st.global.b%d [%%out+256], %%d;", bits)
	w.line("bar.sync 0;")
	if space == "shared" && f.oneOf("shared") != "" {
		w.line("ld.shared.u64 %%x, [%%a];")
	} else {
		w.line("ld.u64 %%x, [%%a];")
	}
	w.line("st.global.u64 [%%out], %%x;")
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}

// atomicResult returns the value of the cell after the operation.
func atomicResult(f form, typ string, old, b, c uint64, flush bool) uint64 {
	if half, pair := halfOf(typ); pair {
		return inHalves([]uint64{old, b}, func(s []uint64) uint64 { return atomicResult(f, half, s[0], s[1], 0, flush) })
	}
	switch op := f.oneOf("add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"); op {
	case "add":
		if !isFloat(typ) {
			return truncate(old+b, typeBits[typ])
		}
		ff := formatOf(typ)
		if flush {
			return ff.flush(ff.fma(ff.flush(old), ff.one(), ff.flush(b), toNearest))
		}
		return ff.fma(old, ff.one(), b, toNearest)
	case "min", "max":
		if number(typ, old).Cmp(number(typ, b)) < 0 == (op == "min") {
			return old
		}
		return b
	case "inc":
		if old >= b {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > b {
			return b
		}
		return old - 1
	case "exch":
		return b
	case "cas":
		if old == b {
			return c
		}
		return old
	case "and":
		return old & b
	case "or":
		return old | b
	}
	return old ^ b
}

// atomicNaN returns the result of an H100 for the sum of b and old, both of .f64, if it is NaN: in global memory a NaN
// unchanged, in shared memory a quiet one.
func atomicNaN(old, b uint64, inShared bool) uint64 {
	switch {
	case inShared:
		return quietOf(double, []uint64{old, b})
	case double.isNaN(b):
		return b
	case double.isNaN(old):
		return old
	}
	return quietOf(double, nil)
}
