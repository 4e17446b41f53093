package explore

import (
	"context"
	"testing"
)

// pair is the code of two threads, of one block unless blocks is set. %m is the address of 16 words of zero, %s that of
// shared memory; %a to %d are words.
type pair struct {
	name      string
	blocks    bool
	zero, one string
}

const (
	increment = "ld.volatile.global.u32 %a, [%m]; add.u32 %a, %a, 1; st.volatile.global.u32 [%m], %a;"
	lock      = "A: atom.global.cas.b32 %a, [%m+4], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra A;"
	lockOne   = "B: atom.global.cas.b32 %a, [%m+4], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra B;"
	unlock    = "atom.global.exch.b32 %a, [%m+4], 0;"
	takeA     = ": atom.global.cas.b32 %a, [%m+4], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra "
	takeB     = ": atom.global.cas.b32 %a, [%m+8], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra "
	freeBoth  = "st.volatile.global.u32 [%m+4], 0; st.volatile.global.u32 [%m+8], 0;"
	meetAll   = "barrier.sync 0;"
	syncwarp  = "bar.warp.sync 3;"
	once      = "ld.volatile.global.u32 %a, [%m]; setp.ne.u32 %p, %a, 0; "
	// A thread counts itself, plainly or by an atomic, and waits for the other.
	arrivePlain = "ld.volatile.global.u32 %a, [%m]; add.u32 %a, %a, 1; st.volatile.global.u32 [%m], %a;"
	// The last thread to count itself adds up what both have stored at 8 and 12.
	lastAdds = "setp.ne.u32 %p, %a, 1; @%p bra E; ld.volatile.global.u32 %b, [%m+8]; ld.volatile.global.u32 %c, [%m+12]; add.u32 %b, %b, %c; st.global.u32 [%m+16], %b;"
)

func waitFor(label, value string) string {
	return label + ": ld.volatile.global.u32 %b, [%m]; setp.ne.u32 %p, %b, " + value + "; @%p bra " + label + ";"
}

