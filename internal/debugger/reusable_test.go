package debugger

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/snapshot"
)

// reusable is a session that can begin again as it is now. That takes a fraction of what it takes to make a machine and
// to come to the same state by commands, which is most of what a fuzz target would do for an input.
type reusable struct {
	*bench
	was   Debugger
	world *snapshot.Snapshot
}

func newReusable(b *bench) *reusable {
	r := &reusable{bench: b, was: *b.Debugger, world: b.timeline.store.Take(nil, &b.world)}
	r.was.passed, r.was.timeline.entries = maps.Clone(b.passed), slices.Clone(b.timeline.entries)
	return r
}

// again returns the debugger to the state that newReusable found, for a test t.
func (r *reusable) again(t testing.TB) *bench {
	d := r.Debugger
	d.timeline.copies.clear()
	copies := d.timeline.copies
	r.world.Restore()
	world := d.world
	*d = r.was
	d.world, d.passed, d.timeline.copies = world, maps.Clone(r.was.passed), copies
	d.timeline.entries = slices.Clone(r.was.timeline.entries)
	r.t = t
	r.out.Reset()
	d.copyNow()
	return r.bench
}

// TestReusedSessionEqualsNewOne: whatever commands have done, a session that begins again has the state of a new one,
// and the same commands give the same answers.
func TestReusedSessionEqualsNewOne(t *testing.T) {
	for state := range states {
		r := newReusable(inState(t, state, divergence.IndependentThreads))
		for n, lines := range seedsOfCommands {
			fresh, again := inState(t, state, divergence.IndependentThreads), r.again(t)
			for line := range strings.SplitSeq(lines, "\n") {
				want, got := fresh.do(line)+fresh.Prompt(), again.do(line)+again.Prompt()
				if got != want {
					t.Fatalf("%s, seed %d: %q answers\n%s\nwant\n%s", states[state].name, n, line, got, want)
				}
			}
			if got, want := again.stateText(), fresh.stateText(); got != want {
				t.Fatalf("%s, seed %d: the state is another: %s", states[state].name, n, firstDifference(got, want))
			}
		}
	}
}
