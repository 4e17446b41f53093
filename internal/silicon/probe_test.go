package silicon

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// probe is a kernel for behaviour that PTX leaves open, or that ends with an error. Each thread stores %r1 in its
// words of the buffer, with its number in %r0 and its address in %out.
type probe struct {
	name         string
	declarations string
	body         string
	words        int // of a thread
	grid, block  [3]uint32
	shared       int64
}

// specials are probes of a special register each.
func specials(name string, grid, block [3]uint32, shared int64) []probe {
	var all []probe
	for s := isa.Special(1); s < isa.NumSpecials; s++ {
		p := probe{name: name, grid: grid, block: block, shared: shared, declarations: ".shared .u32 s[40];\n"}
		switch {
		case s.IsClock(), s == isa.CurrentGraphExec, s >= isa.PM0 && s <= isa.PM764: // the H100 was not asked for the last two
			continue
		case s.Type() == isa.Pred:
			p.body = fmt.Sprintf("mov.pred %%p1, %v;\n\tselp.u32 %%r1, 1, 0, %%p1;", s)
		case s.Type() == isa.U64:
			p.body = fmt.Sprintf("mov.u64 %%rd1, %v;\n\tcvt.u32.u64 %%r1, %%rd1;", s)
		default:
			p.body = fmt.Sprintf("mov.u32 %%r1, %v;", s)
		}
		all = append(all, p)
	}
	return all
}

const (
	arms = "and.b32 %r2, %r0, 1;\n\tsetp.eq.u32 %p1, %r2, 0;\n\tmov.u32 %r1, 0;\n\t@%p1 bra EVEN;\n\t"
	ends = "\n\tbra END;\nEVEN:\n\t"
)

