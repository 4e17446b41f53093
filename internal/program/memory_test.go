package program

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestIdentityLeavesOtherSource: a reduction of the identity and x is x, for what x may be.
func TestIdentityLeavesOtherSource(t *testing.T) {
	ops := map[string]func(a, b int64, unsigned bool) int64{
		"add": func(a, b int64, _ bool) int64 { return a + b },
		"and": func(a, b int64, _ bool) int64 { return a & b },
		"or":  func(a, b int64, _ bool) int64 { return a | b },
		"xor": func(a, b int64, _ bool) int64 { return a ^ b },
		"min": func(a, b int64, unsigned bool) int64 {
			if unsigned && uint64(a) < uint64(b) || !unsigned && a < b {
				return a
			}
			return b
		},
		"max": func(a, b int64, unsigned bool) int64 {
			if unsigned && uint64(a) > uint64(b) || !unsigned && a > b {
				return a
			}
			return b
		},
	}
	for _, mnemonic := range []string{"add.u32", "add.s32", "add.u64", "and.b32", "and.b64", "or.b32", "or.b64", "xor.b32", "xor.b64",
		"min.u32", "min.s32", "min.u64", "min.s64", "max.u32", "max.s32", "max.u64", "max.s64"} {
		op, typ := mnemonic[:len(mnemonic)-4], mnemonic[len(mnemonic)-3:]
		if op[len(op)-1] == '.' {
			op = op[:len(op)-1]
		}
		reg := map[string]string{"32": "%r1", "64": "%rd2"}[typ[1:]]
		_, f := first(t, "red.global."+mnemonic+" [%rd1], "+reg+";")
		r := f.Info[0].Reduction
		if r == nil {
			t.Errorf("red.%s is no reduction", mnemonic)
			continue
		}
		signed := func(x uint64) int64 {
			if typ == "s32" {
				return int64(int32(x))
			}
			return int64(x)
		}
		for _, x := range []uint64{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000000000000000, 0xffffffffffffffff} {
			if typ[1:] == "32" {
				x = uint64(uint32(x))
			}
			if got := ops[op](signed(r.Identity), signed(x), typ[0] != 's'); got != signed(x) {
				t.Errorf("red.%s of the identity %#x and %#x is %#x", mnemonic, r.Identity, x, got)
			}
		}
		if r.Invertible() != (op == "add" || op == "xor") || !r.Is(&Reduction{Op: r.Op, Type: r.Type}) || r.Is(&Reduction{Op: r.Op, Type: isa.F32}) {
			t.Errorf("red.%s: %+v", mnemonic, r)
		}
	}
}

// TestReductionsHaveNoResult: an atomic whose result is read is none, nor is one that depends on the order.
func TestReductionsHaveNoResult(t *testing.T) {
	for code, want := range map[string]bool{
		"atom.global.add.u32 %r1, [%rd1], 1;":                            true,
		"atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1], %r1;": false,
		"atom.global.add.u32 _, [%rd1], 1;":                              true,
		"red.global.add.f32 [%rd1], %f1;":                                false, // rounds
		"red.global.inc.u32 [%rd1], 7;":                                  false,
		"atom.global.exch.b32 %r1, [%rd1], 1;":                           false,
		"atom.global.cas.b32 %r1, [%rd1], 1, 2;":                         false,
	} {
		f := lowered(t, ".entry k() {\n"+code+"\nret; }", false).Kernel()
		if got := f.Info[0].Reduction != nil; got != want {
			t.Errorf("%s: a reduction: %v", code, got)
		}
	}
}

