package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/source"
)

// NewDocument returns the report of a run that ended with err (nil for success) and an exit status. Launches without
// profiles have no counts, instructions and advice.
func NewDocument(r *Run, err error, exit int) *Document {
	o := object(r, err, exit)
	d := &Document{Schema: documentSchema, GPU: o.GPU, Divergence: o.Divergence, Untimed: r.Untimed, Launches: []Launch{}, Sources: []SourceFile{}, Dumps: []DumpData{},
		Findings: o.Findings, Expects: o.Expects, Summary: o.Summary}
	if r.Result == nil {
		return d
	}
	for i := range r.Result.Launches {
		d.Launches = append(d.Launches, newLaunch(&r.Result.Launches[i], modelOf(r.Plan)))
	}
	d.addSources(r.Sources)
	for i := range r.Result.Launches {
		d.addCompiled(r.Result.Launches[i].Profile)
	}
	for i := range r.Result.Dumps {
		dump := &r.Result.Dumps[i]
		d.Dumps = append(d.Dumps, DumpData{dump.Name, dump.Elem.String(), dump.Count, dump.Data()})
	}
	return d
}

// addSources adds the files of the functions of the launches.
func (d *Document) addSources(sources Sources) {
	known := make(map[string]bool)
	for i := range d.Launches {
		for _, in := range d.Launches[i].Instructions {
			if lines, ok := sources[in.File]; ok && !known[in.File] {
				known[in.File] = true
				d.Sources = append(d.Sources, SourceFile{in.File, lines})
			}
		}
	}
}

// addCompiled adds the sources from which the functions of a launch were compiled, where they can be read.
func (d *Document) addCompiled(p *profile.Profile) {
	if p == nil {
		return
	}
	for i := range p.Funcs {
		fn := &p.Funcs[i]
		for pc := range fn.Instrs {
			at := source.At(fn.Func, pc)
			known := slices.ContainsFunc(d.Sources, func(f SourceFile) bool { return f.Name == at.Pos().File })
			if !at.IsCompiled() || known {
				continue
			}
			if lines := source.Lines(fn.Func, at.Pos().File); lines != nil {
				d.Sources = append(d.Sources, SourceFile{at.Pos().File, lines})
			}
		}
	}
}

func newLaunch(l *launch.Launched, model divergence.Model) Launch {
	o := Launch{Kernel: cxx.Short(l.Kernel), Mangled: cxx.Mangled(l.Kernel), Grid: dimArray(l.Grid), Block: dimArray(l.Block), Cluster: clusterArray(l.Cluster), Shared: l.Shared, Blocks: l.Grid.Count(), Warps: isa.Warps(l.Grid, l.Block),
		Failed: l.Failed, Metrics: []Metric{}, Instructions: []Instruction{}, Functions: []string{}, Time: timeOf(l), Advice: []Advice{}, Uncompiled: uncompiledOf(l), Undefined: l.Stats.Undefined.Lines(), Left: leftOf(l),
		BlockFrom: map[launch.BlockFrom]string{launch.BlockReqNTID: "reqntid", launch.BlockDefault: "default"}[l.BlockFrom]}
	if l.Profile == nil {
		o.Counts.Runs, o.Counts.Lanes, o.Counts.DivergentBranches = l.Stats.WarpInstrs, l.Stats.LaneInstrs, l.Stats.DivergentBranches
		return o
	}
	if len(l.Profile.Funcs) > 0 {
		fn := l.Profile.Funcs[0].Func
		o.File, o.ShowPTX = source.File(fn), fn.Debug != nil && fn.Debug.ShowCode
	}
	o.Counts, o.Arrays, o.Buffers = l.Profile.Total, arraysOf(l.Profile), buffersOf(l.Profile)
	o.Counts.Time = nil // it is in o.Time
	for _, v := range profile.Values(&l.Profile.Total) {
		o.Metrics = append(o.Metrics, Metric{v.Name, v.NCU, v.Unit, v.Number})
	}
	control := make(map[site]bool)
	for i := range l.Profile.Funcs {
		o.addFunction(&l.Profile.Funcs[i], loweredBy(l, &l.Profile.Funcs[i], model))
		addControl(control, &l.Profile.Funcs[i])
	}
	o.nameFunctions()
	if l.Timing != nil {
		o.advise(l.Timing.GPU, control)
	} else {
		o.advise(nil, control)
	}
	return o
}

