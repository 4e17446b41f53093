package interp_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// follower follows every lane of a launch and compares its path with the one that it takes alone.
type follower struct {
	p      *flowProgram
	want   *flowOutcome
	number []int // of p's functions, by number in the launch
	taken  []int // steps by thread
	astray string
	// For a Stepper.
	looks, halts, halted bool
	timed                *sm.Options // of a launch with a clock
	observesAll          bool        // see functional.Session
}

var _ interp.RunObserver = (*follower)(nil)

func (f *follower) lost(format string, args ...any) {
	if f.astray == "" {
		f.astray = fmt.Sprintf(format, args...)
	}
}

func (f *follower) threadOf(cta isa.Dim, warp, lane int) int {
	return int(cta.X)*flowStride + warp*lanes.Width + lane
}

func (f *follower) spins(fn, pc int) bool {
	code := f.p.funcs[fn].code
	return pc < len(code) && code[pc].spins
}

// Ran implements interp.RunObserver.
func (f *follower) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	fn := f.number[at.Func]
	for lane := range lanes.Width {
		if m>>lane&1 == 0 {
			continue
		}
		n := f.threadOf(at.CTA, at.Warp, lane)
		for pc := first; pc < end; pc++ {
			if f.spins(fn, pc) {
				continue
			}
			steps := f.want.threads[n].steps
			switch k := f.taken[n]; {
			case k == len(steps):
				f.lost("thread %d goes on to %s:%d, alone it does not", n, f.p.funcs[fn].name, pc)
			case int(steps[k].fn) != fn || int(steps[k].pc) != pc:
				f.lost("thread %d is at %s:%d after %d steps, alone at %+v", n, f.p.funcs[fn].name, pc, k, steps[k])
			default:
				f.taken[n]++
			}
		}
	}
}

// stepping is a follower that also inspects the warp before every instruction.
type stepping struct{ *follower }

// Step implements interp.Stepper.
func (f stepping) Step(w interp.Warp, s divergence.Split) bool {
	if f.halted = f.halts && !f.halted; f.halted {
		return true
	}
	first := true
	seen := lanes.Mask(0)
	for o := range w.Control().Splits() {
		if first && (o.Mask != s.Mask || o.PC != s.PC || o.Frame != s.Frame) {
			f.lost("the first split is %+v, not %+v", o, s)
		}
		first = false
		if o.Mask == 0 || o.Mask&seen != 0 {
			f.lost("split %+v has no lanes, or some of %#x, which are in others", o, seen)
		}
		seen |= o.Mask
		f.checkSplit(w, &o)
	}
	live := lanes.Mask(0)
	for lane := range lanes.Width {
		if n := f.threadOf(w.CTA(), w.ID(), lane); w.Threads()>>lane&1 != 0 && !(f.want.threads[n].ended && f.taken[n] == len(f.want.threads[n].steps)) {
			live |= 1 << lane
		}
	}
	if seen != live || w.Control().Live() != live {
		f.lost("lanes %#x live; Live is %#x, and %#x are in splits", live, w.Control().Live(), seen)
	}
	return false
}

// checkSplit compares the place of a split with those of its lanes.
func (f *follower) checkSplit(w interp.Warp, s *divergence.Split) {
	fn := f.number[w.Frame(s.Frame).Func]
	for id := s.Frame; id != divergence.NoFrame; id = w.Frame(id).Parent {
		fr := w.Frame(id)
		if s.Mask&^fr.Lanes != 0 {
			f.lost("lanes %#x of %+v are not in its activation", s.Mask&^fr.Lanes, s)
		}
	}
	for lane := range lanes.Width {
		if s.Mask>>lane&1 == 0 {
			continue
		}
		n := f.threadOf(w.CTA(), w.ID(), lane)
		steps, k := f.want.threads[n].steps, f.taken[n]
		at := flowPlace{int16(fn), int16(s.PC), int16(w.Frame(s.Frame).Depth)}
		if k < len(steps) && steps[k] != at && !f.spins(fn, s.PC) {
			f.lost("thread %d is in a split at %+v, alone at %+v", n, at, steps[k])
		}
	}
}

// flowResult is the result of a launch.
type flowResult struct {
	stats       interp.Stats
	err         error
	words, lock []uint32
}

