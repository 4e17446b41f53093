package report

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
)

// writeSMs writes the activity of each SM.
func writeSMs(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) {
		t := l.Time
		if t == nil {
			w.WriteString("\nSMs: " + d.noTime() + "\n")
			return
		}
		fmt.Fprintf(w, "\nSMs (cycles from the start of the launch)\n")
		w.sentence("  ", fmt.Sprintf("%d of %d have blocks, and warps in %s of their %s; tail %s, %s",
			t.SMsUsed(), len(t.SMs), percentOf(t.SMsBusy()), Count(t.Cycles, "cycle"), Count(t.Tail(), "cycle"), percentOf(share(float64(t.Tail()), float64(t.Cycles)))))
		fmt.Fprintf(w, "  %4s %7s %10s %10s %10s %7s %6s %6s  %s\n", "sm", "blocks", "first", "last", "tail", "busy", "warps", "IPC", "main stall")
		idle := 0
		for id := range t.SMs {
			m := &t.SMs[id]
			if m.Blocks == 0 {
				idle++
				continue
			}
			states := sm.States(m.Stalls)
			state, longest := mainStall(&states)
			main := "none"
			if longest > 0 {
				main = fmt.Sprintf("%s %s", state, percent(longest, states.Total()))
			}
			fmt.Fprintf(w, "  %4d %7d %10d %10d %10d %7s %6.1f %6.2f  %s\n", id, m.Blocks, m.FirstCycle, m.LastCycle, t.tail(m), percentOf(share(float64(m.ActiveCycles), float64(t.Cycles))),
				share(float64(m.WarpCycles), float64(m.ActiveCycles)), share(float64(m.Issued), float64(m.ActiveCycles)), main)
		}
		if idle > 0 {
			fmt.Fprintf(w, "  %d SMs have no block\n", idle)
		}
	})
}

// noTime says why a launch has no timing.
func (d *Document) noTime() string {
	if d.GPU != "none" {
		return "none, because no warp had started when the run ended"
	}
	return "none without a clock"
}

// tail returns the cycles of the launch after an SM's last block.
func (t *Time) tail(m *SM) int64 { return t.Cycles - m.LastCycle }

// Tail returns the cycles from the first moment at which an SM had completed all its blocks to the end of the launch.
// SMs without blocks do not count.
func (t *Time) Tail() int64 {
	first := t.Cycles
	for i := range t.SMs {
		if m := &t.SMs[i]; m.Blocks > 0 {
			first = min(first, m.LastCycle)
		}
	}
	return t.Cycles - first
}

// SMsUsed returns how many SMs got a block.
func (t *Time) SMsUsed() (n int) {
	for i := range t.SMs {
		if t.SMs[i].Blocks > 0 {
			n++
		}
	}
	return n
}

// SMsBusy returns the active cycles of SMs over all their cycles.
func (t *Time) SMsBusy() float64 { return share(float64(t.ActiveCycles), t.smCycles()) }

// mainStall returns the state other than Selected in which warps spent most cycles, and these cycles.
func mainStall(s *sm.States) (main sm.State, cycles uint64) {
	main = sm.NotSelected
	for state := main; state < sm.NumStates; state++ {
		if s[state] > s[main] {
			main = state
		}
	}
	return main, s[main]
}

// writeMemoryPage writes the traffic between lanes and device memory.
func writeMemoryPage(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) {
		if len(l.Counts.Traffic) == 0 && l.Time == nil {
			w.WriteString("\nMemory: no requests\n")
			return
		}
		writeRequests(w, l)
		writeArrays(w, l)
		writeBuffers(w, l)
		writeLevels(w, l)
		writeMemory(w, l, len(l.Instructions))
	})
}

// writeRequests writes the requests of lanes, by kind and space.
func writeRequests(w *sheet, l *Launch) {
	if len(l.Counts.Traffic) == 0 {
		return
	}
	w.WriteString("\nRequests\n")
	width := 14
	for i := range l.Counts.Traffic {
		width = max(width, len(requestsName(&l.Counts.Traffic[i])))
	}
	fmt.Fprintf(w, "  %-*s %10s %6s %12s %6s %11s %9s\n", width, "", "requests", "lanes", "sectors/req", "ideal", "wavefronts", "conflicts")
	for i := range l.Counts.Traffic {
		t := &l.Counts.Traffic[i]
		sectors, ideal, wavefronts := "-", "-", "-"
		if t.Sectors > 0 {
			sectors, ideal = over(t.Sectors, t.Requests), over(t.IdealSectors, t.Requests)
		}
		if n := passes(t); n > 0 {
			wavefronts = fmt.Sprint(n)
		}
		fmt.Fprintf(w, "  %-*s %10d %6s %12s %6s %11s %9s\n", width, requestsName(t), t.Requests, over(t.Lanes, t.Requests), sectors, ideal, wavefronts, conflicts(t))
	}
}

// requestsName returns the space and kind of requests.
func requestsName(t *profile.Traffic) string { return t.Space.String() + " " + t.Kind.String() }

// writeLevels writes the levels of memory, starting at the SMs.
func writeLevels(w *sheet, l *Launch) {
	if l.Time == nil || len(l.Time.Levels) == 0 {
		return
	}
	w.WriteString("\nLevels (of the peak in the cycles of the launch)\n")
	fmt.Fprintf(w, "  %-14s %10s %11s %13s %8s %8s %8s\n", "", "requests", "sectors", "bytes", "hits", "pending", "of peak")
	for i := range l.Time.Levels {
		v := &l.Time.Levels[i]
		number := func(n uint64) string {
			if n == 0 {
				return "-"
			}
			return fmt.Sprint(n)
		}
		hits, pending := "-", "-"
		if v.HitRate != nil {
			hits = percentOf(*v.HitRate)
		}
		if v.Pending > 0 {
			pending = percent(v.Pending, v.Sectors)
		}
		fmt.Fprintf(w, "  %-14s %10s %11s %13d %8s %8s %8s\n", levelNames[v.Name], number(v.Requests), number(v.Sectors), v.Bytes, hits, pending, percentOf(v.OfPeak))
	}
	if len(l.Time.Roofline) > 0 {
		w.WriteString("\nRoofline\n")
	}
	for _, r := range l.Time.Roofline {
		fmt.Fprintf(w, "  %-14s %12.1f of %9.1f %-6s %8s\n", r.Name, r.Achieved, r.Peak, r.Unit, percentOf(r.OfPeak))
	}
	if i := slices.IndexFunc(l.Time.Roofline, func(r Roof) bool { return r.Name == "dram" }); i >= 0 {
		flops := uint64(0)
		for k := range l.Instructions {
			flops += l.Instructions[k].FLOPs
		}
		if dram := l.Time.level("dram"); flops > 0 && dram.Bytes > 0 {
			fmt.Fprintf(w, "  %-14s %12.3f FLOP/byte of device memory\n", "intensity", float64(flops)/float64(dram.Bytes))
		}
	}
}
