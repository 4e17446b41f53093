package sm_test

import (
	"fmt"
	"math"
	"math/bits"
)

// What a syncGrower lets the lanes of a warp do: collectives and atomics.

// lanesOf are the active lanes of each warp of each CTA.
type lanesOf [][]uint32

// all returns all lanes.
func (g *syncGrower) all() (all lanesOf) {
	for range g.ctas {
		var warps []uint32
		for w := range g.warp {
			warps = append(warps, uint32(1<<min(32, g.threads-32*w)-1))
		}
		all = append(all, warps)
	}
	return all
}

// eachOf executes f for each warp with active lanes.
func (g *syncGrower) eachOf(active lanesOf, f func(c, w int, mask uint32)) {
	g.do(func() {
		for c := range active {
			for w, mask := range active[c] {
				if mask != 0 {
					f(c, w, mask)
				}
			}
		}
	})
}

// diverge executes collectives and atomics for the active lanes, which are in a register, and then for two parts of
// them.
func (g *syncGrower) diverge(depth int, mask string, active lanesOf) {
	for range 1 + g.IntN(3) {
		g.collective(depth, mask, active)
	}
	if g.IntN(2) == 0 {
		g.accumulate(active)
	}
	if depth == 3 || g.IntN(3) == 0 {
		return
	}
	r, bit := g.IntN(syncRegs), g.IntN(6)
	p, yes, no := fmt.Sprintf("%%p%d", 10+depth), fmt.Sprintf("%%r%d", 61+2*depth), fmt.Sprintf("%%r%d", 62+2*depth)
	g.predicate(p, r, bit)
	g.emit("vote.sync.ballot.b32 %s, %s, %s", yes, p, mask)
	g.emit("xor.b32 %s, %s, %s", no, mask, yes)
	var taken, other lanesOf
	for range active {
		taken, other = append(taken, make([]uint32, g.warp)), append(other, make([]uint32, g.warp))
	}
	g.do(func() {
		for c := range active {
			clear(taken[c])
			clear(other[c])
		}
	})
	g.eachOf(active, func(c, w int, mask uint32) {
		for m := mask; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); g.regs[c][32*w+lane][r]>>bit&1 != 0 {
				taken[c][w] |= 1 << lane
			} else {
				other[c][w] |= 1 << lane
			}
		}
	})
	otherwise, end := g.label(), g.label()
	g.emit("@!%s bra %s", p, otherwise)
	g.diverge(depth+1, yes, taken)
	g.emit("bra %s", end)
	fmt.Fprintf(&g.text, "%s:\n", otherwise)
	g.diverge(depth+1, no, other)
	fmt.Fprintf(&g.text, "%s:\n", end)
	if g.IntN(2) == 0 {
		g.emit("bar.warp.sync %s", mask)
	}
}

