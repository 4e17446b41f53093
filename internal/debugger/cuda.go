package debugger

import (
	"fmt"
	"math"
	"path"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// locatedAt returns the first instruction of a line of a compiled source, or of the next line that has code; ok is
// false if no instruction comes from this file. Code that stores parameters is left out: uses decide on its line.
func (d *Debugger) locatedAt(file string, line int64) (best codeAt, ok bool) {
	nearest := int64(math.MaxInt64)
	for f, fn := range d.fns {
		for pc := source.Begin(fn); pc < len(fn.Code); pc++ {
			for depth, n := range source.LinesIn(fn, pc, file) {
				if far := lineDistance(line, int64(n), depth); far < nearest {
					best, nearest, ok = codeAt{f, pc}, far, true
				}
			}
		}
	}
	return best, ok
}

// lineDistance says how well code with line n stands for a line that was asked for, less being better: its own code,
// the code of functions that were inlined into it, which is below it by depth calls, and then code of later lines.
func lineDistance(line, n int64, depth int) int64 {
	switch {
	case n == line:
		return min(int64(depth), 1)
	case n > line && depth == 0:
		return 1 + n - line
	}
	return math.MaxInt64
}

// isCompiled reports whether instructions come from a file with that name according to .loc.
func (d *Debugger) isCompiled(file string) bool {
	_, ok := d.locatedAt(file, 1)
	return ok
}

// original returns the line of the compiled source from which an instruction comes, such as "k.cu:7"; "" if there is
// none.
func (d *Debugger) original(at codeAt) string {
	fn := d.fns[at.fn]
	if at.pc >= len(fn.Code) {
		return ""
	}
	place := source.At(fn, at.pc)
	if !place.IsCompiled() {
		return ""
	}
	pos := place.Pos()
	return fmt.Sprintf("%s:%d", path.Base(pos.File), pos.Line)
}

// builtins are the variables of CUDA C++ that are special registers.
var builtins = map[string]string{"threadIdx": "%tid", "blockIdx": "%ctaid", "blockDim": "%ntid", "gridDim": "%nctaid"}

// builtin returns the special register of a built-in variable of CUDA C++, such as threadIdx.x.
func builtin(name string) (isa.Special, bool) {
	vector, axis, _ := cutFirst(name, ".")
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
	if len(d.fns) > 0 && debuginfo.Of(d.fns[0]).HasVariables() {
		if d.inSource(name) {
			return " here; it is one of other lines or functions, info locals shows those of this place"
		}
		return "; info locals and info args show what has a name here"
	}
	if len(d.fns) == 0 || !source.At(d.fns[0], 0).IsCompiled() {
		return ""
	}
	text := "; PTX does not have the names of the source's variables: info regs shows registers"
	if len(d.fns[0].Params) > 0 {
		text += ", info args the parameters"
	}
	return text
}
