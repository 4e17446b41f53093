package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
)

// pairCase is a product of a pair of CTAs: the part of each, and the case that describes it.
type pairCase struct {
	tensorCase
	half     [2]tensorCase
	disabled [8]uint32
	issuer   int
}

// randomPair returns a random product of a pair.
func randomPair() *pairCase {
	c := &pairCase{tensorCase: *randomCase()}
	if rand.IntN(4) == 0 {
		c.tensorCase = *scaledCase()
	}
	c.ws, c.zeros, c.lane, c.tensorCase.disabled, c.issuer = false, 0, 0, [4]uint32{}, rand.IntN(2)
	if c.m = 128 << rand.IntN(2); c.scales > 0 {
		c.m = 256
	}
	step := 16
	if c.kind == "i8" || c.transB && c.b.bits == 8 {
		step = 32
	}
	c.n = step * (1 + rand.IntN(256/step))
	c.inTensor = c.inTensor && c.m == 256
	if c.scales == 0 && flip() {
		for i := range c.disabled {
			c.disabled[i] = rand.Uint32()
		}
	}
	return c
}

// kernel returns the kernel of a tensorCase in which each CTA has its own image, and the issuer starts the product.
func (c *pairCase) kernel(images [2][]byte, beside [2]string, instr string) string {
	text := c.half[0].kernel(append(images[0], images[1]...), &sharedLayout{}, &sharedLayout{})
	_, text, _ = strings.Cut(text, ".global .b32 beside")
	_, text, _ = strings.Cut(text, "\n")
	all := len(images[0]) / 4
	text = strings.NewReplacer("cta_group::1", "cta_group::2",
		".shared .b32 where;", ".shared .b32 where;\n\tmov.u32 %r90, %cluster_ctarank;\n\tmul.lo.u32 %r91, %r90, "+fmt.Sprint(all)+";",
		"mad.wide.u32 %rd2, %r10, 4, %rd2;", "add.u32 %r92, %r10, %r91;\n\tmad.wide.u32 %rd2, %r92, 4, %rd2;",
		fmt.Sprintf("setp.lt.u32 %%p1, %%r10, %d;", 2*all), fmt.Sprintf("setp.lt.u32 %%p1, %%r10, %d;", all),
		"mad.wide.u32 %rd2, %r80, 128, %rd2;", "mad.lo.u32 %r93, %r90, 128, %r80;\n\tmad.wide.u32 %rd2, %r93, 128, %rd2;",
		"mad.wide.u32 %rd1, %r80, 1024, %rd1;", "mad.wide.u32 %rd1, %r93, 1024, %rd1;",
		"tcgen05.fence::before_thread_sync;\n\tbar.sync 0;", fmt.Sprintf("tcgen05.fence::before_thread_sync;\n\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n\tsetp.eq.and.u32 %%p4, %%r90, %d, %%p2;\n\tmov.u16 %%rs3, 3;", c.issuer),
		"@%p2 tcgen05.commit", "@%p4 tcgen05.commit", ".shared::cluster.b64 [bar]", ".shared::cluster.multicast::cluster.b64 [bar], %rs3",
	).Replace(text)
	at := strings.Index(text, "@%p2 tcgen05.mma")
	end := at + strings.Index(text[at:], ";")
	text = text[:at] + "@%p4 " + instr + text[end:]
	return ".extern .shared .align 1024 .b32 s[];\n.shared .b64 bar;\n" + imageText(append(images[0], images[1]...)) +
		".global .b32 beside[] = {" + beside[0] + "," + beside[1] + "};\n" + text
}

// besideOf returns the contents of tensor memory other than D in a kernel of a tensorCase.
func besideOf(kernel string) string {
	_, text, _ := strings.Cut(kernel, "beside[] = {")
	text, _, _ = strings.Cut(text, "}")
	return text
}

