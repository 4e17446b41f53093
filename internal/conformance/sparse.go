package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// sparseForms are the forms of mma.sp, as PTX ISA 9.7.14 lists them for targets up to sm_90,
// each with all of its selectors.
func sparseForms() []product {
	var forms []product
	add := func(shape, sums string, selectors int, factors ...string) {
		saturations := []bool{false}
		if sums == "s32" {
			saturations = []bool{false, true}
		}
		for sum := range strings.FieldsSeq(sums) {
			for _, pair := range factors {
				p := product{d: sum, c: sum, rowA: true, sparse: true}
				p.a, p.b, _ = strings.Cut(pair, " ")
				fmt.Sscanf(shape, "m%dn%dk%d", &p.m, &p.n, &p.k)
				for _, variant := range []string{"sp", "sp::ordered_metadata"} {
					for _, saturates := range saturations {
						for p.selector = range selectors {
							p.saturates = saturates
							p.name = fmt.Sprintf("mma.%s.sync.aligned.%s.row.col", variant, shape)
							if isSmall(p.a) || isSmall(p.b) {
								p.name += ".kind::f8f6f4"
							}
							if saturates {
								p.name += ".satfinite"
							}
							p.name += fmt.Sprintf(".%s.%s.%s.%s", p.d, p.a, p.b, p.c)
							forms = append(forms, p)
						}
					}
				}
			}
		}
	}
	add("m16n8k16", "f16 f32", 4, "f16 f16")
	add("m16n8k32", "f16 f32", 2, "f16 f16")
	add("m16n8k16", "f32", 4, "bf16 bf16")
	add("m16n8k32", "f32", 2, "bf16 bf16")
	add("m16n8k8", "f32", 4, "tf32 tf32")
	add("m16n8k16", "f32", 2, "tf32 tf32")
	add("m16n8k64", "f32", 1, "e4m3 e4m3", "e4m3 e5m2", "e5m2 e4m3", "e5m2 e5m2")
	add("m16n8k64", "f32", 1, "e3m2 e4m3", "e2m3 e2m1", "e2m1 e3m2", "e5m2 e2m3")
	for _, p := range []product{{k: 64, a: "e3m2", b: "e4m3", kind: "mxf8f6f4", blocks: 1, scale: "ue8m0"}, {k: 64, a: "e2m1", b: "e2m3", kind: "mxf8f6f4", blocks: 1, scale: "ue8m0"},
		{k: 128, a: nibble, b: nibble, kind: "mxf4", blocks: 2, scale: "ue8m0"}, {k: 128, a: nibble, b: nibble, kind: "mxf4nvf4", blocks: 4, scale: "ue4m3"}, {k: 128, a: nibble, b: nibble, kind: "mxf4nvf4", blocks: 4, scale: "ue8m0"}} {
		p.m, p.n, p.d, p.c, p.rowA, p.sparse = 16, 8, "f32", "f32", true, true
		p.name = fmt.Sprintf("mma.sp::ordered_metadata.sync.aligned.m16n8k%d.row.col.kind::%s.block_scale.scale_vec::%dX.f32.%s.%s.f32.%s", p.k, p.kind, p.blocks, strings.TrimSuffix(p.a, "x8"), strings.TrimSuffix(p.b, "x8"), p.scale)
		forms = append(forms, p)
	}
	add("m16n8k32", "s32", 2, "s8 s8", "s8 u8", "u8 s8", "u8 u8")
	add("m16n8k64", "s32", 1, "s8 s8", "s8 u8", "u8 s8", "u8 u8")
	add("m16n8k64", "s32", 2, "s4 s4", "s4 u4", "u4 s4", "u4 u4")
	add("m16n8k128", "s32", 1, "s4 s4", "s4 u4", "u4 s4", "u4 u4")
	return forms
}

