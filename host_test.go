package simtrun_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/short"
)

// In awaits, thread 0 of each block waits until mailbox is not 0. It takes the value as an address, and its block
// adds the number stored there to the elements of out. If tries is above 0, the thread counts its attempts, so that
// its state never repeats.
const awaits = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 mailbox, .param .u64 out, .param .u32 tries)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [mailbox];
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r1, [tries];
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra TOGETHER;
	mov.u32 %r3, 0;
AGAIN:
	add.u32 %r3, %r3, %r1;
	ld.volatile.global.u64 %rd3, [%rd1];
	setp.eq.u64 %p2, %rd3, 0;
	@%p2 bra AGAIN;
	setp.gt.u32 %p3, %r3, 1000000000;
	@%p3 trap;
TOGETHER:
	bar.sync 0;
	ld.volatile.global.u64 %rd3, [%rd1];
	ld.volatile.global.u32 %r4, [%rd3];
	mov.u32 %r5, %ctaid.x;
	mov.u32 %r6, %ntid.x;
	mad.lo.u32 %r5, %r5, %r6, %r2;
	mul.wide.u32 %rd4, %r5, 4;
	add.u64 %rd4, %rd4, %rd2;
	add.u32 %r4, %r4, %r2;
	st.global.u32 [%rd4], %r4;
	ret;
}`

// TestHostWrites checks that a launch that waits for the host continues once the host has written, both to adopted
// memory and to memory allocated in the meantime. Nothing else may end the wait, and without HostWrites the launch is
// a hang.
func TestHostWrites(t *testing.T) {
	const blocks, threads = 5, 96
	for _, c := range []struct {
		name  string
		o     simtrun.Options
		tries uint32
	}{
		{"repeats", simtrun.Options{}, 0},
		{"counts", simtrun.Options{}, 1},
		{"stack", simtrun.Options{Divergence: simtrun.Stack}, 0},
		{"threads", simtrun.Options{Threads: 2}, 0},
		{"clock", simtrun.Options{GPU: "minimal", Clock: &simtrun.Clock{}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := newMemory(t, c.o)
			m := loadInto(t, mem, awaits)
			mailbox := make([]uint64, 8) // memory of the host
			bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(mailbox))), 64)
			box, err := mem.Adopt("mailbox", 0x7000_0000_0000, bytes)
			if err != nil {
				t.Fatal(err)
			}
			out, err := mem.Alloc("out", 4*blocks*threads)
			if err != nil {
				t.Fatal(err)
			}
			l := simtrun.Launch{Kernel: "k", Grid: simtrun.Dim{X: blocks}, Block: simtrun.Dim{X: threads}, Args: []any{box, out, c.tries}, HostWrites: true}
			r, err := m.Begin(l)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				err := r.Continue(context.Background())
				w, ok := errors.AsType[*simtrun.Awaiting](err)
				if !ok {
					t.Fatalf("the launch does not wait: %v", err)
				}
				if w.Proven != (c.tries == 0) {
					t.Errorf("proven: %v", w.Proven)
				}
				if w.Hang.Rule != "sync-spin" || !strings.Contains(w.Error(), "ld.volatile.global.u64") && !strings.Contains(w.Error(), "bra AGAIN") && !strings.Contains(w.Error(), "add.u32") {
					t.Fatalf("waits elsewhere: %v", w)
				}
			}
			value, err := mem.Alloc("value", 4)
			if err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint32(value.Bytes(), 1000)
			mailbox[0] = value.Addr()
			if err := r.Continue(context.Background()); err != nil {
				t.Fatal(err)
			}
			r.End()
			for i, v := range simtrun.Read[uint32](out) {
				if want := uint32(1000 + i%threads); v != want {
					t.Fatalf("out[%d] = %d, want %d", i, v, want)
				}
			}

			mailbox[0], l.HostWrites = 0, false
			if c.tries > 0 {
				return // nothing proves a hang
			}
			if _, err := m.Launch(context.Background(), l); !is[*simtrun.Hang](err) {
				t.Errorf("nobody writes: %v", err)
			}
		})
	}
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// TestMoveKeepsContentAndAddress checks that a moved buffer keeps its content and address, that kernels use the new
// memory, and that Move refuses memory of another size and a buffer in use.
func TestMoveKeepsContentAndAddress(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, `.entry k(.param .u64 p) {
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	ret;
}`)
	b, err := mem.Alloc("b", 4)
	if err != nil {
		t.Fatal(err)
	}
	old, addr := b.Bytes(), b.Addr()
	old[0] = 41
	l := simtrun.Launch{Kernel: "k", Args: []any{b}, Block: simtrun.Dim{X: 1}}
	run(t, m, l)
	other := make([]byte, 4)
	if err := b.Move(other); err != nil {
		t.Fatal(err)
	}
	run(t, m, l)
	if other[0] != 43 || old[0] != 42 || b.Addr() != addr || &b.Bytes()[0] != &other[0] {
		t.Errorf("%d, and %d where it was; at %#x, was at %#x", other[0], old[0], b.Addr(), addr)
	}
	if err := b.Move(make([]byte, 5)); err == nil {
		t.Error("5 bytes for 4")
	}
	r, err := m.Begin(l)
	if err != nil {
		t.Fatal(err)
	}
	defer r.End()
	if err := b.Move(old); err == nil {
		t.Error("moved while a launch is under way")
	}
}

// TestAlignmentFollowsAddress checks that alignment follows the address and not the offset in the buffer, in a buffer
// that begins at an odd multiple of 16: aligned accesses of 32 bytes succeed, misaligned ones fault, even in a loop
// that is already compiled.
func TestAlignmentFollowsAddress(t *testing.T) {
	short.Alternates(t, 1, 3)
	const kernel = `.version 8.8
