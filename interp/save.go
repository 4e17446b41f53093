package interp

import (
	"maps"
	"slices"

	"github.com/simtrun/simtrun/memory"
)

// MachineState is a saved copy of a Machine's memory.
type MachineState struct {
	global memory.Snapshot
	heaps  map[uint64]*memory.Region
	heap   uint64
	done   int64
	// launched is the bytes of the budget that the launch had taken.
	launched int64
}

// Save copies the machine's memory into to.
func (m *Machine) Save(to *MachineState) {
	m.global.Save(&to.global)
	to.heaps, to.heap, to.done, to.launched = maps.Clone(m.heaps), m.heap, m.done.Load(), m.launched
}

// Restore restores the machine's memory to its contents when s was saved. Engines that have executed since must be
// restored, too.
func (m *Machine) Restore(s *MachineState) {
	m.global.Restore(&s.global)
	m.heaps, m.heap = maps.Clone(s.heaps), s.heap
	m.done.Store(s.done)
	m.budget.Give(m.launched - s.launched)
	m.launched = s.launched
	clear(m.kept)
}

// EngineState is a saved copy of an Engine's counts.
type EngineState struct {
	stats                   Stats
	warned                  map[warningKey]int
	clockReads, systemCalls uint64
	hiddenChanges           uint64
	firsts                  []int64
	stack                   int64
}

// Save copies the engine's counts into to.
func (e *Engine) Save(to *EngineState) {
	to.stats, to.warned, to.firsts = e.Stats.clone(), maps.Clone(e.warned), slices.Clone(e.firsts)
	to.clockReads, to.systemCalls, to.hiddenChanges, to.stack = e.ClockReads, e.SystemCalls, e.hiddenChanges, e.stack.taken
}

// Restore restores the engine's counts to those when s was saved, and forgets everything else.
func (e *Engine) Restore(s *EngineState) {
	e.Stats, e.warned, e.firsts = s.stats.clone(), maps.Clone(s.warned), slices.Clone(s.firsts)
	e.ClockReads, e.SystemCalls, e.hiddenChanges, e.stack.taken = s.clockReads, s.systemCalls, s.hiddenChanges, s.stack
	e.forgetRegions()
	e.site, e.native.turnsOf = site{}, nil
}

// forgetRegions forgets which regions instructions accessed last: a region may no longer exist.
func (e *Engine) forgetRegions() {
	e.freed = e.m.freed
	e.clearHints()
}

// clearHints clears the regions that instructions accessed last.
func (e *Engine) clearHints() {
	for _, hint := range e.hints {
		clear(hint)
	}
	for i := range e.native.funcs {
		clear(e.native.funcs[i].hints)
	}
	if e.copying != nil {
		clear(e.copying.hints)
	}
}

func (s *Stats) clone() Stats {
	c := *s
	c.Warnings = append([]Warning(nil), s.Warnings...)
	return c
}
