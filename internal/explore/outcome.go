package explore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Outcome is how executions end.
type Outcome struct {
	// End is nil if the launches ended normally; else an *interp.Fault or an *interp.Hang.
	End error
	// Memory has the contents of each region of memory at the end, in the order of Program.Machine.Regions; nil after an
	// error, because that may depend on when it came.
	Memory [][]byte
	// Warnings are the rules of the findings of the interpreter, each with its place, in order.
	Warnings []string
	// Executions counts those that ended like this.
	Executions int
	// Schedule leads there.
	Schedule Schedule

	// Derived says that only the order of floating-point atomics can lead to this outcome: all other orders have one.
	Derived bool

	key     string
	rounded map[Range]Rounded
	choices []choice
	random  *random
}

// outcomeOf returns the outcome of an execution on a machine, without its schedule.
func outcomeOf(m *interp.Machine, end error, warnings []string, sums map[sumAt]*sum) *Outcome {
	o := &Outcome{End: end, Warnings: warnings, Executions: 1}
	h := splitmix.Mix(0)
	if end == nil {
		for _, r := range m.Regions() {
			o.Memory = append(o.Memory, r.Data)
			h = hashBut(h, r.Data, sums, r.Number)
		}
	}
	o.key = fmt.Sprintf("%s %x %q", endKey(end), h, warnings)
	return o
}

// endKey identifies the kind and place of an end.
func endKey(end error) string {
	if f, ok := errors.AsType[*interp.Fault](end); ok {
		return fmt.Sprintf("%s %v", f.Rule, f.Place.Code)
	}
	if h, ok := errors.AsType[*interp.Hang](end); ok {
		return string(h.Rule)
	}
	if end != nil {
		return end.Error()
	}
	return ""
}

// hash adds data to a hash.
func hash(h uint64, data []byte) uint64 {
	for ; len(data) >= 8; data = data[8:] {
		h = splitmix.Mix(h ^ binary.LittleEndian.Uint64(data))
	}
	for _, b := range data {
		h = splitmix.Mix(h ^ uint64(b))
	}
	return splitmix.Mix(h)
}

// keep copies the memory of an outcome, which belongs to the machine.
func (o *Outcome) keep() *Outcome {
	for i, data := range o.Memory {
		o.Memory[i] = bytes.Clone(data)
	}
	return o
}

// Range is bytes of a region of memory, from First up to, but without, End.
type Range struct {
	Region     int // index in the order of Program.Machine.Regions
	First, End int
}

// Differ returns the elements, of so many bytes in each region, in which the memory of two outcomes differs.
func Differ(a, b *Outcome, size func(region int) int) (all []Range) {
	for i := range min(len(a.Memory), len(b.Memory)) {
		x, y, n := a.Memory[i], b.Memory[i], max(1, size(i))
		if bytes.Equal(x, y) {
			continue
		}
		for at := 0; at < min(len(x), len(y)); at += n {
			end := min(at+n, len(x), len(y))
			if bytes.Equal(x[at:end], y[at:end]) {
				continue
			}
			if k := len(all) - 1; k >= 0 && all[k].Region == i && all[k].End == at {
				all[k].End = end
			} else {
				all = append(all, Range{i, at, end})
			}
		}
	}
	return all
}

// Program is launches, one after the other, on a machine that nothing else uses.
type Program struct {
	Machine  *interp.Machine
	Launches []interp.Launch
	initial  interp.MachineState
}

// Regions returns the regions of memory that outcomes contain.
func (p *Program) Regions() []*memory.Region { return p.Machine.Regions() }

// limited reports whether the execution was ended by a limit.
func (o *Outcome) limited() bool {
	h, ok := errors.AsType[*interp.Hang](o.End)
	return ok && h.Rule == interp.RuleSteps
}
