package isa

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// A generic address is an address in global memory, which keeps its addresses, unless it is in the window of another
// space. Windows have WindowBytes, and that for shared memory twice as many.
const (
	WindowBytes  = 1 << 24
	SharedWindow = 1 << 24
	LocalWindow  = 3 << 24
	ParamWindow  = 4 << 24
	// ConstBase is the lowest address of constant memory. It is below 4 GiB, because compilers also keep addresses of
	// constants in 32-bit registers.
	ConstBase = 1 << 27
	// GlobalBase32 is the lowest address of global memory in a module with 32-bit addresses, above all windows and
	// constants.
	GlobalBase32 = 1 << 28
	// GlobalBase is the lowest address of global memory in other modules. It is above 4 GiB, as on a GPU, so that an
	// address truncated to 32 bits is not valid.
	GlobalBase = 1<<32 + GlobalBase32
)

// Addresses in shared memory below WindowBytes are in the executing CTA's own. After these come peerBytes for each
// CTA of its cluster, including itself, by rank.
const (
	peerBytes = 1 << 20
	// MaxCluster is the maximum number of CTAs of a cluster that have addresses.
	MaxCluster = WindowBytes / peerBytes
)

// PeerAddress returns the address in .shared::cluster space of an offset in the shared memory of the CTA with a rank.
func PeerAddress(rank int, offset uint64) uint64 {
	return WindowBytes + uint64(rank)*peerBytes + offset
}

// PeerOf returns the rank of the CTA that owns the shared memory at an address of .shared::cluster space, and the
// offset there. It returns false for an address in the executing CTA's own window, and for one outside the space.
func PeerOf(addr uint64) (rank int, offset uint64, ok bool) {
	if addr < WindowBytes || addr >= 2*WindowBytes {
		return 0, 0, false
	}
	return int((addr - WindowBytes) / peerBytes), addr % peerBytes, true
}

// Window returns the difference between a generic address and an address in the space.
func (s Space) Window() uint64 {
	switch s {
	case Shared, SharedCluster:
		return SharedWindow
	case Local:
		return LocalWindow
	case Param:
		return ParamWindow
	}
	return 0
}

// sharedSpaces are the spaces in which other threads see stores.
var sharedSpaces = []Space{Generic, Global, Shared, SharedCluster}

// maxVectorBits is the width of the widest vector in one access.
const maxVectorBits = 256

// legalAccess reports whether a combination of modifiers of a load or store is legal. In memory, halves are words of
// 16 bits, and pairs are words of 32.
func legalAccess(v *Variant) bool {
	m := v.Mods
	strong := m[Sem] >= SemRelaxed
	if m[MMIO] != 0 && (m[Sem] != SemRelaxed || m[Scope] != ScopeSys || v.Mods.MemSpace() != Generic && v.Mods.MemSpace() != Global || m[NC] != 0 || m[Vec] != 0) {
		return false
	}
	switch {
	case v.Type() == F16, v.Type() == F16x2, v.Type().Storage() != v.Type(), v.Type().IsOpaque():
		return false
	case strong != (m[Scope] != 0):
		return false
	case m[Sem] == SemVolatile && m.MemSpace() == Local: // not an order, but the compiler leaves these accesses alone
	case m[Sem] > SemWeak && !slices.Contains(sharedSpaces, m.MemSpace()): // only accesses that others see have an order
		return false
	}
	switch {
	case m[NC] == NonCoherent && (m.MemSpace() != Global || m[Sem] != 0), m[NC] == ReadOnlyProxy && !readsByProxy(v):
		return false
	case m[Vec] != 0 && (v.Type().Bits()*m.VecLen() > maxVectorBits || v.Type() == Pred || v.Type() == B128):
		return false
	}
	return true
}

// readsByProxy reports whether a load may have .proxy::readonly: a scalar one in global memory, without other
// modifiers.
func readsByProxy(v *Variant) bool {
	s := v.Mods.MemSpace()
	return (s == Global || s == Generic) && v.only(SpaceG, NC) && v.Type() != B128
}

