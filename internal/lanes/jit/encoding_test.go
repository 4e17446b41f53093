package jit

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/encodings.txt, with LLVM's assembler (llvm-mc-19)")

const encodingsFile = "testdata/encodings.txt"

const encodingsHeader = `# Instructions in Intel's syntax, a tab, their bytes, as LLVM's assembler has them:
# llvm-mc-19 -triple=x86_64 -show-encoding. Rewritten by:
# go test ./internal/lanes/jit -run TestEncodingsMatchLLVM -update
`

// encoding is an instruction as text and as a call of the encoder.
type encoding struct {
	text   string
	emit   func(*Asm)
	covers encoder // of a vector instruction
}

// encodings returns all instructions that are compared with LLVM's.
func encodings() []encoding {
	var e encodingList
	e.general()
	e.generalMem()
	e.masks()
	for op := range numVOps {
		e.vector(op)
	}
	return e
}

type encodingList []encoding

func (e *encodingList) add(emit func(*Asm), format string, args ...any) {
	*e = append(*e, encoding{text: fmt.Sprintf(format, args...), emit: emit})
}

// TestEncodingsMatchLLVM compares every form of every instruction with another assembler's bytes.
func TestEncodingsMatchLLVM(t *testing.T) {
	all := encodings()
	if *update {
		writeEncodings(t, all)
	}
	want := readEncodings(t)
	used := map[string]bool{}
	var a Asm
	for _, e := range all {
		a.reset()
		next := a.NewLabel() // [rip + disp] counts from here
		e.emit(&a)
		a.bind(next)
		code, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(code); got != want[e.text] {
			t.Errorf("%s: %s, LLVM has %q", e.text, got, want[e.text])
		}
		used[e.text] = true
	}
	for text := range want {
		if !used[text] {
			t.Errorf("%s has %q, which is not tested", encodingsFile, text)
		}
	}
}

func readEncodings(t *testing.T) map[string]string {
	data, err := os.ReadFile(encodingsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		text, code, _ := strings.Cut(strings.TrimSpace(line), "\t")
		want[text] = code
	}
	return want
}

var shownEncoding = regexp.MustCompile(`encoding: \[([^\]]*)\]`)

