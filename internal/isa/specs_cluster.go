package isa

import "github.com/simtrun/simtrun/internal/lanes"

const (
	TryCancel Mod = iota + 1
	QueryCancel
)

// answered is a row that queries an answer of clusterlaunchcontrol.try_cancel.
func answered(question, mods, form, doc string, fn lanes.Func) *Spec {
	is, _ := groups[Cancelled].find(question)
	return &Spec{Name: "clusterlaunchcontrol", With: "query_cancel." + question, Mods: "cancel canceled " + mods + "type type", Form: form, Needs: "8.6 sm_100", Cost: on(ALU), Doc: doc,
		Bind: func(v *Variant) lanes.Func {
			t := B32
			if question == "is_canceled" {
				t = Pred
			}
			const v4 = 2
			if v.Mods[CancelOp] != QueryCancel || v.Mods[Cancelled] != is || v.Types != [2]Type{t, B128} || mods != "" && v.Mods[Vec] != v4 {
				return nil
			}
			return fn
		}}
}

var clusterSpecs = []*Spec{
	{Name: "clusterlaunchcontrol", With: "try_cancel", Mods: "cancel async [space] completion [everywhere] type", Form: "[a], [g:mbar]", Needs: "8.6 sm_100; multicast::cluster::all 8.6 sm_100f sm_110f sm_120f", Kind: CancelLaunch, Cost: on(LSU, CostAtomicShared),
		Doc: "Cancels the next cluster that has not started (or block, in a grid without clusters), and stores the answer (16 bytes) in the block's shared memory at a, a multiple of 16. " +
			"Then it subtracts 16 from the tx-count of the mbarrier at g. With .multicast::cluster::all every block of the cluster gets the answer, at the same offsets. " +
			"Without a clock the answer comes at once, with a clock some hundred cycles later.",
		examples: []string{"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];"},
		Types:    []Type{B128}, Legal: func(v *Variant) bool {
			s := v.Mods[SpaceG]
			return v.Mods[CancelOp] == TryCancel && v.Mods[Completion] == CompleteTx && (s == 0 || s == SpaceSharedCTA)
		}},
	answered("is_canceled", "", "d:pred, a:1", "d = whether answer a says that a cluster was cancelled.", lanes.IsCanceled).
		show("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rq1;"),
	answered("get_first_ctaid", "vec ", "d:v, a:1", "d = {x, y, z, 0}, the coordinates of the first block of the cancelled cluster.", lanes.CanceledCTA).
		show("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %rq1;"),
	answered("get_first_ctaid::x", "", "d, a:1", "d = coordinate x of the first block of the cancelled cluster.", lanes.CanceledX).
		show("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %rq1;"),
	answered("get_first_ctaid::y", "", "d, a:1", "d = coordinate y of the first block of the cancelled cluster.", lanes.CanceledY).
		show("clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r1, %rq1;"),
	answered("get_first_ctaid::z", "", "d, a:1", "d = coordinate z of the first block of the cancelled cluster.", lanes.CanceledZ).
		show("clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r1, %rq1;"),
	{Name: "barrier", With: "cluster", Mods: "cluster bar [sem] [aligned]", Needs: "7.8 sm_90; acquire/relaxed/release 8.0", Kind: ClusterBarrier, Cost: on(ADU, CostCTABarrier),
		Doc: "barrier.cluster.arrive arrives at the cluster's barrier and does not wait. barrier.cluster.wait waits until all threads of the cluster that have not ended have arrived. Each thread arrives once before it waits.",
		Legal: func(v *Variant) bool {
			switch v.Mods[BarOp] {
			case BarArrive:
				return v.Mods[Sem] == 0 || v.Mods[Sem] == SemRelease || v.Mods[Sem] == SemRelaxed
			case BarWait:
				return v.Mods[Sem] == 0 || v.Mods[Sem] == SemAcquire
			}
			return false
		}},
	{Name: "mapa", Mods: "[space] type", Form: "d, a, b:u32", Needs: "7.8 sm_90", Cost: on(ALU), Syntax: Syntax{takesAddress: true},
		Doc: "Converts a, an address in the executing CTA's shared memory, to the corresponding address in the CTA of rank b. With .shared::cluster a and d are addresses in shared memory, otherwise generic addresses.",
		Bind: func(v *Variant) lanes.Func {
			if !clusterAddress(v) {
				return nil
			}
			return Exec{U32: lanes.MapShared[uint32], U64: lanes.MapShared[uint64]}[v.Type()]
		},
		Imm: windowImm},
	{Name: "getctarank", Mods: "[space] type", Form: "d:u32, a", Needs: "7.8 sm_90", Cost: on(ALU), Syntax: Syntax{takesAddress: true}, Facts: Facts{ReadsRank: true},
		Doc: "d = the rank of the CTA whose shared memory contains address a. With .shared::cluster, a is an address in shared memory, otherwise a generic address.",
		Bind: func(v *Variant) lanes.Func {
			if !clusterAddress(v) {
				return nil
			}
			return Exec{U32: lanes.SharedRank[uint32], U64: lanes.SharedRank[uint64]}[v.Type()]
		},
		Imm: windowImm},
}

// clusterAddress reports whether the address of a variant is generic, or in the shared memory of the cluster.
func clusterAddress(v *Variant) bool {
	return v.Mods.MemSpace() == Generic || v.Mods[SpaceG] == SpaceSharedCluster
}

// windowImm returns the difference between the addresses of a variant and those in shared memory.
func windowImm(v *Variant) uint64 {
	if v.Mods.MemSpace() == Generic {
		return SharedWindow
	}
	return 0
}
