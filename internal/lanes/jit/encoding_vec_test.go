package jit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// vexRegs are registers below 8 and below 16 in all places.
var vexRegs = [][3]Vec{{0, 1, 2}, {9, 2, 3}, {4, 11, 5}, {6, 7, 13}, {14, 15, 12}, {1, 8, 10}}

// evexRegs are registers above 15 in the first and last place, where they exclude a VEX form for all operands.
var evexRegs = [][3]Vec{{17, 3, 20}, {31, 30, 29}, {16, 8, 23}, {24, 1, 18}, {19, 12, 28}, {26, 21, 27}}

// anyRegs are both, and some with registers above 15 in other places.
var anyRegs = slices.Concat(vexRegs, evexRegs, [][3]Vec{{17, 3, 4}, {5, 24, 6}, {7, 1, 26}, {10, 20, 9}, {16, 11, 7}, {0, 14, 22}})

// encoder is a part of the encoder: one form of an instruction at one length,
// under VEX or EVEX, with or without memory.
type encoder struct {
	op        vOp
	form      form
	l         length
	evex, mem bool
}

// TestEncodingsCoverEveryForm checks that TestEncodingsMatchLLVM covers every part of the encoder.
func TestEncodingsCoverEveryForm(t *testing.T) {
	covered := map[encoder]bool{}
	for _, e := range encodings() {
		covered[e.covers] = true
	}
	for op := range numVOps {
		for f, c := range vops[op].forms {
			for l := range l512 + 1 {
				for _, e := range partsOf(op, form(f), c, l) {
					if !covered[e] {
						t.Errorf("%v is not tested: %+v", op, e)
					}
				}
			}
		}
	}
}

// partsOf returns the parts of the encoder for a form at one length.
func partsOf(op vOp, f form, c code, l length) (parts []encoder) {
	regs, mem := true, false
	switch f {
	case formRVM, formRM, formMR:
		regs, mem = c&memOnly == 0, c&regOnly == 0
		// If there is a form RM, that is the one for registers.
		regs = regs && (f != formMR || vops[op].forms[formRM] == 0)
	case formGather, formScatter:
		regs, mem = false, true
	case formToMask:
		mem = c&imm8 != 0
	}
	for _, evex := range []bool{false, true} {
		if !evex && !c.hasVEX(l) || evex && !c.hasEVEX(l) {
			continue
		}
		if regs {
			parts = append(parts, encoder{op, f, l, evex, false})
		}
		if mem {
			parts = append(parts, encoder{op, f, l, evex, true})
		}
	}
	return parts
}

// vectorCase is an instruction at one length and with one choice of operands.
type vectorCase struct {
	list *encodingList
	encoder
	code code
	name string
	full int // logarithm of the bytes of a vector
	rm   int // the same for the operand in ModRM.rm
	r    [3]Vec
	m    Mem
	k    kReg
	n    uint8 // an immediate
}

// everyChoice are the instructions and lengths that are tested with all memory operands.
var everyChoice = map[vOp]length{
	vpaddd: l256, vpaddq: l512, vmovdqu: l512, vpmovzxbd: l512, vpmovqd: l256, vpinsrd: l128, vpextrq: l128, vpgatherdq: l256, vcmppd: l256,
}

// vector adds op in all its forms, lengths and prefixes. The operands rotate, so that each choice occurs with some
// instruction; a few have all of them.
func (e *encodingList) vector(op vOp) {
	for f, c := range vops[op].forms {
		for l := range l512 + 1 {
			part := encoder{op: op, form: form(f), l: l}
			at := int(op)*5 + int(l)
			evex := anyRegs
			if c.hasVEX(l) {
				evex = evexRegs
			}
			e.vectorForm(part, c, at, vexRegs, evex)
			if every, ok := everyChoice[op]; ok && every == l {
				for at := range mems {
					e.vectorForm(part, c, at, vexRegs, anyRegs)
				}
			}
		}
	}
}

