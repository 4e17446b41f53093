package isa

import "github.com/simtrun/simtrun/internal/lanes"

// Group is a set of modifiers. An instruction has at most one of each group.
type Group uint8

const (
	Rnd        Group = iota // rounding of a floating-point result
	Away                    // rounding to nearest, ties away from zero
	IRnd                    // rounding to an integer
	Prec                    // .approx, .full
	Ftz                     // subnormal inputs and results become zero
	Sat                     // saturation
	Part                    // which part of a product: .lo, .hi, .wide
	CC                      // the carry flag is written
	Cmp                     // comparison
	BoolOp                  // combination with a predicate
	NaN                     // NaN wins in min and max
	XorSign                 // min and max of magnitudes, with the sign of the product
	AbsG                    // always together with .xorsign
	Relu                    // negative results become zero
	SatFinite               // infinite results become the largest number
	NoFtz                   // atomics on halves keep subnormal numbers
	To                      // cvta.to
	MMIO                    // of memory-mapped devices
	Sem                     // memory consistency
	Restrict                // a fence orders only some state spaces
	Scope                   // the threads that an access is ordered for
	Level                   // .cta, .gl or .sys of membar
	SpaceG                  // state space
	NC                      // read-only cache
	Cache                   // cache operator
	Evict                   // eviction priority in L1
	Evict2                  // eviction priority in L2
	CacheHint               // a cache policy is the last operand
	Prefetch                // prefetch size
	CacheLevel              // level of cache
	Priority                // eviction priority of a cache policy
	Priority2               // eviction priority of the other accesses of a cache policy
	OfLevel                 // level of cache of discard and createpolicy
	Fractional              // createpolicy for a fraction of all accesses
	RangeG                  // createpolicy by a range of addresses
	PolicyCvt               // createpolicy of an access property
	Dependency              // griddepcontrol
	RegistersG              // setmaxnreg
	Vec                     // elements of a vector access
	AtomOp                  // atomic operation
	BarOp                   // barrier operation
	RedOp                   // operation of a barrier's reduction
	CTAG                    // .cta, of barriers
	Sync                    // .sync
	Aligned                 // .aligned
	Uni                     // .uni
	ShflMode                // lane exchange
	VoteMode                // vote
	ShfDir                  // funnel shift direction
	ShfMode                 // funnel shift count
	HalfG                   // type of factors and of the first term where the others are .f32
	TypeA                   // video instructions: type of a
	TypeB                   // video instructions: type of b
	SecondOpG               // video instructions: second operation, with c
	Accumulate              // SIMD video instructions: results are summed
	PlusOne                 // vmad: 1 is added
	Scale                   // vmad: shift of the result
	Shiftamt                // bfind
	PrmtMode                // byte permutation
	TestpMode               // class of float
	Idx                     // .idx
	Window                  // space of a generic address
	PackG                   // cvt.pack
	PackC                   // type of the operand that cvt.pack shifts in
	EventMask               // pmevent: several events
	Async                   // .async: a copy that continues after its instruction
	CopyCache               // caches that a non-bulk copy goes through
	From                    // state space of the source of a copy
	GroupOp                 // operation on groups of copies
	Mbar                    // .mbarrier: of copies
	MbarOp                  // operation of an mbarrier
	MbarHow                 // other effect of an arrival on an mbarrier
	NoInc                   // .noinc
	Parity                  // .parity
	Bulk                    // .bulk: a copy of one thread
	Completion              // how a bulk copy signals its completion
	ReadG                   // .read: wait only until the sources have been read
	Multicast               // to several CTAs
	Proxy                   // .proxy
	ProxyKind               // proxies that a fence orders
	TensorMapG              // of tensor maps
	InitFence               // .mbarrier_init
	PrefetchG               // .prefetch
	TensorG                 // .tensor: a copy of a box of a tensor
	TensorDims              // dimensions of the tensor
	LoadMode                // which elements are copied
	ReplaceG                // .replace: of a field of a tensor map
	MapField                // the field
	MapSize                 // .b1024: the size of a tensor map
	FenceCopy               // .cp_fenceproxy: a copy of a tensor map
	ReduceG                 // .reduce: a copy that combines with the old values

	MatrixShape // rows, columns and depth of a product of matrices
	ALayout     // whether A is by rows
	BLayout     // whether B is by rows
	DType       // elements of a product's D
	AType       // elements of A
	BType       // elements of B
	CType       // elements of C
	BitOp       // operation on bits
	Popc        // always together with BitOp
	MatrixCount // matrices that ldmatrix moves
	Trans       // transposes matrices
	Sparse      // products of sparse matrices
	ProductKind // products of formats with scales
	WarpMatrix  // what wmma does
	WarpgroupG  // what wgmma does
	GroupShape  // rows, columns and depth of a warpgroup's product
	MatrixOf    // the matrix that wmma loads or stores

	ClusterG // .cluster, of barriers

	TensorOp    // what tcgen05 does
	CTAGroup    // number of CTAs that take part
	TensorShape // lanes and bits of a load or store of tensor memory
	TensorCount // how often the shape is repeated
	TensorPack  // of two columns with 16 bits each
	OneArrival  // how tcgen05.commit signals an mbarrier
	CopyShape   // lanes and bits of a copy to tensor memory
	CopyTwice   // warps that receive a copy in their lanes
	Decompress  // formats of a copy
	Weights     // .ws: D is spread over all lanes
	TensorKind  // elements of a product in tensor memory
	BlockScale  // blocks of A and B have scales
	ScaleCount  // scales per row, or elements per scale
	CollectorA  // use of the collector for A
	CollectorB  // use of the collector for B
	CancelOp    // what clusterlaunchcontrol does
	Cancelled   // query of an answer
	AllCTAs     // to all CTAs of the cluster

	Geom        // geometry of a texture or surface
	LOD         // level of detail of a texture
	Component   // channel of a texture
	Query       // attribute of a texture, sampler or surface
	SurfaceForm // how a surface is addressed
	Clamp       // effect of accesses outside the bounds of a surface

	NumGroups
)

