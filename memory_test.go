package simtrun_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/memory"
)

func newMemory(t *testing.T, o simtrun.Options) *simtrun.Memory {
	t.Helper()
	m, err := simtrun.NewMemory(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// loadInto loads source text into a memory.
func loadInto(t *testing.T, mem *simtrun.Memory, src string) *simtrun.Machine {
	t.Helper()
	p, err := simtrun.Load("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mem.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func run(t *testing.T, m *simtrun.Machine, l simtrun.Launch) *simtrun.Result {
	t.Helper()
	res, err := m.Launch(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// addTo adds a number to a counter of its own and to the caller's, and calls a function through an address in memory.
const addTo = `
.global .u32 mine = %[1]d;
.const .u32 step = %[1]d;
.func (.reg .u32 r) f() { ld.const.u32 r, [step]; ret; }
.global .u64 callee = f;
.entry k(.param .u64 sum)
{
	ld.const.u32 %%r1, [step];
	red.global.add.u32 [mine], %%r1;
	ld.param.u64 %%rd1, [sum];
	red.global.add.u32 [%%rd1], %%r1;
	ld.global.u64 %%rd2, [callee];
	st.global.u64 [%%rd1+8], %%rd2;
	call (%%r2), %%rd2, (), P;
	st.global.u32 [%%rd1+4], %%r2;
	ret;
P:	.callprototype (.reg .u32 r) _ ();
}
`

// TestProgramsInOneMemoryShareBuffers checks that programs in one memory share buffers, and have separate variables and
// functions.
func TestProgramsInOneMemoryShareBuffers(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	a, b := loadInto(t, mem, fmt.Sprintf(addTo, 3)), loadInto(t, mem, fmt.Sprintf(addTo, 50))
	sum, err := mem.Alloc("sum", 16)
	if err != nil {
		t.Fatal(err)
	}
	callees := make(map[uint64]bool)
	for i, c := range []struct {
		m               *simtrun.Machine
		sum, step, a, b uint32
	}{{a, 3, 3, 6, 50}, {b, 53, 50, 6, 100}, {a, 56, 3, 9, 100}} {
		run(t, c.m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Args: []any{sum}})
		got := append(simtrun.Read[uint32](sum)[:2], simtrun.Read[uint32](a.Var("mine"))[0], simtrun.Read[uint32](b.Var("mine"))[0])
		if diff := cmp.Diff([]uint32{c.sum, c.step, c.a, c.b}, got); diff != "" {
			t.Errorf("launch %d: sum, what f returned, a's and b's counters (-want +got):\n%s", i, diff)
		}
		callees[simtrun.Read[uint64](sum)[1]] = true
	}
	if len(callees) != 2 {
		t.Errorf("functions have the addresses %v", callees)
	}
	if got := mem.Find(b.Var("mine").Addr()); got == nil || got.Addr() != b.Var("mine").Addr() || got.Name() != "mine" {
		t.Errorf("Find of a variable: %v", got)
	}

	// A function of another program cannot be called.
	simtrun.Write(a.Var("callee"), simtrun.Read[uint64](b.Var("callee")))
	if _, err := a.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{sum}}); err == nil || !strings.Contains(err.Error(), "is not the address of a function") {
		t.Errorf("call of a function of another program: %v", err)
	}

	addr := b.Var("mine").Addr()
	b.Unload()
	if mem.Find(addr) != nil {
		t.Error("a variable of a program that was unloaded is still there")
	}
	run(t, loadInto(t, mem, fmt.Sprintf(addTo, 7)), simtrun.Launch{Kernel: "k", Args: []any{sum}})
}

// loads reads a word of x for each thread and writes it to y.
const loads = `
.entry k(.param .u64 x, .param .u64 y)
{
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	mad.wide.u32 %rd2, %r1, 4, %rd2;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd2], %r2;
	ret;
}
`

// TestFreedBuffersAreRefused checks which buffers Free and launches accept, and that a freed buffer is not found again.
func TestFreedBuffersAreRefused(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, loads+".global .u32 v[32];\n")
	x, err := simtrun.AllocOf(mem, "x", make([]uint32, 32))
	if err != nil {
		t.Fatal(err)
	}
	y, err := mem.Alloc("y", 128)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := newMemory(t, simtrun.Options{}).Alloc("z", 128)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(args ...any) error {
		_, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: args})
		return err
	}
	if err := launch(x, y); err != nil {
		t.Fatal(err)
	}
	freed := mem.Find(x.Addr() + 4)
	freed.Rename("weights")
	if err := mem.Free(freed); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"argument that was freed":      {launch(x, y), "argument x: buffer weights was freed"},
		"argument of another memory":   {launch(y, elsewhere), "argument y: buffer z is in another memory"},
		"argument nil":                 {launch(y, (*simtrun.Buffer)(nil)), "argument y: the *Buffer is nil"},
		"use after free":               {launch(x.Addr(), y), "load in weights, which was freed [mem-freed]"},
		"Free twice":                   {mem.Free(x), "buffer weights was freed"},
		"Free of nil":                  {mem.Free(nil), "the *Buffer is nil"},
		"Free of another memory's":     {mem.Free(elsewhere), "buffer z is in another memory"},
		"Free of a variable":           {mem.Free(m.Var("v")), "v is not a buffer that Alloc or Adopt made"},
		"Write to what was freed":      {simtrun.Write(x, []uint32{1}), "buffer weights was freed"},
		"Write to nil":                 {simtrun.Write(nil, []uint32{1}), "the *Buffer is nil"},
		"texture of another memory":    {second(m.Texture("t", elsewhere, "1d 8 format=f32x1")), "t: texels: buffer z is in another memory"},
		"texture of nil":               {second(m.Texture("t", nil, "1d 8 format=f32x1")), "t: texels: the *Buffer is nil"},
		"tensor map of another memory": {second(m.TensorMap(elsewhere, "8 type=f32 box=8")), "buffer z is in another memory"},
		"removing no image":            {(*simtrun.Image)(nil).Remove(), "the *Image is nil"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, c.err, c.want)
		}
	}
	if err := launch(x.Addr(), y); !errors.Is(err, memory.ErrFreed) {
		t.Errorf("use after free: %v", err)
	}
	if again, err := mem.Alloc("again", 128); err != nil || again.Addr() == x.Addr() {
		t.Errorf("the address was given out again: %v", err)
	}
	if mem.Find(x.Addr()) != nil || mem.Find(0) != nil {
		t.Error("found what is not there")
	}
}

