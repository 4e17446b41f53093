package jit

import (
	"fmt"
	"strings"
)

// vectorDecoder reads an instruction with a VEX or EVEX prefix.
type vectorDecoder struct {
	*decoder
	evex        bool
	mapBits, pp uint8
	l           length
	v           uint8 // VEX.vvvv, with bit 4 from EVEX
	high        uint8 // bit 4 of ModRM.reg under EVEX
	k           kReg
	zero, bcast bool
	op          uint8
}

// vector is the text of an instruction with a VEX or EVEX prefix.
func (d *decoder) vector() string {
	v := vectorDecoder{decoder: d}
	switch d.byte() {
	case 0xC5:
		b := d.byte()
		d.r, v.mapBits = ^b>>7<<3, 1
		v.last(b)
	case 0xC4:
		b := d.byte()
		d.r, d.x, d.b, v.mapBits = ^b>>7<<3, ^b>>6&1<<3, ^b>>5&1<<3, b&31
		b = d.byte()
		d.w = b >> 7
		v.last(b)
	default: // 62
		b := d.byte()
		d.r, d.x, d.b, v.mapBits = ^b>>7<<3, ^b>>6&1<<3, ^b>>5&1<<3, b&3
		v.evex, v.high = true, ^b>>4&1<<4
		b = d.byte()
		d.w, v.v, v.pp = b>>7, ^b>>3&15, b&3
		b = d.byte()
		v.v |= ^b >> 3 & 1 << 4
		v.zero, v.l, v.bcast, v.k = b&evexZero != 0, length(b>>5&3), b&evexBcast != 0, kReg(b&7)
	}
	v.op = d.byte()
	switch {
	case !v.evex && v.mapBits == 1 && v.op == 0x77:
		return "vzeroupper"
	case !v.evex:
		if text := v.special(); text != "" {
			return text
		}
	}
	return v.ofTable()
}

// last reads the last byte of a VEX prefix.
func (v *vectorDecoder) last(b uint8) { v.v, v.l, v.pp = ^b>>3&15, length(b>>2&1), b&3 }

// special are instructions on general and mask registers.
func (v *vectorDecoder) special() string {
	if text := v.bits(); text != "" {
		return text
	}
	return v.onMasks()
}

// bits are pext, pdep and blsr.
func (v *vectorDecoder) bits() string {
	if v.mapBits != 2 || v.op != 0xF5 && v.op != 0xF3 {
		return ""
	}
	w := W32 + Width(v.w)
	v.modrm(0)
	if v.op == 0xF3 {
		if v.reg&7 != 1 || v.pp != 0 { // blsmsk or blsi
			panic(errUndecoded)
		}
		return fmt.Sprintf("blsr %s, %s", Reg(v.v).text(w), v.operand(w))
	}
	return fmt.Sprintf("%s %s, %s, %s", known([4]string{2: "pext", 3: "pdep"}[v.pp]), Reg(v.reg).text(w), Reg(v.v).text(w), v.operand(w))
}

// maskOps are instructions on mask registers in map 0F.
var maskOps = map[uint8]string{
	0x41: "kand", 0x42: "kandn", 0x45: "kor", 0x46: "kxnor", 0x47: "kxor", 0x44: "knot", 0x98: "kortest", 0x99: "ktest",
	0x90: "kmov", 0x91: "kmov", 0x92: "kmov", 0x93: "kmov", 0x4B: "kunpck",
}

// onMasks is an instruction on mask registers; "" if it is another.
func (v *vectorDecoder) onMasks() string {
	name := maskOps[v.op]
	switch {
	case v.mapBits == 3 && v.op&^3 == 0x30:
		return v.maskShift()
	case v.mapBits != 1 || name == "":
		return ""
	case v.op == 0x4B:
		return v.threeMasks("kunpck" + known(map[uint8]string{1: "bw", 0: "wd", 4: "dq"}[v.pp|v.w<<2]))
	case v.op == 0x92 || v.op == 0x93:
		return v.maskMove()
	}
	w, ok := map[uint8]Width{1: W8, 0: W16, 5: W32, 4: W64}[v.pp|v.w<<2]
	if !ok {
		panic(errUndecoded)
	}
	name += [4]string{"b", "w", "d", "q"}[w]
	if v.l == l256 {
		return v.threeMasks(name)
	}
	v.modrm(0)
	switch {
	case v.op == 0x91:
		return fmt.Sprintf("%s %s, k%d", name, v.operand(w), v.reg)
	case v.mod != 3:
		return fmt.Sprintf("%s k%d, %s", name, v.reg, v.operand(w))
	}
	return fmt.Sprintf("%s k%d, k%d", name, v.reg, v.rm)
}

func (v *vectorDecoder) threeMasks(name string) string {
	v.modrm(0)
	return fmt.Sprintf("%s k%d, k%d, k%d", name, v.reg, v.v, v.rm)
}

// maskShift is kshiftl or kshiftr.
func (v *vectorDecoder) maskShift() string {
	v.modrm(0)
	w := 2*(v.op&1) + v.w
	return fmt.Sprintf("kshift%c%c k%d, k%d, %d", "rl"[v.op>>1&1], "bwdq"[w], v.reg, v.rm, v.byte())
}

