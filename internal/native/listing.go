package native

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// stepNames are the kinds of steps in a listing.
var stepNames = [...]string{
	stepLeave: "leave", stepNop: "nop", stepCompute: "compute", stepLoad: "load", stepStore: "store", stepAtomic: "atomic",
	stepJump: "branch", stepVote: "vote", stepProduct: "product", stepMatrix: "matrix", stepFetch: "fetch", stepLanes: "lanes", stepBarrier: "barrier", stepEnd: "exit",
}

// String is "uniform", "affine +4" for a stride of 4 from lane to lane, "vector" or "unknown".
func (c class) String() string {
	switch {
	case c.kind == scalar && c.stride == 0:
		return "uniform"
	case c.kind == scalar:
		return fmt.Sprintf("affine %+d", c.stride)
	case c.kind == vector:
		return "vector"
	}
	return "unknown"
}

// planText lists instructions with their kinds and the classes of their results.
func (c *compiler) planText() string {
	var w strings.Builder
	f := c.f
	fmt.Fprintf(&w, "plan of %s: %d instructions, %d blocks, %d slots, for %v\n", f.Src.Name, len(f.Src.Code), len(f.Graph.Blocks()), len(c.s.all), c.e.Level)
	now := make([]class, len(c.s.all))
	for b, block := range f.Graph.Blocks() {
		fmt.Fprintf(&w, "\nblock %d\n", b)
		copy(now, c.full.classes.in[b])
		start, end := c.part.within(&block)
		for pc := start; pc < min(end, len(f.Src.Code)); pc++ {
			st := &c.steps[pc]
			c.full.classes.step(now, &c.live, pc, false)
			var results []string
			for _, d := range st.results() {
				results = append(results, c.resultText(d.slot, now[d.slot]))
			}
			fmt.Fprintf(&w, "%5d  %-8s %-10s %s", pc, stepNames[st.kind], strings.Join(slices.Compact(results), ", "), f.Src.Text(pc))
			if why := c.whyLeft(pc); why != "" {
				fmt.Fprintf(&w, "  // %s", why)
			}
			w.WriteString("\n")
		}
	}
	return w.String()
}

// resultText is the class of a result; of a predicate, whether it depends on data or only on the thread's index.
func (c *compiler) resultText(id slotID, k class) string {
	switch {
	case c.s.all[id].bits != 1:
		return k.String()
	case k.stride == fromData:
		return "by data"
	}
	return "by index"
}

// registerNames are the registers of the function by the offsets of their slots.
func (c *compiler) registerNames() map[uint32]string {
	names := make(map[uint32]string)
	for id := range c.f.Src.Regs {
		if off := c.f.Layout.Reg(isa.RegID(id)); off != 0 && names[off] == "" {
			names[off] = c.f.Src.Regs[id].Name
		}
	}
	return names
}

// regionText lists the regions of each block, and what loops hold in registers.
func (c *compiler) regionText() string {
	var w strings.Builder
	fmt.Fprintf(&w, "regions of %s\n", c.f.Src.Name)
	names := c.registerNames()
	for _, l := range c.trace.loops {
		fmt.Fprintf(&w, "\nloop of blocks %s holds", strings.Trim(fmt.Sprint(l.blocks), "[]"))
		for i := range l.carried {
			h := &l.carried[i]
			fmt.Fprintf(&w, " %s (%v)", names[c.s.all[h.slot].off], h.class)
		}
		w.WriteString("\n")
	}
	for i := range c.trace.regions {
		c.oneRegion(&w, &c.trace.regions[i])
	}
	return w.String()
}

func (c *compiler) oneRegion(w *strings.Builder, r *tracedRegion) {
	fmt.Fprintf(w, "\nblock %d, region %d to %d:", r.block, r.start, r.end-1)
	sep := " "
	for _, of := range []struct {
		n    int
		what string
	}{{r.affine, "affine areas checked"}, {r.gathers, "areas checked lane by lane"}} {
		if of.n > 0 {
			fmt.Fprintf(w, "%s%d %s", sep, of.n, of.what)
			sep = ", "
		}
	}
	if r.deferred {
		fmt.Fprintf(w, "%schecks deferred", sep)
	}
	w.WriteString("\n")
	part := 1
	for i, s := range r.steps {
		if part <= len(r.cuts) && r.cuts[part-1] == i {
			fmt.Fprintf(w, "       part %d\n", part+1)
			part++
		}
		where := "by subvector"
		switch {
		case s.nothing:
			where = "no code"
		case s.dead:
			where = "unused"
		case s.scalar:
			where = "once"
		}
		fmt.Fprintf(w, "%5d  %-12s %s\n", s.pc, where, c.f.Src.Text(s.pc))
	}
}

