// Package source relates instructions of PTX to the sources from which it was compiled: from a PC to the lines of the
// user's files, with the calls through which code was inlined, and back. PTX has that in .loc and in DWARF sections.
// PTX written by hand has neither; its positions are those of its own instructions.
package source

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// Frame is a position in a source, and the function that it is in.
type Frame struct {
	isa.Pos
	Function string // in C++; "" if it is not known
}

// Place is the position of an instruction.
type Place struct {
	Code isa.Pos // in the PTX
	// From is the position in the source, innermost first: after that of a function that was inlined follows its call.
	// It is nil for PTX written by hand.
	From  []Frame
	Shown int // the frame that is shown: the innermost one in a file of the user's
	Debug *isa.Debug
}

// At returns the place of the instruction at a PC; that of the last one for the end of the function.
func At(fn *isa.Func, pc int) Place {
	if !hasLines(fn) {
		return Place{Code: fn.PosAt(pc)}
	}
	t, key := tablesOf(fn.Debug), placeKey{fn, pc}
	if p, known := t.places.Load(key); known {
		return p.(Place)
	}
	p := placeAt(fn, pc)
	t.places.Store(key, p)
	return p
}

// placeKey is an instruction.
type placeKey struct {
	fn *isa.Func
	pc int
}

func placeAt(fn *isa.Func, pc int) Place {
	p := Place{Code: fn.PosAt(pc), Debug: fn.Debug}
	if pc == len(fn.Code) {
		pc--
	}
	p.From = framesOf(fn, pc)
	for i := range p.From {
		if !IsSystem(p.From[i].File) {
			p.Shown = i
			break
		}
	}
	return p
}

// Outside returns the place in compiled code with another position, that of a call, if it would show another line.
func (p Place) Outside(call isa.Pos) Place {
	if at := p.Pos(); p.IsCompiled() && (at.Line != call.Line || path.Base(at.File) != path.Base(call.File)) {
		p.From, p.Shown = []Frame{{Pos: short(call)}}, 0
	}
	return p
}

// IsForeign reports whether the place is in no file of the user's, but in a header of a compiler, a library or simtrun,
// or in a function of libdevice.
func (p Place) IsForeign() bool {
	if p.IsCompiled() {
		return IsSystem(p.From[p.Shown].File)
	}
	return isa.IsLibdevice(p.Code)
}

// CalledBy returns the place of an instruction in a function with the place of its call.
func (p Place) CalledBy(call Place) Place {
	if !call.IsCompiled() {
		return p
	}
	p.Shown = len(p.From) + call.Shown
	p.From = slices.Concat(p.From, call.From)
	if isa.IsLibdevice(p.Code) {
		p.Code = call.Code
	}
	if p.Debug == nil {
		p.Debug = call.Debug
	}
	return p
}

// IsCompiled reports whether the place is in a source that was compiled to PTX.
func (p Place) IsCompiled() bool { return len(p.From) > 0 }

// Pos returns the position that is shown: the innermost one in the user's files, or that of the PTX.
func (p Place) Pos() isa.Pos {
	if p.IsCompiled() {
		return p.From[p.Shown].Pos
	}
	return p.Code
}

// IsValid reports whether the position is known.
func (p Place) IsValid() bool { return p.Pos().IsValid() }

// String returns file, line and column, and the position in the PTX if that was asked for.
func (p Place) String() string { return p.Pos().String() + p.codeText() }

// Short is String without the column.
func (p Place) Short() string {
	pos := p.Pos()
	return fmt.Sprintf("%s:%d", pos.File, pos.Line) + p.codeText()
}

// both reports whether the position in the PTX is shown besides that in the source.
func (p Place) both() bool { return p.IsCompiled() && p.Debug != nil && p.Debug.ShowCode }

