package program

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/libdevice"
)

// Location is the place of a parameter, a result or an argument in an activation: a register or a .param variable.
type Location struct {
	Size  int64  // bytes
	At    int64  // offset in the activation's .param variables, if not in a register
	Slot  uint32 // of the register
	InReg bool
	Wide  bool // the register has 64 bits, or 128
	Pred  bool // the register is a predicate
	sink  bool // a result that is discarded: "_"
}

// CallSite is a call instruction.
type CallSite struct {
	Callee     int             // number of the function; -1 when a register holds its address
	Wide       bool            // the register of an indirect call has 64 bits
	External   string          // name of a function that no module defines, else ""
	Served     *libdevice.Func // the function, if it is one of libdevice written in Go
	Args, Rets []Location
}

// locations returns the places of parameters or results of f.
func (f *Func) locations(vars []*isa.Var) []Location {
	var ps []Location
	for _, v := range vars {
		p := Location{Size: v.Size(), At: f.frame[v.Name].at}
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
		} else if site.Served = l.p.mod.served[fn.Name]; site.Served == nil {
			site.External = fn.Name
		}
	}
	var err error
	if site.Args, err = l.locations(l.in.Call.Args); err != nil {
		return err
	}
	if site.Rets, err = l.locations(l.in.Call.Rets); err != nil {
		return err
	}
	if site.Served != nil {
		if msg := site.Served.Mismatch(sizes(site.Args), sizes(site.Rets), l.p.mod.Src.AddressSize); msg != "" {
			return isa.Errorf(l.in.Pos, "call of %s: %s", target.Sym, msg)
		}
	}
	if site.Callee >= 0 {
		if msg := l.p.Funcs[site.Callee].Mismatch(site); msg != "" {
			return isa.Errorf(l.in.Pos, "call of %s: %s", target.Sym, msg)
		}
	}
	return nil
}

// locations returns the places of arguments or results of a call in the caller.
func (l *lowering) locations(operands []isa.Operand) ([]Location, error) {
	var ps []Location
	for i := range operands {
		a := &operands[i]
		if a.Kind == isa.SymOperand {
			v, ok := l.f.frame[a.Sym]
			if !ok {
				return nil, isa.Errorf(l.in.PosOf(a), "%s is not a .param variable", a.Sym)
			}
			ps = append(ps, Location{Size: v.size, At: v.at})
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
		ps = append(ps, Location{Size: int64(t.Bytes()), Slot: off, InReg: true, Wide: t.Bits() > 32, Pred: t == isa.Pred, sink: a.Kind == isa.SinkOperand})
	}
	return ps, nil
}

// Mismatch returns the reason why a call cannot be one of f, or "".
func (f *Func) Mismatch(site *CallSite) string {
	for _, c := range []struct {
		what         string
		have, formal []Location
	}{{"argument", site.Args, f.Formals}, {"result", site.Rets, f.Results}} {
		if len(c.have) != len(c.formal) {
			return fmt.Sprintf("%d %ss; the function has %d", len(c.have), c.what, len(c.formal))
		}
		for i := range c.formal {
			if c.have[i].Pred != c.formal[i].Pred && !c.have[i].sink {
				return fmt.Sprintf("%s %d is a predicate in one of them only", c.what, i+1)
			}
			if !c.have[i].InReg && c.have[i].Size < c.formal[i].Size {
				return fmt.Sprintf("%s %d has %d bytes; the function's has %d", c.what, i+1, c.have[i].Size, c.formal[i].Size)
			}
		}
	}
	return ""
}

// sizes returns the bytes of the values that a call passes; 0 for a predicate.
func sizes(values []Location) (all []int64) {
	for i := range values {
		all = append(all, values[i].Size)
	}
	return all
}