// maskMove is kmov from or to a general register.
func (v *vectorDecoder) maskMove() string {
	v.modrm(0)
	w, ok := map[uint8]Width{1: W8, 0: W16, 3: W32, 7: W64}[v.pp|v.w<<2]
	if !ok {
		panic(errUndecoded)
	}
	name, general := "kmov"+string("bwdq"[w]), max(w, W32)
	if v.op == 0x92 {
		return fmt.Sprintf("%s k%d, %s", name, v.reg, v.register(v.rm, general))
	}
	return fmt.Sprintf("%s %s, k%d", name, v.register(v.reg, general), v.rm)
}

// tabled is a form of an instruction of the table.
type tabled struct {
	op   vOp
	form form
	code code
}

// byOpcode are the forms of vops by opcode, prefix and map.
var byOpcode = func() map[code][]tabled {
	all := make(map[code][]tabled)
	for op := range numVOps {
		for f, c := range vops[op].forms {
			if c != 0 {
				key := c & (m3A | pF2 | 0xFF)
				all[key] = append(all[key], tabled{op, form(f), c})
			}
		}
	}
	return all
}()

// ofTable is an instruction of vops.
func (v *vectorDecoder) ofTable() string {
	begin := v.at
	for _, t := range byOpcode[code(v.mapBits)<<10|code(v.pp)<<8|code(v.op)] {
		if !v.mayBe(t.code) {
			continue
		}
		v.at, v.hasSIB = begin, false
		v.modrm(t.unit(v))
		if v.is(t) {
			return vectorTexts[t.form](v, t)
		}
	}
	panic(errUndecoded)
}

// unit is that of displacements of one byte.
func (t *tabled) unit(v *vectorDecoder) uint8 {
	if !v.evex {
		return 0
	}
	return t.code.unit(v.l)
}

// mayBe reports whether the prefix is that of a form.
func (v *vectorDecoder) mayBe(c code) bool {
	if v.evex {
		return c.evexW()>>7 == v.w && (v.l <= l512 && c.hasEVEX(v.l) || v.bcast && c.hasEVEX(l512))
	}
	return c.vexW()>>7 == v.w && c.hasVEX(v.l)
}

// is reports whether ModRM is that of a form, too.
func (v *vectorDecoder) is(t tabled) bool {
	if v.bcast && v.mod != 3 { // a memory operand that is broadcast, which Asm does not have
		return false
	}
	switch t.form {
	case formShift:
		return v.mod == 3 && uint8(t.code>>digitShift)&7 == v.reg&7
	case formGather, formScatter:
		return v.mod != 3 && v.hasSIB
	case formToReg, formFromReg, formSignsToMask, formFromMask:
		return v.mod == 3
	}
	return v.mod == 3 && t.code&memOnly == 0 || v.mod != 3 && t.code&regOnly == 0
}

var vectorTexts = [numForms]func(*vectorDecoder, tabled) string{
	formRVM: (*vectorDecoder).three, formRM: (*vectorDecoder).two, formMR: (*vectorDecoder).storing,
	formShift: (*vectorDecoder).shifting, formBlend: (*vectorDecoder).blending,
	formGather: (*vectorDecoder).gathering, formScatter: (*vectorDecoder).scattering,
	formToReg: (*vectorDecoder).toGeneral, formFromReg: (*vectorDecoder).fromGeneral,
	formToMask: (*vectorDecoder).toMask, formSignsToMask: (*vectorDecoder).signsToMask, formFromMask: (*vectorDecoder).fromMask,
}

// name is that of an instruction with the prefix.
func (v *vectorDecoder) name(t tabled) string {
	if other, ok := evexNames[t.op]; ok && v.evex {
		return other
	}
	return strings.ToLower(t.op.String())
}

// full is the logarithm of the bytes of a vector; a rounding mode stands in the place of the length.
func (v *vectorDecoder) full() int {
	if v.rounds() {
		return 4 + int(l512)
	}
	return 4 + int(v.l)
}

func (v *vectorDecoder) rounds() bool { return v.bcast && v.mod == 3 }

// part is the logarithm of the bytes of the operand in ModRM.rm.
func (v *vectorDecoder) part(t tabled) int {
	if fullVector[t.op] {
		return v.full()
	}
	return int(t.code.unit(length(v.full() - 4)))
}

// dest is the vector in ModRM.reg, src that in VEX.vvvv, place the vector or memory in ModRM.rm.
func (v *vectorDecoder) dest(size int) string { return Vec(v.reg | v.high).text(size) }
func (v *vectorDecoder) src(size int) string  { return Vec(v.v).text(size) }
func (v *vectorDecoder) rmVector() Vec        { return Vec(v.rm | v.x<<1&16) }

func (v *vectorDecoder) place(size int) string {
	if v.mod != 3 {
		return v.mem.text(size)
	}
	r := v.rmVector()
	if !v.evex {
		r &= 15
	}
	return r.text(size)
}

