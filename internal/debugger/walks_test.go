package debugger

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// walks is how many random sessions TestWalksComeBack has, and firstWalk the seed of the first one.
var (
	walks     = flag.Int("walks", 0, "random debugging sessions of TestWalksComeBack, each with 200 commands; 0 for a few short ones")
	firstWalk = flag.Uint64("first-walk", 0, "seed of the first random debugging session")
)

// sizeOfWalks returns how many sessions there are if a run without -walks has some, and their number of commands, half
// of which go back.
func sizeOfWalks(some int) (sessions uint64, commands int) {
	if *walks > 0 {
		return uint64(*walks), 200
	}
	return uint64(some), 40
}

// stateText describes everything that a program can see of the machine, and what it has printed.
func (d *Debugger) stateText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v printed %d failed %v ended %v\n", d.now(), d.printed, d.failure, d.session == nil)
	for _, r := range d.program.Machine.Regions() {
		fmt.Fprintf(&b, "%s %x\n", r.Name, r.Data)
	}
	if d.session == nil {
		return b.String()
	}
	stats := d.session.Stats()
	if d.races != nil {
		n, f := d.races.Latest()
		fmt.Fprintf(&b, "races %d %d %v %d %d %v %d\n", n, f.Earlier.PC, f.Earlier.CTA, f.Earlier.Warp, f.Later.PC, f.Later.CTA, f.Later.Warp)
	}
	fmt.Fprintf(&b, "%d %d %d %d\n", stats.WarpInstrs, stats.LaneInstrs, stats.DivergentBranches, len(stats.Warnings))
	if d.timed != nil {
		d.clockText(&b)
	}
	for _, w := range d.session.Warps() {
		fmt.Fprintf(&b, "%v %d executed %d live %08x\n", w.CTA(), w.ID(), w.Executed(), uint32(w.Control().Live()))
		for s := range w.Control().Splits() {
			fmt.Fprintf(&b, "  %+v\n", s)
			fn := w.Func(s.Frame)
			regs := make([]isa.RegID, len(fn.Regs))
			for i := range regs {
				regs[i] = isa.RegID(i)
			}
			for m := s.Mask; m != 0; m &= m - 1 {
				fmt.Fprintf(&b, "    %x %x\n", w.AppendLane(nil, s.Frame, regs, firstLane(m)), w.Local(firstLane(m)))
			}
		}
		for _, wait := range w.Waiting() {
			fmt.Fprintf(&b, "  %+v\n", wait)
		}
		if w.ID() == 0 {
			fmt.Fprintf(&b, "  shared %x\n", w.Shared().Data)
		}
	}
	return b.String()
}

// clockText describes the SMs that have blocks, and the traffic of L2.
func (d *Debugger) clockText(b *strings.Builder) {
	if l2 := d.timed.L2Traffic(); l2 != nil {
		fmt.Fprintf(b, "L2 %+v\n", *l2)
	}
	for id := range d.timed.SMs() {
		v := d.timed.Inspect(id)
		if v.CTAs == 0 {
			continue
		}
		fmt.Fprintf(b, "SM %d %d %+v\n", id, v.L1Bytes, v.L1)
		for _, c := range v.Schedulers {
			fmt.Fprintf(b, "  issued %d queued %d busy %v\n", c.Issued, c.Queued, c.Busy)
			for _, r := range c.Warps {
				fmt.Fprintf(b, "    %d %d %d %d %v %v %d %+v\n", r.Slot, r.Start, r.PC, r.Op, r.Class, r.State, r.Until, r.Waits)
			}
		}
	}
}

