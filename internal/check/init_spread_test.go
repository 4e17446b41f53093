package check_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// spreadRow is the bytes that a lane has in each buffer of a spreadCase: 16 for each register.
const spreadRow = 128

// spreadCase is a kernel of one instruction: lanes load its sources from one buffer, and store its results to another.
type spreadCase struct {
	in      *isa.Instr
	source  string
	control []bool // by source: it says how bits move
	m       *interp.Machine
	l       interp.Launch
	to, of  *memory.Region
}

// newSpreadCase makes the case of an instruction; nil for one with registers that it cannot load.
func newSpreadCase(t *testing.T, text string) *spreadCase {
	const begin = ".entry k(.param .u64 to, .param .u64 of) {\nld.param.u64 %rd900, [to];\nld.param.u64 %rd901, [of];\n" +
		"mov.u32 %r900, %tid.x;\nmad.wide.u32 %rd900, %r900, 128, %rd900;\nmad.wide.u32 %rd901, %r900, 128, %rd901;\n"
	if strings.Contains(text, "%rq") {
		return nil // of 128 bits
	}
	mod, err := asm.Parse("k.s", []byte(begin+text+"\nret;\n}\n"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	fn := mod.Entries()[0]
	c := &spreadCase{in: &fn.Code[len(fn.Code)-2]}
	b, after, known := strings.Builder{}, strings.Builder{}, make(map[isa.RegID]bool)
	b.WriteString(begin)
	results := 0
	for ref := range c.in.Refs {
		reg := fn.Regs[ref.Reg]
		bits := reg.Type.Bits()
		switch {
		case bits == 8 || bits > 64:
			return nil
		case ref.Role.Writes() && bits == 1:
			fmt.Fprintf(&after, "selp.u32 %%r902, 1, 0, %s;\nst.global.u32 [%%rd900+%d], %%r902;\n", reg.Name, 16*results)
		case ref.Role.Writes():
			fmt.Fprintf(&after, "st.global.b%d [%%rd900+%d], %s;\n", bits, 16*results, reg.Name)
		case known[ref.Reg]:
			continue
		default:
			known[ref.Reg] = true
			at := 16 * len(c.control)
			c.control = append(c.control, c.isControl(ref.Reg))
			if bits == 1 {
				fmt.Fprintf(&b, "ld.global.u32 %%r902, [%%rd901+%d];\nand.b32 %%r902, %%r902, 1;\nsetp.ne.u32 %s, %%r902, 0;\n", at, reg.Name)
			} else {
				fmt.Fprintf(&b, "ld.global.b%d %s, [%%rd901+%d];\n", bits, reg.Name, at)
			}
		}
		if ref.Role.Writes() {
			results++
		}
	}
	c.source = b.String() + text + "\n" + after.String() + "ret;\n}\n"
	c.load(t)
	return c
}

func (c *spreadCase) isControl(r isa.RegID) bool {
	for i, formal := range c.in.Spec.Formals() {
		if i < len(c.in.Args) && c.in.Args[i].Kind == isa.RegOperand && c.in.Args[i].Reg == r && strings.IndexByte(c.in.Spec.Spread.Controls, formal.Name) >= 0 {
			return true
		}
	}
	return false
}

func (c *spreadCase) load(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(c.source))
	if err != nil {
		t.Fatalf("%v\n%s", err, c.source)
	}
	if c.m, err = interp.New(mod, interp.Config{Compile: interp.CompileNever}); err != nil {
		t.Fatal(err)
	}
	c.l = interp.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1)}
	for _, to := range []**memory.Region{&c.to, &c.of} {
		if *to, err = c.m.Alloc("", 32*spreadRow); err != nil {
			t.Fatal(err)
		}
		c.l.Params = binary.LittleEndian.AppendUint64(c.l.Params, (*to).Base)
	}
}

// run returns the results for sources with undefined bits, and which of their bits are undefined.
func (c *spreadCase) run(t *testing.T, data, undefined []byte) (results, unwritten []byte) {
	copy(c.of.Data, data)
	clear(c.to.Data)
	c.of.Unwritten, c.to.Unwritten = undefined, make([]byte, len(c.to.Data))
	l := c.l
	if _, err := check.AttachInit(c.m, &l); err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(t.Context(), c.m, l); err != nil {
		t.Fatalf("%v\n%s", err, c.source)
	}
	return append([]byte(nil), c.to.Data...), c.to.Unwritten
}

// spreadMasks returns random undefined bits: of some registers, whole ones, some bytes or some bits. Controls are
// defined if exact is set.
func (c *spreadCase) masks(r *rand.Rand, exact bool) []byte {
	m := make([]byte, 32*spreadRow)
	for at := 0; at < len(m); at += 16 {
		if n := at % spreadRow / 16; n >= len(c.control) || exact && c.control[n] {
			continue
		}
		kind := r.IntN(4)
		for i := range 8 {
			switch {
			case kind == 1, kind == 2 && r.IntN(2) == 0:
				m[at+i] = 0xff
			case kind == 3:
				m[at+i] = byte(r.Uint32())
			}
		}
	}
	return m
}

