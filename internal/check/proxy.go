package check

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Proxies finds reads of shared memory through the async proxy that may miss what a thread has written by ordinary
// stores. Bulk copies, wgmma and tcgen05 read through that proxy, and a write comes before such a read only if there is
// a fence.proxy.async on the way from one to the other (PTX ISA 8, proxies). It may be executed by the thread that
// writes, by the one that reads, or by one that is synchronised with both.
//
// Which threads are synchronised is not followed exactly. A fence of a third thread counts if it is of the warp of the
// write or of the read, if a barrier of the block was complete before and after it, or if its warp waits at mbarriers.
// So some missing fences are not found.
type Proxies struct {
	fns      []*isa.Func
	ctas     map[int]*proxyCTA // by slot
	now      int64             // number of the step
	warnings []interp.Warning
	known    map[*isa.Instr]int // by write or read: index in warnings
}

// proxyCTA is the state of a resident CTA.
type proxyCTA struct {
	words    map[uint64]ordinaryWrite // by address / proxyWord: the latest writes not through the async proxy
	interval int64                    // number of barriers that were complete
	warps    map[int]*proxyWarp
}

// proxyWord is the number of bytes for which the latest write is kept.
const proxyWord = 4

// proxyWarp has the proxy fences and waits that a warp has executed.
type proxyWarp struct {
	fences [lanes.Width]fenceTime // by lane: of its latest fence
	latest fenceTime              // of all lanes
	waits  bool                   // it has waited at an mbarrier
}

// fenceTime is the step of a fence, and the CTA's interval.
type fenceTime struct{ step, interval int64 }

// ordinaryWrite is a write to a word.
type ordinaryWrite struct {
	fenceTime
	slot, warp, lane int
	cta              isa.Dim
	fn               *isa.Func
	pc               int
}

// AttachProxies adds a Proxies to the observers of a launch; nil if the kernel reads nothing through the async proxy.
func AttachProxies(m *interp.Machine, l *interp.Launch) (*Proxies, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	for _, fn := range fns {
		for i := range fn.Code {
			if isAsyncProxy(&fn.Code[i]) {
				p := &Proxies{fns: fns, ctas: make(map[int]*proxyCTA), known: make(map[*isa.Instr]int)}
				l.Observe(p)
				return p, nil
			}
		}
	}
	return nil, nil
}

// isAsyncProxy reports whether an instruction accesses memory through the async proxy.
func isAsyncProxy(in *isa.Instr) bool {
	if in.Spec == nil {
		return false
	}
	op := in.Mods[isa.TensorOp]
	return in.Mods[isa.Bulk] != 0 || isProduct(in) || op == isa.TensorMMA || op == isa.TensorCopy
}

// Warnings returns the findings in the order of their first occurrence.
func (p *Proxies) Warnings() []interp.Warning {
	if p == nil {
		return nil
	}
	return p.warnings
}

// Started implements interp.StartObserver.
func (p *Proxies) Started(at *interp.Place, _ lanes.Mask) {
	if at.Warp == 0 {
		p.ctas[at.Slot] = &proxyCTA{words: make(map[uint64]ordinaryWrite), warps: make(map[int]*proxyWarp)}
	}
	p.ctas[at.Slot].warps[at.Warp] = new(proxyWarp)
}

// Released implements interp.ReleaseObserver.
func (p *Proxies) Released(at *interp.Place, _ int) { p.ctas[at.Slot].interval++ }

// ClusterArrived implements interp.ClusterObserver.
func (p *Proxies) ClusterArrived(*interp.Place, int, lanes.Mask) {}

// ClusterWaits implements interp.ClusterObserver.
func (p *Proxies) ClusterWaits(*interp.Place, int, lanes.Mask) {}

// ClusterReleased implements interp.ClusterObserver.
func (p *Proxies) ClusterReleased(slots []int) {
	for _, slot := range slots {
		p.ctas[slot].interval++
	}
}

