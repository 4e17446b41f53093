package check

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// unwritten is a place that was read before it was written.
type unwritten struct {
	rule interp.Rule
	what string // "register %r9", "shared memory s+0x4..0x7"
	// declared is where the variable is declared; not valid for other places.
	declared isa.Pos
	// reader is the instruction that read it, and the lanes of its first execution. A register has none before it is read.
	reader *isa.Instr
	place  source.Place
	text   string
	where  interp.Where
	region *memory.Region // of unwritten global memory, else nil
	// padding says that the first execution of the reader, in code of a compiler, found only bytes undefined that may be
	// between members of a structure.
	padding bool
}

// unsetParam is a .param variable of a call that is passed before it is written.
var unsetParam = &unwritten{rule: interp.RuleInitParam, what: "a .param variable"}

// initFindings are the uses that an Init has found.
type initFindings struct {
	places   map[initKey]*unwritten
	warnings map[*unwritten]*interp.Warning
	order    []*unwritten
	leaving  []leaving
	left     map[*unwritten]int // number of its entries in leaving
}

// initKey identifies a place that was read: a register, or a variable with the instruction that read it.
type initKey struct {
	fn   *isa.Func
	reg  isa.RegID
	in   *isa.Instr
	name string
}

// initUse is an instruction that uses undefined values.
type initUse struct {
	in    *isa.Instr
	place source.Place
	text  string
	where interp.Where
}

// leaving is a store of undefined values to global memory, which is a use if they are there at the end.
type leaving struct {
	use      initUse
	region   *memory.Region
	off, end uint64
	from     *unwritten
	elem     uint64 // bytes of an element of the store
}

// mostLeaving is how many stores are remembered for each place that was not written.
const mostLeaving = 256

func newInitFindings() initFindings {
	return initFindings{places: make(map[initKey]*unwritten), warnings: make(map[*unwritten]*interp.Warning), left: make(map[*unwritten]int)}
}

// useAt returns an instruction of lanes as a use.
func (c *Init) useAt(at *interp.Place, w *interp.Window, pc int, m lanes.Mask) initUse {
	return initUse{&w.Func.Src.Code[pc], source.At(w.Func.Src, pc), w.Func.Src.Text(pc), interp.Where{CTA: at.CTA, Warp: at.Warp, Lanes: m}}
}

// register returns a register of a function as a place that was not written.
func (c *Init) register(fn *program.Func, r isa.RegID) *unwritten {
	key := initKey{fn: fn.Src, reg: r}
	u := c.places[key]
	if u == nil {
		u = &unwritten{rule: interp.RuleInitRegister, what: "register " + fn.Src.Regs[r].Name}
		if fn.Src.Debug != nil {
			u.what = "a local variable"
		}
		c.places[key] = u
	}
	return u
}

// memory returns the unwritten place that is the origin of undefined memory that lanes of a load or atomic read: the
// origin of the stored bits or, if none were stored, the memory itself.
func (c *Init) memory(at *interp.Place, sp *initSpace, a *interp.Access, m lanes.Mask) *unwritten {
	lane := firstLane(m)
	off := a.At(lane)
	if from := sp.origin(off, a.Size); from != nil {
		return from
	}
	rule, v, off := c.place(sp, a, off)
	use, name, declared := c.useAt(at, a.Window(), a.PC, m), "", isa.Pos{}
	switch {
	case v != nil:
		if name = v.Name; !use.place.IsCompiled() {
			declared = v.Pos
		}
		if off -= v.Addr; rule == interp.RuleInitLocal {
			off -= a.Window().Local
		}
	case sp.region != nil:
		name = sp.region.Name
	case rule == interp.RuleInitParam && len(use.in.Args) > 1:
		name = use.in.Args[1].Sym
	}
	key := initKey{in: use.in, name: name}
	u := c.places[key]
	if u == nil {
		text, owner := spaceNames[rule], ""
		switch {
		case cxx.IsStackFrame(name):
			text = cxx.StackFrame
		case name == "" && rule == interp.RuleInitLocal && use.place.IsCompiled() && off < a.Window().Local:
			text, owner = cxx.StackFrame, " of a caller"
		case rule == interp.RuleInitParam && use.place.IsCompiled() && calledFor(a.Window().Func.Src, name) != "":
			text = "the value that " + calledFor(a.Window().Func.Src, name) + " returns"
		case sp.region != nil && sp.region.IsShared():
			text = name // which says what kind of memory it is
		case name != "":
			text += " " + cxx.Variable(name)
		}
		if rule != interp.RuleInitParam {
			text = fmt.Sprintf("%s+0x%x..0x%x%s", text, off, off+a.Size-1, owner)
		}
		u = &unwritten{rule: rule, what: text, declared: declared, reader: use.in, place: use.place, text: use.text, where: use.where, region: sp.region,
			padding: use.place.IsCompiled() && onlyPadding(sp.undefined[a.At(lane):][:a.Size], elementOf(a, use.in))}
		c.places[key] = u
	}
	return u
}

// calledFor returns the name in the source of the function whose result a .param variable gets; "" if there is none, or
// if the function is called by its address.
func calledFor(fn *isa.Func, param string) string {
	for i := range fn.Code {
		if in := &fn.Code[i]; in.Call != nil && !in.Indirect() && len(in.Call.Rets) > 0 && in.Call.Rets[0].Sym == param {
			return source.Name(in.Args[0].Sym)
		}
	}
	return ""
}

