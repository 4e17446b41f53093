package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Array is the requests to a variable in the shared memory of the executing block. A request belongs to the variable
// that its first active lane accesses.
type Array struct {
	Name            string `json:"name"` // in the source
	Requests        uint64 `json:"requests"`
	Wavefronts      uint64 `json:"wavefronts"`       // passes through the banks
	IdealWavefronts uint64 `json:"ideal_wavefronts"` // without conflicts
	// WorstConflict is the most words that one phase of a request, 128 bytes of its lanes, wanted of one bank.
	WorstConflict uint64 `json:"worst_conflict"`
}

func arraysOf(p *profile.Profile) (arrays []Array) {
	for _, a := range p.Arrays {
		arrays = append(arrays, Array{cxx.Variable(a.Name), a.Requests, a.Wavefronts, a.IdealWavefronts, a.WorstConflict})
	}
	return arrays
}

// Buffer is the requests to a buffer or a variable in global memory. An instruction whose lanes access several makes a
// request to each.
type Buffer struct {
	Name         string `json:"name"` // in the source
	Requests     uint64 `json:"requests"`
	Sectors      uint64 `json:"sectors"`       // of 32 bytes
	IdealSectors uint64 `json:"ideal_sectors"` // if the lanes of each request accessed contiguous memory
}

func buffersOf(p *profile.Profile) (buffers []Buffer) {
	for _, b := range p.Buffers {
		buffers = append(buffers, Buffer{cxx.Variable(b.Name), b.Requests, b.Sectors, b.IdealSectors})
	}
	return buffers
}

// mostBuffers limits the buffers that the page has.
const mostBuffers = 20

// BySectors returns at most a number of buffers, and how many are left out. If some are, those with most sectors above
// their ideal come first; otherwise they are in the order of their addresses.
func (l *Launch) BySectors(most int) (shown []Buffer, left int) {
	if left = len(l.Buffers) - most; left <= 0 {
		return l.Buffers, 0
	}
	shown = slices.Clone(l.Buffers)
	sorted.Stable(shown, func(a, b Buffer) int {
		return cmp.Compare(b.Sectors-b.IdealSectors, a.Sectors-a.IdealSectors)
	})
	return shown[:most], left
}

// writeBuffers writes the sectors of each buffer in global memory.
func writeBuffers(w *sheet, l *Launch) {
	if len(l.Buffers) == 0 {
		return
	}
	shown, left := l.BySectors(mostBuffers)
	width := 14
	for i := range shown {
		width = max(width, len(shown[i].Name))
	}
	w.WriteString("\nBuffers\n")
	fmt.Fprintf(w, "  %-*s %10s %11s %11s %7s\n", width, "", "requests", "sectors", "ideal", "sec/rq")
	for i := range shown {
		b := &shown[i]
		fmt.Fprintf(w, "  %-*s %10d %11d %11d %7.1f\n", width, b.Name, b.Requests, b.Sectors, b.IdealSectors, float64(b.Sectors)/float64(b.Requests))
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %d more\n", left)
	}
}

// writeArrays writes the bank conflicts of each array in shared memory.
func writeArrays(w *sheet, l *Launch) {
	if len(l.Arrays) == 0 {
		return
	}
	width := 14
	for i := range l.Arrays {
		width = max(width, len(l.Arrays[i].Name))
	}
	w.WriteString("\nShared arrays\n")
	fmt.Fprintf(w, "  %-*s %10s %11s %6s %9s %6s\n", width, "", "requests", "wavefronts", "ideal", "conflicts", "worst")
	for i := range l.Arrays {
		a := &l.Arrays[i]
		t := profile.Traffic{Wavefronts: a.Wavefronts, IdealWavefronts: a.IdealWavefronts}
		fmt.Fprintf(w, "  %-*s %10d %11d %6d %9s %6d\n", width, a.Name, a.Requests, a.Wavefronts, a.IdealWavefronts, conflicts(&t), a.WorstConflict)
	}
}
