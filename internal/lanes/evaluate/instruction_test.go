package evaluate

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"golang.org/x/sys/cpu"
)

// encodings are the encodings that package jit compares with those of LLVM: every form of every instruction that it can
// write, at every length.
const encodings = "../jit/testdata/encodings.txt"

// corpus returns the instructions of encodings.
func corpus(t *testing.T) (all []instruction) {
	data, err := os.ReadFile(encodings)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		text, code, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		b, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		in, ok := jit.Decode(b)
		if !ok {
			t.Fatalf("%s is not decoded", text)
		}
		all = append(all, instruction{in, b})
	}
	return all
}

type instruction struct {
	jit.Instr
	code []byte
}

// approximations differ between CPUs. No code uses them.
var approximations = map[string]bool{
	"vrcpps": true, "vrsqrtps": true, "vrcp14ps": true, "vrcp14pd": true, "vrsqrt14ps": true, "vrsqrt14pd": true,
}

// TestEveryInstructionIsEvaluated ranges over all that the encoder can write.
func TestEveryInstructionIsEvaluated(t *testing.T) {
	for _, in := range corpus(t) {
		if known := evaluationOf(&in.Instr) != nil; known == approximations[in.Name] {
			t.Errorf("%v: evaluated: %t", &in.Instr, known)
		}
	}
}

