package profile

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Array is the requests to a variable in the shared memory of the executing block. A request belongs to the variable
// that its first active lane accesses.
type Array struct {
	Name            string // in PTX
	Requests        uint64
	Wavefronts      uint64 // passes through the banks
	IdealWavefronts uint64 // without conflicts
	WorstConflict   uint64 // as in Traffic

	from, to uint64 // offsets in shared memory
}

// arraysOf returns the variables of a launch in shared memory, by offset. Of those that share their memory, as unsized
// arrays do, it returns the first.
func arraysOf(m *interp.Machine, l *interp.Launch) []Array {
	all, err := m.Variables(l)
	if err != nil { // the launch says so itself
		return nil
	}
	var arrays []Array
	for _, v := range all {
		if v.Space == isa.Shared && v.Bytes > 0 {
			arrays = append(arrays, Array{Name: v.Name, from: v.Addr, to: v.Addr + uint64(v.Bytes)})
		}
	}
	return arrays
}

// addToArray counts a request to shared memory at the array that has an offset.
func (c *Collector) addToArray(offset uint64, use memory.BankUse) {
	a := c.array
	if a == nil || offset < a.from || offset >= a.to {
		i := slices.IndexFunc(c.arrays, func(a Array) bool { return a.from <= offset && offset < a.to })
		if i < 0 {
			return
		}
		a = &c.arrays[i]
		c.array = a
	}
	a.Requests++
	a.Wavefronts += uint64(use.Wavefronts)
	a.IdealWavefronts += uint64(use.Ideal)
	a.WorstConflict = max(a.WorstConflict, uint64(use.Degree))
}

// takeArrays moves the counts of another collector of the same launch here.
func (c *Collector) takeArrays(d *Collector) {
	for i := range c.arrays {
		to, from := &c.arrays[i], &d.arrays[i]
		to.Requests += from.Requests
		to.Wavefronts += from.Wavefronts
		to.IdealWavefronts += from.IdealWavefronts
		to.WorstConflict = max(to.WorstConflict, from.WorstConflict)
		*from = Array{Name: from.Name, from: from.from, to: from.to}
	}
}

// accessed returns the arrays with requests.
func (c *Collector) accessed() (arrays []Array) {
	for _, a := range c.arrays {
		if a.Requests > 0 {
			arrays = append(arrays, a)
		}
	}
	return arrays
}
