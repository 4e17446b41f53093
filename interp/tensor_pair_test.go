package interp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
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

// TestTensorPairProducts is TestTensorProducts for pairs of CTAs.
func TestTensorPairProducts(t *testing.T) {
	for range short.Of(40) {
		randomPair().run(t)
	}
}

// pairKernel runs a kernel in clusters of a number of CTAs.
func pairKernel(body string, cluster, warps uint32) kerneltest.Kernel {
	const begin = kerneltest.Entry + `
	.shared .align 1024 .b32 s[2048];
	.shared .b64 bar;
	.shared .b32 where[4];
	mov.u32 %r80, %tid.x;
	shr.u32 %r81, %r80, 5;
	mov.u32 %r90, %cluster_ctarank;
	setp.eq.u32 %p2, %r80, 0;
	setp.eq.u32 %p90, %r90, 0;
`
	return kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: begin + body, Grid: kerneltest.Dim(cluster, 1), Cluster: kerneltest.Dim(cluster, 1), Block: kerneltest.Dim(32*warps, 1), Words: []int{int(cluster * warps * 32)}}
}

const (
	atCluster = "\n\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"
	allocPair = "\n\ttcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [where], "
	freePair  = "\n\ttcgen05.dealloc.cta_group::2.sync.aligned.b32 "
	storePair = `
	mov.u32 %r91, %ctaid.x;
	mov.u32 %r92, %ntid.x;
	mad.lo.u32 %r91, %r91, %r92, %r80;
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, %r91, 4, %rd1;
	st.global.u32 [%rd1], %r1;
	ret;
}`
)

// TestTensorPairAlloc: both CTAs of a pair allocate the same columns, and wait for each other and for columns.
func TestTensorPairAlloc(t *testing.T) {
	pairKernel(allocPair+"64;\n\tld.shared.u32 %r2, [where];"+allocPair+"32;\n\tld.shared.u32 %r3, [where];"+
		freePair+"%r2, 64;"+atCluster+allocPair+"32;\n\tld.shared.u32 %r4, [where];"+
		freePair+"%r3, 32;"+freePair+"%r4, 32;\n\tmad.lo.u32 %r1, %r3, 1000, %r2;\n\tmad.lo.u32 %r1, %r4, 1000000, %r1;"+storePair, 4, 1).Want(t, func(int) uint32 { return 64 * 1000 })
	// Four warps of each CTA allocate half of all columns each, so that they wait for each other.
	pairKernel(`
	mov.u32 %r2, where;
	mad.lo.u32 %r2, %r81, 4, %r2;
	tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r2], 256;
	ld.shared.u32 %r3, [%r2];
	tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r3, 256;
	and.b32 %r1, %r3, 255;`+storePair, 2, 4).Want(t, func(int) uint32 { return 0 })
}

// TestTensorPairCopy: each CTA of a pair receives data from its own shared memory, and commit arrives at the
// mbarriers of both, or of one.
func TestTensorPairCopy(t *testing.T) {
	for _, commit := range []string{"@%p3 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], 3;",
		"@%p3 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [bar];\n\tmapa.shared::cluster.u32 %r9, bar, 0;\n\t@%p3 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%r9];"} {
		pairKernel(allocPair+`32;
	ld.shared.u32 %r2, [where];
	mov.u32 %r3, s;
	mad.lo.u32 %r4, %r80, 16, %r3;
	mad.lo.u32 %r5, %r90, 1000, %r80;
	st.shared.u32 [%r4], %r5;
	@%p2 mbarrier.init.shared.b64 [bar], 1;
	setp.eq.and.u32 %p3, %r90, 1, %p2;`+atCluster+`
	shr.u32 %r3, %r3, 4;
	cvt.u64.u32 %rd2, %r3;
	add.u64 %rd2, %rd2, 70403103916032; // 128 bytes between rows of 8, and 1 << 46
	@%p3 tcgen05.cp.cta_group::2.32x128b.warpx4 [%r2], %rd2;
	`+commit+`
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0;
	@!%p4 bra WAIT;
	tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];
	tcgen05.wait::ld.sync.aligned;`+freePair+"%r2, 32;"+storePair, 2, 1).Want(t, func(i int) uint32 { return uint32(i/32*1000 + i%32) })
	}
}

// TestTensorPairFaults: what PTX forbids of pairs is refused.
func TestTensorPairFaults(t *testing.T) {
	for _, c := range []struct {
		body    string
		cluster uint32
		want    string
	}{
		{allocPair + "32;", 1, ".cta_group::2 needs a pair of blocks: block 0 of a cluster of 1 is in none [sync-cluster]"},
		{"setp.ne.u32 %p3, %r90, 2;\n\t@%p3 exit;" + allocPair + "32;", 3, "block 2 of a cluster of 3 is in none"},
		{"@%p90 exit;" + allocPair + "32;", 2, "the other block of the pair, block (0,0,0), has ended"},
		{"selp.u32 %r1, 32, 64, %p90;" + allocPair + "%r1;", 2, "64 columns of tensor memory, and 32 in the other block of the pair [tensor-alloc]"},
		{allocPair + "32;" + atCluster + "@%p90 tcgen05.mma.cta_group::2.kind::f16 [0], 0, 0, 0, 0;", 2, "M is 0; it is one of [128 256]"},
		{allocPair + "32;" + atCluster + "@%p90 tcgen05.mma.cta_group::2.kind::mxf4.block_scale.block32 [0], 0, 0, 0x8880480, [0], [0], 0;", 2, "an M of 128 with scales and .cta_group::2 is not supported yet"},
		{allocPair + "32;" + freePair + "32, 32;", 2, "no 32 columns of tensor memory were allocated at 0x20; allocated: 0 to 31"},
	} {
		_, _, err := pairKernel(c.body+"\n\tret;\n}", c.cluster, 1).Run(t)
		if fault, ok := errors.AsType[*interp.Fault](err); !ok || !strings.Contains(fault.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
	for body, want := range map[string]string{
		allocPair + "32;\n\ttcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 32;": "with the other .cta_group, too",
	} {
		if _, _, err := pairKernel(body+"\n\tret;\n}", 2, 1).Run(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
	_, _, err := pairKernel("@%p90 bra STAY;"+allocPair+"32;\nSTAY:"+atCluster+"ret;\n}", 2, 1).Run(t)
	kerneltest.WantHang(t, err, "for 32 columns of tensor memory; none are allocated", "[sync-deadlock]")
}
