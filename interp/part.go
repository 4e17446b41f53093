package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// part parts lanes of a split that have not diverged, if Config.Split has it
// here: at every eighth instruction or so, at random. What it decides depends on
// the place and on how much the warp has executed, so that a launch which is
// halted before an instruction is parted there once.
func (x *executor) part(c *cta, w *warp.State, split *divergence.Split) bool {
	its, ok := w.Control.(*divergence.ITS)
	if !ok || x.m.cfg.Split == 0 || x.partedAt == (partedAt{c.at, w.ID, w.Steps}) {
		return false
	}
	h := x.m.cfg.Split
	for _, v := range [...]uint64{uint64(c.at.X), uint64(c.at.Y), uint64(c.at.Z), uint64(w.ID), w.Steps} {
		h = mix(h + v)
	}
	if h%8 != 0 {
		return false
	}
	x.partedAt = partedAt{c.at, w.ID, w.Steps}
	return its.Part(lanes.Mask(h >> 32))
}

// parted is the lanes that part has parted from those that run, and them: of a
// barrier's lanes nobody is missing who would be here without it.
func (x *executor) parted(w *warp.State) lanes.Mask {
	if its, ok := w.Control.(*divergence.ITS); ok && x.m.cfg.Split != 0 {
		return its.Parted()
	}
	return 0
}

// mix is a step of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014).
func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// partedAt is where lanes were last parted: a warp that has executed so much.
type partedAt struct {
	cta   isa.Dim
	warp  int
	steps uint64
}