// TestAccessesPollAndAcquire: what others may change at any time is polled; what acquires at a scope beyond the CTA
// sees what other CTAs have released (PTX ISA, memory consistency model).
func TestAccessesPollAndAcquire(t *testing.T) {
	explain(t, func(_ *Program, f *Func) string {
		i := &f.Info[0]
		return fmt.Sprint(i.Polls, i.Strong, i.Acquires)
	}, map[string]string{
		"ld.global.u32 %r1, [%rd1];":                      "false false false",
		"ld.volatile.global.u32 %r1, [%rd1];":             "true false false",
		"ld.relaxed.gpu.global.u32 %r1, [%rd1];":          "true false false",
		"ld.acquire.gpu.global.u32 %r1, [%rd1];":          "true false true",
		"ld.acquire.cta.global.u32 %r1, [%rd1];":          "true false false",
		"st.global.u32 [%rd1], %r1;":                      "false false false",
		"st.release.gpu.global.u32 [%rd1], %r1;":          "false true false",
		"atom.global.add.u32 %r1, [%rd1], 1;":             "true false false",
		"atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;": "true false true",
		"fence.acq_rel.gpu;":                              "false false true",
		"membar.cta;":                                     "false false false",
		"barrier.cluster.wait.aligned;":                   "false false true",
	})
}

// run executes the Op of the kernel's first instruction in lane 0 on memory, as the engine does.
func (f *Func) run(file *lanes.File, mem []byte) {
	f.Ops[0].Mem(file, &f.Ops[0], 1, &lanes.Access{Mem: mem, Size: uint64(f.Info[0].Size)})
}

// TestElementsAreConvertedAroundAccess: a constant is added to what is stored, and elements of a vector are converted
// from and to registers of other widths.
func TestElementsAreConvertedAroundAccess(t *testing.T) {
	_, f := first(t, "st.global.u32 [%rd1], %r1+7;")
	file, mem := lanes.NewFile(f.Layout.Bytes()), make([]byte, 16)
	lanes.Reg[uint32](file, f.Ops[0].B)[0] = 99
	lanes.Reg[uint32](file, f.Layout.regs[f.reg("%r1")])[0] = 5
	if f.run(file, mem); binary.LittleEndian.Uint32(mem) != 12 || !f.Info[0].Around {
		t.Errorf("5+7 is stored as %x", mem[:4])
	}

	_, f = first(t, "st.global.v2.u32 [%rd1], {%r1, %rd2};")
	file = lanes.NewFile(f.Layout.Bytes())
	lanes.Reg[uint32](file, f.Layout.regs[f.reg("%r1")])[0] = 1
	lanes.Reg[uint64](file, f.Layout.regs[f.reg("%rd2")])[0] = 0x1122334455667788
	if f.run(file, mem); binary.LittleEndian.Uint64(mem) != 0x5566778800000001 {
		t.Errorf("stored %x", mem[:8])
	}

	for typ, want := range map[string]uint64{"s32": 0xffffffff80000000, "u32": 0x80000000} {
		_, f = first(t, "ld.global.v2."+typ+" {%r1, %rd2}, [%rd1];")
		file = lanes.NewFile(f.Layout.Bytes())
		binary.LittleEndian.PutUint32(mem[4:], 1<<31)
		if f.run(file, mem); lanes.Reg[uint64](file, f.Layout.regs[f.reg("%rd2")])[0] != want {
			t.Errorf("%s into 64 bits: %#x, want %#x", typ, lanes.Reg[uint64](file, f.Layout.regs[f.reg("%rd2")])[0], want)
		}
	}
}

// TestLiveAtHasWhatIsStillRead: at the head of a loop. Registers that are written before they are read are not in it,
// nor are copies.
func TestLiveAtHasWhatIsStillRead(t *testing.T) {
	const code = `.entry k() {
	.local .b64 l;
	mov.u32 %r9, 5;
	stacksave.u64 %rd9;
	clz.b32 %r1, %r9;
	add.u64 %rd1, %rd9, 1;
	setp.ne.u32 %p1, %r1, 3;
L:
	add.u32 %r2, %r1, %r9;
	add.u32 %r1, %r2, 1;
	add.u64 %rd1, %rd1, %rd1;
	@%p1 bra L;
	st.global.u32 [%rd1], %r1;
	ret; }`
	f := lowered(t, code, false).Kernel()
	l := f.Layout
	live := make(map[uint32]bool)
	for _, s := range f.LiveAt(f.Src.Labels[0].PC) {
		for off := s.Off; off < s.End; off += 4 {
			live[off] = true
		}
	}
	at := func(name string) uint32 { return l.regs[f.reg(name)] }
	want := make(map[uint32]bool)
	for _, s := range []Span{{at("%r1"), at("%r1") + lanes.Slot32}, {at("%rd1"), at("%rd1") + lanes.Slot64}, {at("%p1"), at("%p1") + lanes.SlotPred},
		{l.Carry, l.Carry + lanes.SlotPred}, {l.Stack, l.Stack + lanes.Slot64}} {
		for off := s.Off; off < s.End; off += 4 {
			want[off] = true
		}
	}
	if diff := cmp.Diff(want, live); diff != "" {
		t.Errorf("live bytes (-want +got):\n%s", diff)
	}
}