func load[E, R lanes.Int, S lanes.Bits](v *Variant) lanes.MemFunc {
	if n := v.Mods.VecLen(); n > 1 {
		return lanes.LoadVec[E, R, S](n)
	}
	return lanes.Load[E, R, S]
}

func store[E lanes.Int, S lanes.Bits](v *Variant) lanes.MemFunc {
	if n := v.Mods.VecLen(); n > 1 {
		return lanes.StoreVec[E, S](n)
	}
	return lanes.Store[E, S]
}

func bindLoad(v *Variant) lanes.MemFunc {
	if !legalAccess(v) || v.Mods[Sem] > SemAcquire {
		return nil
	}
	bits := max(v.DstBits, v.Type().Bits())
	t := v.Type()
	if t == S8 && bits == 8 { // a slot has zeros above its register
		t = U8
	}
	switch t {
	case B8, U8:
		return byWidth(bits, load[uint8, uint32, uint32](v), load[uint8, uint32, uint32](v), load[uint8, uint64, uint64](v))
	case B16, U16:
		return byWidth(bits, load[uint16, uint32, uint32](v), load[uint16, uint32, uint32](v), load[uint16, uint64, uint64](v))
	case B32, U32, F32:
		return byWidth(bits, nil, load[uint32, uint32, uint32](v), load[uint32, uint64, uint64](v))
	case S8:
		return byWidth(bits, load[int8, int16, uint32](v), load[int8, int32, uint32](v), load[int8, int64, uint64](v))
	case S16:
		return byWidth(bits, load[int16, int16, uint32](v), load[int16, int32, uint32](v), load[int16, int64, uint64](v))
	case S32:
		return byWidth(bits, nil, load[int32, int32, uint32](v), load[int32, int64, uint64](v))
	case B64, U64, S64, F64:
		return load[uint64, uint64, uint64](v)
	case B128:
		return lanes.Load128
	}
	return nil
}

// byWidth chooses a lane function by the width of a register.
func byWidth(bits int, w16, w32, w64 lanes.MemFunc) lanes.MemFunc {
	switch {
	case bits > 32:
		return w64
	case bits > 16:
		return w32
	}
	return w16
}

func bindStore(v *Variant) lanes.MemFunc {
	if sem := v.Mods[Sem]; !legalAccess(v) || sem == SemAcquire || sem > SemRelease || v.Mods.MemSpace() == Const || v.Mods[SpaceG] == SpaceParamEntry {
		return nil
	}
	bits := max(v.SrcBits, v.Type().Bits())
	switch v.Type().Bits() {
	case 8:
		return byWidth(bits, store[uint8, uint32](v), store[uint8, uint32](v), store[uint8, uint64](v))
	case 16:
		return byWidth(bits, store[uint16, uint32](v), store[uint16, uint32](v), store[uint16, uint64](v))
	case 32:
		return byWidth(bits, nil, store[uint32, uint32](v), store[uint32, uint64](v))
	case 64:
		return store[uint64, uint64](v)
	case 128:
		return lanes.Store128
	}
	return nil
}

// atoms are the atomic operations, by operation and type.
var atoms = map[Mod]map[Type]lanes.MemFunc{
	AtomAdd: {U32: lanes.AtomAdd[uint32, uint32], S32: lanes.AtomAdd[int32, uint32], U64: lanes.AtomAdd[uint64, uint64],
		F16: lanes.AtomAddF16, F16x2: lanes.AtomAddF16x2, BF16: lanes.AtomAddBF16, BF16x2: lanes.AtomAddBF16x2, F32: lanes.AtomAddF32, F64: lanes.AtomAddF64},
	AtomMin: {U32: lanes.AtomMin[uint32, uint32], S32: lanes.AtomMin[int32, uint32],
		U64: lanes.AtomMin[uint64, uint64], S64: lanes.AtomMin[int64, uint64]},
	AtomMax: {U32: lanes.AtomMax[uint32, uint32], S32: lanes.AtomMax[int32, uint32],
		U64: lanes.AtomMax[uint64, uint64], S64: lanes.AtomMax[int64, uint64]},
	AtomInc:  {U32: lanes.AtomInc},
	AtomDec:  {U32: lanes.AtomDec},
	AtomExch: {B32: lanes.AtomExch[uint32, uint32], B64: lanes.AtomExch[uint64, uint64], B128: lanes.AtomExch128},
	AtomCas:  {B16: lanes.AtomCas[uint16, uint32], B32: lanes.AtomCas[uint32, uint32], B64: lanes.AtomCas[uint64, uint64], B128: lanes.AtomCas128},
	AtomAnd:  {B32: lanes.AtomAnd[uint32, uint32], B64: lanes.AtomAnd[uint64, uint64]},
	AtomOr:   {B32: lanes.AtomOr[uint32, uint32], B64: lanes.AtomOr[uint64, uint64]},
	AtomXor:  {B32: lanes.AtomXor[uint32, uint32], B64: lanes.AtomXor[uint64, uint64]},
}

