package isa

import "github.com/simtrun/simtrun/lanes"

var clusterSpecs = []*Spec{
	{Name: "barrier", With: "cluster", Mods: "cluster bar [sem] [aligned]", Kind: ClusterBarrier, Units: on(ADU), Costs: always(CostCTABarrier),
		Doc: "barrier.cluster.arrive: arrive at the cluster's barrier and go on. barrier.cluster.wait: wait until all threads of the cluster that have not ended have arrived. Each thread arrives once before it waits.",
		Legal: func(v *Variant) bool {
			switch v.Mods[BarOp] {
			case BarArrive:
				return v.Mods[Sem] == 0 || v.Mods[Sem] == SemRelease || v.Mods[Sem] == SemRelaxed
			case BarWait:
				return v.Mods[Sem] == 0 || v.Mods[Sem] == SemAcquire
			}
			return false
		}},
	{Name: "mapa", Mods: "[space] type", Form: "d, a, b:u32", Units: on(ALU), TakesAddress: true,
		Doc: "d = the address, in the shared memory of the cluster's CTA of rank b, of what is at a in that of the executing one. With .shared::cluster a and d are addresses in shared memory, without it generic ones.",
		Bind: func(v *Variant) lanes.Func {
			if !clusterAddress(v) {
				return nil
			}
			return Exec{U32: lanes.MapShared[uint32], U64: lanes.MapShared[uint64]}[v.Type()]
		},
		Imm: windowImm},
	{Name: "getctarank", Mods: "[space] type", Form: "d:u32, a", Units: on(ALU), TakesAddress: true, ReadsRank: true,
		Doc: "d = the rank in the cluster of the CTA whose shared memory a is in: an address in shared memory with .shared::cluster, without it a generic one.",
		Bind: func(v *Variant) lanes.Func {
			if !clusterAddress(v) {
				return nil
			}
			return Exec{U32: lanes.SharedRank[uint32], U64: lanes.SharedRank[uint64]}[v.Type()]
		},
		Imm: windowImm},
}

// clusterAddress reports whether the address of a variant is generic, or in shared memory of the
// cluster.
func clusterAddress(v *Variant) bool {
	return v.Mods.MemSpace() == Generic || v.Mods[SpaceG] == SpaceSharedCluster
}

// windowImm is by how much the addresses of a variant are higher than those in shared memory.
func windowImm(v *Variant) uint64 {
	if v.Mods.MemSpace() == Generic {
		return SharedWindow
	}
	return 0
}
