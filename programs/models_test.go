package programs_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// outcome is how a run ends, and after how many warp instructions.
type outcome struct {
	hangs  bool
	instrs uint64
	spins  bool // it takes at least instrs; how many more depends on the time slices
}

func (o outcome) String() string {
	switch {
	case o.hangs:
		return "a hang"
	case o.spins:
		return fmt.Sprintf("%d warp instructions or more", o.instrs)
	}
	return fmt.Sprintf("%d warp instructions", o.instrs)
}

// matches reports whether got agrees with o.
func (o outcome) matches(got outcome) bool {
	if o.spins && !got.hangs {
		return got.instrs >= o.instrs
	}
	return got == o
}

var hangs = outcome{hangs: true}

func exactly(n uint64) outcome { return outcome{instrs: n} }
func atLeast(n uint64) outcome { return outcome{instrs: n, spins: true} }

// byOrder are outcomes by path order: taken, fallthrough, majority.
type byOrder [3]outcome

var pathOrders = [len(byOrder{})]string{"taken", "fallthrough", "majority"}

func always(o outcome) byOrder { return byOrder{o, o, o} }

// byModel are outcomes by model of divergence.
type byModel struct{ stack, its, minPC byOrder }

// counts is a program that ends under all models: with joins instructions under models with reconvergence PCs, in any
// path order, and with text instructions where the lowest PC runs first.
func counts(joins, text uint64) byModel {
	return byModel{always(exactly(joins)), always(exactly(joins)), always(exactly(text))}
}

// same is a program with the same outcome in all models.
func same(n uint64) byModel { return counts(n, n) }

