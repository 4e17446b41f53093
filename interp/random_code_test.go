package interp_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
)

// flowProgram is a random program with lanes that take different paths. It has its own representation, which is
// printed as PTX for the machine, and executed directly, a lane at a time, for the expected results.
type flowProgram struct {
	seed    uint64
	funcs   []*flowFunc // the kernel first
	ctas    int
	threads int  // of a CTA
	waits   bool // lanes may wait for others
	locks   bool // and spin
}

// flowFunc is a function of such a program.
type flowFunc struct {
	name   string
	code   []flowInstr
	labels []int // PCs by number
}

// flowReg is a register. Every function has all of them; the predicates come last.
type flowReg int

const (
	rPath  flowReg = iota // hash of the way so far
	rFuel                 // loops and calls that the lane may still go into
	rGroup                // lanes that had something in common once
	rLane
	rThread // in the grid; CTAs are flowStride apart
	rScratch
	rMembers // mask of a collective
	rTID     // read-only, as the next three
	rCTA
	rArg0
	rArg1
	rCount // what a lock guards, by the lock's number
	rDone  = rCount + maxLocks
	rPred  = rDone + maxLocks // the first predicate

	numFlowRegs         = rPred + 4
	noReg       flowReg = -1
)

const (
	flowStride = 128 // threads
	keptWords  = 3   // that each thread stores in the end: its first registers
	maxLocks   = 3
)

func (r flowReg) String() string {
	switch {
	case r >= rPred:
		return fmt.Sprintf("%%p%d", int(r-rPred))
	case r >= rDone:
		return fmt.Sprintf("%%done%d", int(r-rDone))
	case r >= rCount:
		return fmt.Sprintf("%%count%d", int(r-rCount))
	}
	return [...]string{"%path", "%fuel", "%group", "%lane", "%thread", "%scratch", "%members", "%tid.x", "%ctaid.x", "%arg0", "%arg1"}[r]
}

// flowInstr is one instruction.
type flowInstr struct {
	kind    flowKind
	op      string  // the opcode
	d, a    flowReg // noReg: none
	b       flowReg // noReg: imm
	imm     uint32
	guard   flowReg // noReg: none
	not     bool
	targets []int // labels of a branch, or the function that is called
	spins   bool  // how often it is executed depends on when other lanes get on
}

type flowKind uint8

const (
	doCompute flowKind = iota
	doAddress          // puts an address where only the text of this program needs it
	doAim              // chooses the function that an indirect call calls
	doBranch           // bra
	doTable            // brx.idx
	doCall             // a function, or the one aimed at
	doReturn
	doExit
	doCollective // a collective of the lanes in rMembers
	doBarrier    // of the CTA
	doLock       // an access to word imm of the locks
	doKeep       // stores a in word imm of the thread's
)

