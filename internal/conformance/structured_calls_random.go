package conformance

import "slices"

const (
	maxFunctions = 5
	functionRoom = 12 // instructions of a function
	maxFuel      = 2
)

// grow makes the signatures, and the functions of each.
func (g *structuredGrower) functions() {
	p := g.p
	if p.carries = g.IntN(2) == 0; g.IntN(2) == 0 {
		return
	}
	g.collective = g.IntN(2) == 0
	for len(p.funcs) < maxFunctions && (len(p.funcs) == 0 || g.IntN(3) > 0) {
		sig := g.signature()
		for range 1 + g.IntN(2) {
			p.funcs = append(p.funcs, function{signature: sig})
		}
	}
	for i := range p.funcs {
		g.function(i)
	}
}

func (g *structuredGrower) signature() *signature {
	s := &signature{fuel: g.IntN(2) == 0, memory: g.IntN(3) == 0}
	plain := g.IntN(2) == 0 // functions may be inlined
	if plain {
		s.fuel, s.memory = false, g.IntN(4) == 0
	}
	formals := func(most int) (all []formal) {
		for range g.IntN(most + 1) {
			switch n := g.IntN(6); {
			case plain || n < 2:
				all = append(all, formal{bytes: []int{2, 4, 4, 4, 8}[g.IntN(5)]})
			case n == 2:
				all = append(all, formal{bytes: 1 << g.IntN(4)})
			case n < 5:
				all = append(all, formal{reg: []int{1, 16, 32, 32, 64}[g.IntN(5)]})
			default:
				all = append(all, formal{bytes: 1 + g.IntN(40), array: true})
			}
		}
		return all
	}
	s.params, s.results = formals(4), formals(3)
	return s
}

// transfers moves all bytes of variables. Registers of loads into them are different, in one variable or, for results
// in registers, in all.
func (g *structuredGrower) transfers(formals []formal, loads, constants bool) (all [][]transfer) {
	var results []int
	for _, f := range formals {
		if f.reg > 0 {
			x := transfer{typ: map[int]string{1: "pred", 16: "b16", 32: "b32", 64: "b64"}[f.reg], registers: f.reg}
			reg := -1
			for reg < 0 || slices.Contains(results, reg) {
				reg = pools[f.reg][g.IntN(len(pools[f.reg]))]
			}
			results = append(results, reg)
			if constants && f.reg > 1 && g.IntN(4) == 0 {
				x.constant, reg = uint64(g.IntN(1000)), -1
			}
			x.regs = []int{reg}
			all = append(all, []transfer{x})
			continue
		}
		var of []transfer
		for at := 0; at < f.bytes; {
			x := g.transfer(&f, at, loads)
			if at += typeBits[x.typ] / 8 * len(x.regs); constants && len(x.regs) == 1 && x.typ[1:] != "8" && g.IntN(5) == 0 {
				x.regs[0], x.constant = -1, uint64(g.IntN(1000))
			}
			of = append(of, x)
		}
		all = append(all, of)
	}
	return all
}

// transfer moves bytes of a .param variable from at on.
func (g *structuredGrower) transfer(f *formal, at int, loads bool) transfer {
	for {
		size, elems := 1<<g.IntN(4), 1
		if !f.array && g.IntN(8) > 0 {
			size = f.bytes
		}
		if g.IntN(3) == 0 {
			elems = []int{2, 4}[g.IntN(2)]
		}
		align := paramAlign
		if !f.array {
			align = f.bytes
		}
		if size*elems > align || at%(size*elems) != 0 || at+size*elems > f.bytes {
			continue
		}
		x := transfer{at: at, registers: 8 * size}
		x.typ = []string{"b", "b", "u", "s"}[g.IntN(4)] + map[int]string{1: "8", 2: "16", 4: "32", 8: "64"}[size]
		if g.IntN(6) == 0 {
			x.registers = min(64, x.registers<<g.IntN(3))
		}
		of := pools[x.registers]
		for len(x.regs) < elems {
			if reg := of[g.IntN(len(of))]; !loads || !slices.Contains(x.regs, reg) {
				x.regs = append(x.regs, reg)
			}
		}
		return x
	}
}