// launch runs the program on a new machine, and follows its lanes.
func (f *follower) launch(mod *isa.Module, cfg interp.Config) (r flowResult, err error) {
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		return r, err
	}
	fns, err := m.Functions("k")
	if err != nil {
		return r, err
	}
	f.number, f.taken = nil, make([]int, len(f.want.threads))
	for _, fn := range fns {
		for n := range f.p.funcs {
			if f.p.funcs[n].name == fn.Name {
				f.number = append(f.number, n)
			}
		}
	}
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(f.p.ctas), 1), Block: kerneltest.Dim(uint32(f.p.threads), 1), Observers: []interp.Observer{f}}
	if f.looks || f.halts {
		l.Observers = []interp.Observer{stepping{f}}
	}
	s, err := f.begin(m, l)
	if err != nil {
		return r, err
	}
	for r.err == nil && !s.Done() {
		r.err = s.Continue(context.Background())
	}
	r.stats, r.words, r.lock = s.Stats(), kerneltest.WordsOf(m.Var("words")), kerneltest.WordsOf(m.Var("locks"))
	if s, ok := s.(*sm.Session); ok && r.err == nil {
		return r, s.Timing().Check()
	}
	return r, nil
}

// from describes how the result differs from another one, or returns "".
func (r *flowResult) from(other *flowResult) string {
	if reflect.DeepEqual(r, other) { // cmp.Diff is slow
		return ""
	}
	return cmp.Diff(*other, *r, cmp.AllowUnexported(flowResult{}), cmp.Comparer(sameError))
}

// session is a launch under way, with a clock or without one.
type session interface {
	Continue(context.Context) error
	Done() bool
	Stats() interp.Stats
}

func (f *follower) begin(m *interp.Machine, l interp.Launch) (session, error) {
	if f.timed != nil {
		f.timed.Prove = new(functional.Prover).Prove
		return sm.Begin(m, l, *f.timed)
	}
	s, err := functional.Begin(m, l)
	if err != nil {
		return nil, err
	}
	s.ObservesAll = f.observesAll
	return s, nil
}

// wrong describes the error in the result of a launch under a model, or returns "".
func (f *follower) wrong(r *flowResult, model divergence.Model) string {
	if f.astray != "" {
		return f.astray
	}
	var hang *interp.Hang
	switch {
	case r.err == nil && f.want.stuck:
		return "it ends, though alone some threads wait for ever"
	case r.err == nil:
		return f.wrongEnd(r)
	case !errors.As(r.err, &hang) || hang.Rule == interp.RuleSteps:
		return r.err.Error()
	case model == divergence.ReconvergenceStack && f.p.waits, model == divergence.LowestPC && f.p.locks:
		return ""
	case !f.want.stuck:
		return "it does not end, but could: " + r.err.Error()
	case f.p.ctas > 1:
		return ""
	}
	for n, t := range f.want.threads {
		if t != nil && f.taken[n] != len(t.steps) {
			return fmt.Sprintf("thread %d could take %d steps and takes %d: %v", n, len(t.steps), f.taken[n], r.err)
		}
	}
	return ""
}

// wrongEnd describes the error in the memory of a launch that has ended, or returns "".
func (f *follower) wrongEnd(r *flowResult) string {
	for n, t := range f.want.threads {
		if t == nil {
			continue
		}
		if f.taken[n] != len(t.steps) {
			return fmt.Sprintf("thread %d takes %d steps, alone %d", n, f.taken[n], len(t.steps))
		}
		if words := r.words[n*keptWords:][:keptWords]; !slices.Equal(t.words, words) {
			return fmt.Sprintf("thread %d stores %x, alone %x", n, words, t.words)
		}
	}
	if !slices.Equal(f.want.locks[:], r.lock) {
		return fmt.Sprintf("locks are left as %x, alone as %x", r.lock, f.want.locks)
	}
	return ""
}

// flowTrial is a program, in both its forms, and its execution one lane at a time.
type flowTrial struct {
	p    *flowProgram
	mod  *isa.Module
	want *flowOutcome
}