// atomic is the Mem of atom or red: in memory that threads share, with one of the orders of sems, and with .noftz on
// halves only.
func atomic(v *Variant, sems ...Mod) lanes.MemFunc {
	half := v.Type() == F16 || v.Type() == BF16 || v.Type().inHalves()
	if sem := v.Mods[Sem]; sem != 0 && !slices.Contains(sems, sem) || half != (v.Mods[NoFtz] != 0) {
		return nil
	}
	if n := v.Mods.VecLen(); n > 1 {
		return atomicVector(v, n)
	}
	switch v.Mods.MemSpace() {
	case Generic, Global, Shared, SharedCluster:
		return atoms[v.Mods[AtomOp]][v.Type()]
	}
	return nil
}

// halfAtoms are the operations of vector atomics on halves and pairs of halves.
var halfAtoms = map[Mod]map[Type]func(old, b uint16) uint16{
	AtomAdd: {F16: lanes.AddedF16, BF16: lanes.AddedBF16},
	AtomMin: {F16: lanes.MinF16Of, BF16: lanes.MinBF16Of},
	AtomMax: {F16: lanes.MaxF16Of, BF16: lanes.MaxBF16Of},
}

// atomicVector is atomic on n elements in global memory: up to four words, or eight halves.
func atomicVector(v *Variant, n int) lanes.MemFunc {
	words := halfAtoms[v.Mods[AtomOp]]
	switch t := v.Type(); {
	case v.Mods.MemSpace() != Global && v.Mods.MemSpace() != Generic || n > 4 && t.Bits() > 16:
		return nil
	case t == F32 && v.Mods[AtomOp] == AtomAdd:
		return lanes.AtomVec(n, lanes.AddedF32)
	case t == F16x2 && words != nil:
		return lanes.AtomVec(n, lanes.Halves(words[F16]))
	case t == BF16x2 && words != nil:
		return lanes.AtomVec(n, lanes.Halves(words[BF16]))
	case words[t] != nil:
		return lanes.AtomVec(n, words[t])
	}
	return nil
}

func bindAtom(v *Variant) lanes.MemFunc {
	return atomic(v, SemRelaxed, SemAcquire, SemRelease, SemAcqRel)
}

// cachePolicy checks that there is a policy, the last operand of the form, if and only if the instruction has the
// hint for it.
func cachePolicy(in *Instr) string {
	switch has := len(in.Args) == len(in.Spec.formals); {
	case has && in.Mods[CacheHint] == 0:
		return "a cache policy needs .L2::cache_hint"
	case !has && in.Mods[CacheHint] != 0:
		return ".L2::cache_hint needs a cache policy, of 64 bits, as the last operand"
	}
	return ""
}

// alloca aligns to at least 8 bytes, and to at most 2^23.
const (
	leastAlignment = 8
	mostAlignment  = 1 << 23
)

// onAddress is the Bind of rows on addresses of 32 or 64 bits.
func onAddress(u32, u64 lanes.Func) func(*Variant) lanes.Func {
	return func(v *Variant) lanes.Func {
		switch v.Type() {
		case U32:
			return u32
		case U64:
			return u64
		}
		return nil
	}
}

