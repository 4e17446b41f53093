package debugger

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// codeAt is the address of an instruction: the function's number in the launch, and the PC, which may be the end of
// its code.
type codeAt struct{ fn, pc int }

//go:noinline
func codeOf(w interp.Warp, s *divergence.Split) codeAt {
	return codeAt{w.Frame(s.Frame).Func, s.PC}
}

// pos returns the position of the instruction in the source, or in the PTX if that is what is shown.
func (d *Debugger) pos(at codeAt) isa.Pos {
	if frames := d.framesAt(at); len(frames) > 0 {
		return frames[0].Pos
	}
	return d.fns[at.fn].PosAt(at.pc)
}

// lineText returns "L12", or "b.s:12" for a file other than the kernel's.
func (d *Debugger) lineText(at codeAt) string {
	pos := d.pos(at)
	switch {
	case d.isMain(at, pos):
	case d.onSource(at.fn):
		return fileText(pos)
	default:
		return fmt.Sprintf("%s:%d", pos.File, pos.Line)
	}
	return fmt.Sprintf("L%d", pos.Line)
}

// codeText returns the line of the source; in PTX the instruction as it is written, if it is alone on its line, and
// otherwise in canonical form.
func (d *Debugger) codeText(at codeAt) string {
	fn := d.fns[at.fn]
	if text, ok := d.sourceText(at); ok {
		return text
	}
	if at.pc == len(fn.Code) {
		return fmt.Sprintf("(end of %s)", source.Name(fn.Name))
	}
	pos := fn.Code[at.pc].Pos
	alone := func(pc int) bool { return pc < 0 || pc >= len(fn.Code) || fn.Code[pc].Pos.Line != pos.Line }
	lines := d.cfg.Sources[pos.File]
	if int(pos.Line) > len(lines) || !alone(at.pc-1) || !alone(at.pc+1) {
		return fn.Text(at.pc)
	}
	line, _, _ := cutFirst(lines[pos.Line-1], "//")
	start, end := int(pos.Col)-1, strings.LastIndex(line, ";")
	if start < 0 || end < start {
		return fn.Text(at.pc)
	}
	if fn.Code[at.pc].Guard != isa.NoReg {
		start = max(0, strings.LastIndexByte(line[:start], '@'))
	}
	return strings.Join(strings.Fields(line[start:end]), " ")
}

// nextText returns the line that shows the next instruction of the warp in focus.
func (d *Debugger) nextText(w interp.Warp) string {
	s, ok := running(w)
	switch {
	case d.faulted(w):
		return d.instructionText("!>", w, s)
	case ok:
		return d.instructionText("=>", w, s)
	case w.Control().Live() == 0:
		return fmt.Sprintf("%s has ended", d.warpText(placeOf(w)))
	}
	return fmt.Sprintf("%s waits: %s", d.warpText(placeOf(w)), d.waitsText(w))
}

func (d *Debugger) instructionText(mark string, w interp.Warp, s divergence.Split) string {
	at := codeOf(w, &s)
	line := fmt.Sprintf("%s %-4s %-40s active %08x", mark, strings.TrimPrefix(d.lineText(at), "L"), d.codeText(at), uint32(s.Mask))
	alone := !d.onSource(at.fn)
	if m := w.Active(&s); m != s.Mask && (alone || d.showsCode(at)) {
		line += fmt.Sprintf("  guard %08x", uint32(m))
	}
	if name := d.functionText(at); at.fn > 0 || name != cxx.Short(d.fns[0].Name) {
		line += "  in " + name
	}
	if d.showsCode(at) {
		line += "\n" + d.instructionLine(at)
	}
	return line
}

// here returns the position of the focus: the function and PC of its lane, or else of its warp; in a selected caller,
// the call.
func (d *Debugger) here() (codeAt, error) {
	w, err := d.warp()
	if err != nil {
		return codeAt{}, err
	}
	s, ok := splitOf(w, d.focus.lane)
	if !ok {
		s, ok = running(w)
	}
	if !ok {
		return codeAt{0, len(d.fns[0].Code)}, nil
	}
	return d.selected(d.callChain(w, &s)).code, nil
}

