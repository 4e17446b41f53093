package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// mark returns a star for the item in focus.
func mark(inFocus bool) string {
	if inFocus {
		return "*"
	}
	return " "
}

func (d *Debugger) infoLanes(w interp.Warp, _ string) error {
	var states []string
	who := make(map[string]lanes.Mask)
	for lane := range lanes.Width {
		state := d.laneState(w, lane)
		if who[state] == 0 {
			states = append(states, state)
		}
		who[state] |= 1 << lane
	}
	for _, state := range states {
		text := fmt.Sprintf("%-9s %s", rangesText(who[state]), state)
		if s, ok := running(w); !ok || who[state]&s.Mask == 0 {
			text = d.dimmed(text)
		}
		d.printf("%s %s\n", mark(who[state]>>d.focus.lane&1 != 0), text)
	}
	return nil
}

func (d *Debugger) infoWarps(w interp.Warp, _ string) error {
	for _, o := range d.block(w.CTA()) {
		d.printf("%s w%-2d %s\n", mark(o.ID() == d.focus.warp), o.ID(), d.warpState(o))
	}
	return nil
}

// warpState describes the lanes of a warp that run, and their position.
func (d *Debugger) warpState(w interp.Warp) string {
	s, ok := running(w)
	switch {
	case ok:
		return fmt.Sprintf("%08x  %s  %s", uint32(s.Mask), d.lineText(codeOf(w, &s)), d.codeText(codeOf(w, &s)))
	case w.Control().Live() == 0:
		return "00000000  ended"
	}
	return "00000000  waits: " + d.waitsText(w)
}

// infoThreads shows threads as cuda-gdb does: as ranges with the same position.
func (d *Debugger) infoThreads(w interp.Warp, _ string) error {
	block := d.launch().Block
	const most = 64 // rows
	first, last, rows, state, inFocus := int64(0), int64(0), 0, "", false
	flush := func() {
		if state == "" {
			return
		}
		if rows++; rows <= most {
			d.printf("%s %-10s - %-10s %4d  %s\n", mark(inFocus), dimText(block.At(first)), dimText(block.At(last)), last-first+1, state)
		}
	}
	for _, o := range d.block(w.CTA()) {
		for m := o.Threads(); m != 0; m &= m - 1 {
			lane := firstLane(m)
			n, now := int64(o.ID()*lanes.Width+lane), d.laneState(o, lane)
			if now != state {
				flush()
				first, state, inFocus = n, now, false
			}
			last = n
			inFocus = inFocus || o.ID() == d.focus.warp && lane == d.focus.lane
		}
	}
	flush()
	d.printMore(rows - most)
	return nil
}

func dimText(at isa.Dim) string { return fmt.Sprintf("(%d,%d,%d)", at.X, at.Y, at.Z) }

// mostBlocks limits the blocks in a list.
const mostBlocks = 32

func (d *Debugger) infoBlocks(interp.Warp, string) error {
	done, total := d.program.Machine.Progress()
	listed := 0
	all := d.session.Warps()
	for i := 0; i < len(all); {
		cta, live, first := all[i].CTA(), 0, i
		for i < len(all) && all[i].CTA() == cta {
			if all[i].Control().Live() != 0 {
				live++
			}
			i++
		}
		if listed++; listed <= mostBlocks {
			d.printf("%s b%-4d (%d,%d,%d)%s  %d of %s live\n", mark(cta == d.focus.cta), d.blockNumber(cta), cta.X, cta.Y, cta.Z, d.clusterText(all[first]), live, plural(uint64(i-first), "warp"))
		}
	}
	if listed > mostBlocks {
		d.printf("  and %d more\n", listed-mostBlocks)
	}
	d.printf("  blocks: %d of %d ended, %d resident, %d not started\n", done, total, listed, total-done-int64(listed))
	return nil
}

// cluster returns the size of the launch's clusters; zero without clusters.
func (d *Debugger) cluster() isa.Dim {
	if len(d.fns) == 0 {
		return d.launch().Cluster
	}
	return interp.ClusterOf(d.fns[0], d.launch().Cluster)
}

// clusterExtent returns the size of the launch's clusters as text; "" without clusters.
func (d *Debugger) clusterExtent() string {
	c := d.cluster()
	if c == (isa.Dim{}) {
		return ""
	}
	return fmt.Sprintf("  cluster %dx%dx%d", c.X, c.Y, c.Z)
}