// masking is the mask register after the destination.
func (v *vectorDecoder) masking() string {
	switch {
	case v.k == k0:
		return ""
	case v.zero:
		return fmt.Sprintf(" {k%d} {z}", v.k)
	}
	return fmt.Sprintf(" {k%d}", v.k)
}

// tail is a rounding mode or an immediate.
func (v *vectorDecoder) tail(t tabled) string {
	switch {
	case v.rounds():
		return ", " + roundings[v.l]
	case t.code&imm8 != 0:
		return fmt.Sprintf(", %d", v.byte())
	}
	return ""
}

func (v *vectorDecoder) three(t tabled) string {
	full, part := v.full(), v.part(t)
	if v.rounds() {
		part = full
	}
	return fmt.Sprintf("%s %s%s, %s, %s", v.name(t), v.dest(full), v.masking(), v.src(full), v.place(part)) + v.tail(t)
}

func (v *vectorDecoder) two(t tabled) string {
	size := v.full()
	if narrowing[t.op] {
		size--
	}
	return fmt.Sprintf("%s %s%s, %s", v.name(t), v.dest(size), v.masking(), v.place(v.part(t))) + v.tail(t)
}

func (v *vectorDecoder) storing(t tabled) string {
	return fmt.Sprintf("%s %s%s, %s", v.name(t), v.place(v.part(t)), v.masking(), v.dest(v.full())) + v.tail(t)
}

func (v *vectorDecoder) shifting(t tabled) string {
	return fmt.Sprintf("%s %s%s, %s, %d", v.name(t), v.src(v.full()), v.masking(), v.place(v.full()), v.byte())
}

func (v *vectorDecoder) blending(t tabled) string {
	full := v.full()
	text := fmt.Sprintf("%s %s, %s, %s, ", v.name(t), v.dest(full), v.src(full), v.place(full))
	return text + Vec(v.byte()>>4).text(full)
}

// vectorSizes are the logarithms of the bytes of a gather's vectors: of indices and of elements.
func (v *vectorDecoder) vectorSizes(op vOp) (index, elements int) {
	full := v.full()
	switch op {
	case vpgatherdq, vpscatterdq:
		return full - 1, full
	case vpgatherqd, vpscatterqd:
		return full, full - 1
	}
	return full, full
}

// addresses are the memory operand of a gather or scatter.
func (v *vectorDecoder) addresses(size int) string {
	index := Vec(v.sib>>3&7 | v.x)
	if v.evex {
		index |= Vec(v.v & 16)
	}
	m := v.mem
	m.Index, m.Scale = RAX, 1<<(v.sib>>6)
	return strings.Replace(m.address(), " + rax*", " + "+index.text(size)+"*", 1)
}

func (v *vectorDecoder) gathering(t tabled) string {
	index, size := v.vectorSizes(t.op)
	if v.evex {
		return fmt.Sprintf("%s %s {k%d}, %s", v.name(t), v.dest(size), v.k, v.addresses(index))
	}
	return fmt.Sprintf("%s %s, %s, %s", v.name(t), v.dest(size), v.addresses(index), v.src(size))
}

func (v *vectorDecoder) scattering(t tabled) string {
	index, size := v.vectorSizes(t.op)
	return fmt.Sprintf("%s %s {k%d}, %s", v.name(t), v.addresses(index), v.k, v.dest(size))
}

// generalWidth is that of a general register: 64 bits for vmovq and the like.
func (t *tabled) generalWidth() Width {
	if t.code&w1v != 0 || t.op == vpbroadcastq {
		return W64
	}
	return W32
}

func (v *vectorDecoder) toGeneral(t tabled) string {
	general, vector := Reg(v.rm), Vec(v.reg|v.high)
	if t.code&gprReg != 0 {
		general, vector = Reg(v.reg), v.rmVector()
		if !v.evex {
			vector &= 15
		}
	}
	return fmt.Sprintf("%s %s, %s", v.name(t), general.text(t.generalWidth()), vector.text(v.full())) + v.tail(t)
}

func (v *vectorDecoder) fromGeneral(t tabled) string {
	general := Reg(v.rm).text(t.generalWidth())
	switch {
	case t.code&imm8 != 0:
		return fmt.Sprintf("%s %s, %s, %s, %d", v.name(t), v.dest(4), v.src(4), general, v.byte())
	case t.code&vx != 0:
		return fmt.Sprintf("%s %s, %s", v.name(t), v.dest(4), general)
	}
	return fmt.Sprintf("%s %s, %s", v.name(t), v.dest(v.full()), general)
}

func (v *vectorDecoder) toMask(t tabled) string {
	full := v.full()
	return fmt.Sprintf("%s k%d%s, %s, %s", v.name(t), v.reg, v.masking(), v.src(full), v.place(full)) + v.tail(t)
}

func (v *vectorDecoder) signsToMask(t tabled) string {
	return fmt.Sprintf("%s k%d, %s", v.name(t), v.reg, v.place(v.full()))
}

func (v *vectorDecoder) fromMask(t tabled) string {
	return fmt.Sprintf("%s %s, k%d", v.name(t), v.dest(v.full()), v.rm)
}
