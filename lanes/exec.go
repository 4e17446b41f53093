package lanes

// The kinds of Ops that Exec executes. One of another kind is an access to memory if
// it has a Mem, and else for whoever calls Exec.
const (
	Compute = iota // Fn, in all lanes
	Guarded        // Fn, in the lanes that the guard lets through
	Nop            // nothing
	Jump           // a branch to the PC in Imm
	NumKinds
)

// Path is lanes of a warp on their way through the code of a function together. It
// is all that Exec needs, and says how far it has come.
type Path struct {
	File   *File
	Ops    []Op
	Memory Memory // nil leaves every access to whoever calls Exec
	Mask   Mask   // the lanes
	PC     int    // of the Op that is next
	Stop   int    // PC at which the path ends; -1 for none
	// Steps counts the Ops executed, but for those from First up to, but without, PC:
	// they follow each other, and are counted together.
	Steps uint64
	First int
	// Behind a branch, Exec goes on only while Steps is below Limit. If it does not,
	// Branch is the branch's PC.
	Limit  uint64
	Branch int
}

// Memory is what a Path reads and writes.
type Memory interface {
	// Locate finds where the lanes of m, which is not empty, go with the access at pc.
	// It returns nil if there is more to it than to move the data.
	Locate(pc int, m Mask) *Access
}

// Why is why Exec has come back.
type Why uint8

const (
	AtStop   Why = iota // the path is at Stop
	AtOp                // it is at an Op that Exec does not execute, or a Jump that only some of its lanes take
	Branched            // it is behind a Jump, and Steps has reached Limit
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
