package debugger

import (
	"cmp"
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// moment is a point in time: a launch, by its index, and a step of it. Steps are the warp instructions that the launch
// has executed or, with a clock, its cycles.
type moment struct {
	launch int
	step   int64
}

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.launch, o.launch), cmp.Compare(m.step, o.step))
}

//go:noinline
func (m moment) before(o moment) bool { return m.compare(o) < 0 }

// entryKind is how a part of the history was executed.
type entryKind uint8

const (
	natural entryKind = iota // the launch continued, in its own order
	ofWarp                   // a warp executed instructions, and nothing else did
	edit                     // the user changed something, with a command
)

// entry is a part of the history that can be executed again: a machine is deterministic.
type entry struct {
	id       int // unique
	kind     entryKind
	launch   int
	from, to int64  // steps
	at       warpAt // of a warp
	calls    int    // of functional.Session.Step for a warp; 1 for others
	ends     bool   // the launch ends with it
	// For a change: the command, the focus in which it was carried out, and what it may refer to.
	line string
	in   scene
	with asides
}

// reaches reports whether the entry, which may be a shortened one, extends to a moment at which the complete entry was
// under way, or had ended its launch.
func (e *entry) reaches(m moment, at cursor) bool {
	if m.launch > e.launch {
		return e.ends
	}
	return m.step <= e.to && (e.kind == natural || at.calls <= e.calls)
}

// cursor is a place in the history: an entry that was begun, and how often it was called; twice for a launch that has
// ended in it.
type cursor struct{ entry, calls int }

// timeline is what was executed since the start of the first launch, and copies of the machine on the way. The debugger
// goes back by putting back a copy and executing the rest again.
//
// Where the user goes on differently than before, what was executed afterwards is forgotten.
type timeline struct {
	entries []entry
	at      cursor // where the session is
	made    int    // entries made so far
	shown   int64  // bytes of the kernels' output that the user has seen
	marks   []bookmark
	numbers int // bookmarks made so far
	copies
}

func (h *timeline) clear() {
	h.entries, h.at, h.shown, h.marks, h.numbers = nil, cursor{entry: -1}, 0, nil, 0
	h.copies.clear()
}

// now returns where the session is.
//
//go:noinline
func (d *Debugger) now() moment { return moment{d.number, d.step()} }

// step returns the step of the present launch, or the one at which it has ended.
//
//go:noinline
func (d *Debugger) step() int64 {
	switch {
	case d.session == nil:
		return d.ended
	case d.timed != nil:
		return d.timed.Cycle() - d.since
	}
	return int64(d.functional.Stats().WarpInstrs)
}

// current returns the entry that was begun and not completed; false if there is none.
func (h *timeline) current(step int64) (*entry, bool) {
	if h.at.entry < 0 {
		return nil, false
	}
	e := &h.entries[h.at.entry]
	switch {
	case e.ends && e.kind == natural:
		return e, h.at.calls < 2
	case e.kind == natural:
		return e, step < e.to
	}
	return e, h.at.calls < e.calls
}

// next returns the entry of the history to execute next; false at its end.
func (h *timeline) next(step int64) (*entry, bool) {
	if e, ok := h.current(step); ok {
		return e, true
	}
	if h.at.entry+1 < len(h.entries) {
		return &h.entries[h.at.entry+1], true
	}
	return nil, false
}

// prepare is called before something is executed. If it is not what was executed here before, the rest is forgotten.
func (h *timeline) prepare(d *Debugger, kind entryKind, at warpAt) {
	e, ok := h.next(d.step())
	if ok && (e.kind != kind || e.at != at || e.launch != d.number) {
		h.cut(d)
	}
}

// until returns the step up to which execution of a kind follows the history, or before which no history is.
func (h *timeline) until(d *Debugger, kind entryKind, at warpAt) int64 {
	h.prepare(d, kind, at)
	e, ok := h.next(d.step())
	if !ok || e.ends || len(h.entries) == h.place(e)+1 {
		return math.MaxInt64
	}
	return e.to
}

// place returns the index of an entry.
func (h *timeline) place(e *entry) int {
	return slices.IndexFunc(h.entries, func(o entry) bool { return o.id == e.id })
}

