package native

import (
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// trace is what a compiler keeps for a Listing while it compiles. The other compilations have none.
type trace struct {
	regions []tracedRegion
	loops   []tracedLoop
	entries []tracedEntry
	marks   []mark
}

// tracedRegion is a straight-line region as it is emitted.
type tracedRegion struct {
	block           int
	start, end      int // PCs
	cuts            []int
	steps           []tracedStep
	affine, gathers int // areas whose bounds are checked
	deferred        bool
}

// tracedStep says where a step is computed.
type tracedStep struct {
	pc           int
	nothing      bool // no code comes of it: it makes a copy, which shares its slot, or a branch that was if-converted
	scalar, dead bool
}

// tracedLoop is a loop that holds values in registers.
type tracedLoop struct {
	blocks  []int
	carried []carried
}

// tracedEntry is a place where code can be entered, and the scalars that it finds in slots there.
type tracedEntry struct {
	pc      int
	scalars []jit.Scalar
}

// mark is an offset of the code, and what is there.
type mark struct {
	offset int
	pc     int // noPC for none
	what   string
	data   bool // not instructions
}

const noPC = -1

// mark notes that the code from here on is for the instruction at pc.
func (c *compiler) mark(pc int, what string) { c.addMark(mark{pc: pc, what: what}) }

// markData notes that data follows.
func (c *compiler) markData(what string) { c.addMark(mark{pc: noPC, what: what, data: true}) }

func (c *compiler) addMark(m mark) {
	if c.trace == nil {
		return
	}
	m.offset = c.e.Len()
	marks := c.trace.marks
	for i := len(marks) - 1; i >= 0 && marks[i].offset > m.offset; i-- { // the encoder has taken back what was there
		marks[i].offset = m.offset
	}
	c.trace.marks = append(marks, m)
}

// markStub notes what code that is seldom executed is for.
func (c *compiler) markStub(s *stub) {
	switch {
	case c.trace == nil:
	case s.entry != nil:
		c.mark(noPC, "entry")
	case s.write == nil:
		c.mark(c.out.exits[s.exit.number].PC, "exit")
	default:
		c.mark(noPC, "seldom executed")
	}
}

// traceRegion notes a region that is about to be emitted.
func (c *compiler) traceRegion(b int, r *region) {
	if c.trace == nil {
		return
	}
	t := tracedRegion{block: b, start: r.start, end: r.end, cuts: slices.Clone(r.cuts), affine: r.pointers, gathers: r.gathers, deferred: r.deferred}
	for i := range r.steps {
		s := &r.steps[i]
		t.steps = append(t.steps, tracedStep{pc: s.pc, nothing: s.kind == stepNop, scalar: s.scalar, dead: s.dead})
	}
	c.trace.regions = append(c.trace.regions, t)
}

// traceEntry notes an entry at pc.
func (c *compiler) traceEntry(pc int, scalars []jit.Scalar) {
	if c.trace != nil {
		c.trace.entries = append(c.trace.entries, tracedEntry{pc, slices.Clone(scalars)})
	}
}

// traceLoops notes the loops of the version that is about to be emitted.
func (c *compiler) traceLoops() {
	if c.trace == nil {
		return
	}
	for _, l := range c.loops {
		c.trace.loops = append(c.trace.loops, tracedLoop{slices.Clone(l.blocks), slices.Clone(l.carried)})
	}
}

// Listing is a function as a Compiler sees it, stage by stage, for warps with all lanes active. It is text: nothing of
// it can be executed.
type Listing struct {
	Plan    string // by instruction: what becomes of it, and the class of its result
	Regions string // straight-line regions, and loops that hold values in registers
	Code    string // machine code, with the PTX of each part
	Exits   string // where code is entered and exits, and what is passed there
	parts   []codePart
}

// Between returns the machine code of the instructions from one PC to another, without what is seldom executed.
func (l *Listing) Between(from, to int) string {
	var w strings.Builder
	for _, p := range l.parts {
		if p.pc >= min(from, to) && p.pc <= max(from, to) {
			w.WriteString(p.text)
		}
	}
	return w.String()
}

// List compiles a function for a Listing, in its parts one after the other. Its errors are those of Compile.
func (c *Compiler) List(s Subject) (*Listing, error) {
	parts := PartsOf(s.Func, s.Shape)
	if s.Part != (Part{}) || parts == nil {
		return c.listPart(s)
	}
	var all Listing
	for _, s.Part = range parts {
		l, err := c.listPart(s)
		if err != nil {
			return nil, err
		}
		all.Plan, all.Regions, all.Code, all.Exits = all.Plan+l.Plan, all.Regions+l.Regions, all.Code+l.Code, all.Exits+l.Exits
		all.parts = append(all.parts, l.parts...)
	}
	return &all, nil
}

// listPart is List for a part.
func (c *Compiler) listPart(s Subject) (l *Listing, err error) {
	var none *Func
	defer c.recovered(s, &none, &err)
	c.trace = new(trace)
	defer func() { c.trace = nil }()
	code, err := c.compileFull(s)
	if err != nil {
		return nil, err
	}
	parts := c.codeParts(slices.Clone(code))
	for i := range parts {
		if parts[i].pc != noPC {
			parts[i].pc = c.origin(parts[i].pc)
		}
	}
	return &Listing{Plan: c.planText(), Regions: c.regionText(), Code: c.codeText(len(code), parts), Exits: c.exitText(), parts: parts}, nil
}
