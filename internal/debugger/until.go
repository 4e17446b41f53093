package debugger

import (
	"errors"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// untilCommand runs the warp in focus to a place.
func (d *Debugger) untilCommand(c *call) error {
	if d.cfg.Clock != nil {
		return d.untilTimed(c)
	}
	switch {
	case c.args == "" && d.lineHere():
		return counted((*walk).laterLine)(d, c)
	case c.args == "":
		return d.untilLater(c)
	}
	all, err := d.places(c.args)
	if err != nil {
		return err
	}
	k, err := d.newWalk(c.ctx)
	if err != nil {
		return err
	}
	return k.finish(k.until(func() bool {
		s, ok := running(k.w)
		return ok && slices.Contains(all, codeOf(k.w, &s))
	}))
}

// untilLater runs the warp in focus until it is past the shown instruction, in the same activation or in a caller: it
// does not stop after a backward branch, so that it leaves a loop.
func (d *Debugger) untilLater(c *call) error {
	k, err := d.newWalk(c.ctx)
	if err != nil {
		return err
	}
	from, ok := running(k.w)
	if !ok {
		return k.finish(k.forward())
	}
	depth := k.w.Frame(from.Frame).Depth
	k.loud = true
	return k.finish(k.until(func() bool {
		s, ok := running(k.w)
		if !ok {
			return k.w.Control().Live() == 0
		}
		now := k.w.Frame(s.Frame).Depth
		return now < depth || now == depth && s.PC > from.PC
	}))
}

// reconvCommand runs until the active lanes have reconverged with others.
func (d *Debugger) reconvCommand(c *call) error {
	k, err := d.newWalk(c.ctx)
	if err != nil {
		return err
	}
	s, ok := running(k.w)
	if ok && s.Mask == k.w.Control().Live() {
		return errors.New("the warp has not diverged")
	}
	if !ok {
		s.Mask = k.w.Control().Live()
	}
	now := divergence.Split{}
	err = k.until(func() bool {
		var ok bool
		now, ok = running(k.w)
		return ok && now.Mask&s.Mask != 0 && now.Mask&^s.Mask != 0 || k.w.Control().Live()&s.Mask == 0
	})
	if err == nil {
		d.printf("ran %s\n", plural(k.ran, "instruction"))
		if left := k.w.Control().Live() & s.Mask; left == 0 {
			d.printf("%s exited and reconverged with no others\n", lanesText(s.Mask))
		} else {
			d.printf("reconverge  %s: %s\n", d.lineText(codeOf(k.w, &now)), rangesText(now.Mask))
		}
	}
	return k.finish(err)
}

// barrierCommand runs the block until a barrier releases its warps.
func (d *Debugger) barrierCommand(c *call) error {
	k, err := d.newWalk(c.ctx)
	if err != nil {
		return err
	}
	err = k.toRelease()
	if err == nil {
		s, _ := running(k.w)
		d.focusOn(placeOf(k.w), s.Mask)
	}
	return k.finish(err)
}

// toRelease runs the warps of the block, one instruction each per round, until a barrier releases lanes.
func (k *walk) toRelease() error {
	waits := barrierWaits(k.all)
	for {
		ran := false
		for _, w := range k.all {
			ok, err := k.step(w)
			if err != nil {
				return err
			}
			ran = ran || ok
			if id := k.released(waits); id >= 0 {
				k.d.printf("ran %s; %s has released block %d\n", plural(k.ran, "instruction"), interp.BarrierName(id), k.d.blockNumber(k.w.CTA()))
				return nil
			}
			if k.d.log.has(barrier) {
				waits = barrierWaits(k.all)
			}
		}
		switch {
		case ran:
		case k.d.blockEnded(k.all):
			return k.ended()
		default:
			return k.deadlocked()
		}
	}
}

// barrierWaits returns how many lanes of the warps wait at each barrier.
func barrierWaits(warps []interp.Warp) map[int]int {
	n := make(map[int]int)
	for _, w := range warps {
		for _, wait := range w.Waiting() {
			if wait.Barrier >= 0 {
				n[wait.Barrier] += wait.Lanes.Count()
			}
		}
	}
	return n
}

// released returns the barrier that the last instruction released, or -1.
func (k *walk) released(before map[int]int) int {
	if !k.d.log.has(barrier) && !k.d.log.has(exit) {
		return -1
	}
	now := barrierWaits(k.all)
	for _, e := range k.d.log.events {
		in := &k.d.fns[e.code.fn].Code
		if e.kind == barrier && now[e.id] == 0 && (*in)[e.code.pc].Mods[isa.BarOp] != isa.BarArrive {
			return e.id
		}
	}
	for id := range 16 {
		if before[id] > 0 && now[id] == 0 {
			return id
		}
	}
	return -1
}
