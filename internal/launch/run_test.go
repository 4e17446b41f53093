package launch

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// runSource runs a source with its own header.
func runSource(t *testing.T, src string) (*Result, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	h, err := ParseHeader("k.s", t.TempDir(), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(mod, h)
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context())
}

// TestRunPassesAddresses passes a value through an address in an aggregate, an address in a variable, and an address
// past a buffer's start.
func TestRunPassesAddresses(t *testing.T) {
	res, err := runSource(t, `
//sim:buffer x = zeros:8:u32
//sim:symbol where = x+8
//sim:arg agg = hex:2a00000000000000ffffffffffffffff[8=x]
//sim:arg tail = x+28
//sim:expect x == list:u32:42,0,42,0,0,0,0,42
.global .u64 where;
.entry k(.param .align 8 .b8 agg[16], .param .u64 tail)
{
	ld.param.u32 %r1, [agg];
	ld.param.u64 %rd1, [agg+8];
	ld.global.u64 %rd2, [where];
	ld.param.u64 %rd3, [tail];
	st.global.u32 [%rd1], %r1;
	st.global.u32 [%rd2], %r1;
	st.global.u32 [%rd3], %r1;
	ret;
}
`)
	if err != nil || res.Passed != 1 || len(res.Failed) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestRunKeepsL2 checks that the first launch of a run starts with an empty L2, and that the second finds there what
// the first has read.
func TestRunKeepsL2(t *testing.T) {
	const source = `
//sim:buffer in = zeros:1024:u32
//sim:launch k args=in
//sim:launch k args=in
.entry k(.param .u64 in)
{
	ld.param.u64 %rd1, [in];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.global.u32 %r2, [%rd2];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd2], %r2;
	ret;
}
`
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	h, err := ParseHeader("k.s", "", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(mod, h)
	if err != nil {
		t.Fatal(err)
	}
	p.UseClock()
	for range 2 { // the next run is like the first
		res, err := p.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{128, 0} {
			if got := res.Launches[i].Timing.Memory.Fetched; got != want {
				t.Errorf("launch %d reads %d bytes from device memory, want %d", i, got, want)
			}
		}
	}
}

// TestRunStopsAtAFault checks the result of a run in which the second launch fails.
func TestRunStopsAtAFault(t *testing.T) {
	res, err := runSource(t, `
//sim:buffer x = zeros:8:u8
//sim:launch k args=x
//sim:launch k args=x+1
//sim:launch k args=x
//sim:dump x
.entry k(.param .u64 p)
{
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1], 1;
	ret;
}
`)
	if fault := (*interp.Fault)(nil); !errors.As(err, &fault) || !errors.Is(err, memory.ErrMisaligned) {
		t.Errorf("error %v", err)
	}
	if len(res.Launches) != 2 || len(res.Dumps) != 0 {
		t.Errorf("%+v", res)
	}
}

func TestRefusedRunHasNoLaunches(t *testing.T) {
	res, err := runSource(t, "//sim:block 2048\n.entry k() { ret; }")
	if refused := (*interp.LaunchError)(nil); !errors.As(err, &refused) || len(res.Launches) != 0 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestRunDumpsAndSaves(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(".const .f32 half = 0.5;\n.entry k() { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	l := NewFlags()
	for name, text := range map[string]string{"dump": "half", "save": "half = out.bin"} {
		if err := l.Set(name, text, Origin{Flag: "--" + name}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := NewPlan(mod, l)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := res.Dumps[0]; d.Name != "half" || d.Count != 1 || d.Elem.Text(d.Bits(0)) != "0.5" {
		t.Errorf("%+v", d)
	}
	want := []Save{{"half", "out.bin", []byte{0, 0, 0, 0x3f}}}
	if diff := cmp.Diff(want, res.Saves); diff != "" {
		t.Error(diff)
	}
}

// TestInterruptedCountersAgree checks that the counters of an interrupted run with a clock agree with the number of
// executed instructions, on any number of threads.
func TestInterruptedCountersAgree(t *testing.T) {
	const source = ".entry k(.param .u64 out)\n{\n\tld.param.u64 %rd1, [out];\nL:\n\tatom.global.add.u32 %r1, [%rd1], 1;\n\tbra L;\n}\n"
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	header, err := ParseHeader("k.s", "", []byte("//sim:grid 4\n//sim:block 64\n//sim:arg out = zeros:1:u32\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(mod, header)
	if err != nil {
		t.Fatal(err)
	}
	p.UseClock()
	p.Profile, p.Config.Threads = true, 3
	res, err := p.Run(kerneltest.EndsAfter(1000))
	if _, ok := errors.AsType[*interp.Interrupted](err); !ok {
		t.Fatal(err)
	}
	l := &res.Launches[0]
	if l.Stats.WarpInstrs == 0 || l.Profile.Total.Runs != l.Stats.WarpInstrs {
		t.Errorf("%d instructions are executed, %d counted", l.Stats.WarpInstrs, l.Profile.Total.Runs)
	}
}