const (
	loadMods  = "[mmio] [sem] [scope] [space] [cache] [nc] [evict] [evict2] [hint] [prefetch] [vec] type"
	storeMods = "[mmio] [sem] [scope] [space] [cache] [evict] [evict2] [hint] [vec] type"
	atomMods  = "[sem] [scope] [space] op [noftz] [hint] [vec] type"
)

// Atomics on shared memory, and the additions among them.
var (
	inShared = With(SpaceG, SpaceShared, SpaceSharedCTA, SpaceSharedCluster)
	adds     = With(AtomOp, AtomAdd)
)

// add64InShared is a loop that adds to 64 bits of shared memory.
var add64InShared = when(inShared, adds, int64s).then("2 warp_sync, 2 integer, product, branch, load_shared > integer, product > atomic_shared")

// atomicSequences are the machine instructions of atom and red. Shared memory lacks some atomics: these are a loop,
// which usually ends after one iteration: load, operation, exchange, comparison, branch.
var atomicSequences = []Sequence{
	when(inShared, adds, OfType(F32)).then("2 warp_sync, integer, branch, load_shared > single > atomic_shared"),
	when(inShared, adds, OfType(F16, F16x2, BF16, BF16x2)).then("2 warp_sync, integer, branch, load_shared > half > atomic_shared"),
	when(inShared, adds, OfType(F64)).then("2 warp_sync, 2 integer, product, branch, load_shared > double > atomic_shared"),
	add64InShared,
	when(inShared, With(AtomOp, AtomAnd, AtomOr, AtomXor), OfType(B64)).then("2 warp_sync, 2 integer, product, branch, load_shared > 2 integer > atomic_shared"),
	when(inShared, With(AtomOp, AtomMin, AtomMax), int64s).then("2 warp_sync, 5 integer, product, branch, branch, load_shared > integer > integer > atomic_shared"),
	otherwise(Own),
}

// reductionNeeds are the needs of red, and those of atom without its forms on 128 bits.
const reductionNeeds Needs = "1; L2::cache_hint 7.4 sm_80; cta/gpu/sys/cluster 5.0 sm_60; cluster 7.8 sm_90; relaxed/acquire/release/acq_rel 6.0 sm_70; and/or/xor/min/max u64/s64/b64 3.1 sm_32; add f64 5.0 sm_60; noftz f16x2 6.2 sm_60; noftz f16 6.3 sm_70; noftz bf16/bf16x2 7.8 sm_90; v2/v4/v8 8.1 sm_90"