// patterns are patterns of divergence and reconvergence, each with a program. The program's source derives its count;
// the comments here explain the differences between models.
var patterns = []struct {
	program string
	want    byModel
}{
	// If with else: common part + one arm + the other. The reconvergence PC is right after the arms, also in the
	// text.
	{"if_else", same(13 + 2 + 1 + 6)},
	// Nested: each arm of the outer branch once, and each arm of the inner ones once.
	{"nested_if", same(15 + (2 + 1 + 1) + (1 + 2 + 1) + 6)},

	// A do-while loop is as long as its longest lane, here 32 iterations. The code after it has higher PCs, so minpc
	// holds back the lanes that have left.
	{"trip_count", same(12 + 32*4 + 6)},
	// The body of a while loop runs as often as its longest lane requires, 5 times, and the test once more.
	{"while_loop", same(12 + 6*2 + 5*3 + 6)},
	// The code after the loop precedes it in the text: under minpc lanes that leave have the lowest PC and do not
	// wait. Lanes leave in all 6 iterations, so its 6 instructions run 6 times.
	{"loop_exit_first", counts(13+6*2+5*3+6, 13+6*2+5*3+6*6)},
	// Lanes that break wait after the loop, and lanes that continue at the end of its body, which is the order of the
	// text, too.
	{"break_continue", same(13 + 5*(2+3+2+3) + 6)},

	// No lane waits for one that has exited: the code after the if runs once.
	{"early_exit", same(14 + 2 + 1 + 6)},
	// A jump to the common ret is a path that others wait for: the 5 instructions between the if and the ret run for
	// both sides. They come after both sides in the text, so they run once under minpc.
	{"goto_ret", counts(14+2+1+2*5+1, 14+2+1+5+1)},

	// ELSE (1 instruction) and THEN (2) are reached from two branches each, whose lanes reconverge only after them:
	// twice. Both come after the second of the branches in the text: once under minpc.
	{"short_circuit", counts(14+(2+2+2*1)+(2+2*2+1)+6, 14+(2+2+1)+(2+2+1)+6)},
	// The same for a tail (2) that two cases jump to.
	{"unstructured_tail", counts(14+2+2+2+2*2+2+5, 14+2+2+2+2+2+5)},
	// A tail (3) that precedes its users in the text has the lowest PC when the first of them gets there: it runs
	// twice under minpc, too.
	{"tail_first", same(15 + 2 + 2 + 2 + 2*3 + 1 + 5)},

	// A switch costs one pass for each place that lanes go to.
	{"switch_brx", same(17 + (2 + 2 + 2 + 1) + 5)},
	// Labels that cases share cost one pass, and labels that no lane goes to none. Cases that fall through repeat the
	// next ones, up to the break: 4, 3 and 2 instructions. Each comes after those that fall through to it: once under
	// minpc, 1, 1 and 2.
	{"switch_fall_through", counts(13+(4+3+2)+1+5, 13+(1+1+2)+1+5)},
	// k equally long places cost k times as much as one, here for k from 1 to 32 (see
	// TestRoundsCostTwoInstructionsPerPlace).
	{"kway", same(12 + 32*(4+6) + 2*(32*33/2) + 3)},

	// The critical section comes after the loop that waits for the lock. Under the stack the winner waits at the end
	// of the loop, in any path order; under minpc the lanes in the loop have the lower PC. Under its each of 8 warps
	// has 17 instructions up to the lock and 5 after it, and 32 times a lane takes the lock (3: a warp that tries
	// gets it at most once) and holds it (6), alone.
	{"spin_lock", byModel{always(hangs), always(atLeast(8 * (17 + 32*(3+6) + 5))), always(hangs)}},
	// The same with tickets: 22, and 32 times 3 until a lane's turn and 9 for it.
	{"ticket_lock", byModel{always(hangs), always(atLeast(8 * (22 + 32*(3+9) + 5))), always(hangs)}},
	// The critical section is in the loop: the winner has released the lock when it waits after it, and the losers
	// get there, too. One lane wins in each of 32 iterations.
	{"lock_in_loop", same(14 + 32*(4+6) + 1)},

	// WAIT needs the result of SET. Under the stack it depends on the path order: WAIT is the target of the branch;
	// by majority, 16 and 16, the lower PC is first, which is SET. Under minpc SET is always first. WAIT polls once
	// (3) if SET is first; otherwise, under its, more often.
	{"flag_arms", byModel{
		byOrder{hangs, exactly(17 + 4 + 3 + 5), exactly(17 + 4 + 3 + 5)},
		byOrder{atLeast(17 + 4 + 2*3 + 5), exactly(17 + 4 + 3 + 5), exactly(17 + 4 + 3 + 5)},
		always(exactly(17 + 4 + 3 + 5)),
	}},
	// Two lanes wait for each other in one loop. The first to leave it waits after it under the stack, and has the
	// higher PC under minpc. Under its: 13 up to the loop, 20 turns that each begin with a poll (3) and continue
	// alone (8), and the ret.
	{"ping_pong", byModel{always(hangs), always(atLeast(13 + 20*(3+8) + 1)), always(hangs)}},

	// Votes and barriers in both arms need the lanes of both at once: under the stack the lanes of one arm are masked
	// while the others wait. Waiting costs nothing.
	{"vote_both_arms", byModel{always(hangs), always(exactly(13 + 4 + 2 + 5)), always(exactly(13 + 4 + 2 + 5))}},
	{"divergent_barrier", byModel{always(hangs), always(exactly(2 * (17 + 3 + 3 + 6))), always(exactly(2 * (17 + 3 + 3 + 6)))}},

	// No lane diverges: under all models the lanes of a warp run in lock step, so the race has no effect (see
	// TestMissingBarriersShowUnderDivergence).
	{"warp_sum_racy", same(16 + 4*3 + 2 + 5)},
	{"warp_sum", same(17 + 4*5 + 2 + 5)},
}

func TestModelsGiveExpectedOutcome(t *testing.T) {
	short.Alternates(t, 2, 3)
	for _, p := range patterns {
		for _, m := range []struct {
			name string
			want byOrder
		}{{"stack", p.want.stack}, {"its", p.want.its}, {"minpc", p.want.minPC}} {
			for i, order := range pathOrders {
				flags := []directive{{"divergence", m.name}, {"path-order", order}}
				for _, with := range []clock{false, true} {
					res, got := simulate(t, p.program+".s", flags, with)
					if want := m.want[i]; !want.matches(got) {
						t.Errorf("%s %v, %v: %v, want %v", p.program, flags, with, got, want)
					}
					for _, f := range res.Failed {
						t.Errorf("%s %v, %v: memory is not as expected: %s", p.program, flags, with, f.Expect)
					}
				}
			}
		}
	}
}

