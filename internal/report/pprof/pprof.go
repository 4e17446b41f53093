// Package pprof converts a report to a profile in the format of pprof, which "go tool pprof" shows as tables,
// annotated source, graphs and flame graphs.
package pprof

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sm"
)

// value is a type of samples: a count of an instruction, or of a whole launch.
type value struct {
	name, unit string
	of         func(c *report.Instruction) uint64
}

// values returns the types of samples. With a clock the types of time come last, because pprof shows the last type by
// default: the waits of warps.
func values(d *report.Document) []value {
	all := []value{
		{"sectors", "count", func(c *report.Instruction) uint64 { sectors, _ := traffic(c); return sectors }},
		{"shared_wavefronts", "count", func(c *report.Instruction) uint64 { _, wavefronts := traffic(c); return wavefronts }},
		{"lost_lane_slots", "count", func(c *report.Instruction) uint64 { return c.Counts.LostSlots() }},
		{"lane_instructions", "count", func(c *report.Instruction) uint64 { return c.Counts.Lanes }},
		{"warp_instructions", "count", func(c *report.Instruction) uint64 { return c.Counts.Runs }},
	}
	var states sm.States
	for i := range d.Launches {
		if t := d.Launches[i].Time; t != nil {
			states.Add((*sm.States)(&t.Stalls))
		}
	}
	if states.Total() == 0 {
		return all
	}
	for s := range sm.NumStates {
		if states[s] > 0 {
			all = append(all, value{s.String(), "cycles", func(c *report.Instruction) uint64 { return c.Stalls[s] }})
		}
	}
	return append(all,
		value{"warp_cycles", "cycles", func(c *report.Instruction) uint64 { return (*sm.States)(&c.Stalls).Total() }},
		value{"stall_cycles", "cycles", func(c *report.Instruction) uint64 { return (*sm.States)(&c.Stalls).Total() - c.Stalls[sm.Selected] }})
}

// traffic returns the sectors of cached memory, and the wavefronts of shared memory.
func traffic(c *report.Instruction) (sectors, wavefronts uint64) {
	for i := range c.Counts.Traffic {
		t := &c.Counts.Traffic[i]
		sectors += t.Sectors
		if t.Space == isa.Shared || t.Space == isa.SharedCluster {
			wavefronts += t.Wavefronts
		}
	}
	return sectors, wavefronts
}

// Encode returns the compressed profile of a report. Each executed instruction is a sample. Its stack begins with its
// line of PTX or, in PTX of a compiler, its positions in the source. The calls from the kernel follow as far as they
// are known, which is the case for functions that are called at only one place. The end of a kernel's code is a
// separate sample, so that all samples add up to the figures of the launch.
func Encode(d *report.Document) ([]byte, error) {
	b := &builder{values: values(d), p: &profile{}, locations: make(map[string]*location), functions: make(map[string]*function)}
	for _, v := range b.values {
		b.p.sampleTypes = append(b.p.sampleTypes, valueType{v.name, v.unit})
	}
	b.p.defaultType = b.values[len(b.values)-1].name
	for i := range d.Launches {
		b.launch(&d.Launches[i], i, len(d.Launches) > 1)
	}
	return b.p.encode()
}

// builder builds a profile.
type builder struct {
	values    []value
	p         *profile
	locations map[string]*location
	functions map[string]*function
}

