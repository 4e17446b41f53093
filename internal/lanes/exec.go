package lanes

// The kinds of Ops that Exec executes. An Op of another kind is an access to memory if
// it has a Mem, and else left to the caller of Exec.
const (
	Compute = iota // Fn, in all lanes
	Guarded        // Fn, in the lanes that the guard lets through
	Nop            // nothing
	Jump           // a branch to the PC in Imm
	NumKinds
)

// Path is lanes of a warp that go through the code of a function together: all that
// Exec needs to know of them, and where they are.
type Path struct {
	File   *File
	Ops    []Op
	Memory Memory // nil leaves every access to the caller of Exec
	Mask   Mask   // the lanes
	PC     int    // of the Op that is next
	Stop   int    // PC at which the path ends; -1 for none
	Steps  uint64 // Ops executed, but for those from First up to, but without, PC
	First  int    // PC of the first Op executed that Steps does not count yet
	Limit  uint64 // behind a branch, Exec comes back unless Steps is less
	Branch int    // PC of the branch behind which Exec came back
}

// Memory is what a Path reads and writes.
type Memory interface {
	// Locate finds where the lanes of m, which is not empty, go by the access at pc. It
	// is nil if the access is left to the caller of Exec.
	Locate(pc int, m Mask) *Access
}

// Why is why Exec has come back.
type Why uint8

const (
	AtStop   Why = iota // the path is at Stop
	AtOp                // the path is at an Op that Exec does not execute, or at a Jump at which its lanes diverge
	Branched            // the path is behind a Jump, and Steps has reached Limit
)

// Exec executes straight-line code, and branches that all lanes of the path take
// alike.
func (p *Path) Exec() Why {
	pc := p.PC // the rest stays in p: Go keeps no local variable in a register across a call
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
