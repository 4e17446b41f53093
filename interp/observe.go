package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Observer is notified of what a launch does. It has one or more of the
// interfaces below, and is notified of those events alone. Several observers are
// notified in the order of Launch.Observers. What an observer is given it must
// neither change nor keep beyond the call; a Stepper may change what Warp lets
// it. A launch without observers pays nothing for them.
type Observer any

// StartObserver is notified of warps that start.
type StartObserver interface {
	// Started: the warp starts, with the lanes of m. Those of a CTA start one
	// after the other, warp 0 first, before any of them executes anything.
	Started(at *Place, m lanes.Mask)
}

// EndObserver is notified of CTAs that end.
type EndObserver interface {
	// Ended: all warps of the CTA have ended, and another one may take its slot.
	Ended(at *Place)
}

// RunObserver is notified of instructions.
type RunObserver interface {
	// Ran: the lanes of m executed the instructions from PC first up to, but
	// without, end, one after the other, none of which made them diverge. Lanes
	// whose guard did not hold are among them.
	Ran(at *Place, first, end int, m lanes.Mask)
}

// AccessObserver is notified of accesses to memory.
type AccessObserver interface {
	// Accessed: lanes are about to read or write one region of memory.
	Accessed(at *Place, a *Access)
}

// completionObserver is notified of accesses to memory that were made.
type completionObserver interface {
	// Completed: the access of the latest call of Accessed was made.
	Completed(at *Place, a *Access)
}

// DivergenceObserver is notified of branches at which lanes diverge.
type DivergenceObserver interface {
	// Diverged: the branch at pc sends its lanes to several places.
	Diverged(at *Place, pc int, to []divergence.Group)
}

// ExitObserver is notified of lanes that end.
type ExitObserver interface {
	// Exited: the lanes of m end at pc.
	Exited(at *Place, pc int, m lanes.Mask)
}

// ArrivalObserver is notified of arrivals at barriers of a CTA.
type ArrivalObserver interface {
	// Arrived: the lanes of m arrive at barrier id by the instruction at pc.
	Arrived(at *Place, pc, id int, m lanes.Mask)
}

// ReleaseObserver is notified of barriers of a CTA that are complete.
type ReleaseObserver interface {
	// Released: barrier id is complete, and all lanes of the CTA that wait at it go
	// on. Of at only the CTA and its slot are set.
	Released(at *Place, id int)
}

// ClusterObserver is notified of what happens at barriers of clusters.
type ClusterObserver interface {
	// ClusterArrived: the lanes of m arrive at the barrier of their cluster by the instruction at
	// pc, and go on.
	ClusterArrived(at *Place, pc int, m lanes.Mask)
	// ClusterWaits: the lanes of m have arrived, and execute the instruction at pc, which waits
	// until the barrier is complete if it is not.
	ClusterWaits(at *Place, pc int, m lanes.Mask)
	// ClusterReleased: the barrier of the cluster of these CTAs, by slot, is complete.
	ClusterReleased(slots []int)
}

// SyncObserver is notified of what orders memory within a warp or for a lane.
type SyncObserver interface {
	// Synced: the lanes of m have arrived at a bar.warp.sync, all lanes of its mask.
	Synced(at *Place, m lanes.Mask)
	// Met is called when the lanes m, all lanes of its mask, have executed another instruction with .sync, such as
	// shfl.sync. It does not order memory, but the lanes have waited for each other.
	Met(at *Place, m lanes.Mask)
	// Fenced: the lanes of m execute the fence at pc.
	Fenced(at *Place, pc int, m lanes.Mask)
}

// CopyObserver is notified of what orders asynchronous copies, and products of warpgroups. Copies and
// products themselves are accesses: they are made at once, as PTX allows for.
type CopyObserver interface {
	// Grouped: the lanes of m make a group of their copies or products, or have waited for groups, by
	// the instruction at pc.
	Grouped(at *Place, pc int, m lanes.Mask)
}

// Stepper is asked before a warp executes an instruction. It sees the warp as it
// is, may change it, and may halt the launch, which Session.Continue then takes
// up again: Step is asked anew for the instruction that was not executed.
type Stepper interface {
	Step(w Warp, s divergence.Split) (halt bool)
}

