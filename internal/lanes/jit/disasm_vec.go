package jit

import "strings"

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

// vector reads an instruction with a VEX or EVEX prefix.
func (d *decoder) vector() {
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
		d.is("vzeroupper")
	case v.evex || !v.special():
		v.ofTable()
	}
}

// last reads the last byte of a VEX prefix.
func (v *vectorDecoder) last(b uint8) { v.v, v.l, v.pp = ^b>>3&15, length(b>>2&1), b&3 }

// special reads an instruction on general or mask registers; false if it is another.
func (v *vectorDecoder) special() bool { return v.bits() || v.onMasks() }

// bits reads pext, pdep and blsr.
func (v *vectorDecoder) bits() bool {
	if v.mapBits != 2 || v.op != 0xF5 && v.op != 0xF3 {
		return false
	}
	w := W32 + Width(v.w)
	v.modrm(0)
	if v.op == 0xF3 {
		if v.reg&7 != 1 || v.pp != 0 { // blsmsk or blsi
			panic(errUndecoded)
		}
		v.is("blsr", general(Reg(v.v), w), v.operand(w))
		return true
	}
	v.is(known([4]string{2: "pext", 3: "pdep"}[v.pp]), general(Reg(v.reg), w), general(Reg(v.v), w), v.operand(w))
	return true
}

// maskOps are instructions on mask registers in map 0F.
var maskOps = map[uint8]string{
	0x41: "kand", 0x42: "kandn", 0x45: "kor", 0x46: "kxnor", 0x47: "kxor", 0x44: "knot", 0x98: "kortest", 0x99: "ktest",
	0x90: "kmov", 0x91: "kmov", 0x92: "kmov", 0x93: "kmov", 0x4B: "kunpck",
}

// onMasks reads an instruction on mask registers; false if it is another.
func (v *vectorDecoder) onMasks() bool {
	name := maskOps[v.op]
	switch {
	case v.mapBits == 3 && v.op&^3 == 0x30:
		v.maskShift()
		return true
	case v.mapBits != 1 || name == "":
		return false
	case v.op == 0x4B:
		w, ok := map[uint8]Width{1: W16, 0: W32, 4: W64}[v.pp|v.w<<2]
		if !ok {
			panic(errUndecoded)
		}
		v.threeMasks("kunpck"+[4]string{W16: "bw", W32: "wd", W64: "dq"}[w], w)
		return true
	case v.op == 0x92 || v.op == 0x93:
		v.maskMove()
		return true
	}
	w, ok := map[uint8]Width{1: W8, 0: W16, 5: W32, 4: W64}[v.pp|v.w<<2]
	if !ok {
		panic(errUndecoded)
	}
	name += maskLetters[w]
	if v.l == l256 {
		v.threeMasks(name, w)
		return true
	}
	v.modrm(0)
	switch {
	case v.op == 0x91:
		v.is(name, v.operand(w), mask(v.reg, w))
	case v.mod != 3:
		v.is(name, mask(v.reg, w), v.operand(w))
	default:
		v.is(name, mask(v.reg, w), mask(v.rm, w))
	}
	return true
}

// maskLetters are the last letters of instructions on mask registers.
var maskLetters = [4]string{"b", "w", "d", "q"}

func mask(k uint8, w Width) Arg { return Arg{Kind: Masks, Number: k & 7, Log: uint8(w)} }

func (v *vectorDecoder) threeMasks(name string, w Width) {
	v.modrm(0)
	v.is(name, mask(v.reg, w), mask(v.v, w), mask(v.rm, w))
}

// maskShift reads kshiftl or kshiftr.
func (v *vectorDecoder) maskShift() {
	v.modrm(0)
	w := Width(2*(v.op&1) + v.w)
	v.is("kshift"+[2]string{"r", "l"}[v.op>>1&1]+maskLetters[w], mask(v.reg, w), mask(v.rm, w), v.immByte())
}

