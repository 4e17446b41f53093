package conformance

import (
	"fmt"
	"strings"
)

// structuredText writes a program as PTX.
type structuredText struct {
	kernelText
	p      *Structured
	f      *function // that is written; nil: the kernel
	tables []string  // of addresses of functions
	labels int
	ends   []string // of the loops around a step; next labels begin with N instead of E
}

// Launch returns the launch of the program, which stores the registers that are shown and all memory of each lane in
// the second of its two buffers.
func (p *Structured) Launch() Launch {
	var before, after []byte
	for i := range p.lanes {
		before = p.lanes[i].appendTo(before)
		l := p.lanes[i].clone()
		clear(l.regs)
		after = l.appendTo(after)
	}
	_, params := p.params()
	if p.usesExtra() {
		after = append(after, cellData(p.initialCells(globalScratch))...)
		after = append(after, make([]byte, len(p.lanes)*extraBytes)...)
	}
	tr := trial{src: p.source(), params: params, grid: p.grid, block: p.block, buffers: [][]byte{before, after}}
	return tr.launch()
}

// source writes the program.
func (p *Structured) source() string {
	if p.narrow {
		return narrowed(p.kernel())
	}
	return p.kernel()
}

func (p *Structured) kernel() string {
	w := &structuredText{p: p}
	declareLanes(&w.kernelText, &p.shape)
	w.registers()
	w.line("ld.param.u64 %%first, [in];")
	for i := range registers {
		w.origin(i, p.origins[i], p.lanes[0].regs[i])
	}
	w.startExtra()
	w.startCells()
	w.steps(p.steps)
	w.show(true)
	params, _ := p.params()
	return header + p.declareTables() + p.declareCells() + w.functions() + ".visible .entry k" + params + p.directive() + "\n{\n" + w.String() + "\tret;\n}\n"
}

// String returns the steps as PTX.
func (p *Structured) String() string {
	w := &structuredText{p: p}
	for i := range registers {
		w.origin(i, p.origins[i], p.lanes[0].regs[i])
	}
	w.steps(p.steps)
	return fmt.Sprintf("// grid %v, block %v\n%s{\n%s}\n", p.grid, p.block, w.functions(), w.String())
}

// origin initialises register i, which has the value in the first thread.
func (w *structuredText) origin(i int, o origin, value uint64) {
	switch reg := registers[i]; {
	case o.kind == unsetOrigin:
	case o.kind == perLane:
		reg.load(&w.kernelText, fmt.Sprintf("%%in+%d", 8*i))
	case o.kind == loadedScalar:
		reg.load(&w.kernelText, fmt.Sprintf("%%first+%d", 8*i))
	case o.kind == specialOrigin && reg.bits == 1:
		w.line("setp.lt.u32 %s, %s, %d;", reg.name, o.special, o.stride)
	case o.kind == specialOrigin && reg.bits == 32:
		w.line("mov.u32 %s, %s;", reg.name, o.special)
	case o.kind == specialOrigin:
		w.line("cvt.u%d.u32 %s, %s;", reg.bits, reg.name, o.special)
	case o.kind == affineOrigin && reg.bits == 64 && int64(o.stride) < 0:
		w.line("mad.wide.s32 %s, %%t, %d, %d;", reg.name, int64(o.stride), value)
	case o.kind == affineOrigin && reg.bits == 64:
		w.line("mad.wide.u32 %s, %%t, %d, %d;", reg.name, o.stride, value)
	case o.kind == affineOrigin && reg.bits == 32:
		w.line("mad.lo.u32 %s, %%t, %d, %d;", reg.name, int32(uint32(o.stride)), value)
	case o.kind == affineOrigin: // the first lanes
		w.line("setp.lt.u32 %s, %%t, %d;", reg.name, o.stride)
	case reg.bits == 1:
		w.line("setp.ne.u32 %s, %%ctaid.x, %d;", reg.name, value)
	default:
		w.line("mov.b%d %s, %d;", reg.bits, reg.name, value)
	}
}

// show stores the registers that are shown, the carry flag first, and all memory; last is set at the end of the
// program.
func (w *structuredText) show(last bool) {
	for i := range registers {
		k := (i + carryRegister()) % len(registers)
		if w.p.shown[k] {
			registers[k].store(&w.kernelText, fmt.Sprintf("%%global+%d", 8*k-scratchAt(globalScratch)))
		}
	}
	showScratch(&w.kernelText)
	w.showExtra(last)
}

func (w *structuredText) steps(steps []step) {
	for i := range steps {
		w.step(&steps[i])
	}
}

// label returns a new label's number.
func (w *structuredText) label() int {
	w.labels++
	return w.labels
}

