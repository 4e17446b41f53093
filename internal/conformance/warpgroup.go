package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// sharedLayout is the layout of a matrix in shared memory, by the table of PTX ISA 9.7.15 (canonical layouts):
// extents, from the inside, and strides in elements, of one of M or N, and of K; then bits 4 and up of the byte
// address are xored with as many that are three positions higher.
type sharedLayout struct {
	mn, mnBy, k, kBy []int
	swizzle          int // bits
	elementBytes     int // size in bytes of an element, or of 8 bits
	leading, stride  int // bytes
	// bytes from the start of the matrix's memory to its pattern, and from there to the part that is multiplied
	begin, advance int
	size           int // bytes
}

// layoutOf is a canonical layout of rows by depth elements of a size in bytes, with gaps: the groups of 8 rows, or of
// the columns of K, are further apart than necessary.
func layoutOf(rows, depth, elementBytes, swizzle int, kMajor bool, r *rand.Rand) sharedLayout {
	T, w := 16/elementBytes, 1<<swizzle // elements in 128 bits, and how many of these a row of the pattern has
	l := sharedLayout{swizzle: swizzle, elementBytes: elementBytes}
	gap := func() int { return r.IntN(2) * 64 * T } // 1024 bytes
	units := depth / T
	switch {
	case kMajor && swizzle == 0:
		sbo := 8*T + r.IntN(3)*T
		lbo := (rows/8)*sbo + gap()
		l.mn, l.mnBy, l.k, l.kBy = []int{8, rows / 8}, []int{T, sbo}, []int{T, units}, []int{1, lbo}
		l.leading, l.stride = lbo, sbo
	case kMajor:
		sbo := 8*w*T + gap()
		l.mn, l.mnBy, l.k, l.kBy = []int{8, rows / 8}, []int{w * T, sbo}, []int{T, units}, []int{1, T}
		l.leading, l.stride = T, sbo
		if w > units {
			l.advance = r.IntN(w/units) * units * 16
		}
	case swizzle == 0:
		sbo := 8*T + r.IntN(3)*T
		lbo := (rows/T)*sbo + gap()
		l.mn, l.mnBy, l.k, l.kBy = []int{T, rows / T}, []int{1, sbo}, []int{8, depth / 8}, []int{T, lbo}
		l.leading, l.stride = lbo, sbo
	default:
		lbo := 8*w*T + gap()
		groups := (rows/T + w - 1) / w
		sbo := groups*lbo + gap()
		l.mn, l.mnBy, l.k, l.kBy = []int{T, w, groups}, []int{1, T, lbo}, []int{8, depth / 8}, []int{w * T, sbo}
		l.leading, l.stride = lbo, sbo
	}
	l.leading, l.stride = l.leading*elementBytes, l.stride*elementBytes
	if swizzle > 0 {
		l.begin = r.IntN(8) * 128
	}
	for i := range rows {
		for k := range depth {
			l.size = max(l.size, l.at(i, k)+elementBytes)
		}
	}
	l.size = (l.size + 1023) &^ 1023
	return l
}

// at returns the byte offset of an element from the start of the matrix's memory.
func (l *sharedLayout) at(i, k int) int {
	offset := 0
	add := func(n int, extents, by []int) {
		for d := range extents {
			offset += n % extents[d] * by[d]
			n /= extents[d]
		}
	}
	add(i, l.mn, l.mnBy)
	add(k, l.k, l.kBy)
	in := offset*l.elementBytes + l.advance
	return l.begin + in ^ in>>7&(1<<l.swizzle-1)<<4
}

// descriptor returns the descriptor of a matrix with memory that starts at an address (9.7.15, matrix descriptor
// format).
func (l *sharedLayout) descriptor(start int) uint64 {
	encode := func(x int) uint64 { return uint64(x&0x3ffff) >> 4 }
	mode := []uint64{0, 3, 2, 1}[l.swizzle]
	base := uint64((start+l.begin)>>7) & 7
	if l.swizzle == 0 {
		base = 5 // must be ignored
	}
	return encode(start+l.begin+l.advance) | encode(l.leading)<<16 | encode(l.stride)<<32 | base<<49 | mode<<62
}