var probes = []probe{
	// Behaviour of a warp's lanes at barriers in two arms.
	{name: "barrier in each arm", body: arms + "bar.sync 0;\n\tmov.u32 %r1, 1;" + ends + "bar.sync 0;\n\tmov.u32 %r1, 2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "barrier in one arm", body: arms + "bar.sync 0;\n\tmov.u32 %r1, 1;" + ends + "mov.u32 %r1, 2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "barrier.sync in one arm", body: arms + "barrier.sync 0;\n\tmov.u32 %r1, 1;" + ends + "mov.u32 %r1, 2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "other barriers in two arms", body: arms + "bar.sync 1;\n\tmov.u32 %r1, 1;" + ends + "bar.sync 2;\n\tmov.u32 %r1, 2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "popc barrier in two arms", body: arms + "setp.lt.u32 %p2, %r0, 9;\n\tbar.red.popc.u32 %r1, 0, %p2;" + ends + "setp.lt.u32 %p2, %r0, 9;\n\tbar.red.popc.u32 %r1, 0, %p2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "half of the lanes exit before a barrier", body: arms + "exit;" + ends + "bar.sync 0;\n\tmov.u32 %r1, 2;\nEND:", block: [3]uint32{64, 1, 1}},
	{name: "count of one warp", body: "bar.sync 0, 32;\n\tmov.u32 %r1, 1;", block: [3]uint32{64, 1, 1}},

	// Members that do not arrive, and lanes that are not members.
	{name: "vote without a member", body: arms + "vote.sync.ballot.b32 %r1, %p1, -1;" + ends + "mov.u32 %r1, 2;\nEND:"},
	{name: "vote of another mask", body: "vote.sync.ballot.b32 %r1, 1, 0xffff;"},
	{name: "vote in two arms", body: arms + "vote.sync.ballot.b32 %r1, %p1, -1;" + ends + "vote.sync.ballot.b32 %r1, %p1, -1;\nEND:"},
	{name: "vote without who has exited", body: "setp.lt.u32 %p1, %r0, 3;\n\t@%p1 exit;\n\tvote.sync.ballot.b32 %r1, 1, -1;"},
	{name: "exchange with a lane outside", body: "setp.lt.u32 %p1, %r0, 16;\n\tmov.u32 %r1, 99;\n\t@%p1 shfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff;"},
	{name: "exchange with who has exited", body: "setp.ge.u32 %p1, %r0, 16;\n\t@%p1 exit;\n\tshfl.sync.down.b32 %r1, %r0, 8, 31, 0xffff;"},
	{name: "match of half of the lanes", body: arms + "match.any.sync.b32 %r1, 7, 0xaaaaaaaa;" + ends + "match.any.sync.b32 %r1, 7, 0x55555555;\nEND:"},
	{name: "old vote in an arm", body: arms + "vote.ballot.b32 %r1, 1;" + ends + "vote.ballot.b32 %r1, 1;\nEND:"},
	{name: "active mask in an arm", body: arms + "activemask.b32 %r1;" + ends + "activemask.b32 %r1;\nEND:"},
	{name: "active mask behind a branch", body: arms + "mov.u32 %r2, 1;" + ends + "mov.u32 %r2, 2;\nEND:\n\tactivemask.b32 %r1;"},

	// Lanes that write one place in one instruction.
	{name: "32 lanes store one word", body: "mov.u32 %r1, 0;\n\tst.shared.u32 [s], %r0;\n\tbar.warp.sync -1;\n\tld.shared.u32 %r1, [s];", declarations: ".shared .u32 s;\n"},
	{name: "32 lanes store one word of global memory", body: "st.volatile.global.u32 [g], %r0;\n\tbar.warp.sync -1;\n\tld.volatile.global.u32 %r1, [g];", declarations: ".global .u32 g;\n"},
	{name: "32 lanes add to one word", body: "atom.global.add.u32 %r1, [g], 1;", declarations: ".global .u32 g;\n"},
	{name: "32 lanes add to one word of shared memory", body: "st.shared.u32 [s], 0;\n\tbar.warp.sync -1;\n\tatom.shared.add.u32 %r1, [s], 1;", declarations: ".shared .u32 s;\n"},
	{name: "32 lanes exchange one word", body: "atom.global.exch.b32 %r1, [g], %r0;", declarations: ".global .u32 g;\n"},
	{name: "32 lanes add floats to one word", body: "cvt.rn.f32.u32 %f1, %r0;\n\tmul.f32 %f1, %f1, 0f4B400001;\n\tatom.global.add.f32 %f2, [g], %f1;\n\tmov.b32 %r1, %f2;", declarations: ".global .f32 g;\n"},

	{name: "lanes 8 to 23 store one word", body: "mov.u32 %r1, 77;\n\tsetp.lt.u32 %p1, %r0, 8;\n\tsetp.gt.u32 %p2, %r0, 23;\n\tor.pred %p1, %p1, %p2;\n\t@!%p1 st.volatile.shared.u32 [s], %r0;\n\tbar.warp.sync -1;\n\tld.shared.u32 %r1, [s];", declarations: ".shared .u32 s;\n"},
	{name: "lanes store four words by turns", body: "and.b32 %r2, %r0, 3;\n\tshl.b32 %r2, %r2, 2;\n\tmov.u32 %r3, s;\n\tadd.u32 %r3, %r3, %r2;\n\tst.volatile.shared.u32 [%r3], %r0;\n\tbar.warp.sync -1;\n\tld.shared.u32 %r1, [%r3];", declarations: ".shared .u32 s[4];\n"},
	{name: "lanes store four words of global memory by turns", body: "and.b32 %r2, %r0, 3;\n\tmov.u64 %rd1, g;\n\tmad.wide.u32 %rd1, %r2, 4, %rd1;\n\tst.volatile.global.u32 [%rd1], %r0;\n\tbar.warp.sync -1;\n\tld.volatile.global.u32 %r1, [%rd1];", declarations: ".global .u32 g[4];\n"},
	{name: "lanes store overlapping bytes and words", body: "shr.u32 %r2, %r0, 1;\n\tmov.u64 %rd1, g;\n\tmad.wide.u32 %rd1, %r2, 1, %rd1;\n\tst.volatile.global.u8 [%rd1], %r0;\n\tbar.warp.sync -1;\n\tld.volatile.global.u8 %r1, [%rd1];", declarations: ".global .u8 g[32];\n"},
	{name: "lanes store vectors to one place", body: "mov.u32 %r5, 1;\n\tmov.u32 %r6, 2;\n\tmov.u32 %r7, 3;\n\tst.volatile.global.v4.u32 [g], {%r0, %r5, %r6, %r7};\n\tbar.warp.sync -1;\n\tld.volatile.global.u32 %r1, [g];", declarations: ".global .align 16 .u32 g[4];\n"},
	{name: "lanes store 8 bytes to one place", body: "cvt.u64.u32 %rd1, %r0;\n\tst.volatile.shared.u64 [s], %rd1;\n\tbar.warp.sync -1;\n\tld.shared.u32 %r1, [s];", declarations: ".shared .u64 s;\n"},
	{name: "128 threads store one word of shared memory", body: "st.volatile.shared.u32 [s], %r0;\n\tbar.sync 0;\n\tld.shared.u32 %r1, [s];", declarations: ".shared .u32 s;\n", block: [3]uint32{128, 1, 1}},

	// Errors.
	{name: "trap", body: "trap;"},
	{name: "brkpt", body: "brkpt;\n\tmov.u32 %r1, 1;"},
	{name: "misaligned load of global memory", body: "ld.global.u32 %r1, [%out+1];"},
	{name: "misaligned vector load of global memory", body: "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+8];"},
	{name: "misaligned load of shared memory", body: "mov.u32 %r2, s;\n\tadd.u32 %r2, %r2, 2;\n\tld.shared.u32 %r1, [%r2];", declarations: ".shared .u32 s[4];\n"},
	{name: "misaligned load of local memory", body: "mov.u32 %r2, l;\n\tadd.u32 %r2, %r2, %r0;\n\tld.local.u32 %r1, [%r2];", declarations: "", shared: -1},
	{name: "misaligned atomic", body: "atom.global.add.u32 %r1, [%out+2], 1;"},
	{name: "load of address 0", body: "mov.u64 %rd1, 0;\n\tld.global.u32 %r1, [%rd1];"},
	{name: "load far outside", body: "mov.u64 %rd1, 0x7fff00000000;\n\tld.global.u32 %r1, [%rd1];"},
	{name: "load beyond 49 bits", body: "mov.u64 %rd1, 0x7fffffffffffff00;\n\tld.global.u32 %r1, [%rd1];"},
	{name: "store far outside", body: "mov.u64 %rd1, 0x7fff00000000;\n\tst.global.u32 [%rd1], 1;"},
	{name: "load beyond shared memory", body: "mov.u32 %r2, 0x3fff0;\n\tld.shared.u32 %r1, [%r2];", declarations: ".shared .u32 s[4];\n"},
	{name: "load just beyond shared memory", body: "mov.u32 %r2, s;\n\tld.shared.u32 %r1, [%r2+16];", declarations: ".shared .u32 s[4];\n"},
	{name: "store to constant memory", body: "mov.u64 %rd1, c;\n\tcvta.const.u64 %rd1, %rd1;\n\tst.u32 [%rd1], 1;", declarations: ".const .u32 c[4];\n"},
	{name: "load of global memory in the window of shared memory", body: "mov.u64 %rd1, s;\n\tcvta.shared.u64 %rd1, %rd1;\n\tld.global.u32 %r1, [%rd1];", declarations: ".shared .u32 s[4];\n"},
	{name: "an index beyond the list of targets", body: "T: .branchtargets A, B;\n\tmov.u32 %r1, 9;\n\tadd.u32 %r2, %r0, 1000;\n\tbrx.idx %r2, T;\nA:\tmov.u32 %r1, 1;\n\tbra END;\nB:\tmov.u32 %r1, 2;\nEND:"},
	{name: "call of address 0", body: "mov.u64 %rd1, 0;\nP: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n\tcall (%r1), %rd1, (%r0), P;"},
	{name: "endless recursion", declarations: ".func f(.reg .u32 n)\n{\n\t.local .b8 l[64];\n\t.reg .u32 %n;\n\tadd.u32 %n, n, 1;\n\tst.local.u32 [l], %n;\n\tcall f, (%n);\n\tld.local.u32 %n, [l];\n\tst.local.u32 [l+4], %n;\n\tret;\n}\n", body: "call f, (%r0);"},
	{name: "assert", declarations: ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n.global .b8 m[2] = {109, 0};\n",
		body: "mov.u64 %rd1, m;\n\tcvta.global.u64 %rd1, %rd1;\n\t{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\tst.param.b64 [a], %rd1;\n\tst.param.b64 [b], %rd1;\n\tst.param.b32 [c], 7;\n\tst.param.b64 [d], %rd1;\n\tst.param.b64 [e], 1;\n\tcall __assertfail, (a, b, c, d, e); }"},

	// Memory that was never written.
	{name: "shared memory at first", body: "shl.b32 %r2, %r0, 2;\n\tmov.u32 %r3, s;\n\tadd.u32 %r2, %r2, %r3;\n\tld.shared.u32 %r1, [%r2];", declarations: ".shared .u32 s[32];\n"},
	{name: "windows", words: 8, body: "mov.u64 %rd1, s;\n\tcvta.shared.u64 %rd2, %rd1;\n\tst.global.u64 [%out], %rd1;\n\tst.global.u64 [%out+8], %rd2;\n\tmov.u64 %rd1, l;\n\tcvta.local.u64 %rd2, %rd1;\n\tst.global.u64 [%out+16], %rd1;\n\tst.global.u64 [%out+24], %rd2;\n\tmov.u32 %r1, %r0;", declarations: ".shared .u32 s[32];\n", shared: -1},
}

// openBehaviour is the probes as cases, each with its outputs.
func openBehaviour(_ *testing.T, yield func(pending) bool) bool {
	groups := [][]probe{specials("special registers", [3]uint32{3, 2, 2}, [3]uint32{10, 3, 2}, 100),
		specials("special registers of a big grid", [3]uint32{300, 1, 1}, [3]uint32{96, 1, 1}, 0)}
	for _, p := range probes {
		groups = append(groups, []probe{p})
	}
	for _, group := range groups {
		name := "probes/" + group[0].name
		ok := yield(pending{name, func() (*Case, error) {
			c := &Case{Name: name, Keep: true}
			for _, p := range group {
				m, err := p.module()
				if err != nil {
					return nil, err
				}
				c.Modules = append(c.Modules, m)
			}
			return c, nil
		}})
		if !ok {
			return false
		}
	}
	return true
}

func (p probe) module() (Module, error) {
	if p.grid[0] == 0 {
		p.grid = [3]uint32{1, 1, 1}
	}
	if p.block[0] == 0 {
		p.block = [3]uint32{32, 1, 1}
	}
	local := ""
	if p.shared < 0 { // wants local memory
		local, p.shared = "\t.local .align 16 .b8 l[64];\n", 0
	}
	p.words = max(p.words, 1)
	store := "\n\tst.global.u32 [%out], %r1;"
	if p.words > 1 {
		store = ""
	}
	src := ".version 8.7\n.target sm_90\n.address_size 64\n\n" + p.declarations + ".visible .entry k(.param .u64 out)\n{\n" + local + fmt.Sprintf(`	.reg .b32 %%r<10>;
	.reg .b64 %%rd<10>, %%out;
	.reg .f32 %%f<4>;
	.reg .pred %%p<4>;
	mov.u32 %%r0, %%tid.x;
	mov.u32 %%r1, %%tid.y;
	mov.u32 %%r2, %%ntid.x;
	mad.lo.u32 %%r3, %%r1, %%r2, %%r0;
	mov.u32 %%r1, %%tid.z;
	mov.u32 %%r4, %%ntid.y;
	mul.lo.u32 %%r2, %%r2, %%r4;
	mad.lo.u32 %%r3, %%r1, %%r2, %%r3;
	mov.u32 %%r1, %%ntid.z;
	mul.lo.u32 %%r2, %%r2, %%r1;
	mov.u32 %%r4, %%ctaid.z;
	mov.u32 %%r5, %%nctaid.y;
	mov.u32 %%r6, %%ctaid.y;
	mad.lo.u32 %%r4, %%r4, %%r5, %%r6;
	mov.u32 %%r5, %%nctaid.x;
	mov.u32 %%r6, %%ctaid.x;
	mad.lo.u32 %%r4, %%r4, %%r5, %%r6;
	mad.lo.u32 %%r3, %%r4, %%r2, %%r3;
	ld.param.u64 %%out, [out];
	mad.wide.u32 %%out, %%r3, %d, %%out;
	%s%s
	ret;
}
`, 4*p.words, p.body, store)
	threads := int(p.grid[0] * p.grid[1] * p.grid[2] * p.block[0] * p.block[1] * p.block[2])
	mod, err := parse(src)
	return Module{PTX: dated(src), Parsed: mod, Launches: []Launch{{
		Kernel: "k", Grid: p.grid, Block: p.block, Shared: p.shared, Times: 1, Params: make([]byte, 8), Offsets: []int64{0},
		Pointers: []Pointer{{}}, Buffers: [][]byte{make([]byte, 4*threads*p.words)}}}}, err
}

// TestVoteOutsideMask checks what the pages say about it: 32 lanes vote, of which 16 are members, and all of them get
// the votes of all 32.
func TestVoteOutsideMask(t *testing.T) {
	data, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	record, err := ReadRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	all := Hash(bytes.Repeat([]byte{0xff}, 4*32))
	if got, want := record.Answers["probes/vote of another mask"].Plain, Hash([]byte(all)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
