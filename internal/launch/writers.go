package launch

import (
	"bytes"
	"context"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Element is bytes of a buffer of a result.
type Element struct {
	Buffer   int // index in Result.Buffers
	At, Size int // bytes
}

// Writing is the latest write to an Element in a run.
type Writing struct {
	Known bool // false if no launch has written it, or if another order of threads leaves another value
	// Launch is the number of the launch.
	Launch int
	Func   *isa.Func
	PC     int
	Block  isa.Dim
	Thread isa.Dim // of several lanes of one instruction, the last
}

// LastWriting runs a plan of one process again, without a clock, and returns the latest write to each element. res is
// the result of the earlier run. Errors are those of Run.
func (p *Plan) LastWriting(ctx context.Context, res *Result, elements []Element) ([]Writing, error) {
	type place struct {
		region int32
		from   uint64 // address
	}
	earlier := make([][]byte, len(elements))
	places, at := make([]place, len(elements)), make([]Writing, len(elements))
	for i, e := range elements {
		r := res.Buffers[e.Buffer].Region
		places[i] = place{r.Number, r.Base + uint64(e.At)}
		earlier[i] = bytes.Clone(r.Data[e.At:][:e.Size])
	}
	number := -1
	observed := p.Observed
	defer func() { p.Observed = observed }()
	p.Observed = Observed{Attach: func(m *interp.Machine, l *interp.Launch) (end func() error, err error) {
		number++
		fns, err := m.Functions(l.Kernel)
		shape := l.Block
		l.Observe(writes(func(where *interp.Place, a *interp.Access) {
			for i := range places {
				if a.Region != places[i].region {
					continue
				}
				for left := a.Lanes; left != 0; left &= left - 1 {
					lane := left.First()
					if from := a.Base + a.At(lane); from < places[i].from+uint64(elements[i].Size) && places[i].from < from+a.Size {
						at[i] = Writing{true, number, fns[where.Func], a.PC, where.CTA, shape.At(int64(where.Warp*lanes.Width + lane))}
					}
				}
			}
		}))
		return func() error { return nil }, err
	}}
	again, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	for i, e := range elements {
		at[i].Known = at[i].Known && bytes.Equal(earlier[i], again.Buffers[e.Buffer].Data[e.At:][:e.Size])
	}
	return at, nil
}

// writes is called for accesses that change memory.
type writes func(at *interp.Place, a *interp.Access)

// Accessed implements interp.AccessObserver.
func (w writes) Accessed(at *interp.Place, a *interp.Access) {
	if a.Kind != isa.Load {
		w(at, a)
	}
}
