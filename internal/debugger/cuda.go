package debugger

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// from returns the line of a file from which an instruction comes according to .loc: its own line, or the line at which
// its function was inlined. If several are in the file, it is the innermost; ok is false if none is.
func from(in *isa.Instr, file string) (line int32, ok bool) {
	if isFile(in.Loc.File, file) && in.Loc.IsValid() {
		return in.Loc.Line, true
	}
	for at := in.Inlined; at != nil; at = at.By {
		if isFile(at.At.File, file) {
			return at.At.Line, true
		}
	}
	return 0, false
}

// locatedAt returns the first instruction that comes from a line of a compiled file or, if there is none, from the next
// line with instructions; ok is false if no instruction comes from this file.
func (d *Debugger) locatedAt(file string, line int64) (best codeAt, ok bool) {
	nearest := int32(0)
	for f, fn := range d.fns {
		for pc := range fn.Code {
			n, known := from(&fn.Code[pc], file)
			if known && int64(n) >= line && (!ok || n < nearest) {
				best, nearest, ok = codeAt{f, pc}, n, true
			}
		}
	}
	return best, ok
}

// isCompiled reports whether instructions come from a file with that name according to .loc.
func (d *Debugger) isCompiled(file string) bool {
	_, ok := d.locatedAt(file, 1)
	return ok
}

// original returns the line of the compiled source from which an instruction comes, such as "k.cu:7". For an inlined
// instruction it is the line of the call in the kernel's own file. It is "" without .loc.
func (d *Debugger) original(at codeAt) string {
	fn := d.fns[at.fn]
	if at.pc >= len(fn.Code) {
		return ""
	}
	in := &fn.Code[at.pc]
	if !in.Loc.IsValid() {
		return ""
	}
	own := strings.TrimSuffix(filepath.Base(d.fns[0].Pos.File), ".ptx")
	if line, ok := from(in, own); ok {
		return fmt.Sprintf("%s:%d", own, line)
	}
	return fmt.Sprintf("%s:%d", in.Loc.File, in.Loc.Line)
}

// builtins are the variables of CUDA C++ that are special registers.
var builtins = map[string]string{"threadIdx": "%tid", "blockIdx": "%ctaid", "blockDim": "%ntid", "gridDim": "%nctaid"}

// builtin returns the special register of a built-in variable of CUDA C++, such as threadIdx.x.
func builtin(name string) (isa.Special, bool) {
	vector, axis, _ := strings.Cut(name, ".")
	if ptx := builtins[vector]; ptx != "" {
		return isa.SpecialByName(ptx + "." + axis)
	}
	return isa.NoSpecial, false
}

// notInCUDA ends a message about an unknown name, in PTX that was compiled, by saying that the names of the source's
// variables are not known; "" if the PTX was not compiled.
func (d *Debugger) notInCUDA(name string) string {
	if builtins[name] != "" {
		return fmt.Sprintf("; it has %s.x, %s.y and %s.z", name, name, name)
	}
	if len(d.fns) == 0 || !slices.ContainsFunc(d.fns[0].Code, func(in isa.Instr) bool { return in.Loc.IsValid() }) {
		return ""
	}
	text := "; PTX does not have the names of the source's variables: info regs shows registers"
	if len(d.fns[0].Params) > 0 {
		text += ", info args the parameters"
	}
	return text
}