// note records what was executed from e.from on.
func (h *timeline) note(d *Debugger, e entry) {
	e.launch, e.to = d.number, d.step()
	done := 1
	if e.ends {
		done = 2
	}
	was, begun := h.current(e.from)
	if !begun && h.at.entry+1 < len(h.entries) {
		h.at = cursor{entry: h.at.entry + 1}
		was, begun = &h.entries[h.at.entry], true
	}
	follows := was != nil && was.kind == e.kind && was.at == e.at && was.launch == e.launch && e.kind != edit
	switch {
	case begun && !follows:
		h.cut(d)
		h.add(e)
	case follows && begun && d.onlyEnters(&e) && was.from == e.from && !d.onlyEnters(was):
		h.insert(e)
	case follows && d.onlyEnters(was) && e.to > e.from:
		h.add(e)
	case follows && e.kind == natural && (begun || !was.ends):
		if h.at.calls = done; e.to > was.to || e.ends && !was.ends {
			h.forgetFrom(h.at.entry + 1)
			was.to, was.ends = e.to, e.ends
		}
	case follows && e.kind == ofWarp && (begun || !was.ends):
		if h.at.calls++; h.at.calls > was.calls {
			was.calls, was.to, was.ends = h.at.calls, e.to, e.ends
		}
	default:
		h.add(e)
	}
	if e.ends && e.kind == natural {
		h.at.calls = done
	}
}

// onlyEnters reports whether an entry has executed nothing and yet may have changed which CTAs are resident: those that
// have ended have left, and others have started. Such an entry is never part of one that executes something, so that
// the state at its step is always the one after it.
func (d *Debugger) onlyEnters(e *entry) bool {
	return e.kind == natural && e.from == e.to && !e.ends && d.timed == nil
}

// insert records an entry that executed nothing, before the one at the cursor, which is still to come.
func (h *timeline) insert(e entry) {
	h.made++
	e.id = h.made
	h.entries = sorted.Insert(h.entries, h.at.entry, e)
	for i := range h.all {
		if at := &h.all[i].at; at.entry >= h.at.entry {
			at.entry++
		}
	}
	h.at.calls = e.calls
}

// add appends an entry that was executed.
func (h *timeline) add(e entry) {
	h.made++
	e.id = h.made
	h.forgetFrom(h.at.entry + 1)
	h.entries = append(h.entries, e)
	h.at = cursor{len(h.entries) - 1, e.calls}
}

// cut forgets everything after the present.
func (h *timeline) cut(d *Debugger) {
	step := d.step()
	if e, ok := h.current(step); ok {
		switch {
		case h.at.calls == 0: // it was not begun
			h.at.entry--
			h.forgetFrom(h.at.entry + 1)
			h.at.calls = h.callsAt(h.at.entry)
			h.shown = d.printed
			return
		case e.kind == ofWarp:
			e.calls = h.at.calls
		}
		e.to, e.ends = step, false
	}
	h.forgetFrom(h.at.entry + 1)
	h.shown = d.printed
}

// callsAt returns the calls of an entry that is completed.
func (h *timeline) callsAt(i int) int {
	switch {
	case i < 0:
		return 0
	case h.entries[i].ends && h.entries[i].kind == natural:
		return 2
	}
	return h.entries[i].calls
}

// forgetFrom forgets the entries from an index on, and the copies in them.
func (h *timeline) forgetFrom(i int) {
	if i < len(h.entries) {
		h.entries = h.entries[:i]
	}
	h.copies.forget(h)
}

// end returns the last moment of the history.
func (h *timeline) end() (m moment) {
	if n := len(h.entries); n > 0 {
		m = moment{h.entries[n-1].launch, h.entries[n-1].to}
	}
	return m
}

// lengthOf returns the last step of a launch in the history.
func (t *timeline) lengthOf(launch int) (step int64) {
	for i := range t.entries {
		if t.entries[i].launch == launch {
			step = t.entries[i].to
		}
	}
	return step
}

// gate is the output of kernels: it drops what the user has seen before.
type gate struct {
	d  *Debugger
	to interface{ Write([]byte) (int, error) }
}

// Write implements io.Writer.
func (g gate) Write(p []byte) (int, error) {
	d := g.d
	d.printed += int64(len(p))
	if fresh := d.printed - d.timeline.shown; fresh > 0 && d.quiet == 0 {
		d.timeline.shown = d.printed
		if _, err := g.to.Write(p[max(0, len(p)-int(fresh)):]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// divertOutput sends what kernels print through a gate.
func (d *Debugger) divertOutput() {
	if cfg := d.program.Machine.Config(); cfg.Stdout != nil {
		cfg.Stdout = gate{d, cfg.Stdout}
	}
}
