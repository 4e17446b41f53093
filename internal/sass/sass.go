// Package sass reads listings of a GPU's machine code (SASS), as NVIDIA's disassemblers write them: nvdisasm, with or
// without line information (-g, -gi, -gp) and encodings (-hex), and cuobjdump -sass. A listing is code for Volta or a
// later GPU, whose instructions have 16 bytes.
package sass

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Function is a function of a listing.
type Function struct {
	Name   string
	Instrs []Instr // without NOPs and the endless loop behind the code
}

// Instr is a machine instruction.
type Instr struct {
	Text    string // guard, opcode and operands
	Class   isa.CostClass
	Work    isa.CostClass // of what it computes, which a product may do in place of a sum
	Guarded bool
	Moves   bool   // it copies a register, or loads a constant that it contains
	Lines   []Line // where it comes from, the innermost first; none without line information
	Target  int    // index of the instruction that a branch goes to; -1 if it is none, or goes elsewhere
	// Constant is the place in bank 0 of constants that it loads; -1 if it loads none from there.
	Constant int64
	// Stall is how many cycles later the next instruction can be issued, by its encoding; 0 if that is not known.
	Stall int

	address, to int64
	result      string // register that it writes; "" if none
	reads       []string
}

// Compares reports whether an instruction's result is a predicate.
func (in *Instr) Compares() bool { return strings.HasPrefix(strings.TrimPrefix(in.result, "U"), "P") }

// Reads reports whether an instruction reads a register that an earlier one writes.
func (in *Instr) Reads(earlier *Instr) bool {
	return earlier.result != "" && slices.Contains(in.reads, earlier.result)
}

// Line is a line of a source, or of the PTX if File is "".
type Line struct {
	File   string
	Number int
}

// ptxFile is the name that nvdisasm -gp gives the PTX.
const ptxFile = ".nv_debug_ptx_txt"

var (
	header   = regexp.MustCompile(`^\s*(?:\.text\.([^\s:]+):|Function\s*:\s*(\S+))`)
	label    = regexp.MustCompile(`^\s*(\.L_\S+):`)
	location = regexp.MustCompile(`File "([^"]*)", line (\d+)`)
	coded    = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+([^;]*?)\s*;\s*(?:/\* 0x[0-9a-f]{16} \*/)?`)
	upper    = regexp.MustCompile(`^\s*/\* 0x([0-9a-f]{16}) \*/\s*$`)
	place    = regexp.MustCompile(`c\[0x0\]\[(?:0x([0-9a-f]+)|RZ)\]`)
	number   = regexp.MustCompile(`0x([0-9a-f]+)$`)
	register = regexp.MustCompile(`\bU?[RP]\d+\b`)
	named    = regexp.MustCompile("`\\((\\.L_[^)]*)\\)")
)

// bytes is the size of a machine instruction.
const bytes = 16

// Parse returns the functions of a listing.
func Parse(text string) ([]*Function, error) {
	var r reader
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := r.line(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	r.finish()
	var all []*Function
	for _, f := range r.all {
		if len(f.Instrs) > 0 {
			all = append(all, f)
		}
	}
	if all == nil {
		return nil, errors.New("no machine instructions of a function: it takes what nvdisasm or cuobjdump -sass prints")
	}
	return all, nil
}

// reader reads a listing line by line.
type reader struct {
	all      []*Function
	labels   map[string]int64 // addresses
	jumps    map[int]string   // labels that branches go to, by index
	pending  []string         // labels of the next instruction
	lines    []Line
	location bool // the line before was one of line information
}

func (r *reader) line(text string) error {
	if m := header.FindStringSubmatch(text); m != nil {
		r.finish()
		r.all = append(r.all, &Function{Name: m[1] + m[2]})
		r.labels, r.jumps, r.lines = make(map[string]int64), make(map[int]string), nil
		return nil
	}
	if len(r.all) == 0 {
		return nil
	}
	f := r.all[len(r.all)-1]
	if m := label.FindStringSubmatch(text); m != nil {
		r.pending = append(r.pending, m[1])
		return nil
	}
	if strings.Contains(text, "//## File") {
		r.locate(text)
		return nil
	}
	if m := upper.FindStringSubmatch(text); m != nil && len(f.Instrs) > 0 {
		high, err := strconv.ParseUint(m[1], 16, 64)
		f.Instrs[len(f.Instrs)-1].Stall = max(int(high>>stallAt&stallMask), 1)
		return err
	}
	if m := coded.FindStringSubmatch(text); m != nil {
		return r.instruction(f, m[1], m[2])
	}
	return nil
}

// The stall count in the upper half of an encoding: bits 105 to 108 of the instruction (Jia et al., Dissecting the
// NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, section 2.1). 0 is the next cycle, too.
const (
	stallAt   = 105 - 64
	stallMask = 15
)

// locate notes the lines that the next instructions come from.
func (r *reader) locate(text string) {
	if !r.location {
		r.lines = nil
	}
	r.location = true
	for _, m := range location.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		if m[1] == ptxFile || strings.HasSuffix(m[1], ".ptx") {
			m[1] = ""
		}
		r.lines = append(r.lines[:len(r.lines):len(r.lines)], Line{m[1], n})
	}
}

