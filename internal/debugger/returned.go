package debugger

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// returnedSpace is the space of what the call before the instruction of a scope has returned. Its only address is 0.
const returnedSpace = "returned"

// leaving notes which function the walk will return from when it leaves the selected frame. It notes none for code
// that was inlined, whose value has no place, and for functions without debug information.
func (k *walk) leaving() {
	k.result = nil
	chain, err := k.d.chainHere()
	if err != nil || k.d.level+1 >= len(chain) {
		return
	}
	if from := chain[k.d.level]; from.frame != chain[k.d.level+1].frame {
		fn := k.d.fns[from.code.fn]
		k.result = debuginfo.Of(fn).Result(fn)
	}
}

// showResult prints what the function that the walk has left has returned to the lanes that are in its caller now, as
// gdb does after finish. It becomes a value of the history, as what print shows.
func (d *Debugger) showResult(t *debuginfo.Type) {
	s, err := d.scopeHere()
	if err != nil || s.frame == divergence.NoFrame || s.pc == 0 {
		return
	}
	if call := s.fn().Code[s.pc-1].Call; call == nil || len(call.Rets) != 1 {
		return
	}
	s.only = s.active
	l := lvalue{typ: t, text: "the value returned", inMemory: true, space: returnedSpace, addr: value{typ: isa.U64}}
	if to, err := s.referred(l); err == nil {
		l = to
	}
	text, err := d.objectText("Value returned is", l, "", s)
	if err != nil {
		return
	}
	d.printf("%s\n", text)
	v, err := s.value(l)
	if err != nil {
		v = value{}
	}
	d.keepValue(v)
}
