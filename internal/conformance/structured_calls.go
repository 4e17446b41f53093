package conformance

import (
	"encoding/binary"
	"slices"
)

// function is a function of a structured program.
type function struct {
	*signature
	steps   []step
	origins []origin     // by register: unset, constant or special
	consts  []uint64     // by register
	loads   [][]transfer // by parameter
	stores  [][]transfer // by result
}

// signature is what functions take and return that a call may choose among.
type signature struct {
	params, results []formal
	fuel            bool // the function gets in %fuel how deep it may still call any of the functions with fuel
	memory          bool // the function gets the addresses of the scratch memory
}

// formal is a parameter or a result.
type formal struct {
	reg   int // width of a .reg variable, 1 for predicates; 0: a .param variable
	bytes int // of a .param variable
	array bool
}

// transfer moves consecutive bytes between a .param variable and registers, or a register to or from a .reg variable.
type transfer struct {
	at        int
	typ       string
	regs      []int  // -1 of an argument: constant
	constant  uint64 // of an argument
	registers int    // width of the registers
}

// call is what a callStep calls.
type call struct {
	targets  []int  // numbers of functions
	selector int    // register that chooses among them; -1: a direct call
	table    string // the space with their addresses; "": they are chosen by moves
	listed   bool   // by .calltargets instead of .callprototype
	args     [][]transfer
	results  [][]transfer
	deeper   bool   // it takes fuel of the calling function, and calls only if there is some
	fuel     uint32 // else
}

const paramAlign = 16

// frame is the state of a lane in a function.
type frame struct {
	regs []uint64
	fuel uint32
	wide [numWide]long
}

// put stores what a transfer moves.
func (x *transfer) put(to []byte, regs []uint64) {
	n := typeBits[x.typ] / 8
	for i, reg := range x.regs {
		v := x.constant
		if reg >= 0 {
			v = regs[reg]
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		if n == 0 { // predicates
			to[0] = b[0]
		} else {
			copy(to[x.at+i*n:][:n], b[:])
		}
	}
}

// get loads what a transfer moves.
func (x *transfer) get(from []byte, regs []uint64) {
	n := typeBits[x.typ] / 8
	for i, reg := range x.regs {
		if n == 0 {
			regs[reg] = uint64(from[0])
			continue
		}
		var b [8]byte
		copy(b[:], from[x.at+i*n:][:n])
		regs[reg] = extended(x.typ, x.registers, binary.LittleEndian.Uint64(b[:]))
	}
}

// variables returns room for the values of formals.
func variables(of []formal) (all [][]byte) {
	for _, f := range of {
		all = append(all, make([]byte, max(f.bytes, 8)))
	}
	return all
}

// passed are the arguments and results of a call in one lane.
type passed struct {
	args, results [][]byte
	target        int // number of the function; -1: the lane calls none
}

// call executes a callStep.
func (w *walk) call(s *step) {
	c := s.call
	sig := w.p.funcs[c.targets[0]].signature
	all, takes := make([]passed, len(w.lanes)), w.takes(s)
	for i := range w.lanes {
		l, x := &w.lanes[i], &all[i]
		x.target = -1
		if l.at != here {
			continue
		}
		if takes(i) && (!c.deeper || l.fuel > 0) {
			x.target = c.targets[0]
			if c.selector >= 0 {
				x.target = c.targets[l.regs[c.selector]%uint64(len(c.targets))]
			}
		}
		x.args = variables(sig.params)
		w.put(c.args, x, sig.params, l, false)
	}
	w.run(s.arms[0])
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here {
			w.put(c.args, &all[i], sig.params, l, true)
		}
	}
	waiting, done := w.place(), w.place()
	w.move(here, waiting, nil)
	targets := slices.Clone(c.targets)
	slices.Sort(targets)
	for _, n := range slices.Compact(targets) {
		if w.move(waiting, here, func(lane int) bool { return all[lane].target == n }) {
			w.invoke(&w.p.funcs[n], c, all)
			w.move(here, done, nil)
		}
	}
	w.move(waiting, here, nil)
	w.move(done, here, nil)
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here {
			w.get(c.results, &all[i], sig.results, l, true)
			if w.p.carries && len(w.calls) == 0 {
				l.regs[carryRegister()] = 0
			}
		}
	}
	w.run(s.arms[1])
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here {
			w.get(c.results, &all[i], sig.results, l, false)
		}
	}
}

// put stores the arguments in .reg or .param variables.
func (w *walk) put(args [][]transfer, x *passed, formals []formal, l *laneState, inRegs bool) {
	for k, f := range formals {
		for i := range args[k] {
			if (f.reg > 0) == inRegs {
				args[k][i].put(x.args[k], l.regs)
			}
		}
	}
}

// get loads the results from .reg or .param variables, if the lane has made the call.
func (w *walk) get(results [][]transfer, x *passed, formals []formal, l *laneState, inRegs bool) {
	for k, f := range formals {
		for i := range results[k] {
			if (f.reg > 0) == inRegs && x.target >= 0 {
				results[k][i].get(x.results[k], l.regs)
			}
		}
	}
}

// invoke executes a function on the lanes that are here.
func (w *walk) invoke(f *function, c *call, all []passed) {
	callers, called := make([]frame, len(w.lanes)), make([]bool, len(w.lanes))
	for i := range w.lanes {
		l := &w.lanes[i]
		if l.at != here {
			continue
		}
		called[i], callers[i] = true, l.frame
		fuel := c.fuel
		if c.deeper {
			fuel = l.fuel - 1
		}
		l.frame = frame{regs: make([]uint64, len(registers)), fuel: fuel}
		for reg := range registers {
			l.regs[reg] = f.origins[reg].value(w.p, reg, w.first+i, f.consts[reg])
		}
		for k := range f.loads {
			for n := range f.loads[k] {
				f.loads[k][n].get(all[i].args[k], l.regs)
			}
		}
	}
	ends, returned := w.ends, w.place()
	w.ends, w.calls = nil, append(w.calls, returned)
	w.run(f.steps)
	w.ends, w.calls = ends, w.calls[:len(w.calls)-1]
	w.move(returned, here, nil)
	for i := range w.lanes {
		l := &w.lanes[i]
		if !called[i] || l.at != here {
			continue
		}
		all[i].results = variables(f.results)
		for k := range f.stores {
			for n := range f.stores[k] {
				f.stores[k][n].put(all[i].results[k], l.regs)
			}
		}
		l.frame = callers[i]
	}
}

// leave ends lanes in a function, which store nothing.
func (w *walk) leave(s *step) {
	takes := w.takes(s)
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here && takes(i) {
			l.at, l.regs = gone, make([]uint64, len(registers))
			for _, space := range []int{sharedScratch, localScratch} {
				l.memory[space] = w.p.lanes[w.first+i].memory[space]
			}
		}
	}
}