// fresh returns the state of a debugger without copies that has executed the same history up to the present.
func (b *bench) fresh() string {
	b.t.Helper()
	cfg := b.cfg
	cfg.Out, cfg.History = new(bytes.Buffer), -1
	o, err := New(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	o.timeline.entries = slices.Clone(b.timeline.entries[:b.timeline.at.entry+1])
	if err := o.goTo(b.now()); err != nil {
		b.t.Fatal(err)
	}
	return o.stateText()
}

// walker types commands at random.
type walker struct {
	*bench
	*rand.Rand
	lines []string // of the source that have an instruction
	typed []string
}

func (w *walker) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *walker) line() string {
	step := w.now().step
	if w.cfg.Clock != nil {
		return w.timedLine(step)
	}
	if w.IntN(2) == 0 {
		return w.pick("rs", "rs", "rs 3", "rsi", "rn", "rni 2", "rlstep", "reverse-finish", "rreconv", "rc", "rc", "rewind", "rev step 2", "restart 1", "last-write r3",
			fmt.Sprintf("goto %d", w.Int64N(step+1)), fmt.Sprintf("goto %d", w.Int64N(step+1)), fmt.Sprintf("goto %d", max(0, step-w.Int64N(5))))
	}
	return w.pick("step", "step 5", "step 20", "stepi", "next 3", "lstep 2", "bstep 3", "barrier", "reconv", "finish", "continue", "continue", "warp 1", "lane 7", "warp 0",
		"block 1", "set r3 = r3 + 1", "lane 3 set r2 = 5", "set global:out = 3", "checkpoint", "delete", "tbreak "+w.pick(w.lines...), "break "+w.pick(w.lines...)+" if laneid == 3",
		"break on diverge", "break on finding", "watch out", "watch r3", fmt.Sprintf("goto %d", step+w.Int64N(200)), "when", "info checkpoints", "until "+w.pick(w.lines...))
}

func (w *walker) timedLine(step int64) string {
	if w.IntN(2) == 0 {
		return w.pick("rs", "rs 2", "rs -cycle 7", "rs -cycle", "rsi", "rewind", "rc", "rc", "last-write global:out", "restart 1", fmt.Sprintf("goto %d", w.Int64N(step+1)), fmt.Sprintf("goto %d", max(0, step-w.Int64N(50))))
	}
	return w.pick("step", "step 3", "step 10", "step -cycle 40", "step -cycle 333", "break "+w.pick(w.lines...), "tbreak "+w.pick(w.lines...)+" if laneid == 3", "watch out", "watch r3", "break on diverge", "break on finding", "delete", "set r3 = r3 + 1", "lane 3 set global:out = 7", "until "+w.pick(w.lines...), "continue "+w.pick(w.lines...), "warp 1", "block 1", "checkpoint", "when", "continue",
		fmt.Sprintf("goto %d", step+w.Int64N(900)))
}

// walk types commands, and compares the state after each that went somewhere with that of a fresh run.
func (w *walker) walk(t *testing.T, commands int) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%v, after\n%s\n%v\n%+v", r, strings.Join(w.typed, "\n"), w.now(), w.timeline.entries)
		}
	}()
	for range commands {
		line := w.line()
		w.typed = append(w.typed, line)
		w.timeline.since += int64(w.IntN(2)) << 40 // often, a copy is due
		if w.cfg.Clock != nil && w.IntN(2) == 0 {
			w.climbs()
		}
		w.out.Reset()
		asks := 20 // an instruction in contextEvery asks, but with a clock each cycle
		if w.cfg.Clock != nil {
			asks = 1000
		}
		if err := w.Execute(kerneltest.EndsAfter(1+w.IntN(asks)), line); err != nil {
			w.typed = append(w.typed, "  "+err.Error())
		}
		if w.IntN(4) > 0 {
			continue
		}
		if got, want := w.stateText(), w.fresh(); got != want {
			t.Fatalf("the state at %v is not that of a fresh run, after\n%s\n%s", w.now(), strings.Join(w.typed, "\n"), firstDifference(got, want))
		}
	}
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: got\n%s\nwant\n%s", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// kernelText makes kernels at random: loops, branches, barriers, calls, atomics and prints.
type kernelText struct {
	*rand.Rand
	strings.Builder
	labels int
}

func (k *kernelText) line(format string, args ...any) { fmt.Fprintf(k, "\t"+format+"\n", args...) }

func (k *kernelText) reg() string { return fmt.Sprintf("%%r%d", 1+k.IntN(5)) }

// statements makes some statements; inside says that lanes may have diverged.
func (k *kernelText) statements(depth int, inside bool) {
	for range 1 + k.IntN(4) {
		a, b := k.reg(), k.reg()
		switch k.IntN(11) {
		case 0, 1:
			k.line("add.u32 %s, %s, %d;", a, b, k.IntN(9))
		case 2:
			k.line("xor.b32 %s, %s, %%r9;", a, b)
		case 3:
			k.line("and.b32 %%r6, %s, 63;\n\tmad.wide.u32 %%rd2, %%r6, 4, %%rd1;\n\tst.global.u32 [%%rd2], %s;", a, b)
		case 4:
			k.line("atom.global.add.u32 %s, [%%rd1+%d], %s;", a, 4*k.IntN(60), b)
		case 5:
			k.line("and.b32 %%r6, %s, 31;\n\tmov.u32 %%r7, box;\n\tmad.lo.u32 %%r6, %%r6, 4, %%r7;\n\t%s;", a, []string{"ld.shared.u32 " + b + ", [%r6]", "st.shared.u32 [%r6], " + b}[k.IntN(2)])
		case 6:
			k.line("call (%s), helper, (%s);", a, b)
		case 7:
			if !inside {
				k.line("bar.sync 0;")
			}
		case 8, 9:
			if depth > 0 {
				k.branch(depth, a)
			}
		case 10:
			if depth > 0 {
				k.loop(depth, inside)
			}
		}
	}
}

