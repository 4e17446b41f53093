package programs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

// page is the page with the tables of this file's tests.
const page = "../docs/llm.md"

// figures are the table's figures for a launch.
type figures struct {
	kernel string
	cycles uint64
	time   *profile.Time
}

// measured runs a program with a clock, and returns the figures of its launches.
func measured(t *testing.T, file string, flags ...directive) (all []figures) {
	t.Helper()
	res, _ := simulate(t, file, flags, true)
	for i := range res.Launches {
		l := &res.Launches[i]
		if err := l.Timing.Check(); err != nil {
			t.Error(err)
		}
		all = append(all, figures{l.Kernel, uint64(l.Timing.Cycles), profile.TimeOf(l.Timing)})
	}
	if len(res.Failed) > 0 {
		t.Errorf("%s: %+v", file, res.Failed)
	}
	return all
}

// perSM converts warps per scheduler to warps per SM.
func (f *figures) perSM(ofScheduler float64) float64 {
	return ofScheduler * float64(f.time.IssueSlots) / float64(f.time.ActiveCycles)
}

// share returns the share of warp cycles in a state.
func (f *figures) share(s sm.State) float64 {
	return float64(f.time.States[s]) / float64(f.time.States.Total())
}

// notTried stands for a line of a table whose case is left to another commit.
const notTried = ""

