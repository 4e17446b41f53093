package debugger

import (
	"errors"
	"strconv"

	"github.com/simtrun/simtrun/internal/lanes"
)

// count parses a number of repetitions; the default is one.
func count(text string) (int, error) {
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostSteps {
		return 0, errorf("%q is not a count; it is a number from 1", text)
	}
	return n, nil
}

// counted makes a command that repeats step, on a walk of the warp in focus.
//
//go:noinline
func counted(step func(*walk) error) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		n, err := count(c.args)
		if err != nil {
			return err
		}
		k, err := d.newWalk(c.ctx)
		if err != nil {
			return err
		}
		k.loud = true
		for i := range n {
			if err = step(k); err != nil {
				break
			}
			if i < n-1 && k.stopsBefore(k.w) {
				break
			}
		}
		return k.finish(err)
	}
}

// laneStep continues until the lane in focus has executed an instruction, and prints what ran before.
func (k *walk) laneStep() error {
	lane := k.d.focus.lane
	if _, lives := splitOf(k.w, lane); !lives {
		return errors.New(k.d.goneText(k.w, lane))
	}
	ran := 0
	for {
		s, ok := running(k.w)
		if err := k.forward(); err != nil {
			return err
		}
		if ok && s.Mask>>lane&1 != 0 {
			break
		}
		ran++
	}
	if ran > 0 {
		k.d.printf("ran %s of other lanes first\n", plural(uint64(ran), "instruction"))
	}
	return nil
}

// blockStep executes one instruction of every warp of the block that can run.
func (k *walk) blockStep() error {
	ran := 0
	for _, w := range k.all {
		ok, err := k.step(w)
		if err != nil {
			return err
		}
		if ok {
			ran++
		}
	}
	switch {
	case ran > 0:
		return nil
	case k.d.blockEnded(k.all):
		return k.ended()
	}
	return k.deadlocked()
}

// over executes an instruction, or a whole call.
func (k *walk) over() error {
	s, ok := running(k.w)
	if !ok || s.PC == len(k.w.Func(s.Frame).Code) || k.w.Func(s.Frame).Code[s.PC].Call == nil {
		return k.forward()
	}
	return k.leave(s.Mask, k.w.Frame(s.Frame).Depth)
}

// out runs until the currently active lanes are back in the caller.
func (k *walk) out() error {
	s, ok := running(k.w)
	if !ok || k.w.Frame(s.Frame).Depth == 0 {
		return errors.New("the warp is in the kernel, which has no caller; continue runs to its end")
	}
	return k.leave(s.Mask, max(0, k.w.Frame(s.Frame).Depth-1-k.d.level))
}

// leave runs until some lanes of m run at a call depth, or all have exited.
func (k *walk) leave(m lanes.Mask, depth int) error {
	loud := k.loud
	k.loud = false
	defer func() { k.loud = loud }()
	return k.until(func() bool {
		s, ok := running(k.w)
		return ok && s.Mask&m != 0 && k.w.Frame(s.Frame).Depth <= depth || k.w.Control().Live()&m == 0
	})
}