// parsePlace parses a place: a line, L12, file:12, +2 lines, @3 for instruction 3 of the function, a label, or a
// function.
func (d *Debugger) parsePlace(text string) (codeAt, error) {
	if len(d.fns) == 0 {
		return codeAt{}, errEnded
	}
	here, err := d.here()
	if err != nil {
		here = codeAt{}
	}
	file := d.pos(here).File
	if name, line, ok := cutLast(text, ":"); ok {
		if at, named := d.named(text, here.fn); named && strings.Contains(text, "::") {
			return at, nil
		}
		if at, named := d.named(line, here.fn); named && d.isFile(name) {
			return at, nil
		}
		if at, ok, err := d.columnAt(name, line); ok {
			return at, err
		}
		if strings.HasSuffix(name, ":") {
			return here, errorf("no place %q%s", text, cmp.Or(isa.DidYouMean(text, d.placeNames()), "; no code of the kernel is in, or was inlined from, a function of this name"))
		}
		return d.lineAt(name, line)
	}
	switch {
	case text == "":
		return here, nil
	case strings.HasPrefix(text, "$pc"):
		return d.instructionAt(here, text)
	case text[0] == '*', text[0] == '&':
		return d.instructionAt(here, strings.TrimSpace(text[1:]))
	case text[0] == '@':
		pc, err := strconv.Atoi(text[1:])
		if err != nil || pc < 0 || pc >= len(d.fns[here.fn].Code) {
			return here, errorf("%s has instructions @0 to @%d, not %s", d.fns[here.fn].Name, len(d.fns[here.fn].Code)-1, text)
		}
		return codeAt{here.fn, pc}, nil
	case text[0] == '+', text[0] == '-' && len(text) > 1:
		n, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 32)
		if err != nil {
			return here, errorf("%q is not a number of lines", text)
		}
		return d.lineAt(file, strconv.FormatInt(int64(d.pos(here).Line)+n, 10))
	}
	if at, ok := d.named(text, here.fn); ok {
		return at, nil
	}
	if line := strings.TrimPrefix(text, "L"); strings.Trim(line, "0123456789") == "" && line != "" {
		return d.lineAt(file, line)
	}
	const form = "; a place is a line, a label, a function, +N lines, FILE:LINE or @N"
	return here, errorf("no place %q%s", text, cmp.Or(isa.DidYouMean(text, d.placeNames()), form))
}

// columnAt returns the first instruction of a line that belongs to a column or to what follows it on the line, or else
// the line's first. ok is false if the text before the column is not a line.
func (d *Debugger) columnAt(line, column string) (at codeAt, ok bool, err error) {
	col, colErr := strconv.Atoi(column)
	_, digits, inFile := cutLast(line, ":")
	if !inFile {
		digits = line
	}
	if _, lineErr := strconv.Atoi(strings.TrimPrefix(digits, "L")); colErr != nil || lineErr != nil {
		return at, false, nil
	}
	if at, err = d.parsePlace(line); err != nil {
		return at, true, err
	}
	first := d.pos(at)
	for pc := at.pc; pc < len(d.fns[at.fn].Code); pc++ {
		if pos := d.pos(codeAt{at.fn, pc}); pos.File == first.File && pos.Line == first.Line && int(pos.Col) >= col {
			return codeAt{at.fn, pc}, true, nil
		}
	}
	return at, true, nil
}

// instructionAt returns an instruction by its number in the function, as in $pc, or as $pc+N; or what else an asterisk
// may stand before.
func (d *Debugger) instructionAt(here codeAt, text string) (codeAt, error) {
	digits, from := text, 0
	rest, relative := strings.CutPrefix(text, "$pc")
	if relative {
		digits, from = strings.ReplaceAll(rest, " ", ""), here.pc
	}
	n, err := strconv.ParseInt(digits, 0, 32)
	switch {
	case err == nil || digits == "":
		return d.parsePlace(fmt.Sprintf("@%d", from+int(n)))
	case relative:
		return here, errorf("no place %q; $pc+3 is the third instruction from here", text)
	}
	return d.parsePlace(text)
}

// cutFirst is strings.Cut. Its many calls would make the command larger if they were inlined, as those of other
// functions here.
//
//go:noinline
func cutFirst(text, sep string) (before, after string, ok bool) { return strings.Cut(text, sep) }

