package isa

import "github.com/simtrun/simtrun/internal/lanes"

// The modifiers of each group, in the order of its words in groups.

const (
	RN Mod = iota + 1
	RZ
	RM
	RP
)

const (
	Approx Mod = iota + 1
	Full
)

const (
	Lo Mod = iota + 1
	Hi
	WidePart
)

const (
	CmpEq Mod = iota + 1
	CmpNe
	CmpLt
	CmpLe
	CmpGt
	CmpGe
	CmpLo
	CmpLs
	CmpHi
	CmpHs
	CmpEqu
	CmpNeu
	CmpLtu
	CmpLeu
	CmpGtu
	CmpGeu
	CmpNum
	CmpNan
)

const (
	BoolAnd Mod = iota + 1
	BoolOr
	BoolXor
)

const (
	SemWeak Mod = iota + 1
	SemVolatile
	SemRelaxed
	SemAcquire
	SemRelease
	SemAcqRel
	SemSC
)

const (
	RestrictCTA Mod = iota + 1
	RestrictCluster
)

const (
	ProxyAlias Mod = iota + 1
	ProxyAsync
	ProxyAsyncGeneric
)

const (
	ScopeCTA Mod = iota + 1
	ScopeCluster
	ScopeGPU
	ScopeSys
)

const (
	CacheCA Mod = iota + 1
	CacheCG
	CacheCS
	CacheLU
	CacheCV
)

const (
	LevelCTA Mod = iota + 1
	LevelGL
	LevelSys
)

const (
	SpaceGlobal Mod = iota + 1
	SpaceShared
	SpaceLocal
	SpaceConst
	SpaceParam
	SpaceSharedCTA
	SpaceParamEntry
	SpaceParamFunc
	SpaceSharedCluster
)

const (
	WindowGlobal Mod = iota + 1
	WindowShared
	WindowLocal
	WindowParam
	WindowSharedCTA
	WindowParamEntry
	WindowSharedCluster
	WindowConst
)

const (
	LevelL1 Mod = iota + 1
	LevelL2
	LevelL2EvictLast
	LevelL2EvictNormal
	LevelL1Of32B
)

const (
	NonCoherent Mod = iota + 1
	ReadOnlyProxy
)

// Formats of matrices in memory, as modifiers: elements of 6 or 4 bits, 16 of which have 16 bytes.
const (
	Narrow6 Mod = iota + 1
	Narrow4
)

// PriorityNormal is L2::evict_normal.
const PriorityNormal Mod = 2

const (
	HalfF16 Mod = iota + 1
	HalfBF16
)

const (
	TypeU32 Mod = iota + 1
	TypeS32
)

const (
	AtomAdd Mod = iota + 1
	AtomMin
	AtomMax
	AtomInc
	AtomDec
	AtomExch
	AtomCas
	AtomAnd
	AtomOr
	AtomXor
)

const (
	BarSync Mod = iota + 1
	BarArrive
	BarRed
	BarWarp
	BarWait
)

const (
	RedAnd Mod = iota + 1
	RedOr
	RedPopc
)

const (
	ShflUp Mod = iota + 1
	ShflDown
	ShflBfly
	ShflIdx
)

const (
	VoteAll Mod = iota + 1
	VoteAny
	VoteUni
	VoteBallot
)

const (
	ShfL Mod = iota + 1
	ShfR
)

// Classes of numbers for testp, as in package lanes.
const (
	TestpNormal    Mod = lanes.TestpNormal
	TestpSubnormal Mod = lanes.TestpSubnormal
)

const (
	ShfClamp Mod = iota + 1
	ShfWrap
)

const (
	CopyCA Mod = iota + 1
	CopyCG
)

const (
	FromGlobal Mod = iota + 1
	FromSharedCTA
)

const (
	MbarInit Mod = iota + 1
	MbarInval
	MbarArrive
	MbarArriveDrop
	MbarExpectTx
	MbarCompleteTx
	MbarTestWait
	MbarTryWait
	MbarPendingCount
)

const (
	CompleteTx Mod = iota + 1
	BulkGroup
)

const (
	TensorMapGeneric Mod = iota + 1
	TensorMapPrefetch
)

const (
	Tensor1D Mod = iota + 1
	Tensor2D
	Tensor3D
	Tensor4D
	Tensor5D
)

const (
	ModeTile Mod = iota + 1
	ModeIm2col
	ModeIm2colNoOffsets
	ModeGather4
	ModeScatter4
)

// Fields of tensor maps, in the order of package tensor's.
const (
	FieldAddress Mod = iota + 1
	FieldRank
	FieldBoxDim
	FieldGlobalDim
	FieldGlobalStride
	FieldElementStride
	FieldElemType
	FieldInterleave
	FieldSwizzleMode
	FieldSwizzleAtomicity
	FieldFillMode
)

const (
	ArriveExpectTx Mod = iota + 1
	ArriveNoComplete
)

const (
	CommitGroup Mod = iota + 1
	WaitGroup
	WaitAll
)

const (
	TensorAlloc Mod = iota + 1
	TensorDealloc
	TensorRelinquish
	TensorLoad
	TensorStore
	TensorWaitLoad
	TensorWaitStore
	TensorFenceBefore
	TensorFenceAfter
	TensorCommit
	TensorCopy
	TensorMMA
)

const (
	OneCTA Mod = iota + 1
	TwoCTAs
)

const (
	Tensor32x32b Mod = iota + 1
	Tensor16x64b
	Tensor16x128b
	Tensor16x256b
	Tensor16x32bx2
)

const (
	PackHalves Mod = iota + 1
	UnpackHalves
)

const (
	Copy128x256b Mod = iota + 1
	Copy4x256b
	Copy128x128b
	Copy64x128b
	Copy32x128b
)

const (
	CopyWarps02And13 Mod = iota + 1
	CopyWarps01And23
	CopyWarpsAll
)

const (
	TensorF16 Mod = iota + 1
	TensorTF32
	TensorF8F6F4
	TensorI8
	TensorMXF8F6F4
	TensorMXF4
	TensorMXF4NVF4
)

const (
	Scales1 Mod = iota + 1
	Scales2
	Scales4
	ScaleOf16
	ScaleOf32
)
