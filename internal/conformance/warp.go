package conformance

import (
	"math/rand/v2"
	"slices"
)

var warpMakers = map[string]trialMaker{
	"shfl":       exchanges,
	"vote":       votes,
	"match":      matches,
	"redux":      warpReductions,
	"activemask": activeMasks,
}

// warps are values for the lanes of some warps.
func warps(seed string, n int, value func(r *rand.Rand, warp, lane int) []uint64) [][]uint64 {
	r := rand.New(rand.NewPCG(3, hash(seed)))
	var all [][]uint64
	for w := range n {
		for lane := range 32 {
			all = append(all, value(r, w, lane))
		}
	}
	return all
}

// exchanges is shfl with random lanes and segments, and the results of the ISA's formulas.
func exchanges(f form) []trial {
	segments := []uint64{31, 0, 0x181f, 0x1800, 0x1c1f, 0x1e00, 0x1f1f, 0x100f, 7}
	values := warps(f.text, 64, func(r *rand.Rand, warp, lane int) []uint64 {
		b, c := uint64(r.IntN(40)), segments[warp%len(segments)]
		if warp < 16 {
			b = uint64(warp * 3) // the same in all lanes
		}
		if warp >= 48 {
			c = r.Uint64() & 0x1f1f
		}
		return []uint64{r.Uint64() & 0xffffffff, b, c}
	})
	args := "$d0|$d1, $s0, $s1, $s2"
	if f.has("sync") {
		args += ", -1"
	}
	return trials(specimen{form: f, dst: operands("b32", "pred"), src: operands("b32", "b32", "b32"), values: values,
		args: args, warp: func(lanes [][]uint64) [][]uint64 {
			out := make([][]uint64, 32)
			for lane, s := range lanes {
				from, valid := exchangeLane(f.oneOf("up", "down", "bfly", "idx"), lane, int(s[1]), int(s[2]))
				if !valid {
					from = lane
				}
				out[lane] = []uint64{lanes[from][0], uint64(b2i(valid))}
			}
			return out
		}})
}

func exchangeLane(mode string, lane, b, c int) (from int, valid bool) {
	b &= 31
	clamp, segment := c&31, c>>8&31
	top := lane&segment | clamp&^segment
	bottom := lane & segment
	switch mode {
	case "up":
		from = lane - b
		return from, from >= top
	case "down":
		from = lane + b
	case "bfly":
		from = lane ^ b
	default:
		from = bottom | b&^segment
	}
	return from, from <= top
}

// votes is vote over all lanes, of predicates that hold in no lane, all lanes, one, all but one, and some, each also
// complemented.
func votes(f form) []trial {
	values := warps(f.text, 32, func(r *rand.Rand, warp, lane int) []uint64 {
		return one(uint64([]int{0, 1, b2i(lane == warp), b2i(lane != warp), r.IntN(2)}[warp%5]))
	})
	tail := ""
	if f.has("sync") {
		tail = ", -1"
	}
	dst := operands("pred")
	if f.has("ballot") {
		dst = operands("b32")
	}
	var all []trial
	for complement, not := range []string{"", "!"} {
		all = append(all, specimen{form: f, dst: dst, src: operands("pred"), values: values, args: "$d0, " + not + "$s0" + tail,
			warp: func(lanes [][]uint64) [][]uint64 {
				voters, ballot := uint64(0), uint64(0)
				for lane, s := range lanes {
					if s != nil {
						voters |= 1 << lane
						ballot |= (s[0] ^ uint64(complement)) << lane
					}
				}
				result := map[string]uint64{
					"all":    uint64(b2i(ballot == voters)),
					"any":    uint64(b2i(ballot != 0)),
					"uni":    uint64(b2i(ballot == voters || ballot == 0)),
					"ballot": ballot,
				}[f.oneOf("all", "any", "uni", "ballot")]
				out := make([][]uint64, 32)
				for lane := range out {
					out[lane] = one(result)
				}
				return out
			}}.trial())
	}
	return all
}

// matches is match.sync on few distinct values.
func matches(f form) []trial {
	typ := f.types[0]
	values := warps(f.text, 32, func(r *rand.Rand, warp, lane int) []uint64 {
		e := edges(typ)
		return one(e[r.IntN(1+warp%8)*len(e)/8])
	})
	dst, args := operands("b32"), "$d0, $s0, -1"
	if f.has("all") {
		dst, args = operands("b32", "pred"), "$d0|$d1, $s0, -1"
	}
	return trials(specimen{form: f, dst: dst, src: operands(typ), values: values, args: args, warp: func(lanes [][]uint64) [][]uint64 {
		out := make([][]uint64, 32)
		for lane, s := range lanes {
			if s == nil {
				continue
			}
			equal, every := uint64(0), true
			for other, v := range lanes {
				same := v != nil && v[0] == s[0]
				equal |= uint64(b2i(same)) << other
				every = every && (same || v == nil)
			}
			if !f.has("all") {
				out[lane] = one(equal)
				continue
			}
			out[lane] = []uint64{equal * uint64(b2i(every)), uint64(b2i(every))}
		}
		return out
	}})
}

// warpReductions is redux.sync.
func warpReductions(f form) []trial {
	typ := f.types[0]
	values := warps(f.text, 32, func(r *rand.Rand, warp, lane int) []uint64 { return one(randomValue(typ, r)) })
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ), values: values, args: "$d0, $s0, -1", warp: func(lanes [][]uint64) [][]uint64 {
		takePart := slices.DeleteFunc(slices.Clone(lanes), func(s []uint64) bool { return s == nil })
		if typ == "f32" {
			var all []uint64
			for _, s := range takePart {
				all = append(all, s[0])
			}
			return slices.Repeat([][]uint64{one(extreme(f, all))}, len(lanes))
		}
		sum := takePart[0][0]
		for _, s := range takePart[1:] {
			sum = atomicResult(f, typ, sum, s[0], 0, false)
		}
		return slices.Repeat([][]uint64{one(sum)}, len(lanes))
	}})
}

// activeMasks is executed with all lanes together, under a guard, and in an arm of a branch.
func activeMasks(f form) []trial {
	text := f.text
	return []trial{
		perThread(text+" %r1;", 32, func(int) uint32 { return 0xffffffff }),
		perThread("mov.u32 %r1, 0;\n\tsetp.lt.u32 %p1, %r0, 5;\n\t@%p1 "+text+" %r1;", 32, func(i int) uint32 { return uint32(31 * b2i(i < 5)) }),
		perThread(text+" %r1;", 20, func(int) uint32 { return 1<<20 - 1 }),
	}
}
