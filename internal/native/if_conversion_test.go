package native_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// sharedWords sets up shared memory in which a lane has its word at %r8, and another lane's at %r9.
const sharedWords = `
	.shared .b32 s[64];
	mov.u32 %r2, %tid.x;
	mov.u32 %r7, s;
	mad.lo.u32 %r8, %r2, 4, %r7;
	xor.b32 %r3, %r2, 5;
	mad.lo.u32 %r9, %r3, 4, %r7;
	mul.lo.u32 %r1, %r2, 3;
	st.shared.u32 [%r8], %r1;
	mul.lo.u32 %r4, %r2, 37;
	and.b32 %r4, %r4, 31;
	setp.gt.u32 %p1, %r4, 11;
	setp.gt.u32 %p2, %r4, 20;
	bar.sync 0;
`

func taken(tid uint32) (p1, p2 bool) { return tid*37%32 > 11, tid*37%32 > 20 }

// sideCases are kernels with short code that only some lanes execute, and each thread's result.
var sideCases = map[string]loopCase{
	"what is computed": {sharedWords + `
	@%p1 bra NEXT;
	mad.lo.u32 %r1, %r1, %r4, 7;
	setp.gt.u32 %p3, %r1, 100;
	selp.u32 %r1, 1000, %r1, %p3;
NEXT:
	add.u32 %r1, %r1, 1;
`, func(tid uint32) uint32 {
		v := 3 * tid
		if p1, _ := taken(tid); !p1 {
			if v = v*(tid*37%32) + 7; v > 100 {
				v = 1000
			}
		}
		return v + 1
	}},
	"a predicate": {sharedWords + `
	setp.eq.u32 %p3, %r2, %r2;
	@%p1 bra NEXT;
	setp.gt.u32 %p3, %r4, 5;
	setp.gt.u32 %p1, %r4, 7;
NEXT:
	selp.u32 %r1, 1, 2, %p3;
	@%p1 add.u32 %r1, %r1, 4;
`, func(tid uint32) uint32 {
		p1, _ := taken(tid)
		k, v := tid*37%32, uint32(2)
		if p1 || k > 5 {
			v = 1
		}
		if k > 7 {
			v += 4
		}
		return v
	}},
	"a part of which some lanes skip": {sharedWords + `
	@!%p1 bra NEXT;
	mov.u32 %r1, 100;
	@%p2 bra OVER;
	add.u32 %r1, %r1, %r4;
	st.shared.u32 [%r8], %r1;
OVER:
	mad.lo.u32 %r1, %r1, 2, 1;
NEXT:
	ld.shared.u32 %r5, [%r8];
	mad.lo.u32 %r1, %r5, 1000, %r1;
`, func(tid uint32) uint32 {
		p1, p2 := taken(tid)
		v, s := 3*tid, 3*tid
		if p1 {
			if v = 100; !p2 {
				v += tid * 37 % 32
				s = v
			}
			v = 2*v + 1
		}
		return s*1000 + v
	}},
	"a part that all lanes skip, one up to where all meet, and one by a predicate of the side": {sharedWords + `
	setp.gt.u32 %p3, %r4, 100;
	@%p1 bra NEXT;
	mov.u32 %r1, 100;
	@!%p3 bra OVER;
	mov.u32 %r1, 200;
OVER:
	setp.gt.u32 %p2, %r4, 5;
	@%p2 bra BEHIND;
	add.u32 %r1, %r1, 7;
BEHIND:
	mul.lo.u32 %r1, %r1, 3;
	setp.lt.u32 %p4, %r4, 9;
	@!%p4 bra NEXT;
	add.u32 %r1, %r1, 50;
	bra NEXT;
NEXT:
`, func(tid uint32) uint32 {
		p1, _ := taken(tid)
		k := tid * 37 % 32
		if p1 {
			return 3 * tid
		}
		v := uint32(300)
		if k <= 5 {
			v += 21
		}
		if k < 9 {
			v += 50
		}
		return v
	}},
	"guards within a part of which some lanes skip": {sharedWords + `
	@!%p1 bra NEXT;
	setp.gt.u32 %p3, %r4, 15;
	@%p2 bra OVER;
	@%p3 add.u32 %r1, %r1, 1000;
	@!%p3 st.shared.u32 [%r8], 7;
OVER:
	add.u32 %r1, %r1, 1;
NEXT:
	ld.shared.u32 %r5, [%r8];
	mad.lo.u32 %r1, %r5, 10000, %r1;
`, func(tid uint32) uint32 {
		p1, p2 := taken(tid)
		v, s := 3*tid, 3*tid
		if p1 {
			switch {
			case p2:
			case tid*37%32 > 15:
				v += 1000
			default:
				s = 7
			}
			v++
		}
		return s*10000 + v
	}},
	"both sides": {sharedWords + `
	ld.param.u64 %rd1, [out];
	@%p1 bra THEN;
	ld.shared.u32 %r5, [%r9];
	mad.lo.u32 %r1, %r5, 5, %r4;
	setp.gt.u32 %p3, %r1, 100;
	bra MEET;
THEN:
	setp.lt.u32 %p3, %r4, 25;
	xor.b32 %r1, %r1, 0x55;
	ld.shared.u32 %r6, [%r8];
	add.u32 %r1, %r1, %r6;
MEET:
	selp.u32 %r5, 100000, 0, %p3;
	add.u32 %r1, %r1, %r5;
`, func(tid uint32) uint32 {
		p1, _ := taken(tid)
		k, v := tid*37%32, uint32(0)
		var p3 bool
		if p1 {
			v, p3 = (3*tid^0x55)+3*tid, k < 25
		} else {
			v = 3*(tid^5)*5 + k
			p3 = v > 100
		}
		if p3 {
			v += 100000
		}
		return v
	}},
	"what is the same in all lanes of a side": {sharedWords + `
	ld.shared.u32 %r5, [%r9];
	setp.gt.u32 %p3, %r5, 40;
	mov.u32 %r6, 5;
	mov.u32 %r10, 9;
	@%p3 bra NEXT;
	mov.u32 %r6, 7;
NEXT:
	@!%p3 bra THEN;
	add.u32 %r10, %r10, 1;
	bra MEET;
THEN:
	add.u32 %r10, %r10, 2;
MEET:
	mad.lo.u32 %r1, %r6, 100, %r10;
	shl.b32 %r6, %r6, 2;
	add.u32 %r6, %r6, %r7;
	ld.shared.u32 %r11, [%r6];
	mad.lo.u32 %r1, %r11, 1000, %r1;
`, func(tid uint32) uint32 {
		if 3*(tid^5) > 40 {
			return 15*1000 + 500 + 10
		}
		return 21*1000 + 700 + 11
	}},
	"both sides, of which each stores where the other loads": {sharedWords + `
	@!%p1 bra THEN;
	ld.shared.u32 %r5, [%r9];
	st.shared.u32 [%r8], %r4;
	bra MEET;
THEN:
	ld.shared.u32 %r5, [%r9];
	st.shared.u32 [%r8], 7;
MEET:
	ld.shared.u32 %r6, [%r8];
	mad.lo.u32 %r1, %r5, 1000, %r6;
`, nil}, // models differ in which side they take first
	"both sides, in a loop, where some lanes are elsewhere": {sharedWords + `
	@%p2 bra NEXT;
	and.b32 %r5, %r2, 7;
	mov.u32 %r3, 0;
ROUND:
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p4, %r6, 0;
	@%p4 bra EVEN;
	mad.lo.u32 %r1, %r1, 3, 1;
	st.shared.u32 [%r8], %r1;
	bra ON;
EVEN:
	shr.u32 %r1, %r1, 1;
	add.u32 %r3, %r3, %r1;
	bra ON;
ON:
	sub.u32 %r5, %r5, 1;
	setp.gt.s32 %p5, %r5, 0;
	@%p5 bra ROUND;
	add.u32 %r1, %r1, %r3;
NEXT:
	ld.shared.u32 %r5, [%r8];
	mad.lo.u32 %r1, %r5, 100, %r1;
`, func(tid uint32) uint32 {
		v, s, sum := 3*tid, 3*tid, uint32(0)
		if _, p2 := taken(tid); !p2 {
			for range max(tid%8, 1) {
				if v%2 != 0 {
					v = 3*v + 1
					s = v
				} else {
					v /= 2
					sum += v
				}
			}
			v += sum
		}
		return 100*s + v
	}},
	"what lanes exchange, before and behind": {sharedWords + `
	@%p1 bra NEXT;
	ld.shared.u32 %r5, [%r9];
	add.u32 %r5, %r5, 1000;
	st.shared.u32 [%r8], %r5;
	setp.gt.u32 %p3, %r5, 1040;
	@%p3 st.shared.u32 [%r8], %r2;
	ld.shared.u32 %r6, [%r9];
	mad.lo.u32 %r1, %r6, 10000, %r5;
NEXT:
	bar.sync 0;
`, func(tid uint32) uint32 {
		first := func(tid uint32) (uint32, bool) { // what a lane has stored at the end, and whether it executes the side
			p1, _ := taken(tid)
			switch v := 3*(tid^5) + 1000; {
			case p1:
				return 3 * tid, false
			case v > 1040:
				return tid, true
			default:
				return v, true
			}
		}
		if _, in := first(tid); !in {
			return 3 * tid
		}
		other, _ := first(tid ^ 5)
		return other*10000 + 3*(tid^5) + 1000
	}},
	"exchanges of all lanes, one behind the other": {sharedWords + `
	ld.shared.u32 %r5, [%r9];
	setp.gt.u32 %p3, %r5, 40;
	xor.b32 %r6, %r5, 1;
	st.shared.u32 [%r8], %r6;
	add.u32 %r6, %r6, 5;
	ld.shared.u32 %r10, [%r9];
	@%p3 st.shared.u32 [%r9], %r6;
	mad.lo.u32 %r1, %r5, 1000, %r10;
	ld.shared.u32 %r11, [%r8];
	mad.lo.u32 %r1, %r11, 1000000, %r1;
	st.shared.u32 [%r7], %r2;
	st.shared.u32 [%r7], %r1;
	ld.shared.u32 %r12, [%r7];
	xor.b32 %r1, %r1, %r12;
	bar.sync 0;
`, func(tid uint32) uint32 {
		of := func(tid uint32) uint32 {
			a, b := 3*(tid^5), 3*tid // what it loads, and what the other does
			c := b ^ 1               // which that has stored
			s := a ^ 1
			if b > 40 { // that has stored once more, here
				s = (b ^ 1) + 5
			}
			return s*1000000 + a*1000 + c
		}
		return of(tid) ^ of(lastThread(tid))
	}},
	"in a loop, to which the side goes back": {sharedWords + `
	mov.u32 %r3, 0;
	bra LOOP;
SIDE:
	add.u32 %r1, %r1, %r3;
	st.shared.u32 [%r8], %r1;
	bra MEET;
LOOP:
	add.u32 %r5, %r4, %r3;
	and.b32 %r5, %r5, 3;
	setp.eq.u32 %p3, %r5, 2;
	@%p3 bra SIDE;
MEET:
	mad.lo.u32 %r1, %r1, 3, 1;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p4, %r3, 9;
	@%p4 bra LOOP;
	ld.shared.u32 %r5, [%r8];
	xor.b32 %r1, %r1, %r5;
`, func(tid uint32) uint32 {
		v, s := 3*tid, 3*tid
		for i := range uint32(9) {
			if (tid*37%32+i)%4 == 2 {
				v += i
				s = v
			}
			v = 3*v + 1
		}
		return v ^ s
	}},
	"in a loop, by addresses in one memory and in another": {sharedWords + `
	ld.param.u64 %rd1, [out];
	cvta.shared.u64 %rd2, s;
	mul.wide.u32 %rd3, %r2, 4;
	add.u64 %rd1, %rd1, %rd3;
	add.u64 %rd2, %rd2, %rd3;
	sub.u64 %rd2, %rd2, %rd1;
	mov.u32 %r3, 0;
LOOP:
	add.u32 %r5, %r4, %r3;
	and.b32 %r5, %r5, 3;
	setp.eq.u32 %p3, %r5, 2;
	and.b32 %r6, %r3, 1;
	cvt.u64.u32 %rd4, %r6;
	mul.lo.u64 %rd4, %rd4, %rd2;
	add.u64 %rd4, %rd1, %rd4;
	@%p3 bra NEXT;
	ld.u32 %r7, [%rd4];
	add.u32 %r1, %r1, %r7;
NEXT:
	mad.lo.u32 %r1, %r1, 3, 1;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p4, %r3, 9;
	@%p4 bra LOOP;
`, func(tid uint32) uint32 {
		v := 3 * tid
		for i := range uint32(9) {
			if (tid*37%32+i)%4 != 2 && i%2 == 1 {
				v += 3 * tid
			}
			v = 3*v + 1
		}
		return v
	}},
	"within sides that are no runs": {sharedWords + `
	@%p1 bra NEXT;
	and.b32 %r5, %r2, 3;
ROUND:
	setp.eq.u32 %p3, %r5, 0;
	@%p3 bra NEXT;
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p4, %r6, 0;
	@%p4 bra EVEN;
	mad.lo.u32 %r1, %r1, 3, 1;
	st.shared.u32 [%r8], %r1;
EVEN:
	shr.u32 %r1, %r1, 1;
	sub.u32 %r5, %r5, 1;
	bra ROUND;
NEXT:
	ld.shared.u32 %r5, [%r8];
	mad.lo.u32 %r1, %r5, 100, %r1;
`, func(tid uint32) uint32 {
		v, s := 3*tid, 3*tid
		if p1, _ := taken(tid); !p1 {
			for range tid % 4 {
				if v%2 != 0 {
					v = 3*v + 1
					s = v
				}
				v /= 2
			}
		}
		return 100*s + v
	}},
}