// exitText lists the entries by PC, with the registers that code takes for scalars there, and then the exits.
func (c *compiler) exitText() string {
	var w strings.Builder
	fmt.Fprintf(&w, "entries and exits of %s\n\n", c.f.Src.Name)
	names := c.registerNames()
	for _, n := range c.trace.entries {
		fmt.Fprintf(&w, "entry   %5d  %s\n", n.pc, c.textAt(n.pc))
		for _, s := range n.scalars {
			if name := names[s.Slot]; name != "" {
				fmt.Fprintf(&w, "               %s (%v)\n", name, class{kind: scalar, stride: s.Stride})
			}
		}
	}
	for i := range c.out.exits {
		x := &c.out.exits[i]
		fmt.Fprintf(&w, "exit %2d %5d  %s  // %s\n", i, x.PC, c.textAt(x.PC), x.text())
	}
	return w.String()
}

// text says why code exits, and what follows.
func (x *Exit) text() string {
	switch {
	case x.Why == AtStop:
		return "the path ends"
	case x.Why == Branched:
		return fmt.Sprintf("the budget is used up at the branch at %d", x.Branch)
	case x.Why == Yields:
		return "another warp continues"
	case x.Diverges:
		return "lanes diverge"
	}
	return fmt.Sprintf("lane functions execute up to %d", x.Until)
}

// textAt is the PTX at a PC, which may be the end of the function.
func (c *compiler) textAt(pc int) string {
	if pc >= len(c.f.Src.Code) {
		return "the end"
	}
	return c.f.Src.Text(pc)
}

// codePart is the machine code of an instruction, or of something else if pc is noPC.
type codePart struct {
	pc   int
	text string
}

// codeParts lists machine code in parts, with the PTX of each before it.
func (c *compiler) codeParts(code []byte) (parts []codePart) {
	marks := append(c.trace.marks, mark{offset: len(code), pc: noPC})
	for i, m := range marks[:len(marks)-1] {
		end := marks[i+1].offset
		if end <= m.offset {
			continue // no code came of it
		}
		var w strings.Builder
		switch {
		case m.pc == noPC:
			fmt.Fprintf(&w, "\n; %s\n", m.what)
		case m.pc >= len(c.f.Src.Code):
			fmt.Fprintf(&w, "\n; %d: the end  (%s)\n", m.pc, m.what)
		default:
			fmt.Fprintf(&w, "\n; %d: %s  (%s)\n", m.pc, c.f.Src.Text(m.pc), m.what)
		}
		listCode(&w, code, m.offset, end, m.data)
		parts = append(parts, codePart{m.pc, w.String()})
	}
	return parts
}

// codeText is machine code of a number of bytes, in parts.
func (c *compiler) codeText(size int, parts []codePart) string {
	var w strings.Builder
	fmt.Fprintf(&w, "code of %s: %d bytes, for %v\n", c.f.Src.Name, size, c.e.Level)
	for _, p := range parts {
		w.WriteString(p.text)
	}
	return w.String()
}

// dataBytes is how many bytes of data stand in a line.
const dataBytes = 16

// listCode lists code from offset at up to end. Once bytes are not an instruction, the rest is listed as data.
func listCode(w *strings.Builder, code []byte, at, end int, data bool) {
	for at < end {
		text, size, ok := "", 0, false
		if !data {
			text, size, ok = jit.Disassemble(code[at:end])
		}
		if !ok {
			data, size = true, min(dataBytes, end-at)
			text = ".byte " + hex.EncodeToString(code[at:at+size])
		} else if target, ok := targetOf(text, at+size); ok {
			text = target
		}
		fmt.Fprintf(w, "%*x  %s\n", max(5, bits.Len(uint(len(code)))/4+1), at, text)
		at += size
	}
}

// targetOf has the offset that a jump goes to in place of its distance.
func targetOf(text string, next int) (string, bool) {
	name, distance, ok := strings.Cut(text, " ")
	var n int
	if !ok || distance[0] != '+' && distance[0] != '-' {
		return "", false
	}
	if _, err := fmt.Sscanf(distance, "%d", &n); err != nil {
		return "", false
	}
	return fmt.Sprintf("%s %x", name, next+n), true
}