// groupProduct is a product that a warpgroup makes.
type groupProduct struct {
	product
	layoutA, layoutB     sharedLayout
	registersA           bool // A is in registers
	transposeA           bool
	transposeB           bool
	negateA, negateB     bool
	add                  bool // D counts
	immediate            bool // scale-d is a constant
	startA, startB, size int  // in shared memory
}

// groupForms are wgmma.mma_async on all types, with A in registers and in shared memory, and both orders if there are
// two; with all swizzles for one combination of types of a size. The other combinations have one swizzle and one
// width each, in turn.
func groupForms(sparse bool) []groupProduct {
	var forms []groupProduct
	widths, few := []int{8, 16, 24, 40, 64, 8, 32, 56}, []int{8, 16, 24, 48, 64, 8, 32, 80}
	add := func(depth int, sums string, factors ...string) {
		first := len(forms)
		for sum := range strings.FieldsSeq(sums) {
			for _, pair := range factors {
				full, other := len(forms) == first, len(forms)/2%4
				for variant := range 2 * 4 * 4 {
					g := groupProduct{registersA: variant&1 != 0, transposeA: variant&8 != 0, transposeB: variant&16 != 0}
					swizzle := variant >> 1 & 3
					g.a, g.b, _ = strings.Cut(pair, " ")
					g.d, g.c, g.m, g.k, g.sparse, g.rowA = sum, sum, 64, depth, sparse, true
					g.coarse = elementBits(g.a) == 8 && g.a[0] == 'e'
					half := g.a == "f16" || g.a == "bf16"
					if g.transposeA && (g.registersA || !half) || g.transposeB && !half || sparse && swizzle == 1 && !g.transposeB || !full && swizzle != other {
						continue
					}
					n := len(forms)
					if g.n = widths[n%len(widths)]; sum == "s32" {
						g.n = few[n%len(few)]
					}
					if n == 36 { // the widest one takes long
						g.n = 256
					}
					g.add, g.immediate, g.saturates = n%3 != 0, n%5 == 0, sum == "s32" && g.a != "b1" && n%2 == 0
					g.and = g.a == "b1"
					if sum != "s32" {
						g.negateA, g.negateB = n%4 == 1, n%7 == 2
					}
					if sparse && elementBits(g.a) > 8 {
						g.selector = n % 2
					}
					r := rand.New(rand.NewPCG(uint64(n), 21))
					g.place(swizzle, r)
					forms = append(forms, g)
				}
			}
		}
	}
	deep := 1
	if sparse {
		deep = 2
	}
	add(16*deep, "f16 f32", "f16 f16")
	add(16*deep, "f32", "bf16 bf16")
	add(8*deep, "f32", "tf32 tf32")
	add(32*deep, "f16 f32", "e4m3 e4m3", "e4m3 e5m2", "e5m2 e4m3", "e5m2 e5m2")
	add(32*deep, "s32", "s8 s8", "s8 u8", "u8 s8", "u8 u8")
	if !sparse {
		add(256, "s32", "b1 b1")
	}
	return forms
}

// stored returns how many elements of a row of A are stored.
func (g *groupProduct) stored() int {
	if g.sparse {
		return g.k / 2
	}
	return g.k
}