// loweredBy returns the machine instructions that a launch's clock charges for a function, by PC; nil if it has no
// clock, or one that takes them from a listing, or counts PTX.
func loweredBy(l *launch.Launched, fn *profile.Func, model divergence.Model) []cost.Instr {
	if t := l.Timing; t == nil || t.Options.Cost != cost.Lowered || t.Options.SASS != nil {
		return nil
	}
	return cost.Lower(fn.Func, flow.New(fn.Func), cost.Lowered, model == divergence.IndependentThreads)
}

// addFunction adds the instructions of an executed function. lowered is its machine instructions; nil if they are not
// known.
func (l *Launch) addFunction(fn *profile.Func, lowered []cost.Instr) {
	l.FunctionsMangled = append(l.FunctionsMangled, fn.Name)
	if !slices.ContainsFunc(fn.Instrs, func(c profile.Counts) bool { return c.Runs > 0 }) {
		return
	}
	var waited writers
	live, uniformities := flow.New(fn.Func).Live(fn.Func, nil), flow.Uniformities(fn.Func)
	for pc := range fn.Instrs {
		in := instruction{fn, pc}
		c := in.counts()
		o := Instruction{Name: nameOf(fn.Name), PC: pc, Place: placeOf(in.pos()), Text: in.text(), Live: live[pc], FLOPs: flopsIn(&in), Counts: *c}
		if c.Time != nil {
			o.Stalls = Stalls(c.Time.States)
			if _, state, _ := stalled(c); state == sm.LongScoreboard || state == sm.ShortScoreboard {
				if waited == nil {
					waited = writersIn(fn)
				}
				o.WaitsFor = waited.waitsFor(fn, pc, state)
			}
		}
		if lowered != nil {
			for _, s := range lowered[pc].Slots {
				o.Machine = append(o.Machine, s.Class.String())
			}
		}
		if at := in.place(); at.IsCompiled() {
			o.PTXLine, o.Code = at.Code.Line, at.Source()
			for _, f := range at.From {
				o.From = append(o.From, Frame{placeOf(f.Pos), f.Function})
			}
		}
		if c.Divergences > 0 {
			o.Uniformity = strings.TrimSuffix(uniformities[pc].String(), "-dependent")
		}
		l.Instructions = append(l.Instructions, o)
	}
}

// site is the place of an instruction in the code.
type site struct {
	function string
	pc       int
}

// addControl adds the branches of an executed function, and the instructions that compute their conditions: the
// latest writes before a branch to registers that it reads.
func addControl(control map[site]bool, fn *profile.Func) {
	written := make(map[isa.RegID]int) // PC of the latest write, by register
	for pc := range fn.Instrs {
		if fn.Instrs[pc].Branches > 0 {
			control[site{fn.Name, pc}] = true
			for read := range fn.Code[pc].Refs {
				if before, ok := written[read.Reg]; ok {
					control[site{fn.Name, before}] = true
				}
			}
		}
		for ref := range fn.Code[pc].Refs {
			if ref.Role.Writes() {
				written[ref.Reg] = pc
			}
		}
	}
}

// writers holds the PCs, in order, of a function's instructions that write a register, by the state in which a warp
// waits for their results.
type writers map[writer][]int

// writer is a register and a state.
type writer struct {
	reg   isa.RegID
	state sm.State
}

func writersIn(fn *profile.Func) writers {
	w := make(writers)
	for pc := range fn.Code {
		state := (&instruction{fn, pc}).pending()
		for ref := range fn.Code[pc].Refs {
			if key := (writer{ref.Reg, state}); ref.Role.Writes() {
				w[key] = append(w[key], pc)
			}
		}
	}
	return w
}

// latest returns the PC of the last write of a register before pc; in a loop, that write may follow pc. ok is false
// if only the instruction at pc writes it.
func (w writers) latest(key writer, pc int) (at int, ok bool) {
	all := w[key]
	i, _ := slices.BinarySearch(all, pc)
	switch last := len(all) - 1; {
	case i > 0:
		return all[i-1], true
	case last >= 0 && all[last] != pc:
		return all[last], true
	}
	return 0, false
}

// waitsFor returns the place of the latest instruction before pc that writes a register of the instruction at pc and
// makes warps wait in a state; in a loop, it may follow pc. It is nil if there is none.
func (w writers) waitsFor(fn *profile.Func, pc int, state sm.State) *Place {
	n := len(fn.Code)
	nearest := n // distance in instructions, backwards
	for ref := range fn.Code[pc].Refs {
		if at, ok := w.latest(writer{ref.Reg, state}, pc); ok {
			nearest = min(nearest, (pc-at+n)%n)
		}
	}
	if nearest == n {
		return nil
	}
	at := placeOf(source.At(fn.Func, (pc-nearest+n)%n).Pos())
	return &at
}

