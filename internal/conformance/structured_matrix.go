package conformance

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// matrixInstr is an instruction of whole warps on matrices, in 32-bit registers and in the lanes' shared memory.
type matrixInstr struct {
	text     string
	dst, src []int
	product  *product      // of mma
	metadata uint32        // of a sparse product, in lane 0; lane i has it rotated by i times four bits
	wmma     *warpMultiply // several instructions
	// For ldmatrix and stmatrix: the row of a lane is in the memory of the lane with its number XOR other.
	at, other  int
	generic    bool
	transposes bool
}

// structuredProducts are the forms of mma with elements of D that are known to the bit, in registers of 32 bits.
var structuredProducts = sync.OnceValue(func() (all []product) {
	for _, p := range mmaForms() {
		if p.kind == "" && p.blocks == 0 && p.a != "f64" {
			all = append(all, p)
		}
	}
	return all
})

// structuredDoubles are the forms of mma of .f64, structuredSparse those of mma.sp that structured programs have.
var (
	structuredDoubles = sync.OnceValue(func() []product {
		return slices.DeleteFunc(mmaForms(), func(p product) bool { return p.a != "f64" })
	})
	structuredSparse = sync.OnceValue(func() []product {
		return slices.DeleteFunc(sparseForms(), func(p product) bool { return strings.Contains(p.name, ".kind::") })
	})
)

// someRegisters returns n registers of some bits, all different if distinct is set.
func someRegisters(n, bits int, distinct bool, r *rand.Rand) (all []int) {
	of := pools[bits]
	for len(all) < n {
		if reg := of[r.IntN(len(of))]; !distinct || !slices.Contains(all, reg) {
			all = append(all, reg)
		}
	}
	return all
}

// randomProduct returns one of the forms of mma.
func randomProduct(of []product, r *rand.Rand) *matrixInstr {
	p := of[r.IntN(len(of))]
	in := &matrixInstr{product: &p, text: p.name}
	in.dst = someRegisters(p.registers("d"), 8*p.registerBytes("d"), true, r)
	for _, matrix := range []string{"a", "b", "c"} {
		in.src = append(in.src, someRegisters(p.registers(matrix), 8*p.registerBytes(matrix), false, r)...)
	}
	if c := in.src[len(in.src)-p.registers("c"):]; len(c) == len(in.dst) && r.IntN(2) == 0 {
		copy(c, in.dst) // as accumulators do
	}
	if p.sparse {
		legal := []uint32{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110}
		if p.a == "tf32" {
			legal = []uint32{0b0100, 0b1110}
		}
		for range 8 {
			in.metadata = in.metadata<<4 | legal[r.IntN(len(legal))]
		}
	}
	return in
}

func randomMatrixInstr(r *rand.Rand) *matrixInstr {
	in := &matrixInstr{}
	count, transposes := 1<<r.IntN(3), r.IntN(2) == 0
	switch r.IntN(8) {
	case 3:
		in.wmma = randomWarpMultiply(r)
		return in
	case 0:
		in.text, in.dst, in.src = "movmatrix.sync.aligned.m8n8.trans.b16", someRegisters(1, 32, true, r), someRegisters(1, 32, false, r)
		return in
	case 1:
		in.text, in.dst = "ldmatrix", someRegisters(count, 32, true, r)
	case 2:
		in.text, in.src = "stmatrix", someRegisters(count, 32, false, r)
	case 4:
		return randomProduct(structuredDoubles(), r)
	case 5:
		return randomProduct(structuredSparse(), r)
	default:
		return randomProduct(structuredProducts(), r)
	}
	in.generic, in.transposes, in.at = r.IntN(3) == 0, transposes, r.IntN(2)*16
	if r.IntN(2) == 0 {
		in.other = r.IntN(32)
	}
	in.text += matrixSuffixes(count, transposes, map[bool]string{false: ".shared"}[in.generic])
	return in
}

