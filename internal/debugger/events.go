package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// eventKind is a kind of event of a warp.
type eventKind uint8

const (
	diverge eventKind = iota
	reconverge
	switchPath // another split of the warp executes next
	barrier
	exit
	access
	finding // of a race; not one of an eventLog
)

// eventNames are the events at which the launch can be made to stop.
var eventNames = map[string]eventKind{"diverge": diverge, "reconverge": reconverge, "barrier": barrier, "exit": exit, "mem": access, "finding": finding}

// event is an event caused by an instruction of a warp.
type event struct {
	kind eventKind
	code codeAt
	mask lanes.Mask
	to   []divergence.Group // for a branch
	id   int                // for a barrier
}

// divergenceAt is a branch at which lanes of a warp diverged.
type divergenceAt struct {
	code          codeAt
	to            []divergence.Group
	reconvergence int
	test          *test // comparison that set the guard, if known
}

// mostDivergences is how many divergences are kept per warp.
const mostDivergences = 64

// eventLog holds the events of the current instruction, and the latest divergences of each warp.
type eventLog struct {
	d           *Debugger
	w           interp.Warp // the executing warp
	at          warpAt
	split       divergence.Split
	executed    uint64 // instructions of w before this one
	events      []event
	divergences map[warpAt][]divergenceAt
	exits       map[warpAt]map[int]codeAt // PC of each lane's exit
	armed       *armed
	touched     []touch

	histories map[warpAt]*history
	history   *history // of the warp that executed last
}

// Interfaces that an eventLog implements.
var (
	_ interp.StartObserver      = (*eventLog)(nil)
	_ interp.AccessObserver     = (*eventLog)(nil)
	_ interp.DivergenceObserver = (*eventLog)(nil)
	_ interp.ExitObserver       = (*eventLog)(nil)
	_ interp.ArrivalObserver    = (*eventLog)(nil)
)

func newEventLog(d *Debugger) *eventLog {
	return &eventLog{d: d, divergences: make(map[warpAt][]divergenceAt), exits: make(map[warpAt]map[int]codeAt), histories: make(map[warpAt]*history), armed: &armed{}}
}

// before starts the log of the next instruction.
func (l *eventLog) before(w interp.Warp, s divergence.Split) {
	l.w, l.at, l.split, l.executed = w, placeOf(w), s, w.Executed()
	l.events, l.touched = l.events[:0], l.touched[:0]
	l.note(w, &s)
}

// Started implements interp.StartObserver: it drops the log of an earlier block's warp.
func (l *eventLog) Started(at *interp.Place, _ lanes.Mask) {
	delete(l.divergences, warpAt{at.CTA, at.Warp})
	delete(l.exits, warpAt{at.CTA, at.Warp})
	l.forget()
}

// Diverged implements interp.DivergenceObserver.
func (l *eventLog) Diverged(at *interp.Place, pc int, to []divergence.Group) {
	code, where := codeAt{at.Func, pc}, warpAt{at.CTA, at.Warp}
	to = slices.Clone(to)
	l.events = append(l.events, event{kind: diverge, code: code, to: to})
	all := append(l.divergences[where], divergenceAt{code, to, l.d.graphs[code.fn].Reconvergence(pc), l.d.guardTest(l.w, &l.split)})
	l.divergences[where] = all[max(0, len(all)-mostDivergences):]
}

// Exited implements interp.ExitObserver.
func (l *eventLog) Exited(at *interp.Place, pc int, m lanes.Mask) {
	code, where := codeAt{at.Func, pc}, warpAt{at.CTA, at.Warp}
	l.events = append(l.events, event{kind: exit, code: code, mask: m})
	if l.exits[where] == nil {
		l.exits[where] = make(map[int]codeAt)
	}
	for ; m != 0; m &= m - 1 {
		l.exits[where][firstLane(m)] = code
	}
}

// Arrived implements interp.ArrivalObserver.
func (l *eventLog) Arrived(at *interp.Place, pc, id int, m lanes.Mask) {
	l.events = append(l.events, event{kind: barrier, code: codeAt{at.Func, pc}, mask: m, id: id})
	l.noteArrival(m)
}

