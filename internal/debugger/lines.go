package debugger

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// onSource reports whether code of a function is shown, and stepped through, as lines of the source from which it was
// compiled: that source can be read.
func (d *Debugger) onSource(fn int) bool {
	if known, ok := d.sourced[fn]; ok {
		return known
	}
	p := source.At(d.fns[fn], 0)
	on := p.IsCompiled() && len(d.linesOf(fn, p.Pos().File)) > 0
	d.sourced[fn] = on
	return on
}

// linesOf returns the lines of a source of a function.
func (d *Debugger) linesOf(fn int, file string) []string {
	if lines := d.sourceLines(file); len(lines) > 0 {
		return lines
	}
	return source.Lines(d.fns[fn], file)
}

// framesAt returns the positions in the source of an instruction, innermost first, from the first one in the user's
// files outwards; nil if the function is not shown as source. Code that stores parameters belongs to the first line.
func (d *Debugger) framesAt(at codeAt) []source.Frame {
	if !d.onSource(at.fn) {
		return nil
	}
	fn := d.fns[at.fn]
	return source.At(fn, max(at.pc, source.Begin(fn))).Frames()
}

// outerAt returns the calls through which the code that is shown for an instruction was inlined. Code of headers that
// was inlined further in is not shown.
func (d *Debugger) outerAt(at codeAt) int {
	if frames := d.framesAt(at); len(frames) > 0 {
		return len(frames) - 1
	}
	return outermost
}

// functionText returns the name of the function in the source that an instruction is in.
func (d *Debugger) functionText(at codeAt) string {
	if frames := d.framesAt(at); len(frames) > 0 && frames[0].Function != "" {
		return frames[0].Function
	}
	return cxx.Short(d.fns[at.fn].Name)
}

// sourceLine is a line of the source that a lane is at, and the number of calls that it is in, with inlined ones.
type sourceLine struct {
	file  string
	line  int32
	depth int
	code  codeAt
	begun bool // after the code that stores the parameters of its function
}

// lineOf returns where a split is in the source; ok is false in functions without one.
func (d *Debugger) lineOf(w interp.Warp, s *divergence.Split) (l sourceLine, ok bool) {
	for i, a := range d.activations(w, s) {
		frames := d.framesAt(a.code)
		if i == 0 && len(frames) == 0 {
			return l, false
		}
		if i == 0 {
			l = sourceLine{file: frames[0].File, line: frames[0].Line, code: a.code, begun: a.code.pc >= source.Begin(d.fns[a.code.fn])}
		}
		l.depth += max(len(frames), 1)
	}
	return l, true
}

// places returns the instructions at which a breakpoint for a place stops: one in each function that the line, or the
// inlined function, was compiled into.
func (d *Debugger) places(text string) ([]codeAt, error) {
	at, err := d.parsePlace(text)
	if err == nil {
		if file, line, ok := d.placeLine(text); ok && d.isFile(file) && d.onSource(at.fn) {
			if all := d.alike(at, file, line); len(all) > 0 {
				return all, nil
			}
		}
		return []codeAt{at}, nil
	}
	if all := append(d.instances(text), d.inlinedPlaces(text)...); len(all) > 0 {
		return all, nil
	}
	return nil, err
}

// instances returns the functions with a name of the source, such as all of a template.
func (d *Debugger) instances(name string) (all []codeAt) {
	for f, fn := range d.fns {
		if d.onSource(f) && isNamed(cxx.Short(fn.Name), name) {
			all = append(all, codeAt{f, source.Begin(fn)})
		}
	}
	return all
}

// isNamed reports whether a function has a name that may lack its namespaces, its class and its template arguments.
func isNamed(function, name string) bool {
	bare, _, _ := cutFirst(function, "<")
	return function == name || bare == name || strings.HasSuffix(bare, "::"+name) || strings.HasSuffix(function, "::"+name)
}

