package report

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/profile"
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