// place returns the rule for memory, its variable, and the offset there.
func (c *Init) place(sp *initSpace, a *interp.Access, off uint64) (rule interp.Rule, v *program.Variable, in uint64) {
	w, lane := a.Window(), uint64(len(a.Mem)/lanes.Width)
	switch isa.Space(a.Space) {
	case isa.Global:
		return interp.RuleInitGlobal, nil, off
	case isa.Param:
		return interp.RuleInitParam, nil, off % lane
	case isa.Local:
		v = c.variableAt(isa.Local, w.Func.Src, off%lane-w.Local)
		return interp.RuleInitLocal, v, off % lane
	}
	return interp.RuleInitShared, c.variableAt(isa.Shared, w.Func.Src, off), off
}

// variableAt returns the variable at an offset in shared memory, or in the local memory of an activation of a function;
// nil if none is there.
func (c *Init) variableAt(space isa.Space, fn *isa.Func, off uint64) *program.Variable {
	for i := range c.variables {
		v := &c.variables[i]
		if v.Space == space && (space == isa.Shared || v.Func == fn) && off-v.Addr < uint64(v.Bytes) {
			return v
		}
	}
	return nil
}

// spaceNames has what messages call the memory of a rule.
var spaceNames = map[interp.Rule]string{interp.RuleInitGlobal: "global memory", interp.RuleInitShared: "shared memory", interp.RuleInitLocal: "local memory",
	interp.RuleInitParam: "the .param variable"}

// use reports that an instruction uses values that come from a place; how says what it does with them.
func (c *Init) use(u initUse, from *unwritten, how string) {
	if w := c.warnings[from]; w != nil {
		w.Count++
		return
	}
	c.warnings[from] = from.warning(u, how)
	c.order = append(c.order, from)
}

// warning describes the first use of the place.
func (from *unwritten) warning(u initUse, how string) *interp.Warning {
	w := &interp.Warning{Error: true, Place: u.place, Where: u.where, Rule: from.rule, Text: u.text, Count: 1, Warps: 1, Blocks: 1,
		Msg:      fmt.Sprintf("%s depends on %s, which was never written", how, from.what),
		Involved: []interp.Involved{{Role: interp.Affects, Where: u.where, Barrier: -1}}}
	if from.reader != nil && from.reader != u.in {
		w.Involved = append(w.Involved, interp.Involved{Role: interp.Reads, Where: from.where, Place: from.place, Text: from.text, Barrier: -1})
	}
	if from.declared.IsValid() {
		w.Msg += fmt.Sprintf(" (declared at %s)", from.declared)
	}
	return w
}

// leave records that an instruction stores undefined values to global memory.
func (c *Init) leave(u initUse, sp *initSpace, a *interp.Access, from *unwritten) {
	sp.region.Depends = true
	if c.left[from] >= mostLeaving || from == nil {
		return
	}
	for left := u.where.Lanes; left != 0; left &= left - 1 {
		off := a.At(firstLane(left))
		c.leaving = append(c.leaving, leaving{u, sp.region, off, off + a.Size, from, elementOf(a, u.in)})
		c.left[from]++
	}
}

// Warnings returns the findings in the order of their first occurrence. It is called once, after the launch. A value in
// global memory at the end is used then, or if hostReads is set when memory.Region.HostRead says so.
func (c *Init) Warnings(hostReads bool) (all []interp.Warning) {
	later := make(map[*unwritten]*interp.Warning)
	for i := range c.leaving {
		l := &c.leaving[i]
		switch {
		case l.region.Freed() || !anySet(l.region.Unwritten[l.off:l.end]):
		case l.from.padding && onlyPadding(l.region.Unwritten[l.off:l.end], l.elem):
		case !hostReads || c.warnings[l.from] != nil:
			c.use(l.use, l.from, inMemory)
		default:
			if later[l.from] == nil {
				later[l.from] = l.from.warning(l.use, inMemory)
			}
			l.region.Leave(memory.Leaving{Off: l.off, End: l.end, Use: later[l.from]})
		}
	}
	c.leaving = nil
	for _, sp := range c.global {
		if sp != nil {
			sp.region.KeepStored()
		}
	}
	for _, from := range c.order {
		all = append(all, *c.warnings[from])
	}
	return all
}

// onlyPadding reports whether the undefined bytes of an access are between members of structures, which are copied with
// them: in each element they begin after a defined byte, and are fewer than the alignment of what follows them.
func onlyPadding(undefined []byte, elem uint64) bool {
	for ; uint64(len(undefined)) >= elem; undefined = undefined[elem:] {
		for i := 0; i < int(elem); i++ {
			begin := i
			for i < int(elem) && undefined[i] != 0 {
				i++
			}
			if i > begin && (begin == 0 || i-begin >= i&-i) {
				return false
			}
		}
	}
	return true
}

// elementOf returns the bytes of an element of an access.
func elementOf(a *interp.Access, in *isa.Instr) uint64 {
	return max(a.Size/uint64(max(in.Mods.VecLen(), 1)), 1)
}

// inMemory is the name of a stored value in messages.
const inMemory = "a result in global memory"