func (k *kernelText) branch(depth int, a string) {
	k.labels++
	n := k.labels
	k.line("and.b32 %%r6, %s, %d;\n\tsetp.eq.u32 %%p1, %%r6, 0;\n\t@%%p1 bra ELSE%d;", a, 1+k.IntN(7), n)
	k.statements(depth-1, true)
	k.line("bra END%d;\nELSE%d:", n, n)
	k.statements(depth-1, true)
	k.line("add.u32 %%r9, %%r9, 1;\nEND%d:", n)
}

func (k *kernelText) loop(depth int, inside bool) {
	k.labels++
	n := k.labels
	k.line("mov.u32 %%i%d, %d;\nLOOP%d:", depth, 1+k.IntN(5), n)
	k.statements(depth-1, inside)
	k.line("sub.u32 %%i%d, %%i%d, 1;\n\tsetp.gt.u32 %%p2, %%i%d, 0;\n\t@%%p2 bra LOOP%d;", depth, depth, depth, n)
}

// randomKernel returns the text of a kernel on a buffer out of 64 words.
func randomKernel(r *rand.Rand) string {
	k := &kernelText{Rand: r}
	k.WriteString(`.extern .func (.param .b32 done) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[4] = {104, 105, 10, 0};
.func (.reg .u32 r) helper(.reg .u32 a)
{
	.local .u32 mine[2];
	st.local.u32 [mine], a;
	and.b32 %r1, a, 4;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra SKIP;
	add.u32 a, a, 3;
SKIP:
	mul.lo.u32 r, a, 5;
	ret;
}
.entry k(.param .u64 out)
{
	.shared .u32 box[32];
	.reg .u32 %i<4>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r9, %laneid;
`)
	k.statements(3, false)
	k.WriteString(`	setp.ne.u32 %p3, %r9, 5;
	@%p3 bra QUIET;
	{
	.param .b64 a;
	.param .b64 b;
	.param .b32 c;
	mov.u64 %rd3, text;
	st.param.b64 [a], %rd3;
	mov.u64 %rd3, 0;
	st.param.b64 [b], %rd3;
	call (c), vprintf, (a, b);
	}
QUIET:
`)
	k.statements(2, false)
	k.line("ret;\n}")
	return k.String()
}

// smallPrograms are programs with few instructions, of all kinds.
var smallPrograms = strings.Fields("nested_if switch_brx indirect_call recursion break_continue goto_ret lock_in_loop barrier_pipeline pipeline ping_pong cluster_reduce " +
	"tensor_copy grid_barrier gemm_cluster gemm_wgmma ballot_compaction look_back layernorm reduce_tree histogram")

// newWalker begins a session on a random kernel, or on a program of the repository; with a clock if timed.
func newWalker(t *testing.T, seed uint64, timed bool) *walker {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var err error
	w := &walker{bench: &bench{t: t}, Rand: r}
	text, name := randomKernel(r), "k.s"
	if r.IntN(3) == 0 {
		name = "../../programs/" + smallPrograms[r.IntN(len(smallPrograms))] + ".s"
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = string(src)
	}
	model := []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC}[r.IntN(3)]
	cfg := Config{Out: &w.out, Races: r.IntN(3) == 0, Sources: map[string][]string{name: strings.Split(text, "\n")}}
	if timed {
		policy, err := sm.ParsePolicy("gty")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Clock = &sm.Options{Cost: cost.Lowered, Policy: policy}
		model = divergence.IndependentThreads
	}
	when := []interp.Compilation{interp.CompileNever, interp.CompileAlways}
	cfg.Prepare = func() (*Program, error) { // the session compiles all, and the first fresh run nothing
		when[0], when[1] = when[1], when[0]
		return prepareWalk(name, text, interp.Config{Divergence: model, Compile: when[0]})
	}
	if w.Debugger, err = New(cfg); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	for n := range strings.Split(text, "\n") {
		if line := fmt.Sprint(n + 1); w.placed(line) {
			w.lines = append(w.lines, line)
		}
	}
	w.typed = append(w.typed, fmt.Sprintf("%s %v\n%s", name, model, text))
	return w
}

