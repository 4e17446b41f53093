package conformance

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// matrixRow returns the offset in shared memory of row i of the matrices that a lane moves: rows are in no particular
// order.
func matrixRow(i int) int { return (i*7 + 3) % 32 * 16 }

// elementOfLane returns the row and column of a lane's element in half h of its register for a matrix of 8 by 8 (PTX
// ISA 9.7.14, ldmatrix).
func elementOfLane(trans bool, lane, h int) (row, col int) {
	row, col = lane/4, lane%4*2+h
	if trans {
		row, col = col, row
	}
	return row, col
}

func matrixSuffixes(count int, trans bool, space string) string {
	text := fmt.Sprintf(".sync.aligned.m8n8.x%d", count)
	if trans {
		text += ".trans"
	}
	return text + space + ".b16"
}

// matrixAddress has instructions that make %r5 the address of the lane's row: lanes with addresses that do not count
// have a bad one.
func matrixAddress(count int, space string) string {
	text := "\tmov.u32 %r4, %laneid;\n\tmad.lo.u32 %r5, %r4, 7, 3;\n\tand.b32 %r5, %r5, 31;\n\tshl.b32 %r5, %r5, 4;\n\tmov.u32 %r6, rows;\n\tadd.u32 %r5, %r5, %r6;\n"
	if count < 4 {
		text += fmt.Sprintf("\tsetp.ge.u32 %%p1, %%r4, %d;\n\t@%%p1 mov.u32 %%r5, 0xfffff3;\n", 8*count)
	}
	text += "\tcvt.u64.u32 %rd5, %r5;\n"
	if space == "" {
		text += "\tcvta.shared.u64 %rd5, %rd5;\n"
	}
	return text
}

