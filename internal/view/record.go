package view

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// record has the instructions that warps have executed.
type record struct {
	launches []launchRecord
	executed int64 // instructions, of all launches
	findings []Finding
}

// launchRecord has the instructions that the warps of a launch have executed, in the order of execution.
type launchRecord struct {
	Launch
	fns    []*isa.Func
	places []map[int]isa.Pos // by function and PC: positions in the source that is shown
	all    []passage
	warps  map[int64][]int32 // indices in all, by the warp's number in the grid
	steps  int64             // the last step
	lines  map[lineAt]*Line  // counts by line

	branches map[codeAt]branchRecord // at which warps diverged
}

// lineAt is a line of a file.
type lineAt struct {
	file string
	line int32
}

// passage is a debugger.Passage in 24 bytes.
type passage struct {
	step  int64
	warp  int32
	pc    int32
	mask  lanes.Mask
	fn    uint16
	deeds debugger.Deed
}

// newRecord executes the launches of a debugger, at most some instructions of warps, and records that.
func newRecord(ctx context.Context, d *debugger.Debugger, limit int64) (*record, error) {
	for _, l := range d.Program().Launches {
		if n := warpsOf(l.Block) * l.Grid.Count(); n > math.MaxInt32 {
			return nil, fmt.Errorf("%s has %d warps; launches of up to %d can be viewed", cxx.Short(l.Kernel), n, math.MaxInt32)
		}
	}
	r := &record{}
	r.begin(d)
	err := d.Record(ctx, limit, func(p *debugger.Passage) {
		for p.Launch >= len(r.launches) {
			r.begin(d)
		}
		l := &r.launches[p.Launch]
		l.warps[p.Warp] = append(l.warps[p.Warp], int32(len(l.all)))
		l.all = append(l.all, passage{p.Step, int32(p.Warp), int32(p.PC), p.Mask, uint16(p.Func), p.Deeds})
		l.steps = max(l.steps, p.Step+1)
		l.count(d, p)
		l.noteBranch(d, p)
		r.executed++
	})
	return r, err
}

// warpsOf returns the number of warps of a block.
func warpsOf(block isa.Dim) int64 { return (block.Count() + lanes.Width - 1) / lanes.Width }

// begin adds the launch that follows those of the record.
func (r *record) begin(d *debugger.Debugger) {
	l := &d.Program().Launches[len(r.launches)]
	per := warpsOf(l.Block)
	r.launches = append(r.launches, launchRecord{
		Launch: Launch{Kernel: cxx.Short(l.Kernel), Grid: [3]uint32{l.Grid.X, l.Grid.Y, l.Grid.Z}, Block: [3]uint32{l.Block.X, l.Block.Y, l.Block.Z},
			Warps: per * l.Grid.Count(), PerBlock: per},
		warps: make(map[int64][]int32), lines: make(map[lineAt]*Line), branches: make(map[codeAt]branchRecord),
	})
}

// count counts an instruction at its line.
func (l *launchRecord) count(d *debugger.Debugger, p *debugger.Passage) {
	at := l.place(d, p.Func, p.PC)
	one := l.lines[at]
	if one == nil {
		one = &Line{File: at.file, Line: at.line}
		l.lines[at] = one
	}
	one.Passes++
	one.Lanes += int64(p.Mask.Count())
}

// place returns the line of an instruction of the launch that is being recorded, or was.
func (l *launchRecord) place(d *debugger.Debugger, fn, pc int) lineAt {
	if l.fns == nil {
		l.fns = d.Functions()
		l.places = make([]map[int]isa.Pos, len(l.fns))
	}
	if l.places[fn] == nil {
		l.places[fn] = make(map[int]isa.Pos)
	}
	pos, ok := l.places[fn][pc]
	if !ok {
		pos = d.Position(fn, pc)
		l.places[fn][pc] = pos
	}
	return lineAt{pos.File, pos.Line}
}