.target sm_100
.address_size 64
.entry k(.param .u64 to, .param .u64 then)
{
	ld.param.u64 %rd1, [to];
	ld.param.u64 %rd2, [then];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd1, %r1, 32, %rd1;
	mad.wide.u32 %rd2, %r1, 32, %rd2;
	mov.u32 %r2, 0;
L:
	ACCESS
	add.u32 %r2, %r2, 1;
	setp.eq.u32 %p1, %r2, 20000;
	selp.u64 %rd1, %rd2, %rd1, %p1;
	setp.le.u32 %p2, %r2, 20000;
	@%p2 bra L;
	ret;
}`
	const base = 0x7000_0000_0010
	for _, access := range []string{
		"st.global.v8.b32 [%rd1], {%r2, %r2, %r2, %r2, %r2, %r2, %r2, %r2};",
		"ld.global.v4.b64 {%rd4, %rd5, %rd6, %rd7}, [%rd1];",
		"ld.global.v2.b64 {%rd8, %rd9}, [%rd1]; ld.global.v4.b64 {%rd4, %rd5, %rd6, %rd7}, [%rd1];",
	} {
		for _, o := range []simtrun.Options{{}, {Clock: &simtrun.Clock{}}} {
			mem := newMemory(t, o)
			if _, err := mem.Adopt("odd", base, make([]byte, 4096)); err != nil {
				t.Fatal(err)
			}
			m := loadInto(t, mem, strings.Replace(kernel, "ACCESS", access, 1))
			for _, c := range []struct {
				to, then uint64
				aligned  bool
			}{{base + 16, base + 48, true}, {base, base, false}, {base + 16, base + 32, false}} {
				_, err := m.Launch(t.Context(), simtrun.Launch{Kernel: "k", Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: 64}, Args: []any{c.to, c.then}})
				if c.aligned && err != nil || !c.aligned && (err == nil || !strings.Contains(err.Error(), "mem-misaligned")) {
					t.Errorf("%s: 0x%x and then 0x%x: %v", access, c.to, c.then, err)
				}
			}
		}
	}
}