func registerList(count int) string {
	var regs []string
	for i := range count {
		regs = append(regs, fmt.Sprintf("%%r%d", i))
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

const matrixHead = header + ".shared .align 16 .b8 rows[512];\n.visible .entry k(.param .u64 out)\n{\n\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<8>;\n\t.reg .pred %p<2>;\n"

// loadMatrices: each half word of shared memory holds its number.
func loadMatrices(count int, trans bool, space string) Claim {
	name := "ldmatrix" + matrixSuffixes(count, trans, space)
	src := matrixHead + `	mov.u32 %r0, %tid.x;
	shl.b32 %r1, %r0, 4;
	mov.u32 %r2, rows;
	add.u32 %r1, %r1, %r2;
	mul.lo.u32 %r2, %r0, 0x80008;
	add.u32 %r2, %r2, 0x10000;
	st.shared.u32 [%r1], %r2;
	add.u32 %r3, %r2, 0x20002;
	st.shared.u32 [%r1+4], %r3;
	add.u32 %r3, %r2, 0x40004;
	st.shared.u32 [%r1+8], %r3;
	add.u32 %r3, %r2, 0x60006;
	st.shared.u32 [%r1+12], %r3;
	bar.sync 0;
` + matrixAddress(count, space) + "\t" + name + " " + registerList(count) + ", [%rd5];\n" + storeRegisters(count)
	var want []byte
	for lane := range 32 {
		for matrix := range count {
			for h := range 2 {
				row, col := elementOfLane(trans, lane, h)
				want = binary.LittleEndian.AppendUint16(want, uint16(matrixRow(8*matrix+row)/2+col))
			}
		}
	}
	tr := trial{src: src, buffers: [][]byte{make([]byte, len(want))}, check: bytesMatch(want)}
	return Claim{Name: name, Opcode: "ldmatrix", Try: tr.try}
}

// storeRegisters ends a kernel: each lane stores its first registers.
func storeRegisters(count int) string {
	text := fmt.Sprintf("\tmov.u32 %%r7, %%tid.x;\n\tld.param.u64 %%rd0, [out];\n\tmad.wide.u32 %%rd0, %%r7, %d, %%rd0;\n", 4*count)
	for i := range count {
		text += fmt.Sprintf("\tst.global.u32 [%%rd0+%d], %%r%d;\n", 4*i, i)
	}
	return text + "\tret;\n}\n"
}

// storeMatrices: register i of a lane holds 4 times the lane's number plus i, and in its upper half 128 more.
func storeMatrices(count int, trans bool, space string) Claim {
	name := "stmatrix" + matrixSuffixes(count, trans, space)
	src := matrixHead + "\tmov.u32 %r8, %laneid;\n\tmul.lo.u32 %r8, %r8, 0x40004;\n\tadd.u32 %r8, %r8, 0x800000;\n"
	for i := range count {
		src += fmt.Sprintf("\tadd.u32 %%r%d, %%r8, %d;\n", i, 0x10001*i)
	}
	src += matrixAddress(count, space) + "\t" + name + " [%rd5], " + registerList(count) + ";\n" + `	bar.sync 0;
	mov.u32 %r7, %tid.x;
	shl.b32 %r8, %r7, 4;
	mov.u32 %r9, rows;
	add.u32 %r8, %r8, %r9;
	ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r8];
` + storeRegisters(4)
	want := make([]byte, 512)
	for lane := range 32 {
		for matrix := range count {
			for h := range 2 {
				row, col := elementOfLane(trans, lane, h)
				binary.LittleEndian.PutUint16(want[matrixRow(8*matrix+row)+2*col:], uint16(4*lane+matrix+128*h))
			}
		}
	}
	tr := trial{src: src, buffers: [][]byte{make([]byte, len(want))}, check: bytesMatch(want)}
	return Claim{Name: name, Opcode: "stmatrix", Try: tr.try}
}

// moveMatrix: an element of the matrix is 8 times its row plus its column.
func moveMatrix() Claim {
	src := matrixHead + `	mov.u32 %r1, %laneid;
	mul.lo.u32 %r1, %r1, 0x20002;
	add.u32 %r1, %r1, 0x10000;
	movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;
` + storeRegisters(1)
	var want []byte
	for lane := range 32 {
		for h := range 2 {
			row, col := elementOfLane(true, lane, h)
			want = binary.LittleEndian.AppendUint16(want, uint16(8*row+col))
		}
	}
	tr := trial{src: src, buffers: [][]byte{make([]byte, len(want))}, check: bytesMatch(want)}
	return Claim{Name: "movmatrix.sync.aligned.m8n8.trans.b16", Opcode: "movmatrix", Try: tr.try}
}

// byteMatrix is a form of ldmatrix or stmatrix of elements of 8 bits or, in memory, fewer.
type byteMatrix struct {
	text                  string
	rows, registers, bits int // rows with addresses, registers of a lane
	trans                 bool
}

// byteMatrices are all such forms. The places of elements are those of PTX ISA 9.7.14 (ldmatrix, stmatrix) as CUTLASS 4
// has them in Copy_Traits of SM100_U8x8_LDSM_T, SM100_SU4_DU8x16_x1_LDSM_N and SM100_U8x4_STSM_T; no GPU was asked.
func byteMatrices() (all []byteMatrix) {
	formats := map[int]string{8: ".shared.b8", 6: ".shared.b8x16.b6x16_p32", 4: ".b8x16.b4x16_p64"}
	for _, bits := range []int{8, 6, 4} {
		for _, n := range []int{1, 2} {
			all = append(all, byteMatrix{fmt.Sprintf("ldmatrix.sync.aligned.m16n16.x%d.trans%s", n, formats[bits]), 16 * n, 2 * n, bits, true})
		}
		for _, n := range []int{1, 2, 4} {
			if bits < 8 {
				all = append(all, byteMatrix{fmt.Sprintf("ldmatrix.sync.aligned.m8n16.x%d%s", n, formats[bits]), 8 * n, n, bits, false})
			} else {
				all = append(all, byteMatrix{fmt.Sprintf("stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8", n), 8 * n, n, bits, true})
			}
		}
	}
	return all
}

// place returns the row and the column in memory of byte b of a lane's register.
func (x *byteMatrix) place(lane, register, b int) (row, col int) {
	switch group, thread := lane/4, lane%4; {
	case strings.HasPrefix(x.text, "st"):
		return 8*register + 2*thread + b%2, group + b/2*8
	case x.trans:
		return register/2*16 + 4*thread + b, group + register%2*8
	default:
		return 8*register + group, 4*thread + b
	}
}

// element returns element i of a row in memory, in a byte.
func (x *byteMatrix) element(row []byte, i int) byte {
	v := 0
	for bit := range x.bits {
		at := i*x.bits + bit
		v |= int(row[at/8]>>(at%8)&1) << bit
	}
	return byte(v)
}

// claim is the claim about the form: rows are in no particular order, at addresses of lanes.
func (x byteMatrix) claim() Claim {
	load := strings.HasPrefix(x.text, "ld")
	memory, want := randomBytes(x.text, 512), make([]byte, 32*4*x.registers)
	if !load {
		want = append([]byte(nil), memory...)
	}
	values := randomBytes("registers"+x.text, 32*4*x.registers)
	x.move(memory, want, values, load)
	tr := perThread(x.kernel(load), 32, nil)
	tr.src = strings.Replace(tr.src, "k(.param .u64 out)", "k(.param .u64 in, .param .u64 registers, .param .u64 out)", 1)
	before := make([]byte, len(want))
	tr.buffers, tr.check = [][]byte{memory, values, before}, bytesMatch(want)
	opcode, _, _ := strings.Cut(x.text, ".")
	return Claim{Name: x.text, Opcode: opcode, Try: tr.try}
}

// move moves elements by the formula of the PTX ISA: a load from rows in memory to the registers of lanes, want; a
// store from values of registers to rows in want.
func (x byteMatrix) move(memory, want, values []byte, load bool) {
	for lane := range 32 {
		for register := range x.registers {
			for b := range 4 {
				row, col := x.place(lane, register, b)
				if at := lane*4*x.registers + 4*register + b; load {
					want[at] = x.element(memory[matrixRow(row):], col)
				} else {
					want[matrixRow(row)+col] = values[at]
				}
			}
		}
	}
}

// kernel returns the body of a kernel that executes the form once, with rows of 16 bytes in shared memory.
func (x byteMatrix) kernel(load bool) string {
	w := &kernelText{}
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("ld.param.u64 %%rd2, [out];")
	w.line("ld.param.u64 %%rd3, [registers];")
	w.line(".shared .align 16 .b8 rows[512];")
	w.line("shl.b32 %%r8, %%r0, 4;")
	w.line("cvt.u64.u32 %%rd4, %%r8;")
	w.line("add.u64 %%rd6, %%rd2, %%rd4;")
	w.line("add.u64 %%rd4, %%rd1, %%rd4;")
	w.line("mov.u32 %%r9, rows;")
	w.line("add.u32 %%r8, %%r8, %%r9;")
	w.line("ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%rd4];")
	w.line("st.shared.v4.u32 [%%r8], {%%r10, %%r11, %%r12, %%r13};")
	w.line("bar.sync 0;")
	w.line("mad.lo.u32 %%r5, %%r0, 7, 3;")
	w.line("and.b32 %%r5, %%r5, 31;")
	w.line("mad.lo.u32 %%r5, %%r5, 16, %%r9;")
	if x.rows < 32 {
		w.line("setp.ge.u32 %%p1, %%r0, %d;", x.rows)
		w.line("@%%p1 mov.u32 %%r5, 0xfffff3;") // does not count
	}
	address := "%r5"
	if !strings.Contains(x.text, ".shared") {
		w.line("cvt.u64.u32 %%rd5, %%r5;")
		w.line("cvta.shared.u64 %%rd5, %%rd5;")
		address = "%rd5"
	}
	var regs []string
	for i := range x.registers {
		regs = append(regs, fmt.Sprintf("%%r%d", 20+i))
	}
	list := "{" + strings.Join(regs, ", ") + "}"
	w.line("mad.wide.u32 %%rd3, %%r0, %d, %%rd3;", 4*x.registers)
	if load {
		w.line("%s %s, [%s];", x.text, list, address)
		w.line("mad.wide.u32 %%rd6, %%r0, %d, %%rd2;", 4*x.registers)
		for i, r := range regs {
			w.line("st.global.u32 [%%rd6+%d], %s;", 4*i, r)
		}
	} else {
		for i, r := range regs {
			w.line("ld.global.u32 %s, [%%rd3+%d];", r, 4*i)
		}
		w.line("%s [%s], %s;", x.text, address, list)
		w.line("bar.sync 0;")
		w.line("ld.shared.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%r8];")
		w.line("st.global.v4.u32 [%%rd6], {%%r10, %%r11, %%r12, %%r13};")
	}
	w.line("ret;")
	return w.String()
}