// vectorForm adds a form of an instruction under VEX and EVEX, if c has them.
func (e *encodingList) vectorForm(part encoder, c code, at int, vex, evex [][3]Vec) {
	v := vectorCase{list: e, encoder: part, code: c, r: vex[at%len(vex)]}
	v.name = strings.ToLower(v.op.String())
	v.full = 4 + int(v.l)
	v.rm = int(c.unit(v.l))
	if fullVector[v.op] {
		v.rm = v.full
	}
	v.m = mems[at%len(mems)]
	v.k = kReg(at%7) + 1
	v.n = uint8(at * 37)
	if c.hasVEX(v.l) {
		vectorForms[v.form](&v)
	}
	if !c.hasEVEX(v.l) {
		return
	}
	v.evex = true
	v.r = evex[at%len(evex)]
	if name, ok := evexNames[v.op]; ok {
		v.name = name
	}
	vectorForms[v.form](&v)
	if f := vectorFormsMasked[v.form]; f != nil && !unmaskable[v.op] {
		f(&v)
	}
}

// add adds an instruction, text and all.
func (c *vectorCase) add(emit func(*Asm), format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	covers := c.encoder
	covers.mem = strings.Contains(text, "[")
	*c.list = append(*c.list, encoding{text, emit, covers})
}

// isVEX reports whether the encoder uses VEX with these registers although the case is about EVEX.
func (c *vectorCase) isVEX(r ...Vec) bool {
	return c.evex && c.code.hasVEX(c.l) && slices.Max(r) < 16
}

var vectorForms = [numForms]func(*vectorCase){
	formRVM: (*vectorCase).three, formRM: (*vectorCase).two, formMR: (*vectorCase).store,
	formShift: (*vectorCase).shift, formBlend: (*vectorCase).blend, formGather: (*vectorCase).gather, formScatter: (*vectorCase).scatter,
	formToReg: (*vectorCase).toReg, formFromReg: (*vectorCase).fromReg,
	formToMask: (*vectorCase).toMask, formSignsToMask: (*vectorCase).signsToMask, formFromMask: (*vectorCase).fromMask,
}

var vectorFormsMasked = [numForms]func(*vectorCase){
	formRVM: (*vectorCase).threeMasked, formRM: (*vectorCase).twoMasked, formMR: (*vectorCase).storeMasked, formShift: (*vectorCase).shiftMasked,
}

// vex is the prefix for the text of an instruction under VEX that LLVM otherwise writes under EVEX, because that form
// was the first.
func (c *vectorCase) vex() string {
	if c.op == vpdpbusd && !c.evex {
		return "{vex} "
	}
	return ""
}

// vex3 is the prefix for the text of an instruction with a last register that needs three bytes of VEX: if LLVM
// considers the operands commutative, it would exchange them to need only two.
func (c *vectorCase) vex3(rm Vec) string {
	if c.op == vpdpbusd {
		return c.vex()
	}
	if !c.evex && rm >= 8 {
		return "{vex3} "
	}
	return ""
}

// imm is the immediate as text, if there is one.
func (c *vectorCase) imm() string {
	if c.code&imm8 == 0 {
		return ""
	}
	return fmt.Sprintf(", %d", c.n)
}

func (c *vectorCase) three() {
	op, l, d, s1, s2, m, n := c.op, c.l, c.r[0], c.r[1], c.r[2], c.m, c.n
	head := fmt.Sprintf("%s %s, %s, ", c.name, d.text(c.full), s1.text(c.full))
	if c.code&memOnly == 0 && !c.isVEX(d, s1, s2) {
		emit := func(a *Asm) { a.v3(op, l, d, s1, s2) }
		if c.code&imm8 != 0 {
			emit = func(a *Asm) { a.v3I(op, l, d, s1, s2, n) }
		}
		c.add(emit, "%s%s%s%s", c.vex3(s2), head, s2.text(c.rm), c.imm())
	}
	if c.code&regOnly == 0 && !c.isVEX(d, s1) {
		emit := func(a *Asm) { a.v3M(op, l, d, s1, m) }
		if c.code&imm8 != 0 {
			emit = func(a *Asm) { a.v3MI(op, l, d, s1, m, n) }
		}
		c.add(emit, "%s%s%s%s", c.vex(), head, m.text(c.rm), c.imm())
	}
}

// mask returns one of the two kinds of masks, and its text: other elements stay or become zero.
func (c *vectorCase) mask() (zero bool, text string) {
	if c.n&1 != 0 {
		return true, fmt.Sprintf("{k%d} {z}", c.k)
	}
	return false, fmt.Sprintf("{k%d}", c.k)
}