// clusterText returns the place of a warp's block among clusters; "" without clusters.
func (d *Debugger) clusterText(w interp.Warp) string {
	c := d.cluster()
	if c == (isa.Dim{}) {
		return ""
	}
	at := w.CTA()
	return fmt.Sprintf("  cluster (%d,%d,%d) rank %d", at.X/c.X, at.Y/c.Y, at.Z/c.Z, w.Rank())
}

func (d *Debugger) infoRegs(w interp.Warp, prefix string) error {
	if words := strings.Fields(prefix); len(words) > 1 {
		for _, word := range words {
			if err := d.infoRegs(w, word); err != nil {
				return err
			}
		}
		return nil
	}
	prefix = strings.TrimPrefix(prefix, "$") // as in gdb
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	var names []string
	found := false
	exact := slices.ContainsFunc(s.fn().Regs, func(r isa.Reg) bool { return strings.TrimPrefix(r.Name, "%") == strings.TrimPrefix(prefix, "%") })
	for _, r := range s.fn().Regs {
		names = append(names, r.Name)
		if name, word := strings.TrimPrefix(r.Name, "%"), strings.TrimPrefix(prefix, "%"); name == word || !exact && strings.HasPrefix(name, word) {
			found = true
			d.printf("%s\n", d.valueText(r.Name, &nameExpr{r.Name}, "", s))
		}
	}
	switch {
	case found:
		return nil
	case len(names) == 0:
		return errorf("%s has no registers", source.Name(s.fn().Name))
	case prefix == "pc" || prefix == "rip" || prefix == "eip":
		return errors.New("the PC is not a register; info line shows where the lane in focus is")
	}
	return errorf("no register of %s begins with %s; %s", source.Name(s.fn().Name), prefix, isa.Instead(prefix, names))
}

func (d *Debugger) infoMask(w interp.Warp, _ string) error {
	show := func(name string, m lanes.Mask) { d.printf("%-8s %08x  %s\n", name, uint32(m), rangesText(m)) }
	show("threads", w.Threads())
	show("live", w.Control().Live())
	if s, ok := running(w); ok {
		show("active", s.Mask)
		show("guard", w.Active(&s))
	} else {
		show("active", 0)
	}
	show("waiting", parked(w))
	return nil
}

// modelText names the divergence model, and the depth of its state.
func modelText(c divergence.Control) string {
	switch c.(type) {
	case *divergence.Stack:
		return fmt.Sprintf("stack, entries %d", c.Depth())
	case *divergence.MinPC:
		return fmt.Sprintf("minpc, paths %d", c.Depth())
	}
	return fmt.Sprintf("its, convergence barriers %d", c.Depth())
}

func (d *Debugger) infoStack(w interp.Warp, _ string) error {
	d.printf("%s\n", modelText(w.Control()))
	now, runs := running(w)
	d.printf("  %-9s %-8s %-6s %s\n", "reconv", "mask", "next", "path")
	for s := range w.Control().Splits() {
		reconv := "-"
		if s.Stop != flow.None {
			reconv = d.lineText(codeAt{w.Frame(s.Frame).Func, s.Stop})
		}
		path := "masked"
		switch {
		case s.Mask&parked(w) != 0:
			path = "waiting at a barrier or vote"
		case d.atReconvergence(w, &s):
			path = "waiting to reconverge"
		case runs && s.Mask == now.Mask:
			path = "running"
		}
		path += calls(d, w, s.Frame)
		text := fmt.Sprintf("%-9s %08x %-6s %s", reconv, uint32(s.Mask), d.lineText(codeOf(w, &s)), path)
		if !runs || s.Mask != now.Mask {
			text = d.dimmed(text)
		}
		d.printf("%s %s\n", mark(s.Mask>>d.focus.lane&1 != 0), text)
	}
	return nil
}

// calls lists the functions of a frame, innermost first, and their return positions.
func calls(d *Debugger, w interp.Warp, id divergence.FrameID) string {
	var b strings.Builder
	for f := w.Frame(id); f.Parent != divergence.NoFrame; f = w.Frame(f.Parent) {
		fmt.Fprintf(&b, ", in %s, back to %s", cxx.Short(d.fns[f.Func].Name), d.lineText(codeAt{w.Frame(f.Parent).Func, f.Ret}))
	}
	return b.String()
}

