package view

import (
	"cmp"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// mostBranches limits the branches of a Timeline.
const mostBranches = 8

// codeAt is an instruction of a launch's functions.
type codeAt struct{ fn, pc int32 }

// branchRecord is a branch at which some warp of a launch diverged.
type branchRecord struct {
	at, meets Place
	pc        int // at which its lanes reconverge, or flow.None
}

// noteBranch keeps what a divergent branch is, while the debugger is in its launch.
func (l *launchRecord) noteBranch(d *debugger.Debugger, p *debugger.Passage) {
	at := codeAt{int32(p.Func), int32(p.PC)}
	if _, known := l.branches[at]; known || p.Deeds&debugger.Diverged == 0 {
		return
	}
	place := func(pc int) Place {
		pos := d.Position(p.Func, pc)
		return Place{PC: pc, File: pos.File, Line: pos.Line, Text: d.CodeText(p.Func, pc)}
	}
	b := branchRecord{at: place(p.PC), pc: d.ReconvergencePC(p.Func, p.PC)}
	if b.pc != flow.None {
		b.meets = place(b.pc)
	}
	l.branches[at] = b
}

// addBranches adds to a timeline which lanes the warp had active, and the branches at which that became fewer: those
// that cost most lanes first.
func (s *Session) addBranches(t *Timeline, l *launchRecord, of []int32) {
	found := make(map[codeAt]*Branch)
	until := make(map[codeAt]int)
	for i, n := range of {
		p := &l.all[n]
		t.Lanes += int64(p.mask.Count())
		at := codeAt{int32(p.fn), p.pc}
		if p.deeds&debugger.Diverged == 0 || i < until[at] {
			continue
		}
		r := l.branches[at]
		end, lanesOf := l.apart(of, i, r.pc)
		until[at] = end
		b := found[at]
		if b == nil {
			b = &Branch{At: r.at, Index: i, Until: end}
			for j := i + 1; j < len(of) && b.First == 0; j++ {
				b.First = uint32(l.all[of[j]].mask & p.mask)
			}
			b.Other = uint32(p.mask) &^ b.First
			if r.pc != flow.None && s.program.Model != "minpc" {
				b.Meets = &r.meets
			}
			found[at] = b
		}
		b.Times++
		b.Apart += int64(end - i - 1)
		b.Active += lanesOf
	}
	for _, b := range found {
		t.Branches = append(t.Branches, *b)
	}
	sorted.By(t.Branches, func(a, b Branch) int {
		return cmp.Or(cmp.Compare(lanes.Width*b.Apart-b.Active, lanes.Width*a.Apart-a.Active), cmp.Compare(a.Index, b.Index))
	})
	if n := len(t.Branches); n > mostBranches {
		t.Branches, t.MoreBranches = t.Branches[:mostBranches], n-mostBranches
	}
}

// apart returns the instruction of a warp at which the lanes that diverged at another one, and have not ended, are
// together again, or the number of its instructions; and how many lanes were active in those between.
func (l *launchRecord) apart(of []int32, branch, meets int) (end int, active int64) {
	p := &l.all[of[branch]]
	all, fn := p.mask, p.fn
	for end = branch + 1; end < len(of); end++ {
		q := &l.all[of[end]]
		if q.fn == fn && int(q.pc) == meets && all != 0 && q.mask&all == all {
			break
		}
		if q.deeds&debugger.Exited != 0 {
			all &^= q.mask
		}
		active += int64(q.mask.Count())
	}
	return end, active
}