func (c *vectorCase) threeMasked() {
	op, l, d, s1, s2, m, n, k := c.op, c.l, c.r[0], c.r[1], c.r[2], c.m, c.n, c.k
	zero, mask := c.mask()
	head := fmt.Sprintf("%s %s %s, %s, ", c.name, d.text(c.full), mask, s1.text(c.full))
	if c.code&imm8 != 0 {
		c.add(func(a *Asm) { a.v3IK(op, l, d, s1, s2, n, k, zero) }, "%s%s%s", head, s2.text(c.rm), c.imm())
		return
	}
	c.add(func(a *Asm) { a.v3K(op, l, d, s1, s2, k, zero) }, "%s%s", head, s2.text(c.rm))
	if c.code&regOnly == 0 {
		c.add(func(a *Asm) { a.v3MK(op, l, d, s1, m, k, zero) }, "%s%s", head, m.text(c.rm))
	}
	if l == l512 && takesRounding[op] {
		for r, mode := range roundings {
			c.add(func(a *Asm) { a.v3R(op, d, s1, s2, uint8(r)) }, "%s %s, %s, %s, %s", c.name, d.text(6), s1.text(6), s2.text(6), mode)
		}
	}
}

func (c *vectorCase) two() {
	op, l, d, s, m, n := c.op, c.l, c.r[0], c.r[2], c.m, c.n
	head := c.name + " " + d.text(c.destination()) + ", "
	if c.code&memOnly == 0 && !c.isVEX(d, s) {
		emit := func(a *Asm) { a.v2(op, l, d, s) }
		if c.code&imm8 != 0 {
			emit = func(a *Asm) { a.v2I(op, l, d, s, n) }
		}
		c.add(emit, "%s%s%s%s", c.vex3(s), head, s.text(c.rm), c.imm())
	}
	if c.isVEX(d) {
		return
	}
	emit := func(a *Asm) { a.v2M(op, l, d, m) }
	if c.code&imm8 != 0 {
		emit = func(a *Asm) { a.v2MI(op, l, d, m, n) }
	}
	c.add(emit, "%s%s%s", head, m.text(c.rm), c.imm())
}

// destination returns the logarithm of the size in bytes of the destination of a form RM.
func (c *vectorCase) destination() int {
	if narrowing[c.op] {
		return c.full - 1
	}
	return c.full
}

func (c *vectorCase) twoMasked() {
	op, l, d, s, m, n, k := c.op, c.l, c.r[0], c.r[2], c.m, c.n, c.k
	zero, mask := c.mask()
	head := fmt.Sprintf("%s %s %s, ", c.name, d.text(c.destination()), mask)
	if c.code&imm8 != 0 {
		c.add(func(a *Asm) { a.v2IK(op, l, d, s, n, k, zero) }, "%s%s%s", head, s.text(c.rm), c.imm())
		return
	}
	if c.code&memOnly == 0 {
		c.add(func(a *Asm) { a.v2K(op, l, d, s, k, zero) }, "%s%s", head, s.text(c.rm))
	}
	c.add(func(a *Asm) { a.v2MK(op, l, d, m, k, zero) }, "%s%s", head, m.text(c.rm))
	if l == l512 && takesRounding[op] {
		for r, mode := range roundings {
			c.add(func(a *Asm) { a.v2R(op, d, s, uint8(r)) }, "%s %s, %s, %s", c.name, d.text(c.destination()), s.text(c.rm), mode)
		}
	}
}

func (c *vectorCase) store() {
	op, l, d, s, m, n := c.op, c.l, c.r[0], c.r[2], c.m, c.n
	// If there is a form RM, that is the one for registers.
	if c.code&memOnly == 0 && vops[op].forms[formRM] == 0 && !c.isVEX(d, s) {
		emit := func(a *Asm) { a.v2(op, l, d, s) }
		if c.code&imm8 != 0 {
			emit = func(a *Asm) { a.v2I(op, l, d, s, n) }
		}
		c.add(emit, "%s %s, %s%s", c.name, d.text(c.rm), s.text(c.full), c.imm())
	}
	if c.isVEX(s) {
		return
	}
	emit := func(a *Asm) { a.vStore(op, l, m, s) }
	if c.code&imm8 != 0 {
		emit = func(a *Asm) { a.vStoreI(op, l, m, s, n) }
	}
	c.add(emit, "%s %s, %s%s", c.name, m.text(c.rm), s.text(c.full), c.imm())
}

