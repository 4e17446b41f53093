package native

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// Func is a function, or a part of one, as machine code, for full warps, and with partial code (see Compiler.Partial)
// also for others. It is immutable: Partial makes another Func, in which all addresses of the first stay valid.
type Func struct {
	code  *jit.Code
	first int // PC of the first instruction of the part
	// By PC from first on: entries of code for full warps, and for any mask; -1 if there is none. some is nil without
	// partial code.
	full, some    []int32
	stops         []bool // by PC: code checks whether a path ends there
	exits         []Exit
	until         []int32 // by PC from first on
	turns         int     // offset of code; see Turns
	starts        int     // offset of code; see Starts
	bytes         int
	resume        int // offset at which code resumes after it has asked
	links         links
	partial       bool      // the function has code for partial masks
	continuations []uintptr // see Sides
	expansion     *program.Expansion
	trail         []TrailEntry // by number
	trailsChanges bool         // some of these change memory
	trailsTurns   bool         // the ends of turns are in the trail
}

// Why is the reason why code has exited.
type Why uint8

const (
	AtStop   Why = iota // the path is at its end
	AtOp                // the path is at an instruction that code does not execute
	Branched            // the budget was used up at a branch
	Yields              // code has executed an access that may conflict with one of another warp
)

// Exit is the place and the reason of an exit of code.
type Exit struct {
	Why Why
	PC  int // where the path is
	// Diverges says that lanes diverge there, which partial code could handle.
	Diverges bool
	First    int // PC of the first instruction that the budget does not count yet
	Branch   int // PC of the branch, if Branched
	// Until is the PC up to which lane functions must execute before code can be entered again, if AtOp.
	Until int
	// Uncounted is the number of instructions that the budget does not count yet, in addition to those from First on.
	Uncounted int
	// Passed are the values of .param variables that are only in registers. Their PCs do not matter.
	Passed []program.PassedValue
}

// Expansion is the function with inlined calls that was compiled instead of the function, or nil. All PCs are those of
// the function itself.
func (f *Func) Expansion() *program.Expansion { return f.expansion }

// TrailsChanges reports whether code leaves a trail of accesses that change memory.
func (f *Func) TrailsChanges() bool { return f.trailsChanges }

// TrailsTurns reports whether code leaves a trail of the ends of turns.
func (f *Func) TrailsTurns() bool { return f.trailsTurns }

// Trail returns the entries that code adds to a trail, by number.
func (f *Func) Trail() []TrailEntry { return f.trail }

// HasPartial reports whether the function has code for partial masks.
func (f *Func) HasPartial() bool { return f.partial }

// Sides is the value for jit.Context.Sides. It is nil without partial code.
func (f *Func) Sides() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.continuations)) }

// Covers reports whether the code is for the part of the function with the instruction at pc.
func (f *Func) Covers(pc int) bool { return uint(pc-f.first) < uint(len(f.full)) }

// Entry returns the address of the code for a PC, for full warps or for any mask, or 0.
func (f *Func) Entry(pc int, all bool) uintptr {
	table := f.some
	if all {
		table = f.full
	}
	if table == nil || table[pc-f.first] < 0 {
		return 0
	}
	return f.code.Addr(int(table[pc-f.first]))
}

// Turns returns the address of the code in which the warps of a CTA take turns; see jit.Turn.
func (f *Func) Turns() uintptr { return f.code.Addr(f.turns) }

// Starts returns the address of the code that starts CTAs with warps that take turns; see jit.Starts.
func (f *Func) Starts() uintptr { return f.code.Addr(f.starts) }

// Stops reports whether a path may end at pc.
func (f *Func) Stops(pc int) bool { return pc < 0 || f.stops[pc] }

// Until returns the PC up to which lane functions must execute from pc on, where code cannot be entered.
func (f *Func) Until(pc int) int {
	if until := f.until[pc-f.first]; until > int32(pc) {
		return int(until)
	}
	return pc + 1
}

// Exit returns the exit with a number.
func (f *Func) Exit(n uint32) *Exit { return &f.exits[n] }

// Resume returns the address at which code resumes after it has asked.
func (f *Func) Resume() uintptr { return f.code.Addr(f.resume) }

// Bytes returns the size of the code.
func (f *Func) Bytes() int { return f.bytes }

// findUntil finds the next entry, or start of a block, after each PC.
func (f *Func) findUntil(of *program.Func) {
	n := len(f.full)
	f.until = make([]int32, n)
	next := int32(f.first + n)
	for i := n - 1; i >= 0; i-- {
		f.until[i] = next
		if pc := f.first + i; f.full[i] >= 0 || of.Graph.Blocks()[of.Graph.BlockOf(pc)].Start == pc {
			next = int32(pc)
		}
	}
}

func noEntries(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}