// maskMove reads kmov from or to a general register.
func (v *vectorDecoder) maskMove() {
	v.modrm(0)
	w, ok := map[uint8]Width{1: W8, 0: W16, 3: W32, 7: W64}[v.pp|v.w<<2]
	if !ok {
		panic(errUndecoded)
	}
	name, wide := "kmov"+maskLetters[w], max(w, W32)
	if v.op == 0x92 {
		v.is(name, mask(v.reg, w), v.register(v.rm, wide))
		return
	}
	v.is(name, v.register(v.reg, wide), mask(v.rm, w))
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

// ofTable reads an instruction of vops.
func (v *vectorDecoder) ofTable() {
	begin := v.at
	for _, t := range byOpcode[code(v.mapBits)<<10|code(v.pp)<<8|code(v.op)] {
		if !v.mayBe(t.code) {
			continue
		}
		v.at, v.hasSIB = begin, false
		v.modrm(t.unit(v))
		if v.isForm(t) {
			v.is(v.name(t), v.args(t)...)
			v.in.Mask, v.in.Zero = uint8(v.k), v.k != k0 && v.zero
			if v.rounds() {
				v.in.Rounded, v.in.Rounding = true, uint8(v.l)
			}
			return
		}
	}
	panic(errUndecoded)
}

// args reads the operands: those of the form, and an immediate.
func (v *vectorDecoder) args(t tabled) []Arg {
	args := vectorArgs[t.form](v, t)
	switch {
	case t.form == formBlend:
		return append(args, vector(Vec(v.byte()>>4), v.full()))
	case t.code&imm8 != 0 && !v.rounds():
		return append(args, v.immByte())
	}
	return args
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

// isForm reports whether ModRM is that of a form, too.
func (v *vectorDecoder) isForm(t tabled) bool {
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

// vectorArgs are the operands of each form, without an immediate.
var vectorArgs = [numForms]func(*vectorDecoder, tabled) []Arg{
	formRVM: (*vectorDecoder).three, formRM: (*vectorDecoder).two, formMR: (*vectorDecoder).stored,
	formShift: (*vectorDecoder).shifted, formBlend: (*vectorDecoder).blended,
	formGather: (*vectorDecoder).gathered, formScatter: (*vectorDecoder).scattered,
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
func (v *vectorDecoder) full() uint8 {
	if v.rounds() {
		return 4 + uint8(l512)
	}
	return 4 + uint8(v.l)
}

func (v *vectorDecoder) rounds() bool { return v.bcast && v.mod == 3 }

// part is the logarithm of the bytes of the operand in ModRM.rm.
func (v *vectorDecoder) part(t tabled) uint8 {
	if fullVector[t.op] {
		return v.full()
	}
	return t.code.unit(length(v.full() - 4))
}

func vector(r Vec, log uint8) Arg { return Arg{Kind: Vector, Number: uint8(r), Log: log} }

// dest is the vector in ModRM.reg, src that in VEX.vvvv, place the vector or memory in ModRM.rm.
func (v *vectorDecoder) dest(log uint8) Arg { return vector(Vec(v.reg|v.high), log) }
func (v *vectorDecoder) src(log uint8) Arg  { return vector(Vec(v.v), log) }

func (v *vectorDecoder) place(log uint8) Arg {
	if v.mod != 3 {
		return v.memory(Memory, log)
	}
	return vector(v.rmVector(), log)
}

func (v *vectorDecoder) rmVector() Vec {
	if !v.evex {
		return Vec(v.rm)
	}
	return Vec(v.rm | v.x<<1)
}

func (v *vectorDecoder) three(t tabled) []Arg {
	full, part := v.full(), v.part(t)
	if v.rounds() {
		part = full
	}
	return []Arg{v.dest(full), v.src(full), v.place(part)}
}

func (v *vectorDecoder) two(t tabled) []Arg {
	log := v.full()
	if narrowing[t.op] {
		log--
	}
	return []Arg{v.dest(log), v.place(v.part(t))}
}

func (v *vectorDecoder) stored(t tabled) []Arg {
	return []Arg{v.place(v.part(t)), v.dest(v.full())}
}

func (v *vectorDecoder) shifted(tabled) []Arg {
	return []Arg{v.src(v.full()), v.place(v.full())}
}

func (v *vectorDecoder) blended(tabled) []Arg {
	full := v.full()
	return []Arg{v.dest(full), v.src(full), v.place(full)}
}

// vectorSizes are the logarithms of the bytes of a gather's vectors: of indices and of elements.
func (v *vectorDecoder) vectorSizes(op vOp) (index, elements uint8) {
	full := v.full()
	switch op {
	case vpgatherdq, vpscatterdq:
		return full - 1, full
	case vpgatherqd, vpscatterqd:
		return full, full - 1
	}
	return full, full
}

// elements is the memory operand of a gather or scatter.
func (v *vectorDecoder) elements(log uint8) Arg {
	a := v.memory(Elements, log)
	a.Number = v.sib>>3&7 | v.x
	if v.evex {
		a.Number |= v.v & 16
	}
	a.Mem.Index, a.Mem.Scale = NoReg, 1<<(v.sib>>6)
	return a
}

func (v *vectorDecoder) gathered(t tabled) []Arg {
	index, log := v.vectorSizes(t.op)
	if v.evex {
		return []Arg{v.dest(log), v.elements(index)}
	}
	return []Arg{v.dest(log), v.elements(index), v.src(log)}
}

func (v *vectorDecoder) scattered(t tabled) []Arg {
	index, log := v.vectorSizes(t.op)
	return []Arg{v.elements(index), v.dest(log)}
}

// generalWidth is that of a general register: 64 bits for vmovq and the like.
func (t *tabled) generalWidth() Width {
	if t.code&w1v != 0 || t.op == vpbroadcastq {
		return W64
	}
	return W32
}

func (v *vectorDecoder) toGeneral(t tabled) []Arg {
	if t.code&gprReg != 0 {
		return []Arg{general(Reg(v.reg), t.generalWidth()), vector(v.rmVector(), v.full())}
	}
	return []Arg{general(Reg(v.rm), t.generalWidth()), v.dest(v.full())}
}

func (v *vectorDecoder) fromGeneral(t tabled) []Arg {
	from := general(Reg(v.rm), t.generalWidth())
	switch {
	case t.code&imm8 != 0:
		return []Arg{v.dest(4), v.src(4), from}
	case t.code&vx != 0:
		return []Arg{v.dest(4), from}
	}
	return []Arg{v.dest(v.full()), from}
}

func (v *vectorDecoder) toMask(tabled) []Arg {
	full := v.full()
	return []Arg{mask(v.reg, W64), v.src(full), v.place(full)}
}

func (v *vectorDecoder) signsToMask(tabled) []Arg {
	return []Arg{mask(v.reg, W64), v.place(v.full())}
}

func (v *vectorDecoder) fromMask(tabled) []Arg {
	return []Arg{v.dest(v.full()), mask(v.rm, W64)}
}
