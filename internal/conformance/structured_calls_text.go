package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// scratchParams are the parameters with the addresses of scratch memory.
const scratchParams = 3

// declare returns a variable of the formal's kind.
func (f *formal) declare(name string) string {
	switch {
	case f.reg == 1:
		return ".reg .pred %" + name
	case f.reg > 0:
		return fmt.Sprintf(".reg .b%d %%%s", f.reg, name)
	case f.array:
		return fmt.Sprintf(".param .align %d .b8 %s[%d]", paramAlign, name, f.bytes)
	}
	return fmt.Sprintf(".param .b%d %s", 8*f.bytes, name)
}

// head returns "(results) name (parameters)"; _ instead of the names of all in a prototype.
func (s *signature) head(name string) string {
	list := func(letter string, all []formal) (vars []string) {
		for i := range all {
			v := all[i].declare(fmt.Sprint(letter, i))
			if name == "_" {
				v = strings.Replace(strings.Replace(v, "%", "", 1), fmt.Sprint(letter, i), "_", 1)
			}
			vars = append(vars, v)
		}
		return vars
	}
	params := list("a", s.params)
	if s.fuel {
		params = append(params, map[bool]string{false: ".reg .b32 %fuel", true: ".reg .b32 _"}[name == "_"])
	}
	for i := range scratchParams {
		if s.memory {
			params = append(params, map[bool]string{false: fmt.Sprint(".param .b64 m", i), true: ".param .b64 _"}[name == "_"])
		}
	}
	results := ""
	if len(s.results) > 0 {
		results = "(" + strings.Join(list("c", s.results), ", ") + ") "
	}
	return results + name + " (" + strings.Join(params, ", ") + ")"
}

// functions writes the functions.
func (w *structuredText) functions() string {
	var b strings.Builder
	for i := range w.p.funcs {
		fmt.Fprintf(&b, ".func %s;\n", w.p.funcs[i].head(fmt.Sprint("f", i)))
	}
	var bodies strings.Builder
	for i := range w.p.funcs {
		f := &w.p.funcs[i]
		x := &structuredText{p: w.p, labels: w.labels, f: f}
		x.function()
		w.labels = x.labels
		w.tables = append(w.tables, x.tables...)
		fmt.Fprintf(&bodies, ".func %s\n{\n%s}\n", f.head(fmt.Sprint("f", i)), x.String())
	}
	return b.String() + strings.Join(w.tables, "") + bodies.String()
}

// function writes the body of a function, which initialises only the registers that it reads.
func (w *structuredText) function() {
	declareRegisters(&w.kernelText)
	w.registers()
	read, counts := make([]bool, len(registers)), false
	reads(w.f.steps, func(reg int) { read[reg] = true }, &counts)
	for _, all := range w.f.stores {
		for _, x := range all {
			for _, reg := range x.regs {
				read[reg] = true
			}
		}
	}
	if counts {
		w.number(w.p.block)
	}
	for i, reg := range registers {
		if read[i] && reg.bits > 0 {
			w.origin(i, w.f.origins[i], w.f.consts[i])
		}
	}
	for k := range w.f.loads {
		for i := range w.f.loads[k] {
			w.transfer(&w.f.loads[k][i], &w.f.params[k], "a", k, false, "")
		}
	}
	for i := range scratchParams {
		if w.f.memory {
			w.line("ld.param.u64 %%%s, [m%d];", scratchSpaces[i], i)
			w.line("cvta.%s.u64 %%generic_%[1]s, %%%[1]s;", scratchSpaces[i])
		}
	}
	w.steps(w.f.steps)
	w.results()
	w.line("ret;")
}

// results writes the results of a function.
func (w *structuredText) results() {
	for k := range w.f.stores {
		for i := range w.f.stores[k] {
			w.transfer(&w.f.stores[k][i], &w.f.results[k], "c", k, true, "")
		}
	}
}

