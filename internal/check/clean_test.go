package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// exchanger writes kernels in which lanes of a warp exchange words of shared memory by strong accesses, in an order
// that does not depend on lock step. In each phase a lane writes only its own words, or reads words that no lane writes
// in that phase. Between phases all lanes of a group synchronise. A group is part of a warp and may have its own
// branch; phases may be in loops, and single lanes may be in short branches.
type exchanger struct {
	*rand.Rand
	text   strings.Builder
	labels int
	apart  bool // lanes may synchronise at two different instructions, which needs independent threads
}

func (g *exchanger) line(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

func (g *exchanger) label() int { g.labels++; return g.labels }

// kernel writes a kernel for one block, in which each warp uses 128 bytes of s.
func (g *exchanger) kernel() string {
	g.text.WriteString(prologue + " mov.u32 %r10, s; add.u32 %r10, %r10, %r5; shl.b32 %r12, %r4, 7; mov.u32 %r11, s; add.u32 %r12, %r12, %r11; mov.u32 %r20, 1;\n")
	g.line("st.shared.u32 [%%r10], %%r1;\nbar.sync 0;")
	for range 1 + g.IntN(3) {
		switch g.IntN(3) {
		case 0:
			g.phases(0, 32)
		case 1: // each half in its own branch
			other, end := g.label(), g.label()
			g.line("setp.ge.u32 %%p1, %%r2, 16; @%%p1 bra L%d;", other)
			g.phases(0, 16)
			g.line("bra L%d;\nL%d:", end, other)
			g.phases(16, 32)
			g.line("L%d: bar.warp.sync -1;", end)
		default: // some of the lanes
			end, from, to := g.label(), g.IntN(8), 10+g.IntN(20)
			g.line("setp.lt.u32 %%p1, %%r2, %d; setp.ge.or.u32 %%p1, %%r2, %d, %%p1; @%%p1 bra L%d;", from, to, end)
			g.phases(from, to)
			g.line("L%d: bar.warp.sync -1;", end)
		}
	}
	g.line("st.global.u32 [%%rd2], %%r20;\nret;\n}")
	return g.text.String()
}

// phases writes some phases of the lanes from to to-1, perhaps in a loop. They begin and end with a synchronisation.
func (g *exchanger) phases(from, to int) {
	loop := 0
	if g.IntN(2) == 0 {
		loop = g.label()
		g.line("mov.u32 %%r30, 0;\nL%d:", loop)
	}
	for range 1 + g.IntN(3) {
		g.sync(from, to)
		if g.IntN(2) == 0 {
			g.write(from, to)
		} else {
			g.read(from, to)
		}
	}
	g.sync(from, to)
	if loop > 0 {
		g.line("add.u32 %%r30, %%r30, 1; setp.lt.u32 %%p2, %%r30, %d; @%%p2 bra L%d;", 2+g.IntN(3), loop)
		g.sync(from, to)
	}
}

// sync writes an instruction that separates phases.
func (g *exchanger) sync(from, to int) {
	mask := uint32(1<<to - 1<<from)
	text := []string{
		"bar.warp.sync M;", "vote.sync.any.pred %p3, %p4, M;", "vote.sync.ballot.b32 %r40, %p4, M;", "match.any.sync.b32 %r40, %r2, M;",
		"shfl.sync.idx.b32 %r40, %r20, FIRST, 31, M;", "redux.sync.add.u32 %r40, %r20, M;",
		"mov.u32 %r25, 7;\nshfl.sync.idx.b32 %r25, %r25, FIRST, 31, M;\nadd.u32 %r20, %r20, %r25;", // it may have been undefined
	}[g.IntN(7)]
	text = strings.NewReplacer("M", fmt.Sprint(mask), "FIRST", fmt.Sprint(from)).Replace(text)
	if g.apart && g.IntN(3) == 0 { // one lane executes it at another place
		a, b := g.label(), g.label()
		g.line("setp.eq.u32 %%p5, %%r2, %d; @%%p5 bra L%d;\n%s\nbra L%d;\nL%d:\n%s\nL%d:", from+g.IntN(to-from), a, text, b, a, text, b)
		return
	}
	g.line("%s", text)
}

func (g *exchanger) strength() string {
	return []string{"volatile", "relaxed.cta", "relaxed.gpu"}[g.IntN(3)]
}

// write writes a phase in which each lane, or one, accesses its own word, or one lane accesses all words.
func (g *exchanger) write(from, to int) {
	how := g.strength()
	switch lane := from + g.IntN(to-from); g.IntN(4) {
	case 0:
		g.line("ld.%s.shared.u32 %%r22, [%%r10]; add.u32 %%r20, %%r20, %%r22; st.%s.shared.u32 [%%r10], %%r20;", how, how)
	case 1:
		g.line("st.%s.shared.u32 [%%r10], %%r20; ld.%s.shared.u32 %%r22, [%%r10];", how, how)
	case 2: // in a branch
		end := g.label()
		g.line("setp.ne.u32 %%p5, %%r2, %d; @%%p5 bra L%d;\nst.%s.shared.u32 [%%r10], 5;\nL%d:", lane, end, how, end)
	default:
		end, loop := g.label(), g.label()
		g.line("setp.ne.u32 %%p5, %%r2, %d; @%%p5 bra L%d; mov.u32 %%r31, %d; mad.lo.u32 %%r32, %d, 4, %%r12;", lane, end, to-from, from)
		g.line("L%d: st.%s.shared.u32 [%%r32], %%r31; add.u32 %%r32, %%r32, 4; sub.u32 %%r31, %%r31, 1; setp.ne.u32 %%p6, %%r31, 0; @%%p6 bra L%d;\nL%d:", loop, how, loop, end)
	}
}

// read writes a phase in which lanes read words of others, or exchange registers by a shuffle. If the shuffle reads
// lanes outside of the group, its results are not used.
func (g *exchanger) read(from, to int) {
	lane, mask := from+g.IntN(to-from), uint32(1<<to-1<<from)
	switch g.IntN(4) {
	case 0:
		g.line("ld.%s.shared.u32 %%r22, [%%r12+%d]; add.u32 %%r20, %%r20, %%r22;", g.strength(), 4*lane)
	case 1: // the next lane's, the last lane the first's
		g.line("add.u32 %%r23, %%r2, 1; setp.ge.u32 %%p5, %%r23, %d; selp.u32 %%r23, %d, %%r23, %%p5; mad.lo.u32 %%r23, %%r23, 4, %%r12;", to, from)
		g.line("ld.%s.shared.u32 %%r22, [%%r23]; add.u32 %%r20, %%r20, %%r22;", g.strength())
	case 2:
		d := 1 + g.IntN(to-from-1)
		g.line("shfl.sync.down.b32 %%r22, %%r20, %d, 31, %d; add.u32 %%r23, %%r2, %d; setp.lt.u32 %%p5, %%r23, %d;", d, mask, d, to)
		g.line("%s", []string{"@%p5 add.u32 %r20, %r20, %r22;", "selp.u32 %r22, %r22, 0, %p5; add.u32 %r20, %r20, %r22;",
			"selp.u32 %r24, -1, 0, %p5; and.b32 %r22, %r22, %r24; add.u32 %r20, %r20, %r22;"}[g.IntN(3)])
	default: // some lanes get undefined values, and never use them
		end := g.label()
		g.line("shfl.sync.bfly.b32 %%r25, %%r20, 16, 31, %d; xor.b32 %%r23, %%r2, 16; setp.lt.u32 %%p5, %%r23, %d; setp.ge.and.u32 %%p5, %%r23, %d, %%p5;", mask, to, from)
		g.line("setp.gt.u32 %%p6, %%r25, 7; @!%%p5 bra L%d;\n@%%p6 add.u32 %%r20, %%r20, 1;\nadd.u32 %%r20, %%r20, %%r25;\nL%d:", end, end)
	}
}

// TestOrderedExchangesAreClean: kernels without races, uses of undefined values or reliance on lock step have no
// findings and always the same result, under each divergence model, order of branches and forced divergence.
func TestOrderedExchangesAreClean(t *testing.T) {
	short.Alternates(t, 0, 3)
	for seed := range uint64(short.Of(400)) {
		g := exchanger{Rand: rand.New(rand.NewPCG(seed, 3)), apart: seed%2 == 0}
		src := g.kernel()
		mod, err := asm.Parse("k.s", []byte(src))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		var first []byte
		for i := range 3 {
			cfg := interp.Config{PathOrder: kerneltest.Orders[i], MaxSteps: 1e6}
			if !g.apart {
				cfg.Divergence = kerneltest.Models[i]
			}
			if i == 1 {
				cfg.Split = seed
			}
			data, findings := checkExchange(t, mod, cfg)
			if len(findings) > 0 {
				t.Fatalf("seed %d, %v, %v: %s\n%s", seed, cfg.Divergence, cfg.PathOrder, strings.Join(findings, "\n"), src)
			}
			if first == nil {
				first = data
			} else if string(first) != string(data) {
				t.Fatalf("seed %d, %v, %v: another result: the kernel depends on the schedule\n%s", seed, cfg.Divergence, cfg.PathOrder, src)
			}
		}
	}
}

// checkExchange runs a kernel of two warps under all checks of a launch, and returns the contents of its buffer
// afterwards.
func checkExchange(t *testing.T, mod *isa.Module, cfg interp.Config) (data []byte, findings []string) {
	t.Helper()
	m, l, buffer := launchOf(t, mod, cfg, dim(1, 1, 1), dim(64, 1, 1))
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	shuffles, err := check.AttachShuffles(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		return nil, []string{err.Error()}
	}
	for _, f := range races.Findings() {
		findings = append(findings, fmt.Sprintf("%s %d %d %s", f.Rule, f.Earlier.PC, f.Later.PC, f.Between))
	}
	for _, w := range shuffles.Warnings() {
		findings = append(findings, w.Place.Code.String()+" "+w.Msg)
	}
	return buffer.Data, findings
}
