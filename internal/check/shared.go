package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// sharedVariables are the variables of a launch in shared memory.
type sharedVariables []program.Variable

func sharedOf(m *interp.Machine, l *interp.Launch) (sharedVariables, error) {
	all, err := m.Variables(l)
	var shared sharedVariables
	for _, v := range all {
		if v.Space == isa.Shared {
			shared = append(shared, v)
		}
	}
	return shared, err
}

// at returns the variable at an offset in shared memory, or nil. Of unsized arrays, which all begin at the same
// offset, it returns the first.
func (s sharedVariables) at(offset uint64) *program.Variable {
	for i := range s {
		if v := &s[i]; offset >= v.Addr && offset-v.Addr < uint64(v.Bytes) {
			return v
		}
	}
	return nil
}
