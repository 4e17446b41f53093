package cache

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/splitmix"
)

// asker is a warp that requests sectors, waits for all replies, and requests again pause cycles later.
type asker struct {
	sm    int16
	pause int64
	asks  func(step uint64) []Request // Line, Sectors, Kind, Lanes, Words

	start  int64 // cycle of its next requests
	step   uint64
	waited int64 // cycles, in the second half of a run
	counts int64
}

// run serves askers for a number of cycles, and returns sectors and lanes per cycle of the second half.
func run(s *System, askers []*asker, cycles int64) (sectors, lanes float64) {
	type sent struct {
		Request
		from *asker
	}
	var all []sent
	window := s.Lookahead()
	for now := int64(0); now < cycles; now += window {
		all = all[:0]
		for _, a := range askers {
			if a.start < now+window {
				for _, r := range a.asks(a.step) {
					r.Cycle, r.SM = a.start, a.sm
					all = append(all, sent{r, a})
				}
				a.step++
			}
		}
		slices.SortStableFunc(all, func(a, b sent) int { return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.SM, b.SM)) })
		for i := range all {
			s.Serve([]*Request{&all[i].Request})
			if now >= cycles/2 {
				sectors += float64(bits.OnesCount8(all[i].Sectors))
				lanes += float64(all[i].Lanes)
			}
		}
		for i := range all {
			r := &all[i]
			if last := i == len(all)-1 || all[i+1].from != r.from; last && now >= cycles/2 {
				r.from.waited += max(r.from.start, r.Reply+r.from.pause) - r.Cycle
				r.from.counts++
			}
			r.from.start = max(r.from.start, r.Reply+r.from.pause)
		}
	}
	return sectors / float64(cycles-cycles/2), lanes / float64(cycles-cycles/2)
}

// lines are some that follow each other, for requests of a kind.
func lines(from uint64, many int, kind Kind) (r []Request) {
	for i := range uint64(many) {
		r = append(r, Request{Line: from + i, Sectors: allSectors, Kind: kind})
	}
	return r
}

// TestBandwidthMatchesMeasurements: what many requests reach, on an H100: bytes in a cycle.
func TestBandwidthMatchesMeasurements(t *testing.T) {
	short.Alternates(t, 1, 3)
	const all = 132
	for _, w := range []struct {
		what string
		sms  []int16 // all if nil
		mask uint64  // of lines
		kind Kind
		want float64
	}{
		{"an SM reads L2", []int16{7}, 8<<20/LineBytes - 1, Load, 125},                                  // few_sms[readcg / 16 / 1 / 1024]: 124.51
		{"SMs of a GPC read L2", []int16{0, 1, 16, 17, 32, 33, 48, 49}, 8<<20/LineBytes - 1, Load, 547}, // few_sms[readcg / 16 / 8 / 1024]: 8 times 68.36
		{"all SMs read L2", nil, 8<<20/LineBytes - 1, Load, 3900},                                       // bandwidth[readcg / 36]: 3900.6
		{"an SM writes L2", []int16{7}, 8<<20/LineBytes - 1, Store, 32},                                 // few_sms[write / 16 / 1 / 1024]: 32.01
		{"all SMs write L2", nil, 8<<20/LineBytes - 1, Store, 2070},                                     // bandwidth[write / 32]: 2066.1
		{"all SMs read device memory", nil, 1<<33/LineBytes - 1, Load, 1598},                            // bandwidth[read / 2048]: 1597.8
		{"all SMs write device memory", nil, 1<<33/LineBytes - 1, Store, 1626},                          // bandwidth[write / 2048]: 1626.3
	} {
		s := NewSystem(preset(t, "h100"))
		if w.mask < 1<<20 {
			for sm := range int16(2 * 8) { // SMs of all GPCs
				for _, r := range lines(0, int(w.mask+1), Load) {
					r.SM = sm
					s.Serve([]*Request{&r})
				}
			}
			s.Restart(1)
		}
		if w.sms == nil {
			for sm := range int16(all) {
				w.sms = append(w.sms, sm)
			}
		}
		var askers []*asker
		for i := range 64 * len(w.sms) {
			n := uint64(i)
			askers = append(askers, &asker{sm: w.sms[i%len(w.sms)], asks: func(step uint64) []Request { return lines((step*64*uint64(len(w.sms))+n)*4&w.mask, 4, w.kind) }})
		}
		cycles := int64(20000)
		if w.mask > 1<<20 {
			cycles = 80000 // L2 takes 50 MB before device memory is written
		}
		sectors, _ := run(s, askers, cycles)
		compare(t, w.what, SectorBytes*sectors, w.want, 0.06)
	}
}

