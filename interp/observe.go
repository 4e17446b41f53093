package interp

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// Observer is notified of the events of a launch. It implements one or more of the interfaces below, and is notified
// of only those events. Several observers are notified in the order of Launch.Observers. They must neither change nor
// keep the arguments beyond the call; a Stepper may change what Warp allows. A launch without observers has no cost
// for them.
type Observer any

// StartObserver is notified of warps that start.
type StartObserver interface {
	// Started: the warp starts, with the lanes of m. The warps of a CTA start one after the other, warp 0 first, before
	// any of them executes an instruction.
	Started(at *Place, m lanes.Mask)
}

// EndObserver is notified of CTAs that end.
type EndObserver interface {
	// Ended: all warps of the CTA have ended, and another one may take its slot.
	Ended(at *Place)
}

// RunObserver is notified of instructions.
type RunObserver interface {
	// Ran: the lanes of m executed the instructions from PC first up to, but without, end, one after the other, without
	// diverging. The lanes include those for which a guard did not hold.
	Ran(at *Place, first, end int, m lanes.Mask)
}

// AccessObserver is notified of accesses to memory.
type AccessObserver interface {
	// Accessed: lanes are about to read or write one region of memory.
	Accessed(at *Place, a *Access)
}

// completionObserver is notified of accesses to memory that have taken effect.
type completionObserver interface {
	// Completed: the access of the latest call of Accessed has taken effect.
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
	// Released: barrier id is complete, and all lanes of the CTA that wait at it continue. Only the CTA and the slot of
	// at are set.
	Released(at *Place, id int)
}

// ClusterObserver is notified of events at barriers of clusters.
type ClusterObserver interface {
	// ClusterArrived: the lanes of m arrive at the barrier of their cluster by the instruction at pc, and continue.
	ClusterArrived(at *Place, pc int, m lanes.Mask)
	// ClusterWaits: the lanes of m, which have arrived, execute the wait at pc, which blocks them until the barrier is
	// complete.
	ClusterWaits(at *Place, pc int, m lanes.Mask)
	// ClusterReleased: the barrier of the cluster of these CTAs, by slot, is complete.
	ClusterReleased(slots []int)
}

// SyncObserver is notified of instructions that order memory within a warp or for a lane.
type SyncObserver interface {
	// Synced: the lanes of m have arrived at a bar.warp.sync, all lanes of its mask.
	Synced(at *Place, m lanes.Mask)
	// Met is called when the lanes m, all lanes of its mask, have executed another instruction with .sync, such as
	// shfl.sync. It does not order memory, but the lanes have waited for each other.
	Met(at *Place, m lanes.Mask)
	// Fenced: the lanes of m execute the fence at pc.
	Fenced(at *Place, pc int, m lanes.Mask)
}

// CopyObserver is notified of instructions that order asynchronous copies and products of warpgroups. The copies and
// products themselves are accesses: they take effect at once, which PTX allows.
type CopyObserver interface {
	// Grouped: the lanes of m commit a group of their copies or products, or have waited for groups, by the instruction
	// at pc.
	Grouped(at *Place, pc int, m lanes.Mask)
}

// ValueObserver is notified of everything that changes registers and .param variables, so that it can keep a shadow of
// them. It may look at registers, and is usually an AccessObserver, too. Its launch must be Precise.
type ValueObserver interface {
	// Follows reports whether the observer needs to see every instruction of the warp from here on.
	Follows(at *Place) bool
	// Executes: in a warp that the observer follows, the lanes of m, including those for which the guard does not hold,
	// are about to execute the instruction at pc of the window's function.
	Executes(at *Place, w *Window, pc int, m lanes.Mask)
	// Entered: the window is that of a new activation of the lanes of m.
	Entered(at *Place, w *Window, e Entry, m lanes.Mask)
	// Passed: lanes have copied an argument or a result from a place in one window to one in another.
	Passed(at *Place, from *Window, a *program.Location, to *Window, b *program.Location, m lanes.Mask)
	// Called: a function that is not executed as instructions, of libdevice or of the system, has set its results for the
	// lanes of m, which call it at pc.
	Called(at *Place, w *Window, pc int, m lanes.Mask)
	// Printed: the call of printf at a.PC has read its arguments, for one lane.
	Printed(at *Place, a *Access)
}

