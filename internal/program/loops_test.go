package program

import (
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// TestLoopsCountByRegisters: whether the loop in which a label L is counts, found by looking at the code.
func TestLoopsCountByRegisters(t *testing.T) {
	const funcs = `
.func (.reg .u32 r) leaf(.reg .u32 n) { add.u32 r, n, 1; ret; }
.func (.reg .u32 r) asks() { ld.volatile.global.u32 r, [0]; ret; }
.func (.reg .u32 r) leads() { call (r), asks, (); ret; }
.func (.reg .u32 r) recurs(.reg .u32 n) { call (r), recurs, (n); ret; }
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);`
	for _, c := range []struct {
		name, code   string
		loop, counts bool
	}{
		{"no loop", "L: ret;", false, false},
		{"a counter", "L: add.u32 %r1, %r1, 1; @%p1 bra L;", true, true},
		{"no counter", "L: @%p1 bra L;", true, false},
		{"a load", "L: add.u32 %r1, %r1, 1; ld.global.u32 %r2, [0]; @%p1 bra L;", true, true},
		{"a volatile load", "L: add.u32 %r1, %r1, 1; ld.volatile.global.u32 %r2, [0]; @%p1 bra L;", true, false},
		{"a volatile load behind it", "L: add.u32 %r1, %r1, 1; @%p1 bra L; ld.volatile.global.u32 %r2, [0];", true, true},
		{"an atomic", "L: add.u32 %r1, %r1, 1; atom.global.cas.b32 %r2, [0], 0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", true, false},
		{"an atomic whose result nothing reads", "L: add.u32 %r1, %r1, 1; atom.global.add.u32 %r2, [0], 1; @%p1 bra L;", true, true},
		{"an atomic whose result is read elsewhere", "L: add.u32 %r1, %r1, 1; atom.global.add.u32 %r2, [0], 1; @%p1 bra L; st.global.u32 [0], %r2;", true, false},
		{"a reduction", "L: add.u32 %r1, %r1, 1; red.global.add.u32 [0], 1; @%p1 bra L;", true, true},
		{"a volatile load that nothing reads", "L: add.u32 %r1, %r1, 1; ld.volatile.global.u32 %r2, [0]; @%p1 bra L;", true, false},
		{"a wait at an mbarrier", ".shared .b64 m; L: add.u32 %r1, %r1, 1; mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @%p1 bra L;", true, false},
		{"a call", "L: add.u32 %r1, %r1, 1; call (%r2), leaf, (%r1); @%p1 bra L;", true, true},
		{"a call that changes the counter", "L: add.u32 %r1, %r1, 1; call (%r1), leaf, (%r1); @%p1 bra L;", true, false},
		{"a call of what polls", "L: add.u32 %r1, %r1, 1; call (%r2), asks, (); @%p1 bra L;", true, false},
		{"a call that leads there", "L: add.u32 %r1, %r1, 1; call (%r2), leads, (); @%p1 bra L;", true, false},
		{"a call of itself", "L: add.u32 %r1, %r1, 1; call (%r2), recurs, (%r1); @%p1 bra L;", true, true},
		{"a call of a register", "mov.u64 %rd1, leads; L: add.u32 %r1, %r1, 1; call (%r2), %rd1, (), P; P: .callprototype (.reg .u32 _) _ (); @%p1 bra L;", true, false},
		{"a call of a register that leads to nothing", "mov.u64 %rd1, leaf; L: add.u32 %r1, %r1, 1; call (%r2), %rd1, (%r1), P; P: .callprototype (.reg .u32 _) _ (.reg .u32 _); @%p1 bra L;", true, true},
	} {
		for _, precise := range []bool{false, true} {
			p := lowered(t, ".entry k() {\n"+c.code+"\nret; }"+funcs, precise)
			k := p.Kernel()
			l := p.LoopAt(k, k.Src.Labels[0].PC)
			if (l != nil) != c.loop || l != nil && l.Counts(lanes.NewFile(k.Layout.Bytes()), lanes.AllLanes) != c.counts {
				t.Errorf("%s: %+v, want %v", c.name, l, c.counts)
			}
		}
	}
}

// TestLoopCountsInEachLane: whether a loop counts by steps that registers hold, in the lanes that are in it.
func TestLoopCountsInEachLane(t *testing.T) {
	const low = 0x0000ffff // lanes with the first value
	for _, c := range []struct {
		name, code  string
		first, last uint64 // of %s, in the low lanes and in the others
		m           lanes.Mask
		want        bool
	}{
		{"one step", "add.u32 %a, %a, %s;", 4, 4, lanes.AllLanes, true},
		{"several", "add.u32 %a, %a, %s;", 4, 6, lanes.AllLanes, true},
		{"0", "add.u32 %a, %a, %s;", 0, 0, lanes.AllLanes, false},
		{"0 in some lanes", "add.u32 %a, %a, %s;", 4, 0, lanes.AllLanes, false},
		{"0 in other lanes", "add.u32 %a, %a, %s;", 4, 0, low, true},
		{"no lanes", "add.u32 %a, %a, %s;", 0, 0, 0, true},
		{"2^18", "add.u32 %a, %a, %s;", 1 << 18, 3 << 18, lanes.AllLanes, true},
		{"2^19", "add.u32 %a, %a, %s;", 1 << 19, 1, lanes.AllLanes, false},
		{"a product of 2^18", "mad.lo.u32 %a, %s, %s, %a;", 1 << 9, 1, lanes.AllLanes, true},
		{"a product of 2^20", "mad.lo.u32 %a, %s, %s, %a;", 1 << 10, 1, lanes.AllLanes, false},
		{"2^32", "cvt.u64.u32 %v, %a; add.u64 %v, %v, %w; cvt.u32.u64 %a, %v;", 1 << 32, 1 << 32, lanes.AllLanes, false},
		{"2^32 and 1", "cvt.u64.u32 %v, %a; add.u64 %v, %v, %w; cvt.u32.u64 %a, %v;", 1<<32 | 1, 1, lanes.AllLanes, true},
	} {
		src := ".entry k() { .reg .u32 %a, %s, %n; .reg .u64 %v, %w; .reg .pred %p; ld.global.u32 %n, [0]; mov.u32 %s, %n; cvt.u64.u32 %w, %n; L: " + c.code + " @%p bra L; st.global.u64 [0], %w; st.global.u32 [0], %s; ret; }"
		for _, precise := range []bool{false, true} {
			p := lowered(t, src, precise)
			k := p.Kernel()
			file := lanes.NewFile(k.Layout.Bytes())
			for id, r := range k.Src.Regs {
				for lane := range lanes.Width {
					v := c.first
					if low>>lane&1 == 0 {
						v = c.last
					}
					switch r.Name {
					case "%s":
						lanes.Reg[uint32](file, k.Layout.regs[id])[lane] = uint32(v)
					case "%w":
						lanes.Reg[uint64](file, k.Layout.regs[id])[lane] = v
					}
				}
			}
			if got := p.LoopAt(k, k.Src.Labels[0].PC).Counts(file, c.m); got != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestPollingLoopsAreFound: whether lanes at a label L may come to wait for others, found by looking at the code.
func TestPollingLoopsAreFound(t *testing.T) {
	const poll = "ld.volatile.global.u32 %r2, [0]; setp.eq.u32 %p1, %r2, 0;"
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"no loop", "L: " + poll, false},
		{"a loop", "L: " + poll + "@%p1 bra L;", true},
		{"before it", "L: mov.u32 %r1, 1; N: " + poll + "@%p1 bra N;", true},
		{"behind it", "N: " + poll + "@%p1 bra N; L: mov.u32 %r1, 1;", false},
		{"a loop that does not", "N: " + poll + "@%p2 bra N; L: add.u32 %r1, %r1, 1; @%p1 bra L;", false},
		{"a loop around it", "N: " + poll + "L: add.u32 %r1, %r1, 1; @%p1 bra L; @%p2 bra N;", true},
		{"a plain load", "L: ld.global.u32 %r2, [0]; @%p1 bra L;", false},
		{"a reduction", "L: red.global.add.u32 [0], 1; @%p1 bra L;", false},
		{"a call of what polls", "L: call (%r2), asks, (); @%p1 bra L;", true},
		{"on the other side", "@%p1 bra N; L: ret; N: " + poll + "@%p1 bra N;", false},
	} {
		p := lowered(t, ".entry k() {\n"+c.code+"\nret; }\n.func (.reg .u32 r) asks() { ld.volatile.global.u32 r, [0]; ret; }", false)
		k := p.Kernel()
		for _, l := range k.Src.Labels {
			if l.Name == "L" && p.MayPoll(k, l.PC) != c.want {
				t.Errorf("%s: want %v", c.name, c.want)
			}
		}
		for _, f := range p.Funcs {
			if f != k && !p.MayPoll(f, 0) {
				t.Errorf("%s: a function that is called cannot wait", c.name)
			}
		}
	}
}
