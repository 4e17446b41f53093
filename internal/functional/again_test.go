package functional_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// againSource has a kernel whose results depend on whatever an earlier launch could leave: parameters, in registers and
// in memory, a register that is read before it is written, shared memory, and where buffers are.
const againSource = `
.visible .entry k(.param .u64 out, .param .align 4 .b8 xs[16], .param .u32 n)
{
	.reg .u32 %never;
	.shared .align 4 .b8 s[128];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	shl.b32 %r2, %r2, 2;
	mov.u64 %rd1, xs;
	cvt.u64.u32 %rd2, %r2;
	add.u64 %rd1, %rd1, %rd2;
	ld.param.u32 %r3, [%rd1];
	ld.param.u32 %r4, [n];
	shl.b32 %r5, %r1, 2;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	ld.shared.u32 %r7, [%r6];
	st.shared.u32 [%r6], %r3;
	add.u32 %r7, %r7, %never;
	add.u32 %never, %r4, 1;
	mad.lo.u32 %r7, %r3, %r4, %r7;
	mov.u32 %r8, %ctaid.x;
	mad.lo.u32 %r8, %r8, 32, %r1;
	ld.param.u64 %rd3, [out];
	mul.wide.u32 %rd4, %r8, 4;
	add.u64 %rd3, %rd3, %rd4;
	ld.global.u32 %r9, [%rd3];
	add.u32 %r7, %r7, %r9;
	st.global.u32 [%rd3], %r7;
	ret;
}`

// TestBeginAgain: launches that follow each other on a machine have the results of launches on machines of their own,
// and an engine knows no region that was freed, nor what a failed launch left.
func TestBeginAgain(t *testing.T) {
	kerneltest.SkipVerified(t)
	mod, err := asm.Parse("k.s", []byte(againSource))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{Compile: interp.CompileAlways, Budget: memory.NewBudget(64 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	out := alloc(t, m)
	taken := m.Config().Budget.Taken()
	var sessions []*functional.Session
	for i, ctas := range []uint32{1, 1, 3, 1, 3, 1, 1, 3} {
		if i%3 == 2 {
			if _, err := runAgain(m, ctas, 8, 1); !errors.As(err, new(*interp.Fault)) {
				t.Fatalf("launch at an address of nothing: %v", err)
			}
		}
		if i%4 == 3 {
			m.Free(out)
			out = alloc(t, m)
		}
		s, err := runAgain(m, ctas, out.Base, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
		alone, err := interp.New(mod, interp.Config{Compile: interp.CompileNever})
		if err != nil {
			t.Fatal(err)
		}
		want := alloc(t, alone)
		w, err := runAgain(alone, ctas, want.Base, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.Data, want.Data) {
			t.Errorf("launch %d: %v, want %v", i, out.Data, want.Data)
		}
		if got, want := s.Stats(), w.Stats(); got.WarpInstrs != want.WarpInstrs || got.LaneInstrs != want.LaneInstrs {
			t.Errorf("launch %d: %+v, want %+v", i, got, want)
		}
		clear(out.Data)
		if now := m.Config().Budget.Taken(); now != taken {
			t.Errorf("launch %d: %d bytes are taken after it, %d before", i, now, taken)
		}
	}
	if sessions[0] != sessions[1] || sessions[5] != sessions[6] {
		t.Error("equal launches that follow each other do not share a session")
	}
}

func alloc(t *testing.T, m *interp.Machine) *memory.Region {
	t.Helper()
	out, err := m.Alloc("out", 4*32*3)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// runAgain launches the kernel of againSource, with parameters that depend on n.
func runAgain(m *interp.Machine, ctas uint32, out uint64, n uint32) (*functional.Session, error) {
	params := binary.LittleEndian.AppendUint64(nil, out)
	for i := range uint32(5) {
		params = binary.LittleEndian.AppendUint32(params, 7*n+i)
	}
	s, err := functional.BeginAgain(m, interp.Launch{Kernel: "k", Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: params})
	if err != nil {
		return nil, err
	}
	return s, s.Continue(context.Background())
}
