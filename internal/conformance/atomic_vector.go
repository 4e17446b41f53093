package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// vectorAtomics runs 32 lanes on 32, 8 and 1 cells of a vector each, 16 bytes apart, which are the first 512 bytes of
// in, followed by the operands of each lane. Lanes come in order, and each element is a separate atomic.
func vectorAtomics(f form) []trial {
	a := parseAccess(f)
	var all []trial
	for _, n := range cells {
		all = append(all, vectorAtomic(f, a, n))
	}
	return all
}

// vectorElement returns an element after an atomic: of .f32 in global memory, or of halves, with the smaller or
// larger one for min or max.
func vectorElement(f form, typ string, old, b uint64) uint64 {
	if part, pair := halfOf(typ); pair {
		return inHalves([]uint64{old, b}, func(s []uint64) uint64 { return vectorElement(f, part, s[0], s[1]) })
	}
	if op := f.oneOf("min", "max"); op != "" {
		minOrMax := floatOps[op]
		return minOrMax.eval(form{text: op + "." + typ, op: op, mods: []string{typ}, types: []string{typ}}, []uint64{old, b})
	}
	return atomicResult(f, typ, old, b, 0, typ == "f32")
}

const vectorApart = 16 // bytes from one vector to the next

func vectorAtomic(f form, a access, n int) trial {
	in, memory, old := vectorCells(f, a, n)
	return trial{src: vectorAtomicKernel(f, a, n), buffers: [][]byte{in, make([]byte, len(old))}, ordered: n < 32, check: func(after [][]byte) error {
		for i := 0; i < len(memory); i += 8 {
			if got, want := binary.LittleEndian.Uint64(after[0][i:]), binary.LittleEndian.Uint64(memory[i:]); got != want {
				return fmt.Errorf("%d cells: word %d is %#x, want %#x", n, i/8, got, want)
			}
		}
		return bytesMatch(old)(after)
	}}
}

// vectorCells are n cells with the operands of each lane, their final values, and the old values that each lane got.
func vectorCells(f form, a access, n int) (in, memory, old []byte) {
	r := rand.New(rand.NewPCG(9, hash(f.text)+uint64(n)))
	e := edges(a.typ)
	value := func() uint64 {
		if r.IntN(2) == 0 {
			return e[r.IntN(len(e))]
		}
		return randomValue(a.typ, r)
	}
	vector := func() []byte {
		b := make([]byte, vectorApart)
		for i := range a.elems {
			a.put(b, i, value())
		}
		return b
	}
	element := func(b []byte, i int) uint64 { return a.element(b, i, typeBits[a.typ]) }
	for range n {
		in = append(in, vector()...)
	}
	memory = append([]byte(nil), in...)
	in = append(in, make([]byte, 32*vectorApart-len(in))...)
	for lane := range 32 {
		b, cell := vector(), memory[lane%n*vectorApart:][:vectorApart]
		in, old = append(in, b...), append(old, cell...)
		for i := range a.elems {
			a.put(cell, i, vectorElement(f, a.typ, element(cell, i), element(b, i)))
		}
	}
	if f.op == "red" {
		clear(old)
	}
	return in, memory, old
}

func vectorAtomicKernel(f form, a access, n int) string {
	w := &kernelText{}
	w.line(".reg .b64 %%in, %%out, %%a, %%own;")
	w.line(".reg .b32 %%i, %%cell, %%x<4>;")
	w.line(".reg .b%d %%b<%d>, %%d<%[2]d>;", typeBits[a.typ], a.elems)
	w.line("mov.u32 %%i, %%tid.x;")
	w.line("and.b32 %%cell, %%i, %d;", n-1)
	w.line("ld.param.u64 %%in, [in];")
	w.line("ld.param.u64 %%out, [out];")
	w.line("mad.wide.u32 %%own, %%i, %d, %%in;", vectorApart)
	w.line("mad.wide.u32 %%out, %%i, %d, %%out;", vectorApart)
	w.line("mad.wide.u32 %%a, %%cell, %d, %%in;", vectorApart)
	list := func(name string) string {
		var names []string
		for i := range a.elems {
			names = append(names, fmt.Sprint("%", name, i))
		}
		return "{" + strings.Join(names, ", ") + "}"
	}
	for i := range a.elems {
		w.line("ld.global.b%d %%b%d, [%%own+%d];", typeBits[a.typ], i, 32*vectorApart+i*a.bytes)
	}
	if f.op == "red" {
		w.line("%s [%%a], %s;", f.text, list("b"))
	} else {
		w.line("%s %s, [%%a], %s;", f.text, list("d"), list("b"))
		for i := range a.elems {
			w.line("st.global.b%d [%%out+%d], %%d%d;", typeBits[a.typ], i*a.bytes, i)
		}
	}
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}