func (d *Debugger) infoBarriers(w interp.Warp, _ string) error {
	waits := false
	for _, o := range d.block(w.CTA()) {
		for _, wait := range o.Waiting() {
			waits = true
			code := codeAt{wait.Func, wait.PC}
			d.printf("%s %s at %s: %s\n", d.warpText(placeOf(o)), lanesText(wait.Lanes), d.lineText(code), d.codeText(code))
			d.whyParked(o, wait)
		}
		waits = d.infoPolling(o) || waits
	}
	if !waits {
		d.printf("no warp of block %d waits\n", d.blockNumber(w.CTA()))
	}
	d.infoMbarriers(w)
	return nil
}

// infoPolling shows the mbarriers that lanes of a warp poll, if any.
func (d *Debugger) infoPolling(w interp.Warp) (polls bool) {
	for s := range w.Control().Splits() {
		for _, p := range w.Polling(&s) {
			polls = true
			code := codeAt{w.Frame(s.Frame).Func, p.PC}
			d.printf("%s %s at %s: %s\n", d.warpText(placeOf(w)), lanesText(p.Lanes), d.lineText(code), d.codeText(code))
			d.printf("  until the phase of parity %d of mbarrier %s is complete\n", p.Parity, d.sharedText(p.Addr))
		}
	}
	return polls
}

// infoMbarriers shows the mbarriers of a warp's block.
func (d *Debugger) infoMbarriers(w interp.Warp) {
	for _, addr := range w.Initialised() {
		state := "something else has been written there"
		if b := w.MbarrierAt(addr); b.IsValid() {
			state = interp.MbarrierText(b)
		}
		d.printf("mbarrier %s, %s\n", d.sharedText(addr), state)
	}
}

// sharedText returns an address in shared memory, and the variable, of any function, at this address.
func (d *Debugger) sharedText(addr uint64) string {
	text := fmt.Sprintf("at shared 0x%x", addr)
	for i := range d.objects {
		switch o := &d.objects[i]; {
		case o.space != "shared" || addr < o.addr || addr-o.addr >= o.size:
		case addr == o.addr:
			return fmt.Sprintf("%s (%s)", text, o.name)
		default:
			return fmt.Sprintf("%s (%s+%d)", text, o.name, addr-o.addr)
		}
	}
	return text
}

// infoFrame shows the selected activation.
func (d *Debugger) infoFrame(w interp.Warp, _ string) error {
	chain, err := d.chainHere()
	if err != nil {
		return err
	}
	a := d.selected(chain)
	d.printf("%s\n", d.frameText(min(d.level, len(chain)-1), a))
	f := w.Frame(a.frame)
	if f.Parent == divergence.NoFrame {
		d.printf("  %s\n", lanesText(w.Control().Live()))
		d.printf("  the kernel, which has no caller\n")
		return nil
	}
	d.printf("  %s\n", lanesText(f.Lanes)) // in it, or in one that it called
	caller := w.Frame(f.Parent).Func
	d.printf("  back to %s of %s\n", d.lineText(codeAt{caller, f.Ret}), cxx.Short(d.fns[caller].Name))
	return nil
}

func (d *Debugger) infoLaunch(string) error {
	if len(d.fns) == 0 {
		return errEnded
	}
	l := d.launch()
	d.printf("%s  grid %dx%dx%d%s  block %dx%dx%d  dynamic shared memory %d bytes%s\n",
		cxx.Short(l.Kernel), l.Grid.X, l.Grid.Y, l.Grid.Z, d.clusterExtent(), l.Block.X, l.Block.Y, l.Block.Z, l.Shared, d.countText())
	d.infoParams()
	stats, state := d.stats, "ended"
	if d.session != nil {
		stats, state = d.session.Stats(), "under way"
	}
	if w, err := d.warp(); err == nil {
		model, _, _ := cutFirst(modelText(w.Control()), ",")
		state = "divergence " + model
	}
	d.printf("  %s  warp-instr %d  lane-instr %d  divergent branches %d\n", state, stats.WarpInstrs, stats.LaneInstrs, stats.DivergentBranches)
	return nil
}

