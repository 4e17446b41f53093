package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// warpProduct is a wmma product of matrices in memory.
type warpProduct struct {
	product
	colA, colB, colC, colD bool // stored in memory by columns
	shared                 bool // A and B are in shared memory
}

// wmmaForms are the forms of wmma.mma, as PTX ISA 9.7.14 lists them, with one layout of C and D
// each.
func wmmaForms() []warpProduct {
	var all []warpProduct
	add := func(shapes, sums string, layouts int, factors ...string) {
		for shape := range strings.FieldsSeq(shapes) {
			for sum := range strings.FieldsSeq(sums) {
				for _, factor := range factors {
					for layout := range layouts {
						d, c, mixed := strings.Cut(sum, "/")
						if !mixed {
							c = d
						}
						n := len(all)
						p := warpProduct{product: product{d: d, a: factor, b: factor, c: c}, colA: layout&1 != 0, colB: layout&2 == 0 == (layouts == 4) || layouts == 1,
							colC: n%2 == 1, colD: n%3 == 1, shared: n%2 == 0}
						fmt.Sscanf(shape, "m%dn%dk%d", &p.m, &p.n, &p.k)
						all = append(all, p)
					}
				}
			}
		}
	}
	const wide = "m16n16k16 m8n32k16 m32n8k16"
	add(wide, "f16 f32 f16/f32 f32/f16", 4, "f16")
	add(wide, "f32", 4, "bf16")
	add("m16n16k8", "f32", 4, "tf32")
	add("m8n8k4", "f64", 4, "f64")
	add(wide, "s32", 4, "s8", "u8")
	add("m8n8k32", "s32", 1, "s4", "u4")
	add("m8n8k128", "s32", 1, "b1")
	for i := range all {
		p := &all[i]
		p.saturates = p.c == "s32" && p.a != "b1" && i%2 == 1
		p.and = p.a == "b1"
	}
	return all
}

func (p *warpProduct) shape() string { return fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k) }

// matrixOf is one of the product's matrices in memory.
type matrixOf struct {
	name       string
	rows, cols int
	typ        string
	byCols     bool
	stride     int // elements
	at         int // byte of the buffer
}

// size returns the size of the matrix in bytes, including the gaps between its rows.
func (m *matrixOf) size() int { return m.majors() * m.stride * elementBits(m.typ) / 8 }

func (m *matrixOf) majors() int {
	if m.byCols {
		return m.cols
	}
	return m.rows
}

// bit returns the offset of an element, in bits from the start of the buffer.
func (m *matrixOf) bit(row, col int) int {
	if m.byCols {
		row, col = col, row
	}
	return 8*m.at + (row*m.stride+col)*elementBits(m.typ)
}

func (m *matrixOf) get(b []byte, row, col int) uint64 {
	at, bits := m.bit(row, col), elementBits(m.typ)
	var word [9]byte
	copy(word[:], b[at/8:])
	return binary.LittleEndian.Uint64(word[:]) >> (at % 8) & (1<<bits - 1)
}

func (m *matrixOf) put(b []byte, row, col int, v uint64) {
	at, bits := m.bit(row, col), elementBits(m.typ)
	for i := range bits {
		b[(at+i)/8] = b[(at+i)/8]&^(1<<((at+i)%8)) | byte(v>>i&1)<<((at+i)%8)
	}
}

// registersOf returns how many registers PTX has for a fragment (9.7.14, wmma).
func (p *warpProduct) registersOf(name string) int {
	typ := p.typeOf(name)
	if typ == "f16" && (name == "a" || name == "b") {
		return 8
	}
	elements := map[string]int{"a": p.m * p.k, "b": p.k * p.n, "c": p.m * p.n, "d": p.m * p.n}[name]
	return elements / 32 * elementBits(typ) / max(elementBits(typ), 32)
}

// text returns an instruction without operands.
func (p *warpProduct) text(m *matrixOf, space string) string {
	op := "load"
	if m.name == "d" {
		op = "store"
	}
	layout := "row"
	if m.byCols {
		layout = "col"
	}
	return fmt.Sprintf("wmma.%s.%s.sync.aligned.%s.%s%s.%s", op, m.name, layout, p.shape(), space, m.typ)
}

func (p *warpProduct) fullName() string {
	layout := func(col bool) string { return map[bool]string{false: "row", true: "col"}[col] }
	text := "wmma.mma"
	if p.a == "b1" {
		text += ".and.popc"
	}
	text += fmt.Sprintf(".sync.aligned.%s.%s.%s.%s", layout(p.colA), layout(p.colB), p.shape(), p.d)
	if p.a != "f16" {
		text += "." + p.a + "." + p.b
	}
	text += "." + p.c
	if p.saturates {
		text += ".satfinite"
	}
	return text
}

// claim is the claim about a kernel that loads A, B and C, multiplies them and stores D: it computes what the ISA says,
// and does not change the gaps between rows or columns.
func (p warpProduct) claim(variant int) Claim {
	return Claim{Name: fmt.Sprintf("%s %d", p.fullName(), variant), Opcode: "wmma", Try: func(run Run) error { return p.trial(variant).try(run) }}
}

// trial draws matrices, and computes their product.
func (p warpProduct) trial(variant int) *trial {
	all, total := p.placed(variant)
	buffer := p.filled(all, total, variant)
	want := p.multiplied(all, buffer)
	check := bytesMatch(want)
	if p.a == "f64" {
		d := all[3]
		check = func(after [][]byte) error { return sameDoubles(want[d.at:], after[0][d.at:]) }
	}
	return &trial{src: p.kernel(all, total, variant), block: dim(32, 1), buffers: [][]byte{buffer}, check: check}
}

