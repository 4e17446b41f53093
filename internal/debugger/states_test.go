package debugger

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// several is a module for several launches: variables in all spaces, calls, barriers, divergent lanes, and a kernel
// that ends with a fault.
const several = `.global .f32 weight[4] = {1.0, 2.0, 3.0, 4.0};
.global .u32 counter = 5;
.const .s32 coef[3] = {-1, -2, -3};
.shared .u32 box[64];
.func (.reg .u32 r) twice(.reg .u32 a)
{
	.reg .u16 %h<2>;
	.local .u16 note[2];
	cvt.u16.u32 %h1, a;
	st.local.u16 [note+2], %h1;
	add.u32 r, a, a;
	ret;
}
.entry work(.param .u64 y, .param .u32 n)
{
	.shared .u16 flag;
	.local .u32 mine[2];
	mov.u32 %r1, %tid.x;
	st.local.u32 [mine+4], %r1;
	call (%r2), twice, (%r1);
	setp.lt.u32 %p1, %r1, 8;
	@%p1 bra LOW;
	add.u32 %r2, %r2, 1;
LOW:
	mov.u32 %r3, box;
	mad.lo.u32 %r3, %r1, 4, %r3;
	st.shared.u32 [%r3], %r2;
	bar.sync 0;
	ld.param.u64 %rd1, [y];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r2;
	ret;
}
.entry fault(.param .u64 y, .param .u32 n)
{
	ld.param.u64 %rd1, [y];
	mov.u32 %r1, %tid.x;
	atom.global.add.u32 %r2, [counter], 1;
	ld.global.u32 %r3, [%rd1+4096];
	ret;
}
.extern .global .u32 nowhere;
.entry missing(.param .u32 n)
{
	ld.global.u32 %r1, [nowhere];
	ret;
}
.entry small(.param .u64 y, .param .u32 n) .reqntid 32
{
	ret;
}
`

// severalCode returns the code of several, which all sessions share.
var severalCode = sync.OnceValues(func() (*interp.Code, error) {
	mod, err := asm.Parse("k.s", []byte(several))
	if err != nil {
		return nil, err
	}
	return interp.NewCode(mod, true)
})

