package debugger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/snapshot"
	"github.com/simtrun/simtrun/interp"
)

// notCopied are the fields of what copies of the world reach that lead to something they cannot copy, by type and name,
// and why that need not be copied.
var notCopied = map[string]string{
	"sm.Options.Prove":           "a Prover has nothing but memory that it reuses",
	"sm.workerPool.start":        "there are no threads between two cycles",
	"interp.Config.Evaluate":     "a configuration",
	"interp.Config.BeforeCode":   "a configuration",
	"interp.Config.Foreign":      "a configuration",
	"interp.codeEntry.at":        "debuggers execute no compiled code",
	"interp.trailColumns.values": "nor have they its trail",
	"texture.along.find":         "a function without state",
}

// TestCopiesReachEverything: what a copy of the world does not follow has a type that is left alone on purpose, or a
// field that is listed.
func TestCopiesReachEverything(t *testing.T) {
	b := newSeveral(t, 0, 64, "work")
	b.do("break on diverge")
	b.do("continue")
	b.copyNow()
	races := newWalker(t, 0, false)
	races.cfg.Races = true
	races.do("restart")
	races.do("step 50")
	races.copyNow()
	timed := newTimedBench(t, timedKernels[0], gpu.H100(), 64, 2)
	timed.do("step 20")
	timed.copyNow()
	seen := make(map[string]bool)
	for _, typ := range slices.Concat(b.timeline.store.Types(), timed.timeline.store.Types(), races.timeline.store.Types()) {
		if typ.Kind() != reflect.Struct || isLeftAlone(typ) {
			continue
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			if name := typ.String() + "." + f.Name; opaque(f.Type) {
				seen[name] = true
				if notCopied[name] == "" {
					t.Errorf("copies do not follow %s, which is a %s", name, f.Type)
				}
			}
		}
	}
	for name := range notCopied {
		if !seen[name] {
			t.Errorf("%s is not there", name)
		}
	}
}

// opaque reports whether a type leads to something that a copy cannot follow.
func opaque(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return true
	case reflect.Array, reflect.Slice, reflect.Map:
		return opaque(t.Elem())
	}
	return false
}

// BenchmarkStepBack goes back by one instruction, after ten million.
func BenchmarkStepBack(b *testing.B) { stepBack(b, nil) }

// BenchmarkTimedStepBack is BenchmarkStepBack with a clock.
func BenchmarkTimedStepBack(b *testing.B) { stepBack(b, &sm.Options{Cost: cost.Lowered}) }

func stepBack(b *testing.B, clock *sm.Options) {
	d := newLong(b, clock)
	for b.Loop() {
		d.do("reverse-step")
	}
	b.ReportMetric(float64(d.timeline.store.Bytes())/1e6, "MB")
}

// newLong returns a debugger after ten million instructions with a breakpoint, so that each was executed by itself.
func newLong(t testing.TB, clock *sm.Options) *bench {
	w := &bench{t: t}
	cfg := Config{Out: &w.out, Clock: clock, Prepare: func() (*Program, error) { return prepareWalk("long.s", longKernel, interp.Config{}) }}
	var err error
	if w.Debugger, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	w.do("break 20 if r4 == 1990 && ctaid.x == 60")
	w.do("continue")
	return w
}

// longKernel executes 11 million instructions.
const longKernel = `//sim:grid 64
//sim:block 256
//sim:arg out = zeros:65536:u32
.entry long(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 256, %r1;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd2, %rd1, %rd2;
	mov.u32 %r4, 0;
LOOP:
	ld.global.u32 %r5, [%rd2];
	mad.lo.u32 %r5, %r5, 7, %r1;
	xor.b32 %r5, %r5, %r4;
	st.global.u32 [%rd2], %r5;
	and.b32 %r6, %r5, 1;
	setp.eq.u32 %p1, %r6, 0;
	@%p1 bra SKIP;
	add.u32 %r5, %r5, 3;
SKIP:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, 2000;
	@%p2 bra LOOP;
	ret;
}
`

// TestReplaysKeepCopiesDense makes room for copies between others: the one goes whose neighbours are closest, unless
// the new one's would be. The first copies of launches stay.
func TestReplaysKeepCopiesDense(t *testing.T) {
	var c copies
	c.init(0)
	for _, m := range []moment{{0, 0}, {0, 100}, {0, 200}, {0, 240}, {0, 300}, {1, 0}, {1, 50}, {1, 400}} {
		c.all = append(c.all, worldCopy{Snapshot: new(snapshot.Snapshot), moment: m})
	}
	for _, want := range []struct {
		of   moment
		room bool
		left string
	}{
		{moment{0, 150}, false, "0:0 0:100 0:200 0:240 0:300 1:0 1:50 1:400"}, // 100 apart, as those around 240
		{moment{1, 200}, true, "0:0 0:100 0:200 0:300 1:0 1:50 1:400"},
		{moment{1, 200}, true, "0:0 0:200 0:300 1:0 1:50 1:400"},
		{moment{1, 200}, true, "0:0 0:300 1:0 1:50 1:400"},
		{moment{1, 200}, false, "0:0 0:300 1:0 1:50 1:400"}, // 350 apart; those around 50 are 400
		{moment{1, 500}, true, "0:0 1:0 1:400"},             // after the latest: every second goes
	} {
		room := c.makeRoom(want.of)
		var left []string
		for _, w := range c.all {
			left = append(left, fmt.Sprintf("%d:%d", w.launch, w.step))
		}
		if got := strings.Join(left, " "); room != want.room || got != want.left {
			t.Errorf("room for %v: %t with %s, want %t with %s", want.of, room, got, want.room, want.left)
		}
	}
}
