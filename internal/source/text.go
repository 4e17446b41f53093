package source

import (
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// Text returns the instruction at a PC as Func.Text does, with the names in the source of parameters, variables and
// functions: "ld.param.u64 %rd1, [x];" for a parameter that PTX calls _Z1kPf_param_0. Functions have their
// parameters, too, since overloads differ in them. Assemblers do not take it. The text for the end of the function
// names that.
func Text(fn *isa.Func, pc int) string {
	if pc == len(fn.Code) {
		return "end of " + Name(fn.Name)
	}
	text := fn.Text(pc)
	if !strings.Contains(text, "_") {
		return text
	}
	return withNames(fn, fn.Code[pc].Args, text)
}

// withNames replaces the symbols of operands in an instruction's text.
func withNames(fn *isa.Func, operands []isa.Operand, text string) string {
	for i := range operands {
		a := &operands[i]
		if text = withNames(fn, a.Elems, text); a.Sym == "" {
			continue
		}
		if name := symbolName(fn, a.Sym); name != a.Sym {
			text = strings.ReplaceAll(text, a.Sym, name)
		}
	}
	return text
}

// symbolName returns the name in the source of what an operand of a function refers to. The memory for local variables
// has none.
func symbolName(fn *isa.Func, symbol string) string {
	if cxx.IsStackFrame(symbol) {
		return symbol
	}
	for _, v := range fn.Params {
		switch rest, ofName := strings.CutPrefix(symbol, fn.Name+"_"); {
		case strings.HasPrefix(symbol, v.Name+"_copy"): // of a parameter with an address that is taken
			return symbolName(fn, v.Name) + strings.TrimPrefix(symbol, v.Name)
		case v.Name != symbol:
		case v.Source() != "":
			return v.Source()
		case ofName: // such as param_0
			return rest
		}
	}
	return cxx.Variable(symbol)
}

// forDebugging are the beginnings of labels to which only debug information refers.
var forDebugging = []string{"$L__tmp", "$L__func_begin", "$L__func_end", "$L__info_string"}

// LabelsAt returns the names of the labels before the instruction at a PC, without those for debug information.
func LabelsAt(fn *isa.Func, pc int) (names []string) {
	for _, l := range fn.Labels {
		if l.PC == pc && !IsForDebugging(l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}

// IsForDebugging reports whether a label is one to which only debug information refers.
func IsForDebugging(label string) bool {
	for _, prefix := range forDebugging {
		if strings.HasPrefix(label, prefix) {
			return true
		}
	}
	return false
}