// placed reports whether a line has an instruction.
func (w *walker) placed(line string) bool {
	at, err := w.parsePlace(line)
	return err == nil && fmt.Sprint(w.fns[at.fn].Code[at.pc].Pos.Line) == line
}

// prepareWalk makes the machine and launches of a random kernel, or of a program.
func prepareWalk(name, text string, cfg interp.Config) (*Program, error) {
	mod, err := asm.Parse(name, []byte(text))
	if err != nil {
		return nil, err
	}
	out := new(bytes.Buffer)
	if name != "k.s" {
		header, err := launch.ParseHeader(name, filepath.Dir(name), []byte(text))
		if err != nil {
			return nil, err
		}
		plan, err := launch.NewPlan(mod, header)
		if err != nil {
			return nil, err
		}
		plan.Config.Divergence, plan.Config.Compile, plan.Config.Threads, plan.Config.Stdout = cfg.Divergence, cfg.Compile, 1, out
		ready, err := plan.Prepare(context.Background())
		if err != nil {
			return nil, err
		}
		p := &Program{Machine: ready.Machine, Launches: ready.Launches}
		for _, b := range ready.Buffers {
			p.Buffers = append(p.Buffers, Buffer{Region: b.Region, Elem: b.Elem.Type(), Scalar: b.Scalar})
		}
		return p, nil
	}
	cfg.MaxSteps, cfg.Stdout = 1e6, out
	m, err := interp.New(mod, cfg)
	if err != nil {
		return nil, err
	}
	buffer, err := m.Alloc("out", 256)
	if err != nil {
		return nil, err
	}
	params := make([]byte, 8)
	store(params, buffer.Base)
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 3, Y: 1, Z: 1}, Block: isa.Dim{X: 72, Y: 1, Z: 1}, Params: params}
	return &Program{Machine: m, Launches: []interp.Launch{l, l}, Buffers: []Buffer{{Region: buffer, Elem: isa.U32}}}, nil
}

// TestWalksComeBack types random commands, half of which go back: the state is always that of a fresh run to the same
// step.
func TestWalksComeBack(t *testing.T) {
	sessions, commands := sizeOfWalks(4)
	for n := range sessions {
		seed := *firstWalk + n
		t.Run(fmt.Sprint(seed), func(t *testing.T) { newWalker(t, seed, false).walk(t, commands) })
	}
}

// TestTimedWalksComeBack is TestWalksComeBack with a clock.
func TestTimedWalksComeBack(t *testing.T) {
	sessions, commands := sizeOfWalks(1)
	for n := range sessions {
		seed := *firstWalk + n
		t.Run(fmt.Sprint(seed), func(t *testing.T) { newWalker(t, 1_000_000+seed, true).walk(t, commands) })
	}
}

// TestLeavingEndedBlockExecutesNothing: where the user leaves a block that has ended for the next one, nothing of the
// launch is executed. When the user comes back to that step, the state is as it was left, whatever was executed after
// it.
func TestLeavingEndedBlockExecutesNothing(t *testing.T) {
	for _, session := range []string{
		"step 200; bstep 100; continue",
		"step 200; bstep 100; warp 1; step 200; continue",
		"step 200; bstep 100; break on diverge; continue; continue; continue",
		"step 200; bstep 100; continue; goto 1; goto 36; step 3; continue",
		"break on exit; continue; continue; continue; delete; bstep 3; continue",
	} {
		b := newSeveral(t, 0, 64, "work", "work")
		seen := make(map[moment]string)
		for line := range strings.SplitSeq(session, "; ") {
			b.do(line)
			seen[b.now()] = b.stateText()
		}
		for m := range seen {
			if err := b.goTo(m); err != nil {
				t.Fatal(err)
			}
			if got := b.stateText(); got != seen[m] || got != b.fresh() {
				t.Errorf("after %s, the state at %v is another:\n%s\n%s", session, m, firstDifference(got, seen[m]), firstDifference(got, b.fresh()))
			}
		}
	}
}
