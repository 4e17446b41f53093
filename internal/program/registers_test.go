package program

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
)

// TestSharedSlotsDoNotConflict checks in all compiled kernels that no instruction
// writes to a slot while another register that has it holds something that will
// be read. What is live where is found register by register, by walking back
// from every read.
func TestSharedSlotsDoNotConflict(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../workloads/*.ptx.gz", "../../interp/testdata/*/*.ptx.gz"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no modules at %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	functions, shared := 0, 0
	for i, file := range files {
		if short.Skips(i) {
			continue
		}
		src, err := packed.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := asm.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		p := &Program{mod: newModule(t, mod), Env: Env{Address: func(string) (uint64, bool) { return 0, true }}}
		for _, fn := range mod.Funcs {
			if fn.Defined && fn.Later == nil {
				functions++
				shared += checkAllocation(t, p.newFunc(0, fn, 16), p)
			}
		}
	}
	if functions < short.Of(50) || shared < short.Of(500) {
		t.Errorf("only %d functions, with %d registers that share a slot", functions, shared)
	}
}

// checkAllocation returns how many registers of f share a slot.
func checkAllocation(t *testing.T, f *Func, p *Program) (shared int) {
	fn := f.Src
	slots := allocate(fn, f.Graph, p.findCopies(f).regs)
	type slot struct {
		wide   bool
		number int
	}
	members := make(map[slot][]isa.RegID)
	for id, n := range slots {
		if n > 0 {
			s := slot{fn.Regs[id].Type.Bits() > 32, n}
			members[s] = append(members[s], isa.RegID(id))
		}
	}
	reads, writes := accesses(fn)
	before := predecessors(f.Graph, len(fn.Code))
	for _, regs := range members {
		if len(regs) == 1 {
			continue
		}
		shared += len(regs)
		for _, r := range regs {
			live := make([]bool, len(fn.Code)+1) // behind each instruction
			var back func(pc int)
			back = func(pc int) {
				for _, p := range before[pc] {
					if !live[p] {
						if live[p] = true; !slices.Contains(writes[p], r) || fn.Code[p].Guard != isa.NoReg {
							back(p)
						}
					}
				}
			}
			for pc := range fn.Code {
				if slices.Contains(reads[pc], r) {
					back(pc)
				}
			}
			for _, other := range regs {
				for pc := range fn.Code {
					if other != r && live[pc] && slices.Contains(writes[pc], other) {
						t.Fatalf("%s, pc %d, %s: %s is written over %s", fn.Name, pc, fn.Text(pc), fn.Regs[other].Name, fn.Regs[r].Name)
					}
				}
			}
		}
	}
	return shared
}

// accesses are the registers that each instruction reads and writes.
func accesses(fn *isa.Func) (reads, writes [][]isa.RegID) {
	reads, writes = make([][]isa.RegID, len(fn.Code)), make([][]isa.RegID, len(fn.Code))
	for pc := range fn.Code {
		in := &fn.Code[pc]
		for i := range in.Args {
			to := &reads[pc]
			if formals := in.Spec.Formals(); i < len(formals) && formals[i].Result && in.Args[i].Kind != isa.AddrOperand {
				to = &writes[pc]
			}
			for _, a := range append([]isa.Operand{in.Args[i]}, in.Args[i].Elems...) {
				if a.Kind == isa.RegOperand || a.Kind == isa.AddrOperand && a.Reg != isa.NoReg {
					*to = append(*to, a.Reg)
				}
			}
		}
		if in.Call != nil {
			for _, a := range in.Call.Args {
				if a.Kind == isa.RegOperand {
					reads[pc] = append(reads[pc], a.Reg)
				}
			}
		}
	}
	return reads, writes
}

// predecessors are the instructions that each may follow.
func predecessors(graph *flow.Graph, n int) [][]int {
	before := make([][]int, n+1)
	blocks := graph.Blocks()
	for _, b := range blocks {
		for pc := b.Start + 1; pc < b.End; pc++ {
			before[pc] = append(before[pc], pc-1)
		}
		for _, s := range b.Succ {
			if b.End > b.Start {
				before[blocks[s].Start] = append(before[blocks[s].Start], b.End-1)
			}
		}
	}
	return before
}
