package lanes

// The kinds of Ops that Exec executes. An Op of another kind is an access to memory if it has a Mem; else Exec leaves
// it to its caller.
const (
	Compute = iota // Fn, in all lanes
	Guarded        // Fn, in the lanes in which the guard holds
	Nop            // nothing
	Jump           // a branch to the PC in Imm
	NumKinds
)

// Path is a group of lanes of a warp that execute the code of a function together: their place, and everything else
// that Exec needs.
type Path struct {
	File   *File
	Ops    []Op
	Memory Memory // nil leaves every access to the caller of Exec
	Mask   Mask   // the lanes
	PC     int    // of the next Op
	Stop   int    // PC at which the path ends; -1 for none
	Steps  uint64 // Ops executed, except those from First up to, but without, PC
	First  int    // PC of the first Op executed that Steps does not count yet
	Limit  uint64 // Exec returns after a branch unless Steps is less
	Branch int    // PC of the branch after which Exec returned
}

// Memory is the memory that a Path reads and writes.
type Memory interface {
	// Locate finds the places of the access at pc in the lanes of m, which is not empty. It returns nil to leave the
	// access to the caller of Exec.
	Locate(pc int, m Mask) *Access
}

// Why is the reason why Exec has returned.
type Why uint8

const (
	AtStop   Why = iota // the path is at Stop
	AtOp                // the path is at an Op that Exec does not execute, or at a Jump at which its lanes diverge
	Branched            // the path is after a Jump, and Steps has reached Limit
)

// Exec executes straight-line code, and branches that all lanes of the path take the same way.
func (p *Path) Exec() Why {
	pc := p.PC // the other fields stay in p: Go keeps no local variable in a register across a call
	for pc != p.Stop {
		op := &p.Ops[pc]
		switch op.Kind {
		case Compute:
			op.Fn(p.File, op, p.Mask)
		case Guarded:
			if m := op.Active(p.File, p.Mask); m != 0 {
				op.Fn(p.File, op, m)
			}
		case Nop:
		case Jump:
			next := pc + 1
			switch op.Active(p.File, p.Mask) {
			case 0:
			case p.Mask:
				next = int(op.Imm)
			default:
				p.PC = pc
				return AtOp
			}
			p.Steps += uint64(pc + 1 - p.First)
			p.First = next
			if p.Steps >= p.Limit {
				p.PC, p.Branch = next, pc
				return Branched
			}
			pc = next
			continue
		default:
			if op.Mem == nil || p.Memory == nil {
				p.PC = pc
				return AtOp
			}
			if m := op.Active(p.File, p.Mask); m != 0 {
				a := p.Memory.Locate(pc, m)
				if a == nil {
					p.PC = pc
					return AtOp
				}
				op.Mem(p.File, op, m, a)
			}
		}
		pc++
	}
	p.PC = pc
	return AtStop
}
