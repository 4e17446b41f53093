package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TestFaultsOfOthers checks cases that other simulators were seen to get wrong. Some of their faults have tests
// elsewhere: spin locks and memory that grows with the grid in package functional (TestWaiting, TestMillionBlocks),
// memory that grows with time in TestAllocations, exit codes in package main.
func TestFaultsOfOthers(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      func(lane int) uint32
	}{
		{"a lane whose guard is off does not vote", `
	mov.u32 %r2, %laneid;
	mov.u32 %r1, 7;
	setp.ge.u32 %p1, %r2, 8;
	setp.eq.u32 %p2, %r2, %r2;
	@%p1 vote.ballot.b32 %r1, %p2;`, func(lane int) uint32 { return pick(lane >= 8, 0xffffff00, 7) }},
		{"a shuffle in divergent code leaves the others alone", `
	mov.u32 %r2, %laneid;
	add.u32 %r1, %r2, 100;
	setp.lt.u32 %p1, %r2, 16;
	@%p1 bra LOW;
	bra JOIN;
LOW:
	shfl.sync.bfly.b32 %r1, %r1, 1, 31, 65535;
JOIN:`, func(lane int) uint32 { return pick(lane < 16, uint32(lane^1), uint32(lane)) + 100 }},
		{"red", `
	ld.param.u64 %rd1, [out];
	red.global.add.u32 [%rd1+124], 1;
	ld.global.u32 %r1, [%rd1+124];`, func(int) uint32 { return 32 }},
		{"lop3", `
	mov.u32 %r2, %laneid;
	lop3.b32 %r1, %r2, 12, 10, 0x96;`, func(lane int) uint32 { return uint32(lane) ^ 12 ^ 10 }},
		{"testp", `
	mov.f32 %f1, 0f7f800001;
	testp.notanumber.f32 %p1, %f1;
	selp.u32 %r1, 1, 0, %p1;`, func(int) uint32 { return 1 }},
		{"carry chains", `
	add.cc.u32 %r2, 0xffffffff, 1;
	addc.cc.u32 %r3, 0xffffffff, 0;
	addc.u32 %r1, 5, 0;`, func(int) uint32 { return 6 }},
		{"shfl with a predicate", `
	mov.u32 %r2, %laneid;
	shfl.sync.up.b32 %r3|%p1, %r2, 4, 0, -1;
	selp.u32 %r1, %r3, 99, %p1;`, func(lane int) uint32 { return pick(lane >= 4, uint32(lane-4), 99) }},
		{"match", `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 1;
	match.any.sync.b32 %r1, %r2, -1;`, func(lane int) uint32 { return 0x55555555 << (lane & 1) }},
		{"redux", `
	mov.u32 %r2, %laneid;
	redux.sync.add.u32 %r1, %r2, -1;`, func(int) uint32 { return 496 }},
		{"a branch to many places", `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mov.u32 %r1, 0;
T:	.branchtargets A, B, C, D;
	brx.idx %r2, T;
A:	add.u32 %r1, %r1, 1;
B:	add.u32 %r1, %r1, 10;
C:	add.u32 %r1, %r1, 100;
D:	add.u32 %r1, %r1, 1000;`, func(lane int) uint32 { return [...]uint32{1111, 1110, 1100, 1000}[lane&3] }},
		{"division by zero has a result", `
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 0;
	div.u32 %r1, %r2, %r3;`, func(int) uint32 { return 0xffffffff }},
	} {
		t.Run(c.name, func(t *testing.T) {
			kerneltest.Kernel{Source: kerneltest.Entry + c.src + kerneltest.StoreR1, Words: []int{32}}.Want(t, func(i int) uint32 { return c.want(i) })
		})
	}
}

func pick(first bool, a, b uint32) uint32 {
	if first {
		return a
	}
	return b
}

// TestDivisionByZeroIsFound: it has a result, and a warning that names the lanes.
func TestDivisionByZeroIsFound(t *testing.T) {
	for _, c := range []struct{ typ, r string }{{"u32", "%r"}, {"s64", "%rd"}, {"u16", "%rs"}} {
		src := fmt.Sprintf("%s\tcvt.%s.u32 %s1, %%laneid;\n\tand.b%s %s2, %s1, 3;\n\tmov.b%s %s3, 7;\n\trem.%s %s4, %s1, %s3;\n\tdiv.%s %s4, %s1, %s2;\n\tret;\n}",
			kerneltest.Entry, c.typ, c.r, c.typ[1:], c.r, c.r, c.typ[1:], c.r, c.typ, c.r, c.r, c.r, c.typ, c.r, c.r, c.r)
		_, stats, err := kerneltest.Kernel{Grid: kerneltest.Dim(3, 1), Source: src, Words: []int{1}}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		if len(stats.Warnings) != 1 {
			t.Fatalf("%s: %d warnings, want one", c.typ, len(stats.Warnings))
		}
		w := stats.Warnings[0]
		if w.Rule != "div-zero" || w.Place.Code.Line != 7 || w.Count != 3 || !strings.Contains(w.Details()[0], "(11111111)") {
			t.Errorf("%s: %+v", c.typ, w)
		}
	}
}

// TestOneReport: 16 lanes read past the end; it is one report with all of them,
// nothing is read, and what follows is not executed.
func TestOneReport(t *testing.T) {
	out, _, err := kerneltest.Kernel{Words: []int{16}, Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r2, %laneid;
	mad.wide.u32 %rd2, %r2, 4, %rd1;
	ld.global.u32 %r1, [%rd2];
	st.global.u32 [%rd1], 1;
	ret;
}`}.Run(t)
	var fault *interp.Fault
	if !errors.As(err, &fault) || !errors.Is(err, memory.ErrBounds) || fault.Where.Lanes != 0xffff0000 || strings.Count(err.Error(), "error:") != 1 {
		t.Errorf("got %v", err)
	}
	if out[0][0] != 0 {
		t.Error("the store behind the fault was executed")
	}
}

// TestBarrierCountsThatDiffer are an error, in either order of arrival.
func TestBarrierCountsThatDiffer(t *testing.T) {
	_, _, err := kerneltest.Kernel{Block: kerneltest.Dim(96, 1), Words: []int{1}, Source: kerneltest.Entry + `
	mov.u32 %r1, %warpid;
	add.u32 %r1, %r1, 1;
	shl.b32 %r1, %r1, 5;
	bar.sync 0, %r1;
	ret;
}`}.Run(t)
	if err == nil || !strings.Contains(err.Error(), "[sync-mismatch]") {
		t.Errorf("got %v, want a mismatch", err)
	}
}

// TestBlocksOfTwoDimensionsDiffer: every CTA of a two-dimensional grid has a different number, which identifies it.
func TestBlocksOfTwoDimensionsDiffer(t *testing.T) {
	kerneltest.Kernel{Grid: isa.Dim{X: 7, Y: 5, Z: 1}, Words: []int{35}, Source: kerneltest.Entry + `
	mov.u32 %r1, %ctaid.y;
	mov.u32 %r2, %nctaid.x;
	mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, %r4, 4, %rd1;
	mov.u32 %r5, %laneid;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 exit;
	red.global.add.u32 [%rd1], 1;
	ret;
}`}.Want(t, func(int) uint32 { return 1 })
}
