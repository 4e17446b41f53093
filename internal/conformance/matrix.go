package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
)

// product is a form of mma: D = A*B + C.
type product struct {
	m, n, k    int
	rowA, rowB bool // A, and B, are by rows
	d, a, b, c string
	and        bool
	saturates  bool
	name       string
	quadPairs  bool // mma.m8n8k4 on .f16
	sparse     bool // mma.sp: a has half as many elements, and there is metadata
	selector   int  // of metadata
	coarse     bool // wgmma on .e4m3 and .e5m2
}

// mmaForms are the forms of mma, as PTX ISA 9.7.14 lists them for targets up to sm_90.
func mmaForms() []product {
	var forms []product
	for _, p := range mmaShapes() {
		forms = append(forms, p.variants()...)
	}
	for i := range forms {
		forms[i].name = forms[i].mnemonic()
	}
	return forms
}

// mmaShapes are the shapes of mma with the types of each.
func mmaShapes() []product {
	var all []product
	add := func(shapes, sums string, factors ...string) {
		for shape := range strings.FieldsSeq(shapes) {
			for sum := range strings.FieldsSeq(sums) {
				for _, pair := range factors {
					a, b, _ := strings.Cut(pair, " ")
					d, c, mixed := strings.Cut(sum, "/")
					if !mixed {
						c = d
					}
					p := product{d: d, a: a, b: b, c: c, rowA: true}
					fmt.Sscanf(shape, "m%dn%dk%d", &p.m, &p.n, &p.k)
					all = append(all, p)
				}
			}
		}
	}
	add("m8n8k4 m16n8k8 m16n8k16", "f16 f32", "f16 f16")
	add("m8n8k4", "f32/f16", "f16 f16")
	add("m16n8k8 m16n8k16", "f32", "bf16 bf16")
	add("m16n8k4 m16n8k8", "f32", "tf32 tf32")
	add("m16n8k16 m16n8k32", "f16 f32", "e4m3 e4m3", "e4m3 e5m2", "e5m2 e4m3", "e5m2 e5m2")
	add("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64 f64")
	add("m8n8k16 m16n8k16 m16n8k32", "s32", "s8 s8", "s8 u8", "u8 s8", "u8 u8")
	add("m8n8k32 m16n8k32 m16n8k64", "s32", "s4 s4", "s4 u4", "u4 s4", "u4 u4")
	add("m8n8k128 m16n8k128 m16n8k256", "s32", "b1 b1")
	return all
}

// variants are the operations, the saturations or the layouts of a shape.
func (p product) variants() []product {
	var forms []product
	switch {
	case p.a == "b1":
		for _, and := range []bool{false, true} {
			p.and = and
			forms = append(forms, p)
		}
	case p.c == "s32":
		for _, saturates := range []bool{false, true} {
			p.saturates = saturates
			forms = append(forms, p)
		}
	case p.a == "f16" && p.k == 4:
		p.quadPairs = true
		for layout := range 4 {
			p.rowA, p.rowB = layout&1 != 0, layout&2 != 0
			forms = append(forms, p)
		}
	default:
		forms = append(forms, p)
	}
	return forms
}

// mnemonic is the name of the product's mma.
func (p *product) mnemonic() string {
	layout := func(row bool) string {
		if row {
			return "row"
		}
		return "col"
	}
	name := fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.%s.%s", p.m, p.n, p.k, layout(p.rowA), layout(p.rowB))
	if p.saturates {
		name += ".satfinite"
	}
	name += fmt.Sprintf(".%s.%s.%s.%s", p.d, p.a, p.b, p.c)
	if p.a == "b1" {
		name += map[bool]string{false: ".xor.popc", true: ".and.popc"}[p.and]
	}
	return name
}

// elementBits is the width of an element of a matrix.
func elementBits(typ string) int {
	switch typ {
	case "e4m3", "e5m2":
		return 8
	}
	bits, _ := strconv.Atoi(typ[strings.IndexAny(typ, "0123456789"):])
	return bits
}