// Mod is a modifier within its group, counted from 1; 0 means none.
type Mod uint8

// Mods are the modifiers of one instruction.
type Mods [NumGroups]Mod

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

// group describes a Group.
type group struct {
	name  string   // as in the rows' Mods
	doc   string   // description for messages
	words []string // by Mod, beginning with Mod 1
	later []string // words of PTX that are not supported yet
	hint  bool     // accepted and ignored: it never affects whether a form is legal
}

var groups = [NumGroups]group{
	Rnd:        {"rnd", "rounding", words("rn", "rz", "rm", "rp"), words("rs"), false},
	Away:       {"away", "rounding of ties away from zero", words("rna"), nil, false},
	IRnd:       {"irnd", "integer rounding", words("rni", "rzi", "rmi", "rpi"), nil, false},
	Prec:       {"prec", "precision", words("approx", "full"), nil, false},
	Ftz:        {"ftz", "flush to zero", words("ftz"), nil, false},
	Sat:        {"sat", "saturation", words("sat"), nil, false},
	Part:       {"part", "part of the product", words("lo", "hi", "wide"), nil, false},
	CC:         {"cc", "carry out", words("cc"), nil, false},
	Cmp:        {"cmp", "comparison", words("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"), nil, false},
	BoolOp:     {"bool", "boolean operation", words("and", "or", "xor"), nil, false},
	NaN:        {"nan", "NaN propagation", words("NaN"), nil, false},
	XorSign:    {"xorsign", "sign of the product", words("xorsign"), nil, false},
	AbsG:       {"abs", "magnitude", words("abs"), nil, false},
	Relu:       {"relu", "clamping to zero", words("relu"), words("oob"), false},
	SatFinite:  {"satfinite", "saturation to finite numbers", words("satfinite"), nil, false},
	NoFtz:      {"noftz", "subnormal mode", words("noftz"), nil, false},
	To:         {"to", "direction", words("to"), nil, false},
	MMIO:       {"mmio", "kind of access", words("mmio"), nil, false},
	Sem:        {"sem", "memory ordering", words("weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"), words("async", "bulk", "proxy", "mbarrier_init"), false},
	Restrict:   {"restrict", "restriction", words("sync_restrict::shared::cta", "sync_restrict::shared::cluster"), nil, false},
	Scope:      {"scope", "scope", words("cta", "cluster", "gpu", "sys"), nil, false},
	Level:      {"level", "level", words("cta", "gl", "sys"), nil, false},
	SpaceG:     {"space", "state space", words("global", "shared", "local", "const", "param", "shared::cta", "param::entry", "param::func", "shared::cluster"), nil, false},
	NC:         {"nc", "read-only cache", words("nc"), nil, false},
	Cache:      {"cache", "cache operator", words("ca", "cg", "cs", "lu", "cv", "wb", "wt"), nil, true},
	Evict:      {"evict", "eviction priority", words("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"), nil, true},
	Evict2:     {"evict2", "eviction priority in L2", words("L2::evict_last", "L2::evict_normal", "L2::evict_first"), nil, true},
	CacheHint:  {"hint", "cache policy", words("L2::cache_hint"), nil, true},
	Prefetch:   {"prefetch", "prefetch size", words("L2::64B", "L2::128B", "L2::256B"), nil, true},
	CacheLevel: {"cachelevel", "cache level", words("L1", "L2", "L2::evict_last", "L2::evict_normal"), words("tensormap"), false},
	Priority:   {"priority", "eviction priority", words("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"), nil, false},
	Priority2:  {"priority2", "second eviction priority", words("L2::evict_first", "L2::evict_unchanged"), nil, false},
	OfLevel:    {"oflevel", "cache level", words("L2"), nil, false},
	Fractional: {"fractional", "kind of policy", words("fractional"), nil, false},
	RangeG:     {"range", "kind of policy", words("range"), nil, false},
	PolicyCvt:  {"cvt", "kind of policy", words("cvt"), nil, false},
	Dependency: {"dependency", "action", words("launch_dependents", "wait"), nil, false},
	RegistersG: {"registers", "action", words("inc", "dec"), nil, false},
	Vec:        {"vec", "vector", words("v2", "v4", "v8"), nil, false},
	AtomOp:     {"op", "operation", words("add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"), nil, false},
	BarOp:      {"bar", "barrier operation", words("sync", "arrive", "red", "warp", "wait"), nil, false},
	RedOp:      {"redop", "reduction", words("and", "or", "popc"), nil, false},
	CTAG:       {"cta", "scope", words("cta"), nil, true},
	Sync:       {"sync", "synchronisation", words("sync"), nil, false},
	Aligned:    {"aligned", "alignment", words("aligned"), nil, true},
	Uni:        {"uni", "uniformity", words("uni"), nil, true},
	ShflMode:   {"shfl", "exchange", words("up", "down", "bfly", "idx"), nil, false},
	VoteMode:   {"vote", "vote", words("all", "any", "uni", "ballot"), nil, false},
	ShfDir:     {"dir", "direction", words("l", "r"), nil, false},
	ShfMode:    {"shf", "shift mode", words("clamp", "wrap"), nil, false},
	HalfG:      {"half", "type of halves", words("f16", "bf16"), nil, false},
	TypeA:      {"typea", "type of a", words("u32", "s32"), nil, false},
	TypeB:      {"typeb", "type of b", words("u32", "s32"), nil, false},
	SecondOpG:  {"second", "second operation", words("add", "min", "max"), nil, false},
	Accumulate: {"accumulate", "accumulation", words("add"), nil, false},
	PlusOne:    {"po", "plus one", words("po"), nil, false},
	Scale:      {"scale", "scale", words("shr7", "shr15"), nil, false},
	Shiftamt:   {"shiftamt", "shift amount", words("shiftamt"), nil, false},
	PrmtMode:   {"prmt", "mode", words("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"), nil, false},
	Idx:        {"idx", "index", words("idx"), nil, false},
	Window:     {"window", "state space", words("global", "shared", "local", "param", "shared::cta", "param::entry", "shared::cluster", "const"), nil, false},
	PackG:      {"pack", "packing", words("pack"), nil, false},
	PackC:      {"packc", "type of c", words("b32"), nil, false},
	EventMask:  {"mask", "mask of events", words("mask"), nil, false},
	Async:      {"async", "kind of copy", words("async"), words("cp_mask", "mmio"), false},
	CopyCache:  {"copycache", "cache operator", words("ca", "cg"), nil, false},
	From:       {"from", "state space of the source", words("global", "shared::cta"), nil, false},
	GroupOp:    {"groupop", "operation on groups", words("commit_group", "wait_group", "wait_all"), nil, false},
	ClusterG:   {"cluster", "scope", words("cluster"), nil, false},
	Mbar:       {"mbar", "kind of arrival", words("mbarrier"), nil, false},
	MbarOp:     {"mbarop", "operation", words("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count"), nil, false},
	MbarHow:    {"mbarhow", "kind of arrival", words("expect_tx", "noComplete"), nil, false},
	NoInc:      {"noinc", "count", words("noinc"), nil, false},
	Bulk:       {"bulk", "kind of copy", words("bulk"), words("weak", "relaxed", "ignore_oob", "cp_mask"), false},
	Completion: {"completion", "completion", words("mbarrier::complete_tx::bytes", "bulk_group"), words("multicast::cluster::16b", "multicast::cluster::32b"), false},
	ReadG:      {"read", "kind of wait", words("read"), nil, false},
	Multicast:  {"multicast", "multicast", words("multicast::cluster"), nil, false},
	Proxy:      {"proxy", "kind of fence", words("proxy"), nil, false},
	ProxyKind:  {"proxykind", "proxy", words("alias", "async", "async::generic"), nil, false},
	TensorMapG: {"tensormap", "proxy", words("tensormap::generic", "tensormap"), nil, false},
	InitFence:  {"initfence", "kind of fence", words("mbarrier_init"), nil, false},
	ReduceG:    {"reduce", "kind of copy", words("reduce"), nil, false},
	PrefetchG:  {"prefetchg", "kind of copy", words("prefetch"), words("L2::evict_last"), false},
	TensorG:    {"tensor", "kind of copy", words("tensor"), nil, false},
	TensorDims: {"tensordims", "number of dimensions", words("1d", "2d", "3d", "4d", "5d"), nil, false},
	LoadMode:   {"loadmode", "mode", words("tile", "im2col", "im2col_no_offs", "tile::gather4", "tile::scatter4"), words("im2col::w", "im2col::w::128", "im2col_no_offs::w"), false},
	ReplaceG:   {"replace", "operation", words("replace"), nil, false},
	MapField:   {"field", "field", words("global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"), nil, false},
	MapSize:    {"mapsize", "size", words("b1024"), nil, false},
	FenceCopy:  {"fencecopy", "operation", words("cp_fenceproxy"), nil, false},
	Parity:     {"parity", "phase", words("parity"), nil, false},
	TestpMode:  {"testp", "class", words("finite", "infinite", "number", "notanumber", "normal", "subnormal"), nil, false},

	MatrixShape: {"shape", "shape", shapeWords, words("m16n16", "m8n16", "m16n8"), false},
	ALayout:     {"alayout", "layout of A", layoutWords, nil, false},
	BLayout:     {"blayout", "layout of B", layoutWords, nil, false},
	DType:       {"dtype", "type of D", sumWords, nil, false},
	AType:       {"atype", "type of A", factorWords, words("e3m2", "e2m3", "e2m1"), false},
	BType:       {"btype", "type of B", factorWords, nil, false},
	CType:       {"ctype", "type of C", sumWords, nil, false},
	BitOp:       {"bitop", "operation on bits", words("xor", "and"), nil, false},
	Popc:        {"popc", "count of bits", words("popc"), nil, false},
	MatrixCount: {"num", "number of matrices", words("x1", "x2", "x4"), nil, false},
	Trans:       {"trans", "transposition", words("trans"), nil, false},
	Sparse:      {"sp", "sparsity", words("sp", "sp::ordered_metadata"), nil, false},
	WarpMatrix:  {"wmma", "operation", words("load", "store", "mma"), nil, false},
	WarpgroupG:  {"wgmma", "operation", words("mma_async", "fence", "commit_group", "wait_group"), nil, false},
	GroupShape:  {"gshape", "shape", groupShapeWords, nil, false},
	MatrixOf:    {"matrix", "matrix", words("a", "b", "c", "d"), nil, false},
	ProductKind: {"kind", "kind", nil, words("kind::f8f6f4", "kind::mxf4", "kind::mxf4nvf4", "kind::mxf8f6f4", "block_scale", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "ue8m0", "ue4m3"), false},

	TensorOp:    {"tensorop", "operation", words("alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "wait::ld", "wait::st", "fence::before_thread_sync", "fence::after_thread_sync", "commit", "cp", "mma"), words("red"), false},
	CTAGroup:    {"ctagroup", "group of blocks", words("cta_group::1", "cta_group::2"), nil, false},
	TensorShape: {"tensorshape", "shape", words("32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"), nil, false},
	TensorCount: {"times", "repetition", words("x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"), nil, false},
	TensorPack:  {"halves", "packing", words("pack::16b", "unpack::16b"), nil, false},
	CopyShape:   {"copyshape", "shape", words("128x256b", "4x256b", "128x128b", "64x128b", "32x128b"), nil, false},
	CopyTwice:   {"warps", "multicast", words("warpx2::02_13", "warpx2::01_23", "warpx4"), nil, false},
	Decompress:  {"decompress", "format", nil, words("b8x16", "b6x16_p32", "b4x16_p64"), false},
	Weights:     {"ws", "mode", words("ws"), nil, false},
	TensorKind:  {"tensorkind", "kind", words("kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"), words("ashift", "sp"), false},
	BlockScale:  {"blockscale", "scaling", words("block_scale"), nil, false},
	ScaleCount:  {"scales", "number of scales", words("scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"), nil, false},
	CollectorA:  {"collector", "collector", words("collector::a::fill", "collector::a::use", "collector::a::lastuse", "collector::a::discard"), nil, true},
	CollectorB: {"collectorb", "collector", words("collector::b0::fill", "collector::b0::use", "collector::b0::lastuse", "collector::b0::discard", "collector::b1::fill", "collector::b1::use", "collector::b1::lastuse", "collector::b1::discard",
		"collector::b2::fill", "collector::b2::use", "collector::b2::lastuse", "collector::b2::discard", "collector::b3::fill", "collector::b3::use", "collector::b3::lastuse", "collector::b3::discard"), nil, true},
	CancelOp:   {"cancel", "operation", words("try_cancel", "query_cancel"), nil, false},
	Cancelled:  {"canceled", "question", words("is_canceled", "get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"), nil, false},
	AllCTAs:    {"everywhere", "multicast", words("multicast::cluster::all"), nil, false},
	OneArrival: {"arrival", "completion", words("mbarrier::arrive::one"), words("multicast::cluster"), false},

	Geom:        {"geom", "geometry", words("1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"), nil, false},
	LOD:         {"lod", "level of detail", words("base", "level", "grad"), nil, false},
	Component:   {"comp", "channel", words("r", "g", "b", "a"), nil, false},
	Query:       {"query", "attribute", words("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size", "num_mipmap_levels", "num_samples", "force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "memory_layout"), nil, false},
	SurfaceForm: {"surf", "form", words("b", "p"), nil, false},
	Clamp:       {"clamp", "clamping", words("trap", "clamp", "zero"), nil, false},
}

func words(w ...string) []string { return w }

// laterTypes are types of PTX that no row accepts yet.
var laterTypes = map[string]bool{
	"e4m3": true, "e5m2": true,
	"e2m1x4": true, "e2m3x4": true, "e3m2x4": true, "e4m3x4": true, "e5m2x4": true, "f16x4": true,
	"u8x4": true, "s8x4": true, "texref": true, "samplerref": true, "surfref": true,
	"s32x4": true, "u2": true, "u4": true, "s2": true, "s4": true, "b4x16": true, "b8x16": true, "b6x16_p32": true, "b4x16_p64": true,
}

func (g Group) word(m Mod) string {
	if m == 0 {
		return ""
	}
	return groups[g].words[m-1]
}

func (g *group) find(word string) (m Mod, later bool) {
	for i, w := range g.words {
		if w == word {
			return Mod(i + 1), false
		}
	}
	for _, w := range g.later {
		if w == word {
			return 0, true
		}
	}
	return 0, false
}

// MemSpace returns the state space in the modifiers; Generic if there is none.
func (m *Mods) MemSpace() Space {
	switch m[SpaceG] {
	case SpaceGlobal:
		return Global
	case SpaceShared, SpaceSharedCTA:
		return Shared
	case SpaceSharedCluster:
		return SharedCluster
	case SpaceLocal:
		return Local
	case SpaceConst:
		return Const
	case SpaceParam, SpaceParamEntry, SpaceParamFunc:
		return Param
	}
	return Generic
}

// FromSpace returns the state space of the source of a copy.
func (m *Mods) FromSpace() Space {
	switch m[From] {
	case FromGlobal:
		return Global
	case FromSharedCTA:
		return Shared
	}
	return Generic
}

// VecLen returns the number of elements of a vector access; 1 if it is scalar.
func (m *Mods) VecLen() int { return 1 << m[Vec] }