// instruction is an instruction of a profile, with its place and counts.
type instruction struct {
	fn *profile.Func
	pc int
}

func (in *instruction) counts() *profile.Counts { return &in.fn.Instrs[in.pc] }
func (in *instruction) place() source.Place     { return source.At(in.fn.Func, in.pc) }
func (in *instruction) pos() isa.Pos            { return in.place().Pos() }

// pending returns the state in which warps wait for the result: LongScoreboard for global or local memory;
// ShortScoreboard for other memory, special registers, special functions and exchanges between lanes; and Wait for
// the rest.
func (in *instruction) pending() sm.State {
	far := func(t profile.Traffic) bool { return t.Space == isa.Global || t.Space == isa.Local }
	code := &in.fn.Code[in.pc]
	switch {
	case slices.ContainsFunc(in.counts().Traffic, far):
		return sm.LongScoreboard
	case len(in.counts().Traffic) > 0 || code.Is(isa.Shuffle) || code.Is(isa.Vote) || readsSpecial(code):
		return sm.ShortScoreboard
	case code.Spec != nil && code.Later == "" && code.Spec.Unit(&isa.Variant{Types: code.Types, Mods: code.Mods}) == isa.XU:
		return sm.ShortScoreboard
	}
	return sm.Wait
}

// readsSpecial reports whether an instruction reads a special register.
func readsSpecial(code *isa.Instr) bool {
	return slices.ContainsFunc(code.Args, func(a isa.Operand) bool { return a.Kind == isa.SpecialOperand })
}

// text returns the instruction without its semicolon.
func (in *instruction) text() string { return strings.TrimSuffix(source.Text(in.fn.Func, in.pc), ";") }

// executed returns the executed instructions, function by function.
func executed(p *profile.Profile) []instruction {
	var ins []instruction
	for i := range p.Funcs {
		fn := &p.Funcs[i]
		for pc := range fn.Instrs {
			if fn.Instrs[pc].Runs > 0 {
				ins = append(ins, instruction{fn, pc})
			}
		}
	}
	return ins
}

// ReadDocument parses a Document in JSON, the inverse of json.Marshal.
func ReadDocument(text []byte) (*Document, error) {
	d := &Document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	if d.Schema != documentSchema {
		return nil, fmt.Errorf("the schema is %q, not %q", d.Schema, documentSchema)
	}
	for i := range d.Launches {
		d.Launches[i].restore()
	}
	return d, nil
}

// restore brings a launch of a file into the form that NewDocument gives it. Reports that were saved before they had
// names of the source have only those in PTX.
func (l *Launch) restore() {
	if l.Mangled == "" {
		l.Kernel, l.Mangled = cxx.Short(l.Kernel), cxx.Mangled(l.Kernel)
	}
	if l.FunctionsMangled == nil {
		l.FunctionsMangled = l.Functions
		l.nameFunctions()
	}
	for i := range l.Instructions {
		in := &l.Instructions[i]
		in.Name = nameOf(in.Symbol())
		in.restore()
	}
	for i := range l.Uncompiled {
		l.Uncompiled[i].Name = nameOf(l.Uncompiled[i].Symbol())
	}
	for i := range l.Left {
		l.Left[i].Name = nameOf(l.Left[i].Symbol())
	}
}

// nameFunctions gives the functions in the set of names in PTX their names in the source. It removes the names in PTX
// if they are the same.
func (l *Launch) nameFunctions() {
	l.Functions = make([]string, len(l.FunctionsMangled))
	for i, symbol := range l.FunctionsMangled {
		l.Functions[i] = cxx.Short(symbol)
	}
	if slices.Equal(l.Functions, l.FunctionsMangled) {
		l.FunctionsMangled = nil
	}
}

// symbols returns the names in PTX of the kernel and of the functions that it can reach.
func (l *Launch) symbols() []string {
	if l.FunctionsMangled != nil {
		return l.FunctionsMangled
	}
	return l.Functions
}

// restore copies the cycles of the states to the counts, where metrics read them.
func (in *Instruction) restore() {
	if states := sm.States(in.Stalls); states.Total() > 0 {
		in.Counts.Time = &profile.Time{States: states}
	}
}
