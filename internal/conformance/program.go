package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

const maxInstrs = 60

// RandomCode returns input for Decode that depends on the seed only.
func RandomCode(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	var code []byte
	for range 1 + seed%maxInstrs {
		code = binary.LittleEndian.AppendUint64(code, r.Uint64())
	}
	return code
}

// Program is a straight-line sequence of instructions, of any forms that have an evaluator, and the initial state of
// the lanes.
type Program struct {
	code  []instruction
	lanes []laneState
}

// Decode makes a program of bytes: seed determines the contents of registers and memory, and code has eight bytes for
// each instruction.
func Decode(seed uint64, code []byte) *Program {
	p := &Program{}
	wholeWarps := false
	for record := range slices.Chunk(code[:min(len(code)/8, maxInstrs)*8], 8) {
		in := decodeInstruction(binary.LittleEndian.Uint64(record))
		wholeWarps = wholeWarps || in.warp != nil && !in.maskable()
		p.code = append(p.code, in)
	}
	threads := []int{32, 32, 64, 45}[rand.New(rand.NewPCG(seed, 5)).IntN(4)]
	if wholeWarps {
		threads = (threads + 31) / 32 * 32
	}
	p.lanes = randomLanes(threads, rand.New(rand.NewPCG(seed, 6)))
	return p
}

// RandomState returns the initial buffers of a launch of a program with that seed.
func RandomState(seed uint64, threads int) []byte {
	var state []byte
	for _, l := range randomLanes(threads, rand.New(rand.NewPCG(seed, 6))) {
		state = l.appendTo(state)
	}
	return state
}

// decodeInstruction takes the opcode from the low byte and its form from the
// next two; the other bytes choose the operands.
func decodeInstruction(record uint64) instruction {
	groups := allPatterns()
	group := groups[int(record&0xff)%len(groups)]
	pat := &group[int(record>>8&0xffff)%len(group)]
	r := rand.New(rand.NewPCG(record>>24, 6))
	in := instruction{pattern: pat, guard: -1}
	if (pat.warp == nil || pat.maskable()) && r.IntN(2) == 0 {
		preds := pools[1]
		in.guard, in.complement = preds[r.IntN(len(preds))], r.IntN(2) == 0
	}
	for i, d := range pat.dst {
		reg := chooseResult(d, in.dst, r)
		if canDiscard(pat, i, in.dst) && r.IntN(8) == 0 {
			reg = sink
		}
		in.dst = append(in.dst, reg)
	}
	for _, s := range pat.specimen.src {
		in.src = append(in.src, chooseSource(pat, s, r))
	}
	if pat.access != nil {
		in.at = r.IntN(scratchBytes/in.size()) * in.size()
	}
	return in
}

// canDiscard reports whether the pattern's result i can be _: of loads, setp and mov, any result if there is another
// one.
func canDiscard(pat *pattern, i int, earlier []int) bool {
	last := i+1 == len(pat.dst)
	switch {
	case pat.dst[i].isCarry():
		return false
	case pat.op == "atom":
		return true
	case pat.op == "ld", pat.op == "setp", pat.op == "mov":
		return !last || slices.ContainsFunc(earlier, func(reg int) bool { return reg != sink })
	}
	return i > 0
}

// chooseResult returns a register that is not a result yet.
func chooseResult(d operand, taken []int, r *rand.Rand) int {
	if d.isCarry() {
		return carryRegister()
	}
	of := pools[registerBits(d)]
	for {
		if reg := of[r.IntN(len(of))]; !slices.Contains(taken, reg) {
			return reg
		}
	}
}

func chooseSource(pat *pattern, s operand, r *rand.Rand) argument {
	if s.isCarry() {
		return argument{reg: carryRegister()}
	}
	if pat.constants && hasConstants(s.typ) && r.IntN(4) == 0 {
		return argument{reg: -1, constant: someValue(s.typ, r)}
	}
	of := pools[registerBits(s)]
	return argument{reg: of[r.IntN(len(of))]}
}

// registerBits is the width of the register for an operand.
func registerBits(o operand) int {
	if o.isPred() {
		return 1
	}
	return o.width()
}

// hasConstants reports whether constants of the type can be written.
func hasConstants(typ string) bool {
	switch typ {
	case "pred", "f16", "f16x2", "bf16", "bf16x2", "f32x2", "b8", "u8", "s8":
		return false
	}
	return true
}