var memorySpecs = []*Spec{
	{Name: "ld", Mods: loadMods, Form: "d:v, [a], ?e:b64", Kind: Load, Cost: &Cost{unit: loading, class: accessCost(Load)}, Facts: Facts{Wide: true}, Mem: bindLoad,
		Needs: "1; b128 8.3 sm_70; relaxed/acquire/release/weak 6.0 sm_70; cta/cluster/gpu/sys 6.0 sm_70; cluster 7.8 sm_90; volatile local 9.1; mmio 8.2 sm_70; proxy::readonly 9.4 sm_90; nc 3.1 sm_32; L1::* 7.4 sm_70; L2::64B/L2::128B/L2::256B 7.4 sm_75; L2::256B 7.4 sm_80; L2::cache_hint 7.4 sm_80; L2::evict_* 8.8 sm_100; v8 8.8 sm_100; v4 b64/u64/s64/f64 8.8 sm_100; param::entry/param::func 8.3",
		Doc: "d = the value at a. In shared and local memory an address in a 64-bit register is taken modulo 2^32. Cache operators, priorities, prefetch sizes and the policy e are hints and have no effect. " +
			"With .proxy::readonly the program guarantees that nothing writes to this memory meanwhile.",
		examples: []string{"ld.param.u64 %rd1, [out];", "ld.global.f32 %f1, [%rd1+4];", "ld.shared.u32 %r1, [%r2];", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"},
		Check:    cachePolicy},
	{Name: "ldu", Mods: "[space] [vec] type", Form: "d:v, [a]", Needs: "1; b128 8.3 sm_70", Kind: Load, Cost: &Cost{unit: always(LSU), class: accessCost(Load)}, Facts: Facts{Wide: true},
		Doc: "d = the value at a. The program guarantees that the memory is read-only and that all threads of the warp use the same address.",
		Mem: func(v *Variant) lanes.MemFunc {
			if s := v.Mods.MemSpace(); s != Generic && s != Global {
				return nil
			}
			return bindLoad(v)
		}},
	{Name: "st", Mods: storeMods, Form: "[a], b:v, ?e:b64", Kind: Store, Cost: &Cost{unit: always(LSU), class: accessCost(Store)}, Facts: Facts{Wide: true}, Mem: bindStore,
		Needs:    "1; b128 8.3 sm_70; relaxed/acquire/release/weak 6.0 sm_70; cta/cluster/gpu/sys 6.0 sm_70; cluster 7.8 sm_90; volatile local 9.1; mmio 8.2 sm_70; L1::* 7.4 sm_70; L2::cache_hint 7.4 sm_80; L2::evict_* 8.8 sm_100; v8 8.8 sm_100; v4 b64/u64/s64/f64 8.8 sm_100; param::entry/param::func 8.3",
		Doc:      "Stores b at a. b may be the sum of an integer register and a constant (%r1+4). If several lanes write to one address, the highest lane's value remains. Cache operators, priorities and the policy e are hints and have no effect.",
		examples: []string{"st.global.f32 [%rd1], %f1;", "st.shared.u32 [%r1+4], %r2;", "st.global.v2.u32 [%rd1], {%r1, %r2};"},
		Check:    cachePolicy},
	{Name: "atom", Mods: atomMods, Form: "d:v, [a], b:v, ?e:b64", Kind: Atomic,
		Needs:    reductionNeeds + "; b128 8.3 sm_90",
		Cost:     (&Cost{unit: always(LSU), class: accessCost(Atomic)}).becomes(atomicSequences...),
		Doc:      "d = the old value at a; the new value is (old op b). The lanes take effect one after the other. .add.f32 flushes subnormal numbers in global memory. A vector of .f32 or halves is one atomic for each element.",
		examples: []string{"atom.global.add.u32 %r1, [%rd1], 1;", "atom.shared.max.s32 %r1, [%r2], %r3;"},
		Mem: func(v *Variant) lanes.MemFunc {
			if v.Mods[AtomOp] == AtomCas {
				return nil
			}
			return bindAtom(v)
		},
		Check: cachePolicy},
	{Name: "atom", With: "cas", Mods: atomMods, Form: "d, [a], b, c, ?e:b64", Kind: Atomic, Cost: &Cost{unit: always(LSU), class: accessCost(Atomic)},
		Needs:    "1; L2::cache_hint 7.4 sm_80; cta/gpu/sys/cluster 5.0 sm_60; cluster 7.8 sm_90; relaxed/acquire/release/acq_rel 6.0 sm_70; b16 6.3 sm_70; b128 8.3 sm_90",
		Doc:      "d = the old value at a; if it equals b, c is stored at a. The lanes take effect one after the other.",
		examples: []string{"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"},
		Mem: func(v *Variant) lanes.MemFunc {
			if v.Mods[AtomOp] != AtomCas || v.Mods[Vec] != 0 {
				return nil
			}
			return bindAtom(v)
		},
		Check: cachePolicy},
	{Name: "red", Mods: atomMods, Form: "[a], b:v, ?e:b64", Kind: Atomic,
		Needs:    reductionNeeds,
		Cost:     (&Cost{unit: always(LSU), class: reductionCost}).becomes(atomicSequences...),
		Doc:      "The new value at a is (old op b). The lanes take effect one after the other.",
		Syntax:   Syntax{instead: "red has no result: leave out the first operand, or use atom, which returns the value before"},
		examples: []string{"red.global.add.u32 [%rd1], 1;", "red.shared.add.f32 [%r1], %f1;"},
		Mem: func(v *Variant) lanes.MemFunc {
			if op := v.Mods[AtomOp]; op == AtomExch || op == AtomCas {
				return nil
			}
			return atomic(v, SemRelaxed, SemRelease)
		},
		Check: cachePolicy},
	{Name: "alloca", Mods: "type", Form: "d, a, ?i:imm", Needs: "7.3 sm_52", Kind: Alloca, Cost: on(ALU), Facts: Facts{Stack: true},
		Doc:  "d = the address of a bytes that are allocated in local memory, aligned to i bytes, and to at least 8. i = 0 means 8, as LLVM writes it. The memory is freed when the function returns or restores the stack.",
		Bind: onAddress(lanes.Alloca[uint32], lanes.Alloca[uint64]),
		Imm:  func(*Variant) uint64 { return leastAlignment },
		Check: func(in *Instr) string {
			if len(in.Args) > 2 {
				if align := in.Args[2].Bits; align&(align-1) != 0 || align > mostAlignment {
					return "an alignment is a power of two of at most 2^23 bytes"
				}
			}
			return ""
		}},
	{Name: "stacksave", Mods: "type", Form: "d", Needs: "7.3 sm_52", Cost: on(ALU), Facts: Facts{Stack: true},
		Doc:  "d = the stack pointer, for stackrestore.",
		Bind: onAddress(lanes.StackSave[uint32], lanes.StackSave[uint64])},
	{Name: "stackrestore", Mods: "type", Form: "a", Needs: "7.3 sm_52", Cost: on(ALU), Facts: Facts{Stack: true},
		Doc:  "Sets the stack pointer to a, a result of stacksave. This frees the memory of later allocas.",
		Bind: onAddress(lanes.StackRestore[uint32], lanes.StackRestore[uint64])},
	{Name: "prefetch", Mods: "[space] cachelevel [valid]", Form: "[a]", Kind: Nop, Cost: on(LSU, CostStoreGlobal).of(OpAccess), Doc: "A hint, which simtrun accepts and ignores.",
		Needs: "2.0 sm_20; valid_addr 9.4 sm_90; L2::evict_* 7.4 sm_80",
		Legal: func(v *Variant) bool {
			s, level := v.Mods.MemSpace(), v.Mods[CacheLevel]
			switch {
			case (level == LevelL1Of32B) != (v.Mods[ValidAddr] != 0):
				return false
			case level == LevelL1Of32B:
				return s == Generic || s == Global
			case level > LevelL2: // with a priority
				return s == Global
			}
			return s == Generic || s == Global || s == Local
		}},
	{Name: "prefetchu", Mods: "cachelevel", Form: "[a]", Needs: "2.0 sm_20", Kind: Nop, Cost: on(LSU, CostStoreGlobal).of(OpAccess), Doc: "A hint, which simtrun accepts and ignores.",
		Legal: func(v *Variant) bool { return v.Mods[CacheLevel] == LevelL1 }},
	{Name: "membar", Mods: "level", Needs: "1; sys 2.0 sm_20", Kind: Fence, Cost: &Cost{unit: always(LSU), class: fenceCost},
		Doc:      "Orders memory accesses. simtrun executes every access in order, so this has no effect on values; --check race takes it into account.",
		examples: []string{"membar.gl;", "membar.cta;"}},
	{Name: "membar", With: "proxy", Mods: "proxy proxykind [space]", Needs: "7.5 sm_60", Kind: Nop, Cost: on(LSU, CostFenceCTA), Legal: bothProxies,
		Doc: "Older name of fence.proxy."},
	{Name: "fence", Mods: "[sem] [restrict] scope", Kind: Fence, Cost: &Cost{unit: always(LSU), class: fenceCost},
		Needs:    "6.0 sm_70; cluster 7.8 sm_90; acquire/release !sc !acq_rel 8.6 sm_90; sync_restrict* 8.6 sm_90",
		Doc:      "Orders memory accesses; with a restriction, only those to mbarriers of the cluster. simtrun executes every access in order, so this has no effect on values; --check race takes it into account.",
		examples: []string{"fence.acq_rel.gpu;", "fence.sc.cta;"},
		Legal: func(v *Variant) bool {
			sem := v.Mods[Sem]
			return v.Mods[Restrict] == 0 && (sem == 0 || sem >= SemAcquire) || restricted(v)
		}},
}
