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