// placeLine returns the file and line that a place such as 12, L12, +2 or k.cu:12 means; ok is false if it is no line.
func (d *Debugger) placeLine(text string) (file string, line int64, ok bool) {
	here, err := d.here()
	if err != nil {
		here = codeAt{}
	}
	pos := d.pos(here)
	name, digits, inFile := cutLast(text, ":")
	if !inFile {
		name, digits = pos.File, text
	}
	line, err = strconv.ParseInt(strings.TrimLeft(digits, "L+"), 10, 32)
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		line += int64(pos.Line)
	}
	return name, line, err == nil
}

// alike returns the first instructions of a line in every function, and in every call that was inlined. at is one of
// them, or an instruction of the line that stands for it.
func (d *Debugger) alike(at codeAt, file string, line int64) []codeAt {
	lines := source.LinesIn(d.fns[at.fn], at.pc, file)
	if len(lines) == 0 {
		return nil
	}
	wanted, within := lines[0], false
	if slices.Contains(lines[1:], int32(line)) {
		wanted, within = int32(line), lines[0] != int32(line)
	}
	return d.firstOfEach(func(frames []source.Frame) int {
		i := slices.IndexFunc(frames, func(f source.Frame) bool {
			return source.IsFile(f.File, file) && (!within || f.Line == wanted)
		})
		if i >= 0 && frames[i].Line != wanted {
			return -1
		}
		return i
	})
}

// inlinedPlaces returns the first instructions of the calls that inlined a function, by its name in the source.
func (d *Debugger) inlinedPlaces(name string) []codeAt {
	return d.firstOfEach(func(frames []source.Frame) int {
		return slices.IndexFunc(frames[:len(frames)-1], func(f source.Frame) bool { return isNamed(f.Function, name) })
	})
}

// firstOfEach returns the first instruction in which find finds a frame, in every function and call that it is in: the
// first with a line of its own, because others may have been moved out of a loop.
func (d *Debugger) firstOfEach(find func([]source.Frame) int) (all []codeAt) {
	for f, fn := range d.fns {
		if !d.onSource(f) {
			continue
		}
		known := make(map[string]int) // numbers in all
		for pc := range fn.Code {
			frames := source.At(fn, pc).Frames()
			if i := find(frames); i >= 0 && pc >= source.Begin(fn) {
				calls := fmt.Sprint(frames[i+1:])
				n, isKnown := known[calls]
				switch {
				case !isKnown:
					known[calls] = len(all)
					all = append(all, codeAt{f, pc})
				case source.IsPlaced(fn, pc) && !source.IsPlaced(fn, all[n].pc):
					all[n].pc = pc
				}
			}
		}
	}
	return all
}

// sourceText returns the line of the source at an instruction, without what surrounds it.
func (d *Debugger) sourceText(at codeAt) (string, bool) {
	frames := d.framesAt(at)
	if len(frames) == 0 {
		return "", false
	}
	lines := d.linesOf(at.fn, frames[0].File)
	if n := int(frames[0].Line); n >= 1 && n <= len(lines) {
		return strings.TrimSpace(lines[n-1]), true
	}
	return "", false
}

// isMain reports whether a file is that of the kernel, whose lines are written without its name.
func (d *Debugger) isMain(at codeAt, pos isa.Pos) bool {
	if !d.onSource(at.fn) {
		return pos.File == d.fns[0].Pos.File
	}
	return d.onSource(0) && pos.File == source.File(d.fns[0])
}

// instructionLine returns the line that shows the next instruction below that of the source.
func (d *Debugger) instructionLine(at codeAt) string {
	fn := d.fns[at.fn]
	text := fmt.Sprintf("(end of %s)", source.Name(fn.Name))
	if at.pc < len(fn.Code) {
		text = source.Text(fn, at.pc)
	}
	return fmt.Sprintf("   @%d  %s", at.pc, text)
}

// fileText returns the name of a file without its folder.
func fileText(pos isa.Pos) string { return fmt.Sprintf("%s:%d", path.Base(pos.File), pos.Line) }

// showsCode reports whether the instruction is shown below the line of the source.
func (d *Debugger) showsCode(at codeAt) bool {
	return d.onSource(at.fn) && (d.showCode || d.fns[at.fn].Debug.ShowCode)
}