// infoDevices shows the GPU in cuda-gdb's format.
func (d *Debugger) infoDevices(string) error {
	g := d.program.Machine.Config().GPU
	d.printf("* 0  %s  %s  sm_%d%d  SMs %d  warps of an SM %d\n", g.Name, g.Title, g.Capability[0], g.Capability[1], g.SMs, g.Residency.Warps)
	return nil
}

func (d *Debugger) infoParams() {
	for i, p := range d.fns[0].Params {
		if v, ok := d.param(p.Name); ok {
			text := d.text(&v, "", 0)
			if d.formatOf(&v, "", 0) == "a" {
				text = d.regionText(v.bits[0])
			}
			d.printf("  %s %s = %s\n", p.Shown(), cmp.Or(p.SourceType(), v.typ.String()), text)
			continue
		}
		if text, ok := d.structParam(i); ok {
			d.printf("  %s\n", text)
			continue
		}
		d.printf("  %s  %s\n", p.Shown(), plural(uint64(p.Size()), "byte"))
	}
}

// structParam returns a parameter of the kernel that is a struct, with its value; false if its type is not known.
func (d *Debugger) structParam(i int) (string, bool) {
	all := debuginfo.Of(d.fns[0]).Parameters(d.fns[0])
	if i >= len(all) {
		return "", false
	}
	s := d.nowhere()
	l, ok := s.passed(all[i])
	if !ok || len(l.typ.Bare().Fields) == 0 {
		return "", false
	}
	return fmt.Sprintf("%s %s = %s", l.text, l.typ, d.braced(l, 0, "", s)), true
}

// infoFunctions lists the functions that the kernel can reach, or those with a text in their names.
func (d *Debugger) infoFunctions(text string) error {
	found := false
	for i, fn := range d.fns {
		if !strings.Contains(cxx.Short(fn.Name), text) {
			continue
		}
		found = true
		var labels []string
		for _, l := range fn.Labels {
			if !d.onSource(i) {
				labels = append(labels, l.Name)
			}
		}
		d.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-6s %s  %s  %s", d.lineText(codeAt{i, 0}), cxx.Short(fn.Name), plural(uint64(len(fn.Code)), "instruction"), strings.Join(labels, " ")), " "))
	}
	if !found {
		return errorf("no function that the kernel can reach has %s in its name; info functions lists all", text)
	}
	return nil
}

func (d *Debugger) infoSource(args string) error {
	at, err := d.parsePlace(args)
	if err != nil {
		return err
	}
	source := ""
	if line := d.original(at); line != "" && !d.onSource(at.fn) {
		source = ", from " + line
	}
	d.printf("%s:%d in %s, instruction @%d%s: %s\n", d.pos(at).File, d.pos(at).Line, d.functionText(at), at.pc, source, d.codeText(at))
	return nil
}

// infoCode shows whether machine code executes an instruction where no debugger is.
func (d *Debugger) infoCode(w interp.Warp, args string) error {
	at, err := d.parsePlace(args)
	if err != nil {
		return err
	}
	text := "machine code of the host executes it"
	switch why, ok := w.WhyLeft(at.fn, at.pc); {
	case !ok:
		text = "launches like this one have no machine code"
	case why != "":
		text = "machine code leaves it to the interpreter, because " + why
	}
	d.printf("%s in %s, instruction @%d: %s\n  without a debugger, %s\n", d.lineText(at), d.fns[at.fn].Name, at.pc, d.codeText(at), text)
	return nil
}

func (d *Debugger) infoBreak(string) error {
	if len(d.points) == 0 {
		d.printf("no breakpoints, watchpoints or traces\n")
	}
	for _, p := range d.points {
		d.printf("%s   %s\n%s", d.pointText(p), p.statusText(), p.commandsText())
	}
	return nil
}

func (d *Debugger) infoDisplay(string) error {
	if len(d.displays) == 0 {
		d.printf("nothing is displayed\n")
	}
	for _, shown := range d.displays {
		if _, ok := instructionsFormat(shown.format); ok {
			d.printf("%d: x/%s %s\n", shown.id, shown.format, shown.text)
			continue
		}
		format := ""
		if shown.format != "" {
			format = "/" + shown.format + " "
		}
		state := ""
		if shown.disabled {
			state = "  disabled"
		}
		d.printf("%d: %s%s%s\n", shown.id, format, shown.text, state)
	}
	return nil
}
