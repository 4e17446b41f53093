package debugger

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/simtrun/simtrun/internal/snapshot"
	"github.com/simtrun/simtrun/internal/sorted"
)

// DefaultHistory is the default of Config.History.
const DefaultHistory = 256 << 20

// copies are copies of the world at some moments, in ascending order. They are dense enough that what is executed
// between two of them takes some milliseconds, as long as there are not too many.
type copies struct {
	pace
	all      []worldCopy
	store    *snapshot.Store // nil if there is no memory for copies
	spacing  int64           // the least work between two copies
	limit    int64           // memory for all, in bytes
	worth    time.Duration   // worthCopying or worthRecording
	perCycle time.Duration   // with a clock: how long a cycle took that climb has executed
}

// pace says how long work and copies take. A single part may take many times as long if the host has other work, and
// copies would then be far from each other in some places. Work is steps and, with a clock, instructions, too: a cycle
// in which few warps execute takes less time.
type pace struct {
	spent time.Duration // for the work of done
	done  int64
	took  time.Duration // for a copy; 0 before the second
	taken int           // copies
	seen  time.Time     // when a turn ended, or a copy was made or put back
	at    int64         // the work of the launch then
	since int64         // work since a copy was made or put back
}

const (
	// leastTurn is the work after which the time for it counts.
	leastTurn = 64
	// longestTurn is the longest time that counts: the user may have typed meanwhile.
	longestTurn = 2 * time.Second
)

// timeOf returns how long some work takes; 0 if that is not known.
func (p *pace) timeOf(work int64) time.Duration {
	if p.done == 0 {
		return 0
	}
	return time.Duration(float64(work) * float64(p.spent) / float64(p.done))
}

// copied notes that a copy took some time. The first one takes longer than others, and so do those during which the
// host has other work.
func (p *pace) copied(took time.Duration) {
	switch p.taken++; {
	case p.taken == 2 || took < p.took:
		p.took = took
	case p.taken > 2:
		p.took += (took - p.took) / 4
	}
}

// begin begins a part after a copy, at which the launch has done some work.
func (p *pace) begin(work int64) { p.seen, p.at, p.since = time.Now(), work, 0 }

// worldCopy is a copy of the world at a moment.
type worldCopy struct {
	*snapshot.Snapshot
	moment
	at   cursor
	id   int  // of the entry at the cursor; 0 if nothing was executed
	rung bool // made by climb, and the first to be dropped
}

const (
	// firstInterval is the least time between copies.
	firstInterval = 4 * time.Millisecond
	// mostCopies is how many copies are kept; when there are more, every second one is dropped, and the spacing doubles.
	mostCopies = 256
	// worthCopying is how many times as long as a copy takes what is executed before the next.
	worthCopying = 8
	// worthRecording is the same while launches are recorded: any moment of them may be gone to, time and again.
	worthRecording = 2
	// partForRungs is which part of the memory only rungs may use.
	partForRungs = 4
)

func (c *copies) init(bytes int64) {
	if bytes == 0 {
		bytes = DefaultHistory
	}
	if bytes > 0 {
		c.store = snapshot.NewStore(isLeftAlone)
		c.limit = bytes
	}
	c.worth = worthCopying
}

func (c *copies) clear() {
	for _, w := range c.all {
		c.store.Drop(w.Snapshot)
	}
	c.all, c.spacing = nil, 0
}

// due reports whether it is time for another copy, after some work of the launch.
func (c *copies) due(work int64) bool {
	more := work - c.at
	if more < 0 { // of the next launch
		more = work
	}
	if more >= leastTurn {
		now := time.Now()
		if took := now.Sub(c.seen); took < longestTurn {
			c.spent += took
			c.done += more
		}
		c.seen, c.at, c.since, more = now, work, c.since+more, 0
	}
	since := c.since + more
	return c.store != nil && since > c.spacing && c.timeOf(since) > c.interval()
}

// interval returns the least time to execute between two copies.
func (c *copies) interval() time.Duration { return max(firstInterval, c.worth*c.took) }

// work returns what pace calls the work of the present launch.
func (d *Debugger) work() int64 {
	n := d.step()
	if d.session != nil && d.timed != nil {
		n += int64(d.timed.Stats().WarpInstrs)
	}
	return n
}

// copyIfDue copies the world if it is time.
func (d *Debugger) copyIfDue() {
	if d.timeline.due(d.work()) {
		d.copyNow()
	}
}

// copyNow copies the world, unless there is a copy of this moment, or no memory.
func (d *Debugger) copyNow() {
	h := &d.timeline
	if h.store == nil || d.session == nil || d.session.Done() {
		return
	}
	h.store.Limit = h.limit - h.limit/partForRungs
	for !d.keepCopy(false) && len(h.all) > 1 {
		if !h.makeRoom(d.now()) {
			return
		}
	}
	if len(h.all) > mostCopies {
		h.makeRoom(d.now())
	}
}