// checkTable compares the table after a line of the page with lines, or writes it.
func checkTable(t *testing.T, behind string, lines []string) {
	t.Helper()
	whole, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(whole), behind+"\n\n")
	if !ok {
		t.Fatalf("%s has no %q", page, behind)
	}
	text, after, _ := strings.Cut(rest, "\n\n")
	if *update {
		want := strings.Join(lines, "\n")
		if err := os.WriteFile(page, []byte(before+behind+"\n\n"+want+"\n\n"+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := strings.Split(text, "\n")
	for i := range min(len(lines), len(got)) {
		if lines[i] == notTried {
			got[i] = notTried
		}
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("%s (-now +page):\n%s", page, diff)
	}
}

// pipe returns the utilisation of a pipe.
func (f *figures) pipe(u isa.Unit) float64 {
	p := &f.time.Pipes[u]
	return float64(p.Busy) / float64(p.Cycles)
}

// busiest returns the pipe with the highest utilisation.
func (f *figures) busiest() (busiest isa.Unit, share float64) {
	for u := isa.NoUnit + 1; u < isa.NumUnits; u++ {
		if f.time.Pipes[u].Cycles != 0 && f.pipe(u) > share {
			busiest, share = u, f.pipe(u)
		}
	}
	return busiest, share
}

// attentionFLOPs are the products and sums of attention in TestLanguageModelKernelsAreTimed: two for each pair of a
// query and a visible key and each column, for the scores and again for the means.
var attentionFLOPs = map[string]float64{
	"attention":           1056 * 512 * 32 * 4,
	"flash_attention_mma": 66 * 256 * 257 / 2 * 64 * 4,
}

// TestLanguageModelKernelsAreTimed times the kernels of a language model on a whole H100, and lists a rule of thumb for
// each kind of kernel.
func TestLanguageModelKernelsAreTimed(t *testing.T) {
	if testing.Short() {
		t.Skip("launches that fill the GPU")
	}
	lines := []string{"| Program | Active warps | Rule of thumb: active warps | Eligible | Rule of thumb: eligible | Slots used | Rule of thumb: slots used | Main stall | Rule of thumb: main stall |", "|---|--:|--:|--:|--:|--:|--:|---|---|"}
	attentions := []string{"| Program | Cycles | Issued | FLOP per cycle and SM | Busiest pipe | Tensor |", "|---|--:|--:|--:|---|--:|"}
	for i, k := range []struct {
		program string
		flags   []directive
		text    [4]string
	}{
		{"gemm", []directive{{"grid", "24x22"}, {"arg", "a=rand:180224:f32:1:-1:1"}, {"arg", "b=rand:196608:f32:2:-1:1"}, {"arg", "c=zeros:2162688:f32"},
			{"arg", "m=1408"}, {"arg", "n=1536"}, {"arg", "k=128"}}, [4]string{"32", "8–12", "95 %", "register dependency"}},
		{"attention", []directive{{"grid", "132"}, {"arg", "q=rand:33792:f32:1:-2:2"}, {"arg", "k=rand:16384:f32:2:-2:2"}, {"arg", "v=rand:16384:f32:3:-2:2"},
			{"arg", "out=zeros:33792:f32"}, {"arg", "queries=1056"}, {"arg", "keys=512"}}, [4]string{"8", "2–4", "88 %", "bank conflicts"}},
		{"flash_attention_mma", []directive{{"grid", "264"}, {"arg", "q=rand:1081344:f16:1:-2:2"}, {"arg", "k=rand:1081344:f16:2:-2:2"}, {"arg", "v=rand:1081344:f16:3:-2:2"},
			{"arg", "out=zeros:1081344:f16"}, {"arg", "heads=66"}, {"arg", "seq=256"}}, [4]string{"8", "2–4", "88 %", "bank conflicts"}},
		{"layernorm", []directive{{"grid", "2112"}, {"arg", "x=iota:4325376:f32"}, {"arg", "y=zeros:4325376:f32"}, {"arg", "rows=8448"}}, [4]string{"64", "24–32", "98 %", "memory latency"}},
		{"softmax", []directive{{"grid", "2112"}, {"arg", "x=iota:4325376:f32:0:0.125"}, {"arg", "y=zeros:4325376:f32"}, {"arg", "rows=33792"}}, [4]string{"48", "16–24", "92 %", "bandwidth"}},
		{"relu", []directive{{"grid", "2112"}, {"arg", "x=iota:4325376:f32:-4"}, {"arg", "y=zeros:4325376:f32"}, {"arg", "n=4325376"}}, [4]string{"64", "32–48", "99 %", "hardly any"}},
		{"all_reduce", []directive{{"grid", "16"}, {"arg", "data=fill:32768:f32:1"}, {"arg", "inbox=zeros:61440:f32"}, {"arg", "flags=zeros:480:u32"}, {"arg", "ranks=16"}},
			[4]string{"16", "4–8", "60 %", "network"}},
	} {
		if short.Waits(i, 8) {
			lines = append(lines, notTried)
			if attentionFLOPs[k.program] != 0 {
				attentions = append(attentions, notTried)
			}
			continue
		}
		// The header's expectations are for its own sizes.
		f := measured(t, k.program+".s", append(k.flags, directive{"expect", "none"})...)[0]
		stall, share := f.time.MainStall()
		lines = append(lines, fmt.Sprintf("| `%s` | %.1f | %s | %.1f | %s | %.0f %% | %s | `%s` %.0f %% | %s |", k.program, f.perSM(f.time.WarpsActive()), k.text[0],
			f.perSM(f.time.WarpsEligible()), k.text[1], 100*f.time.SlotsUsed(), k.text[2], stall, 100*share, k.text[3]))
		if flops := attentionFLOPs[k.program]; flops != 0 {
			pipe, busy := f.busiest()
			attentions = append(attentions, fmt.Sprintf("| `%s` | %d | %d | %.0f | `%s` %.0f %% | %.0f %% |", k.program, f.cycles, f.time.Issued,
				flops/float64(f.time.SMCycles), pipe, 100*busy, 100*f.pipe(isa.Tensor)))
		}
	}
	checkTable(t, "Eligible and active warps are means of an SM in its active cycles.", lines)
	checkTable(t, "The pipe's share is relative to the cycles of all SMs.", attentions)
}

// TestAdviceGivesPromisedGain runs pairs of equivalent kernels, one that ignores a piece of advice and one that follows
// it, and checks the promised gain.
func TestAdviceGivesPromisedGain(t *testing.T) {
	lines := []string{"| Pair | Launch | Cycles | Slots used | Subject of the advice |", "|---|---|--:|--:|---|"}
	for i, p := range []struct {
		program string
		faster  float64 // least factor
		flags   []directive
		about   func(f *figures) string
	}{
		{"waves", 1.2, nil, func(f *figures) string {
			return fmt.Sprintf("%.2f waves", float64(f.time.CTAs)/float64(f.time.WaveCTAs))
		}},
		{"registers", 1.5, nil, func(f *figures) string { return fmt.Sprintf("occupancy %.0f %%", 100*f.time.Occupancy()) }},
		{"barriers", 1.3, nil, func(f *figures) string { return fmt.Sprintf("`barrier` %.0f %%", 100*f.share(sm.AtBarrier)) }},
		{"interleave", 1.5, nil, func(f *figures) string {
			return fmt.Sprintf("`long_scoreboard` %.0f %%", 100*f.share(sm.LongScoreboard))
		}},
		{"interleave", 1.5, []directive{{"dual-issue", ""}}, func(f *figures) string { return fmt.Sprintf("%d instructions issued with another", f.time.Paired) }},
		{"warp_tiles", 1.2, nil, func(f *figures) string { return fmt.Sprintf("`barrier` %.0f %%", 100*f.share(sm.AtBarrier)) }},
	} {
		if short.Waits(i, 6) {
			lines = append(lines, notTried, notTried)
			continue
		}
		name := p.program
		for _, flag := range p.flags {
			name += " --" + flag.name
		}
		both := measured(t, "advice/"+p.program+".s", p.flags...)
		for i := range both {
			f := &both[i]
			kernel := "`" + f.kernel + "`"
			if both[0].kernel == both[1].kernel {
				kernel = fmt.Sprintf("launch %d", i+1)
			}
			lines = append(lines, fmt.Sprintf("| `%s` | %s | %d | %.0f %% | %s |", name, kernel, f.cycles, 100*f.time.SlotsUsed(), p.about(f)))
		}
		if got := float64(both[0].cycles) / float64(both[1].cycles); got < p.faster {
			t.Errorf("%s: the second kernel is %.2f times as fast, want %v", name, got, p.faster)
		}
	}
	checkTable(t, "The last column names the subject of each pair.", lines)
}
