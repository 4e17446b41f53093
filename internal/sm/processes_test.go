package sm_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// loads are two kernels that load the word at out, add their block's number and 1 to it, and store it. The second
// kernel loads after the first has ended.
var loads = load("early", 1) + load("late", 400)

func load(name string, sums int) string {
	return ".entry " + name + "(.param .u64 out)\n{\n" + strings.Repeat("\tadd.f32 %f1, %f1, %f1;\n", sums) + `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1+128], %r1;
	ret;
}
`
}

// inProcesses runs the launches, each in the process that it names, and returns the session and the contents of each
// process's buffer. All processes have the buffer at the same address. Word 0 of it is 100 times the number of the
// process.
func inProcesses(t *testing.T, source string, cfg interp.Config, o sm.Options, ls ...sm.Launch) (*sm.Session, map[string][]byte) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Budget = memory.NewBudget(0)
	machines, buffers := make(map[string]*interp.Machine), make(map[string]*memory.Region)
	for i := range ls {
		l := &ls[i]
		if machines[l.Process] == nil {
			m, err := interp.New(mod, cfg)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Alloc(l.Process+".out", 4096)
			if err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint32(out.Data, uint32(100*len(machines)))
			machines[l.Process], buffers[l.Process] = m, out
		}
		l.Machine, l.Params = machines[l.Process], binary.LittleEndian.AppendUint64(nil, buffers[l.Process].Base)
		if buffers[l.Process].Base != buffers[ls[0].Process].Base {
			t.Fatal("buffers of processes have different addresses")
		}
		if l.Block.X == 0 {
			l.Block = kerneltest.Dim(32, 1)
		}
	}
	s, err := sm.BeginAll(ls, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Continue(context.Background()); err != nil {
		t.Fatal(err)
	}
	data := make(map[string][]byte)
	for name, r := range buffers {
		data[name] = r.Data
	}
	for i := range ls {
		if err := s.TimingOf(i).Check(); err != nil {
			t.Errorf("launch %d: %v", i, err)
		}
	}
	return s, data
}

// TestProcessesShareNoData: two launches load the same address, one after the other on one SM. The second finds the
// line in L1 if they are streams of one process, and loads it from device memory if they are different processes.
func TestProcessesShareNoData(t *testing.T) {
	early := sm.Launch{Launch: interp.Launch{Kernel: "early", Grid: kerneltest.Dim(1, 1)}, Process: "a", Stream: "1"}
	late := sm.Launch{Launch: interp.Launch{Kernel: "late", Grid: kerneltest.Dim(1, 1)}, Process: "a", Stream: "2"}
	for _, c := range []struct {
		process string // of the late launch
		hits    uint64
		stored  uint32
	}{{"a", 1, 1}, {"b", 0, 101}} {
		late := late
		late.Process = c.process
		s, data := inProcesses(t, loads, interp.Config{GPU: few(t, "h100", 1)}, sm.Options{InOrder: true}, early, late)
		first, second := s.TimingOf(0).Total().L1, s.TimingOf(1).Total().L1
		if first.Hits != 0 || second.Hits != c.hits || second.Misses != 1-c.hits {
			t.Errorf("process %s: the first launch has %d hits of L1, the second %d and %d misses, want %d hits", c.process, first.Hits, second.Hits, second.Misses, c.hits)
		}
		if got, want := s.TimingOf(1).Memory.Misses[cache.Load], int64(1-c.hits); got != want {
			t.Errorf("process %s: %d sectors of the second launch are not in L2, want %d", c.process, got, want)
		}
		if got := binary.LittleEndian.Uint32(data[c.process][128:]); got != c.stored {
			t.Errorf("process %s stored %d, want %d", c.process, got, c.stored)
		}
	}
}

// TestProcessesOverlap: processes share the GPU, a launch waits only for the one before it in its process, and
// streams of the same name in two processes are different.
func TestProcessesOverlap(t *testing.T) {
	source := chain("k10", 10) + chain("k20", 20) + chain("k30", 30)
	in := func(process, kernel string) sm.Launch {
		l := of(kernel, 1, "s")
		l.Process = process
		return l
	}
	for _, c := range []struct {
		launches []sm.Launch
		want     string // start+cycles of each, as in TestStreamsStartAndEndByHand
	}{
		{[]sm.Launch{in("a", "k10"), in("b", "k20"), in("a", "k30")}, "0+38 0+78 338+118"},
		{[]sm.Launch{in("a", "k10"), in("a", "k20"), in("b", "k30")}, "0+38 338+78 0+118"},
	} {
		on := small(2)
		on.CTAs.Launch = 300
		s, _ := inProcesses(t, source, interp.Config{GPU: on}, sm.Options{}, c.launches...)
		got := ""
		for i := range c.launches {
			got += fmt.Sprintf(" %d+%d", s.TimingOf(i).Start, s.TimingOf(i).Cycles)
		}
		if got[1:] != c.want {
			t.Errorf("%s, want %s", got[1:], c.want)
		}
	}
}

// TestWindowsDoNotChangeProcesses: processes with atomics and stores to the same addresses leave the same memory and
// take the same time for every window and number of threads.
func TestWindowsDoNotChangeProcesses(t *testing.T) {
	var want string
	for _, window := range []int64{0, 1, 50} {
		for _, threads := range []int{1, 2, 5} {
			var ls []sm.Launch
			for i := range 4 {
				ls = append(ls, sm.Launch{Launch: interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(10+i), 1), Block: kerneltest.Dim(64, 1)}, Process: string(rune('a' + i%3))})
			}
			s, data := inProcesses(t, kerneltest.Source(t, "testdata/kernels/processes.txt", "processes in windows"), interp.Config{GPU: few(t, "h100", 6), Threads: threads}, sm.Options{Window: window}, ls...)
			got := fmt.Sprint(data)
			for i := range ls {
				timing := s.TimingOf(i)
				got += fmt.Sprint(timing.Start, timing.Cycles, timing.Total(), timing.Memory)
			}
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("window %d, %d threads: %s\nwant %s", window, threads, got, want)
			}
			for i, process := range []string{"a", "b", "c"} {
				sum := uint32(0)
				for _, l := range ls {
					if l.Process == process {
						sum += l.Grid.X
					}
				}
				if got := binary.LittleEndian.Uint32(data[process][512+4*7:]); got != 7*sum {
					t.Errorf("process %d: the atomics' sum is %d, want %d", i, got, 7*sum)
				}
			}
		}
	}
}

// TestTooManyProcessesAreRefused: an MPS server has at most 48 clients.
func TestTooManyProcessesAreRefused(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(".entry k()\n{\n\tret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var ls []sm.Launch
	for range sm.MaxProcesses + 1 {
		m, err := interp.New(mod, interp.Config{GPU: small(1)})
		if err != nil {
			t.Fatal(err)
		}
		ls = append(ls, sm.Launch{Launch: interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(1, 1)}, Machine: m})
	}
	if _, err := sm.BeginAll(slices.Clone(ls[1:]), sm.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := sm.BeginAll(ls, sm.Options{}); err == nil || err.Error() != "k: 48 processes share the GPU already" {
		t.Errorf("%v", err)
	}
}