// computations are the operations of kind doCompute, without guards.
var computations = map[string]func(a, b uint32) uint32{
	"mov.u32":     func(_, b uint32) uint32 { return b },
	"add.u32":     func(a, b uint32) uint32 { return a + b },
	"sub.u32":     func(a, b uint32) uint32 { return a - b },
	"mul.lo.u32":  func(a, b uint32) uint32 { return a * b },
	"and.b32":     func(a, b uint32) uint32 { return a & b },
	"xor.b32":     func(a, b uint32) uint32 { return a ^ b },
	"shr.u32":     func(a, b uint32) uint32 { return a >> b },
	"shl.b32":     func(a, b uint32) uint32 { return a << b },
	"setp.lt.u32": func(a, b uint32) uint32 { return truth(a < b) },
	"setp.eq.u32": func(a, b uint32) uint32 { return truth(a == b) },
	"setp.ne.u32": func(a, b uint32) uint32 { return truth(a != b) },
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// lockAccesses are the accesses to a lock's word. They return the new value of d.
var lockAccesses = map[string]func(word *uint32, a uint32) uint32{
	"atom.global.cas.b32":    func(w *uint32, _ uint32) uint32 { old := *w; *w = max(old, 1); return old },
	"atom.global.exch.b32":   func(w *uint32, a uint32) uint32 { old := *w; *w = a; return old },
	"atom.global.add.u32":    func(w *uint32, a uint32) uint32 { old := *w; *w += a; return old },
	"ld.volatile.global.u32": func(w *uint32, _ uint32) uint32 { return *w },
	"st.volatile.global.u32": func(w *uint32, a uint32) uint32 { *w = a; return a },
}

// collectives are the results for one lane of collective operations: arrived is the set of lanes, and a and b are the
// operands.
var collectives = map[string]func(lane int, arrived uint32, a, b *[32]uint32) uint32{
	"vote.sync.ballot.b32": func(_ int, arrived uint32, a, _ *[32]uint32) uint32 {
		return sumOver(arrived, func(l int) uint32 { return a[l] << l })
	},
	"redux.sync.add.u32": func(_ int, arrived uint32, a, _ *[32]uint32) uint32 {
		return sumOver(arrived, func(l int) uint32 { return a[l] })
	},
	"match.any.sync.b32": func(me int, arrived uint32, a, _ *[32]uint32) uint32 {
		return sumOver(arrived, func(l int) uint32 { return truth(a[l] == a[me]) << l })
	},
	"shfl.sync.bfly.b32": func(me int, arrived uint32, a, b *[32]uint32) uint32 {
		if from := me ^ int(b[me]); arrived>>from&1 != 0 {
			return a[from]
		}
		return 0 // PTX leaves it open
	},
	"bar.warp.sync": nil,
}

func sumOver(set uint32, f func(l int) uint32) (sum uint32) {
	for ; set != 0; set &= set - 1 {
		sum += f(bits.TrailingZeros32(set))
	}
	return sum
}

// label makes a label, to be placed later.
func (f *flowFunc) label() int {
	f.labels = append(f.labels, -1)
	return len(f.labels) - 1
}

func (f *flowFunc) place(label int) { f.labels[label] = len(f.code) }

// emit appends an instruction, which may be changed.
func (f *flowFunc) emit(kind flowKind, op string, d, a, b flowReg, imm uint32, targets ...int) *flowInstr {
	f.code = append(f.code, flowInstr{kind: kind, op: op, d: d, a: a, b: b, imm: imm, guard: noReg, targets: targets})
	return &f.code[len(f.code)-1]
}

func (in *flowInstr) when(p flowReg, holds bool) *flowInstr {
	in.guard, in.not = p, !holds
	return in
}

// fallsOn reports whether lanes may continue after the instruction.
func (in *flowInstr) fallsOn() bool {
	return in.guard != noReg || in.kind != doBranch && in.kind != doTable && in.kind != doReturn && in.kind != doExit
}

// shuffle reorders the code's blocks, with doBranch where one fell through to the next.
func (f *flowFunc) shuffle(r *rand.Rand) {
	end := len(f.code)
	starts := []int{0}
	for _, pc := range f.labels {
		if pc < end {
			starts = append(starts, pc)
		}
	}
	for pc := range f.code[:end-1] {
		if k := f.code[pc].kind; (k == doBranch || k == doTable || !f.code[pc].fallsOn()) && r.IntN(4) > 0 {
			starts = append(starts, pc+1)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	next := make(map[int]int)  // start of the block behind another
	entry := make(map[int]int) // label of a block
	for i, s := range append(starts, end)[1:] {
		next[starts[i]] = s
		entry[s] = f.label()
		f.labels[entry[s]] = s
	}
	order := slices.Clone(starts)
	r.Shuffle(len(order)-1, func(i, j int) { order[i+1], order[j+1] = order[j+1], order[i+1] })

	old, moved := f.code, make(map[int]int)
	f.code = nil
	for i, s := range order {
		moved[s] = len(f.code)
		f.code = append(f.code, old[s:next[s]]...)
		last := &f.code[len(f.code)-1]
		if follows := append(order, end)[i+1]; last.fallsOn() && next[s] != follows {
			spins := last.spins
			f.emit(doBranch, "bra", noReg, noReg, noReg, 0, entry[next[s]]).spins = spins
		}
	}
	moved[end] = len(f.code)
	for l, pc := range f.labels {
		f.labels[l] = moved[pc]
	}
}

// text returns the program as PTX.
func (p *flowProgram) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".global .b32 words[%d];\n.global .b32 locks[%d];\n", p.ctas*flowStride*keptWords, maxLocks*lockWords)
	for _, f := range p.funcs[1:] {
		fmt.Fprintf(&b, "%s;\n", f.head())
	}
	for _, f := range p.funcs {
		f.write(&b, p)
	}
	return b.String()
}

func (f *flowFunc) head() string {
	if f.name == "k" {
		return ".entry k()"
	}
	return fmt.Sprintf(".func (.reg .b32 %v, .reg .b32 %v) %s (.reg .b32 %v, .reg .b32 %v, .reg .b32 %v)", rPath, rFuel, f.name, rArg0, rArg1, rThread)
}

func (f *flowFunc) write(b *strings.Builder, p *flowProgram) {
	fmt.Fprintf(b, "%s\n{\n\t.reg .b64 %%at, %%callee;\n", f.head())
	for r := range numFlowRegs {
		switch {
		case r >= rPred:
			fmt.Fprintf(b, "\t.reg .pred %v;\n", r)
		case r >= rTID && r <= rArg1:
		case f.name == "k" || r != rPath && r != rFuel && r != rThread:
			fmt.Fprintf(b, "\t.reg .b32 %v;\n", r)
		}
	}
	b.WriteString("\tproto: .callprototype (.reg .b32 _, .reg .b32 _) _ (.reg .b32 _, .reg .b32 _, .reg .b32 _);\n")
	for pc := range len(f.code) + 1 {
		for l, at := range f.labels {
			if at == pc {
				fmt.Fprintf(b, "L%d:\n", l)
			}
		}
		if pc < len(f.code) {
			in := &f.code[pc]
			if in.kind == doTable {
				fmt.Fprintf(b, "T%d: .branchtargets %s;\n", pc, labelNames(in.targets))
			}
			fmt.Fprintf(b, "\t%s // %d\n", in.text(p, pc), pc)
		}
	}
	b.WriteString("}\n")
}

func labelNames(labels []int) string {
	var names []string
	for _, l := range labels {
		names = append(names, fmt.Sprint("L", l))
	}
	return strings.Join(names, ", ")
}

// text returns the instruction, at pc, as PTX.
func (in *flowInstr) text(p *flowProgram, pc int) string {
	s := in.op
	if in.guard != noReg {
		s = fmt.Sprintf("@%s%v %s", map[bool]string{true: "!"}[in.not], in.guard, in.op)
	}
	add := func(format string, args ...any) { s += " " + fmt.Sprintf(format, args...) }
	b := fmt.Sprint(in.b)
	if in.b == noReg {
		b = fmt.Sprint(in.imm)
	}
	switch in.kind {
	case doCompute, doCollective, doBarrier:
		var operands []string
		for _, r := range []flowReg{in.d, in.a} {
			if r != noReg {
				operands = append(operands, r.String())
			}
		}
		switch {
		case in.op == "bar.red.popc.u32":
			operands = []string{in.d.String(), b, in.a.String()}
		case in.op == "shfl.sync.bfly.b32":
			operands = append(operands, b, "31", rMembers.String())
		case in.kind == doCollective:
			operands = append(operands, rMembers.String())
		default:
			operands = append(operands, b)
		}
		add("%s", strings.Join(operands, ", "))
	case doAim:
		add("%%callee, %s", p.funcs[in.targets[0]].name)
	case doBranch:
		add("L%d", in.targets[0])
	case doTable:
		add("%v, T%d", in.a, pc)
	case doCall:
		name, proto := "%callee", ", proto"
		if len(in.targets) > 0 {
			name, proto = p.funcs[in.targets[0]].name, ""
		}
		add("(%v, %v), %s, (%[1]v, %[2]v, %[4]v)%s", rPath, rFuel, name, rThread, proto)
	case doLock:
		switch at := fmt.Sprintf("[%%at+%d]", 4*in.imm); in.op {
		case "atom.global.cas.b32":
			add("%v, %s, 0, 1", in.d, at)
		case "st.volatile.global.u32":
			add("%s, %v", at, in.a)
		case "ld.volatile.global.u32":
			add("%v, %s", in.d, at)
		case "atom.global.exch.b32":
			add("%v, %s, 0", in.d, at)
		default:
			add("%v, %s, 1", in.d, at)
		}
	case doKeep:
		add("[%%at+%d], %v", 4*in.imm, in.a)
	}
	return s + ";"
}
