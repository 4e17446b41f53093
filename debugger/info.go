package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// topic is what info can be asked for.
type topic struct {
	name, help string
	run        func(*Debugger, interp.Warp, string) error
}

// topics are those of info, in the order of its help.
var topics = []topic{
	{"lanes", "what each lane of the warp is at", (*Debugger).infoLanes},
	{"warps", "the warps of the block", (*Debugger).infoWarps},
	{"blocks", "the blocks that reside", (*Debugger).infoBlocks},
	{"regs", "all registers, or those whose names begin with a word", (*Debugger).infoRegs},
	{"mask", "lanes that started, live, run and wait", (*Debugger).infoMask},
	{"stack", "the paths that the warp's lanes are on, and its calls", (*Debugger).infoStack},
	{"barriers", "who waits at barriers, and for whom", (*Debugger).infoBarriers},
	{"mem", "buffers, variables, shared and local memory", (*Debugger).infoMem},
	{"launch", "the kernel, its grid, its parameters, what it has executed", (*Debugger).infoLaunch},
	{"break", "breakpoints, watchpoints and traces", nil}, // needs no warp
}

func topicNames() []string {
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

func (d *Debugger) infoCommand(c *call) error {
	word, args, _ := strings.Cut(c.args, " ")
	if word == "findings" {
		return notYet("info findings")
	}
	i := slices.IndexFunc(topics, func(t topic) bool { return word != "" && strings.HasPrefix(t.name, word) })
	switch {
	case i < 0:
		return fmt.Errorf("info about what? There are %s", strings.Join(topicNames(), ", "))
	case topics[i].run == nil:
		d.infoBreak()
		return nil
	}
	w, err := d.warp()
	if err != nil {
		return err
	}
	return topics[i].run(d, w, strings.TrimSpace(args))
}

// mark is a star for what is in focus.
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
		d.printf("%s %-9s %s\n", mark(who[state]>>d.focus.lane&1 != 0), rangesText(who[state]), state)
	}
	return nil
}

func (d *Debugger) infoWarps(w interp.Warp, _ string) error {
	for _, o := range d.block(w.CTA()) {
		state := fmt.Sprintf("%08x  ", 0)
		if s, ok := running(o); ok {
			state = fmt.Sprintf("%08x  %s  %s", uint32(s.Mask), d.lineText(codeOf(&s)), d.codeText(codeOf(&s)))
		} else if o.Control().Live() == 0 {
			state += "ended"
		} else {
			state += "waits: " + d.waitsText(o)
		}
		d.printf("%s w%-2d %s\n", mark(o.ID() == d.focus.warp), o.ID(), state)
	}
	return nil
}

// mostBlocks bounds how many blocks are listed.
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
			d.printf("%s b%-4d (%d,%d,%d)  %d of %d warps live\n", mark(cta == d.focus.cta), d.blockNumber(cta), cta.X, cta.Y, cta.Z, live, i-first)
		}
	}
	if listed > mostBlocks {
		d.printf("  and %d more\n", listed-mostBlocks)
	}
	d.printf("  %d of %d blocks have ended, %d reside, %d have not started\n", done, total, listed, total-done-int64(listed))
	return nil
}

func (d *Debugger) infoRegs(_ interp.Warp, prefix string) error {
	s, err := d.scopeHere()
	if err != nil {
		return err
	}
	for _, r := range s.fn().Regs {
		if strings.HasPrefix(r.Name, prefix) || strings.HasPrefix(r.Name, "%"+prefix) {
			d.printf("%s\n", d.valueText(r.Name, &nameExpr{r.Name}, "", s))
		}
	}
	return nil
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

// modelText names the control state's model, and how deep it is.
func modelText(c divergence.Warp) string {
	switch c.(type) {
	case *divergence.Stack:
		return fmt.Sprintf("stack, entries %d", c.Depth())
	case *divergence.MinPC:
		return fmt.Sprintf("minpc, paths %d", c.Depth())
	}
	return fmt.Sprintf("its, reconvergence points %d", c.Depth())
}

func (d *Debugger) infoStack(w interp.Warp, _ string) error {
	d.printf("%s\n", modelText(w.Control()))
	now, runs := running(w)
	d.printf("  %-9s %-8s %-6s %s\n", "reconv", "mask", "next", "path")
	for s := range w.Control().Splits() {
		reconv := "-"
		if s.Stop != divergence.NoJoin {
			reconv = d.lineText(codeAt{s.Frame.Func, s.Stop})
		}
		path := "masked"
		switch {
		case s.Mask&parked(w) != 0:
			path = "waiting at a barrier or vote"
		case d.atJoin(w, &s):
			path = "waiting to reconverge"
		case runs && s.Mask == now.Mask:
			path = "running"
		}
		path += calls(d, s.Frame)
		d.printf("%s %-9s %08x %-6s %s\n", mark(s.Mask>>d.focus.lane&1 != 0), reconv, uint32(s.Mask), d.lineText(codeOf(&s)), path)
	}
	return nil
}

// calls lists the functions that a frame is in, innermost first, and where they
// go back to.
func calls(d *Debugger, f *divergence.Frame) string {
	var b strings.Builder
	for ; f.Parent != nil; f = f.Parent {
		fmt.Fprintf(&b, ", in %s, back to %s", d.fns[f.Func].Name, d.lineText(codeAt{f.Parent.Func, f.Ret}))
	}
	return b.String()
}

func (d *Debugger) infoBarriers(w interp.Warp, _ string) error {
	waits := false
	for _, o := range d.block(w.CTA()) {
		for _, wait := range o.Waiting() {
			waits = true
			code := codeAt{wait.Frame, wait.PC}
			d.printf("%s %s at %s: %s\n", d.warpText(placeOf(o)), lanesText(wait.Lanes), d.lineText(code), d.codeText(code))
			d.whyParked(o, wait)
		}
	}
	if !waits {
		d.printf("nobody of block %d waits\n", d.blockNumber(w.CTA()))
	}
	return nil
}

func (d *Debugger) infoMem(w interp.Warp, _ string) error {
	for _, r := range d.program.Buffers {
		d.printf("%-8s %s  %d bytes at 0x%x\n", r.Space, r.Name, len(r.Data), r.Base)
	}
	d.printf("shared   %d bytes per block\n", len(w.Shared().Data))
	d.printf("local    %d bytes per lane\n", len(w.Local(0)))
	return nil
}

func (d *Debugger) infoLaunch(w interp.Warp, _ string) error {
	l := d.launch()
	d.printf("%s  grid %dx%dx%d  block %dx%dx%d  dynamic shared memory %d bytes%s\n",
		l.Kernel, l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z, l.Shared, d.countText())
	for _, p := range d.fns[0].Params {
		if v, ok := d.param(p.Name); ok {
			text := d.text(&v, "", 0)
			if v.typ == isa.U64 {
				text = d.regionText(v.bits[0])
			}
			d.printf("  %s %s = %s\n", p.Name, v.typ, text)
		} else {
			d.printf("  %s  %d bytes\n", p.Name, p.Size())
		}
	}
	model, _, _ := strings.Cut(modelText(w.Control()), ",")
	stats := d.session.Stats()
	d.printf("  divergence %s  warp-instr %d  lane-instr %d  divergent branches %d\n", model, stats.WarpInstrs, stats.LaneInstrs, stats.DivergentBranches)
	return nil
}

func (d *Debugger) infoBreak() {
	if len(d.points) == 0 {
		d.printf("no breakpoints, watchpoints or traces\n")
	}
	for _, p := range d.points {
		d.printf("%s   hits %d\n", d.pointText(p), p.hits)
	}
}