// Accessed implements interp.AccessObserver.
func (l *eventLog) Accessed(at *interp.Place, a *interp.Access) {
	l.d.showAccess(at, a)
	code := codeAt{at.Func, a.PC}
	if l.armed.on[access] != nil {
		l.events = append(l.events, event{kind: access, code: code, mask: a.Lanes})
	}
	for _, p := range l.armed.memory {
		if t, ok := p.watch.touched(at, code, l.d, a); ok {
			t.point = p
			l.touched = append(l.touched, t)
		}
	}
}

// after adds the events that are known only after the instruction: lanes have reconverged, or another split executes
// next.
func (l *eventLog) after() {
	s, ok := running(l.w)
	was := l.split.Mask
	if !ok || placeOf(l.w) != l.at || l.w.Executed() < l.executed || s.Frame != l.split.Frame && s.Mask == was {
		return
	}
	switch {
	case s.Mask&was != 0 && s.Mask&^was != 0:
		l.events = append(l.events, event{kind: reconverge, code: codeOf(l.w, &s), mask: s.Mask})
	case s.Mask&was == 0 && !l.has(diverge):
		l.events = append(l.events, event{kind: switchPath, code: codeOf(l.w, &s), mask: s.Mask})
	}
}

func (l *eventLog) has(k eventKind) bool {
	return slices.ContainsFunc(l.events, func(e event) bool { return e.kind == k })
}

// text describes an event of the log's warp in one line.
func (l *eventLog) text(e *event) string {
	d := l.d
	line := d.lineText(e.code)
	switch e.kind {
	case diverge:
		return fmt.Sprintf("diverge  %s: %s   %s", line, d.codeText(e.code), l.sidesText(e))
	case reconverge:
		return fmt.Sprintf("reconverge  %s: %s with %s", line, rangesText(l.split.Mask), rangesText(e.mask&^l.split.Mask))
	case switchPath:
		return fmt.Sprintf("switch   %s go on at %s", rangesText(e.mask), line)
	case barrier:
		return fmt.Sprintf("barrier  %s: %s   arrived %s   %s", line, d.codeText(e.code), rangesText(e.mask), l.toComeText(e))
	case exit:
		return fmt.Sprintf("exit     %s: %s   %s", line, d.codeText(e.code), lanesText(e.mask))
	}
	return fmt.Sprintf("mem      %s: %s   %s", line, d.codeText(e.code), lanesText(e.mask))
}

// sidesText says which lanes of a branch went where, and where they reconverge.
func (l *eventLog) sidesText(e *event) string {
	var parts []string
	for i, g := range e.to {
		side := "to " + l.d.lineText(codeAt{e.code.fn, g.PC})
		switch {
		case g.PC == e.code.pc+1 && i == len(e.to)-1:
			side = "fall-through"
		case len(e.to) == 2 && e.to[1].PC == e.code.pc+1:
			side = "taken"
		}
		parts = append(parts, side+" "+rangesText(g.Mask))
	}
	at := l.d.graphs[e.code.fn].Reconvergence(e.code.pc)
	_, textOrder := l.w.Control().(*divergence.MinPC)
	switch {
	case textOrder:
		parts = append(parts, "lowest PC first")
	case at == flow.None || at == len(l.d.fns[e.code.fn].Code):
		parts = append(parts, "do not reconverge")
	default:
		parts = append(parts, "reconverge at "+l.d.lineText(codeAt{e.code.fn, at}))
	}
	return strings.Join(parts, "   ")
}

// toComeText names the warps that have not arrived at a barrier.
func (l *eventLog) toComeText(e *event) string {
	if parked(l.w)&e.mask == 0 {
		return "released"
	}
	var missing []string
	for _, w := range l.d.block(l.at.cta) {
		if m := notAt(w, e.id); m != 0 {
			missing = append(missing, missingText(w, m))
		}
	}
	return "waits for " + strings.Join(missing, ", ")
}

// notAt returns the live lanes of a warp that do not wait at a barrier.
func notAt(w interp.Warp, id int) lanes.Mask {
	m := w.Control().Live()
	for _, wait := range w.Waiting() {
		if wait.Barrier == id {
			m &^= wait.Lanes
		}
	}
	return m
}

// missingText returns "w3", or "w3 lanes 0-7" if other lanes of the warp have arrived.
func missingText(w interp.Warp, m lanes.Mask) string {
	if m == w.Control().Live() {
		return fmt.Sprintf("w%d", w.ID())
	}
	return fmt.Sprintf("w%d %s", w.ID(), lanesText(m))
}