// FragmentPlace returns the place of element i of a lane's fragment in a matrix, one of "a", "b", "c" and "d" of a
// product of that shape, by the formulas of PTX ISA 9.7.14 (Matrix Fragments for mma.m8n8k4 to mma.m16n8k256). For
// m8n8k4 on .f16 it is in the matrix of the lane's four and the four that are 16 lanes on; rows says that A, or B, is
// by rows.
func FragmentPlace(shape, typ, matrix string, rows bool, lane, i int) (row, col int) {
	switch {
	case shape == "m8n8k4" && typ != "f64":
		return quadPairPlace(typ, matrix, rows, lane, i)
	case matrix == "c" || matrix == "d":
		return sumPlace(shape, lane, i)
	case elementBits(typ) < 16:
		return narrowFactorPlace(shape, typ, matrix == "a", lane, i)
	}
	return wideFactorPlace(shape, typ, matrix == "a", lane, i)
}

func pick(c bool, x, y int) int {
	if c {
		return x
	}
	return y
}

// quadPairPlace is FragmentPlace of m8n8k4 on .f16.
func quadPairPlace(typ, matrix string, rows bool, lane, i int) (row, col int) {
	low := lane < 16
	switch {
	case matrix == "a" && rows:
		return pick(low, lane%4, lane%4+4), i
	case matrix == "a":
		return pick(low, i%4, i%4+4), lane % 4
	case matrix == "b" && rows:
		return lane % 4, pick(low, i, i+4)
	case matrix == "b":
		return i, pick(low, lane%4, lane%4+4)
	case typ == "f16":
		return pick(low, lane%4, lane%4+4), i
	}
	x := lane&1 + i&2
	return pick(low, x, x+4), i&4 + lane&2 + i&1
}

// sumPlace is FragmentPlace of C and D.
func sumPlace(shape string, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	if strings.HasPrefix(shape, "m8n8") {
		return group, thread*2 + i&1
	}
	return pick(i < 2, group, group+8), thread*2 + i&1
}

// wideFactorPlace is FragmentPlace of A, or else of B, with elements of 16 bits or more.
func wideFactorPlace(shape, typ string, a bool, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	switch shape + " " + typ {
	case "m8n8k4 f64":
		return pick(a, group, thread), pick(a, thread, group)
	case "m16n8k4 f64", "m16n8k4 tf32":
		if a {
			return pick(i == 0, group, group+8), thread
		}
		return thread, group
	case "m16n8k8 f64", "m16n8k8 tf32":
		if a {
			return pick(i == 0 || i == 2, group, group+8), pick(i < 2, thread, thread+4)
		}
		return pick(i == 0, thread, thread+4), group
	case "m16n8k16 f64":
		if a {
			return pick(i%2 == 0, group, group+8), pick(i%2 == 0, i*2+thread, i*2-2+thread)
		}
		return thread + i*4, group
	case "m16n8k8 f16", "m16n8k8 bf16":
		if a {
			return pick(i < 2, group, group+8), thread*2 + i&1
		}
		return thread*2 + i, group
	case "m16n8k16 f16", "m16n8k16 bf16":
		if a {
			return pick(i < 2 || i >= 4 && i < 6, group, group+8), pick(i < 4, thread*2+i&1, thread*2+i&1+8)
		}
		return pick(i < 2, thread*2+i&1, thread*2+i&1+8), group
	}
	panic("no fragment of " + shape + " " + typ)
}

