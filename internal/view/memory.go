package view

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

const (
	mostAccesses = 8  // of an instruction that an answer shows
	mostLines    = 32 // of an access
	lineBytes    = 128
	sectorBytes  = 32
	banks        = 32
	wordBytes    = 4
)

// memory returns what the next instruction of the warp in focus accesses. It executes that instruction; the debugger is
// then anywhere.
func (s *Session) memory(ctx context.Context, r *StateRequest) (*Memory, error) {
	l := &s.record.launches[r.Launch]
	out := &Memory{Step: r.Step, Accesses: []Access{}}
	of, i := l.warps[r.Warp], l.index(r.Warp, r.Step)
	if r.Index != nil {
		i = min(max(*r.Index, 0), len(of))
	}
	if i == len(of) {
		out.Absent = true
		return out, nil
	}
	p := &l.all[of[i]]
	out.Step = p.step
	at := debugger.Moment{Launch: r.Launch, Step: p.step}
	if err := s.d.Seek(ctx, at); err != nil {
		return nil, err
	}
	next := s.placeAt(int(p.fn), int(p.pc))
	out.Next = &next
	var requests [][]Access // of the instruction in the cycle
	more := false
	err := s.d.Accesses(ctx, at, r.Warp, func(a *interp.Access) {
		if a.PC != int(p.pc) {
			return
		}
		if !more {
			requests = append(requests, nil)
		}
		more = a.More
		last := &requests[len(requests)-1]
		*last = append(*last, s.access(a))
	})
	if before, all := l.alike(of, i); len(requests) == all {
		requests = requests[before : before+1]
	}
	for _, one := range requests {
		out.Accesses = append(out.Accesses, one...)
	}
	if n := len(out.Accesses) - mostAccesses; n > 0 {
		out.Accesses, out.More = out.Accesses[:mostAccesses], n
	}
	return out, err
}

// alike returns how often the warp with the instructions of executes one of them in its step: before that time, and in
// all. With a clock it can be more than once, in a loop that the GPU has unrolled. If the guard is false in all lanes
// at some of these times, requests cannot be distinguished, and all are shown.
func (l *launchRecord) alike(of []int32, at int) (before, all int) {
	p := &l.all[of[at]]
	is := func(i int) bool {
		o := &l.all[of[i]]
		return o.step == p.step && o.fn == p.fn && o.pc == p.pc
	}
	for i := at - 1; i >= 0 && l.all[of[i]].step == p.step; i-- {
		if is(i) {
			before++
		}
	}
	all = before
	for i := at; i < len(of) && l.all[of[i]].step == p.step; i++ {
		if is(i) {
			all++
		}
	}
	return before, all
}

// access describes an access.
func (s *Session) access(a *interp.Access) Access {
	size, space := int(a.Size), isa.Space(a.Space)
	out := Access{Space: space.String(), Kind: a.Kind.String(), Size: size, Lanes: uint32(a.Lanes), Places: make([]string, lanes.Width), Region: s.region(a)}
	for m := a.Lanes; m != 0; m &= m - 1 {
		lane := m.First()
		out.Places[lane] = hex(a.Base + a.At(lane) - perLane(a, lane))
	}
	switch space {
	case isa.Shared:
		out.Banks = banksOf(a)
	case isa.Global:
		sectors, lines := memory.Sectors(a.Access, a.Lanes, size)
		out.Lines = &MemLines{Sectors: sectors, Lines: lines, Ideal: memory.IdealSectors(a.Lanes.Count(), size), List: linesOf(a)}
	case isa.Local:
		sectors, lines := memory.LocalSectors(a.Access, a.Lanes, size)
		out.Lines = &MemLines{Sectors: sectors, Lines: lines, Ideal: memory.IdealSectors(a.Lanes.Count(), size), List: []MemLine{}}
	}
	return out
}

// perLane returns where the part of a lane begins in memory of which each lane has a part.
func perLane(a *interp.Access, lane int) uint64 { return uint64(lane) * a.PerLane() }

// region returns the name of the buffer or variable that is accessed.
func (s *Session) region(a *interp.Access) string {
	if isa.Space(a.Space) == isa.Shared {
		return cxx.Variable(s.d.SharedName(a.Base + a.At(a.Lanes.First())))
	}
	for _, b := range s.d.Program().Buffers {
		if b.Number == a.Region && b.Space == isa.Space(a.Space) {
			return cxx.Variable(b.Name)
		}
	}
	return ""
}

func hex(n uint64) string { return fmt.Sprintf("0x%x", n) }

// banksOf returns how an access uses the banks of shared memory.
func banksOf(a *interp.Access) *Banks {
	size := int(a.Size)
	use := memory.Banks(a.Access, a.Lanes, size)
	switch a.Kind {
	case isa.Load:
		use = memory.LoadBanks(a.Access, a.Lanes, size)
	case isa.Atomic:
		if size == wordBytes || size == 2*wordBytes {
			use.Wavefronts = memory.AtomicWavefronts(a.Access, a.Lanes, size)
		}
	}
	words := make(map[uint64]lanes.Mask)
	for m := a.Lanes; m != 0; m &= m - 1 {
		lane := m.First()
		first := a.At(lane) / wordBytes
		for w := first; w <= (a.At(lane)+a.Size-1)/wordBytes; w++ {
			words[w] |= 1 << lane
		}
	}
	out := &Banks{Wavefronts: use.Wavefronts, Ideal: use.Ideal, Degree: use.Degree, Words: []Word{}}
	for w, m := range words {
		out.Words = append(out.Words, Word{int(w % banks), hex(a.Base + w*wordBytes), uint32(m)})
	}
	sorted.By(out.Words, func(x, y Word) int {
		return cmp.Or(cmp.Compare(x.Bank, y.Bank), cmp.Compare(len(x.Address), len(y.Address)), cmp.Compare(x.Address, y.Address))
	})
	return out
}

// linesOf returns the lines of an access to global memory.
func linesOf(a *interp.Access) []MemLine {
	all := make(map[uint64]*MemLine)
	for m := a.Lanes; m != 0; m &= m - 1 {
		lane := m.First()
		addr := a.Base + a.At(lane)
		n := addr / lineBytes
		l := all[n]
		if l == nil {
			l = &MemLine{Address: hex(n * lineBytes)}
			all[n] = l
		}
		l.Lanes |= 1 << lane
		for sector := addr / sectorBytes; sector <= (addr+a.Size-1)/sectorBytes; sector++ {
			l.Sectors[sector%(lineBytes/sectorBytes)]++
		}
	}
	out := []MemLine{}
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if len(out) < mostLines {
			out = append(out, *all[n])
		}
	}
	return out
}
