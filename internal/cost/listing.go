package cost

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
)

// Listing returns the machine instructions of f as text, in the order in which a GPU with these latencies issues
// them. A line has the stall count, which is how many cycles after the instruction the next one is issued if it waits
// for nothing of variable latency; the class; and the PTX instruction with its line in the source.
func Listing(f *isa.Func, latencies *Latencies) string {
	g := flow.New(f)
	costs := Lower(f, g, Lowered, true)
	return list(f, g, costs, latencies, nil)
}

// AssembledListing is Listing with the number and order of the machine instructions of an assembler's code. IsGlobal is
// as for LoadConstants. The last line says how much of the code stands for PTX.
func AssembledListing(f *isa.Func, latencies *Latencies, code *sass.Function, isGlobal func(name string) bool) string {
	g := flow.New(f)
	costs := Lower(f, g, Lowered, true)
	a := Assemble(f, g, costs, LoadConstants(f, g, costs, isGlobal), latencies, code)
	return list(f, g, costs, latencies, a) + a.String() + "\n"
}

// Added returns how many machine instructions are issued in addition to those that stand for PTX.
func (a *Assembled) Added() int { return max(0, a.Machine-a.Matched-a.Unused) }

// String says how much of the code stands for PTX.
func (a *Assembled) String() string {
	return fmt.Sprintf("%d of %s stand for PTX, %d are in addition, %d in blocks without PTX; %d that simtrun expects are not there",
		a.Matched, count(a.Machine, "machine instruction"), a.Added(), a.Unused, a.Absent)
}

func list(f *isa.Func, g *flow.Graph, costs []Instr, latencies *Latencies, a *Assembled) string {
	l := listing{f: f, latencies: latencies}
	if a != nil {
		for _, slot := range a.Entry {
			l.instruction(-1, 0, 0, []Slot{slot}, 0)
		}
	}
	regions := a.Regions(f, g, costs, latencies)
	s := &scheduling{f: f}
	labels := make(map[int][]string)
	for i := range f.Labels {
		labels[f.Labels[i].PC] = append(labels[f.Labels[i].PC], f.Labels[i].Name)
	}
	for pc := 0; pc <= len(f.Code); {
		for _, name := range labels[pc] {
			fmt.Fprintf(&l.text, "%s:\n", name)
		}
		if len(regions) > 0 && regions[0].First == pc {
			l.region(regions[0])
			pc, regions = regions[0].End, regions[1:]
			continue
		}
		if pc == len(f.Code) && pc > 0 && f.Code[pc-1].Guard == isa.NoReg && s.leaves(pc-1) {
			break // nothing leads to the end
		}
		c := &costs[pc]
		slots := c.Slots
		for range c.Syncs {
			slots = append([]Slot{{Class: isa.CostWarpSync}}, slots...)
		}
		l.instruction(pc, 0, 0, slots, 0)
		pc++
	}
	return fmt.Sprintf("%s  %s\n%s", f.Name, count(l.machine, "machine instruction"), l.text.String())
}

// listing is the text of a function's machine instructions.
type listing struct {
	f         *isa.Func
	latencies *Latencies
	text      strings.Builder
	machine   int // machine instructions so far
}

// region lists the machine instructions of a region: those of all iterations that the assembler joins.
func (l *listing) region(r *Region) {
	if r.Copies > 1 {
		fmt.Fprintf(&l.text, "    // %s\n", r.loop())
	}
	b := r.Body(r.Copies)
	stalls := b.stalls(l.latencies)
	for i := range b.Steps {
		st := &b.Steps[i]
		l.instruction(st.PC, st.Copy, st.Joined, st.Slots, stalls[i])
	}
}

// loop describes how the iterations of a region's loop become machine instructions.
func (r *Region) loop() string {
	if r.Whole {
		return fmt.Sprintf("all %d iterations of the loop", r.Copies)
	}
	return fmt.Sprintf("%d iterations of the loop; %s before it, %d after it", r.Copies, count(len(r.Entry), "machine instruction"), len(r.Exit))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// instruction lists the machine instructions of a PTX instruction. Stall is the stall count of the last one; 0 if it
// is not known.
func (l *listing) instruction(pc, iteration, joined int, slots []Slot, stall int) {
	for i, s := range slots {
		cycles := 1
		switch {
		case s.Stall > 0:
			cycles = int(s.Stall)
		case i+1 == len(slots):
			cycles = max(stall, 1)
		case slots[i+1].Waits:
			cycles = l.latencies[s.Class]
		}
		line, text := 0, "end"
		switch {
		case pc < 0:
			text = "entry"
		case pc < len(l.f.Code):
			line, text = int(l.f.Code[pc].Pos.Line), l.f.Text(pc)
		}
		class := s.Class.String()
		if s.More > 0 {
			class += " uniform"
		}
		fmt.Fprintf(&l.text, "%6d  %-18s", cycles, class)
		if i+1 == len(slots) {
			fmt.Fprintf(&l.text, " L%-5d %s", line, text)
			if iteration > 0 {
				fmt.Fprintf(&l.text, "  // iteration %d", iteration+1)
			}
			if joined > 0 {
				fmt.Fprintf(&l.text, "  // and the %d loads beside it", joined-1)
			}
		}
		l.text.WriteByte('\n')
		l.machine++
	}
}

// stalls returns by step how many cycles after it the next step is issued, if no result of variable latency delays it.
func (b *Body) stalls(latencies *Latencies) []int {
	ready := make(map[Value]int)
	stalls := make([]int, len(b.Steps))
	at, previous := 0, -1
	for i := range b.Steps {
		st := &b.Steps[i]
		if len(st.Slots) == 0 {
			for _, v := range st.Results {
				ready[v] = 0
				for _, from := range st.Sources {
					ready[v] = max(ready[v], ready[from])
				}
			}
			continue
		}
		start := at
		for _, v := range st.Sources {
			start = max(start, ready[v])
		}
		if previous >= 0 {
			stalls[previous] = start - at + 1
		}
		last := st.Slots[len(st.Slots)-1].Class
		for j := range st.Slots[1:] {
			if start++; st.Slots[j+1].Waits {
				start += latencies[st.Slots[j].Class] - 1
			}
		}
		for _, v := range st.Results {
			ready[v] = 0
			if !varies(last) {
				ready[v] = start + latencies[last] + st.Slots[len(st.Slots)-1].More
			}
		}
		at, previous = start+1, i
	}
	return stalls
}

// varies reports whether the latency of a class depends on other instructions, so that a scoreboard tells when the
// result is there, and not a stall count.
func varies(c isa.CostClass) bool {
	switch c {
	case isa.CostLoadConstant, isa.CostLoadShared, isa.CostAtomicShared, isa.CostLoadGlobal, isa.CostAtomicGlobal, isa.CostLoadLocal, isa.CostTexture, isa.CostSpecialFunction,
		isa.CostConversion, isa.CostDoubleConversion, isa.CostBitCount, isa.CostMatch, isa.CostReduction, isa.CostShuffle, isa.CostReadSpecial:
		return true
	}
	return false
}
