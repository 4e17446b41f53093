package isa

import "github.com/simtrun/simtrun/internal/lanes"

// mapBytes is the size of a tensor map.
const mapBytes = 128

var proxySpecs = []*Spec{
	{Name: "fence", With: "proxy", Mods: "proxy proxykind [sem] [scope] [space]", Kind: Nop, Cost: on(LSU, CostFenceCTA),
		Needs:    "7.5 sm_70; alias acquire/release 9.4 sm_90; async* 8.0 sm_90",
		Doc:      "Orders accesses through different proxies: through aliases of an address, or by asynchronous copies and other accesses. simtrun executes every access in order, so this has no effect on values; --check race takes it into account.",
		examples: []string{"fence.proxy.async.shared::cta;", "fence.proxy.alias.acquire.sys;"},
		Legal: func(v *Variant) bool {
			if v.Mods[Sem] != 0 || v.Mods[Scope] != 0 {
				return v.Mods[ProxyKind] == ProxyAlias && v.Mods[SpaceG] == 0 && v.Mods[Scope] == ScopeSys && (v.Mods[Sem] == SemAcquire || v.Mods[Sem] == SemRelease)
			}
			return bothProxies(v)
		}},
	{Name: "fence", With: "proxy.async::generic", Mods: "proxy proxykind sem restrict scope", Needs: "8.6 sm_90", Kind: Nop, Cost: on(LSU, CostFenceCTA),
		Doc:   "Orders asynchronous copies and other accesses to the cluster's shared memory. simtrun executes every access in order, so this has no effect on values.",
		Legal: func(v *Variant) bool { return v.Mods[ProxyKind] == ProxyAsyncGeneric && restricted(v) }},
	{Name: "fence", With: "proxy.tensormap::generic", Mods: "proxy tensormap sem scope", Form: "?[a], ?i:imm", Needs: "8.3 sm_90", Kind: Nop, Cost: on(LSU, CostFenceCTA),
		Doc:      "Orders accesses to the tensor map of 128 bytes at a. simtrun executes every access in order, so this has no effect on values.",
		examples: []string{"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"},
		Legal: func(v *Variant) bool {
			s := v.Mods[Sem]
			return v.Mods[TensorMapG] == TensorMapGeneric && (s == SemAcquire || s == SemRelease)
		},
		Check: func(in *Instr) string {
			switch acquires := in.Mods[Sem] == SemAcquire; {
			case acquires != (in.given() == 2):
				return ".acquire takes the address of a tensor map and 128, .release nothing"
			case acquires:
				if n := in.Args[1].Bits; n != mapBytes {
					return "a tensor map has 128 bytes"
				}
			}
			return ""
		}},
	{Name: "fence", With: "mbarrier_init", Mods: "initfence sem scope", Needs: "8.0 sm_90", Kind: Nop, Cost: on(LSU, CostFenceCTA),
		Doc:   "Makes the initialisation of mbarriers visible to the threads of the cluster. simtrun executes every access in order, so this has no effect.",
		Legal: func(v *Variant) bool { return v.Mods[Sem] == SemRelease && v.Mods[Scope] == ScopeCluster }},
	{Name: "elect", Mods: "sync", Form: "d:b32|q:pred, e:b32", Needs: "8.0 sm_90", Kind: Vote, Cost: on(ALU, CostVote),
		Doc:      "d = the lowest lane of the mask e, which must name the executing lanes; q = whether this lane is d.",
		examples: []string{"elect.sync %r1|%p1, -1;"},
		Bind:     func(*Variant) lanes.Func { return lanes.Elect }},
	{Name: "prefetch", With: "tensormap", Mods: "[space] tensormap", Form: "[a]", Needs: "8.0 sm_90", Kind: Nop, Cost: on(LSU, CostStoreGlobal), Doc: "A hint, which simtrun accepts and ignores.",
		Legal: func(v *Variant) bool {
			s := v.Mods.MemSpace()
			return v.Mods[TensorMapG] == TensorMapPrefetch && (s == Generic || s == Const || s == Param)
		}},
}

// bothProxies reports whether a combination of modifiers of a bidirectional fence between two proxies is legal.
func bothProxies(v *Variant) bool {
	s := v.Mods[SpaceG]
	return v.Mods[ProxyKind] != ProxyAsyncGeneric &&
		(s == 0 || v.Mods[ProxyKind] == ProxyAsync && (s == SpaceGlobal || s == SpaceSharedCTA || s == SpaceSharedCluster))
}

// restricted reports whether a fence has one of the two possible restrictions, to acquire or to release.
func restricted(v *Variant) bool {
	want := RestrictCTA
	if v.Mods[Sem] == SemAcquire {
		want = RestrictCluster
	} else if v.Mods[Sem] != SemRelease {
		return false
	}
	return v.Mods[Restrict] == want && v.Mods[Scope] == ScopeCluster
}
