package isa

import (
	"strconv"
	"strings"
)

// Special is a special register (PTX ISA 10).
type Special uint8

// Registers with three coordinates are in the order x, y, z.
const (
	NoSpecial Special = iota
	TidX
	TidY
	TidZ
	NtidX
	NtidY
	NtidZ
	CtaidX
	CtaidY
	CtaidZ
	NctaidX
	NctaidY
	NctaidZ
	LaneID
	WarpID
	NWarpID
	LaneMaskEq
	LaneMaskLe
	LaneMaskLt
	LaneMaskGe
	LaneMaskGt
	SMID
	NSMID
	GridID
	ClusterIDX
	ClusterIDY
	ClusterIDZ
	NClusterIDX
	NClusterIDY
	NClusterIDZ
	ClusterCtaidX
	ClusterCtaidY
	ClusterCtaidZ
	ClusterNctaidX
	ClusterNctaidY
	ClusterNctaidZ
	ClusterCtaRank
	ClusterNctaRank
	IsExplicitCluster
	DynamicSharedSize
	TotalSharedSize
	AggregateSharedSize // the total, including the system's part
	ReservedSharedBegin
	ReservedSharedEnd
	ReservedSharedCap
	ReservedShared0
	ReservedShared1
	Clock
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	CurrentGraphExec
	EnvReg0
	EnvReg31    = EnvReg0 + 31
	PM0         = EnvReg31 + 1 // performance counters of 32 bits
	PM7         = PM0 + 7
	PM064       = PM7 + 1 // the same counters, of 64 bits
	PM764       = PM064 + 7
	NumSpecials = PM764 + 1
)

var specialNames = func() (names [NumSpecials]string) {
	for first, name := range map[Special]string{
		TidX: "%tid", NtidX: "%ntid", CtaidX: "%ctaid", NctaidX: "%nctaid",
		ClusterIDX: "%clusterid", NClusterIDX: "%nclusterid",
		ClusterCtaidX: "%cluster_ctaid", ClusterNctaidX: "%cluster_nctaid",
	} {
		for i, axis := range []string{".x", ".y", ".z"} {
			names[first+Special(i)] = name + axis
		}
	}
	for s, name := range map[Special]string{
		LaneID: "%laneid", WarpID: "%warpid", NWarpID: "%nwarpid",
		LaneMaskEq: "%lanemask_eq", LaneMaskLe: "%lanemask_le", LaneMaskLt: "%lanemask_lt",
		LaneMaskGe: "%lanemask_ge", LaneMaskGt: "%lanemask_gt",
		SMID: "%smid", NSMID: "%nsmid", GridID: "%gridid",
		ClusterCtaRank: "%cluster_ctarank", ClusterNctaRank: "%cluster_nctarank", IsExplicitCluster: "%is_explicit_cluster",
		DynamicSharedSize: "%dynamic_smem_size", TotalSharedSize: "%total_smem_size", AggregateSharedSize: "%aggr_smem_size",
		ReservedSharedBegin: "%reserved_smem_offset_begin", ReservedSharedEnd: "%reserved_smem_offset_end",
		ReservedSharedCap: "%reserved_smem_offset_cap", ReservedShared0: "%reserved_smem_offset_0", ReservedShared1: "%reserved_smem_offset_1",
		CurrentGraphExec: "%current_graph_exec",
		Clock:            "%clock", ClockHi: "%clock_hi", Clock64: "%clock64",
		GlobalTimer: "%globaltimer", GlobalTimerLo: "%globaltimer_lo", GlobalTimerHi: "%globaltimer_hi",
	} {
		names[s] = name
	}
	for i := range Special(32) {
		names[EnvReg0+i] = "%envreg" + strconv.Itoa(int(i))
	}
	for i := range Special(8) {
		names[PM0+i] = "%pm" + strconv.Itoa(int(i))
		names[PM064+i] = names[PM0+i] + "_64"
	}
	return names
}()

var specialByName = func() map[string]Special {
	m := make(map[string]Special)
	for s := TidX; s < NumSpecials; s++ {
		m[specialNames[s]] = s
	}
	return m
}()

// SpecialByName returns the special register with a name such as "%tid.x", and whether it exists.
func SpecialByName(name string) (s Special, known bool) {
	s, known = specialByName[name]
	return s, known
}

// IsClock reports whether s has a new value whenever it is read.
func (s Special) IsClock() bool { return s >= Clock && s <= GlobalTimerHi }

// SpecialVector returns the first of the special registers that a name such as "%tid" stands for as a vector; ok is
// false if it stands for none.
func SpecialVector(name string) (first Special, ok bool) {
	first, ok = specialByName[name+".x"]
	return first, ok
}

// IsFourthElement reports whether name is the fourth element of a vector special register, such as "%tid.w".
// It is always 0 (PTX ISA 10.1).
func IsFourthElement(name string) bool {
	vector, ok := strings.CutSuffix(name, ".w")
	if ok {
		_, ok = SpecialVector(vector)
	}
	return ok
}

// String returns the register's name in PTX.
func (s Special) String() string { return specialNames[s] }

// vectorName returns the name of the vector that begins with s.
func (s Special) vectorName() string { return strings.TrimSuffix(specialNames[s], ".x") }

// Type returns the register's type.
func (s Special) Type() Type {
	switch {
	case s >= PM064 && s <= PM764:
		return U64
	}
	switch s {
	case GridID, Clock64, GlobalTimer, CurrentGraphExec:
		return U64
	case IsExplicitCluster:
		return Pred
	}
	return U32
}

// NarrowSpecial turns a move of the low half of a special register into a conversion. In PTX 1.x these registers had
// 16 bits, and %gridid had 32.
func (in *Instr) NarrowSpecial() {
	if !in.Spec.Takes(AnyMove) || len(in.Args) != 2 || in.Args[1].Kind != SpecialOperand {
		return
	}
	to, from := in.Types[0], in.Args[1].Special.Type()
	if from == Pred || to == Pred || to.Class() == Float || to.Bits() >= from.Bits() {
		return
	}
	unsigned := U32
	if to.Bits() == 16 {
		unsigned = U16
	}
	in.Spec, in.Types, in.Mods = Lookup("cvt"), [2]Type{unsigned, from}, new(Mods)
}
