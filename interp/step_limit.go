package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/source"
)

// next is an instruction that lanes will execute next.
type next struct {
	place source.Place
	text  string
	at    Where
}

// next returns the instruction that a split will execute next; the last one of its function, if it is at the end.
func (w Warp) next(s *divergence.Split) next {
	fn := w.Func(s.Frame)
	pc := min(s.PC, len(fn.Code)-1)
	return next{source.At(fn, pc), fn.Text(pc), Where{CTA: w.CTA(), Warp: w.ID(), Lanes: s.Mask}}
}

// StepLimit returns the hang of a warp that has executed as many instructions as it may.
func (w Warp) StepLimit() *Hang {
	var split divergence.Split
	w.Control().Ready(0, &split)
	return stepLimit(w.next(&split), fmt.Sprintf("step limit: a warp executed %s and is not done; --max-steps sets the limit", counted(w.Executed(), "instruction")))
}

// LaunchStepLimit returns the hang of a launch that has executed n instructions, as many as it may, since a CTA last
// completed. The warps are those of resident CTAs; started is how many CTAs have started.
func (g *Grid) LaunchStepLimit(n uint64, warps []Warp, started int64) *Hang {
	in, ok := firstNext(warps)
	h := stepLimit(in, fmt.Sprintf("step limit: the warps executed %s since a block was last done; --max-launch-steps sets the limit", counted(n, "instruction")))
	if !ok {
		h.Next, h.Involved = "", nil
	}
	done, total := g.m.Progress()
	h.Notes = append(h.Notes, fmt.Sprintf("blocks  %d of %d are done, %d under way", done, total, started-done))
	return h
}

// stepLimit returns the hang of a launch that reached a limit before an instruction.
func stepLimit(in next, msg string) *Hang {
	return &Hang{Place: in.place, Where: in.at, Rule: RuleSteps, Msg: msg, Next: in.text,
		Involved: []Involved{{Role: Affects, Where: in.at, Barrier: -1}}}
}

// Interrupt returns the error of a launch with a context that ended with err; the warps are those of resident CTAs.
func Interrupt(warps []Warp, err error) error {
	if in, ok := firstNext(warps); ok {
		return &Interrupted{Place: in.place, Text: in.text, Where: in.at, Err: err}
	}
	return err
}

// firstNext returns the instruction that the first live lanes will execute next.
func firstNext(warps []Warp) (next, bool) {
	for _, w := range warps {
		for split := range w.Control().Splits() {
			if split.PC < len(w.Func(split.Frame).Code) {
				return w.next(&split), true
			}
		}
	}
	return next{}, false
}