// run executes the product and compares D in both CTAs.
func (c *pairCase) run(t *testing.T) {
	t.Helper()
	a, size := layoutOf(c.a.bits, c.m/2, 1024, c.modeA, c.transA)
	b, sizeB := layoutOf(c.b.bits, c.n/2, a.base+(size+1023)/1024*1024, c.modeB, c.transB)
	var images [2][]byte
	var beside [2]string
	for r := range c.half {
		h := &c.half[r]
		*h = c.tensorCase
		h.m, h.n = c.m/2, c.n/2
		images[r] = make([]byte, (b.base+sizeB+3)/4*4+16)
		h.fill(images[r], &a, &b)
	}
	for j := range c.n {
		h, i := &c.half[j/(c.n/2)], j%(c.n/2)
		c.valuesB[j], c.scalesB[j], c.scaleBits[1][j] = h.valuesB[i], h.scalesB[i], h.scaleBits[1][i]
	}
	for r := range c.half { // both make products with all of B
		h := &c.half[r]
		h.n, h.valuesB, h.scalesB, h.scaleBits[1] = c.n, c.valuesB, c.scalesB, c.scaleBits[1]
		beside[r] = besideOf(h.kernel(nil, &a, &b))
	}
	operandA := "%rd10"
	if c.inTensor {
		operandA = fmt.Sprintf("[%%r2+%d]", columnA)
	}
	instr := fmt.Sprintf("tcgen05.mma.cta_group::2.kind::%s [%%r2], %s, %%rd11, %d", c.kind, operandA, c.descriptor())
	if c.scales > 0 {
		instr = strings.Replace(instr, c.kind, c.kind+".block_scale"+c.vectors, 1) + fmt.Sprintf(", [%%r2+%d], [%%r2+%d]", columnS, columnS+8)
	}
	if c.disabled != [8]uint32{} {
		instr += ", {" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.disabled)), ", "), "[]") + "}"
	}
	instr += ", %p5"
	if c.scaleD > 0 {
		instr += fmt.Sprintf(", %d", c.scaleD)
	}
	source := c.kernel(images, beside, instr)
	source = strings.Replace(source, "mov.u64 %rd10, 70368744177664;", fmt.Sprintf("mov.u64 %%rd10, %d;", a.descriptor()), 1)
	source = strings.Replace(source, "mov.u64 %rd11, 70368744177664;", fmt.Sprintf("mov.u64 %%rd11, %d;", b.descriptor()), 1)
	want := c.want()
	kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: source, Grid: kerneltest.Dim(2, 1), Cluster: kerneltest.Dim(2, 1), Block: kerneltest.Dim(128, 1), Shared: int64(len(images[0])), Words: []int{2 * 128 * 256}}.
		Want(t, func(i int) uint32 { return want[i/256/128][i/256%128][i%256] })
	if t.Failed() {
		t.Fatalf("%s\na %+v\nb %+v\n%s %s %s %dx%d transposed %v %v", instr, a, b, c.kind, c.a.name, c.b.name, c.m, c.n, c.transA, c.transB)
	}
}

// want returns all cells of both CTAs after the product: for M = 256 a row in each lane (layout A), for M = 128 the
// right half of the columns in lanes 64 to 127 (layout B).
func (c *pairCase) want() (cells [2][128][256]uint32) {
	for r := range cells {
		h := &c.half[r]
		for lane := range cells[r] {
			for column := range cells[r][lane] {
				if cells[r][lane][column] = c.cell(float64(first(lane, column))); c.sum == "f16" {
					cells[r][lane][column] |= 7 << 16
				}
			}
		}
		for i := range c.m / 2 {
			for j := range c.n {
				lane, column := i, j
				if c.m == 128 && j >= c.n/2 {
					lane, column = i+64, j-c.n/2
				}
				if c.disabled[r*4+lane/32]>>(lane%32)&1 == 0 {
					cells[r][lane][column] = h.element(i, j, float64(first(lane, column)))
				}
			}
		}
	}
	return cells
}

// TestPairProductsMatchSums is TestExactTensorProductsMatchSums for pairs of CTAs.
func TestPairProductsMatchSums(t *testing.T) {
	short.Alternates(t, 2, 3)
	for range short.Of(40) {
		randomPair().run(t)
	}
}