// function makes the body of function n.
func (g *structuredGrower) function(n int) {
	f := &g.p.funcs[n]
	was := *g
	g.f, g.number, g.room, g.together, g.scattered = f, n, 1+g.IntN(functionRoom), false, !g.collective
	for _, reg := range registers {
		o := origin{kind: unsetOrigin}
		v := uint64(0)
		switch {
		case reg.bits == 0 || reg.bits == 8 || g.IntN(3) == 0:
		case g.IntN(3) == 0:
			o.kind, o.special, o.stride = specialOrigin, laneSpecials[g.IntN(len(laneSpecials))], uint64(g.IntN(34))
		default:
			o.kind = constantOrigin
			v = someValue(typesOfBits[reg.bits][0], g.Rand)
		}
		f.origins, f.consts = append(f.origins, o), append(f.consts, v)
	}
	f.loads, f.stores = g.transfers(f.params, true, false), g.transfers(f.results, false, false)
	if !f.fuel && g.IntN(2) == 0 {
		for range g.room {
			f.steps = append(f.steps, g.straight())
		}
	} else {
		for g.room > 0 {
			f.steps = append(f.steps, g.list(1)...)
		}
	}
	exited := g.exited
	*g = was
	g.exited = exited
}

// straight makes a step of a function that may be inlined: without branches, and with no access to memory but loads.
func (g *structuredGrower) straight() step {
	for {
		s := step{index: -1, pred: -1}
		if g.IntN(8) == 0 {
			s.kind, s.table = tableStep, g.table()
			return s
		}
		if g.compute(&s); s.in.access == nil || s.in.op == "ld" && s.in.space != localScratch {
			return s
		}
	}
}

// call makes a call of one function, or of one of some. It reports whether there is one that can be called.
func (g *structuredGrower) call(s *step) bool {
	if g.collective && g.scattered || g.loops > 1 || g.f != nil && g.loops > 0 {
		return false
	}
	c := &call{selector: -1}
	n := g.IntN(max(1, len(g.p.funcs)))
	if n >= len(g.p.funcs) {
		return false
	}
	if g.f != nil && g.f.fuel && g.IntN(2) == 0 {
		n = g.number
	}
	f := &g.p.funcs[n]
	if g.f != nil {
		c.deeper = g.f.fuel && f.fuel
		if !c.deeper && n <= g.number || f.memory && !g.f.memory || f.fuel && !c.deeper {
			return false
		}
	}
	c.targets, c.fuel = []int{n}, uint32(g.IntN(maxFuel+1))
	if g.IntN(3) == 0 {
		c.selector = pools[32][g.IntN(len(pools[32]))]
		for range []int{0, 1, 3}[g.IntN(3)] {
			c.targets = append(c.targets, n)
			for k := n + 1; k < len(g.p.funcs) && g.p.funcs[k].signature == f.signature; k++ {
				c.targets[len(c.targets)-1] = n + g.IntN(k-n+1)
			}
		}
		c.table, c.listed = []string{"", "global", "const"}[g.IntN(3)], g.IntN(2) == 0
	}
	if g.IntN(4) == 0 {
		s.pred, s.complement = g.pred(), g.IntN(2) == 0
	}
	c.args, c.results = g.transfers(f.params, false, true), g.transfers(f.results, true, false)
	s.kind, s.call, s.arms = callStep, c, [][]step{g.between(), g.between()}
	return true
}

// between makes instructions between a call and the accesses to its arguments or results.
func (g *structuredGrower) between() (steps []step) {
	for range max(0, g.IntN(6)-3) {
		s := step{index: -1, pred: -1}
		if g.compute(&s); s.in.warp == nil {
			steps = append(steps, s)
		}
	}
	return steps
}
