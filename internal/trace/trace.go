// Package trace writes the activity of a launch's warps as text, one event per line: where lanes diverge and
// reconverge, which instructions execute under which masks, what memory they access, what they write to registers,
// and which lanes they wait for. The same launch gives the same text on every machine.
//
// A line begins with the warp, the event, the source line and the lanes concerned, as a hexadecimal mask:
//
//	b0.w0  diverge     L7    ffffffff  taken ffff0000 to L10  fall-through 0000ffff to L8  reconverge at L12  depth 3  @%p1 bra ELSE;
//
// Blocks are numbered from 0, with x fastest, then y, then z.
package trace

import (
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Kind is the kind of a trace.
type Kind uint8

const (
	Mask  Kind = iota // changes of masks: divergence, reconvergence, barriers, calls, exits
	Instr             // every warp instruction
	Mem               // every access to memory
	Regs              // values written to registers
	Sync              // barriers, collectives and fences
	Heat              // lanes by instructions, as a picture of each warp
	Issue             // every machine instruction with its cycle: for launches with a clock, by NewIssues
	numKinds
)

var kindNames = [numKinds]string{"mask", "instr", "mem", "regs", "sync", "heat", "issue"}

// String returns the kind's name, as ParseKind takes it.
func (k Kind) String() string { return kindNames[k] }

// IsTimed reports whether the kind is for launches with a clock. The others are for those
// without one.
func (k Kind) IsTimed() bool { return k == Issue }

// KindNames returns the names of all kinds.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// ParseKind returns the kind of that name. The error lists the names.
func ParseKind(name string) (Kind, error) {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return Kind(i), nil
	}
	return 0, isa.Unknown("trace", name, kindNames[:])
}

// Options choose the traced events. An empty Filter has no limit. Filters limit the output, not the execution.
type Options struct {
	Kind   Kind
	Blocks Filter // by number
	Warps  Filter // by number in the block
	Lines  Filter // of the source; not for Heat
	SMs    Filter // for Issue
	Cycles Filter // for Issue
}

// Attach makes l, a launch on m, write a trace to out. Call End when the launch has ended. Errors are those of
// interp.Machine.Functions. The kind must not be a timed one.
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
