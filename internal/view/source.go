package view

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// resident returns a warp of a resident block, in the debugger's present moment.
func (s *Session) resident(warp int64) (interp.Warp, bool) {
	for _, w := range s.d.Resident() {
		if s.d.NumberOf(w) == warp {
			return w, true
		}
	}
	return interp.Warp{}, false
}

// isAt reports whether the debugger is in a launch: at its end, the next launch has begun already.
func (s *Session) isAt(launch int) bool { return s.d.Now().Launch == launch }

// focused returns the warp of a request, unless it has ended or its block has not started.
func (s *Session) focused(r *StateRequest) (interp.Warp, bool) {
	if !s.isAt(r.Launch) {
		return interp.Warp{}, false
	}
	return s.resident(r.Warp)
}

// source returns the counts and marks shown next to the source's lines.
func (s *Session) source(r *StateRequest) *Source {
	l := &s.record.launches[r.Launch]
	all := make(map[lineAt]*Line, len(l.lines))
	line := func(at lineAt) *Line {
		one := all[at]
		if one == nil {
			one = &Line{File: at.file, Line: at.line}
			all[at] = one
		}
		return one
	}
	for at, counts := range l.lines {
		*line(at) = *counts
	}
	of := l.warps[r.Warp]
	for _, i := range of[:l.index(r.Warp, r.Step)] {
		p := &l.all[i]
		line(l.place(s.d, int(p.fn), int(p.pc))).Done++
	}
	w, ok := s.focused(r)
	if ok {
		for split := range w.Control().Splits() {
			at := line(l.place(s.d, w.Frame(split.Frame).Func, split.PC))
			at.At |= uint32(split.Mask)
			if s.d.AtReconvergence(w, &split) && split.Mask&debugger.Parked(w) == 0 {
				at.Meet |= uint32(split.Mask)
			}
		}
		if next, runs := debugger.Running(w); runs {
			line(l.place(s.d, w.Frame(next.Frame).Func, next.PC)).Next = true
		}
	}
	out := &Source{Lines: []Line{}, Absent: !ok}
	for at, one := range all {
		if at.line > 0 {
			out.Lines = append(out.Lines, *one)
		}
	}
	sorted.By(out.Lines, func(a, b Line) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return out
}

// placeAt describes an instruction of the present launch.
func (s *Session) placeAt(fn, pc int) Place {
	pos := s.d.Position(fn, pc)
	return Place{PC: pc, File: pos.File, Line: pos.Line, Text: s.d.CodeText(fn, pc)}
}

// dim returns an extent or a position as JSON has it.
func dim(at isa.Dim) [3]uint32 { return [3]uint32{at.X, at.Y, at.Z} }

// blockAt returns the position of a block, and the number of a warp in it.
func (l *launchRecord) blockAt(warp int64) (at isa.Dim, id int) {
	grid := isa.Dim{X: l.Grid[0], Y: l.Grid[1], Z: l.Grid[2]}
	return grid.At(warp / l.PerBlock), int(warp % l.PerBlock)
}

// lanesOf groups lanes by what text says of them, in the order of the first lane.
func lanesOf(text func(lane int) string) []Lanes {
	all := []Lanes{}
	index := make(map[string]int)
	for lane := range lanes.Width {
		state := text(lane)
		i, ok := index[state]
		if !ok {
			i = len(all)
			index[state] = i
			all = append(all, Lanes{State: state})
		}
		all[i].Mask |= 1 << lane
	}
	return all
}