// place lays the matrices out in shared memory.
func (g *groupProduct) place(swizzle int, r *rand.Rand) {
	bytes, per := elementBits(g.a)/8, 1
	if g.a == "b1" {
		bytes, per = 1, 8
	}
	g.layoutB = layoutOf(g.n, g.k/per, bytes, swizzle, !g.transposeB, r)
	g.startB = r.IntN(2) * 1024
	g.size = g.startB + g.layoutB.size
	if !g.registersA {
		g.layoutA = layoutOf(64, g.stored()/per, bytes, (swizzle+int(r.Uint32N(2))*2)%4, !g.transposeA, r)
		g.startA = g.size
		g.size += g.layoutA.size
	}
	g.size = (g.size + 2047) &^ 2047 // as much as 128 threads copy at once
	if g.size > 48<<10 {
		g.n = 64
		g.place(swizzle, r)
	}
}

func (g *groupProduct) mnemonic() string {
	name := "wgmma.mma_async."
	if g.sparse {
		name += "sp."
	}
	name += fmt.Sprintf("sync.aligned.m64n%dk%d", g.n, g.k)
	if g.saturates {
		name += ".satfinite"
	}
	name += fmt.Sprintf(".%s.%s.%s", g.d, g.a, g.b)
	if g.and {
		name += ".and.popc"
	}
	return name
}

// accumulators returns how many registers of a lane hold D.
func (g *groupProduct) accumulators() int {
	if g.d == "f16" {
		return g.n / 4
	}
	return g.n / 2
}

// operands returns the operands of the instruction.
func (g *groupProduct) operands() string {
	list := func(name string, n int) string {
		var regs []string
		for i := range n {
			regs = append(regs, fmt.Sprintf("%%%s%d", name, i))
		}
		return "{" + strings.Join(regs, ", ") + "}"
	}
	all := list("d", g.accumulators())
	if g.registersA {
		all += ", " + list("a", 4)
	} else {
		all += ", %rd2"
	}
	all += ", %rd3"
	if g.sparse {
		all += fmt.Sprintf(", %%e, %d", g.selector)
	}
	if all += ", %p0"; g.immediate {
		all = strings.TrimSuffix(all, "%p0") + map[bool]string{false: "0", true: "1"}[g.add]
	}
	if g.d == "s32" {
		return all
	}
	sign := map[bool]string{false: ", 1", true: ", -1"}
	all += sign[g.negateA] + sign[g.negateB]
	if elementBits(g.a) != 16 {
		return all
	}
	trans := map[bool]string{false: ", 0", true: ", 1"}
	if !g.registersA {
		all += trans[g.transposeA]
	}
	return all + trans[g.transposeB]
}

