package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// longType is the 128-bit type of moves, loads, stores and two atomics. Its values are two words here, the low one
// first.
const longType = "b128"

type long [2]uint64

func (l long) appendTo(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, l[0]), l[1])
}

func longOf(b []byte) long {
	return long{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// longMoves packs two words in swapped order, under a guard, over the result of an earlier packing, and unpacks them.
func longMoves(f form) []trial {
	w := &kernelText{}
	lanePointers(w, chunk)
	w.line(".reg .b128 %%q, %%keeps;")
	w.line(".reg .b64 %%x, %%y, %%z;")
	w.line(".reg .pred %%p;")
	w.line("ld.global.v2.u64 {%%x, %%y}, [%%own];")
	w.line("%s %%q, {%%y, %%x};", f.text)
	w.line("%s %%keeps, {7, %%x};", f.text)
	w.line("and.b32 %%t, %%i, 1;")
	w.line("setp.ne.u32 %%p, %%t, 0;")
	w.line("@%%p %s %%keeps, {%%y, 9};", f.text)
	w.line("%s {%%x, %%y}, %%q;", f.text)
	w.line("st.global.v2.u64 [%%out], {%%x, %%y};")
	w.line("%s {%%x, %%y}, %%keeps;", f.text)
	w.line("@!%%p %s {_, %%x}, %%q;", f.text)
	w.line("st.global.v2.u64 [%%out+16], {%%x, %%y};")
	data := randomBytes(f.text, 32*chunk)
	var want []byte
	for lane := range 32 {
		x := longOf(data[lane*chunk:])
		want = long{x[1], x[0]}.appendTo(want)
		if lane%2 == 1 {
			want = long{x[1], 9}.appendTo(want)
		} else {
			want = long{x[0], x[0]}.appendTo(want)
		}
	}
	src := header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
	return []trial{{src: src, buffers: [][]byte{data, make([]byte, len(want))}, check: bytesMatch(want)}}
}

// longLoads loads the second half of a share; longStores stores the first half of the lane's own share there.
func longLoads(f form) []trial {
	var all []trial
	a := access{form: f}
	for _, space := range a.spaces() {
		data := randomBytes(f.text, 32*chunk)
		w := &kernelText{}
		fill(w, space)
		w.line(".reg .b128 %%q;")
		w.line(".reg .b64 %%x, %%y;")
		w.line("%s %%q, [%%mine+16];", f.text)
		w.line("mov.b128 {%%x, %%y}, %%q;")
		w.line("st.global.u64 [%%out], %%x;")
		w.line("st.global.u64 [%%out+8], %%y;")
		var want []byte
		for lane := range 32 {
			at := shareOf(lane)
			if space == "local" {
				at = lane
			}
			want = append(want, data[at*chunk+16:][:16]...)
		}
		tr := trial{src: variable(space, data, a.generic(), 16) + w.String() + "\tret;\n}\n", buffers: [][]byte{data, make([]byte, len(want))}, check: bytesMatch(want)}
		if space == "param" {
			tr.params = alignedParam(2, data)
		}
		all = append(all, tr)
	}
	return all
}

func longStores(f form) []trial {
	var all []trial
	a := access{form: f}
	for _, space := range a.spaces() {
		if space == "param" || space == "const" {
			continue
		}
		data := randomBytes(f.text, 32*chunk)
		w := &kernelText{}
		w.line(".reg .b128 %%q;")
		w.line(".reg .b64 %%x, %%y;")
		w.line("ld.global.v2.u64 {%%x, %%y}, [%%own];")
		w.line("mov.b128 %%q, {%%x, %%y};")
		w.line("bar.sync 0;")
		w.line("%s [%%mine+16], %%q;", f.text)
		w.line("ld.v2.u64 {%%x, %%y}, [%%generic+16];")
		w.line("st.global.v2.u64 [%%out], {%%x, %%y};")
		var want []byte
		for lane := range 32 {
			want = append(want, data[lane*chunk:][:16]...)
		}
		src := variable(space, nil, a.generic(), 16)
		src += "\t.reg .b64 %generic;\n\tmov.u64 %generic, %mine;\n"
		if space != "global" && !a.generic() {
			src += fmt.Sprintf("\tcvta.%s.u64 %%generic, %%mine;\n", space)
		}
		all = append(all, trial{src: src + w.String() + "\tret;\n}\n", buffers: [][]byte{data, make([]byte, len(want))}, check: bytesMatch(want)})
	}
	return all
}

// longAtomics runs 32 lanes on 32, 8 and 1 cells, which are the first words of in, followed by two operands for each
// lane. Lanes come in order.
func longAtomics(f form) []trial {
	var all []trial
	for _, space := range (&access{form: f}).spaces() {
		for _, n := range cells {
			if space != "local" {
				all = append(all, longAtomic(f, space, n))
			}
		}
	}
	return all
}

func longAtomic(f form, space string, n int) trial {
	in, want := longCells(f, n)
	return trial{src: longAtomicKernel(f, space, n), buffers: [][]byte{in, make([]byte, len(want))}, ordered: n < 32, check: func(after [][]byte) error {
		if err := bytesMatch(want)(after); err != nil {
			return fmt.Errorf("%d cells in %s space: %w", n, space, err)
		}
		return nil
	}}
}

// longCells are n cells with the operands of each lane, and the cells' final values in 32 words, followed by the old
// values that each lane got.
func longCells(f form, n int) (in, want []byte) {
	r := rand.New(rand.NewPCG(8, uint64(n)))
	values := []long{{0, 0}, {1, 0}, {0, 1}, {r.Uint64(), r.Uint64()}, {^uint64(0), ^uint64(0)}} // few, so that some are equal
	value := func() long { return values[r.IntN(len(values))] }
	memory := make([]long, n)
	for i := range memory {
		memory[i] = value()
	}
	for i := range 32 {
		in = memory[i%n].appendTo(in)
	}
	var old []byte
	for lane := range 32 {
		b, c, cell := value(), value(), &memory[lane%n]
		in = c.appendTo(b.appendTo(in))
		old = cell.appendTo(old)
		switch {
		case f.has("exch"):
			*cell = b
		case *cell == b:
			*cell = c
		}
	}
	for i := range 32 {
		want = memory[i%n].appendTo(want)
	}
	return slices.Clip(in), append(want, old...)
}

func longAtomicKernel(f form, space string, n int) string {
	generic := (&access{form: f}).generic()
	w := &kernelText{}
	w.line(".shared .align 16 .b8 cells[512];")
	w.line(".reg .b64 %%in, %%out, %%a, %%own, %%mine, %%x, %%y;")
	w.line(".reg .b32 %%i, %%cell;")
	w.line(".reg .b128 %%b, %%c, %%d;")
	w.line("mov.u32 %%i, %%tid.x;")
	w.line("and.b32 %%cell, %%i, %d;", n-1)
	w.line("ld.param.u64 %%in, [in];")
	w.line("ld.param.u64 %%out, [out];")
	w.line("mad.wide.u32 %%out, %%i, 16, %%out;")
	w.line("mad.wide.u32 %%own, %%i, 32, %%in;")
	w.line("ld.global.b128 %%b, [%%own+512];")
	w.line("ld.global.b128 %%c, [%%own+528];")
	w.line("mov.u64 %%a, %%in;")
	if space == "shared" {
		w.line("mov.u64 %%a, cells;")
		if generic {
			w.line("cvta.shared.u64 %%a, %%a;")
		}
	}
	w.line("mad.wide.u32 %%mine, %%i, 16, %%a;")
	w.line("mad.wide.u32 %%a, %%cell, 16, %%a;")
	at := ".global"
	if space == "shared" {
		if at = ".shared"; generic {
			at = ""
		}
		w.line("mad.wide.u32 %%own, %%i, 16, %%in;")
		w.line("ld.global.b128 %%d, [%%own];")
		w.line("st%s.b128 [%%mine], %%d;", at)
		w.line("bar.sync 0;")
	}
	operands := "%b"
	if f.has("cas") {
		operands = "%b, %c"
	}
	w.line("%s %%d, [%%a], %s;", f.text, operands)
	w.line("mov.b128 {%%x, %%y}, %%d;")
	w.line("st.global.v2.u64 [%%out+512], {%%x, %%y};")
	w.line("bar.sync 0;")
	w.line("ld%s.b128 %%d, [%%a];", at)
	w.line("st.global.b128 [%%out], %%d;")
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + "\tret;\n}\n"
}