// TestRoundsCostTwoInstructionsPerPlace runs each round of kway alone: k places take k times the 2 instructions of one,
// and the rest takes 12 + 4 + 6 + 3.
func TestRoundsCostTwoInstructionsPerPlace(t *testing.T) {
	for _, model := range []string{"stack", "its", "minpc"} {
		for k := uint64(1); k <= 32; k++ {
			flags := []directive{{"divergence", model}, {"arg", fmt.Sprintf("first=%d", k)}, {"arg", fmt.Sprintf("last=%d", k)}}
			if _, got := simulate(t, "kway.s", flags, k%2 == 0); got != exactly(25+2*k) {
				t.Errorf("%s, %d places: %v, want %v", model, k, got, exactly(25+2*k))
			}
		}
	}
}

// directive is a flag of the command that describes the run.
type directive struct{ name, value string }

// depths is the largest control state of a warp: entries of the stack, and convergence barriers of its lanes under
// its.
var depths = []struct {
	program       string
	stack, points int
}{
	// MEET and the two arms.
	{"if_else", 3, 1},
	// MEET and the lanes in the loop: lanes that have left are at MEET. Iterations add nothing.
	{"trip_count", 2, 1},
	{"while_loop", 2, 1},
	// At most MEET, the arm that waits, and for the running arm FIZZ and the lanes on their way there. The inner
	// branch of the other arm also has MEET as its reconvergence PC: MEET, the arm that waits and two splits. (Inner
	// branches with else and their own reconvergence PC would make it 5.) Two nested branches, two convergence
	// barriers.
	{"nested_if", 4, 2},
	// MEET, NEXT, and the lanes that keep the bit: lanes that have left are at MEET.
	{"break_continue", 3, 2},
}

func TestControlStateHasExpectedDepth(t *testing.T) {
	for _, p := range depths {
		for _, order := range pathOrders {
			for _, m := range []struct {
				name string
				want int
			}{{"stack", p.stack}, {"its", p.points}} {
				flags := []directive{{"divergence", m.name}, {"path-order", order}}
				ready, err := plan(t, p.program+".s", flags).Prepare(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var got depth
				ready.Launches[0].Observe(&got)
				if _, err := functional.Run(t.Context(), ready.Machine, ready.Launches[0]); err != nil {
					t.Fatal(err)
				}
				if int(got) != m.want {
					t.Errorf("%s %v: %d deep, want %d", p.program, flags, got, m.want)
				}
			}
		}
	}
}

// depth is a Stepper that records the largest control state of a warp.
type depth int

func (d *depth) Step(w interp.Warp, _ divergence.Split) bool {
	*d = max(*d, depth(w.Control().Depth()))
	return false
}

// clock says whether launches are timed.
type clock bool

func (c clock) String() string {
	if c {
		return "timed"
	}
	return "functional"
}

// simulate runs a program of one launch according to its header and the flags. It checks only the header's
// expectations on memory, because those on counters are for a run without flags.
func simulate(t *testing.T, file string, flags []directive, with clock) (*launch.Result, outcome) {
	t.Helper()
	p := plan(t, file, flags)
	if p.Profile = false; with {
		p.UseClock()
	}
	res, err := p.Run(t.Context())
	if _, ok := errors.AsType[*interp.Hang](err); ok {
		return res, hangs
	}
	if err != nil {
		t.Fatalf("%s %v: %v", file, flags, err)
	}
	return res, exactly(res.Launches[0].Stats.WarpInstrs)
}

// plan returns the run of a program according to its header and the flags.
func plan(t *testing.T, file string, flags []directive) *launch.Plan {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse(file, src)
	if err != nil {
		t.Fatal(err)
	}
	header, err := launch.ParseHeader(file, ".", src)
	if err != nil {
		t.Fatal(err)
	}
	given := launch.NewFlags()
	for _, f := range flags {
		if err := given.Set(f.name, f.value, launch.Origin{Flag: "--" + f.name + " " + f.value}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := launch.NewPlan(mod, header, given)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