// storedPlace returns the place of element i of a lane's fragment of a sparse A: its row, the first column of its
// chunk, and its number among the stored elements of the chunk. The row and the first column of the register are by
// the formulas of PTX ISA 9.7.14 (Matrix Fragments for sparse mma); a register has one chunk or two.
func storedPlace(shape, typ string, lane, i int) (row, chunk, number int) {
	if isSmall(typ) {
		typ = "e4m3"
	}
	group, thread := lane>>2, lane%4
	var perRegister, perChunk, firstcol, width, second int // width: columns in a register
	switch shape + " " + typ {
	case "m16n8k16 f16", "m16n8k16 bf16", "m16n8k32 f16", "m16n8k32 bf16":
		perRegister, perChunk, firstcol, width, second = 2, 2, thread*4, 4, 16
	case "m16n8k8 tf32", "m16n8k16 tf32":
		perRegister, perChunk, firstcol, width, second = 1, 1, thread*2, 2, 8
	case "m16n8k32 s8", "m16n8k32 u8", "m16n8k64 s8", "m16n8k64 u8", "m16n8k64 e4m3", "m16n8k64 e5m2":
		perRegister, perChunk, firstcol, width, second = 4, 2, thread*8, 8, 32
	case "m16n8k64 s4", "m16n8k64 u4", "m16n8k128 s4", "m16n8k128 u4", "m16n8k128 " + nibble:
		perRegister, perChunk, firstcol, width, second = 8, 4, thread*16, 16, 64
	default:
		panic("no sparse fragment of " + shape + " " + typ)
	}
	register := i / perRegister
	if register >= 2 {
		firstcol += second
	}
	row = group + register%2*8
	chunks := perRegister / perChunk
	within := i % perRegister
	return row, firstcol + within/perChunk*(width/chunks), within % perChunk
}

// metadataPlace returns the place of the four bits of metadata for the chunk that begins at a column, by the figures
// of PTX ISA 9.7.14 (metadata layouts of sparse mma) for rows 0 and 8: the thread among a row's four, and the lowest
// bit. Rows further down are four threads on.
func metadataPlace(shape, typ string, selector, row, col int) (thread, bit int) {
	if isSmall(typ) {
		typ = "e4m3"
	}
	lower := row >= 8
	pick := func(c bool, x, y int) int {
		if c {
			return x
		}
		return y
	}
	switch shape + " " + typ {
	case "m16n8k16 f16", "m16n8k16 bf16": // Ti: [0..15], and [16..31] for row 8
		return selector, pick(lower, 16, 0) + col/4*4
	case "m16n8k32 f16", "m16n8k32 bf16": // T2i has columns 0 to 15, T2i+1 those from 16 on
		return 2*selector + col/16, pick(lower, 16, 0) + col%16/4*4
	case "m16n8k8 tf32":
		return selector, pick(lower, 16, 0) + col/2*4
	case "m16n8k16 tf32": // T2i has columns 0 to 7
		return 2*selector + col/8, pick(lower, 16, 0) + col%8/2*4
	case "m16n8k32 s8", "m16n8k32 u8": // T2i has row 0, T2i+1 row 8
		return 2*selector + pick(lower, 1, 0), col / 4 * 4
	case "m16n8k64 s8", "m16n8k64 u8", "m16n8k64 e4m3", "m16n8k64 e5m2": // T0 and T1 have columns 0 to 31, T2 and T3 the others
		return pick(col >= 32, 2, 0) + pick(lower, 1, 0), col % 32 / 4 * 4
	case "m16n8k64 s4", "m16n8k64 u4":
		return 2*selector + pick(lower, 1, 0), col / 8 * 4
	case "m16n8k128 s4", "m16n8k128 u4", "m16n8k128 " + nibble: // T0 and T1 have columns 0 to 63
		return pick(col >= 64, 2, 0) + pick(lower, 1, 0), col % 64 / 8 * 4
	}
	panic("no metadata of " + shape + " " + typ)
}

// columnOf returns the column of a stored element of the chunk, by its metadata.
func columnOf(typ string, chunk, number int, bits uint32) int {
	index := int(bits >> (2 * number) & 3)
	switch elementBits(typ) {
	case 32:
		return chunk + map[uint32]int{0b0100: 0, 0b1110: 1}[bits]
	case 4: // numbers of pairs
		index = int(bits>>(2*(number/2))&3)*2 + number%2
	}
	return chunk + index
}

// chunkWidth returns the number of columns of a chunk of metadata.
func chunkWidth(typ string) int {
	return map[int]int{32: 2, 16: 4, 8: 4, 4: 8}[elementBits(typ)]
}