// TestEvaluationMatchesCPU executes every instruction on random and special operands, on the CPU and by evaluation.
// Registers, flags, MXCSR and memory must be the same.
func TestEvaluationMatchesCPU(t *testing.T) {
	level := jit.Best()
	if level == jit.None {
		t.Skip(jit.Lacks(jit.AVX2))
	}
	m := newMachine(level)
	var all []*trial
	for _, in := range corpus(t) {
		if in.isTried(level) && in.isSupported() {
			begin, end := m.add(in.code)
			all = append(all, &trial{instruction: in, machine: m, begin: begin, end: end})
		}
	}
	m.place(t)
	trials := 10
	if testing.Short() {
		trials = 2
	}
	arena := newArena()
	for n, tr := range all {
		for i := range trials {
			tr.rand = rand.New(rand.NewPCG(uint64(n), uint64(i)))
			if diff := tr.try(t, arena); diff != "" {
				t.Errorf("%v, trial %d: %s", &tr.Instr, i, diff)
				break
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite testdata/results.txt")

// TestResultsAreThoseOfCPU compares a hash of the results of each operation with one in testdata, made where
// TestEvaluationMatchesCPU passes: so hosts without the instructions test them, too. Operations on memory are left out,
// because addresses differ from run to run.
func TestResultsAreThoseOfCPU(t *testing.T) {
	const trials = 3
	sums, names := make(map[string]hash.Hash64), []string(nil)
	m := &machine{level: jit.AVX512, state: new(state)}
	for n, in := range corpus(t) {
		if !in.isTried(jit.AVX512) || slices.ContainsFunc(in.Args, func(a jit.Arg) bool { return a.Kind >= jit.Memory && a.Kind <= jit.Elements }) {
			continue
		}
		h := sums[in.Name]
		if h == nil {
			h = fnv.New64a()
			sums[in.Name], names = h, append(names, in.Name)
		}
		for i := range trials {
			tr := &trial{instruction: in, machine: m, rand: rand.New(rand.NewPCG(uint64(n), uint64(i)))}
			tr.choose(m.state, nil)
			var c CPU
			tr.enter(&c, m.state)
			if err := tr.evaluate(&c); err != nil {
				fmt.Fprint(h, err)
			}
			fmt.Fprint(h, c.general, c.masks, c.vectors, c.flags, c.control)
		}
	}
	slices.Sort(names)
	var got strings.Builder
	for _, name := range names {
		fmt.Fprintf(&got, "%s %016x\n", name, sums[name].Sum64())
	}
	const file = "testdata/results.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("hashes of results (-%s +evaluated):\n%s", file, diff)
	}
}

// isTried reports whether an instruction can be executed alone, on a CPU of a level.
func (in *instruction) isTried(level jit.Level) bool {
	if approximations[in.Name] || in.needsAVX512() && level < jit.AVX512 {
		return false
	}
	switch in.Name {
	case "jmp", "call", "ret", "int3":
		return false
	}
	for i := range in.Args {
		a := &in.Args[i]
		if a.Kind == jit.Memory && a.Mem.Base == jit.NoReg || a.Kind == jit.Distance {
			return false
		}
	}
	return true
}

// isSupported reports whether the CPU has an instruction that is not part of a level.
func (in *instruction) isSupported() bool {
	switch in.Name {
	case "vpopcntd", "vpopcntq":
		return cpu.X86.HasAVX512VPOPCNTDQ
	case "vpdpbusd":
		level := jit.AVX2
		if in.needsAVX512() {
			level = jit.AVX512
		}
		return jit.HasDots(level)
	}
	return true
}

// needsAVX512 reports whether an instruction has an EVEX prefix, or mask registers.
func (in *instruction) needsAVX512() bool {
	const evex = 0x62
	masks := func(a jit.Arg) bool { return a.Kind == jit.Masks }
	return in.code[0] == evex || slices.ContainsFunc(in.Args, masks)
}

// arena is memory that instructions access around its middle.
type arena struct{ data []byte }

const arenaBytes = 1024

func newArena() *arena {
	raw := make([]byte, arenaBytes+64)
	at := -uintptr(unsafe.Pointer(&raw[0])) % 64
	return &arena{raw[at:][:arenaBytes]}
}

func (a *arena) middle() uint64 { return uint64(uintptr(unsafe.Pointer(&a.data[arenaBytes/2]))) }

// trial is an instruction on operands.
type trial struct {
	instruction
	machine *machine
	begin   int // offset of the code that executes it
	end     int // offset of the end of the instruction
	rand    *rand.Rand
}

// try executes the instruction both ways, and returns what differs.
func (tr *trial) try(t *testing.T, a *arena) string {
	s := tr.machine.state
	tr.choose(s, a)
	if tr.machine.level < jit.AVX512 {
		s.masks = [8]uint64{}
		for i := range s.vectors {
			clear(s.vectors[i][4:])
		}
	}
	before, memory := *s, bytes.Clone(a.data)
	var c CPU
	tr.enter(&c, s)
	if err := tr.evaluate(&c); err != nil {
		if strings.HasSuffix(err.Error(), "divide error") {
			return ""
		}
		return err.Error()
	}
	evaluated := bytes.Clone(a.data)
	copy(a.data, memory)
	tr.machine.execute(tr.begin)
	return tr.difference(&c, s, &before, evaluated, a.data)
}

// enter sets the registers of a CPU.
func (tr *trial) enter(c *CPU, s *state) {
	c.general, c.masks, c.vectors, c.control = s.general, s.masks, s.vectors, s.control
	c.flags = flagsOf(s.flags)
	if tr.machine.placed != nil {
		c.next = tr.machine.placed.Addr(tr.end)
	}
}

// The bits of RFLAGS.
const (
	carryBit, parityBit, zeroBit, signBit, overflowBit = 1 << 0, 1 << 2, 1 << 6, 1 << 7, 1 << 11
	flagBits                                           = carryBit | parityBit | zeroBit | signBit | overflowBit
)

func flagsOf(bits uint64) flags {
	return flags{bits&carryBit != 0, bits&zeroBit != 0, bits&signBit != 0, bits&overflowBit != 0, bits&parityBit != 0}
}

// evaluate evaluates the instruction.
func (tr *trial) evaluate(c *CPU) (err error) {
	s, err := decode(tr.code, 0)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = failure(r, s, 0)
		}
	}()
	s.evaluate(c, s)
	return nil
}

// difference compares what the CPU and the evaluation have made.
func (tr *trial) difference(c *CPU, s, before *state, evaluated, memory []byte) string {
	for i := range s.general {
		if s.general[i] != c.general[i] {
			return fmt.Sprintf("register %d: CPU %#x, evaluated %#x%s", i, s.general[i], c.general[i], tr.operands(before))
		}
	}
	for i := range s.masks {
		if s.masks[i] != c.masks[i] {
			return fmt.Sprintf("k%d: CPU %#x, evaluated %#x%s", i, s.masks[i], c.masks[i], tr.operands(before))
		}
	}
	for i := range s.vectors {
		if s.vectors[i] != c.vectors[i] {
			return fmt.Sprintf("vector %d, before\n%08x, CPU\n%08x, evaluated\n%08x%s", i, words(&before.vectors[i]), words(&s.vectors[i]), words(&c.vectors[i]), tr.operands(before))
		}
	}
	mask := tr.definedFlags(before)
	if cpu, own := flagsOf(s.flags&mask), flagsOf(c.flags.bits()&mask); cpu != own {
		return fmt.Sprintf("flags: CPU %+v, evaluated %+v%s", cpu, own, tr.operands(before))
	}
	if s.control&^0x3f != c.control {
		return fmt.Sprintf("MXCSR: CPU %#x, evaluated %#x", s.control, c.control)
	}
	if !bytes.Equal(evaluated, memory) {
		return fmt.Sprintf("memory: CPU\n%x, evaluated\n%x%s", memory, evaluated, tr.operands(before))
	}
	return ""
}

func words(v *vec) []uint32 { return view[uint32](v) }

// operands lists the operands before the instruction.
func (tr *trial) operands(s *state) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nMXCSR %#x, k%d %#x", s.control, tr.Mask, s.masks[tr.Mask])
	for _, a := range tr.Args {
		switch a.Kind {
		case jit.Vector:
			fmt.Fprintf(&b, "\nvector %d: %08x", a.Number, words(&s.vectors[a.Number]))
		case jit.General:
			fmt.Fprintf(&b, "\nregister %d: %#x", a.Number, s.general[a.Number])
		}
	}
	return b.String()
}