// newSeveral begins the first of several launches of the named kernels, in two blocks of block threads, on a buffer y
// of 64 elements.
func newSeveral(t testing.TB, model divergence.Model, block uint32, kernels ...string) *bench {
	t.Helper()
	code, err := severalCode()
	if err != nil {
		t.Fatal(err)
	}
	mod := code.Module()
	b := &bench{t: t}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{"k.s": strings.Split(several, "\n")}, Prepare: func() (*Program, error) {
		m, err := interp.NewMemory(mod.AddressSize, nil).Load(code, interp.Config{Divergence: model, MaxSteps: 1e6})
		if err != nil {
			return nil, err
		}
		y, err := m.Alloc("y", 256)
		if err != nil {
			return nil, err
		}
		params := make([]byte, 12)
		store(params, y.Base)
		params[8] = 64
		p := &Program{Machine: m, Buffers: []Buffer{
			{Region: m.Var("weight"), Elem: isa.F32}, {Region: m.Var("counter"), Elem: isa.U32, Scalar: true},
			{Region: m.Var("coef"), Elem: isa.S32}, {Region: y, Elem: isa.U32},
		}}
		for _, kernel := range kernels {
			_, size := mod.Entry(kernel).ParamLayout()
			p.Launches = append(p.Launches, interp.Launch{Kernel: kernel, Grid: isa.Dim{X: 2, Y: 1, Z: 1}, Block: isa.Dim{X: block, Y: 1, Z: 1}, Params: params[:size]})
		}
		return p, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.out.Reset()
	return b
}

// states are the states of a debugger by name: commands that lead there from the start of launches of the kernels.
var states = []struct {
	name    string
	block   uint32
	kernels []string
	lead    []string
}{
	{"before", 64, []string{"work"}, nil},
	{"within", 64, []string{"work", "work"}, []string{"step 3", "warp 1", "step 9"}},
	{"in a call", 40, []string{"work"}, []string{"until twice"}},
	{"diverged", 64, []string{"work"}, []string{"break on diverge", "continue"}},
	{"waiting", 64, []string{"work"}, []string{"next 40"}},
	{"between", 64, []string{"work", "fault", "work"}, []string{"continue"}},
	{"after", 64, []string{"work"}, []string{"continue"}},
	{"after several", 32, []string{"small", "work"}, []string{"continue", "continue"}},
	{"faulted", 64, []string{"work", "fault"}, []string{"continue", "continue"}},
	{"refused", 64, []string{"work", "small"}, []string{"continue"}},
	{"not supported", 64, []string{"work", "missing"}, []string{"continue"}},
	{"refused again", 64, []string{"work", "missing"}, []string{"continue", "restart", "continue"}},
}

// inState returns a debugger in a state, by its index in states.
func inState(t testing.TB, state int, model divergence.Model) *bench {
	s := states[state]
	b := newSeveral(t, model, s.block, s.kernels...)
	for _, line := range s.lead {
		b.do(line)
	}
	b.do("delete")
	return b
}

// words are parts of arguments, valid and invalid.
var words = []string{
	"0", "1", "3", "7", "31", "32", "63", "64", "-1", "4096", "0xffffffffffffffff", "0x10000000", "1.5", "0f3f800000",
	"r1", "%r2", "$r3", "rd1", "rd2", "p1", "h1", "a", "r", "laneid", "tid.x", "clock", "clock64", "nosuch", "$", "%", "%%",
	"y", "n", "weight", "counter", "coef", "box", "flag", "mine", "note",
	"y[3]", "y[64]", "y[-1]", "y[2:5]", "y[r1]", "box[1]", "mine[1]", "note[0]", "weight[2]", "counter[0]", "r1[7]", "r1[40]", "y+12", "&y", "&box[3]",
	"shared:4", "global:y+12", "global:0", "local:4", "local:0[3]", "const:coef", "param:0", "param.u64:0", "shared.f16:2", "shared:99999999999", "nosuch:0",
	"any(r1 > 3)", "all(p1)", "!p1", "(y)", "((", "))", "[", "]", "y[", "y[1:", "+", "=", "==", ":", "::", ",", "if", "on", "-r", "-w", "-rw", "-x",
	"work", "twice", "LOW", "fault", "12", "L20", "+2", "+99999999999", "@3", "@99", "k.s:20", "k.s:", ":", "nosuch.s:1",
	"b0", "b1", "w0", "w1", "l5", "b0.w1.l3", "b9", "l99", "diverge", "reconverge", "barrier", "exit", "mem", "finding",
	"-with", "-group", "-exec", "-hits", "pc", "state", "step", "up", "(1,0,0)", "(", "1,2", "thread", "%", "display", "1-3", "-", "12,20", "@0,@3",
	"lanes", "warps", "blocks", "regs", "mask", "stack", "barriers", "launch", "break", "findings", "registers", "threads", "frame", "functions", "source", "display", "var", "variable", "mask", "\x00", "\xff", "é", "\"", "'a'",
}

// survives executes a line and reports whether it ends the session. It reports a panic with the lines that led to it.
func (b *bench) survives(line, state string, typed []string) (quits bool) {
	b.t.Helper()
	defer func() {
		if r := recover(); r != nil {
			b.t.Errorf("%s: %q: panic: %v", state, typed, r)
			quits = true
		}
	}()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Second)
	defer cancel()
	b.out = bytes.Buffer{}
	err := b.Execute(ctx, line)
	if err != nil && (strings.Contains(err.Error(), "\n") || err.Error() == "") {
		b.t.Errorf("%s: %q is answered in several lines: %v", state, line, err)
	}
	b.Prompt()
	b.Complete(line)
	return errors.Is(err, ErrQuit)
}

// TestEveryWordWorksInEveryState executes every command in every state, alone and with each word of arguments.
func TestEveryWordWorksInEveryState(t *testing.T) {
	for state := range states {
		b := inState(t, state, divergence.IndependentThreads)
		for i := range b.table {
			name := b.table[i].name
			b.survives(name, states[state].name, []string{name})
			if b = inState(t, state, divergence.IndependentThreads); moves(name) {
				continue
			}
			for k, word := range words {
				if short.Skips(k + i) {
					continue
				}
				line := name + " " + word
				b.survives(line, states[state].name, []string{line})
			}
			b = inState(t, state, divergence.IndependentThreads)
		}
	}
}

// moves reports whether a command changes the state.
func moves(name string) bool {
	if strings.HasPrefix(name, "reverse-") {
		return true
	}
	switch name {
	case "rewind", "rev", "checkpoint":
		return true
	case "step", "lstep", "bstep", "next", "finish", "until", "reconv", "barrier", "continue", "run", "restart", "quit":
		return true
	}
	return false
}