// narrowFactorPlace is FragmentPlace of A, or else of B, with elements of up to 8 bits.
func narrowFactorPlace(shape, typ string, a bool, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	switch bits := elementBits(typ); shape {
	case "m8n8k16", "m8n8k32", "m8n8k128":
		n := 32 / bits
		if a {
			return group, thread*n + i
		}
		return thread*n + i, group
	case "m16n8k128", "m16n8k16":
		n := 32 / bits // 4 of 8 bits, 32 of 1
		if a {
			return pick(i < n, group, group+8), thread*n + i%n
		}
		return thread*n + i, group
	case "m16n8k32":
		if bits == 4 {
			if a {
				return pick(i < 8, group, group+8), thread*8 + i&7
			}
			return thread*8 + i, group
		}
		if a {
			return pick(i < 4 || i >= 8 && i < 12, group, group+8), pick(i < 8, thread*4+i&3, thread*4+i&3+16)
		}
		return pick(i < 4, thread*4+i&3, thread*4+i&3+16), group
	case "m16n8k64":
		if a {
			return pick(i < 8 || i >= 16 && i < 24, group, group+8), pick(i < 16, thread*8+i&7, thread*8+i&7+32)
		}
		return pick(i < 8, thread*8+i&7, thread*8+i&7+32), group
	case "m16n8k256":
		if a {
			return pick(i < 32 || i >= 64 && i < 96, group, group+8), pick(i < 64, thread*32+i&0x1f, thread*32+i&0x1f+128)
		}
		return pick(i < 32, thread*32+i&0x1f, thread*32+i&0x1f+128), group
	}
	panic("no fragment of " + shape + " " + typ)
}

// elements returns how many elements of a matrix a lane holds.
func (p *product) elements(matrix string) int {
	if p.quadPairs {
		return map[string]int{"a": 4, "b": 4, "c": 8, "d": 8}[matrix]
	}
	if p.sparse && matrix == "a" {
		return p.m * p.k / 64
	}
	return map[string]int{"a": p.m * p.k, "b": p.k * p.n, "c": p.m * p.n, "d": p.m * p.n}[matrix] / 32
}

func (p *product) typeOf(matrix string) string {
	return map[string]string{"a": p.a, "b": p.b, "c": p.c, "d": p.d}[matrix]
}

// registerBytes returns the size of a register of a matrix; registers returns their number.
func (p *product) registerBytes(matrix string) int {
	if p.typeOf(matrix) == "f64" {
		return 8
	}
	return 4
}

func (p *product) registers(matrix string) int {
	return p.elements(matrix) * elementBits(p.typeOf(matrix)) / 8 / p.registerBytes(matrix)
}

// source returns a kernel in which each warp computes one product. A lane reads its a, b and c in turn from the first
// buffer, and stores d in the second.
func (p *product) source() string {
	var body, operands strings.Builder
	offset := 0
	regs := func(matrix string) (names []string) {
		for i := range p.registers(matrix) {
			names = append(names, fmt.Sprintf("%%%s%d", matrix, i))
		}
		return names
	}
	kinds := func(matrix string) string {
		if t := p.typeOf(matrix); (t == "f32" || t == "f64") && matrix != "a" && matrix != "b" {
			return t
		}
		return fmt.Sprintf("b%d", 8*p.registerBytes(matrix))
	}
	for _, matrix := range []string{"d", "a", "b", "c"} {
		fmt.Fprintf(&body, "\t.reg .%s %%%s<%d>;\n", kinds(matrix), matrix, p.registers(matrix))
		if operands.Len() > 0 {
			operands.WriteString(", ")
		}
		operands.WriteString("{" + strings.Join(regs(matrix), ", ") + "}")
	}
	in := 0
	for _, matrix := range []string{"a", "b", "c"} {
		in += p.registers(matrix) * p.registerBytes(matrix)
	}
	if p.sparse {
		in += 4
	}
	fmt.Fprintf(&body, "\t.reg .b32 %%r<4>;\n\t.reg .b64 %%rd<4>;\n\tmov.u32 %%r0, %%ctaid.x;\n\tmov.u32 %%r1, %%tid.x;\n\tmad.lo.u32 %%r0, %%r0, 32, %%r1;\n"+
		"\tld.param.u64 %%rd0, [in];\n\tld.param.u64 %%rd1, [out];\n\tmad.wide.u32 %%rd0, %%r0, %d, %%rd0;\n\tmad.wide.u32 %%rd1, %%r0, %d, %%rd1;\n",
		in, p.registers("d")*p.registerBytes("d"))
	for _, matrix := range []string{"a", "b", "c"} {
		for _, r := range regs(matrix) {
			fmt.Fprintf(&body, "\tld.global.%s %s, [%%rd0+%d];\n", kinds(matrix), r, offset)
			offset += p.registerBytes(matrix)
		}
	}
	if p.sparse {
		fmt.Fprintf(&body, "\t.reg .b32 %%e;\n\tld.global.b32 %%e, [%%rd0+%d];\n", offset)
		fmt.Fprintf(&operands, ", %%e, %d", p.selector)
	}
	fmt.Fprintf(&body, "\t%s %s;\n", p.name, operands.String())
	for i, r := range regs("d") {
		fmt.Fprintf(&body, "\tst.global.%s [%%rd1+%d], %s;\n", kinds("d"), i*p.registerBytes("d"), r)
	}
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + body.String() + "\tret;\n}\n"
}