// errorf is fmt.Errorf.
//
//go:noinline
func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// cutLast cuts at the last separator.
//
//go:noinline
func cutLast(text, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// isFile reports whether a typed file name, which may omit folders, matches a name.
func isFile(name, typed string) bool {
	return name == typed || path.Base(name) == typed
}

// isFile reports whether code of the launch is in, or was compiled from, a file with that name.
func (d *Debugger) isFile(name string) bool {
	return d.isCompiled(name) || slices.ContainsFunc(d.fns, func(fn *isa.Func) bool { return isFile(fn.Pos.File, name) })
}

// files returns the files that contain code of the launch, or from which it was compiled.
func (d *Debugger) files() []string {
	var names []string
	add := func(name string) {
		if name = path.Base(name); name != "." && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for f, fn := range d.fns {
		if !d.onSource(f) {
			add(fn.Pos.File)
		}
		for pc := range fn.Code {
			if file := fn.Code[pc].Loc.File; !source.IsSystem(file) {
				add(file)
			}
		}
	}
	return names
}

// lineAt returns the first instruction on a line of a file, or else on the next line with instructions, in functions
// that the launch can reach.
func (d *Debugger) lineAt(file, line string) (codeAt, error) {
	n, err := strconv.ParseInt(line, 10, 32)
	best, found := codeAt{}, false
	for f, fn := range d.fns {
		for pc := range fn.Code {
			pos := fn.Code[pc].Pos
			if d.onSource(f) && isFile(d.pos(codeAt{f, pc}).File, file) {
				continue
			}
			if err == nil && isFile(pos.File, file) && int64(pos.Line) >= n && (!found || pos.Line < d.pos(best).Line) {
				best, found = codeAt{f, pc}, true
			}
		}
	}
	if !found && err == nil {
		best, found = d.locatedAt(file, n)
	}
	switch {
	case found:
		return d.begun(best), nil
	case err != nil:
		return best, errorf("%s:%s: %q is not a line", file, line, line)
	case d.isFile(file):
		return best, errorf("%s:%s: no code of %s belongs to this line or a later one", file, line, source.Name(d.fns[0].Name))
	}
	return best, errorf("%s:%s: no code of %s comes from a file of this name; it comes from %s", file, line, source.Name(d.fns[0].Name), strings.Join(d.files(), ", "))
}

// begun returns the first instruction of a line after the code that stores the function's parameters, if the line has
// code after that.
func (d *Debugger) begun(at codeAt) codeAt {
	fn := d.fns[at.fn]
	begin := source.Begin(fn)
	if at.pc >= begin || begin >= len(fn.Code) || !d.onSource(at.fn) {
		return at
	}
	pos := d.pos(codeAt{at.fn, begin})
	if line, ok := source.LineIn(fn, at.pc, pos.File); ok && line == pos.Line {
		at.pc = begin
	}
	return at
}

// named returns the label of that name, preferably in the given function, or the start of the function.
func (d *Debugger) named(name string, fn int) (codeAt, bool) {
	order := []int{fn}
	for f := range d.fns {
		if f != fn {
			order = append(order, f)
		}
	}
	for _, f := range order {
		for _, l := range d.fns[f].Labels {
			if l.Name == name || l.Name == "$"+name {
				return codeAt{f, l.PC}, true
			}
		}
	}
	f := d.function(name)
	if f >= 0 && d.onSource(f) {
		return codeAt{f, source.Begin(d.fns[f])}, true
	}
	return codeAt{f, 0}, f >= 0
}

// function returns the number of a function of the launch, by its name in PTX or in C++; -1 if none or several have it.
func (d *Debugger) function(name string) int {
	found := d.functions(name)
	if len(found) != 1 {
		return -1
	}
	return slices.IndexFunc(d.fns, func(fn *isa.Func) bool { return fn.Name == found[0] })
}

// functions returns the names in PTX of the functions of the launch that a name means.
func (d *Debugger) functions(name string) []string {
	var symbols []string
	for _, fn := range d.fns {
		symbols = append(symbols, fn.Name)
	}
	return cxx.Find(symbols, strings.TrimPrefix(constLast(name), "::"))
}

// constLast moves const in the parameters of a name to where symbols have it, after the type.
func constLast(name string) string {
	of, params, ok := cutFirst(strings.TrimSuffix(name, ")"), "(")
	if !ok {
		return name
	}
	list := strings.Split(params, ",")
	for i, p := range list {
		t, isConst := strings.CutPrefix(strings.TrimSpace(p), "const ")
		if n := strings.IndexAny(t, "*&"); isConst && n > 0 {
			list[i] = t[:n] + " const" + t[n:]
		}
	}
	return of + "(" + strings.Join(list, ",") + ")"
}

// placeNames returns the labels and functions of the launch.
func (d *Debugger) placeNames() []string {
	var names []string
	for f, fn := range d.fns {
		if d.onSource(f) {
			names = append(names, source.Name(fn.Name))
			continue
		}
		names = append(names, fn.Name)
		for _, l := range fn.Labels {
			names = append(names, l.Name)
		}
	}
	return names
}

// rangesText lists the lanes of m: "0-3,7", or "0-30 by 2" if they are equally
// far apart; "none" if it is empty.
func rangesText(m lanes.Mask) string {
	if text, ok := strideText(m); ok {
		return text
	}
	return m.Ranges()
}

// strideText returns text such as "0-30 by 2" if m has at least four lanes, at equal distances greater than 1.
func strideText(m lanes.Mask) (string, bool) {
	if m.Count() < 4 {
		return "", false
	}
	first := firstLane(m)
	rest := m &^ (1 << first)
	step, last := firstLane(rest)-first, first
	for ; rest != 0; rest &= rest - 1 {
		if firstLane(rest)-last != step {
			return "", false
		}
		last = firstLane(rest)
	}
	return fmt.Sprintf("%d-%d by %d", first, last, step), step > 1
}

// lanesText returns "lane 3" or "lanes 0-15".
func lanesText(m lanes.Mask) string {
	if m.Count() == 1 {
		return "lane " + rangesText(m)
	}
	return "lanes " + rangesText(m)
}