// TestStoreCyclesMatchMeasurements: cycles per request of a store that stays in L2, by one SM alone and by each of
// 132 SMs at once, by number of sectors and whether all of their bytes are written, as in l2_requests.csv.
func TestStoreCyclesMatchMeasurements(t *testing.T) {
	short.Alternates(t, 0, 3)
	for _, w := range []struct {
		operation, stride string
		lines             float64 // of an instruction
		sectors           uint8
		partial           bool
	}{
		{"st4", "0", 1, 0b0001, true},
		{"st4", "1", 1, 0b1111, false},
		{"st4", "2", 2, 0b1111, true},
		{"st4", "8", 8, 0b1111, true},
		{"st16", "1", 4, 0b1111, false},
		{"st16", "4", 16, 0b0101, true},
	} {
		row := table(t, "h100-sxm", "l2_requests", w.operation, w.stride, "each its own")[0]
		for column, sms := range map[int]int{3: 1, 4: 132} {
			var askers []*asker
			for i := range 32 * sms {
				var r []Request
				for n := range uint64(8) {
					r = append(r, Request{Line: 8*uint64(i) + n, Sectors: w.sectors, Kind: Store, Partial: w.partial})
				}
				askers = append(askers, &asker{sm: int16(i % sms), asks: func(uint64) []Request { return r }})
			}
			sectors, _ := run(NewSystem(preset(t, "h100")), askers, 20000)
			got := float64(sms) * float64(bits.OnesCount8(w.sectors)) / sectors
			compare(t, fmt.Sprintf("%s, stride %s, %d SMs", w.operation, w.stride, sms), got, figure(t, row[column])/w.lines, 0.06)
		}
	}
}

// TestAtomicsMatchMeasurements: operations of lanes in a cycle, of all warps of an H100, as in atomics.csv.
func TestAtomicsMatchMeasurements(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, w := range []struct {
		what string
		want float64
		asks func(warp uint64) []Request
	}{
		{"one address", 0.691, func(uint64) []Request { return []Request{{Line: 5, Sectors: 1, Lanes: 32, Words: 1}} }},
		{"one address, f32", 0.288, func(uint64) []Request { return []Request{{Line: 5, Sectors: 1, Lanes: 32, Words: 1, Float: true}} }},
		{"an address for each warp", 32.998, func(warp uint64) []Request { return []Request{{Line: warp, Sectors: 1, Lanes: 32, Words: 1}} }},
		{"a line for each warp", 308.229, func(warp uint64) []Request { return []Request{{Line: warp, Sectors: 15, Lanes: 32, Words: 32}} }},
		{"32 bytes apart", 46.504, func(warp uint64) (r []Request) {
			for i := range uint64(8) {
				r = append(r, Request{Line: 8*warp + i, Sectors: 15, Lanes: 4, Words: 4})
			}
			return r
		}},
		{"128 bytes apart", 43.391, func(warp uint64) (r []Request) {
			for i := range uint64(32) {
				r = append(r, Request{Line: 32*warp + i, Sectors: 1, Lanes: 1, Words: 1})
			}
			return r
		}},
	} {
		var askers []*asker
		for i := range 2 * 32 * 132 { // two of each warp are under way
			warp := uint64(i / 2)
			askers = append(askers, &asker{sm: int16(i / 64), asks: func(uint64) []Request {
				r := w.asks(warp)
				for i := range r {
					r[i].Kind = Reduction
				}
				return r
			}})
		}
		_, lanes := run(NewSystem(preset(t, "h100")), askers, 200000)
		compare(t, w.what, lanes, w.want, 0.1)
	}
}

// TestLatencyGrowsUnderLoad: chains through device memory while warps of the other SMs read 512 bytes at a time, as in
// latency_under_load.csv. A warp's loop adds 100 cycles to the replies: the same warps read L2 in 377 cycles.
func TestLatencyGrowsUnderLoad(t *testing.T) {
	short.Alternates(t, 0, 3)
	for _, w := range []struct{ machine, preset string }{{"h100-sxm", "h100"}, {"h200", "h200"}} {
		for _, warps := range []int{4, 8, 12, 16, 24, 32} {
			latency, bytes := underLoad(preset(t, w.preset), warps)
			row := table(t, w.machine, "latency_under_load", "memory", fmt.Sprint(warps), "0")[0]
			what := fmt.Sprintf("%s, %d warps: ", w.preset, warps)
			compare(t, what+"cycles", latency, figure(t, row[3]), 0.15)
			compare(t, what+"bytes a cycle", bytes, figure(t, row[4]), 0.10)
		}
	}
}

func underLoad(g *gpu.Config, warps int) (latency, bytes float64) {
	var askers []*asker
	for i := range 16 {
		askers = append(askers, &asker{pause: depth, asks: func(step uint64) []Request {
			return []Request{{Line: splitmix.Mix(step<<8|uint64(i)) % (1 << 28), Sectors: 1}}
		}})
	}
	for sm := 1; sm < g.SMs; sm++ {
		for warp := range warps {
			n := uint64(sm*32 + warp)
			askers = append(askers, &asker{sm: int16(sm), start: int64(splitmix.Mix(n) % 700), pause: 100, asks: func(step uint64) []Request {
				return lines((n*991<<10/LineBytes+4*step)&(1<<33/LineBytes-1), 4, Load)
			}})
		}
	}
	sectors, _ := run(NewSystem(g), askers, 40000)
	sum, n := int64(0), int64(0)
	for _, a := range askers[:16] {
		sum, n = sum+a.waited, n+a.counts
	}
	return float64(sum) / float64(n), SectorBytes * sectors
}