// A summand is an element of a matrix of floats, or a product of two.
type summand struct {
	value    exact
	lead     int // exponent of the leading bit of normal numbers; the least one for others
	nan, inf bool
}

// elementFormats are the formats of elements that are floats.
var elementFormats = map[string]floatFormat{"f16": half, "bf16": brain, "f32": single, "tf32": single, "f64": double, "e4m3": {8, 3}, "e5m2": {8, 2}}

// numberOf returns the number that v encodes in a type.
func numberOf(typ string, v uint64) summand {
	ff := elementFormats[typ]
	if typ == "tf32" {
		v &^= 1<<13 - 1
	}
	switch {
	case typ == "e4m3":
		if ff.magnitude(v) == 0x7f {
			return summand{nan: true}
		}
	case ff.isNaN(v):
		return summand{nan: true}
	case ff.isInf(v):
		return summand{inf: true, value: exact{neg: ff.negative(v), m: big.NewInt(1)}}
	}
	return summand{value: ff.exact(v), lead: max(int(ff.magnitude(v)>>ff.mantissa), 1) - ff.bias()}
}

func (x summand) times(y summand) summand {
	switch {
	case x.nan || y.nan, x.inf && y.value.isZero(), y.inf && x.value.isZero():
		return summand{nan: true}
	case x.inf || y.inf:
		return summand{inf: true, value: exact{neg: x.value.neg != y.value.neg, m: big.NewInt(1)}}
	}
	return summand{value: x.value.times(y.value), lead: x.lead + y.lead}
}

// sumAtOnce returns the sum of numbers as computed by a tensor core of an H100: all are truncated, towards zero, a
// number of places below the leading one of the largest.
func sumAtOnce(all []summand, places int) summand {
	top, any := 0, false
	sum := summand{value: exact{m: new(big.Int)}}
	for _, x := range all {
		switch {
		case x.nan, x.inf && sum.inf && sum.value.neg != x.value.neg:
			return summand{nan: true}
		case x.inf:
			sum = x
		case !x.value.isZero() && (!any || x.lead > top):
			top, any = x.lead, true
		}
	}
	for _, x := range all {
		if x.nan {
			return x
		}
	}
	if sum.inf || !any {
		return sum
	}
	total := new(big.Int)
	for _, x := range all {
		m := x.value.integral(top-places, towardZero)
		if x.value.neg {
			total.Sub(total, m)
		} else {
			total.Add(total, m)
		}
	}
	sum.value = exact{total.Sign() < 0, total.Abs(total), top - places}
	return sum
}

// encode returns a sum as an element of D.
func (x summand) encode(typ string) uint64 {
	ff, mode := formatOf(typ), toNearest
	if typ == "f32" {
		mode = towardZero
	}
	sign := uint64(0)
	if x.value.neg {
		sign = ff.sign()
	}
	switch {
	case x.nan:
		return ff.nan()
	case x.inf || !x.value.isZero() && x.value.e+x.value.m.BitLen() > ff.bias()+1:
		return sign | ff.infinity()
	}
	return ff.round(x.value, mode)
}