// source returns a kernel for warpgroups, each a block: it copies the image of shared memory from the second buffer.
// A lane reads its registers of D, of A and the metadata from the first, and stores D in the third.
func (g *groupProduct) source() string {
	var b strings.Builder
	typ := "b32"
	if g.d == "f32" {
		typ = "f32"
	}
	n := g.accumulators()
	words := n
	fmt.Fprintf(&b, "%s.shared .align 1024 .b8 memory[%d];\n", header, g.size)
	fmt.Fprintf(&b, ".visible .entry k(.param .u64 in, .param .u64 image, .param .u64 out)\n{\n\t.reg .%s %%d<%d>;\n\t.reg .b32 %%a<4>, %%r<8>, %%e;\n\t.reg .b64 %%rd<8>;\n\t.reg .pred %%p<2>;\n", typ, n)
	fmt.Fprintf(&b, `	ld.param.u64 %%rd1, [image];
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, %%ctaid.x;
	mul.wide.u32 %%rd4, %%r1, %d;
	add.u64 %%rd1, %%rd1, %%rd4;
	shl.b32 %%r2, %%r0, 4;
	mov.u32 %%r3, memory;
LOOP:
	cvt.u64.u32 %%rd4, %%r2;
	add.u64 %%rd4, %%rd4, %%rd1;
	ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%rd4];
	add.u32 %%r1, %%r2, %%r3;
	st.shared.v4.u32 [%%r1], {%%r4, %%r5, %%r6, %%r7};
	add.u32 %%r2, %%r2, 2048;
	setp.lt.u32 %%p1, %%r2, %d;
	@%%p1 bra LOOP;
	mov.u32 %%r1, %%ctaid.x;
	mad.lo.u32 %%r0, %%r1, 128, %%r0;
	ld.param.u64 %%rd0, [in];
	ld.param.u64 %%rd1, [out];
`, g.size, g.size)
	var loads strings.Builder
	for i := range n {
		fmt.Fprintf(&loads, "\tld.global.%s %%d%d, [%%rd0+%d];\n", typ, i, 4*i)
	}
	if g.registersA {
		for i := range 4 {
			fmt.Fprintf(&loads, "\tld.global.b32 %%a%d, [%%rd0+%d];\n", i, 4*words)
			words++
		}
	}
	if g.sparse {
		fmt.Fprintf(&loads, "\tld.global.b32 %%e, [%%rd0+%d];\n", 4*words)
		words++
	}
	fmt.Fprintf(&b, "\tmad.wide.u32 %%rd0, %%r0, %d, %%rd0;\n\tmad.wide.u32 %%rd1, %%r0, %d, %%rd1;\n%s", 4*words, 4*n, loads.String())
	fmt.Fprintf(&b, "\tcvt.u64.u32 %%rd4, %%r3;\n\tshr.u64 %%rd4, %%rd4, 4;\n\tadd.u64 %%rd2, %%rd4, %#x;\n\tadd.u64 %%rd3, %%rd4, %#x;\n\tsetp.eq.u32 %%p0, %d, 1;\n",
		g.layoutA.descriptor(g.startA), g.layoutB.descriptor(g.startB), map[bool]int{false: 0, true: 1}[g.add])
	fmt.Fprintf(&b, "\tfence.proxy.async;\n\tbar.sync 0;\n\twgmma.fence.sync.aligned;\n\t%s %s;\n\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n", g.mnemonic(), g.operands())
	for i := range n {
		fmt.Fprintf(&b, "\tst.global.%s [%%rd1+%d], %%d%d;\n", typ, 4*i, i)
	}
	return b.String() + "\tret;\n}\n"
}

// negated returns an element of A or B, negated if it should be.
func negated(typ string, v uint64, negate bool) uint64 {
	if !negate {
		return v
	}
	return v ^ 1<<(elementBits(typ)-1)
}

// storeElement puts element v of a type into shared memory.
func (l *sharedLayout) storeElement(image []byte, start int, typ string, i, k int, v uint64) {
	switch bits := elementBits(typ); bits {
	case 1:
		image[start+l.at(i, k/8)] |= byte(v << (k % 8))
	default:
		for b := range bits / 8 {
			image[start+l.at(i, k)+b] = byte(v >> (8 * b))
		}
	}
}

// claim is the claim that the form computes what the ISA says, for random matrices.
func (g *groupProduct) claim(number int) Claim {
	return Claim{Name: fmt.Sprintf("%s %d", g.mnemonic(), number), Opcode: "wgmma.mma_async", Try: func(run Run) error { tr := g.trial(number); return tr.try(run) }}
}

// trial has matrices of two of the six kinds.
func (g *groupProduct) trial(number int) trial {
	const groups = 2
	r := rand.New(rand.NewPCG(13, uint64(number)))
	var in, images, want []byte
	for group := range groups {
		kind := number*groups + group
		image := make([]byte, g.size)
		for i := range image {
			image[i] = byte(r.Uint32())
		}
		if g.a == "b1" {
			clear(image)
		}
		b := make([][]uint64, g.n)
		for col := range b {
			for k := range g.k {
				v := someElement(g.b, kind, r)
				g.layoutB.storeElement(image, g.startB, g.b, col, k, v)
				b[col] = append(b[col], negated(g.b, v, g.negateB))
			}
		}
		for warp := range 4 {
			w := g.warp(kind, r)
			if !g.registersA {
				for row := range w.a {
					for k, v := range w.a[row] {
						g.layoutA.storeElement(image, g.startA, g.a, 16*warp+row, k, v)
					}
				}
			}
			for lane := range 32 {
				in = appendElements(in, g.d, w.d[lane])
				if g.registersA {
					in = appendElements(in, g.a, w.fragment[lane])
				}
				if g.sparse {
					in = binary.LittleEndian.AppendUint32(in, w.e[lane])
				}
				want = appendElements(want, g.d, g.wants(w, b, lane))
			}
		}
		images = append(images, image...)
	}
	return trial{src: g.source(), grid: dim(groups, 1), block: dim(128, 1), buffers: [][]byte{in, images, make([]byte, len(want))},
		check: func(after [][]byte) error { return sameBytes(want, after[2]) }}
}