// racy are pairs with a result that depends on the order; right is the same without the mistake, "" if there is no such
// code.
var racy = []struct{ racy, right pair }{
	{pair{"lost update", false, increment, increment}, pair{"", false, "red.global.add.u32 [%m], 1;", "red.global.add.u32 [%m], 1;"}},
	{pair{"lost update of blocks", true, increment, increment}, pair{"", true, lock + increment + unlock, lockOne + increment + unlock}},
	{pair{"last store wins", true, "st.global.u32 [%m], 1;", "st.global.u32 [%m], 2;"}, pair{"", true, "st.global.u32 [%m], 1;", "st.global.u32 [%m+4], 2;"}},
	{pair{"missing barrier before a read", false, "st.shared.u32 [%s], 7;", "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;"},
		pair{"", false, "st.shared.u32 [%s], 7; " + meetAll, meetAll + "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;"}},
	{pair{"missing barrier before reuse", false, "st.shared.u32 [%s], 7; " + meetAll + "st.shared.u32 [%s], 8;", meetAll + "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;"},
		pair{"", false, "st.shared.u32 [%s], 7; " + meetAll + meetAll + "st.shared.u32 [%s], 8;", meetAll + "ld.shared.u32 %a, [%s]; " + meetAll + "st.global.u32 [%m], %a;"}},
	{pair{"barrier of the wrong number", false, "barrier.arrive 1, 64; st.shared.u32 [%s], 7; ", "barrier.sync 1, 64; ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;"}, pair{}},
	{pair{"flag that is tested once", true, "st.volatile.global.u32 [%m+4], 7; st.volatile.global.u32 [%m], 1;", "ld.volatile.global.u32 %a, [%m]; st.global.u32 [%m+8], %a;"},
		pair{"", true, "st.volatile.global.u32 [%m+4], 7; st.volatile.global.u32 [%m], 1;", waitFor("A", "1") + "ld.volatile.global.u32 %a, [%m+4]; st.global.u32 [%m+8], %a;"}},
	{pair{"flag before its data", true, "st.volatile.global.u32 [%m], 1; st.volatile.global.u32 [%m+4], 7;", waitFor("A", "1") + "ld.volatile.global.u32 %a, [%m+4]; st.global.u32 [%m+8], %a;"},
		pair{"", true, "st.volatile.global.u32 [%m+4], 7; st.volatile.global.u32 [%m], 1;", waitFor("A", "1") + "ld.volatile.global.u32 %a, [%m+4]; st.global.u32 [%m+8], %a;"}},
	{pair{"order of exchanges", true, "atom.global.exch.b32 %a, [%m], 1; st.global.u32 [%m+4], %a;", "atom.global.exch.b32 %a, [%m], 2; st.global.u32 [%m+8], %a;"},
		pair{"", true, "red.global.max.u32 [%m], 1;", "red.global.max.u32 [%m], 2;"}},
	{pair{"place by arrival", true, "atom.global.add.u32 %a, [%m], 1; st.global.u32 [%m+4], %a;", "atom.global.add.u32 %a, [%m], 1; st.global.u32 [%m+8], %a;"},
		pair{"", true, "atom.global.add.u32 %a, [%m], 1;", "atom.global.add.u32 %a, [%m], 1;"}},
	{pair{"first by compare and swap", true, "atom.global.cas.b32 %a, [%m], 0, 1;", "atom.global.cas.b32 %a, [%m], 0, 2;"},
		pair{"", true, "red.global.or.b32 [%m], 1;", "red.global.or.b32 [%m], 2;"}},
	{pair{"initialised twice", true, once + "@%p bra E; red.global.add.u32 [%m+4], 1; st.volatile.global.u32 [%m], 1;", once + "@%p bra E; red.global.add.u32 [%m+4], 1; st.volatile.global.u32 [%m], 1;"},
		pair{"", true, "atom.global.cas.b32 %a, [%m], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra E; red.global.add.u32 [%m+4], 1;", "atom.global.cas.b32 %a, [%m], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra E; red.global.add.u32 [%m+4], 1;"}},
	{pair{"double check of a flag set early", true, "st.volatile.global.u32 [%m], 1; st.volatile.global.u32 [%m+4], 5;", once + "@!%p bra E; ld.volatile.global.u32 %b, [%m+4]; st.global.u32 [%m+8], %b;"}, pair{}},
	{pair{"tickets without atomics", true,
		"ld.volatile.global.u32 %d, [%m+8]; add.u32 %c, %d, 1; st.volatile.global.u32 [%m+8], %c; A: ld.volatile.global.u32 %b, [%m+12]; setp.ne.u32 %p, %b, %d; @%p bra A;" + increment + "add.u32 %d, %d, 1; st.volatile.global.u32 [%m+12], %d;",
		"ld.volatile.global.u32 %d, [%m+8]; add.u32 %c, %d, 1; st.volatile.global.u32 [%m+8], %c; B: ld.volatile.global.u32 %b, [%m+12]; setp.ne.u32 %p, %b, %d; @%p bra B;" + increment + "add.u32 %d, %d, 1; st.volatile.global.u32 [%m+12], %d;"},
		pair{"", true,
			"atom.global.add.u32 %d, [%m+8], 1; A: ld.volatile.global.u32 %b, [%m+12]; setp.ne.u32 %p, %b, %d; @%p bra A;" + increment + "add.u32 %d, %d, 1; st.volatile.global.u32 [%m+12], %d;",
			"atom.global.add.u32 %d, [%m+8], 1; B: ld.volatile.global.u32 %b, [%m+12]; setp.ne.u32 %p, %b, %d; @%p bra B;" + increment + "add.u32 %d, %d, 1; st.volatile.global.u32 [%m+12], %d;"}},
	{pair{"ticket served too early", true,
		"atom.global.add.u32 %d, [%m+8], 1; A: ld.volatile.global.u32 %b, [%m+12]; add.u32 %b, %b, 1; setp.lt.u32 %p, %b, %d; @%p bra A;" + increment + "red.global.add.u32 [%m+12], 1;",
		"atom.global.add.u32 %d, [%m+8], 1; B: ld.volatile.global.u32 %b, [%m+12]; add.u32 %b, %b, 1; setp.lt.u32 %p, %b, %d; @%p bra B;" + increment + "red.global.add.u32 [%m+12], 1;"}, pair{}},
	{pair{"lock by load and store", true,
		"A: ld.volatile.global.u32 %a, [%m+4]; setp.ne.u32 %p, %a, 0; @%p bra A; st.volatile.global.u32 [%m+4], 1;" + increment + "st.volatile.global.u32 [%m+4], 0;",
		"B: ld.volatile.global.u32 %a, [%m+4]; setp.ne.u32 %p, %a, 0; @%p bra B; st.volatile.global.u32 [%m+4], 1;" + increment + "st.volatile.global.u32 [%m+4], 0;"},
		pair{"", false, lock + increment + unlock, lockOne + increment + unlock}},
	{pair{"lock freed too early", true,
		lock + "ld.volatile.global.u32 %b, [%m]; add.u32 %b, %b, 1;" + unlock + "st.volatile.global.u32 [%m], %b;",
		lockOne + "ld.volatile.global.u32 %b, [%m]; add.u32 %b, %b, 1;" + unlock + "st.volatile.global.u32 [%m], %b;"}, pair{}},
	{pair{"locks in two orders", true, "A" + takeA + "A; B" + takeB + "B;" + freeBoth, "C" + takeB + "C; D" + takeA + "D;" + freeBoth},
		pair{"", true, "A" + takeA + "A; B" + takeB + "B; st.volatile.global.u32 [%m+8], 0; st.volatile.global.u32 [%m+4], 0;", "C" + takeA + "C; D" + takeB + "D; st.volatile.global.u32 [%m+8], 0; st.volatile.global.u32 [%m+4], 0;"}},
	// The head of a stack is at 0: thread 1 makes it 1, 2 and 1 again, with another successor.
	{pair{"ABA", true, "ld.volatile.global.u32 %a, [%m]; ld.volatile.global.u32 %b, [%m+4]; atom.global.cas.b32 %c, [%m], %a, %b;",
		"st.volatile.global.u32 [%m], 2; st.volatile.global.u32 [%m+4], 3; st.volatile.global.u32 [%m], 0;"}, pair{}},
	{pair{"Peterson without a turn", true,
		"st.volatile.global.u32 [%m+4], 1; ld.volatile.global.u32 %b, [%m+8]; setp.ne.u32 %p, %b, 0; @%p bra E;" + increment,
		"st.volatile.global.u32 [%m+8], 1; ld.volatile.global.u32 %b, [%m+4]; setp.ne.u32 %p, %b, 0; @%p bra E;" + increment},
		pair{"", true,
			"st.volatile.global.u32 [%m+4], 1; st.volatile.global.u32 [%m+12], 1; A: ld.volatile.global.u32 %b, [%m+8]; setp.eq.u32 %p, %b, 0; @%p bra X; ld.volatile.global.u32 %b, [%m+12]; setp.eq.u32 %p, %b, 1; @%p bra A; X:" + increment + "st.volatile.global.u32 [%m+4], 0; st.volatile.global.u32 [%m+12], 1;",
			"st.volatile.global.u32 [%m+8], 1; st.volatile.global.u32 [%m+12], 0; B: ld.volatile.global.u32 %b, [%m+4]; setp.eq.u32 %p, %b, 0; @%p bra Y; ld.volatile.global.u32 %b, [%m+12]; setp.eq.u32 %p, %b, 0; @%p bra B; Y:" + increment + "st.volatile.global.u32 [%m+8], 0; st.volatile.global.u32 [%m+12], 1;"}},
	{pair{"store buffering", true, "st.volatile.global.u32 [%m], 1; ld.volatile.global.u32 %a, [%m+4]; st.global.u32 [%m+8], %a;", "st.volatile.global.u32 [%m+4], 1; ld.volatile.global.u32 %a, [%m]; st.global.u32 [%m+12], %a;"},
		pair{"", false, "st.volatile.global.u32 [%m], 1;" + meetAll + "ld.volatile.global.u32 %a, [%m+4]; st.global.u32 [%m+8], %a;", "st.volatile.global.u32 [%m+4], 1;" + meetAll + "ld.volatile.global.u32 %a, [%m]; st.global.u32 [%m+12], %a;"}},
	{pair{"one word read twice", true, "st.volatile.global.u32 [%m], 1;", "ld.volatile.global.u32 %a, [%m]; ld.volatile.global.u32 %b, [%m]; sub.u32 %a, %b, %a; st.global.u32 [%m+4], %a;"}, pair{}},
	{pair{"reduction in lock step", false, "ld.volatile.shared.u32 %a, [%s+4]; ld.volatile.shared.u32 %b, [%s]; add.u32 %a, %a, %b; st.volatile.shared.u32 [%s], %a; st.global.u32 [%m], %a;", "st.volatile.shared.u32 [%s+4], 5;"},
		pair{"", false, syncwarp + "ld.volatile.shared.u32 %a, [%s+4]; ld.volatile.shared.u32 %b, [%s]; add.u32 %a, %a, %b; st.volatile.shared.u32 [%s], %a; st.global.u32 [%m], %a;", "st.volatile.shared.u32 [%s+4], 5;" + syncwarp}},
	{pair{"exchange in lock step", false, "st.volatile.shared.u32 [%s], 5; ld.volatile.shared.u32 %a, [%s+4]; st.global.u32 [%m], %a;", "st.volatile.shared.u32 [%s+4], 6; ld.volatile.shared.u32 %a, [%s]; st.global.u32 [%m+4], %a;"},
		pair{"", false, "mov.u32 %a, 5; shfl.sync.bfly.b32 %a, %a, 1, 31, 3; st.global.u32 [%m], %a;", "mov.u32 %a, 6; shfl.sync.bfly.b32 %a, %a, 1, 31, 3; st.global.u32 [%m+4], %a;"}},
	{pair{"vote on a word that is being written", false, "ld.volatile.shared.u32 %a, [%s]; setp.ne.u32 %p, %a, 0; vote.sync.any.pred %p, %p, 3; selp.u32 %a, 1, 0, %p; st.global.u32 [%m], %a;", "st.volatile.shared.u32 [%s], 5; setp.ne.u32 %p, 0, 0; vote.sync.any.pred %p, %p, 3;"},
		pair{"", false, syncwarp + "ld.volatile.shared.u32 %a, [%s]; setp.ne.u32 %p, %a, 0; vote.sync.any.pred %p, %p, 3; selp.u32 %a, 1, 0, %p; st.global.u32 [%m], %a;", "st.volatile.shared.u32 [%s], 5;" + syncwarp + "setp.ne.u32 %p, 0, 0; vote.sync.any.pred %p, %p, 3;"}},
	{pair{"last block by a plain counter", true, "st.volatile.global.u32 [%m+8], 3;" + arrivePlain + "sub.u32 %a, %a, 1;" + lastAdds, "st.volatile.global.u32 [%m+12], 4;" + arrivePlain + "sub.u32 %a, %a, 1;" + lastAdds},
		pair{"", true, "st.volatile.global.u32 [%m+8], 3; atom.global.add.u32 %a, [%m], 1;" + lastAdds, "st.volatile.global.u32 [%m+12], 4; atom.global.add.u32 %a, [%m], 1;" + lastAdds}},
	{pair{"partial sum after the counter", true, "atom.global.add.u32 %a, [%m], 1; st.volatile.global.u32 [%m+8], 3;" + lastAdds, "atom.global.add.u32 %a, [%m], 1; st.volatile.global.u32 [%m+12], 4;" + lastAdds}, pair{}},
	{pair{"grid barrier with a plain counter", true, arrivePlain + waitFor("A", "2"), arrivePlain + waitFor("B", "2")},
		pair{"", true, "red.global.add.u32 [%m], 1;" + waitFor("A", "2"), "red.global.add.u32 [%m], 1;" + waitFor("B", "2")}},
	{pair{"grid barrier that is reset", true, "atom.global.add.u32 %a, [%m], 1;" + waitFor("A", "2") + "st.volatile.global.u32 [%m], 0;", "atom.global.add.u32 %a, [%m], 1;" + waitFor("B", "2") + "st.volatile.global.u32 [%m], 0;"}, pair{}},
	{pair{"slot that is overwritten", true, "st.volatile.global.u32 [%m], 1; st.volatile.global.u32 [%m], 2;", "A: ld.volatile.global.u32 %a, [%m]; setp.eq.u32 %p, %a, 0; @%p bra A; st.global.u32 [%m+4], %a;"},
		pair{"", true, "st.volatile.global.u32 [%m], 1; B: ld.volatile.global.u32 %a, [%m]; setp.ne.u32 %p, %a, 0; @%p bra B; st.volatile.global.u32 [%m], 2;", "A: ld.volatile.global.u32 %a, [%m]; setp.eq.u32 %p, %a, 0; @%p bra A; st.volatile.global.u32 [%m], 0; st.global.u32 [%m+4], %a;"}},
	{pair{"bytes by a word", true, "ld.volatile.global.u32 %a, [%m]; or.b32 %a, %a, 1; st.volatile.global.u32 [%m], %a;", "ld.volatile.global.u32 %a, [%m]; or.b32 %a, %a, 256; st.volatile.global.u32 [%m], %a;"},
		pair{"", true, "mov.u32 %a, 1; st.global.u8 [%m], %a;", "mov.u32 %a, 1; st.global.u8 [%m+1], %a;"}},
	{pair{"histogram in shared memory", false, "ld.shared.u32 %a, [%s]; add.u32 %a, %a, 1; st.shared.u32 [%s], %a;" + meetAll + "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;", "ld.shared.u32 %a, [%s]; add.u32 %a, %a, 1; st.shared.u32 [%s], %a;" + meetAll},
		pair{"", false, "red.shared.add.u32 [%s], 1;" + meetAll + "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;", "red.shared.add.u32 [%s], 1;" + meetAll}},
	{pair{"prefix sum in place", false, "st.shared.u32 [%s], 1;" + meetAll + "ld.shared.u32 %a, [%s]; add.u32 %a, %a, 1; st.shared.u32 [%s], %a;", meetAll + "ld.shared.u32 %a, [%s]; st.global.u32 [%m], %a;"},
		pair{"", false, "st.shared.u32 [%s], 1;" + meetAll + "ld.shared.u32 %a, [%s]; add.u32 %a, %a, 1;" + meetAll + "st.shared.u32 [%s], %a;", meetAll + "ld.shared.u32 %a, [%s];" + meetAll + "st.global.u32 [%m], %a;"}},
	{pair{"index that is not set yet", false, "st.volatile.shared.u32 [%s], 1;", "ld.volatile.shared.u32 %a, [%s]; sub.u32 %a, %a, 1; mul.wide.u32 %x, %a, 4; add.u64 %x, %x, %m; st.global.u32 [%x], 1;"},
		pair{"", false, "st.volatile.shared.u32 [%s], 1;" + meetAll, meetAll + "ld.volatile.shared.u32 %a, [%s]; sub.u32 %a, %a, 1; mul.wide.u32 %x, %a, 4; add.u64 %x, %x, %m; st.global.u32 [%x], 1;"}},
	{pair{"trap before a flag is set", true, once + "@!%p trap;", "st.volatile.global.u32 [%m], 1;"},
		pair{"", true, waitFor("A", "1") + once + "@!%p trap;", "st.volatile.global.u32 [%m], 1;"}},
	{pair{"maximum by load and store", true, "ld.volatile.global.u32 %a, [%m]; max.u32 %a, %a, 5; st.volatile.global.u32 [%m], %a;", "ld.volatile.global.u32 %a, [%m]; max.u32 %a, %a, 6; st.volatile.global.u32 [%m], %a;"},
		pair{"", true, "red.global.max.u32 [%m], 5;", "red.global.max.u32 [%m], 6;"}},
	{pair{"halves of a value", true, "st.volatile.global.u32 [%m], 1; st.volatile.global.u32 [%m+4], 1;", "ld.volatile.global.u32 %a, [%m]; ld.volatile.global.u32 %b, [%m+4]; add.u32 %a, %a, %b; st.global.u32 [%m+8], %a;"}, pair{}},
}

