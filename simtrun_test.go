package simtrun_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/memory"
)

// load makes a machine with the program.
func load(t *testing.T, src string, o simtrun.Options) *simtrun.Machine {
	t.Helper()
	p, err := simtrun.Load("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// storeParams stores the low words of parameters of every kind.
const storeParams = `
.entry k(.param .u64 out, .param .s8 a, .param .f32 b, .param .f64 c, .param .b32 d, .param .align 4 .b8 e[8])
{
	ld.param.u64 %rd1, [out];
	ld.param.s8 %r1, [a];
	st.global.u32 [%rd1], %r1;
	ld.param.u32 %r1, [b];
	st.global.u32 [%rd1+4], %r1;
	ld.param.u64 %rd2, [c];
	st.global.u64 [%rd1+8], %rd2;
	ld.param.u32 %r1, [d];
	st.global.u32 [%rd1+16], %r1;
	ld.param.u32 %r1, [e+4];
	st.global.u32 [%rd1+20], %r1;
	ret;
}
`

func TestArgumentsFillParameters(t *testing.T) {
	m := load(t, storeParams, simtrun.Options{})
	out, err := m.Alloc("out", 24)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(args ...any) error {
		_, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: args})
		return err
	}
	if err := launch(out, int8(-2), 1.5, 2.5, uint32(7), []byte{1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	c := math.Float64bits(2.5)
	want := []uint32{0xfffffffe, math.Float32bits(1.5), uint32(c), uint32(c >> 32), 7, 0x08070605}
	if diff := cmp.Diff(want, simtrun.Read[uint32](out)); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	elsewhere, err := load(t, storeParams, simtrun.Options{}).Alloc("elsewhere", 24)
	if err != nil {
		t.Fatal(err)
	}
	good := []any{out, 1, 1.5, 2.5, 7, make([]byte, 8)}
	for _, bad := range []struct {
		at   int
		arg  any
		want string
	}{
		{0, "x", "argument out: a string does not go into u64"},
		{1, 256, "argument a: 256 does not fit in s8"},
		{1, -129, "argument a: -129 does not fit in s8"},
		{1, 1.5, "argument a: a float64 does not go into s8"},
		{2, 1, "argument b: a int does not go into f32"},
		{4, out, "argument d: an address does not fit in b32"},
		{0, (*simtrun.Buffer)(nil), "argument out: the *Buffer is nil"},
		{0, elsewhere, "argument out: buffer elsewhere is in another memory"},
		{5, []byte{1}, "argument e has 1 bytes; the parameter takes 8"},
		{5, 1, "argument e: an array takes its bytes, not int"},
	} {
		args := append([]any(nil), good...)
		args[bad.at] = bad.arg
		err := launch(args...)
		if err == nil || err.Error() != bad.want {
			t.Errorf("argument %d is %v: got %v, want %q", bad.at, bad.arg, err, bad.want)
		}
	}
	if err := launch(out); err == nil || err.Error() != "k takes 6 arguments, not 1" {
		t.Errorf("too few: %v", err)
	}
}

// TestDeviceMemoryIsHigh checks that addresses need more than 32 bits, unless the module has 32-bit addresses.
func TestDeviceMemoryIsHigh(t *testing.T) {
	src := ".global .u32 v;\n.entry k() { ret; }"
	for header, high := range map[string]bool{
		"": true, ".version 8.0\n.target sm_90\n.address_size 64\n": true, ".version 8.0\n.target sm_30\n.address_size 32\n": false,
	} {
		m := load(t, header+src, simtrun.Options{})
		b, err := m.Alloc("b", 4)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range []*simtrun.Buffer{b, m.Var("v")} {
			if b.Addr()>>32 != 0 != high {
				t.Errorf("%q: address 0x%x", header, b.Addr())
			}
		}
	}
}

// TestVariablesKeepValuesAcrossLaunches checks that module variables keep their values from one launch to the next.
func TestVariablesKeepValuesAcrossLaunches(t *testing.T) {
	m := load(t, `
.global .u32 count = 40;
.entry k()
{
	red.global.add.u32 [count], 1;
	ret;
}
`, simtrun.Options{})
	for range 2 {
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := simtrun.Read[uint32](m.Var("count"))[0]; got != 42 {
		t.Errorf("count is %d, want 42", got)
	}
	if m.Var("counts") != nil {
		t.Error("there is a variable counts")
	}
	if err := simtrun.Write(m.Var("count"), []uint64{1}); err == nil || err.Error() != "count has 4 bytes; the values take 8" {
		t.Errorf("Write of too much: %v", err)
	}
}

// TestStepCanEndLaunch checks that Step can end a launch before its third instruction.
func TestStepCanEndLaunch(t *testing.T) {
	m := load(t, storeParams, simtrun.Options{Divergence: simtrun.Stack})
	out, err := m.Alloc("out", 24)
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	res, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{out, 1, 1.5, 2.5, 7, make([]byte, 8)},
		Step: func(s *simtrun.Step) bool {
			if _, ok := s.Reg("%nosuch"); ok {
				t.Error("there is a register %nosuch")
			}
			steps++
			return s.PC() < 2
		}})
	if err != nil || !res.Stopped || res.WarpInstrs != 2 || steps != 3 {
		t.Errorf("%d steps, %+v, %v", steps, res, err)
	}
}

func TestLoadErrorsHavePlaces(t *testing.T) {
	if _, err := simtrun.Load("k.s", []byte(".entry k() { adq.u32 %r1, %r1, 1; ret; }")); err == nil || !strings.Contains(err.Error(), "k.s:1:14: adq: no such opcode") {
		t.Errorf("got %v", err)
	}
	m := load(t, ".entry k() { ret; }", simtrun.Options{})
	if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "j"}); err == nil || err.Error() != `no kernel "j"` {
		t.Errorf("got %v", err)
	}
}

