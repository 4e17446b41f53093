package explore

import (
	"context"
	"encoding/binary"
	"math"
	"testing"
)

// addFloats is a kernel in which thread 0 adds 1 to out[1], and thread t > 0 2^-24, by an instruction.
func addFloats(add string) string {
	return `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out)
{
	.reg .u32 %t, %n; .reg .f32 %f; .reg .u64 %m; .reg .pred %p;
	ld.param.u64 %m, [out];
	mov.u32 %t, %tid.x;
	mov.f32 %f, 0f33800000;
	setp.eq.u32 %p, %t, 0;
	@%p mov.f32 %f, 0f3f800000;
	` + add + `
	red.global.add.u32 [%m+12], %t;
	ret;
}`
}

// TestRoundingIsDistinguished: of 2^-24 that is added three times to 1, after or before, the sums are 1 and 1 + 2^-23
// at least. Nothing else depends on the order.
func TestRoundingIsDistinguished(t *testing.T) {
	r, err := Explore(context.Background(), programOf(t, addFloats("red.global.add.f32 [%m+4], %f;"), 1, 4, 4), Options{Preemptions: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exhausted || len(r.Outcomes) != 1 {
		t.Fatalf("exhausted %v, %d outcomes", r.Exhausted, len(r.Outcomes))
	}
	rounded := r.Outcomes[0].Rounded()
	if len(rounded) != 1 || rounded[0].Range != (Range{0, 4, 8}) {
		t.Fatalf("%v", rounded)
	}
	one := math.Float32frombits(binary.LittleEndian.Uint32(rounded[0].One))
	other := math.Float32frombits(binary.LittleEndian.Uint32(rounded[0].Other))
	if one != 1 || other <= 1 {
		t.Errorf("%v and %v", one, other)
	}
}

// TestExactSumsDoNotRound adds in a way that every order has the same sum.
func TestExactSumsDoNotRound(t *testing.T) {
	r, err := Explore(context.Background(), programOf(t, addFloats("mov.f32 %f, 0f3f800000; red.global.add.f32 [%m+4], %f;"), 1, 4, 4), Options{Preemptions: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exhausted || len(r.Outcomes) != 1 || len(r.Outcomes[0].Rounded()) != 0 || r.Random != roundingExecutions {
		t.Errorf("%+v", r)
	}
}

// TestLostSumIsNoRounding adds by a load and a store.
func TestLostSumIsNoRounding(t *testing.T) {
	r, err := Explore(context.Background(), programOf(t, addFloats("{ .reg .f32 %g; ld.global.f32 %g, [%m+4]; add.f32 %g, %g, %f; st.global.f32 [%m+4], %g; }"), 1, 4, 4), Options{Preemptions: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcomes) < 2 || r.Outcomes[1].Derived {
		t.Errorf("%d outcomes", len(r.Outcomes))
	}
}

// TestValueFromRoundedSumIsDerived reads the sum after a barrier, and writes it elsewhere.
func TestValueFromRoundedSumIsDerived(t *testing.T) {
	read := "red.global.add.f32 [%m+4], %f; barrier.sync 0; ld.volatile.global.f32 %f, [%m+4]; @%p st.global.f32 [%m+8], %f;"
	r, err := Explore(context.Background(), programOf(t, addFloats(read), 1, 4, 4), Options{Preemptions: -1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Exhausted || len(r.Outcomes) < 2 || !r.Outcomes[1].Derived {
		t.Errorf("exhausted %v, %d outcomes", r.Exhausted, len(r.Outcomes))
	}
}
