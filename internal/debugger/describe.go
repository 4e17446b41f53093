package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// infoScope shows the variables that are visible at a place, as gdb does, without their values.
func (d *Debugger) infoScope(text string) error {
	at, err := d.parsePlace(text)
	if err != nil {
		return err
	}
	fn := d.fns[at.fn]
	info := debuginfo.Of(fn)
	if !info.HasVariables() {
		return errors.New("the program has no variables of the source; info regs and info mem show what has a name")
	}
	frames := info.Frames(fn, at.pc)
	shown := make(map[string]bool)
	if len(frames) > 0 {
		for _, v := range frames[max(0, len(frames)-1-d.outerAt(at))].Vars {
			if v.Name == "" || shown[v.Name] {
				continue
			}
			shown[v.Name] = true
			what := "a variable"
			if v.Param {
				what = "a parameter"
			}
			d.printf("%s %s  %s, declared in line %d, %s\n", v.Name, v.Type, what, v.Line, plural(uint64(max(v.Type.Size, 0)), "byte"))
		}
	}
	if len(shown) == 0 {
		d.printf("no variables are visible at %s\n", d.lineText(at))
	}
	return nil
}

// infoTypes shows the types of the source whose names contain a text.
func (d *Debugger) infoTypes(part string) error {
	var names []string
	for _, fn := range d.fns {
		if info := debuginfo.Of(fn); info != nil {
			names = append(names, info.TypeNames()...)
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return !strings.Contains(name, part) || strings.HasPrefix(name, "__") })
	switch {
	case len(names) == 0 && part == "":
		return errors.New("the program has no types of the source; ptype shows the type of a value")
	case len(names) == 0:
		return errorf("no type of the source has %s in its name", part)
	}
	for _, name := range names {
		d.printf("%s\n", name)
	}
	return nil
}

// infoSources shows the files that code of the kernel comes from.
func (d *Debugger) infoSources(string) error {
	for _, file := range d.codeFiles() {
		d.printf("%s\n", source.Short(file))
	}
	return nil
}

// codeFiles returns the files that code of the kernel comes from, sorted.
func (d *Debugger) codeFiles() (files []string) {
	for i, fn := range d.fns {
		for pc := range fn.Code {
			if file := d.pos(codeAt{i, pc}).File; !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return files
}

// functionType returns the type of a function of the program: "float (const Particle &, int)".
func (d *Debugger) functionType(s *scope, name string) (string, bool) {
	n := d.function(name)
	if n < 0 || s.variable(name) != nil || len(d.fns) == 0 {
		return "", false
	}
	info := debuginfo.Of(d.fns[n])
	if !info.HasVariables() {
		return "", false
	}
	var params []string
	for _, v := range info.Parameters(d.fns[n]) {
		params = append(params, v.Type.String())
	}
	result := "void"
	if t := info.Result(d.fns[n]); t != nil {
		result = t.String()
	}
	return fmt.Sprintf("%s (%s)", result, strings.Join(params, ", ")), true
}

// programCounter returns the number of the next instruction of each lane, counted from 0 in its function.
func (s *scope) programCounter() value {
	v := uniform(isa.U32, uint64(s.pc))
	v.uniform = false
	for split := range s.w.Control().Splits() {
		if split.Frame != s.frame {
			continue
		}
		for lane := range v.bits {
			if split.Mask>>lane&1 != 0 {
				v.bits[lane] = uint64(split.PC)
			}
		}
	}
	return v
}

// ofCUDA is what info cuda takes.
const ofCUDA = "info cuda takes devices, sms, warps, lanes, kernels, blocks, threads, line, exceptions, managed and contexts"
