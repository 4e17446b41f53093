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
	"github.com/simtrun/simtrun/interp"
)

// outcome is how a run ends, and after how many warp instructions.
type outcome struct {
	hangs  bool
	instrs uint64
	spins  bool // it takes instrs and more: how many depends on who has turns when
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

// matches reports whether got is an outcome as o says.
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

// counts is a program that ends under all models: with joins instructions under
// those whose lanes meet at a branch's reconvergence PC, whoever is first, and
// with text instructions where the lowest PC runs.
func counts(joins, text uint64) byModel {
	return byModel{always(exactly(joins)), always(exactly(joins)), always(exactly(text))}
}

// same is a program for which the model makes no difference.
func same(n uint64) byModel { return counts(n, n) }

// patterns are the ways in which lanes diverge and reconverge, each with a program. How
// a count comes about, its source says; here is what the models make of it.
var patterns = []struct {
	program string
	want    byModel
}{
	// If with else: common + one arm + the other. The join is right behind the
	// arms, and behind them in the text.
	{"if_else", same(13 + 2 + 1 + 6)},
	// Nested: each arm of the outer branch once, and of the inner ones once.
	{"nested_if", same(15 + (2 + 1 + 1) + (1 + 2 + 1) + 6)},

	// A do-while loop is as long as its longest lane, here 32 rounds. What comes
	// next is behind it in the text, so minpc holds back those who have left.
	{"trip_count", same(12 + 32*4 + 6)},
	// Of a while loop, the body runs as often as the longest lane wants, 5, and
	// the test once more.
	{"while_loop", same(12 + 6*2 + 5*3 + 6)},
	// What comes next is before the loop in the text: under minpc lanes that
	// leave have the lowest PC and do not wait. Lanes leave in all 6 rounds, so
	// its 6 instructions run 6 times.
	{"loop_exit_first", counts(13+6*2+5*3+6, 13+6*2+5*3+6*6)},
	// Lanes of break and of continue wait behind the loop and at the end of its
	// body, which is where they stand in the text too.
	{"break_continue", same(13 + 5*(2+3+2+3) + 6)},

	// An exit is no path that others wait for: what is behind the if runs once.
	{"early_exit", same(14 + 2 + 1 + 6)},
	// A jump to the common ret is one: the 5 instructions between the if and the
	// ret run for either side of it. They are behind both sides in the text, so
	// once under minpc.
	{"goto_ret", counts(14+2+1+2*5+1, 14+2+1+5+1)},

	// ELSE (1 instruction) and THEN (2) are reached from two branches each, whose
	// lanes meet only behind them: twice. Both are behind the second of the
	// branches in the text: once under minpc.
	{"short_circuit", counts(14+(2+2+2*1)+(2+2*2+1)+6, 14+(2+2+1)+(2+2+1)+6)},
	// So it is with a tail (2) that two cases jump to.
	{"unstructured_tail", counts(14+2+2+2+2*2+2+5, 14+2+2+2+2+2+5)},
	// Before its users in the text, a tail (3) has the lowest PC when the first
	// of them gets there: it runs twice under minpc too.
	{"tail_first", same(15 + 2 + 2 + 2 + 2*3 + 1 + 5)},

	// A switch costs one pass for each place that lanes go to.
	{"switch_brx", same(17 + (2 + 2 + 2 + 1) + 5)},
	// Labels that cases share cost one pass, those where nobody goes none. Cases
	// that run on into the next repeat it, up to the break: 4, 3 and 2
	// instructions. Each is behind those that run on into it: once under minpc, 1,
	// 1 and 2.
	{"switch_fall_through", counts(13+(4+3+2)+1+5, 13+(1+1+2)+1+5)},
	// k equally long places cost k times what one does, here for k from 1 to 32
	// (see TestCostLaw).
	{"kway", same(12 + 32*(4+6) + 2*(32*33/2) + 3)},

	// The critical section is behind the loop that waits for the lock. Under the
	// stack the winner waits at the end of the loop, whoever is first; under minpc
	// those in the loop have the lower PC. Under its each of 8 warps has 17
	// instructions up to the lock and 5 behind it, and 32 times somebody who takes
	// it (3: a warp that tries gets it once at most) and has it (6), alone.
	{"spin_lock", byModel{always(hangs), always(atLeast(8 * (17 + 32*(3+6) + 5))), always(hangs)}},
	// The same with tickets: 22, and 32 times 3 to be called and 9 to be served.
	{"ticket_lock", byModel{always(hangs), always(atLeast(8 * (22 + 32*(3+9) + 5))), always(hangs)}},
	// The critical section is in the loop: the winner waits behind it, having
	// released the lock, where the losers get to as well. One wins in each of 32
	// rounds.
	{"lock_in_loop", same(14 + 32*(4+6) + 1)},

	// WAIT needs what SET does. Under the stack it depends on who is first: WAIT
	// is the target of the branch; by majority, 16 and 16, the lower PC is first,
	// which is SET. Under minpc it is SET always. WAIT looks once (3) where SET is
	// first, else, under its, more often.
	{"flag_arms", byModel{
		byOrder{hangs, exactly(17 + 4 + 3 + 5), exactly(17 + 4 + 3 + 5)},
		byOrder{atLeast(17 + 4 + 2*3 + 5), exactly(17 + 4 + 3 + 5), exactly(17 + 4 + 3 + 5)},
		always(exactly(17 + 4 + 3 + 5)),
	}},
	// Two lanes wait for each other in one loop. The first to leave it waits
	// behind it under the stack, and has the higher PC under minpc. Under its: 13
	// up to the loop, 20 turns that each begin with a look (3) and go on alone (8),
	// and the ret.
	{"ping_pong", byModel{always(hangs), always(atLeast(13 + 20*(3+8) + 1)), always(hangs)}},

	// Votes and barriers in both arms need the lanes of both at once: under the
	// stack those of one are masked while the others wait. Waiting costs nothing.
	{"vote_both_arms", byModel{always(hangs), always(exactly(13 + 4 + 2 + 5)), always(exactly(13 + 4 + 2 + 5))}},
	{"divergent_barrier", byModel{always(hangs), always(exactly(2 * (17 + 3 + 3 + 6))), always(exactly(2 * (17 + 3 + 3 + 6)))}},

	// Nobody parts: under all models the lanes of a warp run in step, so that the
	// race does not show (see TestRunningApart).
	{"warp_sum_racy", same(16 + 4*3 + 2 + 5)},
	{"warp_sum", same(17 + 4*5 + 2 + 5)},
}

func TestModels(t *testing.T) {
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

// TestCostLaw runs each round of kway alone: k places take k times the 2
// instructions of one, and all the rest takes 12 + 4 + 6 + 3.
func TestCostLaw(t *testing.T) {
	for _, model := range []string{"stack", "its", "minpc"} {
		for k := uint64(1); k <= 32; k++ {
			flags := []directive{{"divergence", model}, {"arg", fmt.Sprintf("first=%d", k)}, {"arg", fmt.Sprintf("last=%d", k)}}
			if _, got := simulate(t, "kway.s", flags, k%2 == 0); got != exactly(25+2*k) {
				t.Errorf("%s, %d places: %v, want %v", model, k, got, exactly(25+2*k))
			}
		}
	}
}

// directive is one of the command's flags that say what is run.
type directive struct{ name, value string }

// depths are how much control state a warp has at most: entries of the stack,
// and points where lanes of one split are to meet under its.
var depths = []struct {
	program       string
	stack, points int
}{
	// MEET and the two arms.
	{"if_else", 3, 1},
	// MEET and those in the loop: who has left it is at MEET. Rounds add nothing.
	{"trip_count", 2, 1},
	{"while_loop", 2, 1},
	// At most MEET, the arm that waits, and for the one that runs FIZZ and the
	// lanes on their way there. The inner branch of the other arm has MEET for its
	// own reconvergence PC: MEET, the arm that waits and two parts. (Inner branches
	// with else and a place of their own to meet would make it 5.) Two branches
	// within each other, two points.
	{"nested_if", 4, 2},
	// MEET, NEXT, and the lanes that keep the bit: who has left is at MEET.
	{"break_continue", 3, 2},
}

func TestDepths(t *testing.T) {
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

// depth is a Stepper that notes how deep the control state of a warp becomes.
type depth int

func (d *depth) Step(w interp.Warp, _ divergence.Split) bool {
	*d = max(*d, depth(w.Control().Depth()))
	return false
}

// clock says that launches are timed.
type clock bool

func (c clock) String() string {
	if c {
		return "timed"
	}
	return "functional"
}

// simulate runs a program of one launch as its header and the flags say. Of what
// the header expects it checks memory alone, since the counters that are named
// there are those of a run without flags.
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

// plan is the run of a program as its header and the flags say.
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