// registers declares those that structured programs have in addition.
func (w *structuredText) registers() {
	w.line(".reg .b32 %%k<%d>;", maxDepth)
	w.line(".reg .b32 %%z;")
	w.line(".reg .b64 %%first, %%callee, %%cells, %%extra;")
	w.line(".reg .b32 %%old, %%new;")
	w.line(".reg .b128 %%q<%d>;", numWide)
	w.line(".reg .pred %%l, %%g;")
}

// transfer writes a transfer to variable k of a kind, or from it.
func (w *structuredText) transfer(x *transfer, f *formal, letter string, k int, store bool, guard string) {
	var names []string
	for _, reg := range x.regs {
		if reg < 0 {
			names = append(names, fmt.Sprint(x.constant))
		} else {
			names = append(names, registers[reg].name)
		}
	}
	list := strings.Join(names, ", ")
	if f.reg > 0 {
		to, from := list, fmt.Sprint("%", letter, k)
		if store {
			to, from = from, to
		}
		typ := fmt.Sprintf("b%d", f.reg)
		if f.reg == 1 {
			typ = "pred"
		}
		w.line("%smov.%s %s, %s;", guard, typ, to, from)
		return
	}
	vector := ""
	if len(names) > 1 {
		vector, list = fmt.Sprintf(".v%d", len(names)), "{"+list+"}"
	}
	place := fmt.Sprintf("[%s%d+%d]", letter, k, x.at)
	if store {
		w.line("%sst.param%s.%s %s, %s;", guard, vector, x.typ, place, list)
	} else {
		w.line("%sld.param%s.%s %s, %s;", guard, vector, x.typ, list, place)
	}
}

// call writes a callStep.
func (w *structuredText) call(s *step) {
	c := s.call
	sig := w.p.funcs[c.targets[0]].signature
	guard := ""
	switch {
	case c.deeper && s.pred >= 0:
		w.line("setp.ne.and.u32 %%g, %%fuel, 0, %s%s;", map[bool]string{true: "!"}[s.complement], registers[s.pred].name)
		guard = "@%g "
	case c.deeper:
		w.line("setp.ne.u32 %%g, %%fuel, 0;")
		guard = "@%g "
	case s.pred >= 0:
		w.line("mov.pred %%g, %s;", registers[s.pred].name)
		guard = "@" + map[bool]string{true: "!"}[s.complement] + "%g "
	}
	callee, suffix := w.callee(c, sig)
	w.line("{")
	args := w.arguments(c, sig)
	w.steps(s.arms[0])
	var results []string
	for k, f := range sig.results {
		if f.reg > 0 {
			results = append(results, registers[c.results[k][0].regs[0]].name)
		} else {
			results = append(results, fmt.Sprint("c", k))
		}
	}
	list := ""
	if len(results) > 0 {
		list = "(" + strings.Join(results, ", ") + "), "
	}
	if c.deeper {
		w.line("sub.u32 %%v, %%fuel, 1;")
	}
	uniform := ""
	if guard == "" && suffix == "" && w.label()%2 == 0 {
		uniform = ".uni"
	}
	w.line("%scall%s %s%s, (%s)%s;", guard, uniform, list, callee, strings.Join(args, ", "), suffix)
	if w.p.carries && w.f == nil {
		w.line("add.cc.u32 %%v, %%v, 0;") // PTX does not keep the carry flag in a call
	}
	w.steps(s.arms[1])
	for k := range sig.results {
		for i := range c.results[k] {
			if sig.results[k].reg == 0 {
				w.transfer(&c.results[k][i], &sig.results[k], "c", k, false, guard)
			}
		}
	}
	w.line("}")
}