func (r *reader) instruction(f *Function, address, text string) error {
	r.location = false
	at, err := strconv.ParseInt(address, 16, 64)
	if err != nil {
		return err
	}
	if n := len(f.Instrs); n > 0 && at-f.Instrs[n-1].address < bytes {
		return errors.New("machine code for GPUs before Volta is not supported yet: its instructions are shorter than 16 bytes")
	}
	for _, name := range r.pending {
		r.labels[name] = at
	}
	r.pending = nil
	in := Instr{Text: text, Lines: r.lines, Target: -1, Constant: -1, address: at, to: -1}
	op, operands := text, ""
	if guard, rest, ok := strings.Cut(text, " "); ok && strings.HasPrefix(guard, "@") {
		op, in.Guarded = strings.TrimSpace(rest), true
	}
	op, operands, _ = strings.Cut(op, " ")
	in.Class, in.Work, in.Moves = class(op), work(op, operands), moves(op, operands)
	in.setRegisters(operands)
	if m := place.FindStringSubmatch(operands); m != nil && in.loadsConstant() {
		in.Constant = 0
		if m[1] != "" {
			if in.Constant, err = strconv.ParseInt(m[1], 16, 64); err != nil {
				return err
			}
		}
	}
	if in.Class == isa.CostBranch {
		if m := named.FindStringSubmatch(operands); m != nil {
			r.jumps[len(f.Instrs)] = m[1]
		} else if m := number.FindStringSubmatch(operands); m != nil {
			if in.to, err = strconv.ParseInt(m[1], 16, 64); err != nil {
				return err
			}
		}
	}
	f.Instrs = append(f.Instrs, in)
	return nil
}

func (in *Instr) loadsConstant() bool {
	return in.Class == isa.CostLoadConstant || in.Class == isa.CostUniformConstant
}

// setRegisters sets what an instruction reads and writes: its first operand is what it writes, unless that is an
// address, or there is none.
func (in *Instr) setRegisters(operands string) {
	if in.Guarded {
		in.reads = register.FindAllString(strings.Fields(in.Text)[0], 1)
	}
	first, rest, _ := strings.Cut(operands, ",")
	if !strings.Contains(first, "[") && in.Class != isa.CostBranch {
		in.result, operands = register.FindString(first), rest
	}
	in.reads = append(in.reads, register.FindAllString(operands, -1)...)
}

// finish resolves the branches of the last function that was read, and drops the instructions after its end, which are
// never executed.
func (r *reader) finish() {
	if len(r.all) == 0 {
		return
	}
	f := r.all[len(r.all)-1]
	index := make(map[int64]int)
	for i := range f.Instrs {
		if name, ok := r.jumps[i]; ok {
			if to, known := r.labels[name]; known {
				f.Instrs[i].to = to
			}
		}
	}
	var kept []Instr
	for _, in := range f.Instrs {
		index[in.address] = len(kept)
		if in.Class != isa.CostNothing && !(in.Class == isa.CostBranch && in.to == in.address && !in.Guarded) {
			kept = append(kept, in)
		}
	}
	for i := range kept {
		if to, known := index[kept[i].to]; known && kept[i].to >= 0 && to < len(kept) {
			kept[i].Target = to
		}
	}
	f.Instrs = kept
}

// Find returns the function with a name, or the only one if the listing has one; nil if there is none.
func Find(all []*Function, name string) *Function {
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Block is instructions of a function without branches to or from between them: Start up to, but not including, End.
type Block struct {
	Start, End int
	Loops      bool // it ends with a branch to its start
}

// Blocks returns the basic blocks of a function, in the order of the code.
func (f *Function) Blocks() []Block {
	starts := make([]bool, len(f.Instrs)+1)
	starts[0], starts[len(f.Instrs)] = true, true
	for i := range f.Instrs {
		in := &f.Instrs[i]
		if in.Target >= 0 {
			starts[in.Target] = true
		}
		if in.leaves() {
			starts[i+1] = true
		}
	}
	var all []Block
	for start := 0; start < len(f.Instrs); {
		end := start + 1
		for !starts[end] {
			end++
		}
		all = append(all, Block{start, end, f.Instrs[end-1].Target == start})
		start = end
	}
	return all
}

// leaves reports whether the next instruction of a warp may be another one than the next in the code.
func (in *Instr) leaves() bool {
	switch in.Class {
	case isa.CostBranch, isa.CostIndirectBranch, isa.CostExit:
		return true
	case isa.CostCall:
		return strings.Contains(in.Text, "RET")
	}
	return false
}