// Summer is an observer of which each of several engines can have its own: what it
// comes to is the sum of what they have observed, whichever CTAs each of them was notified of.
type Summer interface {
	// Another is an observer of the same kind that has observed nothing.
	Another() Observer
	// Add adds what another one has observed, which then has observed nothing.
	Add(another Observer)
}

// Place is where something happens: in which warp of which CTA, and in which
// function of those that Machine.Functions lists.
type Place struct {
	CTA isa.Dim
	// Slot is the CTA's number among those that can reside at once, from 0. No two
	// resident CTAs have the same; the next CTA takes the slot of one that has ended.
	Slot  int
	Warp  int        // in the CTA
	Func  int        // index in Machine.Functions
	Split lanes.Mask // lanes of the split that runs
}

// Access is an access of lanes of one instruction to one region of memory. If the
// lanes go to several regions, the instruction makes as many accesses, one after the
// other.
type Access struct {
	*lanes.Access
	Kind  isa.Kind // Load, Store or Atomic: what the lanes do, by an instruction that may be of another kind
	PC    int
	Lanes lanes.Mask // not empty
	More  bool       // another access of the same request follows
	// Background says that a product of a warpgroup makes it, which is asynchronous, and not a
	// load/store unit.
	Background bool
	Told       bool // it is that of an mbarrier which a copy tells

	e *Engine
}

// Stored is what the lanes of a store are about to write: lane i the Size bytes
// from i*Size. It is nil if the access is no store. The bytes are valid until
// the next call.
func (a *Access) Stored() []byte {
	if a.Kind != isa.Store {
		return nil
	}
	return a.e.stored(a.PC, a.Lanes)
}

// Peer is the CTA whose shared memory is accessed, if that is another one than the executing one.
func (a *Access) Peer() (cta isa.Dim, other bool) {
	if space := isa.Space(a.Space); space != isa.Shared && space != isa.SharedCluster || a.Region == a.e.cta.Shared.Number {
		return isa.Dim{}, false
	}
	return a.e.owner(a.Region).At, true
}

// Owner is, of an access to shared memory, the slot of the CTA whose memory it is: another one of the cluster
// than that of the Place, perhaps. Of other accesses it is that of the CTA.
func (a *Access) Owner() int {
	c := a.e.cta
	if a.Space == lanes.SharedSpace && a.Region != c.Shared.Number {
		for _, p := range c.Cluster.CTAs {
			if p.Shared.Number == a.Region {
				return p.Slot
			}
		}
	}
	return c.Slot
}

// Observers are the observers of a launch, by the events that they observe.
type Observers struct {
	all        []Observer
	start      list[StartObserver]
	end        list[EndObserver]
	run        list[RunObserver]
	access     list[AccessObserver]
	completion list[completionObserver]
	divergence list[DivergenceObserver]
	exit       list[ExitObserver]
	arrival    list[ArrivalObserver]
	release    list[ReleaseObserver]
	sync       list[SyncObserver]
	copy       list[CopyObserver]
	cluster    list[ClusterObserver]
	// Steppers are for a driver to ask.
	Steppers []Stepper
}

// needEach reports whether observers need each instruction of a kind that compiled code executes without notice.
func (os *Observers) needEach() bool {
	return len(os.access)+len(os.completion)+len(os.run)+len(os.sync) > 0
}

// ObserversOf sorts observers. It panics for one that observes nothing.
func ObserversOf(all []Observer) (os Observers) {
	os.all = all
	for _, o := range all {
		observes := [...]bool{
			add(&os.start, o), add(&os.end, o), add(&os.run, o), add(&os.access, o), add(&os.completion, o),
			add(&os.divergence, o), add(&os.exit, o), add(&os.arrival, o), add(&os.release, o), add(&os.sync, o), add(&os.copy, o), add(&os.cluster, o), addStepper(&os, o),
		}
		if observes == [len(observes)]bool{} {
			panic(fmt.Sprintf("simtrun bug: a %T observes nothing", o))
		}
	}
	return os
}

// With is os and o.
func (os Observers) With(o Observer) Observers {
	return ObserversOf(append(os.all[:len(os.all):len(os.all)], o))
}

// Another is observers of the same kind that have observed nothing. It is false if os
// are not all Summers.
func (os Observers) Another() (Observers, bool) {
	var all []Observer
	for _, o := range os.all {
		s, ok := o.(Summer)
		if !ok {
			return Observers{}, false
		}
		all = append(all, s.Another())
	}
	return ObserversOf(all), true
}