// Step implements interp.Stepper.
func (p *Proxies) Step(w interp.Warp, split divergence.Split) (halt bool) {
	p.now++
	fn := w.Func(split.Frame)
	if split.PC >= len(fn.Code) {
		return false
	}
	in := &fn.Code[split.PC]
	if in.Spec == nil {
		return false
	}
	c := p.ctas[w.Slot()]
	state := c.warps[w.ID()]
	switch op := in.MbarrierOp(); {
	case isProxyFence(in):
		t := fenceTime{p.now, c.interval}
		for left := w.Active(&split); left != 0; left &= left - 1 {
			state.fences[firstLane(left)], state.latest = t, t
		}
	case op == isa.MbarTryWait, op == isa.MbarTestWait:
		state.waits = true
	}
	return false
}

// isProxyFence reports whether an instruction orders accesses of the async proxy to shared memory with others.
func isProxyFence(in *isa.Instr) bool {
	s := in.Mods[isa.SpaceG]
	return in.Mods[isa.ProxyKind] == isa.ProxyAsync && (s == 0 || s == isa.SpaceSharedCTA || s == isa.SpaceSharedCluster)
}

// Accessed implements interp.AccessObserver.
func (p *Proxies) Accessed(at *interp.Place, a *interp.Access) {
	if a.Space != lanes.SharedSpace || a.CompleteTx {
		return
	}
	fn := p.fns[at.Func]
	async := isAsyncProxy(&fn.Code[a.PC])
	if !async && a.Kind == isa.Load {
		return
	}
	owner := p.ctas[a.Owner()]
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		for word := a.At(lane) / proxyWord; word*proxyWord < a.At(lane)+a.Size; word++ {
			switch {
			case !async:
				now := fenceTime{p.now, p.ctas[at.Slot].interval}
				owner.words[word] = ordinaryWrite{now, at.Slot, at.Warp, lane, at.CTA, fn, a.PC}
			case a.Kind == isa.Load:
				if w, ok := owner.words[word]; ok && !p.fenced(&w, at, lane) {
					p.report(&w, at, a, fn)
				}
			default:
				delete(owner.words, word)
			}
		}
	}
}

// fenced reports whether there may be a fence on the way from a write to a read by a lane now.
func (p *Proxies) fenced(w *ordinaryWrite, at *interp.Place, lane int) bool {
	if at.Slot != w.slot { // blocks of a cluster: any fence counts
		return p.latestIn(w.slot) > w.step || p.latestIn(at.Slot) > w.step
	}
	c := p.ctas[at.Slot]
	if c.warps[w.warp].fences[w.lane].step > w.step || c.warps[at.Warp].fences[lane].step > w.step {
		return true
	}
	for id, other := range c.warps {
		f := other.latest
		if f.step > w.step && (id == w.warp || id == at.Warp || other.waits || f.interval > w.interval && c.interval > f.interval) {
			return true
		}
	}
	return false
}

// latestIn returns the step of the latest fence in a CTA.
func (p *Proxies) latestIn(slot int) (step int64) {
	for _, w := range p.ctas[slot].warps {
		step = max(step, w.latest.step)
	}
	return step
}

// report reports that an access reads what may not be there. Writes and reads that share one of the two are one
// finding, because one fence mends them.
func (p *Proxies) report(w *ordinaryWrite, at *interp.Place, a *interp.Access, fn *isa.Func) {
	write, read := &w.fn.Code[w.pc], &fn.Code[a.PC]
	i, again := p.known[read]
	if !again {
		i, again = p.known[write]
	}
	if again {
		p.warnings[i].Count++
		p.known[read], p.known[write] = i, i
		return
	}
	where := interp.Where{CTA: at.CTA, Warp: at.Warp, Lanes: a.Lanes}
	writer := interp.Where{CTA: w.cta, Warp: w.warp, Lanes: 1 << w.lane}
	p.known[read], p.known[write] = len(p.warnings), len(p.warnings)
	p.warnings = append(p.warnings, interp.Warning{Error: true, Place: source.At(fn, a.PC), Where: where, Rule: interp.RuleProxyFence, Text: fn.Text(a.PC), Count: 1, Warps: 1, Blocks: 1,
		Msg: "no fence.proxy.async between a write to shared memory and this, which reads it through the async proxy",
		Involved: []interp.Involved{
			{Role: interp.Affects, Where: where, Barrier: -1},
			{Role: interp.Follows, Where: writer, Place: source.At(w.fn, w.pc), Text: w.fn.Text(w.pc), Barrier: -1},
		}})
}