// check runs the program under all models in the given orders, and returns an error text, or "". If no lanes wait for
// each other across a branch, ITS issues the same as the stack; otherwise the stack does not end.
func (tr *flowTrial) check(orders []divergence.Order, thorough bool) string {
	for _, order := range orders {
		var onStack flowResult
		for _, model := range []divergence.Model{divergence.ReconvergenceStack, divergence.IndependentThreads, divergence.LowestPC} {
			cfg := interp.Config{Divergence: model, PathOrder: order, MaxSteps: 1e6}
			r, msg := tr.run(cfg)
			if msg == "" && thorough {
				msg = tr.lookAt(cfg, &r)
			}
			if msg == "" && (thorough || tr.p.seed%6 == uint64(model)) {
				msg = tr.runTimed(cfg)
			}
			if msg == "" && (thorough || tr.p.seed%6 == 3+uint64(model)) {
				msg = tr.observeAll(cfg, &r)
			}
			if msg == "" {
				msg = tr.runCompiled(cfg, &r, thorough)
			}
			switch {
			case msg != "":
			case model == divergence.ReconvergenceStack:
				onStack = r
			case model == divergence.IndependentThreads && onStack.err == nil && !tr.p.locks && r.stats.WarpInstrs != onStack.stats.WarpInstrs:
				msg = fmt.Sprintf("%d instructions, under stack %d", r.stats.WarpInstrs, onStack.stats.WarpInstrs)
			}
			if msg != "" {
				return fmt.Sprintf("%v, %v: %s", model, order, msg)
			}
		}
	}
	if _, msg := tr.run(interp.Config{Split: 1, MaxSteps: 1e6}); msg != "" {
		return "forced divergence: " + msg
	}
	return ""
}

// run runs the program once, and returns an error text, or "".
func (tr *flowTrial) run(cfg interp.Config) (flowResult, string) {
	f := &follower{p: tr.p, want: tr.want}
	r, err := f.launch(tr.mod, cfg)
	if err != nil {
		return r, err.Error()
	}
	return r, f.wrong(&r, cfg.Divergence)
}

// runTimed runs the program with a clock, with a policy and an order that depend on the program, and returns an error
// text, or "".
func (tr *flowTrial) runTimed(cfg interp.Config) string {
	cfg.GPU = smallGPU(1 + int(tr.p.seed%2))
	o := &sm.Options{Order: sm.Order(tr.p.seed % 3), Cost: cost.Mode(tr.p.seed / 3 % 2), DualIssue: tr.p.seed%5 == 0}
	policies := sm.PolicyNames()
	o.Policy, _ = sm.ParsePolicy(strings.Replace(policies[tr.p.seed%uint64(len(policies))], "SEED", "1", 1))
	f := &follower{p: tr.p, want: tr.want, timed: o}
	r, err := f.launch(tr.mod, cfg)
	if err != nil {
		return err.Error()
	}
	if msg := f.wrong(&r, cfg.Divergence); msg != "" {
		return fmt.Sprintf("with a clock, %v: %s", o.Policy, msg)
	}
	return ""
}

// observeAll runs the program as for result r, but the detector of livelocks also observes counting loops. How often
// lanes poll may differ, and which is first. If lanes wait for others, barriers may be broken, after which quanta
// determine which lanes meet: then lanes execute the same in more or fewer warp instructions.
func (tr *flowTrial) observeAll(cfg interp.Config, r *flowResult) string {
	f := &follower{p: tr.p, want: tr.want, observesAll: true}
	all, err := f.launch(tr.mod, cfg)
	if err != nil {
		return err.Error()
	}
	if msg := f.wrong(&all, cfg.Divergence); msg != "" {
		return "if loops that count are observed: " + msg
	}
	if (all.err == nil) != (r.err == nil) {
		return fmt.Sprintf("%v, if loops that count are observed %v", r.err, all.err)
	}
	if r.err != nil || tr.p.locks {
		return ""
	}
	if all.stats.WarpInstrs != r.stats.WarpInstrs && !tr.p.waits || all.stats.LaneInstrs != r.stats.LaneInstrs {
		return fmt.Sprintf("%d instructions, of lanes %d; if loops that count are observed %d and %d", r.stats.WarpInstrs, r.stats.LaneInstrs, all.stats.WarpInstrs, all.stats.LaneInstrs)
	}
	return ""
}