// spreadValues returns random sources, some of them small.
func spreadValues(r *rand.Rand) []byte {
	data := make([]byte, 32*spreadRow)
	for at := 0; at < len(data); at += 16 {
		v := r.Uint64()
		switch r.IntN(4) {
		case 0:
			v &= 31
		case 1:
			v = uint64(r.Uint32() & r.Uint32())
		}
		binary.LittleEndian.PutUint64(data[at:], v)
	}
	return data
}

// TestUndefinedBitsSpread checks the rules by which undefined bits spread, for typical instructions of every row that
// computes: bits of a result that are said to be defined do not depend on undefined bits of sources. For rows that move
// bits or combine them one by one, bits that are said to be undefined do.
func TestUndefinedBitsSpread(t *testing.T) {
	short.Alternates(t, 0, 3)
	extra := map[string][]string{
		"add": {"add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r1, %r1, %r3;"}, "xor": {"xor.b64 %rd1, %rd2, %rd2;"}, "setp": {"setp.lt.and.s32 %p1, %r1, %r2, %p2;", "setp.ge.or.u32 %p1|%p2, %r1, %r2, !%p3;", "setp.eq.u64 %p1, %rd1, %rd2;", "setp.hi.u32 %p1, %r1, %r2;"},
		"shr": {"shr.s64 %rd1, %rd1, %r1;", "shr.u16 %rs1, %rs2, %r1;"}, "cvt": {"cvt.s64.s32 %rd1, %r1;", "cvt.u16.u32 %rs1, %r1;", "cvt.s32.s8 %r1, %r2;", "cvt.sat.u8.s32 %r1, %r2;"},
		"mad": {"mad.wide.s32 %rd1, %r1, %r2, %rd2;", "mad.hi.u32 %r1, %r2, %r3, %r4;", "mad.lo.s32 %r1, %r1, %r1, %r1;"}, "mul": {"mul.wide.s16 %r1, %rs1, %rs2;", "mul.lo.u64 %rd1, %rd2, 24;"},
		"bfe": {"bfe.s32 %r1, %r2, %r3, %r4;", "bfe.u64 %rd1, %rd2, %r1, %r2;"}, "lop3": {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", "lop3.b32 %r1, %r2, %r3, %r4, 0xe8;"}, "selp": {"selp.b64 %rd1, %rd2, %rd1, %p1;"},
		"mov": {"mov.b64 {%r1, %r2}, %rd1;", "mov.b64 %rd1, {%r1, %r2};", "mov.b32 %r1, {%rs1, %rs2};"}, "prmt": {"prmt.b32 %r1, %r2, %r3, %r1;", "prmt.b32 %r1, %r2, %r3, 0xba98;"}, "not": {"not.pred %p1, %p2;"}, "and": {"and.pred %p1, %p2, !%p3;"},
		"shf": {"shf.l.wrap.b32 %r1, %r2, %r3, %r4;"}, "bfi": {"bfi.b64 %rd1, %rd2, %rd3, %r1, %r2;"}, "set": {"set.lt.u32.s32 %r1, %r2, %r3;"}, "sub": {"sub.s64 %rd1, %rd2, %rd2;", "sub.s32 %r1, 7, %r2;"}, "fma": {"fma.rn.f16x2 %r1, %r2, %r3, %r4;"},
	}
	r, cases := rand.New(rand.NewPCG(7, 7)), 0
	for _, spec := range isa.Specs() {
		if spec.Kind != isa.Compute {
			continue
		}
		for _, text := range append(spec.Examples(), extra[spec.Title()]...) {
			if c := newSpreadCase(t, text); c != nil {
				c.test(t, r)
				cases++
			}
		}
	}
	if cases < 100 {
		t.Errorf("%d cases", cases)
	}
}

// test compares results for several values of the undefined bits.
func (c *spreadCase) test(t *testing.T, r *rand.Rand) {
	rule := c.in.Spec.Spread.Rule
	exact := rule == isa.SpreadMoves || rule == isa.SpreadLogic || rule == isa.SpreadTable
	undefined, same := 0, 0
	for range short.Of(4) {
		data, m := spreadValues(r), c.masks(r, exact)
		first, u := c.run(t, data, m)
		differ := make([]byte, len(first))
		for range 12 {
			other := append([]byte(nil), data...)
			for i := range other {
				other[i] ^= byte(r.Uint32()) & m[i]
			}
			results, _ := c.run(t, other, m)
			for i := range results {
				differ[i] |= results[i] ^ first[i]
			}
		}
		for i := range differ {
			if wrong := differ[i] &^ u[i]; wrong != 0 {
				t.Fatalf("%s\nlane %d, result byte %d: bits %08b depend on undefined ones\n%s", c.source, i/spreadRow, i%spreadRow, wrong, spreadLane(data, m, i/spreadRow))
			}
			for bit := range 8 {
				undefined += int(u[i] >> bit & 1)
				same += int(u[i] &^ differ[i] >> bit & 1)
			}
		}
	}
	if exact && same*10 > undefined {
		t.Errorf("%s\n%d of %d undefined bits depend on nothing", c.source, same, undefined)
	}
}

// spreadLane shows the sources of a lane.
func spreadLane(data, undefined []byte, lane int) string {
	var b strings.Builder
	for k := range 4 {
		at := lane*spreadRow + 16*k
		fmt.Fprintf(&b, "source %d: %016x, undefined %016x\n", k, binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(undefined[at:]))
	}
	return b.String()
}
