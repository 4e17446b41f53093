package debugger

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// focus is the lane to which commands apply.
type focus struct {
	cta  isa.Dim
	warp int
	lane int
}

// warpAt identifies a warp of the launch.
type warpAt struct {
	cta isa.Dim
	id  int
}

//go:noinline
func placeOf(w interp.Warp) warpAt { return warpAt{w.CTA(), w.ID()} }

// warp returns the warp in focus.
//
//go:noinline
func (d *Debugger) warp() (interp.Warp, error) {
	return d.find(warpAt{d.focus.cta, d.focus.warp})
}

// find returns a warp of a resident block.
func (d *Debugger) find(at warpAt) (interp.Warp, error) {
	if d.session == nil {
		return interp.Warp{}, errEnded
	}
	if d.timed != nil {
		if w, ok := d.timed.Warp(at.cta, at.id); ok {
			return w, nil
		}
	}
	resides := false
	for _, w := range d.session.Warps() {
		if w.CTA() == at.cta {
			resides = true
			if w.ID() == at.id {
				return w, nil
			}
		}
	}
	block := d.blockNumber(at.cta)
	switch {
	case resides:
		return interp.Warp{}, errorf("block %d has no warp %d; it has %d", block, at.id, d.warpsPerBlock())
	case d.session.Done():
		return interp.Warp{}, errEnded
	}
	if d.mayHaveEnded(block) {
		return interp.Warp{}, errorf("block %d has ended, or not started yet; info blocks lists those that reside, break LOC if %s stops in it", block, d.isBlock(at.cta))
	}
	return interp.Warp{}, errorf("block %d has not started yet; tbreak %s if %s, and then continue, stop in it", block, cxx.Short(d.launch().Kernel), d.isBlock(at.cta))
}

// isBlock returns a condition that is true in one block of the grid.
func (d *Debugger) isBlock(at isa.Dim) string {
	name := "%ctaid"
	if d.onSource(0) {
		name = "blockIdx"
	}
	text := fmt.Sprintf("%s.x == %d", name, at.X)
	if grid := d.launch().Grid; grid.Y > 1 || grid.Z > 1 {
		text += fmt.Sprintf(" && %s.y == %d", name, at.Y)
		if grid.Z > 1 {
			text += fmt.Sprintf(" && %s.z == %d", name, at.Z)
		}
	}
	return text
}

// mayHaveEnded reports whether a block that does not reside can be one that has ended. Blocks start in order.
func (d *Debugger) mayHaveEnded(block int64) bool {
	done, _ := d.program.Machine.Progress()
	begun := done
	for i, all := 0, d.session.Warps(); i < len(all); i++ {
		if i == 0 || all[i].CTA() != all[i-1].CTA() {
			begun++
		}
	}
	return d.cluster() != (isa.Dim{}) || d.timed != nil || !d.onSource(0) || block < begun
}

func (d *Debugger) warpsPerBlock() int64 {
	return (d.launch().Block.Count() + lanes.Width - 1) / lanes.Width
}

// block returns the warps of a resident block.
func (d *Debugger) block(cta isa.Dim) []interp.Warp {
	var all []interp.Warp
	for _, w := range d.session.Warps() {
		if w.CTA() == cta {
			all = append(all, w)
		}
	}
	return all
}

// blockNumber counts blocks with x fastest.
func (d *Debugger) blockNumber(cta isa.Dim) int64 { return d.launch().Grid.Number(cta) }

func (d *Debugger) warpText(at warpAt) string {
	return fmt.Sprintf("b%d.w%d", d.blockNumber(at.cta), at.id)
}

func (d *Debugger) focusText() string {
	return fmt.Sprintf("%s.l%d", d.warpText(warpAt{d.focus.cta, d.focus.warp}), d.focus.lane)
}

// running returns the first split of the warp in the model's order. ok is false if that split waits, since all splits
// wait then, or if no lane is live, since Control.Ready would return no split at all.
func running(w interp.Warp) (divergence.Split, bool) {
	s, ok := firstSplit(w)
	return s, ok && s.PC != s.Stop && s.Mask&parked(w) == 0
}

// firstSplit returns the first split of a warp in the model's order, which may wait; false if no lane is live.
func firstSplit(w interp.Warp) (divergence.Split, bool) {
	for s := range w.Control().Splits() {
		return s, true
	}
	return divergence.Split{}, false
}

