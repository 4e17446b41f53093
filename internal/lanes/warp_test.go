package lanes

import (
	"math/rand/v2"
	"testing"
)

// TestMatchComparesAllLanePairs compares match with a comparison of every pair of lanes.
func TestMatchComparesAllLanePairs(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	f := NewFile(fileBytes)
	for n := range 500 {
		m, old := Mask(r.Uint32())|1<<r.IntN(Width), Mask(r.Uint32())
		values := 1 + n%4
		var a [Width]uint64
		for lane := range a {
			a[lane] = uint64(r.IntN(values)) << 40
			put(f, regA, 64, lane, a[lane])
			put(f, regB, 32, lane, a[lane]>>40)
			put(f, regD, 32, lane, 7)
			put(f, regC, 32, lane, 7)
		}
		*Pred(f, predD2) = old
		MatchAny[uint64](f, &Op{D: regD, A: regA}, m)
		MatchAll[uint64](f, &Op{D: regC, D2: predD2, A: regA}, m)
		MatchAny[uint32](f, &Op{D: regB, A: regB}, m) // in place
		for lane := range Width {
			if m>>lane&1 == 0 {
				if get(f, regD, 32, lane) != 7 || get(f, regC, 32, lane) != 7 || (*Pred(f, predD2)^old)>>lane&1 != 0 {
					t.Fatalf("inactive lane %d of %08x changed", lane, uint32(m))
				}
				continue
			}
			same := Mask(0)
			for other := range Width {
				if m>>other&1 != 0 && a[other] == a[lane] {
					same |= 1 << other
				}
			}
			all, holds := uint64(0), same == m
			if holds {
				all = uint64(m)
			}
			if got := get(f, regD, 32, lane); got != uint64(same) {
				t.Fatalf("match.any lane %d: got %08x, want %08x", lane, got, uint32(same))
			}
			if got := get(f, regB, 32, lane); got != uint64(same) {
				t.Fatalf("match.any.b32 lane %d: got %08x, want %08x", lane, got, uint32(same))
			}
			if got, p := get(f, regC, 32, lane), *Pred(f, predD2)>>lane&1 != 0; got != all || p != holds {
				t.Fatalf("match.all lane %d: got %08x and %t, want %08x and %t", lane, got, p, all, holds)
			}
		}
	}
}

// TestShflMatchesTextOfISA compares shuffles with the ISA's text (9.7.9.6), lane by lane, with different operands in
// each lane.
func TestShflMatchesTextOfISA(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	f := NewFile(fileBytes)
	for n := range 2000 {
		some, others := Mask(r.Uint32()), Mask(r.Uint32())
		m := some&others | 1<<r.IntN(Width)
		if n%2 == 0 {
			m = AllLanes
		}
		var a, b, c [Width]uint32
		for lane := range Width {
			a[lane], b[lane], c[lane] = r.Uint32(), r.Uint32(), []uint32{31, 0, 0x1c1f, 0x1800, 0x101f}[r.IntN(5)]
		}
		for name, fn := range map[string]Func{"up": ShflUp, "down": ShflDown, "bfly": ShflBfly, "idx": ShflIdx} {
			for lane := range Width {
				put(f, regA, 32, lane, uint64(a[lane]))
				put(f, regB, 32, lane, uint64(b[lane]))
				put(f, regC, 32, lane, uint64(c[lane]))
				put(f, regD, 32, lane, 7)
			}
			*Pred(f, predD2) = 0
			fn(f, &Op{D: regD, D2: predD2, A: regA, B: regB, C: regC}, m)
			for lane := range Width {
				want, holds := uint32(7), false
				if m>>lane&1 != 0 {
					want, holds = sourceOf(name, lane, &a, b[lane], c[lane], m)
				}
				if got, p := uint32(get(f, regD, 32, lane)), *Pred(f, predD2)>>lane&1 != 0; got != want || p != holds {
					t.Fatalf("shfl.%s by %#x, %#x in lane %d of %08x: %08x and %t, want %08x and %t", name, b[lane], c[lane], lane, uint32(m), got, p, want, holds)
				}
			}
		}
	}
}

// sourceOf returns the result of a lane in a shuffle of lanes m, in the ISA's words.
func sourceOf(mode string, lane int, a *[Width]uint32, b, c uint32, m Mask) (d uint32, pval bool) {
	bval, cval, mask := int(b&0x1f), int(c&0x1f), int(c>>8&0x1f)
	maxLane, minLane := lane&mask|cval&^mask, lane&mask
	j := 0
	switch mode {
	case "up":
		j = lane - bval
		pval = j >= maxLane
	case "down":
		j = lane + bval
		pval = j <= maxLane
	case "bfly":
		j = lane ^ bval
		pval = j <= maxLane
	case "idx":
		j = minLane | bval&^mask
		pval = j <= maxLane
	}
	switch {
	case !pval:
		return a[lane], false
	case m>>j&1 == 0:
		return 0, true // as an H100 has it
	}
	return a[j], true
}

// TestReduxMatchesLoopOverLanes compares redux with a loop over the lanes of a mask.
func TestReduxMatchesLoopOverLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	f := NewFile(fileBytes)
	for _, c := range []struct {
		name string
		fn   Func
		op   func(x, y uint32) uint32
	}{
		{"add", ReduxAdd, func(x, y uint32) uint32 { return x + y }},
		{"and", ReduxAnd, func(x, y uint32) uint32 { return x & y }},
		{"or", ReduxOr, func(x, y uint32) uint32 { return x | y }},
		{"xor", ReduxXor, func(x, y uint32) uint32 { return x ^ y }},
		{"min.u32", ReduxMin[uint32], func(x, y uint32) uint32 { return choose(x < y, x, y) }},
		{"min.s32", ReduxMin[int32], func(x, y uint32) uint32 { return choose(x^1<<31 < y^1<<31, x, y) }},
		{"max.u32", ReduxMax[uint32], func(x, y uint32) uint32 { return choose(x > y, x, y) }},
		{"max.s32", ReduxMax[int32], func(x, y uint32) uint32 { return choose(x^1<<31 > y^1<<31, x, y) }},
	} {
		for range 100 {
			m := Mask(r.Uint32()) | 1<<r.IntN(Width)
			for lane := range Width {
				put(f, regA, 32, lane, operand(r, 32))
				put(f, regD, 32, lane, 7)
			}
			c.fn(f, &Op{D: regD, A: regA}, m)
			want, first := uint32(0), true
			for lane, a := range Reg[uint32](f, regA) {
				if m>>lane&1 != 0 {
					want, first = choose(first, a, c.op(want, a)), false
				}
			}
			for lane, got := range Reg[uint32](f, regD) {
				if m>>lane&1 == 0 && got != 7 || m>>lane&1 != 0 && got != want {
					t.Fatalf("redux.%s lane %d of %08x: got %#x, want %#x", c.name, lane, uint32(m), got, want)
				}
			}
		}
	}
}

func choose(first bool, x, y uint32) uint32 {
	if first {
		return x
	}
	return y
}
