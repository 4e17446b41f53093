package view

import (
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/interp"
)

// mostBlocks limits the resident blocks that an answer lists.
const mostBlocks = 64

// block returns the state of the block of the warp in focus.
func (s *Session) block(r *StateRequest) *Block {
	l := &s.record.launches[r.Launch]
	at, _ := l.blockAt(r.Warp)
	out := &Block{Block: r.Warp / l.PerBlock, At: dim(at), Warps: []BlockWarp{}, Notes: []string{}, Resides: []int64{}, Absent: true}
	if !s.isAt(r.Launch) {
		return out
	}
	var own []interp.Warp
	last := int64(-1)
	for _, w := range s.d.Resident() {
		n := s.d.NumberOf(w) / l.PerBlock
		if n == out.Block {
			own = append(own, w)
		}
		if n == last {
			continue
		}
		if last = n; len(out.Resides) < mostBlocks {
			out.Resides = append(out.Resides, n)
		} else {
			out.More++
		}
	}
	out.Absent = len(own) == 0
	for _, w := range own {
		out.Warps = append(out.Warps, s.blockWarp(w, own))
	}
	if len(own) > 0 {
		for _, addr := range own[0].Initialised() {
			state := "something else has been written there"
			if b := own[0].MbarrierAt(addr); b.IsValid() {
				state = interp.MbarrierText(b)
			}
			out.Notes = append(out.Notes, "mbarrier "+s.d.SharedText(addr)+", "+state)
		}
	}
	return out
}

// blockWarp describes a warp among those of its block.
func (s *Session) blockWarp(w interp.Warp, block []interp.Warp) BlockWarp {
	live := w.Control().Live()
	out := BlockWarp{Warp: s.d.NumberOf(w), ID: w.ID(), State: "running", Live: uint32(live), Waits: []Wait{}}
	now, runs := debugger.Running(w)
	switch {
	case live == 0:
		out.State = "ended"
	case !runs:
		out.State = "waiting"
	case now.Mask != live:
		out.State = "diverged"
	}
	if runs {
		next := s.placeAt(w.Frame(now.Frame).Func, now.PC)
		out.Active, out.Next = uint32(now.Mask), &next
	}
	for _, wait := range w.Waiting() {
		one := Wait{Lanes: uint32(wait.Lanes), At: s.placeAt(wait.Func, wait.PC), Barrier: wait.Barrier, For: wait.For, Others: uint32(wait.Missing), Missing: []Missing{}}
		switch {
		case wait.Barrier == interp.ClusterBarrier:
			one.Barrier, one.For = -1, "the barrier of the cluster"
		case wait.Barrier >= 0:
			one.Missing = s.missingAt(wait.Barrier, block)
		}
		out.Waits = append(out.Waits, one)
	}
	return out
}

// missingAt returns the live lanes of a block that have not arrived at a barrier.
func (s *Session) missingAt(barrier int, block []interp.Warp) []Missing {
	all := []Missing{}
	for _, w := range block {
		m := w.Control().Live()
		for _, wait := range w.Waiting() {
			if wait.Barrier == barrier {
				m &^= wait.Lanes
			}
		}
		if m != 0 {
			all = append(all, Missing{s.d.NumberOf(w), w.ID(), uint32(m)})
		}
	}
	return all
}