// typesOfBits are the types of the initial contents of registers.
var typesOfBits = map[int][]string{
	0:  {carry},
	1:  {"pred"},
	8:  {"u8"},
	16: {"u16", "f16"},
	32: {"u32", "f32", "f16x2", count, selector, bitOffset},
	64: {"u64", "f64"},
}

// edgesOf caches edges, which take long to compute.
var edgesOf = func() func(typ string) []uint64 {
	known := sync.OnceValue(func() map[string][]uint64 {
		all := make(map[string][]uint64)
		for typ := range typeBits {
			all[typ] = edges(typ)
		}
		for _, typ := range []string{count, selector, carry, bitOffset} {
			all[typ] = edges(typ)
		}
		return all
	})
	return func(typ string) []uint64 { return known()[typ] }
}()

// randomLanes have edges and random values; some registers are the same in all lanes, for instructions that compare
// lanes.
func randomLanes(threads int, r *rand.Rand) []laneState {
	lanes := make([]laneState, threads)
	for _, reg := range registers {
		types := typesOfBits[reg.bits]
		typ, uniform := types[r.IntN(len(types))], r.IntN(6) == 0
		for i := range lanes {
			v := someValue(typ, r)
			if uniform && i > 0 {
				v = lanes[0].regs[len(lanes[0].regs)-1]
			}
			lanes[i].regs = append(lanes[i].regs, v)
		}
	}
	for i := range lanes {
		for space := range numScratches {
			memory := lanes[i].memory[space][:]
			for at := 0; at < len(memory); at += 8 {
				typ := []string{"u8", "f16x2", "f32", "f64", "u64"}[r.IntN(5)]
				binary.LittleEndian.PutUint64(memory[at:], someValue(typ, r)|someValue(typ, r)<<typeBits[typ])
			}
		}
	}
	return lanes
}

// Shrink drops instructions as long as the program still fails.
func (p *Program) Shrink(run Run) {
	for dropped := true; dropped; {
		dropped = false
		for i := len(p.code) - 1; i >= 0; i-- {
			less := Program{slices.Delete(slices.Clone(p.code), i, i+1), p.lanes}
			if less.Try(run) != nil {
				p.code, dropped = less.code, true
			}
		}
	}
}

// String returns the instructions as PTX.
func (p *Program) String() string {
	var b strings.Builder
	for i := range p.code {
		fmt.Fprintf(&b, "\t%s\n", p.code[i].String())
	}
	return b.String()
}

// Launch returns the launch of the program, which stores every register and all memory of each lane in the second of
// its two buffers.
func (p *Program) Launch() Launch {
	var before []byte
	for i := range p.lanes {
		before = p.lanes[i].appendTo(before)
	}
	tr := trial{src: Kernel(p.String(), len(p.lanes)), block: dim(uint32(len(p.lanes)), 1), buffers: [][]byte{before, before}}
	return tr.launch()
}

// Try executes the program by run and, one lane at a time, here, and compares every register and all memory at the
// end. The error names the first difference, and the values from which it was computed.
func (p *Program) Try(run Run) error {
	result, err := run(p.Launch())
	if err != nil {
		return err
	}
	want := make([]laneState, len(p.lanes))
	for i := range p.lanes {
		want[i] = p.lanes[i].clone()
	}
	for i := range p.code {
		p.code[i].execute(want)
	}
	for lane := range want {
		if diff := want[lane].compare(result.Buffers[1][lane*laneBytes():]); diff != "" {
			return fmt.Errorf("lane %d: %s\n\n%s", lane, diff, p.before(lane))
		}
	}
	return nil
}

// before returns the initial values of the registers that the program uses, and of the scratch memory, in a lane.
func (p *Program) before(lane int) string {
	used := make([]bool, len(registers))
	spaces := make([]bool, numScratches)
	for _, in := range p.code {
		for _, s := range in.src {
			if s.reg >= 0 {
				used[s.reg] = true
			}
		}
		for _, reg := range in.dst {
			if reg != sink {
				used[reg] = true
			}
		}
		if in.guard >= 0 {
			used[in.guard] = true
		}
		if in.access != nil {
			spaces[in.space] = true
		}
	}
	var b strings.Builder
	for i, reg := range registers {
		if used[i] {
			fmt.Fprintf(&b, "\t// %s = %#x\n", reg.name, p.lanes[lane].regs[i])
		}
	}
	for space, name := range scratchSpaces {
		if spaces[space] {
			fmt.Fprintf(&b, "\t// %s memory = %x\n", name, p.lanes[lane].memory[space])
		}
	}
	return b.String()
}
