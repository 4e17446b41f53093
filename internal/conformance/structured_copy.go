package conformance

import "fmt"

// laneCopy is a cp.async of a lane from its scratch memory in global memory to that in shared memory, which the next
// instruction waits for.
type laneCopy struct {
	bytes, from, to int
	read            int // bytes that are copied; the others are zeros
	sized, groups   bool
	l2              bool // .cg instead of .ca
}

func (g *structuredGrower) copy() *laneCopy {
	x := &laneCopy{bytes: 4 << g.IntN(3), sized: g.IntN(2) == 0, groups: g.IntN(2) == 0}
	x.from, x.to = g.IntN(scratchBytes/x.bytes)*x.bytes, g.IntN(scratchBytes/x.bytes)*x.bytes
	if x.read = x.bytes; x.sized {
		x.read = g.IntN(x.bytes + 1)
	}
	x.l2 = x.bytes == 16 && g.IntN(2) == 0
	return x
}

// execute copies in a lane.
func (x *laneCopy) execute(l *laneState) {
	to := l.memory[sharedScratch][x.to:][:x.bytes]
	clear(to)
	copy(to, l.memory[globalScratch][x.from:][:x.read])
}

// write writes the copy with a guard.
func (x *laneCopy) write(w *kernelText, guard string) {
	level, sized := "ca", ""
	if x.l2 {
		level = "cg"
	}
	if x.sized {
		sized = fmt.Sprintf(", %d", x.read)
	}
	w.line("%scp.async.%s.shared.global [%%shared+%d], [%%global+%d], %d%s;", guard, level, x.to, x.from, x.bytes, sized)
	if x.groups {
		w.line("cp.async.commit_group;")
		w.line("cp.async.wait_group 0;")
	} else {
		w.line("cp.async.wait_all;")
	}
}