func (c *vectorCase) storeMasked() {
	op, l, d, s, m, n, k := c.op, c.l, c.r[0], c.r[2], c.m, c.n, c.k
	if vops[op].forms[formRM] == 0 {
		zero, mask := c.mask()
		emit := func(a *Asm) { a.v2K(op, l, d, s, k, zero) }
		if c.code&imm8 != 0 {
			emit = func(a *Asm) { a.v2IK(op, l, d, s, n, k, zero) }
		}
		c.add(emit, "%s %s %s, %s%s", c.name, d.text(c.rm), mask, s.text(c.full), c.imm())
	}
	if c.code&imm8 == 0 {
		c.add(func(a *Asm) { a.vStoreK(op, l, m, s, k) }, "%s %s {k%d}, %s", c.name, m.text(c.rm), k, s.text(c.full))
	}
}

func (c *vectorCase) shift() {
	op, l, d, s, n := c.op, c.l, c.r[0], c.r[1], c.n
	if c.isVEX(d, s) {
		return
	}
	c.add(func(a *Asm) { a.vShiftImm(op, l, d, s, n) }, "%s %s, %s, %d", c.name, d.text(c.full), s.text(c.full), n)
}

func (c *vectorCase) shiftMasked() {
	op, l, d, s, n, k := c.op, c.l, c.r[0], c.r[1], c.n, c.k
	zero, mask := c.mask()
	c.add(func(a *Asm) { a.vShiftImmK(op, l, d, s, n, k, zero) }, "%s %s %s, %s, %d", c.name, d.text(c.full), mask, s.text(c.full), n)
}

func (c *vectorCase) blend() {
	op, l, d, s1, s2, mask := c.op, c.l, c.r[0], c.r[1], c.r[2], Vec(c.n%16)
	c.add(func(a *Asm) { a.v4(op, l, d, s1, s2, mask) },
		"%s %s, %s, %s, %s", c.name, d.text(c.full), s1.text(c.full), s2.text(c.full), mask.text(c.full))
}

// address is the memory operand of a gather or scatter, with index in place of the index of c.m.
func (c *vectorCase) address(index string) (text string, base Reg, scale uint8, disp int32) {
	m := c.m
	if m.Base == NoReg {
		m.Base = R13
	}
	m.Scale = 1 << (c.n % 4)
	m.Index = RAX
	return strings.Replace(m.address(), " + rax*", " + "+index+"*", 1), m.Base, m.Scale, m.Disp
}

// vectors returns the logarithms of the sizes in bytes of a gather's vectors: of indices and of elements.
func (c *vectorCase) vectors() (index, elements int) {
	switch c.op {
	case vpgatherdq, vpscatterdq:
		return c.full - 1, c.full
	case vpgatherqd, vpscatterqd:
		return c.full, c.full - 1
	}
	return c.full, c.full
}

func (c *vectorCase) gather() {
	op, l, d, index, mask, k := c.op, c.l, c.r[0], c.r[1], c.r[2], c.k
	indexSize, size := c.vectors()
	at, base, scale, disp := c.address(index.text(indexSize))
	if c.evex {
		c.add(func(a *Asm) { a.vGatherK(op, l, d, base, index, scale, disp, k) }, "%s %s {k%d}, %s", c.name, d.text(size), k, at)
		return
	}
	c.add(func(a *Asm) { a.vGather(op, l, d, base, index, scale, disp, mask) }, "%s %s, %s, %s", c.name, d.text(size), at, mask.text(size))
}

func (c *vectorCase) scatter() {
	op, l, s, index, k := c.op, c.l, c.r[0], c.r[1], c.k
	indexSize, size := c.vectors()
	at, base, scale, disp := c.address(index.text(indexSize))
	c.add(func(a *Asm) { a.vScatterK(op, l, base, index, scale, disp, s, k) }, "%s %s {k%d}, %s", c.name, at, k, s.text(size))
}

// general returns a general register and its name: 64 bits for VMOVQ and similar ones.
func (c *vectorCase) general() (Reg, string) {
	r := Reg(c.n % 16)
	w := W32
	if c.code&w1v != 0 || c.op == vpbroadcastq {
		w = W64
	}
	return r, r.text(w)
}

func (c *vectorCase) toReg() {
	op, l, s, n := c.op, c.l, c.r[0], c.n
	d, name := c.general()
	if c.isVEX(s) {
		return
	}
	if c.code&imm8 != 0 {
		c.add(func(a *Asm) { a.vToRegI(op, l, d, s, n) }, "%s%s %s, %s, %d", c.vex3(s), c.name, name, s.text(c.full), n)
		return
	}
	c.add(func(a *Asm) { a.vToReg(op, l, d, s) }, "%s%s %s, %s", c.vex3(s), c.name, name, s.text(c.full))
}

