package functional_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// The order in which warps, and the splits of a warp, execute is decided in Go (slice.go, schedule.go), and again by
// compiled code where warps take turns, CTAs start, and lanes diverge. The package documentation has the rule that ties
// them. These tests find that both decide alike: each kernel records its own order.

// Entries of a record: a ring, so that the latest ones are kept.
const orderEntries = 1 << 14

// recording is module text: the number of entries so far, and the entries.
var recording = fmt.Sprintf(".global .align 4 .u32 order_count;\n.global .align 4 .u32 order_entries[%d];\n", orderEntries)

var (
	isLabel   = regexp.MustCompile(`^\s*[\w$]+:\s*(//.*)?$`)
	isControl = regexp.MustCompile(`^\s*(@!?%[\w$]+\s+)?(bra|bar|barrier|call|vote|shfl|activemask)\b.*;\s*(//.*)?$`)
	isBody    = regexp.MustCompile(`^\{`)
)

// recorded returns module text in which threads record when they execute each label, and when they continue after each
// branch, barrier and exchange: an entry has the number of the place, and the thread's CTA, warp and lane.
func recorded(text string) string {
	var out strings.Builder
	places, declared, inBody := 0, false, false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !declared && regexp.MustCompile(`^\s*(\.visible\s+|\.weak\s+)?\.(entry|func)\b`).MatchString(line) {
			declared = true
			out.WriteString(recording)
		}
		out.WriteString(line + "\n")
		switch {
		case declared && isBody.MatchString(line):
			inBody = true
			out.WriteString(".reg .b32 %order<4>;\n.reg .b64 %orderat<3>;\n")
		case strings.HasPrefix(line, "}"):
			inBody = false
		case inBody && (isLabel.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(lines[i+1]), ".") || isControl.MatchString(line) && !strings.Contains(line, ".noret")):
			places++
			fmt.Fprintf(&out, `	mov.u64 %%orderat0, order_count;
	atom.global.add.u32 %%order0, [%%orderat0], 1;
	and.b32 %%order0, %%order0, %d;
	mov.u64 %%orderat1, order_entries;
	mul.wide.u32 %%orderat2, %%order0, 4;
	add.u64 %%orderat1, %%orderat1, %%orderat2;
	mov.u32 %%order1, %%ctaid.x;
	shl.b32 %%order1, %%order1, 5;
	mov.u32 %%order2, %%warpid;
	add.u32 %%order1, %%order1, %%order2;
	shl.b32 %%order1, %%order1, 5;
	mov.u32 %%order2, %%laneid;
	add.u32 %%order1, %%order1, %%order2;
	mad.lo.u32 %%order1, %%order1, 64, %d;
	st.global.u32 [%%orderat1], %%order1;
`, orderEntries-1, places%64)
		}
	}
	return out.String()
}

// programOrder runs the launches of a program that records its order, and returns the record, and whether warps were in
// a state to take turns.
func programOrder(t *testing.T, file string, cfg interp.Config, slice uint64) (record []byte, turns bool) {
	t.Helper()
	ready := preparedWith(t, file, []byte(recorded(string(source(t, file)))), cfg)
	return orderOf(t, ready.Machine, ready.Launches, slice)
}

// orderOf runs launches of kernels that record their order, and returns the record with errors and counts, and whether
// warps were in a state to take turns.
func orderOf(t *testing.T, m *interp.Machine, launches []interp.Launch, slice uint64) (record []byte, turns bool) {
	t.Helper()
	var end []byte
	for _, l := range launches {
		s, err := functional.BeginWithSlice(m, l, slice)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Continue(context.Background()); err != nil {
			end = fmt.Append(end, err)
		}
		stats := s.Stats()
		stats.Warnings = nil
		end = fmt.Appendf(end, "%+v", stats)
		turns = turns || s.TriedTurns()
	}
	for _, name := range []string{"order_count", "order_entries"} {
		record = append(record, m.Var(name).Data...)
	}
	return append(record, end...), turns
}