// SelectiveObserver is an observer of accesses, branches, fences or instructions with .sync that needs to see only some
// of them. Compiled code executes the others without notification. What Ran notifies such an observer of then begins
// anywhere, but ends behind each branch that it watches. Of lanes that diverge it is notified only at which branches
// they have, now or shortly before, and not where they went.
type SelectiveObserver interface {
	// Watches reports whether the observer must be notified of the effect of an instruction, given its PC and the
	// number of its function. The answer does not change during the launch.
	Watches(fn, pc int) bool
}

// LateObserver is a SelectiveObserver that may be notified late of some of the accesses and branches that it watches:
// after later instructions of the same warp, or of warps of its CTA if these take turns, but in their order, and before
// any other notification, and before a warp of another CTA executes an instruction. Accessed is then called as if the
// access were about to be made, except that registers of the warp are those of a later time, and so is memory until the
// observer calls Access.Before. The same holds for barriers of the CTA, for Arrived and Released, and for Exited, of
// every exit. Compiled code executes such instructions.
type LateObserver interface {
	SelectiveObserver
	// MayBeLate reports whether the observer may be notified late of an instruction. The answer does not change during
	// the launch.
	MayBeLate(fn, pc int) bool
}

// Entry describes the beginning of an activation.
type Entry struct {
	Kernel bool // it is the kernel's, in a warp that starts; else that of a function that is called
	Local  int  // bytes of the warp's local memory
}

// Window has the registers and variables of an activation.
type Window = warp.Window

// Stepper is asked before a warp executes an instruction. It may change the warp, and may halt the launch.
// Session.Continue then resumes the launch: Step is asked again for the instruction that was not executed.
type Stepper interface {
	Step(w Warp, s divergence.Split) (halt bool)
}

// Summer is an observer that several engines can have one instance of each: the result is the sum of what the
// instances have observed, independent of which CTAs each was notified of.
type Summer interface {
	// Another returns an observer of the same kind that has observed nothing.
	Another() Observer
	// Add adds the observations of another one, and resets that one.
	Add(another Observer)
}

// Place is the warp and CTA of an event, and the function, by its number in Machine.Functions.
type Place struct {
	CTA isa.Dim
	// Slot is the CTA's number among those that can be resident at once, from 0. No two resident CTAs have the same; the
	// next CTA takes the slot of one that has ended.
	Slot  int
	Warp  int        // in the CTA
	Func  int        // index in Machine.Functions
	Split lanes.Mask // lanes of the running split
}

// Access is an access by lanes of one instruction to one region of memory. If the lanes access several regions, the
// instruction makes one access for each, one after the other.
type Access struct {
	*lanes.Access
	Kind  isa.Kind // Load, Store or Atomic: the lanes' operation; the instruction may be of another kind
	PC    int
	Lanes lanes.Mask // not empty
	More  bool       // another access of the same request follows
	// Background says that an asynchronous product of a warpgroup makes the access, and not a load/store unit.
	Background bool
	CompleteTx bool // the complete-tx of a copy on its mbarrier
	// Undefined has the undefined bits of the bytes that a copy of a box of a tensor stores or reduces by; else nil.
	Undefined []byte

	e    *Engine
	late *following // while a LateObserver is notified late; else nil
}

// Stored returns the bytes that the lanes of a store are about to write: for lane i, Size bytes from i*Size on. It is
// nil if the access is not a store. The bytes are valid until the next call of it or
// of Held.
func (a *Access) Stored() []byte {
	if a.Kind != isa.Store {
		return nil
	}
	if a.late != nil {
		return a.late.columns.byLane(after, a.e.scratchValues().Mem)
	}
	return a.e.stored(a.PC, a.Lanes)
}

// Held returns the bytes that memory holds where the lanes of a store are about to write, in the form of Stored. They
// are valid until the next call of it or of Stored.
func (a *Access) Held() []byte {
	to := a.e.scratchValues().Mem
	if a.late != nil {
		return a.late.columns.byLane(before, to)
	}
	for m := a.Lanes; m != 0; m &= m - 1 {
		lane := m.First()
		copy(to[lane*int(a.Size):], a.Mem[a.At(lane):][:a.Size])
	}
	return to
}