// launch adds the samples of a launch, labelled with its number if there are several.
func (b *builder) launch(l *report.Launch, number int, several bool) {
	if t := l.Time; t != nil {
		b.p.durationNanos += int64(t.Microseconds * 1000)
	}
	rest := b.total(l)
	calls := callsOf(l)
	for i := range l.Instructions {
		in := &l.Instructions[i]
		s := &sample{stack: []*location{b.location(in)}}
		for _, site := range calls.to(in.Symbol(), l.Symbol()) {
			s.stack = append(s.stack, b.location(site))
		}
		if in.Symbol() != l.Symbol() && !calls.reach(in.Symbol(), l.Symbol()) {
			s.stack = append(s.stack, b.place("", l.Symbol(), report.Place{File: l.File}, nil))
		}
		for k, v := range b.values {
			n := int64(v.of(in))
			s.values = append(s.values, n)
			rest[k] -= n
		}
		b.add(s, l, number, several)
	}
	for _, n := range rest {
		if n != 0 {
			b.add(&sample{stack: []*location{b.place("end", l.Symbol(), report.Place{File: l.File}, nil)}, values: rest}, l, number, several)
			return
		}
	}
}

// total returns the report's figures for a whole launch.
func (b *builder) total(l *report.Launch) (sum []int64) {
	whole := report.Instruction{Counts: l.Counts}
	if l.Time != nil {
		whole.Stalls = report.Stalls(l.Time.Stalls)
	}
	for _, v := range b.values {
		sum = append(sum, int64(v.of(&whole)))
	}
	return sum
}

func (b *builder) add(s *sample, l *report.Launch, number int, several bool) {
	if several {
		s.kernel, s.launch = l.Kernel, int64(number)
	}
	b.p.samples = append(b.p.samples, s)
}

// location returns the location of an instruction.
func (b *builder) location(in *report.Instruction) *location {
	return b.place(fmt.Sprint(in.PC), in.Symbol(), in.Place, in.Frames())
}

// place returns the location for a function under a key, with the positions from which it was compiled.
func (b *builder) place(key, function string, at report.Place, from []report.Frame) *location {
	key = fmt.Sprintf("%s\x00%s\x00%s", at.File, function, key)
	if l := b.locations[key]; l != nil {
		return l
	}
	l := &location{id: uint64(len(b.p.locations) + 1), mapping: b.mapping(at.File)}
	if len(from) == 0 {
		l.lines = []line{b.line(function, at)}
	}
	l.address = l.id // there is no real address
	for _, p := range from {
		l.lines = append(l.lines, b.line(cmp.Or(p.Function, function), p.Place))
	}
	b.locations[key] = l
	b.p.locations = append(b.p.locations, l)
	return l
}

func (b *builder) line(name string, at report.Place) line {
	key := at.File + "\x00" + name
	f := b.functions[key]
	if f == nil {
		f = &function{id: uint64(len(b.p.functions) + 1), name: cxx.Short(name), systemName: name, file: at.File}
		b.functions[key] = f
		b.p.functions = append(b.p.functions, f)
	}
	return line{f, int64(at.Line), int64(at.Column)}
}

// mapping returns the mapping of a file.
func (b *builder) mapping(file string) *mapping {
	for _, m := range b.p.mappings {
		if m.file == file {
			return m
		}
	}
	m := &mapping{uint64(len(b.p.mappings) + 1), file}
	b.p.mappings = append(b.p.mappings, m)
	return m
}

// calls maps functions to the instructions that call them.
type calls map[string][]*report.Instruction

var callee = regexp.MustCompile(`\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?([\w$.]+)`)

func callsOf(l *report.Launch) calls {
	c := make(calls)
	for i := range l.Instructions {
		in := &l.Instructions[i]
		if m := callee.FindStringSubmatch(in.Text); m != nil {
			c[m[1]] = append(c[m[1]], in)
		}
	}
	return c
}

// to returns the calls from a kernel to a function, the last one first, as long as each step has only one call.
func (c calls) to(function, kernel string) (sites []*report.Instruction) {
	for seen := map[string]bool{}; function != kernel && len(c[function]) == 1 && !seen[function]; {
		seen[function] = true
		sites = append(sites, c[function][0])
		function = c[function][0].Symbol()
	}
	return sites
}

// reach reports whether those calls begin in the kernel.
func (c calls) reach(function, kernel string) bool {
	sites := c.to(function, kernel)
	return len(sites) > 0 && sites[len(sites)-1].Symbol() == kernel
}