// execute executes the instruction on a warp.
func (in *matrixInstr) execute(warp []laneState) {
	switch {
	case in.wmma != nil:
		in.wmma.execute(warp)
	case in.product != nil:
		in.multiply(warp)
	case strings.HasPrefix(in.text, "movmatrix"):
		matrix := make([]byte, 128)
		for lane := range warp {
			row, col := elementOfLane(false, lane, 0)
			binary.LittleEndian.PutUint32(matrix[16*row+2*col:], uint32(warp[lane].regs[in.src[0]]))
		}
		for lane := range warp {
			v := uint64(0)
			for h := range 2 {
				row, col := elementOfLane(true, lane, h)
				v |= uint64(binary.LittleEndian.Uint16(matrix[16*row+2*col:])) << (16 * h)
			}
			warp[lane].regs[in.dst[0]] = v
		}
	case in.dst != nil:
		loaded := make([]uint64, 32*len(in.dst))
		in.elements(warp, len(in.dst), func(lane, register, h int, element []byte) {
			loaded[32*register+lane] |= uint64(binary.LittleEndian.Uint16(element)) << (16 * h)
		})
		for i, v := range loaded {
			warp[i%32].regs[in.dst[i/32]] = v
		}
	default:
		in.elements(warp, len(in.src), func(lane, register, h int, element []byte) {
			binary.LittleEndian.PutUint16(element, uint16(warp[lane].regs[in.src[register]]>>(16*h)))
		})
	}
}

// elements calls f for each half of each register of each lane, with its place in memory.
func (in *matrixInstr) elements(warp []laneState, count int, f func(lane, register, h int, element []byte)) {
	for lane := range warp {
		for register := range count {
			for h := range 2 {
				row, col := elementOfLane(in.transposes, lane, h)
				memory := warp[(8*register+row)^in.other].memory[sharedScratch][:]
				f(lane, register, h, memory[in.at+2*col:])
			}
		}
	}
}

func (in *matrixInstr) multiply(warp []laneState) {
	p, at := in.product, 0
	fragments := make(map[string][][]uint64)
	for _, matrix := range []string{"a", "b", "c"} {
		regs, width := in.src[at:][:p.registers(matrix)], elementBits(p.typeOf(matrix))
		at += len(regs)
		for lane := range warp {
			var all []uint64
			for _, reg := range regs {
				for from := 0; from < 8*p.registerBytes(matrix); from += width {
					all = append(all, truncate(warp[lane].regs[reg]>>from, width))
				}
			}
			fragments[matrix] = append(fragments[matrix], all)
		}
	}
	var all [][]uint64
	if p.sparse {
		var metadata []uint32
		for lane := range warp {
			metadata = append(metadata, bits.RotateLeft32(in.metadata, 4*lane))
		}
		all = p.sparseWants(fragments["a"], fragments["b"], fragments["c"], nil, metadata)
	} else {
		all = p.wants(fragments["a"], fragments["b"], fragments["c"], nil)
	}
	for lane, d := range all {
		words := appendElements(nil, p.d, d)
		for i, reg := range in.dst {
			n := p.registerBytes("d")
			var word [8]byte
			copy(word[:], words[n*i:][:n])
			warp[lane].regs[reg] = binary.LittleEndian.Uint64(word[:])
		}
	}
}

// write writes the instruction as PTX.
func (in *matrixInstr) write(w *kernelText) {
	if in.wmma != nil {
		in.wmma.write(w)
		return
	}
	list := func(regs []int) string {
		var names []string
		for _, reg := range regs {
			names = append(names, registers[reg].name)
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	address := fmt.Sprintf("[%%shared+%d]", in.at)
	if in.generic {
		address = fmt.Sprintf("[%%generic_shared+%d]", in.at)
	}
	if in.other != 0 {
		w.line("xor.b32 %%v, %%t, %d;", in.other)
		w.line("mov.u64 %%y, of_cta;")
		w.line("mad.wide.u32 %%y, %%v, %d, %%y;", scratchBytes)
		if in.generic {
			w.line("cvta.shared.u64 %%y, %%y;")
		}
		address = fmt.Sprintf("[%%y+%d]", in.at)
	}
	switch {
	case in.product != nil:
		p := in.product
		a, b := p.registers("a"), p.registers("a")+p.registers("b")
		metadata := ""
		if p.sparse {
			w.line("mov.u32 %%v, %d;", in.metadata)
			w.line("shl.b32 %%old, %%t, 2;")
			w.line("shf.l.wrap.b32 %%v, %%v, %%v, %%old;")
			metadata = fmt.Sprintf(", %%v, %d", p.selector)
		}
		w.line("%s %s, %s, %s, %s%s;", in.text, list(in.dst), list(in.src[:a]), list(in.src[a:b]), list(in.src[b:]), metadata)
	case in.dst == nil:
		w.line("%s %s, %s;", in.text, address, list(in.src))
	case in.src == nil:
		w.line("%s %s, %s;", in.text, list(in.dst), address)
	default:
		w.line("%s %s, %s;", in.text, registers[in.dst[0]].name, registers[in.src[0]].name)
	}
}
