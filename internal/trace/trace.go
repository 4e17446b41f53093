// Package trace writes what the warps of a launch do as text, one event a line:
// where lanes diverge and reconverge, which instructions run under which masks, where
// they go in memory, what they write to registers, and whom they wait for. The
// same launch gives the same text on every machine.
//
// A line begins with the warp, the event, the source line and the lanes that it
// is about, as a mask in hexadecimal:
//
//	b0.w0  diverge     L7    ffffffff  taken ffff0000 to L10  fall-through 0000ffff to L8  reconverge at L12  depth 3  @%p1 bra ELSE;
//
// Block 0 is the first, counted with x fastest, then y, then z.
package trace

import (
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Kind is what a trace is of.
type Kind uint8

const (
	Mask  Kind = iota // what happens to masks: divergence, reconvergence, barriers, calls, exits
	Instr             // every warp instruction
	Mem               // every access to memory
	Regs              // what instructions write to registers
	Sync              // barriers, collectives and fences
	Heat              // lanes by instructions, as a picture of each warp
	Issue             // every machine instruction with its cycle: of launches with a clock, by NewIssues
	numKinds
)

var kindNames = [numKinds]string{"mask", "instr", "mem", "regs", "sync", "heat", "issue"}

// String is the kind's name, as ParseKind takes it.
func (k Kind) String() string { return kindNames[k] }

// IsTimed reports whether the kind is for launches with a clock. The others are for those
// without one.
func (k Kind) IsTimed() bool { return k == Issue }

// KindNames are the names of all kinds.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// ParseKind is the kind of that name. Its error lists the names.
func ParseKind(name string) (Kind, error) {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return Kind(i), nil
	}
	return 0, isa.Unknown("trace", name, kindNames[:])
}

// Options say what is traced. An empty Filter is no limit. They limit what is
// written, not what is executed.
type Options struct {
	Kind   Kind
	Blocks Filter // by number
	Warps  Filter // in their block
	Lines  Filter // of the source; not for Heat
	SMs    Filter // for Issue
	Cycles Filter // for Issue
}

// Attach makes l, a launch on m, write a trace to out. End must be called when
// the launch is over. Errors are those of interp.Machine.Functions. The kind must not be a timed one.
func Attach(m *interp.Machine, l *interp.Launch, out io.Writer, o Options) (*Tracer, error) {
	if o.Kind.IsTimed() {
		panic("simtrun bug: a trace of issues has an sm.Recorder")
	}
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	t := &Tracer{out: out, options: o, emits: &emitted[o.Kind], machine: m, fns: fns, grid: l.Grid}
	l.Observe(t)
	return t, nil
}
