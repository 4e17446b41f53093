package program

import "github.com/simtrun/simtrun/internal/isa"

// serve replaces the call at pc by an instruction that computes the function of libdevice, if that is possible. bits
// are the widths of the instruction's registers.
func (x *expansion) serve(pc int, served isa.Instr, bits []int) {
	call := &x.f.Src.Code[pc]
	plan, regs := make(map[int]replacement), x.src.Regs
	served.Pos, served.Loc, served.Inlined = call.Pos, call.Loc, call.Inlined
	n := &inlining{served: &served}
	result := isa.Operand{Kind: isa.RegOperand, Reg: x.newReg("%result", untyped[bits[0]]), Line: call.Args[0].Line, Col: call.Args[0].Col}
	served.Args = []isa.Operand{result}
	ok := len(call.Call.Args) == len(bits)-1 && len(call.Call.Rets) == 1
	for i := range call.Call.Args {
		if !ok {
			break
		}
		var values map[element]argument
		if values, ok = x.arguments(pc, &call.Call.Args[i], n, plan); ok {
			var a argument
			a, ok = values[element{0, bits[1+i]}]
			served.Args = append(served.Args, isa.Operand{Kind: isa.RegOperand, Reg: a.reg, Line: result.Line, Col: result.Col})
		}
	}
	if ok = ok && x.results(pc, &call.Call.Rets[0], map[element]isa.Operand{{0, bits[0]}: result}, n, plan); !ok {
		x.src.Regs = regs
		return
	}
	x.replace(pc, n, plan)
}
