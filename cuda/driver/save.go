package main

import (
	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cxx"
)

// saver saves launches to the folder of SIMTRUN_SAVE: the first of each kind, and each that fails.
type saver struct {
	to   *simtrun.Saves // nil for none
	seen map[savedKind]bool
}

// savedKind identifies similar launches; only one of them is saved.
type savedKind struct {
	program              *simtrun.Program
	kernel               string
	grid, block, cluster simtrun.Dim
	shared               int64
}

// before saves a launch that is about to begin, if it is the first of its kind.
func (s *saver) before(m *module, l simtrun.Launch) *simtrun.Saved {
	if s.to == nil {
		return nil
	}
	kind := savedKind{m.p, l.Kernel, l.Grid, l.Block, l.Cluster, l.Shared}
	if s.seen[kind] {
		return nil
	}
	s.seen[kind] = true
	return s.save(m, l)
}

func (s *saver) save(m *module, l simtrun.Launch) *simtrun.Saved {
	saved, err := m.m.Save(s.to, l)
	if err != nil {
		dev.outlet.say("%s: %s: %v", cuda.EnvSave, cxx.Short(l.Kernel), err)
		return nil
	}
	return saved
}

// after saves the outcome of a launch. A failed launch that was not saved before is saved with the memory that it has
// left.
func (s *saver) after(saved *simtrun.Saved, m *module, l simtrun.Launch, failed error) {
	if s.to == nil {
		return
	}
	if saved == nil && failed != nil {
		saved = s.save(m, l)
	}
	if saved == nil {
		return
	}
	if err := saved.End(failed); err != nil {
		dev.outlet.say("%s: %s: %v", cuda.EnvSave, cxx.Short(l.Kernel), err)
	}
}