func second[T any](_ T, err error) error { return err }

// TestKernelsAccessAdoptedBytes checks that kernels read and write the caller's bytes.
func TestKernelsAccessAdoptedBytes(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, loads)
	bytes := make([]byte, 256)
	const at = 0x7f12_3456_7000
	b, err := mem.Adopt("host", at, bytes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		bytes[4*i] = byte(10 * i)
	}
	run(t, m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: []any{b, uint64(at + 128)}})
	for i := range 32 {
		if got := uint32(bytes[128+4*i]) | uint32(bytes[129+4*i])<<8; got != uint32(byte(10*i))+1 {
			t.Errorf("word %d is %d", i, got)
		}
	}
	_, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 33}, Args: []any{uint64(at + 128), b}})
	if err == nil || !strings.Contains(err.Error(), "load past the end of host") {
		t.Errorf("past the end: %v", err)
	}
	if err := mem.Free(b); err != nil {
		t.Error(err)
	}
	if _, err := mem.Adopt("host", at, bytes); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestProgramsShareTexturesByHandle checks that programs in one memory can use each other's textures by handle, until
// they are removed.
func TestProgramsShareTexturesByHandle(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	src := `
.entry k(.param .u64 h, .param .u64 out)
{
	ld.param.u64 %rd1, [h];
	mov.u32 %r1, %tid.x;
	tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
	ld.param.u64 %rd2, [out];
	mad.wide.u32 %rd2, %r1, 4, %rd2;
	st.global.f32 [%rd2], %f1;
	ret;
}
`
	a, b := loadInto(t, mem, ".global .texref named;\n"+src), loadInto(t, mem, ".global .texref named;\n"+src)
	texels, err := simtrun.AllocOf(mem, "texels", []float32{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		t.Fatal(err)
	}
	out, err := mem.Alloc("out", 32)
	if err != nil {
		t.Fatal(err)
	}
	named, err := a.Texture("named", texels, "1d 8 format=f32x1")
	if err != nil {
		t.Fatal(err)
	}
	image, err := a.Texture("free", texels, "1d 8 format=f32x1")
	if err != nil {
		t.Fatal(err)
	}
	for _, im := range []*simtrun.Image{image, named} {
		clear(out.Bytes())
		run(t, b, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 8}, Args: []any{im, out}})
		if diff := cmp.Diff(simtrun.Read[float32](texels), simtrun.Read[float32](out)); diff != "" {
			t.Errorf("texels (-want +got):\n%s", diff)
		}
	}
	if err := image.Remove(); err != nil {
		t.Error(err)
	}
	if err := image.Remove(); err == nil {
		t.Error("removed twice")
	}
	if _, err := b.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{image, out}}); err == nil || !strings.Contains(err.Error(), "is not a handle of a .texref") {
		t.Errorf("a texture that was removed: %v", err)
	}
	a.Unload()
	if _, err := b.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{named, out}}); err == nil || !strings.Contains(err.Error(), "is not a handle of a .texref") {
		t.Errorf("a texture of a program that was unloaded: %v", err)
	}
}