// parked returns the lanes that wait at barriers or for others of their warp.
func parked(w interp.Warp) lanes.Mask {
	m := lanes.Mask(0)
	for _, wait := range w.Waiting() {
		m |= wait.Lanes
	}
	return m
}

// splitOf returns the split of a lane; ok is false if the lane is not live.
func splitOf(w interp.Warp, lane int) (s divergence.Split, ok bool) {
	for s := range w.Control().Splits() {
		if s.Mask>>lane&1 != 0 {
			return s, true
		}
	}
	return s, false
}

// focusOn moves the focus to a warp. It keeps the focused lane if m, which is not empty, contains it, and moves to a
// lane of m otherwise.
//
//go:noinline
func (d *Debugger) focusOn(at warpAt, m lanes.Mask) {
	same := at == warpAt{d.focus.cta, d.focus.warp}
	d.focus.cta, d.focus.warp = at.cta, at.id
	if m != 0 && (!same || m>>d.focus.lane&1 == 0) {
		d.focus.lane = firstLane(m)
	}
}

// settleFocus moves the focus to the first resident warp if its own warp has ended.
func (d *Debugger) settleFocus() {
	if _, err := d.warp(); err == nil {
		return
	}
	for _, w := range d.session.Warps() {
		s, _ := running(w)
		d.focusOn(placeOf(w), s.Mask)
		return
	}
}

func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }

// parseFocus parses "b1 w2 l3", "b1.w2.l3", or words before the numbers, such as "block 1 thread 37" and "block
// (1,0,0) thread (5,1,0)"; missing parts keep their values.
func (d *Debugger) parseFocus(text string) (focus, error) {
	f := d.focus
	setters := map[byte]func(*focus, string) error{'b': d.setBlock, 'w': d.setWarp, 'l': d.setLane, 't': d.setThread}
	words := strings.FieldsFunc(strings.ReplaceAll(text, ", ", ","), func(r rune) bool { return r == ' ' || r == '.' })
	for i := 0; i < len(words); i++ {
		word, at := words[i], ""
		switch word {
		case "kernel", "device", "grid": // there is only one at a time
			if i+1 == len(words) || !isNumber(words[i+1]) {
				continue // cuda-gdb shows the current one
			}
			i++
			if only := map[string]int{"kernel": d.number, "grid": d.number + 1}[word]; i < len(words) && words[i] != strconv.Itoa(only) {
				return f, errorf("no %s %s here; there is %s %d", word, words[i], word, only)
			}
			continue
		case "sm":
			if i+1 == len(words) || !isNumber(words[i+1]) {
				continue // there is none, and cuda-gdb shows the rest
			}
			return f, errors.New("the focus is a block, warp or lane, not an SM; info schedulers shows SMs, with a clock")
		case "block", "warp", "lane", "thread":
			if i+1 == len(words) || strings.Trim(words[i+1], "abcdefghijklmnopqrstuvwxyz") == "" {
				continue // cuda-gdb shows the current one
			}
			i++
			at = words[i]
		default:
			at = word[1:]
		}
		set := setters[word[0]]
		if set == nil || len(word)+len(at) == 1 || at == word[1:] && strings.Trim(at, "0123456789") != "" {
			return f, errorf("%q is not a block, warp, lane or thread; write b0 w1 l5, or block 0 thread 37", word)
		}
		if err := set(&f, at); err != nil {
			return f, err
		}
	}
	return f, nil
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func (d *Debugger) setBlock(f *focus, text string) error {
	grid := d.launch().Grid
	n, err := placeIn(grid, text, "block")
	if err == nil {
		f.cta = grid.At(n)
	}
	return err
}

func (d *Debugger) setWarp(f *focus, text string) error {
	n, err := number(text, "warp", d.warpsPerBlock())
	f.warp = int(n)
	return err
}

func (d *Debugger) setLane(f *focus, text string) error {
	n, err := number(text, "lane", lanes.Width)
	f.lane = int(n)
	return err
}

// setThread sets a thread by its number in the block, counted with x fastest, or by its coordinates.
func (d *Debugger) setThread(f *focus, text string) error {
	if text == "apply" || text == "find" {
		return errors.New("thread apply all COMMAND carries out a command in every warp, thread apply N... COMMAND in threads; warps -with EXPR finds some")
	}
	n, err := placeIn(d.launch().Block, text, "thread")
	f.warp, f.lane = int(n/lanes.Width), int(n%lanes.Width)
	return err
}

// placeIn parses the number of an element of an extent, or its coordinates, "(5,1,0)" or "5,1"; missing coordinates
// are 0.
func placeIn(extent isa.Dim, text, what string) (int64, error) {
	if !strings.Contains(text, ",") && !strings.HasPrefix(text, "(") {
		return number(text, what, extent.Count())
	}
	var at [3]uint32
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), ",")
	for i, part := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 32)
		if i == len(at) || err != nil || uint32(n) >= [3]uint32{extent.X, extent.Y, extent.Z}[min(i, 2)] {
			return 0, errorf("%q is not a %s; they are (0,0,0) to %s", text, what, dimText(extent.At(extent.Count()-1)))
		}
		at[i] = uint32(n)
	}
	return extent.Number(isa.Dim{X: at[0], Y: at[1], Z: at[2]}), nil
}