// TestDefaultBlockFollowsReqntid checks that a launch without a block size uses that of .reqntid, or else a warp, as
// the command does.
func TestDefaultBlockFollowsReqntid(t *testing.T) {
	const body = "(.param .u64 out)%s { ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%ntid.y; st.global.v2.u32 [%%rd1], {%%r1, %%r2}; ret; }\n"
	m := load(t, fmt.Sprintf(".entry plain"+body+".entry fixed"+body, "", " .reqntid 8, 2"), simtrun.Options{})
	out, err := m.Alloc("out", 8)
	if err != nil {
		t.Fatal(err)
	}
	for kernel, want := range map[string][]uint32{"plain": {32, 1}, "fixed": {8, 2}} {
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: kernel, Args: []any{out}}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, simtrun.Read[uint32](out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kernel, diff)
		}
	}
}

func TestLoadFSLinksFiles(t *testing.T) {
	files := fstest.MapFS{
		"a/k.ptx": {Data: []byte(".extern .func (.reg .u32 r) seven();\n.entry k(.param .u64 out) { ld.param.u64 %rd1, [out]; call (%r1), seven; st.global.u32 [%rd1], %r1; ret; }")},
		"f.ptx":   {Data: []byte(".visible .func (.reg .u32 r) seven() { mov.u32 r, 7; ret; }")},
	}
	p, err := simtrun.LoadFS(files, "a/k.ptx", "f.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{out}}); err != nil {
		t.Fatal(err)
	}
	if got := simtrun.Read[uint32](out); got[0] != 7 {
		t.Errorf("the linked function gave %d", got[0])
	}
	if _, err := simtrun.LoadFS(files, "b.ptx"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := simtrun.LoadFS(files); err == nil {
		t.Error("no files were loaded")
	}
}

// TestSplitExposesMissingSyncwarp checks that the option Split has the effect of --split: a kernel whose lanes pass
// on a value without __syncwarp gives a wrong result under some seed.
func TestSplitExposesMissingSyncwarp(t *testing.T) {
	const src = `
.entry k(.param .u64 out)
{
	.shared .u32 s[32];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	mov.u32 %r2, s;
	shl.b32 %r3, %r1, 2;
	add.u32 %r4, %r2, %r3;
	st.shared.u32 [%r4], %r1;
	xor.b32 %r3, %r3, 124;
	add.u32 %r4, %r2, %r3;
	ld.shared.u32 %r5, [%r4];
	st.global.u32 [%rd1], %r5;
	ret;
}
`
	differs := false
	for seed := range uint64(20) {
		m := load(t, src, simtrun.Options{Split: seed})
		out, err := m.Alloc("out", 128)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Args: []any{out}}); err != nil {
			t.Fatal(err)
		}
		reversed := true
		for lane, v := range simtrun.Read[uint32](out) {
			reversed = reversed && int(v) == 31-lane
		}
		if seed == 0 && !reversed {
			t.Error("wrong without a split")
		}
		differs = differs || !reversed
	}
	if !differs {
		t.Error("no seed shows that the lanes rely on lock step")
	}
	p, err := simtrun.Load("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NewMachine(simtrun.Options{Split: 1, Divergence: simtrun.Stack}); err == nil {
		t.Error("a split under the stack")
	}
}