func (p *pair) program(t *testing.T) func() (*Program, error) {
	grid, block := 1, 2
	if p.blocks {
		grid, block = 2, 1
	}
	return programOf(t, `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out)
{
	.reg .u32 %t, %s, %a, %b, %c, %d; .reg .u64 %m, %x; .reg .pred %p;
	.shared .align 4 .b8 mem[64];
	ld.param.u64 %m, [out];
	mov.u32 %s, mem;
	mov.u32 %t, %tid.x;
	mov.u32 %a, %ctaid.x;
	add.u32 %t, %t, %a;
	setp.eq.u32 %p, %t, 1;
	@%p bra ONE;
	`+p.zero+`
	bra E;
ONE:
	`+p.one+`
E:
	ret;
}`, grid, block, 16)
}

// TestRacyKernelsAreShown explores racy kernels of two threads, replays each schedule, and checks that the same kernels
// without the mistake have one result in all orders.
func TestRacyKernelsAreShown(t *testing.T) {
	if len(racy) < 37 {
		t.Errorf("%d kernels", len(racy))
	}
	for _, c := range racy {
		t.Run(c.racy.name, func(t *testing.T) {
			program := c.racy.program(t)
			r, err := Explore(context.Background(), program, Options{Preemptions: -1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Outcomes) < 2 {
				t.Fatalf("%d executions, exhausted %v", r.Executions, r.Exhausted)
			}
			if o := r.Outcomes[1]; replay(t, program, o.Schedule).key != o.key {
				t.Error("the schedule has another outcome")
			}
			if c.right == (pair{}) {
				return
			}
			if r, err = Explore(context.Background(), c.right.program(t), Options{Preemptions: -1, Seed: 1}); err != nil {
				t.Fatal(err)
			}
			if len(r.Outcomes) != 1 || !r.Exhausted || r.Outcomes[0].End != nil {
				t.Errorf("without the mistake: %d outcomes in %d executions, exhausted %v: %v", len(r.Outcomes), r.Executions, r.Exhausted, r.Outcomes[0].End)
			}
		})
	}
}