// number parses a number below many.
func number(text, what string, many int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if many == 1 && (err != nil || n != 0) {
		return 0, errorf("%q is not a %s; there is only %s 0", text, what, what)
	}
	if err != nil || n < 0 || n >= many {
		return 0, errorf("%q is not a %s; they are 0 to %d", text, what, many-1)
	}
	return n, nil
}

// moveFocus moves the focus and prints the new position.
func (d *Debugger) moveFocus(f focus) error {
	if d.session == nil {
		return errEnded
	}
	w, err := d.find(warpAt{f.cta, f.warp})
	if err != nil {
		return err
	}
	d.focus, d.level, d.listing = f, 0, listing{}
	where := ""
	if d.onSource(0) { // as cuda-gdb does
		thread := d.launch().Block.At(int64(f.warp*lanes.Width + f.lane))
		where = fmt.Sprintf("  block %s thread %s", dimText(f.cta), dimText(thread))
	}
	d.printf("focus %s%s  (%s)\n%s\n", d.focusText(), where, d.laneState(w, f.lane), d.nextText(w))
	return nil
}

func (d *Debugger) focusCommand(c *call) error {
	f, err := d.parseFocus(c.args)
	if err != nil {
		return err
	}
	return d.moveFocus(f)
}

// cutPlace cuts a number or coordinates such as "(0, 1, 0)" off the front of text.
func cutPlace(text string) (place, rest string) {
	if end := strings.IndexByte(text, ')'); end > 0 && text[0] == '(' {
		return strings.ReplaceAll(text[:end+1], " ", ""), strings.TrimSpace(text[end+1:])
	}
	place, rest, _ = cutFirst(text, " ")
	return place, strings.TrimSpace(rest)
}

// elsewhere makes a command that moves the focus with set. If a command follows the number, it executes that command
// there and the focus stays; with oneLane, the command applies to that lane only.
//
//go:noinline
func elsewhere(set func(*Debugger, *focus, string) error, oneLane bool) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		if d.session == nil {
			return errEnded
		}
		if c.args == "" {
			return d.moveFocus(d.focus)
		}
		there, rest := cutPlace(c.args)
		f := d.focus
		if err := set(d, &f, there); err != nil {
			return err
		}
		if rest == "" {
			return d.moveFocus(f)
		}
		if _, err := d.find(warpAt{f.cta, f.warp}); err != nil {
			return err
		}
		back, only, level := d.focus, d.only, d.level
		if !d.onOnePath(back, f) {
			d.level = 0 // of another call stack
		}
		d.focus = f
		if oneLane {
			d.only = 1 << f.lane
		}
		err := d.dispatch(c.ctx, rest)
		d.only = only
		if d.focus == f {
			d.focus, d.level = back, level
		}
		if d.session != nil {
			d.settleFocus()
		}
		return err
	}
}

// onOnePath reports whether two lanes are of one warp and have not diverged.
func (d *Debugger) onOnePath(a, b focus) bool {
	if a.cta != b.cta || a.warp != b.warp {
		return false
	}
	w, err := d.find(warpAt{a.cta, a.warp})
	if err != nil {
		return false
	}
	s, ok := splitOf(w, a.lane)
	return ok && s.Mask>>b.lane&1 != 0
}