// orders are the models of divergence that code knows, with lengths of time slices.
var orders = []struct {
	model divergence.Model
	slice uint64
}{{divergence.IndependentThreads, 4096}, {divergence.IndependentThreads, 128}, {divergence.ReconvergenceStack, 256}}

// sameOrders runs something that records its order in Go alone and as compiled code, and compares the records. It
// returns in how many runs warps were in a state to take turns.
func sameOrders(t *testing.T, run func(cfg interp.Config, slice uint64) (record []byte, turns bool)) (inTurns int) {
	t.Helper()
	for _, o := range orders {
		cfg := interp.Config{Compile: interp.CompileNever, Divergence: o.model, Threads: 1}
		cfg.MaxSteps, cfg.MaxLaunchSteps = 20000, 2e6 // lanes that wait for ever record for ever
		want, _ := run(cfg, o.slice)
		for level := jit.Best(); level > jit.None; level-- {
			cfg.Compile, cfg.Lanes = interp.CompileAlways, level
			got, turns := run(cfg, o.slice)
			if turns {
				inTurns++
			}
			if at := firstOther(want, got); at >= 0 {
				t.Errorf("%v, slices of %d, %v: %s", o.model, o.slice, level, describeOrder(want, got, at))
			}
		}
	}
	return inTurns
}

// TestCompiledProgramsRunInTheSameOrder: threads of the repository's programs reach every place in the same order when
// Go alone executes them and when compiled code does.
func TestCompiledProgramsRunInTheSameOrder(t *testing.T) {
	short.Alternates(t, 0, 3)
	kerneltest.SkipVerified(t)
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	files := programFiles(t)
	inTurns := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			inTurns += sameOrders(t, func(cfg interp.Config, slice uint64) ([]byte, bool) { return programOrder(t, file, cfg, slice) })
		})
	}
	if inTurns < len(files) {
		t.Errorf("warps took turns in %d runs of %d programs", inTurns, len(files))
	}
}

// TestCompiledWorkloadsRunInTheSameOrder is the same for some CTAs of the benchmark's kernels, in which many warps
// diverge in code.
func TestCompiledWorkloadsRunInTheSameOrder(t *testing.T) {
	short.Alternates(t, 2, 3)
	kerneltest.SkipVerified(t)
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	for _, set := range workloads.Sets {
		mod, err := asm.Parse(set.File, []byte(recorded(string(set.PTX()))))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range set.Workloads {
			t.Run(w.Name, func(t *testing.T) {
				w.Grid.X, w.Grid.Y = min(w.Grid.X, 3), min(w.Grid.Y, 2)
				if n := sameOrders(t, func(cfg interp.Config, slice uint64) ([]byte, bool) {
					p := w.Prepare(t, mod, cfg)
					return orderOf(t, p.Machine, []interp.Launch{p.Launch}, slice)
				}); n == 0 {
					t.Error("warps took no turns")
				}
			})
		}
	}
}

func firstOther(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// describeOrder describes the entries around the first difference of two records.
func describeOrder(want, got []byte, at int) string {
	const recordBytes = 4 + 4*orderEntries
	if at >= recordBytes {
		return fmt.Sprintf("%s, want %s", got[recordBytes:], want[recordBytes:])
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%d and %d entries, want and got:", binary.LittleEndian.Uint32(want[:4]), binary.LittleEndian.Uint32(got[:4]))
	for i := max(4, at/4*4-16); i < min(recordBytes, at/4*4+16); i += 4 {
		for _, r := range [][]byte{want, got} {
			e := binary.LittleEndian.Uint32(r[i:])
			fmt.Fprintf(&w, "  CTA %d warp %d lane %2d place %2d", e>>16, e>>11&31, e>>6&31, e&63)
		}
		w.WriteString("\n")
	}
	return w.String()
}
