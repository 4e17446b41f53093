package isa

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// mbarrierForm adds the forms of an operation on an mbarrier: with one of the orders and a scope, or with neither.
func mbarrierForm(op Mod, sems ...Mod) func(v *Variant) bool {
	return func(v *Variant) bool {
		m := v.Mods
		inShared := m.MemSpace() == Shared || m.MemSpace() == Generic || m.MemSpace() == SharedCluster
		ordered := m[Sem] == 0 && m[Scope] == 0 || slices.Contains(sems, m[Sem]) && (m[Scope] == ScopeCTA || m[Scope] == ScopeCluster)
		return m[MbarOp] == op && v.Type() == B64 && inShared && ordered
	}
}

// ofCluster reports whether the mbarrier may be another CTA's. An operation on such an mbarrier returns no state.
func ofCluster(in *Instr) bool { return in.Mods[SpaceG] == SpaceSharedCluster }

// checkState checks that an operation on an mbarrier that may be another CTA's has no state as a result.
func checkState(in *Instr) string {
	if ofCluster(in) && in.Args[0].Kind != SinkOperand {
		return "with .shared::cluster there is no state; write _ in its place"
	}
	return ""
}

// ofOwn is a form for mbarriers of the own CTA only.
func ofOwn(legal func(v *Variant) bool) func(v *Variant) bool {
	return func(v *Variant) bool { return v.Mods[SpaceG] != SpaceSharedCluster && legal(v) }
}

// noComplete are the forms with .noComplete, which has only one order.
func noComplete(op Mod) func(v *Variant) bool {
	legal := ofOwn(mbarrierForm(op, SemRelease))
	return func(v *Variant) bool {
		return v.Mods[MbarHow] == ArriveNoComplete && v.Mods[Scope] != ScopeCluster && legal(v)
	}
}

// expecting are the forms of an arrival with .expect_tx.
func expecting(op Mod) func(v *Variant) bool {
	legal := mbarrierForm(op, SemRelease, SemRelaxed)
	return func(v *Variant) bool { return v.Mods[MbarHow] == ArriveExpectTx && legal(v) }
}

const (
	mbarrierMods = "mbarop [sem] [scope] [space] type"
	arrivalMods  = "mbarop mbarhow [sem] [scope] [space] type"
	parityMods   = "mbarop parity [sem] [scope] [space] type"
)

// Needs of operations that may have a memory order and a scope. ordered and awaited follow those of the form without.
const (
	ordered          Needs = "; acquire/release/relaxed/cta/cluster 8.0"
	awaited          Needs = ordered + "; cluster 8.0 sm_90; relaxed 8.6"
	arrivalNeeds     Needs = "7.0 sm_80; shared::cluster 8.0 sm_90" + awaited
	transactionNeeds Needs = "8.0 sm_90; relaxed 8.6"
)

// mbarrierRow is a row of an operation on an mbarrier: a store, an atomic or a load of 8 bytes of shared memory.
func mbarrierRow(with, mods, form string, needs Needs, kind Kind, legal func(v *Variant) bool, doc string) *Spec {
	cost := map[Kind]CostClass{Store: CostStoreShared, Atomic: CostAtomicShared, Load: CostLoadShared}[kind]
	s := &Spec{Name: "mbarrier", With: with, Mods: mods, Form: form, Needs: needs, Kind: kind, Cost: on(LSU, cost), Doc: doc, Types: []Type{B64}, Legal: legal}
	if form[0] == 'd' && kind == Atomic {
		s.Check = checkState
	}
	return s
}