// Before returns Mem with its contents before the access. An observer that is notified late finds later contents in
// Mem.
func (a *Access) Before() []byte {
	if a.late != nil {
		a.late.undo(a.e)
	}
	return a.Mem
}

// Mbarrier returns the mbarrier that a lane finds at its place, if the access is an operation on mbarriers.
func (a *Access) Mbarrier(lane int) lanes.Mbarrier {
	if a.CompleteTx {
		return lanes.Mbarrier(binary.LittleEndian.Uint64(a.Mem[a.At(lane):]))
	}
	return a.e.copying.before[lane]
}

// Peer returns the CTA with the shared memory that is accessed, if that is not the executing CTA.
func (a *Access) Peer() (cta isa.Dim, other bool) {
	if space := isa.Space(a.Space); space != isa.Shared && space != isa.SharedCluster || a.Region == a.e.cta.Shared.Number {
		return isa.Dim{}, false
	}
	return a.e.owner(a.Region).At, true
}

// Window returns the window of the activation that makes the access.
func (a *Access) Window() *Window { return a.e.window }

// On makes the access with other registers, of the layout of the window's, and other memory, of the size of Mem.
func (a *Access) On(f *lanes.File, mem []byte) {
	acc := *a.Access
	acc.Mem = mem
	op := a.e.accessOp(a.PC)
	op.Mem(f, op, a.Lanes, &acc)
}

// Owner returns, for an access to shared memory, the slot of the CTA that owns it, which may be another one of the
// cluster. For other accesses it is the slot of the executing CTA.
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
	value      list[ValueObserver]
	each       list[Observer] // of run or value: they are notified at each branch
	selective  list[SelectiveObserver]
	lateAccess list[AccessObserver] // of LateObservers
	lateRun    list[RunObserver]
	loads      LoadsObserver // the only LateObserver, if it is one
	together   TogetherObserver
	allLate    bool           // there are LateObservers, and no others but shadow
	whole      list[Observer] // they see all instructions of some kind, and are neither selective nor shadow
	shadow     ShadowObserver // nil unless all others that see instructions are selective
	// Steppers are called by the driver.
	Steppers []Stepper
}

// needEach reports whether observers need to see each instruction of a kind that compiled code executes without
// notification.
func (os *Observers) needEach() bool { return len(os.whole) > 0 }

// ObserversOf sorts observers by their events. It panics for one that observes nothing.
func ObserversOf(all []Observer) (os Observers) {
	os.all = all
	for _, o := range all {
		instructions := [...]bool{add(&os.run, o), add(&os.access, o), add(&os.completion, o), add(&os.sync, o), add(&os.value, o)}
		others := [...]bool{
			add(&os.start, o), add(&os.end, o), add(&os.divergence, o), add(&os.exit, o), add(&os.arrival, o), add(&os.release, o),
			add(&os.copy, o), add(&os.cluster, o), addStepper(&os, o),
		}
		sees := instructions != [len(instructions)]bool{}
		if !sees && others == [len(others)]bool{} {
			panic(fmt.Sprintf("simtrun bug: a %T observes nothing", o))
		}
		if sees && !add(&os.selective, o) {
			add(&os.whole, o)
		} else if sees {
			os.addLate(o)
		}
		_, run := o.(RunObserver)
		if _, value := o.(ValueObserver); run || value {
			add(&os.each, o)
		}
	}
	os.findShadow()
	os.findTogether()
	for _, o := range os.lateAccess {
		if os.loads = nil; len(os.lateAccess) == 1 {
			os.loads, _ = o.(LoadsObserver)
		}
	}
	os.allLate = len(os.lateAccess) > 0 && !slices.ContainsFunc(all, func(o Observer) bool {
		_, late := o.(LateObserver)
		return !late && o != Observer(os.shadow)
	})
	return os
}

// addLate adds the observer to those that are notified late, if it may be.
func (os *Observers) addLate(o Observer) {
	if _, late := o.(LateObserver); late {
		add(&os.lateAccess, o)
		add(&os.lateRun, o)
	}
}

// With returns os and o.
func (os Observers) With(o Observer) Observers {
	return ObserversOf(append(os.all[:len(os.all):len(os.all)], o))
}

// Another returns observers of the same kind that have observed nothing. It returns false if os are not all Summers.
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

// Add adds to os the observations of others, which its Another has made, and resets these.
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
