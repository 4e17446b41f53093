package debugger

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// from reports whether an instruction comes from a line of a file, as .loc has it: its own line or one at which its function was
// inlined. The line is that of the file that is the nearest; ok is false if none of them is.
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

// locatedAt is the first instruction that comes from a line of a file that was compiled, or else from the next one that has any;
// ok is false if no instruction comes from this file.
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

// isCompiled reports whether instructions come from a file of that name, as .loc has it.
func (d *Debugger) isCompiled(file string) bool {
	_, ok := d.locatedAt(file, 1)
	return ok
}

// original is the line of the compiled source that an instruction comes from, such as "k.cu:7": of the kernel's own file if the
// instruction was inlined there; "" if .loc says nothing.
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

// builtin is the special register that a built-in variable of CUDA C++ is, such as threadIdx.x.
func builtin(name string) (isa.Special, bool) {
	vector, axis, _ := strings.Cut(name, ".")
	if ptx := builtins[vector]; ptx != "" {
		return isa.SpecialByName(ptx + "." + axis)
	}
	return isa.NoSpecial, false
}

// notInCUDA says, of a name that stands for nothing in PTX that was compiled, that variables of its source are not known; "" of
// others.
func (d *Debugger) notInCUDA(name string) string {
	if builtins[name] != "" {
		return fmt.Sprintf("; it has %s.x, %s.y and %s.z", name, name, name)
	}
	if len(d.fns) == 0 || !slices.ContainsFunc(d.fns[0].Code, func(in isa.Instr) bool { return in.Loc.IsValid() }) {
		return ""
	}
	text := "; the PTX has the lines of its source and not the names of its variables: info regs shows what is in registers"
	if len(d.fns[0].Params) > 0 {
		text += ", info args the parameters"
	}
	return text
}