func (w *structuredText) step(s *step) {
	guard := ""
	if s.pred >= 0 {
		guard = "@" + map[bool]string{true: "!"}[s.complement] + registers[s.pred].name + " "
	}
	switch s.kind {
	case computeStep:
		w.compute(s)
	case barrierStep:
		w.barrier(s)
	case branchStep:
		w.line("@%s%s bra O%d;", map[bool]string{false: "!"}[s.complement], registers[s.pred].name, w.label())
		w.branch(s, w.labels)
	case evenStep:
		what := s.special // the same in all lanes of a warp
		if what == "" {
			what = fmt.Sprint("%k", s.depth)
		}
		w.line("setp.%s.u32 %%l, %s, %d;", s.op, what, s.bound)
		w.line("@!%%l bra%s O%d;", map[bool]string{true: ".uni"}[s.special != ""], w.label())
		w.branch(s, w.labels)
	case specialStep:
		w.line("mov.u32 %s, %s;", registers[s.reg].name, s.special)
	case matrixStep:
		s.matrix.write(&w.kernelText)
	case switchStep:
		w.choose(s)
	case loopStep:
		w.loop(s)
	case breakStep:
		w.line("%sbra E%s;", guard, w.ends[s.depth])
	case continueStep:
		w.line("%sbra N%s;", guard, w.ends[s.depth])
	case copyStep:
		s.copy.write(&w.kernelText, guard)
	case contentionStep:
		w.contend(s, guard)
	case wideStep:
		s.wide.write(w, guard)
	case tableStep:
		w.load(s.table)
	case callStep:
		w.call(s)
	case returnStep:
		w.results()
		w.line("%sret;", guard)
	case exitStep:
		if w.f != nil {
			w.line("%sexit;", guard)
			return
		}
		n := w.label()
		w.line("@%s%s bra X%d;", map[bool]string{false: "!"}[s.complement], registers[s.pred].name, n)
		w.show(false)
		w.line([]string{"exit;", "ret;"}[n%2])
		w.line("X%d:", n)
	}
}

func (w *structuredText) barrier(s *step) {
	if s.op == "" {
		w.line("bar.sync 0;")
		return
	}
	typ := map[bool]string{false: "pred", true: "u32"}[s.op == "popc"]
	w.line("bar.red.%s.%s %s, 0, %s%s;", s.op, typ, registers[s.reg].name, map[bool]string{true: "!"}[s.complement], registers[s.pred].name)
}

func (w *structuredText) compute(s *step) {
	in := s.in
	if s.index >= 0 {
		w.line("and.b32 %%v, %s, %d;", registers[s.index].name, s.places()-1)
		in.by, in.at = w.address(s)
	}
	text := in.String()
	if s.strong != "" {
		text = strings.Replace(text, in.op+".", in.op+"."+s.strong+".", 1)
	}
	w.line("%s", text)
}

// branch writes the sides of branch n, whose second one is at label O.
func (w *structuredText) branch(s *step, n int) {
	otherwise := s.arms[1]
	w.steps(s.arms[0])
	if otherwise != nil {
		w.line("bra J%d;", n)
	}
	w.line("O%d:", n)
	if otherwise != nil {
		w.steps(otherwise)
		w.line("J%d:", n)
	}
}

func (w *structuredText) choose(s *step) {
	n := w.label()
	var cases []string
	for i := range s.arms {
		cases = append(cases, fmt.Sprintf("C%d_%d", n, i))
	}
	w.line("T%d: .branchtargets %s;", n, strings.Join(cases, ", "))
	w.line("and.b32 %%v, %s, %d;", registers[s.selector].name, len(s.arms)-1)
	w.line("brx.idx %%v, T%d;", n)
	for i, arm := range s.arms {
		w.line("%s:", cases[i])
		w.steps(arm)
		if !s.falls[i] {
			w.line("bra J%d;", n)
		}
	}
	w.line("J%d:", n)
}

func (w *structuredText) loop(s *step) {
	n, counter := w.label(), fmt.Sprint("%k", s.depth)
	if s.varied {
		w.line("and.b32 %s, %%t, %d;", counter, s.count-1)
		w.line("add.u32 %s, %[1]s, 1;", counter)
	} else {
		w.line("mov.u32 %s, %d;", counter, s.count)
	}
	w.line("H%d:", n)
	if s.first {
		w.line("setp.eq.u32 %%l, %s, 0;", counter)
		w.line("@%%l bra E%d;", n)
	}
	w.ends = append(w.ends, fmt.Sprint(n))
	w.steps(s.arms[0])
	w.ends = w.ends[:len(w.ends)-1]
	w.line("N%d:", n)
	w.line("sub.u32 %s, %[1]s, 1;", counter)
	if s.first {
		w.line("bra H%d;", n)
	} else {
		w.line("setp.ne.u32 %%l, %s, 0;", counter)
		w.line("@%%l bra H%d;", n)
	}
	w.line("E%d:", n)
}
