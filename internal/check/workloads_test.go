package check_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// TestCompiledWorkloadsHaveNoRaces checks that there are no races in compiled correct CUDA C, with two columns of CTAs.
func TestCompiledWorkloadsHaveNoRaces(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		p := w.Prepare(t, mod, interp.Config{})
		m, l := p.Machine, p.Launch
		l.Grid.X = min(l.Grid.X, 2)
		races, err := check.Attach(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := functional.Run(context.Background(), m, l); err != nil {
			t.Fatal(err)
		}
		if fs := races.Findings(); len(fs) > 0 {
			t.Errorf("%s: %v", w.Name, summary(fs))
		}
	}
}

// BenchmarkCheck measures the cost of the check.
func BenchmarkCheck(b *testing.B) {
	workloads.BenchmarkCost(b, func(m *interp.Machine, l *interp.Launch) error {
		_, err := check.Attach(m, l)
		return err
	})
}

// exchange is a kernel in which the threads of a CTA read each other's words of shared memory, add them to the
// buffer, and pass a counter with fences.
var exchange = prologue + `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1; bar.sync 0; ld.shared.u32 %r13, [%r12]; bar.warp.sync 0xffffffff;
and.b32 %r14, %r3, 511; shl.b32 %r14, %r14, 2; cvt.u64.u32 %rd3, %r14; add.u64 %rd3, %rd3, %rd1;
red.global.add.u32 [%rd3+1024], %r13; ld.global.u32 %r15, [%rd2]; membar.gl; bar.sync 0;
setp.eq.u32 %p1, %r1, 0; @%p1 atom.global.add.u32 %r16, [%rd1+512], 1;
ret;
}
`

// TestMemoryStaysFlat checks that memory does not grow with the number of CTAs, except for the release clock of a
// counter that each of them passes.
func TestMemoryStaysFlat(t *testing.T) {
	alone := strings.Replace(exchange, "@%p1 atom.global.add.u32 %r16, [%rd1+512], 1;", "", 1)
	for _, c := range []struct {
		name, src string
		most      int64 // bytes per CTA
	}{{"CTAs for themselves", alone, 8}, {"CTAs that pass a counter", exchange, 800}} {
		keptAfter(t, c.src, 10)
		n := short.Of(9000)
		few, many := keptAfter(t, c.src, 1000), keptAfter(t, c.src, uint32(1000+n))
		if perCTA := (many - few) / int64(n); perCTA > c.most {
			t.Errorf("%s: %d bytes are kept for each", c.name, perCTA)
		}
	}
}

// fencedCounter determines the last CTA: each increments a counter, with a fence before and after it.
const fencedCounter = `.entry k(.param .u64 g) { .shared .align 4 .b8 s[256];
ld.param.u64 %rd1, [g]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
st.shared.u32 [%r2], %r1; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra J;
membar.gl; atom.global.inc.u32 %r4, [%rd1], 999999; membar.gl;
J: bar.sync 0; ld.shared.u32 %r5, [%r2];
ret;
}
`

// TestFencesCostByCTA checks that the cost of a CTA that passes a counter does not depend on the number of CTAs
// before it: their clocks are neither copied nor traversed.
func TestFencesCostByCTA(t *testing.T) {
	took := func(ctas uint32) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		keptAfter(t, fencedCounter, ctas)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	took(10)
	if few, many := took(1000), took(8000); many > 12*few {
		t.Errorf("1,000 CTAs allocate %d bytes, 8,000 %d", few, many)
	}
}

// keptAfter returns the live bytes after a launch of this many CTAs.
func keptAfter(t *testing.T, src string, ctas uint32) int64 {
	t.Helper()
	mod := parsed(t, src)
	m, l, _ := launchOf(t, mod, interp.Config{}, dim(ctas, 1, 1), dim(64, 1, 1))
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	runtime.KeepAlive(races)
	t.Logf("%d CTAs: %d bytes", ctas, mem.HeapAlloc)
	return int64(mem.HeapAlloc)
}

// BenchmarkAll measures the cost of all checks.
func BenchmarkAll(b *testing.B) {
	workloads.BenchmarkCost(b, func(m *interp.Machine, l *interp.Launch) error {
		_, err := check.Attach(m, l)
		if err == nil {
			_, err = check.AttachShuffles(m, l)
		}
		if err == nil {
			_, err = check.AttachAsync(m, l)
		}
		if err == nil {
			_, err = check.AttachProxies(m, l)
		}
		if err == nil {
			_, err = check.AttachInit(m, l)
		}
		return err
	})
}