// keepCopy copies the world, unless there is a copy of this moment. It returns false if there is no memory for it.
func (d *Debugger) keepCopy(rung bool) bool {
	h, now := &d.timeline, d.now()
	i, found := slices.BinarySearchFunc(h.all, now, func(w worldCopy, m moment) int { return w.compare(m) })
	switch {
	case found && h.all[i].at == h.at:
		return true
	case found:
		h.store.Drop(h.all[i].Snapshot)
		h.all = slices.Delete(h.all, i, i+1)
	}
	began := time.Now()
	var near *snapshot.Snapshot
	if i > 0 {
		near = h.all[i-1].Snapshot
	}
	made := h.store.Take(near, &d.world)
	h.copied(time.Since(began))
	h.begin(d.work())
	if made == nil {
		return false
	}
	w := worldCopy{Snapshot: made, moment: now, at: h.at, rung: rung}
	if h.at.entry >= 0 {
		w.id = h.entries[h.at.entry].id
	}
	h.all = sorted.Insert(h.all, i, w)
	return true
}

// makeRoom drops copies for one of a moment. After the latest copy it thins them; before, it drops the one that is
// needed least, so that the others stay as dense as they are. It returns false if a copy of the moment would be needed
// less than all others.
func (c *copies) makeRoom(m moment) bool {
	switch latest := c.all[len(c.all)-1]; {
	case !m.before(latest.moment):
		c.thin()
		return true
	case c.dropRungs(moment{}):
		return true
	}
	least, gap := 0, gapAt(c.all, m)
	for i := 1; i < len(c.all)-1; i++ {
		if g := gapAt(c.all, c.all[i].moment); g < gap {
			least, gap = i, g
		}
	}
	if least == 0 {
		return false
	}
	c.store.Drop(c.all[least].Snapshot)
	c.all = slices.Delete(c.all, least, least+1)
	return true
}

// gapAt returns how many steps the latest copy before a moment and the first after it are apart; MaxInt64 if one of
// them is in another launch, or is not there.
func gapAt(all []worldCopy, m moment) int64 {
	i, found := slices.BinarySearchFunc(all, m, func(w worldCopy, m moment) int { return w.compare(m) })
	next := i
	if found {
		next++
	}
	if i == 0 || next == len(all) || all[i-1].launch != m.launch || all[next].launch != m.launch {
		return math.MaxInt64
	}
	return all[next].step - all[i-1].step
}

// thin drops the rungs or, if there are none, every second copy except the first, and doubles the spacing, so that the
// copies to come are as far apart as those that stay.
func (c *copies) thin() {
	if c.dropRungs(moment{}) {
		return
	}
	n := 0
	c.drop(func(*worldCopy) bool { n++; return n%2 == 0 })
	if took := c.timeOf(1 << 20); took > 0 {
		c.spacing = max(c.spacing, int64(float64(c.interval())/float64(took)*(1<<20)))
	}
	c.spacing *= 2
}

// drop drops some copies, and reports whether there were any.
func (c *copies) drop(which func(*worldCopy) bool) bool {
	n := len(c.all)
	c.all = slices.DeleteFunc(c.all, func(w worldCopy) bool {
		if !which(&w) {
			return false
		}
		c.store.Drop(w.Snapshot)
		return true
	})
	return len(c.all) < n
}

// dropRungs drops the rungs from a moment on.
func (c *copies) dropRungs(from moment) bool {
	return c.drop(func(w *worldCopy) bool { return w.rung && !w.before(from) })
}

// forget drops the copies that do not belong to the history any more.
func (c *copies) forget(h *timeline) { c.drop(func(w *worldCopy) bool { return !h.has(w) }) }

// has reports whether a copy is one of a moment of the history.
func (h *timeline) has(w *worldCopy) bool {
	switch {
	case w.at.entry < 0:
		return true
	case w.at.entry >= len(h.entries):
		return false
	}
	e := &h.entries[w.at.entry]
	return e.id == w.id && e.reaches(w.moment, w.at)
}

// sharedPackages are packages with types that copies leave alone: what a program consists of, which does not change,
// and what GPUs are like.
var sharedPackages = []string{"asm", "internal/cost", "internal/cxx", "internal/debuginfo", "internal/flow", "internal/gpu", "internal/hazard", "internal/isa",
	"internal/lanes/jit", "internal/libdevice", "internal/native", "internal/program", "internal/source"}

// sharedTypes are further types that copies leave alone.
var sharedTypes = []string{
	"interp.Code",                       // the module, with what was compiled of it
	"lanes.File",                        // see snapshot.Owner
	"lanes.Op",                          // code
	"lanes.Memory",                      // an Engine in a role
	"debugger.test", "divergence.Group", // in the log, where they never change
	// the user's
	"debugger.Debugger", "debugger.armed", "debugger.point", "debugger.watchpoint", "debugger.gate", "debugger.clockLog", "debugger.passageLog",
	// observers during a command
	"debugger.runner", "debugger.recorder", "debugger.replayer", "debugger.untilExecuted", "debugger.atOnce",
}

const modulePath = "github.com/simtrun/simtrun/"

// isLeftAlone reports whether copies leave a type alone.
func isLeftAlone(t reflect.Type) bool {
	path := t.PkgPath()
	if path == "" {
		return false
	}
	own, ok := strings.CutPrefix(path, modulePath)
	return !ok || slices.Contains(sharedPackages, own) || slices.Contains(sharedTypes, t.String())
}
