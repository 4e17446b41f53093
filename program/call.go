package program

import (
	"fmt"

	"github.com/simtrun/simtrun/isa"
)

// Passed is a parameter, result or argument: where it is in an activation.
type Passed struct {
	Size  int64 // bytes
	At    int64 // in the activation's .param variables, unless it is in a slot
	Slot  uint32
	InReg bool
	Wide  bool // the slot is that of a 64-bit register
	Pred  bool // it is that of a predicate
	sink  bool // it takes any result
}

// CallSite is a call instruction.
type CallSite struct {
	Callee     int    // number of the function; -1 when a register holds its address
	Wide       bool   // that register is a 64-bit one
	External   string // name of a function that no module defines, else ""
	Args, Rets []Passed
}

// passed says where parameters or results of f are.
func (f *Func) passed(vars []*isa.Var) []Passed {
	var ps []Passed
	for _, v := range vars {
		p := Passed{Size: v.Size(), At: f.frame[v.Name].at}
		if v.Space == isa.RegSpace {
			p.InReg = true
			for _, id := range f.Src.RegsOf([]*isa.Var{v}) {
				t := f.Src.Regs[id].Type
				p.Slot, p.Wide, p.Pred = f.Layout.Reg(id), t.Bits() > 32, t == isa.Pred
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// call lowers a call instruction.
func (l *lowering) call() error {
	target := &l.in.Args[0]
	site := &CallSite{Callee: -1}
	l.info.Call = site
	if l.in.Indirect() {
		l.op.A = l.f.Layout.Reg(target.Reg)
		site.Wide = l.f.Src.Regs[target.Reg].Type.Bits() > 32
	} else {
		fn := l.p.mod.funcs[target.Sym]
		if fn == nil {
			return isa.Errorf(l.in.PosOf(target), "%s is not a function", target.Sym)
		}
		if n, ok := l.p.number[fn.Name]; ok {
			site.Callee = n
		} else {
			site.External = fn.Name
		}
	}
	var err error
	if site.Args, err = l.passed(l.in.Call.Args); err != nil {
		return err
	}
	if site.Rets, err = l.passed(l.in.Call.Rets); err != nil {
		return err
	}
	if site.Callee >= 0 {
		if msg := l.p.Funcs[site.Callee].Mismatch(site); msg != "" {
			return isa.Errorf(l.in.Pos, "call of %s: %s", target.Sym, msg)
		}
	}
	return nil
}

// passed says where the arguments or results of a call are in the caller.
func (l *lowering) passed(operands []isa.Operand) ([]Passed, error) {
	var ps []Passed
	for i := range operands {
		a := &operands[i]
		if a.Kind == isa.SymOperand {
			v, ok := l.f.frame[a.Sym]
			if !ok {
				return nil, isa.Errorf(l.in.PosOf(a), "%s is not a .param variable", a.Sym)
			}
			ps = append(ps, Passed{Size: v.size, At: v.at})
			continue
		}
		t := isa.B64
		if a.Kind == isa.RegOperand {
			t = l.f.Src.Regs[a.Reg].Type
		}
		off, err := l.slot(a, t, t.Bits() > 32)
		if err != nil {
			return nil, err
		}
		ps = append(ps, Passed{Size: int64(t.Bytes()), Slot: off, InReg: true, Wide: t.Bits() > 32, Pred: t == isa.Pred, sink: a.Kind == isa.SinkOperand})
	}
	return ps, nil
}

// Mismatch says what is wrong with calling f like this, or "".
func (f *Func) Mismatch(site *CallSite) string {
	for _, c := range []struct {
		what      string
		have, say []Passed
	}{{"argument", site.Args, f.Formals}, {"result", site.Rets, f.Results}} {
		if len(c.have) != len(c.say) {
			return fmt.Sprintf("%d %ss; the function has %d", len(c.have), c.what, len(c.say))
		}
		for i := range c.say {
			if c.have[i].Pred != c.say[i].Pred && !c.have[i].sink {
				return fmt.Sprintf("%s %d is a predicate in one of them only", c.what, i+1)
			}
			if !c.have[i].InReg && c.have[i].Size < c.say[i].Size {
				return fmt.Sprintf("%s %d has %d bytes; the function's has %d", c.what, i+1, c.have[i].Size, c.say[i].Size)
			}
		}
	}
	return ""
}