// TestErrorsHaveFields reads the fields of a fault, a hang and a warning, as a program would.
func TestErrorsHaveFields(t *testing.T) {
	m := load(t, `
.entry oob(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %laneid;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r1, [%rd1+80];
	ret;
}
.entry spin(.param .u64 x)
{
L:	bra L;
}
.entry diverged(.param .u64 x)
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 4;
	@%p1 bra L;
	bar.sync 0;
	bra E;
L:	bar.sync 0;
E:	ret;
}
`, simtrun.Options{})
	x, err := m.Alloc("x", 128)
	if err != nil {
		t.Fatal(err)
	}
	run := func(kernel string) (*simtrun.Result, error) {
		return m.Launch(context.Background(), simtrun.Launch{Kernel: kernel, Args: []any{x}})
	}
	_, err = run("oob")
	var fault *simtrun.Fault
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	if want := (simtrun.Access{Space: "global", Address: x.Addr() + 128, Size: 4, Buffer: "x", Offset: 128}); *fault.Access != want {
		t.Errorf("access %+v, want %+v", *fault.Access, want)
	}
	if fault.Rule != "mem-oob" || fault.Threads.Lanes != 0xfffff000 || fault.Pos != (simtrun.Pos{File: "k.s", Line: 8, Col: 2}) || !errors.Is(err, memory.ErrBounds) {
		t.Errorf("%+v", fault)
	}
	_, err = run("spin")
	var hang *simtrun.Hang
	if !errors.As(err, &hang) || hang.Rule != "sync-spin" || hang.Pos.Line != 13 {
		t.Errorf("%+v", hang)
	}
	res, err := run("diverged")
	if err != nil || len(res.Warnings) != 1 || res.Warnings[0].Severity != "error" || res.Warnings[0].Rule != "sync-diverged" || res.Warnings[0].Threads.Lanes != 0xf && res.Warnings[0].Threads.Lanes != 0xfffffff0 {
		t.Errorf("%v %+v", err, res)
	}
}

// TestKernelCallsFunctionOfAnother checks that a kernel can call a function whose address another kernel stored.
func TestKernelCallsFunctionOfAnother(t *testing.T) {
	m := load(t, `
.global .u64 pointer;
.global .u32 result;
.func (.param .b32 r) triple(.param .b32 a)
{
	ld.param.b32 %r1, [a];
	mul.lo.u32 %r1, %r1, 3;
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry choose()
{
	mov.u64 %rd1, triple;
	st.global.u64 [pointer], %rd1;
	ret;
}
.visible .entry k()
{
	.param .b32 p, v;
	ld.global.u64 %rd1, [pointer];
	st.param.b32 [p], 14;
	prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
	call (v), %rd1, (p), prototype;
	ld.param.b32 %r1, [v];
	st.global.u32 [result], %r1;
	ret;
}
`, simtrun.Options{})
	for _, name := range []string{"choose", "k"} {
		if _, err := m.Launch(context.Background(), simtrun.Launch{Kernel: name}); err != nil {
			t.Fatal(err)
		}
	}
	if got := m.Var("result").Bytes(); got[0] != 42 {
		t.Errorf("%v, want 42", got)
	}
}

// TestLibdeviceCanBeDisabled checks that a program can call functions of libdevice, unless they are disabled.
func TestLibdeviceCanBeDisabled(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n.entry k()\n{\n.reg .b64 f;\nmov.u64 f, __nv_sinf;\nret;\n}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.NewMachine(simtrun.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := p.NewMachine(simtrun.Options{NoLibdevice: true}); err == nil || !strings.Contains(err.Error(), "k.s:1:31: __nv_sinf is declared but not defined") {
		t.Errorf("without libdevice: %v", err)
	}
}
