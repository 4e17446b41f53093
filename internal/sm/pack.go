package sm

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
	for _, r := range c.regions {
		if r != nil {
			r.chain()
		}
	}
}

// chain sets which instruction of a body comes after each.
func (r *region) chain() {
	for _, b := range r.bodies {
		for i := 1; i < len(b.instrs); i++ {
			if next := &b.instrs[i]; next.plain {
				b.instrs[i-1].next = next
			}
		}
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

// setCompletes sets which ops of a body complete an instruction that only computes.
func (b *body) setCompletes() {
	for i := range b.instrs {
		if in := &b.instrs[i]; len(in.ops) > 0 && in.memory == noMemory && len(in.releases) == 0 {
			last := &in.ops[len(in.ops)-1]
			last.completes = last.constant == noConstant
		}
	}
}

// lists are the lists of registers that issues need.
func (in *instr) lists() [3]*[]uint16 { return [...]*[]uint16{&in.sources, &in.results, &in.guards} }