// bits are the flags as in RFLAGS.
func (f flags) bits() uint64 {
	return bit(f.carry)*carryBit | bit(f.zero)*zeroBit | bit(f.sign)*signBit | bit(f.overflow)*overflowBit | bit(f.parity)*parityBit
}

// definedFlags are the flags that the instruction defines or keeps.
func (tr *trial) definedFlags(s *state) uint64 {
	switch tr.Name {
	case "mul", "imul":
		return carryBit | overflowBit
	case "div", "idiv":
		return 0
	case "tzcnt", "lzcnt":
		return carryBit | zeroBit
	case "blsr":
		return flagBits &^ parityBit
	case "rol", "ror", "shl", "shr", "sar":
		a := &tr.Args[1]
		n := uint64(a.Value)
		if a.Kind == jit.General {
			n = s.general[jit.RCX]
		}
		size := uint64(8) << tr.Args[0].Log
		n &= max(size, 32) - 1
		switch {
		case n <= 1:
			return flagBits
		case n >= size && tr.Name[0] == 's' && tr.Name != "sar":
			return flagBits &^ (overflowBit | carryBit)
		}
		return flagBits &^ overflowBit
	}
	return flagBits
}

// choose gives registers and memory values.
func (tr *trial) choose(s *state, a *arena) {
	r := tr.rand
	for i := range s.general {
		s.general[i] = special(r, 64)
	}
	for i := range s.masks {
		s.masks[i] = r.Uint64()
		if r.IntN(4) == 0 {
			s.masks[i] = uint64(-r.IntN(2))
		}
	}
	width := tr.width()
	for i := range s.vectors {
		if tr.uses(i) {
			fillSpecial(r, unsafe.Slice((*byte)(unsafe.Pointer(&s.vectors[i])), unsafe.Sizeof(vec{})), width)
		}
	}
	if tr.uses(inMemory) {
		fillSpecial(r, a.data, width)
	}
	s.flags = r.Uint64()&flagBits | 2
	s.control = defaultControl
	if r.IntN(2) == 0 {
		s.control |= r.Uint32() & (3<<13 | 1<<6 | 1<<15)
	}
	for i := range tr.Args {
		tr.aim(s, a, &tr.Args[i])
	}
}

// inMemory stands for a memory operand, in place of the number of a vector.
const inMemory = -1

// uses reports whether an operand is a vector, or memory. The others keep the values of an earlier instruction.
func (tr *trial) uses(vector int) bool {
	return slices.ContainsFunc(tr.Args, func(a jit.Arg) bool {
		switch a.Kind {
		case jit.Vector:
			return int(a.Number) == vector
		case jit.Memory, jit.Elements:
			return vector == inMemory || a.Kind == jit.Elements && int(a.Number) == vector
		}
		return false
	})
}

// width is the width of the values that matter most.
func (tr *trial) width() int {
	switch {
	case strings.HasSuffix(tr.Name, "ps"), strings.Contains(tr.Name, "ps2"):
		return 32
	case strings.HasSuffix(tr.Name, "pd"), strings.Contains(tr.Name, "pd2"):
		return 64
	case strings.Contains(tr.Name, "ph2"):
		return 16
	}
	return 8 << tr.rand.IntN(4)
}

