package conformance

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// register is a register of random programs.
type register struct {
	name string
	bits int
}

// registers are few, so that values flow between instructions, but enough for the longest vector. The carry flag is
// the last.
var registers = func() []register {
	var all []register
	for _, pool := range []struct {
		letter      string
		bits, count int
	}{{"p", 1, 4}, {"b", 8, 8}, {"h", 16, 9}, {"r", 32, 10}, {"d", 64, 9}} {
		for i := range pool.count {
			all = append(all, register{fmt.Sprint("%", pool.letter, i), pool.bits})
		}
	}
	return append(all, register{"the carry flag", 0})
}()

// sink instead of a register discards the result.
const sink = -1

func carryRegister() int { return len(registers) - 1 }

// pools are the registers by their bits.
var pools = func() map[int][]int {
	of := make(map[int][]int)
	for i, reg := range registers {
		of[reg.bits] = append(of[reg.bits], i)
	}
	return of
}()

// Every lane has its own scratch memory in three spaces.
const (
	globalScratch = iota
	sharedScratch
	localScratch
	numScratches

	scratchBytes = 32 // the longest vector
)

var scratchSpaces = [numScratches]string{"global", "shared", "local"}

// laneState is the state of one lane that a random program can change.
type laneState struct {
	frame
	memory [numScratches][scratchBytes]byte
	at     int    // where the lane waits, in a structured program; it executes only at here
	extra  []byte // see Structured.extra
}

func (l laneState) clone() laneState {
	l.regs = slices.Clone(l.regs)
	return l
}

// argument is a register, or a constant if reg is negative.
type argument struct {
	reg      int
	constant uint64
}

// instruction is a pattern with operands.
type instruction struct {
	*pattern
	guard      int // a predicate register, or -1
	complement bool
	dst        []int // registers, or sink
	src        []argument
	at         int    // in the scratch memory
	by         string // register with an address there, if it is not base's
}

// execute executes the instruction on lanes, separately for each lane unless it combines the lanes of a warp.
func (in *instruction) execute(lanes []laneState) {
	if in.warp != nil {
		for warp := range slices.Chunk(lanes, 32) {
			in.executeTogether(warp)
		}
		return
	}
	for i := range lanes {
		l := &lanes[i]
		if !in.active(l) {
			continue
		}
		s := in.sources(l)
		if in.access != nil {
			in.write(l, in.access.execute(l.memory[in.space][in.at:], s, in.space, in.width()))
		} else {
			in.write(l, in.eval(s))
		}
	}
}

// active reports whether the lane executes the instruction.
func (in *instruction) active(l *laneState) bool {
	return l.at == here && (in.guard < 0 || (l.regs[in.guard] == 1) != in.complement)
}

// executeTogether executes the instruction on the lanes of one warp.
func (in *instruction) executeTogether(warp []laneState) {
	all, some := make([][]uint64, 32), false
	for i := range warp {
		if in.active(&warp[i]) {
			all[i], some = in.sources(&warp[i]), true
		}
	}
	if !some {
		return
	}
	results := in.specimen.warp(all)
	for i := range warp {
		if all[i] != nil {
			in.write(&warp[i], results[i])
		}
	}
}

// sources returns the low bits of the registers, as many as the types have.
func (in *instruction) sources(l *laneState) []uint64 {
	s := make([]uint64, len(in.src))
	for k, src := range in.src {
		s[k] = src.constant
		if src.reg >= 0 {
			s[k] = truncate(l.regs[src.reg], operandBits(in.specimen.src[k].typ))
		}
	}
	return s
}

func (in *instruction) write(l *laneState, results []uint64) {
	for k, reg := range in.dst {
		if reg != sink {
			l.regs[reg] = results[k]
		}
	}
}

// width returns the width of the register that is loaded.
func (in *instruction) width() int {
	if len(in.specimen.dst) == 0 {
		return 0
	}
	return in.specimen.dst[0].width()
}

// execute executes the access to a lane's memory, and returns the value that it loads into registers of a width.
func (a *access) execute(memory []byte, s []uint64, space, width int) []uint64 {
	switch a.op {
	case "ld":
		var loaded []uint64
		for i := range a.elems {
			loaded = append(loaded, a.element(memory, i, width))
		}
		return loaded
	case "st":
		for i, v := range s {
			a.put(memory, i, v)
		}
		return nil
	}
	old := a.element(memory, 0, typeBits[a.typ])
	a.put(memory, 0, a.updated(old, s, space))
	if a.op == "red" {
		return nil
	}
	return one(old)
}

// put stores element i.
func (a *access) put(memory []byte, i int, v uint64) {
	for k := range a.bytes {
		memory[i*a.bytes+k] = byte(v >> (8 * k))
	}
}

// updated returns the new value of an atomic on old.
func (a *access) updated(old uint64, s []uint64, space int) uint64 {
	flush := a.typ == "f32" && space == globalScratch
	d := atomicResult(a.form, a.typ, old, s[0], s[len(s)-1], flush)
	if a.typ == "f64" && a.has("add") && double.isNaN(d) {
		return atomicNaN(old, s[0], space == sharedScratch)
	}
	return d
}

// String returns the instruction as PTX. If it needs a mask of lanes, an instruction before it computes the mask of
// the executing ones.
func (in *instruction) String() string {
	guard := ""
	if in.guard >= 0 {
		guard = "@" + map[bool]string{true: "!"}[in.complement] + registers[in.guard].name + " "
	}
	var results, sources []string
	for _, reg := range in.dst {
		if reg == sink {
			results = append(results, "_")
		} else {
			results = append(results, registers[reg].name)
		}
	}
	for k, s := range in.src {
		if s.reg >= 0 {
			sources = append(sources, registers[s.reg].name)
		} else {
			sources = append(sources, constantText(in.specimen.src[k].typ, s.constant))
		}
	}
	text := strings.ReplaceAll(in.operandText(results, sources), "$a", in.address())
	if all, ok := strings.CutSuffix(text, ", -1"); ok && in.maskable() {
		return fmt.Sprintf("%sactivemask.b32 %%members;\n\t%[1]s%s %s, %%members;", guard, in.text, all)
	}
	return fmt.Sprintf("%s%s %s;", guard, in.text, text)
}

// address returns the place in the scratch memory.
func (in *instruction) address() string {
	if in.access == nil {
		return ""
	}
	return fmt.Sprintf("%s+%d", cmp.Or(in.by, in.base()), in.at)
}

// base is the register that holds the scratch memory's address in the space of the access, or its generic one.
func (in *instruction) base() string {
	if in.access.generic() {
		return "%generic_" + scratchSpaces[in.space]
	}
	return "%" + scratchSpaces[in.space]
}

// size is the number of bytes that an access needs in the scratch memory.
func (in *instruction) size() int { return in.access.elems * in.access.bytes }

// constantText is a constant of the type.
func constantText(typ string, v uint64) string {
	switch typ {
	case "f32":
		return fmt.Sprintf("0f%08X", v)
	case "f64":
		return fmt.Sprintf("0d%016X", v)
	case "s16", "s32", "s64", bitOffset:
		return fmt.Sprint(signExtend(v, operandBits(typ)))
	}
	return fmt.Sprint(v)
}

// someValue returns one of the edges of a type, or a random value.
func someValue(typ string, r *rand.Rand) uint64 {
	if e := edgesOf(typ); r.IntN(2) == 0 {
		return e[r.IntN(len(e))]
	}
	return randomValue(typ, r)
}