// lastThread returns the last thread of the warp of thread tid, in the blocks of TestSides.
func lastThread(tid uint32) uint32 {
	if tid >= 32 {
		return 63
	}
	return 31
}

// TestSides runs kernels with short code that only some lanes execute: they have the expected results, and the
// counters of lane functions.
func TestSides(t *testing.T) {
	for name, c := range sideCases {
		t.Run(name, func(t *testing.T) {
			for i, model := range kerneltest.Models {
				k := kerneltest.Kernel{Source: wholeKernel(c.code), Block: kerneltest.Dim(32, 1), Words: []int{32}, Config: interp.Config{Divergence: model, PathOrder: kerneltest.Orders[i%2]}}
				if diff := onBothBodies(t, k); diff != "" {
					t.Fatalf("%v (-lane functions +compiled):\n%s", model, diff)
				}
				var want []uint32
				for tid := range lanes.Width {
					if c.want != nil {
						want = append(want, c.want(uint32(tid)))
					}
				}
				for _, level := range kerneltest.Levels() {
					k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
					out, _, err := k.Run(t)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, out[0]); want != nil && diff != "" {
						t.Fatalf("%v, %v (-want +got): %s", level, model, diff)
					}
				}
				k.Block = kerneltest.Dim(24, 2) // some lanes of a warp
				if diff := onBothBodies(t, k); diff != "" {
					t.Fatalf("%v, some lanes (-lane functions +compiled):\n%s", model, diff)
				}
			}
		})
	}
}