// TestKernelAttributesMatchHandCount compares with figures computed by hand for an H100. An SM has 65,536 registers, in
// units of 256, and 228 KiB of shared memory, in units of 128. 1 KiB per CTA is reserved, and a CTA can have at most
// 227 KiB.
func TestKernelAttributesMatchHandCount(t *testing.T) {
	m := loadInto(t, newMemory(t, simtrun.Options{}), `
.version 8.0
.target sm_90
.address_size 64
.const .align 8 .b8 table[200];
.entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u64 .ptr .global c, .param .f32 d) .maxntid 300
{
	.shared .align 4 .b8 s[5000];
	.local .align 8 .b8 l[48];
	mov.u32 %r1, s;
	st.shared.u32 [%r1], 1;
	st.local.u32 [l], 1;
	ret;
}
.entry large() .reqntid 64, 4
{
	.shared .align 4 .b8 s[60000];
	ret;
}
.entry bad() { ret; }
`)
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	want := []simtrun.Param{{"a", 0, 1, 1, false}, {"b", 8, 12, 8, false}, {"c", 24, 8, 8, true}, {"d", 32, 4, 4, false}}
	if diff := cmp.Diff(want, k.Params()); diff != "" || k.ParamBytes() != 36 || k.Name() != "k" {
		t.Errorf("%s of %d bytes (-want +got):\n%s", k.Name(), k.ParamBytes(), diff)
	}
	got := k.Attributes()
	if got.Registers < 1 || got.Registers > 32 {
		t.Errorf("%d registers", got.Registers)
	}
	got.Registers = 0
	if diff := cmp.Diff(simtrun.Attributes{StaticShared: 5000, Local: 48, Const: 200, MaxThreads: 300, MaxDynamicShared: 227<<10 - 5000, PTXVersion: "8.0", Target: "sm_90"}, got); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	// 2048 threads of an SM are 8 CTAs of 256. With 100,000 more bytes, two CTAs of 5000 + 1024 + 100,000 fit into
	// 228 KiB.
	for shared, want := range map[int64]int{0: 8, 100_000: 2} {
		if o := k.Occupancy(simtrun.Dim{X: 256}, shared); o.CTAs != want || o.Warps != 8*want || o.Fraction != float64(want)/8 || o.Refusal != "" {
			t.Errorf("with %d bytes: %+v", shared, o)
		}
	}
	if o := k.Occupancy(simtrun.Dim{X: 256}, 228<<10); o.CTAs != 0 || o.Refusal == "" {
		t.Errorf("with all shared memory: %+v", o)
	}
	if large, err := m.Kernel("large"); err != nil || large.Attributes().MaxThreads != 256 {
		t.Errorf("%v: %+v", err, large)
	}
	// An SM holds 64 warps. Blocks of at most 300 threads: 256 threads are 8 warps, so 8 blocks fill the SM.
	if n, o := k.BestBlock(0, nil); n != 256 || o.Warps != 64 {
		t.Errorf("best block %d: %+v", n, o)
	}
	if n, _ := k.BestBlock(100, func(n int) int64 { return int64(n) * 1000 }); n != 96 {
		t.Errorf("best block of at most 100 threads %d", n)
	}
	if _, err := m.Kernel("none"); err == nil || err.Error() != `no kernel "none"` {
		t.Error(err)
	}
}

// TestParamBlockIsUsedAsGiven launches with a caller-supplied parameter block.
func TestParamBlockIsUsedAsGiven(t *testing.T) {
	m := load(t, storeParams, simtrun.Options{})
	out, err := m.Alloc("out", 24)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, k.ParamBytes())
	for i := range block {
		block[i] = byte(0xa0 + i)
	}
	put := k.Params()[0]
	for i := range put.Size {
		block[put.Offset+i] = byte(out.Addr() >> (8 * i))
	}
	run(t, m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Params: block})
	// out at 0, a at 8 as a signed byte, b at 12, c at 16, d at 24, e at 28: bytes 0xa0 on.
	if diff := cmp.Diff([]uint32{0xffffffa8, 0xafaeadac, 0xb3b2b1b0, 0xb7b6b5b4, 0xbbbab9b8, 0xc3c2c1c0}, simtrun.Read[uint32](out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Params: block[1:]}); err == nil || !strings.Contains(err.Error(), "35 bytes of parameters; the kernel takes 36") {
		t.Errorf("a block that is too short: %v", err)
	}
}