func writeEncodings(t *testing.T, all []encoding) {
	assembler, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		t.Skip("llvm-mc-19 is not installed")
	}
	var texts []string
	seen := map[string]bool{}
	for _, e := range all {
		if !seen[e.text] {
			texts = append(texts, e.text)
		}
		seen[e.text] = true
	}
	cmd := exec.Command(assembler, "-triple=x86_64", "-show-encoding")
	cmd.Stdin = strings.NewReader(".intel_syntax noprefix\n" + strings.Join(texts, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes()[:min(stderr.Len(), 5000)])
	}
	shown := shownEncoding.FindAllSubmatch(out, -1)
	if len(shown) != len(texts) {
		t.Fatalf("llvm-mc shows %d encodings of %d instructions", len(shown), len(texts))
	}
	f, err := os.Create(encodingsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	w.WriteString(encodingsHeader)
	for i, text := range texts {
		fmt.Fprintf(w, "%s\t%s\n", text, strings.NewReplacer("0x", "", ",", "").Replace(string(shown[i][1])))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// mems are memory operands of every kind: bases that need a SIB byte or a displacement, indices, scales,
// displacements around the limits of one byte and of one byte in units of EVEX.
var mems = []Mem{
	memAt(RAX, 0), memAt(RCX, 8), memAt(RDX, -128), memAt(RBX, 128), memAt(RSP, 0), memAt(RBP, 0), memAt(RSI, -129), memAt(RDI, 127),
	memAt(R8, 64), memAt(R12, 0), memAt(R13, 0), memAt(R12, 256), memAt(R13, 0x12345678), memAt(R15, -0x12345678), memAt(RSP, 512), memAt(RBP, -4096),
	atIndex(RAX, RCX, 1, 0), atIndex(RSP, RBP, 2, 16), atIndex(RBP, R12, 4, 0), atIndex(R13, RDX, 8, 0),
	atIndex(R12, R13, 8, 8128), atIndex(RBX, R9, 1, 8192), atIndex(R8, RSI, 2, -8192), atIndex(R14, R15, 4, -8193),
	atLabel(0, 0), atLabel(0, -4096), atLabel(0, 0x1234),
	memAt(RAX, 1), memAt(RCX, 254), memAt(RDX, 508), memAt(RBX, 1016), memAt(RDI, 2032), memAt(R8, 4064), memAt(R9, -2048), memAt(R10, -1024),
}

// regPairs are registers with and without bit 3, and those that need a prefix for their low byte.
var regPairs = [][2]Reg{{RAX, RCX}, {RSP, RBX}, {RDI, RAX}, {RBX, RSI}, {R8, RDX}, {RBP, R9}, {R15, R12}, {RCX, R13}}

var generalWidths = []Width{W8, W16, W32, W64}

// immediates returns numbers around the limits of encodings, as far as w allows.
func immediates(w Width) []int32 {
	switch w {
	case W8:
		return []int32{0, 1, -128, 127}
	case W16:
		return []int32{0, -128, 127, 128, -129, 32767}
	}
	return []int32{0, 1, -128, 127, 128, -129, 0x12345678, -0x80000000}
}

func (e *encodingList) general() {
	for i, p := range regPairs {
		for _, w := range generalWidths {
			e.pair(w, p[0], p[1])
			e.one(w, p[0], i)
		}
		e.wide(p[0], p[1], regPairs[(i+3)%len(regPairs)][0])
	}
	for c, name := range condNames {
		e.add(func(a *Asm) { a.setcc(cond(c), RSI) }, "set%s sil", name)
		e.add(func(a *Asm) { a.setcc(cond(c), R9) }, "set%s r9b", name)
		e.add(func(a *Asm) { a.cmov(cond(c), W32, RAX, R9) }, "cmov%s eax, r9d", name)
		e.add(func(a *Asm) { a.cmov(cond(c), W64, R10, RBX) }, "cmov%s r10, rbx", name)
	}
	e.add((*Asm).Ret, "ret")
	e.add((*Asm).int3, "int3")
	e.add((*Asm).vzeroupper, "vzeroupper")
	e.add(func(a *Asm) { a.cdq(W32) }, "cdq")
	e.add(func(a *Asm) { a.cdq(W64) }, "cqo")
}

// pair adds the instructions of two registers in all widths.
func (e *encodingList) pair(w Width, d, s Reg) {
	dt, st := d.text(w), s.text(w)
	for op, name := range aluNames {
		e.add(func(a *Asm) { a.op(alu(op), w, d, s) }, "%s %s, %s", name, dt, st)
	}
	e.add(func(a *Asm) { a.mov(w, d, s) }, "mov %s, %s", dt, st)
	e.add(func(a *Asm) { a.test(w, d, s) }, "test %s, %s", dt, st)
	if w == W8 {
		return
	}
	e.add(func(a *Asm) { a.imul(w, d, s) }, "imul %s, %s", dt, st)
	e.add(func(a *Asm) { a.popcnt(w, d, s) }, "popcnt %s, %s", dt, st)
	e.add(func(a *Asm) { a.tzcnt(w, d, s) }, "tzcnt %s, %s", dt, st)
	e.add(func(a *Asm) { a.lzcnt(w, d, s) }, "lzcnt %s, %s", dt, st)
	for _, v := range immediates(w) {
		e.add(func(a *Asm) { a.imulImm(w, d, s, v) }, "imul %s, %s, %d", dt, st, v)
	}
}

// one adds the instructions of one register, or one and an immediate, in all widths. turn selects the immediate of
// each operation.
func (e *encodingList) one(w Width, d Reg, turn int) {
	dt, imms := d.text(w), immediates(w)
	for op, name := range aluNames {
		v := imms[(op+turn)%len(imms)]
		e.add(func(a *Asm) { a.opImm(alu(op), w, d, v) }, "%s %s, %d", name, dt, v)
	}
	v := imms[turn%len(imms)]
	e.add(func(a *Asm) { a.testImm(w, d, v) }, "test %s, %d", dt, v)
	for op, name := range shiftNames {
		if name == "" {
			continue
		}
		n := uint8(op+turn)%3 + 1
		e.add(func(a *Asm) { a.shiftImm(shift(op), w, d, n) }, "%s %s, %d", name, dt, n)
		e.add(func(a *Asm) { a.shiftCL(shift(op), w, d) }, "%s %s, cl", name, dt)
	}
	e.add(func(a *Asm) { a.not(w, d) }, "not %s", dt)
	e.add(func(a *Asm) { a.neg(w, d) }, "neg %s", dt)
	e.add(func(a *Asm) { a.mul(w, d) }, "mul %s", dt)
	e.add(func(a *Asm) { a.div(w, d) }, "div %s", dt)
	e.add(func(a *Asm) { a.idiv(w, d) }, "idiv %s", dt)
}

// wide adds the instructions of registers that do not exist in all widths.
func (e *encodingList) wide(d, s, s2 Reg) {
	for _, w := range []Width{W32, W64} {
		dt, st, mt := d.text(w), s.text(w), s2.text(w)
		e.add(func(a *Asm) { a.pext(w, d, s, s2) }, "pext %s, %s, %s", dt, st, mt)
		e.add(func(a *Asm) { a.pdep(w, d, s, s2) }, "pdep %s, %s, %s", dt, st, mt)
		e.add(func(a *Asm) { a.blsr(w, d, s) }, "blsr %s, %s", dt, st)
		e.add(func(a *Asm) { a.movzx(w, d, s) }, "mov %s, %s", dt, st)
	}
	for _, w := range []Width{W8, W16} {
		e.add(func(a *Asm) { a.movzx(w, d, s) }, "movzx %s, %s", d.text(W32), s.text(w))
		e.add(func(a *Asm) { a.movsx(w, d, s) }, "movsx %s, %s", d.text(W64), s.text(w))
	}
	e.add(func(a *Asm) { a.movsx(W32, d, s) }, "movsxd %s, %s", d.text(W64), s.text(W32))
	e.add(func(a *Asm) { a.jmpReg(d) }, "jmp %s", d.text(W64))
	e.add(func(a *Asm) { a.callReg(d) }, "call %s", d.text(W64))
	for _, v := range []uint64{0, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF} {
		e.add(func(a *Asm) { a.movImm(d, v) }, "mov %s, %d", d.text(W32), v)
	}
	for _, v := range []int64{-1, -0x80000000} {
		e.add(func(a *Asm) { a.movImm(d, uint64(v)) }, "mov %s, %d", d.text(W64), v)
	}
	for _, v := range []int64{0x100000000, -0x80000001, 0x123456789ABCDEF0} {
		e.add(func(a *Asm) { a.movImm(d, uint64(v)) }, "movabs %s, %d", d.text(W64), v)
	}
}

func (e *encodingList) generalMem() {
	for i, m := range mems {
		r := Reg(i*5) % 16
		for _, w := range generalWidths {
			e.access(w, m, r)
		}
		e.add(func(a *Asm) { a.lea(r, m) }, "lea %s, %s", r.text(W64), m.address())
		e.add(func(a *Asm) { a.jmpMem(m) }, "jmp %s", m.text(3))
		e.add(func(a *Asm) { a.ldmxcsr(m) }, "ldmxcsr %s", m.text(2))
		e.add(func(a *Asm) { a.stmxcsr(m) }, "stmxcsr %s", m.text(2))
	}
}

// access adds the instructions of a register and memory in all widths.
func (e *encodingList) access(w Width, m Mem, r Reg) {
	rt, mt := r.text(w), m.text(int(w))
	switch w {
	case W8, W16:
		e.add(func(a *Asm) { a.Load(w, r, m) }, "movzx %s, %s", r.text(W32), mt)
		e.add(func(a *Asm) { a.loadSigned(w, r, m) }, "movsx %s, %s", r.text(W64), mt)
	case W32:
		e.add(func(a *Asm) { a.loadSigned(w, r, m) }, "movsxd %s, %s", r.text(W64), mt)
		fallthrough
	default:
		e.add(func(a *Asm) { a.Load(w, r, m) }, "mov %s, %s", rt, mt)
	}
	e.add(func(a *Asm) { a.store(w, m, r) }, "mov %s, %s", mt, rt)
	v := immediates(w)[int(r)%len(immediates(w))]
	e.add(func(a *Asm) { a.storeImm(w, m, v) }, "mov %s, %d", mt, v)
	op := alu(r+m.Base) % 8
	name := aluNames[op]
	e.add(func(a *Asm) { a.opLoad(op, w, r, m) }, "%s %s, %s", name, rt, mt)
	e.add(func(a *Asm) { a.opStore(op, w, m, r) }, "%s %s, %s", name, mt, rt)
	e.add(func(a *Asm) { a.opStoreImm(op, w, m, v) }, "%s %s, %d", name, mt, v)
	e.add(func(a *Asm) { a.opStoreImm(op, w, m, 8) }, "%s %s, 8", name, mt)
	e.add(func(a *Asm) { a.xchg(w, m, r) }, "xchg %s, %s", mt, rt)
	for _, lock := range []bool{false, true} {
		prefix := ""
		if lock {
			prefix = "lock "
		}
		e.add(func(a *Asm) { a.xadd(w, m, r, lock) }, "%sxadd %s, %s", prefix, mt, rt)
		e.add(func(a *Asm) { a.cmpxchg(w, m, r, lock) }, "%scmpxchg %s, %s", prefix, mt, rt)
	}
}

func (e *encodingList) masks() {
	suffix := [4]string{"b", "w", "d", "q"}
	for i, r := range []Reg{RAX, RBP, R9, R15} {
		d, s, s2 := kReg(i*3%8), kReg(i*5+1)%8, kReg(i+6)%8
		for _, w := range generalWidths {
			x := suffix[w]
			e.add(func(a *Asm) { a.kMov(w, d, s) }, "kmov%s k%d, k%d", x, d, s)
			e.add(func(a *Asm) { a.kNot(w, d, s) }, "knot%s k%d, k%d", x, d, s)
			e.add(func(a *Asm) { a.kortest(w, d, s) }, "kortest%s k%d, k%d", x, d, s)
			e.add(func(a *Asm) { a.ktest(w, d, s) }, "ktest%s k%d, k%d", x, d, s)
			e.add(func(a *Asm) { a.kShiftL(w, d, s, uint8(i)+3) }, "kshiftl%s k%d, k%d, %d", x, d, s, i+3)
			e.add(func(a *Asm) { a.kShiftR(w, d, s, uint8(i)+3) }, "kshiftr%s k%d, k%d, %d", x, d, s, i+3)
			e.add(func(a *Asm) { a.kAnd(w, d, s, s2) }, "kand%s k%d, k%d, k%d", x, d, s, s2)
			e.add(func(a *Asm) { a.kAndN(w, d, s, s2) }, "kandn%s k%d, k%d, k%d", x, d, s, s2)
			e.add(func(a *Asm) { a.kOr(w, d, s, s2) }, "kor%s k%d, k%d, k%d", x, d, s, s2)
			e.add(func(a *Asm) { a.kXor(w, d, s, s2) }, "kxor%s k%d, k%d, k%d", x, d, s, s2)
			e.add(func(a *Asm) { a.kXnor(w, d, s, s2) }, "kxnor%s k%d, k%d, k%d", x, d, s, s2)
			rt := r.text(max(w, W32))
			e.add(func(a *Asm) { a.kFromReg(w, d, r) }, "kmov%s k%d, %s", x, d, rt)
			e.add(func(a *Asm) { a.kToReg(w, r, d) }, "kmov%s %s, k%d", x, rt, d)
			m := mems[(i*4+int(w))*2]
			e.add(func(a *Asm) { a.kLoad(w, d, m) }, "kmov%s k%d, %s", x, d, m.text(int(w)))
			e.add(func(a *Asm) { a.kStore(w, m, d) }, "kmov%s %s, k%d", x, m.text(int(w)), d)
		}
		e.add(func(a *Asm) { a.kUnpck(W16, d, s, s2) }, "kunpckbw k%d, k%d, k%d", d, s, s2)
		e.add(func(a *Asm) { a.kUnpck(W32, d, s, s2) }, "kunpckwd k%d, k%d, k%d", d, s, s2)
		e.add(func(a *Asm) { a.kUnpck(W64, d, s, s2) }, "kunpckdq k%d, k%d, k%d", d, s, s2)
	}
}
