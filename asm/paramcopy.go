package asm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// The address of a device function's parameter, if mov takes it, is one in local memory: the parameter is forced onto
// the stack (PTX ISA, "Device Function Parameters"). clang 22 reads and writes structs that are passed by value in this
// way. clang 19 reads such an address with ld.param, which PTX ISA does not describe; functions that do that are left
// as they are.
//
// copyParameters gives a function that takes addresses a copy of these parameters in local memory.
func copyParameters(mod *isa.Module, f *isa.Func) {
	if f.Entry || !f.Defined || readsByParam(f) {
		return
	}
	var taken []*isa.Var
	for i := range f.Code {
		if v := addressTaken(f, &f.Code[i]); v != nil && !slices.Contains(taken, v) {
			taken = append(taken, v)
		}
	}
	if len(taken) == 0 || f.Later != nil {
		return
	}
	copies := make(map[string]string)
	for _, v := range taken {
		copies[v.Name] = copyName(f, v.Name)
	}
	head, err := copyCode(mod, taken, copies)
	if err != nil {
		return // of a version of PTX that has no such functions
	}
	for i := range f.Code {
		if v := addressTaken(f, &f.Code[i]); v != nil {
			f.Code[i].Args[1].Sym = copies[v.Name]
		}
	}
	prepend(f, head)
}

// readsByParam reports whether a function reads .param variables at addresses in registers.
func readsByParam(f *isa.Func) bool {
	return slices.ContainsFunc(f.Code, func(in isa.Instr) bool {
		return in.Later == "" && in.Mods != nil && in.Mods.MemSpace() == isa.Param && slices.ContainsFunc(in.Args, func(a isa.Operand) bool { return isBase(&a) })
	})
}

// isBase reports whether an operand is memory at an address in a register.
func isBase(a *isa.Operand) bool {
	return a.Kind == isa.AddrOperand && a.Sym == "" && a.Reg != isa.NoReg
}

// addressTaken returns the parameter of a function with the address that an instruction takes; nil if it takes none.
func addressTaken(f *isa.Func, in *isa.Instr) *isa.Var {
	if in.Later != "" || in.Call != nil || len(in.Args) != 2 || in.Args[1].Kind != isa.SymOperand {
		return nil
	}
	i := slices.IndexFunc(f.Params, func(v *isa.Var) bool { return v.Name == in.Args[1].Sym && v.Space == isa.Param })
	if i < 0 {
		return nil
	}
	return f.Params[i]
}

// copyName returns a name for the copy of a parameter that the function has not.
func copyName(f *isa.Func, name string) string {
	for n := 0; ; n++ {
		copied := fmt.Sprintf("%s_copy%d", name, n)
		if !slices.ContainsFunc(f.Vars, func(v *isa.Var) bool { return v.Name == copied }) {
			return copied
		}
	}
}

// copyCode returns a function with the copies of parameters, and the code that fills them.
func copyCode(mod *isa.Module, params []*isa.Var, copies map[string]string) (*isa.Func, error) {
	var decls, vars, code []string
	for _, v := range params {
		decls = append(decls, fmt.Sprintf(".param .align %d .b8 %s[%d]", v.Align, v.Name, v.Size()))
		vars = append(vars, fmt.Sprintf(".local .align %d .b8 %s[%d];", max(v.Align, 16), copies[v.Name], v.Size()))
		for at := int64(0); at < v.Size(); {
			size := min(int64(v.Align), 8)
			for size > v.Size()-at {
				size /= 2
			}
			reg := fmt.Sprintf("%%simtrun%d", size)
			if size == 1 {
				code = append(code, fmt.Sprintf("ld.param.b8 %%simtrun2, [%s+%d]; st.local.b8 [%s+%[2]d], %%simtrun2;", v.Name, at, copies[v.Name]))
			} else {
				code = append(code, fmt.Sprintf("ld.param.b%d %s, [%s+%d]; st.local.b%[1]d [%[5]s+%[4]d], %[2]s;", 8*size, reg, v.Name, at, copies[v.Name]))
			}
			at += size
		}
	}
	text := fmt.Sprintf(".version %s\n.target %s\n.address_size %d\n.func f(%s)\n{\n%s\n.reg .b16 %%simtrun2; .reg .b32 %%simtrun4; .reg .b64 %%simtrun8;\n%s\n}\n",
		cmp.Or(mod.Version, "8.0"), cmp.Or(mod.Target, "sm_80"), mod.AddressSize, strings.Join(decls, ", "), strings.Join(vars, "\n"), strings.Join(code, "\n"))
	parsed, err := Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	return parsed.Funcs[0], nil
}

// prepend puts the code and the variables of another function before those of f. Registers get numbers after f's.
func prepend(f, head *isa.Func) {
	first := isa.RegID(len(f.Regs))
	f.Regs, f.Vars = append(f.Regs, head.Regs...), append(f.Vars, head.Vars...)
	for i := range head.Code {
		in := &head.Code[i]
		in.Pos, in.Loc, in.Inlined = f.Code[0].Pos, f.Code[0].Loc, f.Code[0].Inlined
		for k := range in.Args {
			if a := &in.Args[k]; a.Kind == isa.RegOperand || isBase(a) {
				a.Reg += first
			}
		}
	}
	n := len(head.Code)
	f.Code = append(head.Code, f.Code...)
	jumped := make(map[int]bool) // a loop from the start of the function does not copy again; debug information begins there
	for i := range f.Code {
		for k := range f.Code[i].Args {
			if a := &f.Code[i].Args[k]; a.Kind == isa.LabelOperand {
				jumped[a.Label()] = true
			}
		}
	}
	for i := range f.Labels {
		if f.Labels[i].PC > 0 || jumped[i] {
			f.Labels[i].PC += n
		}
	}
}