// Add adds to os what others, which its Another has made, have observed: then that is
// nothing.
func (os Observers) Add(others Observers) {
	for i, o := range os.all {
		o.(Summer).Add(others.all[i])
	}
}

func addStepper(os *Observers, o Observer) bool {
	t, ok := o.(Stepper)
	if ok {
		os.Steppers = append(os.Steppers, t)
	}
	return ok
}

// The notify methods notify the observers of one kind of event. Where that is
// frequent, callers ask first whether it has observers, as a call is not free.

// notifyStarted is called before the warp runs, and so makes a Place of its own.
func (e *Engine) notifyStarted(c *CTA, warp int, m lanes.Mask) {
	at := e.placeOf(c)
	at.Warp = warp
	for _, o := range e.observers.start {
		o.Started(at, m)
	}
}

// placeOf is the Place of a CTA, valid until the next call.
func (e *Engine) placeOf(c *CTA) *Place {
	e.place = Place{CTA: c.At, Slot: c.Slot}
	return &e.place
}

func (e *Engine) notifyEnded(c *CTA) {
	at := e.placeOf(c)
	for _, o := range e.observers.end {
		o.Ended(at)
	}
}

// notifyPath notifies of what the path has executed and not yet counted. It is not
// inlined, so that those that call it can be.
//
//go:noinline
func (e *Engine) notifyPath() { e.notifyRan(e.path.First, e.path.PC, e.path.Mask) }

// notifyRan is not inlined, so that those that call it can be.
//
//go:noinline
func (e *Engine) notifyRan(first, end int, m lanes.Mask) {
	if first == end {
		return
	}
	for _, o := range e.observers.run {
		o.Ran(&e.at, first, end, m)
	}
}

func (e *Engine) notifyAccessed(kind isa.Kind, pc int, m lanes.Mask, more bool) {
	a := &e.event
	a.Kind = kind
	a.PC, a.Lanes, a.More = pc, m, more
	for _, o := range e.observers.access {
		o.Accessed(&e.at, a)
	}
}

func (e *Engine) notifyCompleted() {
	for _, o := range e.observers.completion {
		o.Completed(&e.at, &e.event)
	}
}

func (e *Engine) notifyDiverged(pc int) {
	for _, o := range e.observers.divergence {
		o.Diverged(&e.at, pc, e.groups)
	}
}

func (e *Engine) notifyExited(pc int, m lanes.Mask) {
	for _, o := range e.observers.exit {
		o.Exited(&e.at, pc, m)
	}
}

func (e *Engine) notifyArrived(pc, id int, m lanes.Mask) {
	for _, o := range e.observers.arrival {
		o.Arrived(&e.at, pc, id, m)
	}
}

func (e *Engine) notifyReleased(id int) {
	at := e.placeOf(e.cta)
	for _, o := range e.observers.release {
		o.Released(at, id)
	}
}

func (e *Engine) notifyClusterArrived(pc int, m lanes.Mask) {
	for _, o := range e.observers.cluster {
		o.ClusterArrived(&e.at, pc, m)
	}
}

func (e *Engine) notifyClusterWaits(pc int, m lanes.Mask) {
	for _, o := range e.observers.cluster {
		o.ClusterWaits(&e.at, pc, m)
	}
}

func (e *Engine) notifyClusterReleased() {
	var slots []int
	for _, c := range e.cta.Cluster.CTAs {
		slots = append(slots, c.Slot)
	}
	for _, o := range e.observers.cluster {
		o.ClusterReleased(slots)
	}
}

// notifySynced notifies observers of an instruction at which the lanes of m have waited for each other.
func (e *Engine) notifySynced(in *isa.Instr, m lanes.Mask) {
	if in.Mods[isa.BarOp] != isa.BarWarp {
		e.notifyMet(m)
		return
	}
	for _, o := range e.observers.sync {
		o.Synced(&e.at, m)
	}
}

func (e *Engine) notifyMet(m lanes.Mask) {
	for _, o := range e.observers.sync {
		o.Met(&e.at, m)
	}
}

func (e *Engine) notifyGrouped(pc int, m lanes.Mask) {
	for _, o := range e.observers.copy {
		o.Grouped(&e.at, pc, m)
	}
}

func (e *Engine) notifyFenced(pc int, m lanes.Mask) {
	for _, o := range e.observers.sync {
		o.Fenced(&e.at, pc, m)
	}
}