var mbarrierSpecs = []*Spec{
	mbarrierRow("init", "mbarop [space] type", "[a], b:u32", "7.0 sm_80", Store, ofOwn(mbarrierForm(MbarInit)),
		"Initialises an mbarrier in the 8 bytes at a. Each phase expects b arrivals (1 to 1048575).").
		show("mbarrier.init.shared.b64 [%r1], 128;"),
	mbarrierRow("inval", "mbarop [space] type", "[a]", "7.0 sm_80", Store, ofOwn(mbarrierForm(MbarInval)),
		"Invalidates the mbarrier at a."),
	mbarrierRow("arrive", mbarrierMods, "d, [a], ?b:u32", arrivalNeeds, Atomic, mbarrierForm(MbarArrive, SemRelease, SemRelaxed),
		"Arrives b times (once without b) at the mbarrier at a. d = the previous state. When no arrival is pending and the tx-count is 0, the phase is complete and the next one begins.").
		show("mbarrier.arrive.shared.b64 %rd1, [%r1];", "mbarrier.arrive.release.cta.shared.b64 _, [%r1], 2;"),
	mbarrierRow("arrive.expect_tx", arrivalMods, "d, [a], b:u32", transactionNeeds, Atomic, expecting(MbarArrive),
		"Adds b to the tx-count of the mbarrier at a, and arrives once. d = the previous state.").
		show("mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 4096;"),
	mbarrierRow("arrive.noComplete", arrivalMods, "d, [a], b:u32", "7.0 sm_80"+ordered, Atomic, noComplete(MbarArrive),
		"Arrives b times at the mbarrier at a. This must not complete the phase. d = the previous state."),
	mbarrierRow("arrive_drop", mbarrierMods, "d, [a], ?b:u32", arrivalNeeds, Atomic, mbarrierForm(MbarArriveDrop, SemRelease, SemRelaxed),
		"Arrives b times (once without b) at the mbarrier at a, which expects b fewer arrivals in later phases. d = the previous state."),
	mbarrierRow("arrive_drop.expect_tx", arrivalMods, "d, [a], b:u32", transactionNeeds, Atomic, expecting(MbarArriveDrop),
		"Adds b to the tx-count of the mbarrier at a, and arrives once. The mbarrier expects one arrival fewer in later phases. d = the previous state."),
	mbarrierRow("arrive_drop.noComplete", arrivalMods, "d, [a], b:u32", "7.0 sm_80"+ordered, Atomic, noComplete(MbarArriveDrop),
		"mbarrier.arrive_drop that must not complete the phase."),
	mbarrierRow("expect_tx", mbarrierMods, "[a], b:u32", "8.0 sm_90", Atomic, mbarrierForm(MbarExpectTx, SemRelaxed),
		"Adds b to the tx-count of the mbarrier at a: copies of b bytes must be complete before its phase is."),
	mbarrierRow("complete_tx", mbarrierMods, "[a], b:u32", "8.0 sm_90", Atomic, mbarrierForm(MbarCompleteTx, SemRelaxed),
		"Subtracts b from the tx-count of the mbarrier at a, as a copy of b bytes does."),
	mbarrierRow("test_wait", mbarrierMods, "d:pred, [a], b", "7.0 sm_80"+awaited, Load, ofOwn(mbarrierForm(MbarTestWait, SemAcquire, SemRelaxed)),
		"d = whether the phase to which state b belongs is complete; it is the current phase of the mbarrier at a or the previous one.").
		show("mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;"),
	mbarrierRow("test_wait.parity", parityMods, "d:pred, [a], b:u32", "7.1 sm_80"+awaited, Load, ofOwn(mbarrierForm(MbarTestWait, SemAcquire, SemRelaxed)),
		"d = whether the phase with parity b is complete; it is the current phase of the mbarrier at a or the previous one. The first phase has parity 0."),
	mbarrierRow("try_wait", mbarrierMods, "d:pred, [a], b, ?c:u32", "7.8 sm_90"+awaited, Load, ofOwn(mbarrierForm(MbarTryWait, SemAcquire, SemRelaxed)),
		"The same as mbarrier.test_wait: simtrun does not suspend threads, and ignores the time c."),
	mbarrierRow("try_wait.parity", parityMods, "d:pred, [a], b:u32, ?c:u32", "7.8 sm_90"+awaited, Load, ofOwn(mbarrierForm(MbarTryWait, SemAcquire, SemRelaxed)),
		"The same as mbarrier.test_wait.parity: simtrun does not suspend threads, and ignores the time c.").
		show("mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;"),
	{Name: "mbarrier", With: "pending_count", Mods: "mbarop type", Form: "d:u32, a", Needs: "7.0 sm_80", Kind: Compute, Cost: on(ALU),
		Doc: "d = the number of pending arrivals in state a.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[MbarOp] != MbarPendingCount || v.Type() != B64 {
				return nil
			}
			return lanes.MbarrierPending
		}},
	{Name: "cp", With: "async.mbarrier", Mods: "async mbar mbarop [noinc] [space] type", Form: "[a]", Needs: "7.0 sm_80", Kind: Atomic, Cost: on(LSU, CostAtomicShared),
		Doc:   "Arrives at the mbarrier at a when all copies that the thread has issued so far are complete. Without .noinc the number of pending arrivals first increases by one, for this arrival.",
		Types: []Type{B64}, Legal: ofOwn(mbarrierForm(MbarArrive))},
}