// counts adds up a number for a given number of rounds, in a loop that depends on nothing else.
const counts = `
.entry k(.param .u64 out, .param .u32 n)
{
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
LOOP:
	mad.lo.u32 %r2, %r2, 1664525, 1013904223;
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra LOOP;
	ld.param.u64 %rd1, [out];
	mov.u32 %r3, %tid.x;
	mad.wide.u32 %rd1, %r3, 4, %rd1;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// TestSlicesGiveTheSameResult checks that a launch in slices has the same result as an uninterrupted one, and that no
// other launch can begin meanwhile.
func TestSlicesGiveTheSameResult(t *testing.T) {
	for name, o := range map[string]simtrun.Options{"functional": {}, "with a clock": {Clock: &simtrun.Clock{}}} {
		t.Run(name, func(t *testing.T) {
			mem := newMemory(t, o)
			m := loadInto(t, mem, counts)
			out, err := mem.Alloc("out", 128)
			if err != nil {
				t.Fatal(err)
			}
			rounds := 300_000
			if o.Clock != nil {
				rounds = 20_000
			}
			l := simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: []any{out, rounds}}
			r, err := m.Begin(l)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Begin(l); err == nil || err.Error() != "a launch is under way in this memory" {
				t.Errorf("beside another: %v", err)
			}
			slices := 0
			for {
				err := r.Continue(kerneltest.EndsAfter(10))
				slices++
				if _, ok := errors.AsType[*simtrun.Interrupted](err); ok {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			got, values := r.End(), simtrun.Read[uint32](out)
			if slices < 2 {
				t.Errorf("%d slices", slices)
			}
			if r.End() != got || r.Continue(context.Background()) == nil {
				t.Error("a launch that is over goes on")
			}
			clear(out.Bytes())
			want := run(t, m, l)
			if diff := cmp.Diff(simtrun.Read[uint32](out), values); diff != "" || got.WarpInstrs != want.WarpInstrs || got.LaneInstrs != want.LaneInstrs {
				t.Errorf("%d and %d instructions (-want +got):\n%s", want.WarpInstrs, got.WarpInstrs, diff)
			}
			if (got.Timing == nil) != (o.Clock == nil) {
				t.Errorf("timing %v", got.Timing)
			}
			if o.Clock != nil && (got.Timing.Start != 0 || want.Timing.Start < got.Timing.Cycles || mem.TimeStamp() < want.Timing.Start+want.Timing.Cycles) {
				t.Errorf("the first launch starts at %d and takes %d, the next one starts at %d and takes %d; then it is %d", got.Timing.Start, got.Timing.Cycles, want.Timing.Start, want.Timing.Cycles, mem.TimeStamp())
			}
		})
	}
}

// TestAbandonedLaunchAllowsNext checks that another launch can begin after one was abandoned.
func TestAbandonedLaunchAllowsNext(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, counts)
	out, err := mem.Alloc("out", 128)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Begin(simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: []any{out, uint32(4_000_000_000)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Continue(kerneltest.EndsAfter(10)); err == nil {
		t.Error("the launch ended")
	}
	if res := r.End(); res.WarpInstrs == 0 {
		t.Error("nothing was executed")
	}
	run(t, m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: []any{out, 5}})
}

// TestProgramRunsOnSeveralGoroutines checks that machines of one program, each with its own memory, can run
// concurrently.
func TestProgramRunsOnSeveralGoroutines(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(counts))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			m, err := p.NewMachine(simtrun.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			out, err := m.Alloc("out", 128)
			if err != nil {
				t.Error(err)
				return
			}
			for range 3 {
				if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 32}, Args: []any{out, 3000 + n}}); err != nil {
					t.Error(err)
				}
			}
			for lane, got := range simtrun.Read[uint32](out) {
				want := uint32(lane)
				for range 3000 + n {
					want = want*1664525 + 1013904223
				}
				if got != want {
					t.Errorf("%d rounds: lane %d has %d, want %d", 3000+n, lane, got, want)
				}
			}
		})
	}
	all.Wait()
}

// TestFindingsMergeEqualOnes checks that the same finding in several launches is counted as one, also for memory that
// one line of a CUDA program has allocated each time.
func TestFindingsMergeEqualOnes(t *testing.T) {
	m := load(t, `