// codeText returns the position in the PTX in brackets, if that was asked for.
func (p Place) codeText() string {
	if !p.both() || !p.Code.IsValid() {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", p.Code.File, p.Code.Line)
}

// Source returns the line of the source at the place, without space around it; "" if it cannot be read.
func (p Place) Source() string {
	if !p.IsCompiled() {
		return ""
	}
	return strings.TrimSpace(lineAt(p.Pos(), p.Debug))
}

const (
	mostShown   = 160 // characters of a line that messages show
	shownBefore = 60  // the most of these before the place
)

// shown returns Source, or the part of it around the place if it is too long for a message.
func (p Place) shown() string {
	text := p.Source()
	if utf8.RuneCountInString(text) <= mostShown {
		return text
	}
	pos := p.Pos()
	line := lineAt(pos, p.Debug)
	at := max(0, int(pos.Col)-1-strings.Index(line, text))
	before, after := []rune(text[:min(at, len(text))]), []rune(text[min(at, len(text)):])
	start, end := "", ""
	if cut := len(before) - shownBefore; cut > 0 {
		before, start = before[cut:], "…"
	}
	if room := mostShown - len(before); len(after) > room {
		after, end = after[:room], "…"
	}
	return start + string(before) + string(after) + end
}

// Text returns the line of the source at the place, or an instruction's text if there is no other source. Both are
// returned if that was asked for. Of a line of more than mostShown characters, such as a table, it returns the part
// around the place.
func (p Place) Text(instr string) string {
	text := p.shown()
	switch {
	case text == "":
		return instr
	case p.both():
		return text + "  " + instr
	}
	return text
}

// Lines returns the lines of a message on an instruction that follow the first one: the line of the source, or the
// instruction, and the calls through which it was inlined.
func (p Place) Lines(instr string) []string {
	lines := []string{p.Text(instr)}
	for _, call := range p.Calls() {
		lines = append(lines, "in      "+call)
	}
	return lines
}

// Calls returns, for code that was inlined, a line for each call from the shown position outwards, such as
// "put, called by k at k.cu:9".
func (p Place) Calls() (lines []string) {
	if !p.IsCompiled() {
		return nil
	}
	for i := p.Shown; i+1 < len(p.From); i++ {
		at := p.From[i+1]
		lines = append(lines, fmt.Sprintf("%s, called%s at %s:%d", nameOr(p.From[i].Function, "a function"), by(at.Function), at.File, at.Line))
	}
	return lines
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

func by(caller string) string {
	if caller == "" {
		return ""
	}
	return " by " + caller
}

// Frames returns the frames from the shown position outwards.
func (p Place) Frames() []Frame { return p.From[p.Shown:] }

// Shared returns the number of calls, from the kernel on, through which both places were inlined, into functions of
// the user's.
func Shared(a, b Place) (n int) {
	for n < min(len(a.From)-1-a.Shown, len(b.From)-1-b.Shown) && a.AtDepth(n) == b.AtDepth(n) {
		n++
	}
	return n
}

// AtDepth returns the position in the function that is n calls below the kernel, or in the shown one if that is above.
func (p Place) AtDepth(n int) isa.Pos {
	if !p.IsCompiled() {
		return p.Code
	}
	return p.From[max(len(p.From)-1-n, p.Shown)].Pos
}

// framesOf returns the frames of the instruction at a PC, innermost first.
func framesOf(fn *isa.Func, pc int) []Frame {
	pc = located(fn, pc)
	if pc < 0 {
		return nil
	}
	in := &fn.Code[pc]
	name := Name(fn.Name)
	if in.Inlined == nil {
		if frames := tablesOf(fn.Debug).frames(fn, pc); frames != nil {
			return frames
		}
		return []Frame{{short(in.Loc), name}}
	}
	called := func(call *isa.Inlined) string { return Name(debuginfo.String(fn.Debug, call.Function)) }
	frames := []Frame{{short(in.Loc), called(in.Inlined)}}
	for at := in.Inlined; at != nil; at = at.By {
		f := Frame{short(at.At), name}
		if at.By != nil {
			f.Function = called(at.By)
		}
		frames = append(frames, f)
	}
	return frames
}

// File returns the file of a function: that of its source, if it was compiled.
func File(fn *isa.Func) string {
	if hasLines(fn) {
		if frames := At(fn, 0).From; len(frames) > 0 {
			return frames[len(frames)-1].File
		}
	}
	return fn.Pos.File
}

// located returns the PC that has the line of the instruction at pc; -1 if the function has no lines. Compilers give
// none, or that of the function's head, to instructions that they have moved or merged: their line is that of the first
// instruction that uses the result, or else of the nearest one before, or after, between the same labels.
func located(fn *isa.Func, pc int) int {
	if IsPlaced(fn, pc) {
		return pc
	}
	if user := userOf(fn, pc); user >= 0 {
		return user
	}
	from, to := blockOf(fn, pc)
	if at := nearest(fn, pc, from, to); at >= 0 {
		return at
	}
	return nearest(fn, pc, 0, len(fn.Code))
}

// nearest returns the PC of the nearest instruction with a line before pc, or else after it, among those from from to
// to; -1 if there is none.
func nearest(fn *isa.Func, pc, from, to int) int {
	for at := pc; at >= from; at-- {
		if fn.Code[at].Loc.IsValid() {
			return at
		}
	}
	for at := max(pc, from); at < to; at++ {
		if fn.Code[at].Loc.IsValid() {
			return at
		}
	}
	return -1
}

// blockOf returns the PCs of the first instruction and of the end of the code around pc that has no labels within.
func blockOf(fn *isa.Func, pc int) (from, to int) {
	to = len(fn.Code)
	for i := range fn.Labels {
		switch at := fn.Labels[i].PC; {
		case at <= pc:
			from = max(from, at)
		default:
			to = min(to, at)
		}
	}
	return from, to
}

// IsPlaced reports whether an instruction has a line of its own.
func IsPlaced(fn *isa.Func, pc int) bool {
	if pc < 0 {
		return false
	}
	loc, head := fn.Code[pc].Loc, fn.Code[0].Loc
	return loc.IsValid() && (loc != head || head.Col != 0)
}

// The largest number of instructions after one in which its users are looked for, and of users whose users are.
const (
	nextInstructions = 200
	mostUsers        = 8
)

// userOf returns the PC of the first instruction with a line that uses the result of the one at pc, or what was
// computed from it; -1 if none is found.
func userOf(fn *isa.Func, pc int) int {
	if pc < 0 {
		return -1
	}
	for from := []int{pc}; len(from) > 0; from = from[1:] {
		for at := from[0] + 1; at < min(len(fn.Code), from[0]+nextInstructions); at++ {
			if !reads(&fn.Code[at], &fn.Code[from[0]]) {
				continue
			}
			if IsPlaced(fn, at) {
				return at
			}
			if len(from) < mostUsers && !slices.Contains(from, at) {
				from = append(from, at)
			}
		}
	}
	return -1
}

// hasLines reports whether a function was compiled from another source.
func hasLines(fn *isa.Func) bool { return fn.Debug != nil && len(fn.Code) > 0 }

// reads reports whether an instruction reads a register that another one writes.
func reads(in, written *isa.Instr) bool {
	for w := range written.Refs {
		if !w.Role.Writes() {
			continue
		}
		for r := range in.Refs {
			if r.Reg == w.Reg && !r.Role.Writes() {
				return true
			}
		}
	}
	return false
}

// Name returns the name of a function in the source, without parameters.
func Name(symbol string) string { return cxx.Short(symbol) }

// IsFile reports whether a name that a user typed, which may lack folders, means a file.
func IsFile(file, typed string) bool {
	return file == typed || path.Base(file) == typed || strings.HasSuffix(file, "/"+typed)
}

// LineIn returns the line of a file that the instruction at a PC belongs to: the innermost, if it has several.
func LineIn(fn *isa.Func, pc int, file string) (line int32, ok bool) {
	lines := LinesIn(fn, pc, file)
	if len(lines) == 0 {
		return 0, false
	}
	return lines[0], true
}

// LinesIn returns the lines of a file that the instruction at a PC belongs to, with calls that were inlined, innermost
// first.
func LinesIn(fn *isa.Func, pc int, file string) (lines []int32) {
	if !hasLines(fn) {
		return nil
	}
	for _, f := range At(fn, pc).From {
		if IsFile(f.File, file) {
			lines = append(lines, f.Line)
		}
	}
	return lines
}

// Begin returns the PC at which the code of a function's body begins, after that which only stores its parameters.
func Begin(fn *isa.Func) int {
	if !hasLines(fn) || fn.Code[0].Loc.Col != 0 {
		return 0
	}
	for pc := range fn.Code {
		if IsPlaced(fn, pc) {
			return pc
		}
	}
	return 0
}
