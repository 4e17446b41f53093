package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// many is the body of a kernel that keeps a number of values live.
func many(values int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{ .reg .u32 r<%d>;\n", values)
	for i := range values {
		fmt.Fprintf(&b, "ld.volatile.global.u32 r%d, [out];\n", i)
	}
	for i := range values {
		fmt.Fprintf(&b, "st.volatile.global.u32 [out], r%d;\n", i)
	}
	b.WriteString("ret; }")
	return ".global .u32 out;\n.entry k() DIRECTIVES " + b.String()
}

// TestResourcesFollowDirectives: the number of registers of a thread, what determines it, and the named barriers that a
// kernel needs.
func TestResourcesFollowDirectives(t *testing.T) {
	for _, c := range []struct {
		name, directives string
		given            int
		want             string
	}{
		{"nothing said", "", 0, "106 liveness 0"},
		{"given", ".maxnreg 64", 40, "40 given 0"},
		{"more than needed", ".maxnreg 128", 0, "106 liveness 0"},
		{"maxnreg", ".maxnreg 64", 0, "64 .maxnreg 42"},
		{"a low maxnreg", ".maxnreg 16", 0, "24 .maxnreg 82"},
		{"launch bounds", ".maxntid 256 .minnctapersm 3", 0, "80 .minnctapersm 26"},
		{"launch bounds that are no limit", ".maxntid 256 .minnctapersm 2", 0, "106 liveness 0"},
		{"one CTA", ".maxntid 1024", 0, "64 .maxntid 42"},
		{"one CTA of exactly", ".reqntid 32, 32", 0, "64 .reqntid 42"},
		{"the tighter of two", ".maxntid 1024 .maxnreg 40", 0, "40 .maxnreg 66"},
		{"the tighter of two", ".maxntid 1024 .maxnreg 80", 0, "64 .maxntid 42"},
		{"more threads than a CTA can have", ".maxntid 4096", 0, "106 liveness 0"},
	} {
		r := resourcesOf(t, strings.Replace(many(100), "DIRECTIVES", c.directives, 1), interp.Config{Registers: c.given})
		if diff := cmp.Diff(c.want, fmt.Sprint(r.Registers, " ", r.From, " ", r.Spilled)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	const adjusts = ".target sm_90a\n.entry k() %s { setmaxnreg.dec.sync.aligned.u32 24; ret; }"
	for directives, want := range map[string]string{
		"":                               "6 liveness",
		".maxnreg 168":                   "168 .maxnreg",
		".maxnreg 255":                   "255 .maxnreg",
		".maxntid 384 .minnctapersm 1":   "168 .maxntid",
		".maxntid 384 .minnctapersm 2":   "80 .minnctapersm",
		".reqntid 384, 1, 1 .maxnreg 64": "64 .maxnreg",
		".maxntid 32 .minnctapersm 1":    "6 liveness",
	} {
		r := resourcesOf(t, fmt.Sprintf(adjusts, directives), interp.Config{})
		if got := fmt.Sprint(r.Registers, " ", r.From); got != want {
			t.Errorf("setmaxnreg with %q: %s, want %s", directives, got, want)
		}
	}
	for src, want := range map[string]int{
		".entry k() { ret; }":                                         0,
		".entry k() { bar.sync 0; ret; }":                             1,
		".entry k() { bar.sync 0; bar.arrive 3, 64; ret; }":           4,
		".entry k() { bar.sync %r1; ret; }":                           16,
		".entry k() { bar.warp.sync 0xffffffff; ret; }":               0,
		".func f() { bar.sync 2; ret; }\n.entry k() { call f; ret; }": 3,
	} {
		if r := resourcesOf(t, src, interp.Config{}); r.Barriers != want {
			t.Errorf("%s: %d barriers, want %d", src, r.Barriers, want)
		}
	}
}

// TestEstimateMayBeTooHighByAThird: a block of 1024 threads fits an SM of 65536 registers with at most 64 for each. A
// kernel with an estimate of up to 96 can be launched.
func TestEstimateMayBeTooHighByAThird(t *testing.T) {
	for _, c := range []struct {
		values, given, want int
	}{
		{57, 0, 63}, {58, 0, 64}, {59, 0, 64}, {65, 0, 64}, {90, 0, 64}, {91, 0, 97}, {65, 71, 71},
	} {
		mod, err := asm.Parse("k.s", []byte(strings.Replace(many(c.values), "DIRECTIVES", "", 1)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{Registers: c.given})
		if err != nil {
			t.Fatal(err)
		}
		if u, _, err := m.Usage(interp.Launch{Kernel: "k", Block: kerneltest.Dim(1024, 1)}); err != nil || u.Registers != c.want {
			t.Errorf("%d values, %d given: %d registers, want %d (%v)", c.values, c.given, u.Registers, c.want, err)
		}
	}
}

// TestBlocksThatFitWithFewerRegistersRunWithClock: an SM has room for each block that a launch is accepted with, also
// if the kernel's estimate exceeds the registers of an SM.
func TestBlocksThatFitWithFewerRegistersRunWithClock(t *testing.T) {
	for _, c := range []struct {
		values, threads, given int
	}{{57, 1024, 0}, {59, 1024, 0}, {70, 1023, 0}, {90, 1024, 0}, {90, 992, 0}, {140, 512, 0}, {50, 1024, 64}} {
		mod, err := asm.Parse("k.s", []byte(strings.Replace(many(c.values), "DIRECTIVES", "", 1)))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{Registers: c.given, GPU: smallGPU(2)})
		if err != nil {
			t.Fatal(err)
		}
		if err := runTimed(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(uint32(c.threads), 1)}); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func resourcesOf(t *testing.T, src string, cfg interp.Config) interp.Resources {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Resources("k")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBlockThatNeverFitsNamesResource: the error names the resource that does not suffice.
func TestBlockThatNeverFitsNamesResource(t *testing.T) {
	for _, c := range []struct {
		name string
		k    kerneltest.Kernel
		want string
	}{
		{"registers of a thread", kerneltest.Kernel{Config: interp.Config{Registers: 256}}, "k: 256 registers per thread, at most 255"},
		{"registers of a block", kerneltest.Kernel{Config: interp.Config{Registers: 65}, Block: kerneltest.Dim(1024, 1)}, "k: 1024 threads of 65 registers take 73728 registers per block, at most 65536"},
		{"estimated registers", kerneltest.Kernel{Source: strings.Replace(many(100), "DIRECTIVES", "", 1), Block: kerneltest.Dim(1024, 1)},
			"k: 1024 threads of 106 registers take 114688 registers per block, at most 65536 (registers by liveness)"},
		{"shared memory", kerneltest.Kernel{Shared: 227<<10 + 1}, "k: 232449 bytes of shared memory per block, at most 232448"},
	} {
		if c.k.Source == "" {
			c.k.Source = ".entry k() { ret; }"
		}
		_, _, err := c.k.Run(t)
		if _, ok := errors.AsType[*interp.LaunchError](err); !ok || err.Error() != c.want {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCapacityFollowsEachLimit: how many CTAs are resident on the GPU at once, by each limit of an SM.
func TestCapacityFollowsEachLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		cfg     interp.Config
		threads uint32
		shared  int64
		want    int // CTAs on each of 132 SMs
		limiter string
	}{
		{"CTAs", interp.Config{}, 32, 0, 32, "[blocks]"},
		{"warps", interp.Config{}, 96, 0, 21, "[warps]"},
		{"registers", interp.Config{Registers: 40}, 96, 0, 16, "[registers]"},
		{"idealised", interp.Config{Registers: 40, Idealised: true}, 96, 0, 17, "[registers]"},
		{"shared memory", interp.Config{}, 32, 7 << 10, 28, "[shared]"},
		{"carve-out", interp.Config{Carveout: new(50)}, 256, 16 << 10, 7, "[shared]"},
		{"a whole SM", interp.Config{}, 384, 227 << 10, 1, "[shared]"},
	} {
		mod, err := asm.Parse("k.s", []byte(".entry k() { ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Prepare(interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(c.threads, 1), Shared: c.shared})
		if err != nil {
			t.Fatal(err)
		}
		capacity, err := g.Capacity()
		if err != nil {
			t.Fatal(err)
		}
		if limiters := fmt.Sprint(g.Occupancy.Limiters()); capacity.GPU != 132*c.want || limiters != c.limiter {
			t.Errorf("%s: %d CTAs, by %s, want %d by %s", c.name, capacity.GPU, limiters, 132*c.want, c.limiter)
		}
		if g.Occupancy.MaxWarps != gpu.H100().Residency.Warps {
			t.Errorf("%s: slots for %d warps", c.name, g.Occupancy.MaxWarps)
		}
	}
}