// callee writes what finds the callee, and returns its name or register and what follows the arguments.
func (w *structuredText) callee(c *call, sig *signature) (callee, suffix string) {
	name := func(i int) string { return fmt.Sprint("f", c.targets[i]) }
	if c.selector < 0 {
		return name(0), ""
	}
	n := w.label()
	var names []string
	for i := range c.targets {
		names = append(names, name(i))
	}
	list := strings.Join(names, ", ")
	if slices.Sort(names); c.listed {
		w.line("P%d: .calltargets %s;", n, strings.Join(slices.Compact(names), ", "))
	} else {
		w.line("P%d: .callprototype %s;", n, sig.head("_"))
	}
	w.line("and.b32 %%v, %s, %d;", registers[c.selector].name, len(c.targets)-1)
	if c.table != "" {
		w.tables = append(w.tables, fmt.Sprintf(".%s .u64 table%d[%d] = {%s};\n", c.table, n, len(c.targets), list))
		w.line("mov.u64 %%callee, table%d;", n)
		w.line("mad.wide.u32 %%callee, %%v, 8, %%callee;")
		w.line("ld.%s.u64 %%callee, [%%callee];", c.table)
		return "%callee", fmt.Sprint(", P", n)
	}
	w.line("mov.u64 %%callee, %s;", name(0))
	for i := 1; i < len(c.targets); i++ {
		w.line("setp.eq.u32 %%l, %%v, %d;", i)
		w.line("@%%l mov.u64 %%callee, %s;", name(i))
	}
	return "%callee", fmt.Sprint(", P", n)
}

// arguments writes the declarations of .param variables and the stores to them, and returns the arguments.
func (w *structuredText) arguments(c *call, sig *signature) (args []string) {
	for k := range sig.params {
		if f := &sig.params[k]; f.reg == 0 {
			w.line("%s;", f.declare(fmt.Sprint("a", k)))
		}
	}
	for k := range sig.results {
		if f := &sig.results[k]; f.reg == 0 {
			w.line("%s;", f.declare(fmt.Sprint("c", k)))
		}
	}
	for k := range sig.params {
		x := c.args[k]
		switch {
		case sig.params[k].reg > 0 && x[0].regs[0] < 0:
			args = append(args, fmt.Sprint(x[0].constant))
		case sig.params[k].reg > 0:
			args = append(args, registers[x[0].regs[0]].name)
		default:
			args = append(args, fmt.Sprint("a", k))
			for i := range x {
				w.transfer(&x[i], &sig.params[k], "a", k, true, "")
			}
		}
	}
	if sig.fuel && c.deeper {
		args = append(args, "%v")
	} else if sig.fuel {
		args = append(args, fmt.Sprint(c.fuel))
	}
	for i := range scratchParams {
		if sig.memory {
			w.line(".param .b64 m%d;", i)
			w.line("st.param.b64 [m%d], %%%s;", i, scratchSpaces[i])
			args = append(args, fmt.Sprint("m", i))
		}
	}
	return args
}

// reads calls read for every register that steps read, and sets counts if they read the number of the thread.
func reads(steps []step, read func(reg int), counts *bool) {
	for i := range steps {
		s := &steps[i]
		switch s.kind {
		case computeStep:
			for _, src := range s.in.src {
				if src.reg >= 0 {
					read(src.reg)
				}
			}
			if s.in.guard >= 0 {
				read(s.in.guard)
			}
			if len(s.in.dst) > 0 { // lanes without the guard keep them
				for _, reg := range s.in.dst {
					if reg != sink {
						read(reg)
					}
				}
			}
		case switchStep:
			read(s.selector)
		case contentionStep:
			for _, reg := range []int{s.contends.operand, s.contends.index} {
				if reg >= 0 {
					read(reg)
				}
			}
		case wideStep:
			for _, reg := range append(s.wide.halves[:], s.wide.index) {
				if reg >= 0 {
					read(reg)
				}
			}
		case loopStep:
			*counts = *counts || s.varied
		case tableStep:
			*counts = true
			for _, reg := range s.table.dst {
				if reg != sink {
					read(reg)
				}
			}
		case callStep:
			if s.call.selector >= 0 {
				read(s.call.selector)
			}
			for _, x := range slices.Concat(slices.Concat(s.call.args...), slices.Concat(s.call.results...)) {
				for _, reg := range x.regs {
					if reg >= 0 {
						read(reg)
					}
				}
			}
		}
		if s.index >= 0 {
			read(s.index)
		}
		if s.pred >= 0 {
			read(s.pred)
		}
		for _, arm := range s.arms {
			reads(arm, read, counts)
		}
	}
}
