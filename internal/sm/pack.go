package sm

import "github.com/simtrun/simtrun/internal/isa"

// pack finishes the instructions of a function, and puts their lists next to each other in memory, in the order in
// which warps issue them: a warp that comes back to its code after hundreds of cycles has to get fewer lines of it into
// the host's caches.
func (c *code) pack() {
	ops, registers := 0, 0
	c.each(func(in *instr) {
		ops += len(in.ops)
		for _, list := range in.lists() {
			registers += len(*list)
		}
	})
	allOps, all := make([]op, 0, ops), make([]uint16, 0, registers)
	c.each(func(in *instr) {
		in.waitsForMore = in.groups > commitsGroup || in.tensor == waitsForMoves || in.calls || in.returns || len(in.fresh) > 0
		in.plain = len(in.ops) > 0 && in.reads == 0 && !in.waitsForMore
		allOps = append(allOps, in.ops...)
		in.ops = allOps[len(allOps)-len(in.ops) : len(allOps) : len(allOps)]
		for _, list := range in.lists() {
			all = append(all, *list...)
			*list = all[len(all)-len(*list) : len(all) : len(all)]
		}
	})
}

// chain prepares the bodies of regions for a scheduler that issues one instruction in a cycle: it sets which
// instruction comes after each, and which ops complete an instruction that only computes.
func (c *code) chain() {
	for _, r := range c.regions {
		if r == nil {
			continue
		}
		for _, b := range r.bodies {
			for i := range b.instrs {
				b.instrs[i].setCompletes()
				if i+1 < len(b.instrs) {
					b.instrs[i].precede(&b.instrs[i+1])
				}
			}
		}
	}
}

// precede makes next, if it is plain, the instruction after in. An op for the pipe of the one before waits until that
// pipe takes it, as in wait.
func (in *instr) precede(next *instr) {
	if len(in.ops) == 0 || !next.plain {
		return
	}
	last := &in.ops[len(in.ops)-1]
	in.next, in.lead = next, last.stall
	if last.pipe == next.ops[0].pipe && last.pipe != isa.Tensor {
		in.lead = max(last.stall, last.interval)
	}
}

// setCompletes sets whether the last op of an instruction completes it without more than to make its results ready.
func (in *instr) setCompletes() {
	if len(in.ops) > 0 && in.memory == noMemory && len(in.releases) == 0 {
		last := &in.ops[len(in.ops)-1]
		last.completes = last.constant == noConstant
	}
}

// each calls f for each instruction of a function: of the bodies of its regions first, because warps rarely issue the
// instructions that these replace.
func (c *code) each(f func(*instr)) {
	for _, r := range c.regions {
		if r == nil {
			continue
		}
		for _, b := range r.bodies {
			for i := range b.instrs {
				f(&b.instrs[i])
			}
		}
	}
	for pc := range c.instrs {
		f(&c.instrs[pc])
	}
}

// lists are the lists of registers that issues need.
func (in *instr) lists() [3]*[]uint16 { return [...]*[]uint16{&in.sources, &in.results, &in.guards} }