// TestFaultsInSides has lanes that execute a side access memory beyond the end, after a store that must be visible,
// and where only some of them execute the faulting access.
func TestFaultsInSides(t *testing.T) {
	for _, c := range []struct {
		name, code string
		lanes      func(tid int) bool
	}{
		{"at the first access", "ld.shared.u32 %r1, [%r8+196];", func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 && tid >= 15 }},
		{"behind a store", "st.shared.u32 [%r8], 5; ld.global.u32 %r1, [%rd1];", func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 }},
		{"where some skip it", "st.shared.u32 [%r8], 5; setp.lt.u32 %p3, %r4, 7; @%p3 bra OVER; st.global.u32 [%rd1], 5; OVER:",
			func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 && tid*37%32 >= 7 }},
	} {
		for _, model := range kerneltest.Models {
			k := kerneltest.Kernel{Words: []int{32}, Config: interp.Config{Divergence: model}, Source: wholeKernel(sharedWords + `
	ld.param.u64 %rd1, [out];
	add.u64 %rd1, %rd1, 4096;
	@%p1 bra NEXT;
	` + c.code + `
	add.u32 %r1, %r1, 1;
NEXT:
`)}
			if diff := onBothBodies(t, k); diff != "" {
				t.Errorf("%s, %v: (-lane functions +compiled):\n%s", c.name, model, diff)
			}
			var want lanes.Mask
			for tid := range lanes.Width {
				if c.lanes(tid) {
					want |= 1 << tid
				}
			}
			for _, level := range kerneltest.Levels() {
				k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
				_, _, err := k.Run(t)
				var fault *interp.Fault
				if !errors.As(err, &fault) || !errors.Is(err, memory.ErrBounds) && !strings.Contains(err.Error(), "no buffer") {
					t.Fatalf("%s, %v: %v", c.name, level, err)
				}
				if fault.Where.Lanes != want {
					t.Errorf("%s, %v, %v: lanes %v, want %v", c.name, level, model, fault.Where.Lanes, want)
				}
			}
		}
	}
}
