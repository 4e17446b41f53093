package debugger

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// newRacing begins a session that checks random launches for races.
func newRacing(t *testing.T, seed uint64, timed bool) *bench {
	t.Helper()
	text := randomKernel(rand.New(rand.NewPCG(seed, 2)))
	b := &bench{t: t}
	cfg := Config{Out: &b.out, Races: true, Sources: map[string][]string{"k.s": strings.Split(text, "\n")}}
	if timed {
		policy, err := sm.ParsePolicy("gty")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Clock = &sm.Options{Cost: cost.Lowered, Policy: policy}
	}
	cfg.Prepare = func() (*Program, error) {
		return prepareWalk("k.s", text, interp.Config{Divergence: divergence.IndependentThreads})
	}
	var err error
	if b.Debugger, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	return b
}

// raceStop is a stop at a race: the instruction or cycle before it, and what is said about the race.
type raceStop struct {
	before moment
	text   string
}

func (b *bench) raceStop(answer string, executed int64) raceStop {
	now := b.now()
	now.step -= executed
	first, rest, _ := strings.Cut(answer, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return raceStop{now, first + second}
}

// TestReverseContinueStopsAtRace: reverse-continue from anywhere stops at the latest race before, as going forward
// found them, wherever copies are.
func TestReverseContinueStopsAtRace(t *testing.T) {
	sessions, places := sizeOfWalks(12)
	for n := range sessions {
		if *walks == 0 && short.Waits(int(n), 6) {
			continue
		}
		seed := *firstWalk + n
		b := newRacing(t, seed, n%4 > 0)
		b.do("break on finding")
		var forward []raceStop
		for stops := 0; stops < 40 && !b.IsOver(); stops++ {
			b.timeline.since += int64(n%2) << 40
			if answer := b.do("continue"); strings.Contains(answer, "  race of ") {
				forward = append(forward, b.raceStop(answer, 1))
			}
		}
		end := b.now()
		r := rand.New(rand.NewPCG(seed, 3))
		for range places / 10 {
			from := moment{r.IntN(end.launch + 1), r.Int64N(1 + end.step)}
			b.do(fmt.Sprintf("goto %d:%d", from.launch+1, from.step))
			for from, count := b.now(), 0; count < 3; count++ {
				i := len(forward) - 1
				for ; i >= 0 && !forward[i].before.before(from); i-- {
				}
				answer := b.do("reverse-continue")
				if i < 0 {
					if strings.Contains(answer, "  race of ") {
						t.Fatalf("seed %d: from %v back to a race that going forward did not find:\n%s", seed, from, answer)
					}
					break
				}
				if got := b.raceStop(answer, 0); got != forward[i] {
					t.Fatalf("seed %d: from %v back to %v, want %v", seed, from, got, forward[i])
				}
				from = b.now()
			}
		}
	}
}
