package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Places in the constant bank in which a launch leaves its constants (sm_90: internal/gpu/testdata, instructions.sass):
// dimensions from 0 on, the stack's address, a descriptor of global memory, parameters from firstParam on.
const (
	stackAddress = 0x28
	descriptor   = 0x208
	firstParam   = 0x210
	constantLine = 64 // bytes of a line of the constant caches
)

// ModuleConstants is the first Slot.Constant of a bank of constants that a launch does not leave in the caches: the
// addresses of a module's variables (c[0x4] in the assembler's code).
const ModuleConstants = 1 << 15

// constantAt returns a load of a constant of the launch at a place in its bank.
func constantAt(class isa.CostClass, place int64) Slot {
	return Slot{Class: class, Constant: uint16(1 + place/constantLine)}
}

// LoadConstants adds to the costs of a kernel f, which has graph g, the loads of the launch's constants, as code for
// sm_90 and later has them: of parameters, and of special registers that a launch does not change. Code loads each of
// them once; in a loop it is not charged, since the assembler loads it before. It returns the machine instructions
// with which the kernel begins, before the first PTX instruction: loads of the stack's address and, if it accesses
// global memory, of the descriptor that such accesses need. Other functions have neither.
// IsGlobal reports whether a name is that of a variable of the module in global or constant memory: code loads its
// address from a bank of constants of the module.
//
// Code for earlier GPUs has constants as operands.
func LoadConstants(f *isa.Func, g *flow.Graph, costs []Instr, isGlobal func(name string) bool) (entry []Slot) {
	if !f.Entry {
		return nil
	}
	l := lowering{f: f, g: g, costs: costs}
	l.loadConstants(isGlobal)
	entry = []Slot{constantAt(isa.CostLoadConstant, stackAddress)}
	if slices.ContainsFunc(f.Code, accessesGlobal) {
		entry = append(entry, constantAt(isa.CostUniformConstant, descriptor))
	}
	return entry
}

// accessesGlobal reports whether an instruction accesses global memory, or may.
func accessesGlobal(in isa.Instr) bool {
	if in.Spec == nil || !in.Is(isa.Load) && !in.Is(isa.Store) && !in.Is(isa.Atomic) {
		return false
	}
	space := in.Mods.MemSpace()
	return space == isa.Global || space == isa.Generic
}

func (l *lowering) loadConstants(isGlobal func(name string) bool) {
	offsets, _ := l.f.ParamLayout()
	params := make(map[string]int64)
	for i, p := range l.f.Params {
		params[p.Name] = firstParam + offsets[i]
	}
	loaded := make(map[int64]bool)
	addresses := make(map[string]int64) // places of the addresses of the module's variables
	for pc := range l.f.Code {
		in := &l.f.Code[pc]
		if len(l.costs[pc].Slots) > 0 || in.Later != "" || in.Spec == nil || in.Guard != isa.NoReg {
			continue
		}
		place, class, ok := constantOf(in, params)
		if in.Spec.Takes(isa.AnyMove) && in.Args[1].Kind == isa.SymOperand && isGlobal(in.Args[1].Sym) {
			name := in.Args[1].Sym
			if _, known := addresses[name]; !known {
				addresses[name] = (ModuleConstants-1)*constantLine + int64(8*len(addresses))
			}
			place, class, ok = addresses[name], isa.CostUniformConstant, true
		}
		if b := l.g.BlockOf(pc); !ok || loaded[place] || l.loopWithout(b, flow.None) != nil {
			continue
		}
		loaded[place] = true
		l.costs[pc].Slots = []Slot{constantAt(class, place)}
	}
}

// constantOf returns where the constant is that an instruction without slots reads, and the class of its load: one of
// 32 bits or fewer goes to a uniform register. Special registers have places before those of parameters, one each.
func constantOf(in *isa.Instr, params map[string]int64) (place int64, class isa.CostClass, ok bool) {
	switch {
	case in.Is(isa.Load) && in.Mods.MemSpace() == isa.Param && in.Mods.VecLen() == 1 && in.Args[1].Reg == isa.NoReg:
		first, ok := params[in.Args[1].Sym]
		if in.Types[0].Bits() > 32 {
			return first + int64(in.Args[1].Bits), isa.CostLoadConstant, ok
		}
		return first + int64(in.Args[1].Bits), isa.CostUniformConstant, ok
	case in.Spec.Takes(isa.AnyMove):
		for s := range in.Specials {
			if dimensionOf(s) {
				return int64(s - isa.NtidX), isa.CostLoadConstant, true
			}
		}
	}
	return 0, 0, false
}

// dimensionOf reports whether a special register is a dimension of the launch.
func dimensionOf(s isa.Special) bool {
	return s >= isa.NtidX && s <= isa.NtidZ || s >= isa.NctaidX && s <= isa.NctaidZ
}