// launchesOf returns the launches that have begun.
func (r *record) launchesOf(d *debugger.Debugger) []Launch {
	all := []Launch{}
	for i := range r.launches {
		l := &r.launches[i]
		l.Instructions = int64(len(l.all))
		if now := d.Now(); now.Launch == i && d.IsOver() {
			l.steps = max(l.steps, now.Step)
		}
		l.Steps = l.steps
		all = append(all, l.Launch)
	}
	return all
}

// has reports, as an error, that there is no such launch or warp.
func (r *record) has(launch int, warp int64) error {
	if launch < 0 || launch >= len(r.launches) {
		return fmt.Errorf("no launch %d; 0 to %d were begun", launch, len(r.launches)-1)
	}
	if n := r.launches[launch].Warps; warp < 0 || warp >= n {
		return fmt.Errorf("no warp %d; launch %d has 0 to %d", warp, launch, n-1)
	}
	return nil
}

// index returns the number of the first instruction of a warp at a step or later.
func (l *launchRecord) index(warp, step int64) int {
	of := l.warps[warp]
	i, _ := slices.BinarySearchFunc(of, step, func(i int32, step int64) int { return compare(l.all[i].step, step) })
	return i
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// letters of deeds in marks, in the order of the marks.
var letters = []struct {
	deed   debugger.Deed
	letter byte
	name   string
}{
	{debugger.Diverged, 'D', "divergence"},
	{debugger.Reconverge, 'R', "reconvergence"},
	{debugger.Arrived, 'B', "barrier"},
	{debugger.Exited, 'X', "exit"},
	{found, 'F', findingName},
}

// found marks an instruction with a finding; the debugger has no such deed.
const found debugger.Deed = 1 << 7

// findingName is the name of a finding in Seek.Find.
const findingName = "finding"

// marksOf returns the letters of deeds.
func marksOf(d debugger.Deed) string {
	var b []byte
	for _, l := range letters {
		if d&l.deed != 0 {
			b = append(b, l.letter)
		}
	}
	return string(b)
}

// deeds returns the kinds of events of an instruction of a warp, including a finding there.
func (r *record) deeds(launch int, p *passage) debugger.Deed {
	d := p.deeds
	for i := range r.findings {
		if f := &r.findings[i]; f.Launch == launch && f.Step == p.step && f.Warp == int64(p.warp) {
			d |= found
		}
	}
	return d
}

// place finds the first instruction at which a finding can be seen. One that has ended its launch is seen after the
// last instruction of its warp.
func (r *record) place(f *Finding, d *debugger.Debugger) {
	f.Step, f.Warp = -1, -1
	ends := f.Launch < 0
	if ends {
		f.Launch = len(r.launches) - 1
	}
	if f.Launch >= len(r.launches) || f.ID < 0 || f.Line == 0 {
		return
	}
	l := &r.launches[f.Launch]
	grid := isa.Dim{X: l.Grid[0], Y: l.Grid[1], Z: l.Grid[2]}
	f.Warp = grid.Number(isa.Dim{X: f.Block[0], Y: f.Block[1], Z: f.Block[2]})*l.PerBlock + int64(f.ID)
	of := l.warps[f.Warp]
	for _, i := range of {
		p := &l.all[i]
		if at := l.place(d, int(p.fn), int(p.pc)); !ends && at == (lineAt{f.File, f.Line}) && (f.Lanes == 0 || uint32(p.mask)&f.Lanes != 0) {
			f.Step = p.step
			return
		}
	}
	if n := len(of); n > 0 && ends {
		f.Step = l.all[of[n-1]].step + 1
	}
}

// foundAfter reports whether a finding is after the last instruction of a warp.
func (r *record) foundAfter(launch int, warp int64) bool {
	l := &r.launches[launch]
	of := l.warps[warp]
	return slices.ContainsFunc(r.findings, func(f Finding) bool {
		return f.Launch == launch && f.Warp == warp && len(of) > 0 && f.Step > l.all[of[len(of)-1]].step
	})
}