func (c *vectorCase) fromReg() {
	op, l, d, s1, n := c.op, c.l, c.r[0], c.r[1], c.n
	s, name := c.general()
	switch {
	case c.isVEX(d, s1):
	case c.code&imm8 != 0:
		c.add(func(a *Asm) { a.vFromRegI(op, d, s1, s, n) }, "%s %s, %s, %s, %d", c.name, d.text(4), s1.text(4), name, n)
	case c.code&vx != 0:
		c.add(func(a *Asm) { a.vFromReg(op, d, s) }, "%s %s, %s", c.name, d.text(4), name)
	default:
		c.add(func(a *Asm) { a.vBroadcastReg(op, l, d, s) }, "%s %s, %s", c.name, d.text(c.full), name)
	}
}

func (c *vectorCase) toMask() {
	op, l, d, s1, s2, m, n, k := c.op, c.l, kReg(c.n%8), c.r[1], c.r[2], c.m, c.n, c.k
	operands := s1.text(c.full) + ", " + s2.text(c.full)
	if c.code&imm8 == 0 {
		c.add(func(a *Asm) { a.vTestK(op, l, d, s1, s2, k0) }, "%s k%d, %s", c.name, d, operands)
		c.add(func(a *Asm) { a.vTestK(op, l, d, s1, s2, k) }, "%s k%d {k%d}, %s", c.name, d, k, operands)
		c.add(func(a *Asm) { a.vTestKM(op, l, d, s1, m) }, "%s k%d, %s, %s", c.name, d, s1.text(c.full), m.text(c.full))
		return
	}
	n %= 8 // for integers there are no more comparisons
	c.add(func(a *Asm) { a.vCmpK(op, l, d, s1, s2, n) }, "%s k%d, %s, %d", c.name, d, operands, n)
	c.add(func(a *Asm) { a.vCmpKK(op, l, d, s1, s2, n, k) }, "%s k%d {k%d}, %s, %d", c.name, d, k, operands, n)
	c.add(func(a *Asm) { a.vCmpKM(op, l, d, s1, m, n) }, "%s k%d, %s, %s, %d", c.name, d, s1.text(c.full), m.text(c.full), n)
}

func (c *vectorCase) signsToMask() {
	op, l, d, s := c.op, c.l, kReg(c.n%8), c.r[0]
	c.add(func(a *Asm) { a.vToMask(op, l, d, s) }, "%s k%d, %s", c.name, d, s.text(c.full))
}

func (c *vectorCase) fromMask() {
	op, l, d, k := c.op, c.l, c.r[0], c.k
	c.add(func(a *Asm) { a.vFromMask(op, l, d, k) }, "%s %s, k%d", c.name, d.text(c.full), k)
}

// unmaskable are instructions with an EVEX form that takes no mask.
var unmaskable = map[vOp]bool{
	vpslldq: true, vpsrldq: true, vmovd: true, vmovq: true,
	vpinsrb: true, vpinsrw: true, vpinsrd: true, vpinsrq: true, vpextrb: true, vpextrw: true, vpextrd: true, vpextrq: true,
}

// takesRounding are the instructions that take a rounding mode.
var takesRounding = map[vOp]bool{}

func init() {
	for op := range numVOps {
		name := op.String()
		arithmetic := strings.HasSuffix(name, "PS") || strings.HasSuffix(name, "PD")
		for _, prefix := range []string{"VADD", "VSUB", "VMUL", "VDIV", "VSQRT", "VFM", "VFN", "VSCALEF"} {
			takesRounding[op] = takesRounding[op] || arithmetic && strings.HasPrefix(name, prefix)
		}
	}
	for _, op := range []vOp{vcvtdq2PS, vcvtps2DQ, vcvtpd2DQ, vcvtpd2PS, vcvtudq2PS, vcvtqq2PD, vcvtuqq2PD, vcvtqq2PS, vcvtuqq2PS,
		vcvtps2UDQ, vcvtpd2UDQ, vcvtpd2QQ, vcvtpd2UQQ, vcvtps2QQ, vcvtps2UQQ} {
		takesRounding[op] = true
	}
}
