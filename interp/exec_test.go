package interp_test

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// execCase is one instruction of testdata/exec/*.txt with registers before and
// after. In the files an instruction stands at the start of a line; below it,
// indented, registers with their values lane by lane, repeated over 32 lanes;
// then "=>" and the registers that change. "mask M" sets the active lanes, and
// "cc" is the carry flag.
type execCase struct {
	pos    string
	instr  string
	mask   lanes.Mask
	before map[string][]string
	after  map[string][]string
}

func readExecCases(t *testing.T, file string) []execCase {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []execCase
	var regs map[string][]string
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		line, _, _ := strings.Cut(scan.Text(), "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case line[0] != ' ' && line[0] != '\t':
			c := execCase{pos: fmt.Sprintf("%s:%d", filepath.Base(file), n), instr: strings.TrimSpace(line), mask: lanes.AllLanes,
				before: make(map[string][]string), after: make(map[string][]string)}
			cases, regs = append(cases, c), c.before
		case fields[0] == "=>":
			regs = cases[len(cases)-1].after
		case fields[0] == "mask":
			m, err := strconv.ParseUint(fields[1], 0, 32)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			cases[len(cases)-1].mask = lanes.Mask(m)
		default:
			regs[fields[0]] = fields[1:]
		}
	}
	return cases
}

func TestExecLeavesExpectedRegisters(t *testing.T) {
	files, err := filepath.Glob("testdata/exec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	tested := make(map[string]bool)
	for _, file := range files {
		for _, c := range readExecCases(t, file) {
			t.Run(c.pos+" "+c.instr, func(t *testing.T) { tested[c.run(t)] = true })
		}
	}
	for _, s := range isa.Specs() {
		if s.Kind == isa.Compute && !tested[s.Name] {
			t.Errorf("%s has no case in testdata/exec", s.Name)
		}
	}
}

// run executes the case and returns the opcode.
func (c *execCase) run(t *testing.T) string {
	// Registers that the instruction does not name are declared first.
	mod, err := asm.Parse("case", []byte(".entry k() {\n"+c.instr+";\n}"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	one := isa.Dim{X: 1, Y: 1, Z: 1}
	g, err := m.Prepare(interp.Launch{Kernel: "k", Grid: one, Block: one, Precise: true})
	if err != nil {
		t.Fatal(err)
	}
	k := g.Program().Kernel()
	f := warp.New(0, &warp.Shape{Block: isa.Dim{X: 32, Y: 1, Z: 1}, ThreadsPerCTA: 32}, nil).NewFile(k.Layout)
	want := make(map[string][lanes.Width]uint64)
	for _, r := range registers(k) {
		if text := c.before[r.name]; text != nil {
			r.write(t, f, text, lanes.AllLanes)
		}
		want[r.name] = r.read(f)
	}
	// The expected changes are written into the file to be read back, then undone.
	for _, r := range registers(k) {
		if text := c.after[r.name]; text != nil {
			before := r.read(f)
			r.write(t, f, text, c.mask)
			want[r.name] = r.read(f)
			r.set(f, before)
		}
	}
	for _, given := range []map[string][]string{c.before, c.after} {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if _, ok := want[name]; !ok {
				t.Fatalf("the instruction has no %s", name)
			}
		}
	}
	op := &k.Ops[0]
	op.Fn(f, op, op.Active(f, c.mask))
	got := make(map[string][lanes.Width]uint64)
	for _, r := range registers(k) {
		got[r.name] = r.read(f)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("registers after %s (-want +got):\n%s", c.instr, diff)
	}
	return mod.Funcs[0].Code[0].Spec.Name
}

// register is a register of a test's program.
type register struct {
	name string
	typ  isa.Type
	off  uint32
}

func registers(f *program.Func) []register {
	rs := []register{{"cc", isa.Pred, f.Layout.Carry}}
	for id, r := range f.Src.Regs {
		rs = append(rs, register{r.Name, r.Type, f.Layout.Reg(isa.RegID(id))})
	}
	return rs
}

func (r register) read(f *lanes.File) (v [lanes.Width]uint64) {
	for lane := range v {
		switch {
		case r.typ == isa.Pred:
			v[lane] = uint64(*lanes.Pred(f, r.off) >> lane & 1)
		case r.typ.Bits() > 32:
			v[lane] = lanes.Reg[uint64](f, r.off)[lane]
		default:
			v[lane] = uint64(lanes.Reg[uint32](f, r.off)[lane])
		}
	}
	return v
}

func (r register) set(f *lanes.File, v [lanes.Width]uint64) {
	for lane, x := range v {
		switch {
		case r.typ == isa.Pred:
			p := lanes.Pred(f, r.off)
			*p = *p&^(1<<lane) | lanes.Mask(x&1)<<lane
		case r.typ.Bits() > 32:
			lanes.Reg[uint64](f, r.off)[lane] = x
		default:
			lanes.Reg[uint32](f, r.off)[lane] = uint32(x)
		}
	}
}

// write puts the values of text into the lanes of m, repeatedly.
func (r register) write(t *testing.T, f *lanes.File, text []string, m lanes.Mask) {
	v := r.read(f)
	for lane := range v {
		if m>>lane&1 != 0 {
			v[lane] = r.value(t, text[lane%len(text)])
		}
	}
	r.set(f, v)
}

// value reads a number for the register: for a float register one with a
// point, "inf" or "nan" is a value, everything else is bits.
func (r register) value(t *testing.T, s string) uint64 {
	t.Helper()
	if r.typ.Class() == isa.Float && (strings.ContainsAny(s, ".") || strings.Contains(s, "inf")) {
		v, err := strconv.ParseFloat(s, r.typ.Bits())
		if err != nil {
			t.Fatal(err)
		}
		if r.typ == isa.F32 {
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n) & (1<<r.typ.Bits() - 1)
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n & (1<<r.typ.Bits() - 1)
}