// sameBytes compares words.
func sameBytes(want, got []byte) error {
	for i := 0; i < len(want); i += 4 {
		if w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:]); w != g {
			return fmt.Errorf("word %d is %#x, want %#x", i/4, g, w)
		}
	}
	return nil
}

// groupWarp is a warp's part of a product: its rows of A, as they are stored, also by lane as fragments; its part of
// D by lane; and metadata, with the columns of the stored elements.
type groupWarp struct {
	a, fragment, d [][]uint64
	e              []uint32
	cols           [][]int
}

// warp returns random matrices for a warp.
func (g *groupProduct) warp(kind int, r *rand.Rand) *groupWarp {
	w := &groupWarp{a: make([][]uint64, 16), fragment: make([][]uint64, 32), d: make([][]uint64, 32), cols: make([][]int, 16)}
	for row := range w.a {
		for range g.stored() {
			w.a[row] = append(w.a[row], someElement(g.a, kind, r))
		}
	}
	shape := fmt.Sprintf("m16n8k%d", g.k)
	p := g.product
	p.m, p.n, p.name = 16, 8, "mma.sp."
	if g.sparse {
		w.e = p.someMetadata(r)
	}
	for row := range w.a {
		for k := range g.stored() {
			if !g.sparse {
				w.cols[row] = append(w.cols[row], k)
				continue
			}
			perChunk := chunkWidth(g.a) / 2
			chunk := k / perChunk * chunkWidth(g.a)
			thread, bit := metadataPlace(shape, g.a, g.selector, row, chunk)
			w.cols[row] = append(w.cols[row], columnOf(g.a, chunk, k%perChunk, w.e[row%8*4+thread]>>bit&0xf))
		}
	}
	dense := fmt.Sprintf("m16n8k%d", g.stored()) // the stored part of A is in fragments of its own depth
	for lane := range 32 {
		for i := range 16 * g.stored() / 32 {
			row, k := FragmentPlace(dense, g.a, "a", true, lane, i)
			w.fragment[lane] = append(w.fragment[lane], w.a[row][k])
		}
		for range 16 * g.n / 32 {
			w.d[lane] = append(w.d[lane], someElement(g.d, kind, r))
		}
	}
	return w
}

// wants returns the elements of a lane in D, by the figures of PTX ISA 9.7.15 (fragments of D): pairs of adjacent
// columns, in two rows that are 8 apart, repeated every 8 columns.
func (g *groupProduct) wants(w *groupWarp, b [][]uint64, lane int) (d []uint64) {
	for i, c := range w.d[lane] {
		row, col := lane/4+i/2%2*8, i/4*8+lane%4*2+i%2
		var x, y []uint64
		for k, v := range w.a[row] {
			x, y = append(x, negated(g.a, v, g.negateA)), append(y, b[col][w.cols[row][k]])
		}
		if !g.add {
			c = 0
		}
		d = append(d, g.element(x, y, c))
	}
	return d
}

// Warpgroups are claims about products of warpgroups.
func Warpgroups() []Claim {
	var claims []Claim
	for _, sparse := range []bool{false, true} {
		for n, g := range groupForms(sparse) {
			claims = append(claims, g.claim(n))
		}
	}
	return claims
}