// encodeCoarse is encode for sums with 13 bits of fraction in .f32.
func (x summand) encodeCoarse(typ string) uint64 {
	if typ == "f32" && !x.nan && !x.inf && !x.value.isZero() && x.value.e+x.value.m.BitLen() <= single.bias()+1 {
		sign := uint64(0)
		if x.value.neg {
			sign = single.sign()
		}
		return sign | floatFormat{22, 13}.round(exact{m: x.value.m, e: x.value.e}, towardZero)<<10
	}
	return x.encode(typ)
}

// integerOf returns the integer that v encodes.
func integerOf(typ string, v uint64) int64 {
	if typ[0] == 's' {
		bits := elementBits(typ)
		return int64(v<<(64-bits)) >> (64 - bits)
	}
	return int64(v)
}

// element returns D[row][col] of products of a row of A and a column of B.
func (p *product) element(a, b []uint64, c uint64) uint64 {
	switch {
	case p.a == "b1":
		sum := uint32(c)
		for k := range a {
			if p.and {
				sum += uint32(a[k] & b[k])
			} else {
				sum += uint32(a[k] ^ b[k])
			}
		}
		return uint64(sum)
	case p.c == "s32":
		sum := integerOf("s32", c)
		for k := range a {
			sum += integerOf(p.a, a[k]) * integerOf(p.b, b[k])
		}
		if p.saturates {
			sum = max(min(sum, math.MaxInt32), math.MinInt32)
		}
		return uint64(uint32(sum))
	case p.a == "f64":
		for k := range a {
			c = math.Float64bits(math.FMA(math.Float64frombits(a[k]), math.Float64frombits(b[k]), math.Float64frombits(c)))
		}
		return c
	}
	summands := []summand{numberOf(p.c, c)}
	for k := range a {
		summands = append(summands, numberOf(p.a, a[k]).times(numberOf(p.b, b[k])))
	}
	if p.coarse {
		return sumAtOnce(summands, 13).encodeCoarse(p.d)
	}
	return sumAtOnce(summands, 25).encode(p.d)
}

// wants returns the elements of D by lane, from those of a warp's lanes in A, B and C.
func (p *product) wants(a, b, c [][]uint64) [][]uint64 {
	type place struct{ quad, row, col int }
	shape := fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k)
	at := func(matrix string, lane, i int) place {
		rows, typ := p.rowA, p.typeOf(matrix)
		if matrix == "b" {
			rows = p.rowB
		}
		if !p.quadPairs && (matrix == "c" || matrix == "d") {
			typ = p.a
		}
		row, col := FragmentPlace(shape, typ, matrix, rows, lane, i)
		if p.quadPairs {
			return place{lane % 16 / 4, row, col}
		}
		return place{0, row, col}
	}
	gather := func(matrix string, lanes [][]uint64) map[place]uint64 {
		all := make(map[place]uint64)
		for lane := range lanes {
			for i, v := range lanes[lane] {
				all[at(matrix, lane, i)] = v
			}
		}
		return all
	}
	as, bs, cs := gather("a", a), gather("b", b), gather("c", c)
	d := make([][]uint64, 32)
	for lane := range d {
		for i := range p.elements("d") {
			to := at("d", lane, i)
			row, col := make([]uint64, p.k), make([]uint64, p.k)
			for k := range p.k {
				row[k], col[k] = as[place{to.quad, to.row, k}], bs[place{to.quad, k, to.col}]
			}
			d[lane] = append(d[lane], p.element(row, col, cs[to]))
		}
	}
	return d
}

