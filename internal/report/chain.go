package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// mostChains is how many chains of calls are listed below a line.
const mostChains = 3

// Frames returns the positions in the sources of an instruction that was compiled, from the shown one outwards: after
// that of a function that was inlined follows its call.
func (in *Instruction) Frames() []Frame {
	at := slices.IndexFunc(in.From, func(f Frame) bool { return f.Place == in.Place })
	return in.From[max(at, 0):]
}

// chain describes the calls through which an instruction was inlined, as in "get, called by Tile::load at tile.cuh:9,
// by k at k.cu:20"; "" if it was not.
func (in *Instruction) chain() string {
	frames := in.Frames()
	if len(frames) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString(cmp.Or(frames[0].Function, "a function") + ", called")
	for i, call := range frames[1:] {
		if i > 0 {
			b.WriteByte(',')
		}
		if call.Function != "" {
			b.WriteString(" by " + call.Function)
		}
		b.WriteString(" at " + call.short())
	}
	return b.String()
}

// addChain adds the calls through which an instruction of the line was inlined.
func (l *Line) addChain(in *Instruction) {
	if chain := in.chain(); chain != "" && !slices.Contains(l.Chains, chain) {
		l.Chains = append(l.Chains, chain)
	}
}

// ShownChains returns the first chains, and a last text with the number of others.
func (l *Line) ShownChains() []string {
	if len(l.Chains) <= mostChains {
		return l.Chains
	}
	return append(slices.Clone(l.Chains[:mostChains]), fmt.Sprintf("… %d more", len(l.Chains)-mostChains))
}

// ptxText returns an instruction with the machine instructions that the clock charges for it, if there are any.
func (in *Instruction) ptxText() string {
	if len(in.Machine) == 0 {
		return in.Text + ";"
	}
	return in.Text + ";  // " + in.MachineText()
}

// MachineText lists the machine instructions that the clock charges for an instruction, as in "2 integer, single".
func (in *Instruction) MachineText() string {
	var texts []string
	for i := 0; i < len(in.Machine); {
		n := 1
		for i+n < len(in.Machine) && in.Machine[i+n] == in.Machine[i] {
			n++
		}
		text := in.Machine[i]
		if n > 1 {
			text = fmt.Sprintf("%d %s", n, text)
		}
		texts = append(texts, text)
		i += n
	}
	return strings.Join(texts, ", ")
}

// Lines returns what a page shows of a finding below its first line: the line of the source, the calls through which
// it was inlined, the other lanes with their lines, and what to do.
func (f *Finding) Lines() (lines []string) {
	add := func(what, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("%-7s %s", what, text))
		}
	}
	side := func(what, file string, line int32, c *Compiled, instr string) {
		if file == "" {
			return
		}
		add(what, fmt.Sprintf("%s:%d  %s", file, line, textOf(c, instr)))
		for _, call := range callsOf(c) {
			add("in", fmt.Sprintf("%s at %s:%d", call.Role, call.File, call.Line))
		}
	}
	if text := textOf(f.Compiled, f.Instr); text != "" {
		lines = append(lines, text)
	}
	for _, call := range callsOf(f.Compiled) {
		add("in", fmt.Sprintf("%s at %s:%d", call.Role, call.File, call.Line))
	}
	if o := f.Other; o != nil {
		side(o.Does, o.File, o.Line, o.Compiled, o.Instr)
	}
	for i := range f.Waiters {
		w := &f.Waiters[i]
		side(w.Role, w.File, w.Line, w.Compiled, w.Instr)
	}
	add("between", f.Between)
	for _, note := range f.Notes {
		add("note", note)
	}
	add("fix", f.Fix)
	return lines
}