// someMetadata returns metadata for the 16 rows of a warp, by lane. Bits that no row uses are random.
func (p *product) someMetadata(r *rand.Rand) []uint32 {
	legal := []uint32{0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110}
	switch {
	case p.a == "tf32":
		legal = []uint32{0b0100, 0b1110}
	case strings.HasPrefix(p.name, "mma.sp."):
		legal = append(legal, 0b0001, 0b0010, 0b0110, 0b0011, 0b0111, 0b1011)
	}
	e := make([]uint32, 32)
	for lane := range e {
		e[lane] = r.Uint32()
	}
	for row := range 16 {
		for col := 0; col < p.k; col += chunkWidth(p.a) {
			thread, bit := metadataPlace(fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k), p.a, p.selector, row, col)
			lane := row%8*4 + thread
			e[lane] = e[lane]&^(0xf<<bit) | legal[r.IntN(len(legal))]<<bit
		}
	}
	return e
}

// storedRow has the stored elements of a row of A, and their columns.
type storedRow struct {
	elements []uint64
	cols     []int
}

// storedRows returns the rows of A that lanes hold with metadata e.
func (p *product) storedRows(a [][]uint64, e []uint32) (rows [16]storedRow) {
	shape := fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k)
	for lane := range a {
		for i, v := range a[lane] {
			row, chunk, number := storedPlace(shape, p.a, lane, i)
			thread, bit := metadataPlace(shape, p.a, p.selector, row, chunk)
			rows[row].elements = append(rows[row].elements, v)
			rows[row].cols = append(rows[row].cols, columnOf(p.a, chunk, number, e[row%8*4+thread]>>bit&0xf))
		}
	}
	return rows
}

// sparseWants is wants for a sparse A. If PTX has no dense shape of its depth, B is laid out as for products of two
// of its halves along K (9.7.14, figures of B of sparse mma).
func (p *product) sparseWants(a, b, c, scales [][]uint64, e []uint32) [][]uint64 {
	depth, shape := p.k, fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k)
	if p.registers("b") == 4 {
		depth, shape = p.k/2, fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k/2)
	}
	bs := make(map[[2]int]uint64)
	for lane := range b {
		each := len(b[lane]) * depth / p.k
		for i, v := range b[lane] {
			k, col := FragmentPlace(shape, p.b, "b", false, lane, i%each)
			bs[[2]int{k + i/each*depth, col}] = v
		}
	}
	rows := p.storedRows(a, e)
	d := make([][]uint64, 32)
	for lane := range d {
		for i := range p.elements("d") {
			row, col := FragmentPlace("m16n8k16", "f16", "d", false, lane, i)
			var factors []uint64
			for _, k := range rows[row].cols {
				factors = append(factors, bs[[2]int{k, col}])
			}
			if p.blocks > 0 {
				d[lane] = append(d[lane], p.scaledElement(rows[row].elements, factors, c[lane][i], rows[row].cols, p.scalesOf(scales, row, col)))
				continue
			}
			d[lane] = append(d[lane], p.element(rows[row].elements, factors, c[lane][i]))
		}
	}
	return d
}

// sparseClaim is the claim that the form computes what the ISA says, for random matrices and metadata.
func (p product) sparseClaim() Claim {
	opcode, _, _ := strings.Cut(p.name, ".sync")
	return Claim{Name: fmt.Sprintf("%s %d", p.name, p.selector), Opcode: opcode, Try: func(run Run) error { return p.sparseTrial().try(run) }}
}

// sparseTrial draws matrices for some warps, and computes their products.
func (p product) sparseTrial() *trial {
	const warps = 12
	r := rand.New(rand.NewPCG(12, hash(p.name)+uint64(p.selector)))
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
		e := p.someMetadata(r)
		if p.blocks > 0 {
			fragments["scales"] = p.someScales(warp, r)
		}
		d := p.sparseWants(fragments["a"], fragments["b"], fragments["c"], fragments["scales"], e)
		for lane := range d {
			for _, matrix := range []string{"a", "b", "c"} {
				in = appendElements(in, p.typeOf(matrix), fragments[matrix][lane])
			}
			in = binary.LittleEndian.AppendUint32(in, e[lane])
			if p.blocks > 0 {
				in = appendElements(in, "b32", fragments["scales"][lane])
			}
			want = appendElements(want, p.d, d[lane])
		}
	}
	return &trial{src: p.source(), grid: dim(warps, 1), block: dim(32, 1), buffers: [][]byte{in, make([]byte, len(want))}, check: bytesMatch(want)}
}