// someElement returns a random element: for floats of one of several kinds, which are for whole warps.
func someElement(typ string, warp int, r *rand.Rand) uint64 {
	bits := elementBits(typ)
	random := r.Uint64() & (1<<bits - 1)
	ff, isFloat := elementFormats[typ]
	if !isFloat {
		if warp%2 == 1 { // the ends
			return []uint64{1<<bits - 1, 1 << (bits - 1), 1<<(bits-1) - 1, 0, random}[r.IntN(5)]
		}
		return random
	}
	nearest := func(x float64) uint64 { return ff.round(exactFloat64(x), toNearest) }
	switch warp % 6 {
	case 0: // exact sums
		return nearest(float64(r.IntN(9) - 4))
	case 1: // of a normal distribution
		return nearest(r.NormFloat64())
	case 2: // of many magnitudes
		return nearest(r.NormFloat64() * math.Pow(2, float64(r.IntN(30)-15)))
	case 3: // that cancel each other
		return nearest([]float64{1, -1, 1 + 1/64.0, -1 - 1/64.0}[r.IntN(4)])
	case 4: // subnormal ones and zeros among them
		if r.IntN(2) == 0 {
			return random & (ff.sign() | 1<<ff.mantissa - 1) * uint64(r.IntN(2))
		}
		return nearest(r.NormFloat64() / 1024)
	}
	if r.IntN(16) > 0 { // a few special ones, among others near the ends of the range
		return random&(1<<ff.mantissa-1) | uint64([]int{1, 2*ff.bias() - 1, 2*ff.bias() - 1, ff.bias()}[r.IntN(4)])<<ff.mantissa
	}
	return random
}

// appendElements appends elements of a lane in the layout of its registers.
func appendElements(to []byte, typ string, lane []uint64) []byte {
	bits := elementBits(typ)
	var word uint64
	filled := 0
	size := max(bits, 32)
	for _, v := range lane {
		word |= v << filled
		if filled += bits; filled == size {
			if size == 64 {
				to = binary.LittleEndian.AppendUint64(to, word)
			} else {
				to = binary.LittleEndian.AppendUint32(to, uint32(word))
			}
			word, filled = 0, 0
		}
	}
	return to
}

// claim is the claim that the form computes what the ISA says, for random matrices.
func (p product) claim() Claim {
	const warps = 12
	r := rand.New(rand.NewPCG(11, hash(p.name)))
	var in, want []byte
	for warp := range warps {
		fragments := make(map[string][][]uint64)
		for _, matrix := range []string{"a", "b", "c"} {
			for range 32 {
				var lane []uint64
				for range p.elements(matrix) {
					lane = append(lane, someElement(p.typeOf(matrix), warp, r))
				}
				fragments[matrix] = append(fragments[matrix], lane)
			}
		}
		d := p.wants(fragments["a"], fragments["b"], fragments["c"])
		for lane := range d {
			for _, matrix := range []string{"a", "b", "c"} {
				in = appendElements(in, p.typeOf(matrix), fragments[matrix][lane])
			}
			want = appendElements(want, p.d, d[lane])
		}
	}
	check := bytesMatch(want)
	if p.a == "f64" {
		check = func(after [][]byte) error { return sameDoubles(want, after[1]) }
	}
	tr := trial{src: p.source(), grid: dim(warps, 1), block: dim(32, 1), buffers: [][]byte{in, make([]byte, len(want))}, check: check}
	return Claim{Name: p.name, Opcode: "mma", Try: tr.try}
}

// sameDoubles compares words of .f64, in which all NaNs are equal.
func sameDoubles(want, got []byte) error {
	for i := 0; i < len(want); i += 8 {
		w, g := binary.LittleEndian.Uint64(want[i:]), binary.LittleEndian.Uint64(got[i:])
		if w != g && !(double.isNaN(w) && double.isNaN(g)) {
			return fmt.Errorf("word %d is %#x, want %#x", i/8, g, w)
		}
	}
	return nil
}

// Matrices are claims about instructions on matrices.
func Matrices() []Claim {
	var claims []Claim
	for _, p := range mmaForms() {
		claims = append(claims, p.claim())
	}
	for _, p := range sparseForms() {
		claims = append(claims, p.sparseClaim())
	}
	for _, count := range []int{1, 2, 4} {
		for _, trans := range []bool{false, true} {
			for _, space := range []string{".shared", ".shared::cta", ""} {
				claims = append(claims, loadMatrices(count, trans, space), storeMatrices(count, trans, space))
			}
		}
	}
	return append(claims, moveMatrix())
}

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
