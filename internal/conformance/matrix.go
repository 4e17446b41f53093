package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
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
	kind       string
	blocks     int    // scales of a row of a and a column of b
	scale      string // their type
}

// mmaForms are the forms of mma, as PTX ISA 9.7.14 lists them for targets up to sm_90.
func mmaForms() []product {
	var forms []product
	for _, p := range mmaShapes() {
		forms = append(forms, p.variants()...)
	}
	forms = append(forms, smallForms()...)
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
	if p.kind != "" {
		name += ".kind::" + p.kind
	}
	if p.blocks > 0 {
		name += fmt.Sprintf(".block_scale.scale_vec::%dX", p.blocks)
	}
	name += strings.ReplaceAll(fmt.Sprintf(".%s.%s.%s.%s", p.d, p.a, p.b, p.c), nibble, "e2m1")
	if p.blocks > 0 {
		name += "." + p.scale
	}
	if p.a == "b1" {
		name += map[bool]string{false: ".xor.popc", true: ".and.popc"}[p.and]
	}
	return name
}

// elementBits is the width of an element of a matrix.
func elementBits(typ string) int {
	switch typ {
	case "e4m3", "e5m2", "e3m2", "e2m3", "e2m1":
		return 8
	case nibble:
		return 4
	}
	bits, _ := strconv.Atoi(typ[strings.IndexAny(typ, "0123456789"):])
	return bits
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
	if p.blocks > 0 {
		in += 8
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
		offset += 4
	}
	if p.blocks > 0 {
		fmt.Fprintf(&body, "\t.reg .b32 %%sa, %%sb;\n\tld.global.b32 %%sa, [%%rd0+%d];\n\tld.global.b32 %%sb, [%%rd0+%d];\n", offset, offset+4)
		fmt.Fprintf(&operands, ", %%sa, {%d, 1}, %%sb, {%[1]d, 2}", p.firstScale())
	}
	fmt.Fprintf(&body, "\t%s %s;\n", p.name, operands.String())
	for i, r := range regs("d") {
		fmt.Fprintf(&body, "\tst.global.%s [%%rd1+%d], %s;\n", kinds("d"), i*p.registerBytes("d"), r)
	}
	return header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + body.String() + "\tret;\n}\n"
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
			d := math.Float64bits(math.FMA(math.Float64frombits(a[k]), math.Float64frombits(b[k]), math.Float64frombits(c)))
			if double.isNaN(d) {
				d = quietOf(double, []uint64{b[k], c, a[k]}) // as of fma.f64
			}
			c = d
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
func (p *product) wants(a, b, c, scales [][]uint64) [][]uint64 {
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
			row, col, ks := make([]uint64, p.k), make([]uint64, p.k), make([]int, p.k)
			for k := range p.k {
				ks[k] = k
				row[k], col[k] = as[place{to.quad, to.row, k}], bs[place{to.quad, k, to.col}]
			}
			if p.blocks > 0 {
				d[lane] = append(d[lane], p.scaledElement(row, col, cs[to], ks, p.scalesOf(scales, to.row, to.col)))
				continue
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
	if small := typ[0] == 'e' && ff.bits < 8; small { // without infinities: all encodings are numbers
		random &= 1<<ff.bits - 1
		if typ == "e2m1" {
			random <<= 2
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
	return Claim{Name: p.name, Opcode: "mma", Try: func(run Run) error { return p.trial().try(run) }}
}

// trial draws matrices for some warps, and computes their products.
func (p product) trial() *trial {
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
		if p.blocks > 0 {
			fragments["scales"] = p.someScales(warp, r)
		}
		d := p.wants(fragments["a"], fragments["b"], fragments["c"], fragments["scales"])
		for lane := range d {
			for _, matrix := range []string{"a", "b", "c"} {
				in = appendElements(in, p.typeOf(matrix), fragments[matrix][lane])
			}
			if p.blocks > 0 {
				in = appendElements(in, "b32", fragments["scales"][lane])
			}
			want = appendElements(want, p.d, d[lane])
		}
	}
	check := bytesMatch(want)
	if p.a == "f64" {
		check = func(after [][]byte) error { return sameDoubles(want, after[1]) }
	}
	return &trial{src: p.source(), grid: dim(warps, 1), block: dim(32, 1), buffers: [][]byte{in, make([]byte, len(want))}, check: check}
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
	for _, x := range byteMatrices() {
		claims = append(claims, x.claim())
	}
	return append(claims, moveMatrix())
}