// TestContentionIsWhereWarpsMeet: without a barrier between a store and another warp's load, and with equal pointers
// only.
func TestContentionIsWhereWarpsMeet(t *testing.T) {
	const shared = `.shared .b32 s[64]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; xor.b32 %r3, %r2, 128;`
	const pointers = `ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd3, %r1, 4, %rd1; mad.wide.u32 %rd4, %r1, 4, %rd2;`
	block := isa.Dim{X: 64, Y: 1, Z: 1}
	for _, c := range []struct {
		code  string
		block isa.Dim
		p, q  uint64
		want  bool
	}{
		{code: shared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r3]; st.shared.u32 [%r2], %r4;", block: block, want: true},
		{code: shared + "st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r4, [%r3];", block: block, want: false},
		{code: shared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r2]; st.shared.u32 [%r2], %r4;", block: block, want: false}, // its own
		{code: shared + "st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, [%r3]; st.shared.u32 [%r2], %r4;", block: isa.Dim{X: 32, Y: 1, Z: 1}, want: false},
		{code: pointers + "st.global.u32 [%rd3], %r1; ld.global.u32 %r2, [%rd4+4]; st.global.u32 [%rd3], %r2;", block: block, p: 0x1000, q: 0x9000, want: false},
		{code: pointers + "st.global.u32 [%rd3], %r1; ld.global.u32 %r2, [%rd4+4]; st.global.u32 [%rd3], %r2;", block: block, p: 0x1000, q: 0x1000, want: true},
	} {
		p := lowered(t, ".entry k(.param .u64 p, .param .u64 q) {\n"+c.code+"\nret; }", false)
		params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, c.p), c.q)
		found := p.Contention(c.block, params)
		if (found != nil) != c.want {
			t.Errorf("%s in blocks of %d, pointers %#x and %#x: %v", c.code, c.block.X, c.p, c.q, found)
		}
		marked := 0
		for pc, at := range found.Of(p.Kernel()) {
			if !at {
				continue
			}
			marked++
			if in := &p.Kernel().Src.Code[pc]; !in.Is(isa.Load) && !in.Is(isa.Store) {
				t.Errorf("%s is no access", in.Mnemonic())
			}
		}
		if c.want != (marked > 1) {
			t.Errorf("%s: %d accesses", c.code, marked)
		}
		if again := p.Contention(c.block, params); again != found {
			t.Errorf("%s: another answer for the same launch", c.code)
		}
	}
}

// TestOldTargetsFlushSubnormals: arithmetic on .f32 of sm_1x flushes, and from PTX 1.5 on so does cvt with 64 bits.
func TestOldTargetsFlushSubnormals(t *testing.T) {
	for _, c := range []struct {
		version, target, code string
		want                  bool
	}{
		{"1.5", "sm_13", "add.f32 %f1, %f2, %f3;", true},
		{"1.5", "sm_13", "add.f64 %fd1, %fd2, %fd3;", false},
		{"1.4", "sm_13", "cvt.f64.f32 %fd1, %f1;", false},
		{"1.5", "sm_13", "cvt.f64.f32 %fd1, %f1;", true},
		{"2.0", "sm_20", "add.f32 %f1, %f2, %f3;", false},
	} {
		p := lowered(t, ".version "+c.version+"\n.target "+c.target+"\n.entry k() {\n"+c.code+"\nret; }", true)
		if got := p.Kernel().Ops[0].Mode&lanes.FTZ != 0; got != c.want {
			t.Errorf("%s of PTX %s for %s flushes: %v", c.code, c.version, c.target, got)
		}
	}
}