// placed returns A, B, C and D, consecutive in a buffer of total bytes, with gaps that depend on the variant.
func (p *warpProduct) placed(variant int) (all []*matrixOf, total int) {
	a := &matrixOf{name: "a", rows: p.m, cols: p.k, typ: p.a, byCols: p.colA}
	b := &matrixOf{name: "b", rows: p.k, cols: p.n, typ: p.b, byCols: p.colB}
	c := &matrixOf{name: "c", rows: p.m, cols: p.n, typ: p.c, byCols: p.colC}
	d := &matrixOf{name: "d", rows: p.m, cols: p.n, typ: p.d, byCols: p.colD}
	all = []*matrixOf{a, b, c, d}
	for i, m := range all {
		m.stride = m.cols
		if m.byCols {
			m.stride = m.rows
		}
		if variant+i > 1 { // some without a gap
			m.stride += 32 * 8 / elementBits(m.typ)
		}
		m.at = total
		total += (m.size() + 63) / 64 * 64
	}
	return all, total
}

// filled returns the buffer with elements in A, B and C, and any bytes elsewhere.
func (p *warpProduct) filled(all []*matrixOf, total, variant int) []byte {
	r := rand.New(rand.NewPCG(13, hash(p.fullName())))
	buffer := make([]byte, total)
	for i := range buffer {
		buffer[i] = byte(r.Uint32())
	}
	for _, m := range all[:3] {
		for row := range m.rows {
			for col := range m.cols {
				m.put(buffer, row, col, someElement(m.typ, variant, r))
			}
		}
	}
	return buffer
}

// multiplied returns the contents of the buffer after D has been stored.
func (p *warpProduct) multiplied(all []*matrixOf, buffer []byte) (want []byte) {
	a, b, c, d := all[0], all[1], all[2], all[3]
	want = append([]byte(nil), buffer...)
	for row := range p.m {
		for col := range p.n {
			x, y := make([]uint64, p.k), make([]uint64, p.k)
			for k := range p.k {
				x[k], y[k] = a.get(buffer, row, k), b.get(buffer, k, col)
			}
			d.put(want, row, col, p.element(x, y, c.get(buffer, row, col)))
		}
	}
	return want
}

// kernel loads A, B and C, from shared memory if they should be there, multiplies them and stores D.
func (p *warpProduct) kernel(all []*matrixOf, total, variant int) string {
	d := all[3]
	var body strings.Builder
	regs := make(map[string]string)
	for _, m := range all {
		regs[m.name] = p.declare(&body, m)
	}
	body.WriteString("\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<4>;\n\t.reg .pred %p;\n\tld.param.u64 %rd0, [buffer];\n")
	space, base := ".global", "%rd0"
	if p.shared {
		copyToTile(&body, total)
		space, base = ".shared", "%r2"
	}
	for i, m := range all[:3] {
		stride := fmt.Sprintf(", %d", m.stride)
		if variant+i <= 1 { // the default without a stride
			stride = ""
		}
		fmt.Fprintf(&body, "\t%s %s, [%s+%d]%s;\n", p.text(m, space), regs[m.name], base, m.at, stride)
	}
	fmt.Fprintf(&body, "\t%s %s, %s, %s, %s;\n", p.fullName(), regs["d"], regs["a"], regs["b"], regs["c"])
	fmt.Fprintf(&body, "\tmov.u32 %%r3, %d;\n\t%s [%%rd0+%d], %s, %%r3;\n\tret;\n", d.stride, p.text(d, ""), d.at, regs["d"])
	return header + fmt.Sprintf(".shared .align 128 .b8 tile[%d];\n.visible .entry k(.param .u64 buffer)\n{\n%s}\n", total, body.String())
}

// declare declares the registers of a matrix's fragment, and returns their list.
func (p *warpProduct) declare(body *strings.Builder, m *matrixOf) string {
	n, kind := p.registersOf(m.name), "b32"
	if m.typ == "f32" || m.typ == "f64" {
		kind = m.typ
	}
	fmt.Fprintf(body, "\t.reg .%s %%%s<%d>;\n", kind, m.name, n)
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%%%s%d", m.name, i))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// copyToTile copies the buffer to shared memory, and leaves its address in %r2.
func copyToTile(body *strings.Builder, total int) {
	fmt.Fprintf(body, "\tmov.u32 %%r0, %%tid.x;\n\tshl.b32 %%r0, %%r0, 2;\nCOPY:\n\tcvt.u64.u32 %%rd1, %%r0;\n\tadd.u64 %%rd1, %%rd0, %%rd1;\n\tld.global.u32 %%r1, [%%rd1];\n"+
		"\tmov.u32 %%r2, tile;\n\tadd.u32 %%r2, %%r2, %%r0;\n\tst.shared.u32 [%%r2], %%r1;\n\tadd.u32 %%r0, %%r0, 128;\n\tsetp.lt.u32 %%p, %%r0, %d;\n\t@%%p bra COPY;\n\tbar.sync 0;\n\tmov.u32 %%r2, tile;\n", total)
}

// WarpMatrices are claims about wmma.
func WarpMatrices() []Claim {
	var claims []Claim
	for _, p := range wmmaForms() {
		for variant := range 3 {
			claims = append(claims, p.claim(variant))
		}
	}
	return claims
}
