package jit

import "fmt"

// This file has the names of registers and instructions in Intel's syntax.

var byteNames = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"}
var wordNames = [16]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}

// text is the name of r as an operand of width w.
func (r Reg) text(w Width) string {
	if r >= R8 {
		return fmt.Sprintf("r%d%s", r, [4]string{"b", "w", "d", ""}[w])
	}
	switch w {
	case W8:
		return byteNames[r]
	case W16:
		return wordNames[r]
	case W32:
		return "e" + wordNames[r]
	}
	return "r" + wordNames[r]
}

// sizes are the words for the size of memory operands, by its logarithm.
var sizes = [7]string{"byte", "word", "dword", "qword", "xmmword", "ymmword", "zmmword"}

// text is m as an operand of 1<<size bytes.
func (m Mem) text(size int) string { return sizes[size] + " ptr " + m.address() }

func (m Mem) address() string {
	if m.Scale == 0 {
		return m.indexed("")
	}
	return m.indexed(m.Index.text(W64))
}

// indexed is the address of m with index as the name of its index.
func (m Mem) indexed(index string) string {
	base := "rip"
	if m.Base != NoReg {
		base = m.Base.text(W64)
	}
	if m.Scale != 0 {
		base += fmt.Sprintf(" + %s*%d", index, m.Scale)
	}
	if m.Disp < 0 {
		return fmt.Sprintf("[%s - %d]", base, -int64(m.Disp))
	}
	return fmt.Sprintf("[%s + %d]", base, m.Disp)
}

var aluNames = [8]string{"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"}

var condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

var shiftNames = [8]string{rol: "rol", ror: "ror", shl: "shl", shr: "shr", sar: "sar"}

// roundings are rounding modes as text, by their number.
var roundings = [4]string{roundNearest: "{rn-sae}", roundDown: "{rd-sae}", roundUp: "{ru-sae}", roundZero: "{rz-sae}"}

// evexNames are names under EVEX that are others than under VEX.
var evexNames = map[vOp]string{
	vpand: "vpandd", vpandn: "vpandnd", vpor: "vpord", vpxor: "vpxord",
	vpandq: "vpandq", vpandnq: "vpandnq", vporq: "vporq", vpxorq: "vpxorq",
	vinserti128: "vinserti32x4", vextracti128: "vextracti32x4", vbroadcasti128: "vbroadcasti32x4",
	vmovdqu: "vmovdqu32", vmovdqa: "vmovdqa32",
}

// narrowing are conversions with a destination half as long as their source, or of 128 bits.
var narrowing = map[vOp]bool{
	vcvtpd2DQ: true, vcvttpd2DQ: true, vcvtpd2PS: true, vcvtqq2PS: true, vcvtuqq2PS: true, vcvtpd2UDQ: true, vcvttpd2UDQ: true,
}

// fullVector are instructions whose memory operand is printed as a vector, although displacements are counted in
// elements.
var fullVector = map[vOp]bool{vpcompressd: true, vpcompressq: true, vpexpandd: true, vpexpandq: true}

// text is v as an operand of 1<<size bytes; all of it is used from 16 bytes on.
func (v Vec) text(size int) string { return fmt.Sprintf("%cmm%d", "xyz"[max(size, 4)-4], v) }
