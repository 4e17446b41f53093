package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Reduction is an operation on integers by which an atomic combines memory with its source, if nothing reads the old
// value. The order of several such atomics then has no effect, and their sources may be combined separately first,
// starting with the identity.
type Reduction struct {
	Op       isa.Mod
	Type     isa.Type
	Identity uint64 // the source that does not change the other
	// Mem is the atomic: it combines with the source B, and writes the old value to D.
	Mem lanes.MemFunc
}

// Is reports whether two reductions are one operation.
func (r *Reduction) Is(o *Reduction) bool { return r.Op == o.Op && r.Type == o.Type }

// Invertible reports whether each source except the identity changes the memory that it is combined with.
func (r *Reduction) Invertible() bool { return r.Op == isa.AtomAdd || r.Op == isa.AtomXor }

// reduction finds whether the atomic is a reduction. An unused result goes to the sink, unless it is wider than that,
// or a vector.
func (l *lowering) reduction() {
	in, t := l.in, l.in.Types[0]
	if t == isa.B128 || l.op.Vec != nil {
		return
	}
	if len(in.Args) > 0 && in.Args[0].Kind == isa.RegOperand && !l.p.Env.Precise && !l.f.isRead(in.Args[0].Reg) {
		l.op.D = l.f.Layout.Sink
	}
	if l.op.D != l.f.Layout.Sink || t.Class() == isa.Float {
		return
	}
	r := &Reduction{Op: in.Mods[isa.AtomOp], Type: t, Mem: l.op.Mem}
	high := uint64(1) << (t.Bits() - 1)
	all := high<<1 - 1
	signed := t.Class() == isa.Signed
	switch {
	case r.Op == isa.AtomAdd, r.Op == isa.AtomOr, r.Op == isa.AtomXor, r.Op == isa.AtomMax && !signed:
	case r.Op == isa.AtomAnd, r.Op == isa.AtomMin && !signed:
		r.Identity = all
	case r.Op == isa.AtomMax:
		r.Identity = high
	case r.Op == isa.AtomMin:
		r.Identity = all &^ high
	default: // inc, dec, exch, cas
		return
	}
	l.info.Reduction = r
}

// isRead reports whether some instruction of the function reads a register, or a call may.
func (f *Func) isRead(r isa.RegID) bool {
	if f.read == nil {
		f.read = make([]bool, len(f.Src.Regs))
		for pc := range f.Src.Code {
			for _, ref := range f.Graph.Refs(pc) {
				if !ref.Role.Writes() {
					f.read[ref.Reg] = true
				}
			}
		}
		for _, id := range f.Src.RegsOf(f.Src.Returns) {
			f.read[id] = true
		}
	}
	return f.read[r]
}