// lookAt runs the program as for result r, but inspects it between instructions: first only that, then it also halts
// it. Neither may change anything.
func (tr *flowTrial) lookAt(cfg interp.Config, r *flowResult) string {
	for _, halts := range []bool{false, true} {
		f := &follower{p: tr.p, want: tr.want, looks: true, halts: halts}
		seen, err := f.launch(tr.mod, cfg)
		switch {
		case err != nil:
			return err.Error()
		case f.astray != "":
			return "between instructions: " + f.astray
		}
		if diff := seen.from(r); diff != "" {
			return fmt.Sprintf("(-run +looked at, halts: %v):\n%s", halts, diff)
		}
	}
	return ""
}

// runCompiled runs the program as for result r, but as unobserved compiled code: to its end, and up to a limit of
// steps.
func (tr *flowTrial) runCompiled(cfg interp.Config, r *flowResult, checked bool) string {
	cfg.Compile, cfg.Lanes = kerneltest.CompilationOf(tr.p.seed), kerneltest.LevelOf(tr.p.seed)
	got, err := tr.p.unobserved(tr.mod, cfg, checked)
	if err != nil {
		return err.Error()
	}
	if diff := got.from(r); diff != "" {
		return fmt.Sprintf("(-run +compiled):\n%s", diff)
	}
	cfg.MaxSteps = 1 + (tr.p.seed*0x9e3779b97f4a7c15>>32)%max(1, r.stats.WarpInstrs)
	if got, err = tr.p.unobserved(tr.mod, cfg, false); err != nil {
		return err.Error()
	}
	cfg.Compile = interp.CompileNever
	want, err := tr.p.unobserved(tr.mod, cfg, false)
	if err != nil {
		return err.Error()
	}
	if diff := got.from(&want); diff != "" {
		return fmt.Sprintf("%d steps (-lane functions +compiled):\n%s", cfg.MaxSteps, diff)
	}
	return ""
}

func sameError(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// checkFlow makes the program of a seed and checks it; if thorough, in all orders and with inspection between
// instructions.
func checkFlow(t *testing.T, seed uint64, class flowClass, thorough bool) {
	t.Helper()
	tr := flowTrial{p: growFlow(seed, class)}
	var err error
	if tr.want, err = tr.p.alone(); err == nil {
		tr.mod, err = asm.Parse("k.s", []byte(tr.p.text()))
	}
	if err != nil {
		t.Fatalf("seed %d: %v, in\n%s", seed, err, tr.p.text())
	}
	orders := kerneltest.Orders
	if !thorough {
		orders = orders[seed%3:][:1]
	}
	if msg := tr.check(orders, thorough); msg != "" {
		t.Fatalf("seed %d: %s\nin %d CTAs of %d threads of\n%s", seed, msg, tr.p.ctas, tr.p.threads, tr.p.text())
	}
}

// TestRandomControlFlowMatchesSingleLanes compares the machine, under all models, with the execution of every lane
// alone: its path, its registers, and whether it ever ends.
func TestRandomControlFlowMatchesSingleLanes(t *testing.T) {
	const programs = 64
	for _, class := range flowClasses {
		t.Run(class.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(short.Of(programs)) {
				if short.Waits(int(seed), 12) {
					continue
				}
				checkFlow(t, seed, class, seed%32 == 0)
			}
		})
	}
}

// FuzzControlFlow is TestRandomControlFlowMatchesSingleLanes for further seeds. It leaves out what takes long for
// programs with many time slices, because an input has ten seconds.
func FuzzControlFlow(f *testing.F) {
	for class := range flowClasses {
		f.Add(uint64(1), uint8(class))
	}
	f.Add(uint64(142), uint8(2))    // a time slice ends deep in calls, while the detector observes it
	f.Add(uint64(417), uint8(4))    // quanta of loops that are observed are longer, and other lanes meet behind a broken barrier
	f.Add(uint64(983103), uint8(5)) // lanes diverge in compiled code of a function, and come together again
	f.Add(uint64(1074), uint8(3))   // lanes diverge in compiled code and come together again while others, which wait, are before them
	f.Add(uint64(306), uint8(4))    // lanes some of which had their quantum in the round diverge in compiled code
	f.Fuzz(func(t *testing.T, seed uint64, class uint8) {
		checkFlow(t, seed, flowClasses[int(class)%len(flowClasses)], false)
	})
}