.entry k(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	st.global.u32 [%rd1], %r1;
	shfl.sync.idx.b32 %r2, %r1, 33, 31, 0xffffffff;
	ret;
}
`, simtrun.Options{})
	var all simtrun.Findings
	var one *simtrun.Result
	for _, name := range []string{"x", "x", "y", "allocation 1 (k.cu:7)", "allocation 12 (k.cu:7)", "allocation 13 (k.cu:8)"} {
		b, err := m.Alloc(name, 4)
		if err != nil {
			t.Fatal(err)
		}
		one = run(t, m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 64}, Args: []any{b}, Races: true})
		all.Add(one)
	}
	if len(one.Races) != 1 {
		t.Fatalf("races of one launch: %+v", one.Races)
	}
	n := one.Races[0].Instances
	got := make(map[string]int64)
	for _, r := range all.Races() {
		got[r.Buffer] = r.Instances
	}
	if diff := cmp.Diff(map[string]int64{"x": 2 * n, "y": n, "allocation 1 (k.cu:7)": 2 * n, "allocation 13 (k.cu:8)": n}, got); diff != "" {
		t.Errorf("instances by buffer (-want +got):\n%s", diff)
	}
	if len(all.Warnings()) != len(one.Warnings) {
		t.Errorf("warnings %+v, of each launch %+v", all.Warnings(), one.Warnings)
	}
	for i, w := range all.Warnings() {
		if w.Count != 6*one.Warnings[i].Count {
			t.Errorf("%s came %d times", w.Message, w.Count)
		}
	}
}

// TestNarrowProgramsHaveOwnMemory checks that a program with 32-bit addresses gets a memory of its own.
func TestNarrowProgramsHaveOwnMemory(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(".version 6.0\n.target sm_30\n.address_size 32\n.entry k() { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newMemory(t, simtrun.Options{}).Load(p); err == nil || !strings.Contains(err.Error(), "32 bits") {
		t.Errorf("got %v", err)
	}
	if _, err := p.NewMachine(simtrun.Options{}); err != nil {
		t.Error(err)
	}
}

// TestKernelsWriteCallersBytes checks that kernels write to the caller's bytes.
func TestKernelsWriteCallersBytes(t *testing.T) {
	mem := newMemory(t, simtrun.Options{Memory: 1 << 20})
	m := loadInto(t, mem, ".entry k(.param .u64 to) { ld.param.u64 %rd1, [to]; st.global.u32 [%rd1+4], 7; ret; }")
	bytes := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	if _, err := mem.AllocOn("first", make([]byte, 8), 256); err != nil {
		t.Fatal(err)
	}
	b, err := mem.AllocOn("mine", bytes, 4096)
	if err != nil {
		t.Fatal(err)
	}
	run(t, m, simtrun.Launch{Kernel: "k", Args: []any{b}})
	if diff := cmp.Diff([]byte{1, 2, 3, 4, 7, 0, 0, 0}, bytes); diff != "" {
		t.Error(diff)
	}
	if b.Addr()%4096 != 0 {
		t.Errorf("at %#x", b.Addr())
	}
	if _, err := mem.AllocOn("too much", make([]byte, 2<<20), 256); err == nil {
		t.Error("memory that is not there")
	}
}

// TestHeapHoldsItsLimit checks that kernels can allocate as many bytes as SetHeap says. Each block takes a multiple of
// 16.
func TestHeapHoldsItsLimit(t *testing.T) {
	const src = `
.extern .func (.param .b64 p) malloc (.param .b64 n);
.entry k(.param .u64 to, .param .u64 n)
{
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [n];
	{ .param .b64 n; .param .b64 p; st.param.b64 [n], %rd2; call (p), malloc, (n); ld.param.b64 %rd3, [p]; }
	st.global.u64 [%rd1], %rd3;
	ret;
}`
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, src)
	to, err := mem.Alloc("to", 8)
	if err != nil {
		t.Fatal(err)
	}
	given := func(n uint64) bool {
		run(t, m, simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Args: []any{to, n}})
		return simtrun.Read[uint64](to)[0] != 0
	}
	if !given(8<<20-16) || !given(1) || given(1) {
		t.Error("not 8 MiB")
	}
	mem.SetHeap(64 << 20)
	if !given(56<<20) || given(1) || given(^uint64(0)) {
		t.Error("not 64 MiB")
	}
}
