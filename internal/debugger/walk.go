package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/interp"
)

// mostSteps limits the instructions that a command executes in search of its place, so that it ends in a script.
const mostSteps = 100_000_000

// walk is a command that executes instructions of one warp, and of other warps of its block only while that warp
// waits for them.
type walk struct {
	d    *Debugger
	ctx  context.Context
	w    interp.Warp
	all  []interp.Warp // of the block
	ran  uint64        // instructions executed
	loud bool          // print events
	// others are the warps that executed something while w waited, and their instructions.
	others   []int
	otherRan uint64
	beyond   bool // some of those in other blocks of the cluster
	// result is the type of what the function that the walk leaves returns; nil if that is not shown. It is shown if
	// the walk has come to the caller.
	result   *debuginfo.Type
	inCaller bool
}

// newWalk begins a walk of the warp in focus.
func (d *Debugger) newWalk(ctx context.Context) (*walk, error) {
	w, err := d.warp()
	switch {
	case err != nil:
		return nil, err
	case d.session.Done():
		return nil, errFailed
	}
	d.log.armed = d.arm()
	d.log.armed.on = [numStops]*point{} // only continue stops on events
	return &walk{d: d, ctx: ctx, w: w, all: d.block(w.CTA())}, nil
}

// errStop ends a walk: a point, the launch's end, or the user.
var errStop = errors.New("stop")

// one executes an instruction of warp w. The error is errStop if it is the last.
func (k *walk) one(w interp.Warp) (ok bool, err error) {
	if k.ran%contextEvery == 0 && k.ctx.Err() != nil {
		k.d.interrupted()
		return false, errStop
	}
	if k.ran == mostSteps {
		return false, errorf("not there after %d instructions", k.ran)
	}
	got, err := k.d.issue(w)
	if err != nil {
		return false, err
	}
	switch got {
	case over:
		return false, errStop
	case blocked:
		return false, nil
	}
	k.ran++
	if k.loud {
		k.showEvents(w)
	}
	if k.d.log.armed.after(k.d.log) {
		return true, errStop
	}
	return true, nil
}

// stopsBefore reports whether a point stops the walk before w's next instruction.
func (k *walk) stopsBefore(w interp.Warp) bool {
	s, ok := running(w)
	return ok && k.d.stopsBefore(w, s)
}

// step executes an instruction of warp w unless a point stops the walk before it.
func (k *walk) step(w interp.Warp) (ok bool, err error) {
	if k.stopsBefore(w) {
		return false, errStop
	}
	return k.one(w)
}

// showEvents prints the events of the instruction, with the warp if that is not the walk's.
func (k *walk) showEvents(w interp.Warp) {
	l := k.d.log
	for i := range l.events {
		name := ""
		if w.ID() != k.w.ID() {
			name = k.d.warpText(l.at) + "  "
		}
		k.d.printf("%s%s\n", name, l.text(&l.events[i]))
	}
}

// forward executes an instruction of the walk's warp. If the warp waits, the others of its block run until it can
// continue.
func (k *walk) forward() error {
	ok, err := k.one(k.w)
	if ok || err != nil {
		return err
	}
	if k.w.Control().Live() == 0 {
		return k.ended()
	}
	loud := k.loud
	k.loud = false
	defer func() { k.loud = loud }()
	for {
		ran := false
		for _, w := range k.all {
			if w.ID() == k.w.ID() {
				continue
			}
			ok, err := k.step(w)
			if err != nil {
				return err
			}
			ran = ran || ok
			k.noteOther(w, ok)
			if k.woke() {
				return nil
			}
		}
		for _, w := range k.peers(ran) {
			ok, err := k.step(w)
			if err != nil {
				return err
			}
			if ok {
				ran, k.beyond = true, true
				k.otherRan++
			}
			if k.woke() {
				return nil
			}
		}
		if !ran {
			return k.deadlocked()
		}
	}
}

// peers returns the warps of the other blocks of the cluster, if no warp of this block ran.
func (k *walk) peers(ran bool) []interp.Warp {
	if ran {
		return nil
	}
	return k.w.Peers()
}

// woke reports whether the walk's warp can run. If so, it prints what others have run meanwhile.
func (k *walk) woke() bool {
	if _, awake := running(k.w); !awake {
		return false
	}
	k.d.printf("ran %s in %s\n", plural(k.otherRan, "instruction"), k.othersText())
	k.otherRan, k.others, k.beyond = 0, nil, false
	return true
}

func (k *walk) noteOther(w interp.Warp, ran bool) {
	if ran {
		k.otherRan++
		if !slices.Contains(k.others, w.ID()) {
			k.others = append(k.others, w.ID())
			slices.Sort(k.others)
		}
	}
}

//go:noinline
func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (k *walk) othersText() string {
	var ids []string
	for _, id := range k.others {
		ids = append(ids, strconv.Itoa(id))
	}
	const beyond = "other blocks of the cluster"
	text := "warps " + strings.Join(ids, ",")
	if len(ids) == 1 {
		text = "warp " + ids[0]
	}
	switch {
	case k.beyond && len(ids) == 0:
		return beyond
	case k.beyond:
		return text + " and " + beyond
	}
	return text
}

// ended continues with another block if all warps of this one have ended.
func (k *walk) ended() error {
	if !k.d.blockEnded(k.all) {
		return errorf("%s has ended; others of its block have not (info warps)", k.d.warpText(placeOf(k.w)))
	}
	if err := k.leaveBlock(); err != nil {
		return err
	}
	return errStop
}

// leaveBlock prints that the block has ended, and continues with the next one.
func (k *walk) leaveBlock() error {
	k.d.printf("block %d has ended\n", k.d.blockNumber(k.w.CTA()))
	return k.d.enter(func(_ *functional.Session, ctx context.Context) error { return k.d.proceed(ctx) })
}

// deadlocked prints that no warp of the block can continue.
func (k *walk) deadlocked() error {
	k.d.printf("deadlock: no warp of block %d can go on\n", k.d.blockNumber(k.w.CTA()))
	for _, w := range k.all {
		if len(w.Waiting()) > 0 {
			k.d.printf("  %s waits: %s\n", k.d.warpText(placeOf(w)), k.d.waitsText(w))
		}
	}
	return errStop
}

// until moves forward until there returns true, which it calls after every instruction.
func (k *walk) until(there func() bool) error {
	for {
		if err := k.forward(); err != nil {
			return err
		}
		if there() {
			return nil
		}
		if k.stopsBefore(k.w) {
			return errStop
		}
	}
}

// finish shows where a walk has ended.
func (k *walk) finish(err error) error {
	k.d.log.armed = &armed{}
	k.d.level = 0
	if err != nil && err != errStop {
		return err
	}
	if k.d.session != nil && !k.d.session.Done() && k.d.blockEnded(k.all) {
		if at, here := k.d.warp(); here == nil && at.Control().Live() == 0 && at.CTA() == k.w.CTA() {
			if err := k.leaveBlock(); err != nil {
				return err
			}
		}
	}
	k.d.show()
	if k.inCaller && k.result != nil {
		k.d.showResult(k.result)
	}
	return nil
}