// collective executes a collective of the active lanes.
func (g *syncGrower) collective(depth int, mask string, active lanesOf) {
	a, d := g.IntN(syncRegs), g.IntN(syncRegs)
	of := func(c, w, lane int) *[syncRegs]uint32 { return &g.regs[c][32*w+lane] }
	var result func(lane int, mask uint32, v *[32]uint32) uint32
	switch kind := g.IntN(6); kind {
	case 0:
		op := g.pick("add", "max", "and", "or", "xor")
		g.emit("redux.sync.%s.%s %%r21, %%r%d, %s", op, typeOf(op), a, mask)
		result = func(lane int, mask uint32, v *[32]uint32) uint32 {
			first := bits.TrailingZeros32(mask)
			x := v[first]
			for m := mask &^ (1 << first); m != 0; m &= m - 1 {
				x = reduceWord(op, x, v[bits.TrailingZeros32(m)])
			}
			return x
		}
	case 1:
		few := 1 + g.IntN(7)
		g.emit("and.b32 %%r20, %%r%d, %d", a, few)
		g.emit("match.any.sync.b32 %%r21, %%r20, %s", mask)
		result = func(lane int, mask uint32, v *[32]uint32) (same uint32) {
			for m := mask; m != 0; m &= m - 1 {
				if i := bits.TrailingZeros32(m); (v[i]^v[lane])&uint32(few) == 0 {
					same |= 1 << i
				}
			}
			return same
		}
	case 2:
		bit := g.IntN(8)
		g.predicate("%p5", a, bit)
		g.emit("vote.sync.ballot.b32 %%r21, %%p5, %s", mask)
		result = func(lane int, mask uint32, v *[32]uint32) (votes uint32) {
			for m := mask; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m)
				votes |= v[i] >> bit & 1 << i
			}
			return votes
		}
	case 3: // from the last lane
		g.emit("bfind.u32 %%r20, %s", mask)
		g.emit("shfl.sync.idx.b32 %%r21|%%p5, %%r%d, %%r20, 31, %s", a, mask)
		result = func(lane int, mask uint32, v *[32]uint32) uint32 { return v[31-bits.LeadingZeros32(mask)] }
	case 4: // to itself, among lanes that exist
		g.emit("shfl.sync.bfly.b32 %%r21, %%r%d, 0, 31, %s", a, mask)
		if depth == 0 && g.threads%32 == 0 {
			by := g.IntN(32)
			g.emit("shfl.sync.bfly.b32 %%r21, %%r%d, %d, 31, %s", a, by, mask)
			result = func(lane int, mask uint32, v *[32]uint32) uint32 { return v[lane^by] }
			break
		}
		result = func(lane int, mask uint32, v *[32]uint32) uint32 { return v[lane] }
	case 5:
		bit := g.IntN(6)
		g.predicate("%p5", a, bit)
		how := g.pick("all", "any", "uni")
		g.emit("vote.sync.%s.pred %%p6, %%p5, %s", how, mask)
		g.emit("selp.u32 %%r21, 1, 0, %%p6")
		result = func(lane int, mask uint32, v *[32]uint32) uint32 {
			n := 0
			for m := mask; m != 0; m &= m - 1 {
				n += int(v[bits.TrailingZeros32(m)] >> bit & 1)
			}
			every := n == bits.OnesCount32(mask)
			if how == "all" && every || how == "any" && n > 0 || how == "uni" && (every || n == 0) {
				return 1
			}
			return 0
		}
	}
	g.emit("mad.lo.u32 %%r%d, %%r%d, 3, %%r21", d, d)
	g.eachOf(active, func(c, w int, mask uint32) {
		var v [32]uint32
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v[i] = of(c, w, i)[a]
		}
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			r := of(c, w, i)
			r[d] = 3*r[d] + result(i, mask, &v)
		}
	})
}

// accumulate executes an atomic on global memory, whose result is not used.
func (g *syncGrower) accumulate(active lanesOf) {
	acc, _, _ := g.offsets()
	i, r := g.IntN(len(syncAccumulators)), g.IntN(syncRegs)
	k := syncAccumulators[i]
	value, wide := fmt.Sprint("%r", r), k.typ[1:] == "64"
	of, operand := k.of, func(v uint32) uint64 { return uint64(v) }
	switch {
	case k.op == "inc":
		value = fmt.Sprint(incBound)
		of = func(a, v uint64) uint64 {
			if a >= incBound {
				return 0
			}
			return a + 1
		}
	case k.typ == "f32":
		g.emit("and.b32 %%r20, %%r%d, %d", r, 1<<wholeBits>>8-1)
		g.emit("cvt.rn.f32.u32 %%f1, %%r20")
		value = "%f1"
		operand = func(v uint32) uint64 { return uint64(v & (1<<wholeBits>>8 - 1)) }
		of = func(a, v uint64) uint64 {
			return uint64(math.Float32bits(math.Float32frombits(uint32(a)) + float32(v)))
		}
	case k.typ == "f64":
		g.emit("cvt.rn.f64.u32 %%fd1, %%r%d", r)
		value = "%fd1"
		of = func(a, v uint64) uint64 { return math.Float64bits(math.Float64frombits(a) + float64(v)) }
	case wide:
		g.emit("cvt.s64.s32 %%rd12, %%r%d", r)
		value = "%rd12"
		operand = func(v uint32) uint64 { return uint64(int64(int32(v))) }
	}
	scope := g.pick("", ".relaxed.gpu", ".relaxed.sys")
	if g.IntN(2) == 0 {
		to := "%r21"
		switch {
		case k.typ == "f32":
			to = "%f2"
		case k.typ == "f64":
			to = "%fd2"
		case wide:
			to = "%rd13"
		}
		g.emit("atom%s.global.%s.%s %s, [%%rd1+%d], %s", scope, k.op, k.typ, to, acc+8*i, value)
	} else {
		g.emit("red%s.global.%s.%s [%%rd1+%d], %s", scope, k.op, k.typ, acc+8*i, value)
	}
	g.eachOf(active, func(c, w int, mask uint32) {
		for m := mask; m != 0; m &= m - 1 {
			v := g.regs[c][32*w+bits.TrailingZeros32(m)][r]
			g.acc[i] = of(g.acc[i], operand(v))
		}
	})
}