// aim makes the address of a memory operand one in the arena.
func (tr *trial) aim(s *state, a *arena, arg *jit.Arg) {
	if arg.Kind != jit.Memory && arg.Kind != jit.Elements {
		return
	}
	r := tr.rand
	at := a.middle()
	if !tr.isAligned() {
		at += uint64(r.IntN(64))
	}
	if tr.Name == "ldmxcsr" {
		*(*uint32)(pointer(at)) = defaultControl | r.Uint32()&(3<<13|1<<6|1<<15|0x3f)
	}
	if arg.Kind == jit.Elements {
		tr.aimElements(s, arg)
	}
	at -= uint64(int64(arg.Mem.Disp))
	if arg.Kind == jit.Memory && arg.Mem.Scale != 0 {
		at -= s.general[arg.Mem.Index] * uint64(arg.Mem.Scale)
	}
	s.general[arg.Mem.Base] = at
}

// aimElements makes the indices of a gather or scatter small.
func (tr *trial) aimElements(s *state, arg *jit.Arg) {
	v := &s.vectors[arg.Number]
	limit := arenaBytes / 4 / int(arg.Mem.Scale)
	for i := range v {
		index := int64(tr.rand.IntN(2*limit) - limit)
		if tr.Name[len(tr.Name)-2] == 'd' { // of 32 bits
			high := int64(tr.rand.IntN(2*limit) - limit)
			index = high<<32 | index&0xffffffff
		}
		v[i] = uint64(index)
	}
}

// isAligned reports whether the CPU wants multiples of the operand's size.
func (tr *trial) isAligned() bool {
	return tr.Lock || tr.Name == "xchg" || strings.HasPrefix(tr.Name, "vmovdqa") || strings.HasPrefix(tr.Name, "vmovap")
}

// fillSpecial fills memory with values of a width, or for some of it with random bits.
func fillSpecial(r *rand.Rand, b []byte, width int) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	if r.IntN(8) == 0 {
		return
	}
	if r.IntN(8) == 0 {
		width = 8 << r.IntN(4)
	}
	for at := 0; at < len(b); at += width / 8 {
		v := special(r, width)
		for i := range width / 8 {
			b[at+i] = byte(v >> (8 * i))
		}
	}
}

// special is a number of a width: often one at which operations have special results.
func special(r *rand.Rand, width int) uint64 {
	ones := ^uint64(0) >> (64 - width)
	switch r.IntN(4) {
	case 0:
		return r.Uint64() & ones
	case 1:
		all := []uint64{0, 1, 2, 3, 7, 31, 32, 63, 64, 1 << (width - 1), 1<<(width-1) - 1, ones, ones - 1}
		return all[r.IntN(len(all))] & ones
	}
	switch width {
	case 16:
		return specialFloat(r, binary16)
	case 32:
		return specialFloat(r, binary32)
	case 64:
		return specialFloat(r, binary64)
	}
	return r.Uint64() & ones
}

// specialFloat is a floating-point number: a limit of a format or next to one, NaN, subnormal, an integer or a half,
// or one that has few bits.
func specialFloat(r *rand.Rand, f format) uint64 {
	one := uint64(f.bias()) << f.fraction
	v := uint64(0)
	switch r.IntN(9) {
	case 0:
		all := []uint64{0, 1, f.infinity(), f.infinity() - 1, f.infinity() | f.quietBit(), f.infinity() + 1, 1 << f.fraction, 1<<f.fraction - 1, one, one - 1, one + 1}
		v = all[r.IntN(len(all))]
	case 1: // NaN, with any payload
		v = f.infinity() | r.Uint64()&(1<<f.fraction-1)
	case 2: // subnormal
		v = r.Uint64() & (1<<f.fraction - 1) >> r.IntN(f.fraction)
	case 3: // at the limits of integers, and halves
		n := float64(r.IntN(9)-4)/2 + math.Ldexp(float64(r.IntN(2)), []int{7, 8, 15, 16, 31, 32, 63, 64}[r.IntN(8)])
		return f.from(mode{}, binary64, math.Float64bits(n))
	case 4: // small exponents
		v = one + uint64(r.IntN(80)-40)<<f.fraction + r.Uint64()&(1<<f.fraction-1)
	case 5: // few bits
		v = one + uint64(r.IntN(40)-20)<<f.fraction + uint64(r.IntN(16))<<(f.fraction-4)
	case 6: // near the least normal number
		v = uint64(r.IntN(30))<<f.fraction + r.Uint64()&(1<<f.fraction-1)
	case 7: // near the root of that
		v = one/2 + uint64(r.IntN(30)-15)<<f.fraction + r.Uint64()&(1<<f.fraction-1)
	default: // near the greatest number
		v = f.infinity() - uint64(r.IntN(60))<<f.fraction + r.Uint64()&(1<<f.fraction-1)
	}
	return v&^f.signBit() | uint64(r.IntN(2))<<(f.width-1)
}
