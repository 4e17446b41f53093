package isa

// Group is a set of modifiers. An instruction has at most one of each group.
type Group uint8

const (
	Rnd        Group = iota // rounding of a floating-point result
	Random                  // rounding with random bits
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
	Scaled                  // conversion with a power of two for each value
	NoFtz                   // atomics on halves keep subnormal numbers
	To                      // cvta.to
	MMIO                    // of memory-mapped devices
	Sem                     // memory consistency
	Restrict                // a fence orders only some state spaces
	Scope                   // the threads that an access is ordered for
	Level                   // .cta, .gl or .sys of membar
	SpaceG                  // state space
	NC                      // read-only cache, or proxy
	Cache                   // cache operator
	Evict                   // eviction priority in L1
	Evict2                  // eviction priority in L2
	CacheHint               // a cache policy is the last operand
	Prefetch                // prefetch size
	CacheLevel              // level of cache
	ValidAddr               // .valid_addr: the address is valid
	Priority                // eviction priority of a cache policy
	Priority2               // eviction priority of the other accesses of a cache policy
	OfLevel                 // level of cache of discard and createpolicy
	Fractional              // createpolicy for a fraction of all accesses
	RangeG                  // createpolicy by a range of addresses
	PolicyCvt               // createpolicy of an access property
	Dependency              // griddepcontrol
	RegistersG              // setmaxnreg
	Vec                     // elements of a vector access
	Multi                   // operation of multimem
	Precision               // of that
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
	HalvesG                 // the same of pairs
	PairG                   // type of the other sources of sums and products of pairs
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
	CopyMask                // .cp_mask: only bytes of a mask are copied
	IgnoreOOB               // .ignore_oob: the ends of the source may be out of bounds
	MultiCopy               // .cp, of multimem
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
	Expanded    // elements become bytes
	Narrow      // elements before that
	Sparse      // products of sparse matrices
	ProductKind // kind of formats of A and B
	ScaleType   // type of block scales
	WarpMatrix  // operation of wmma
	WarpgroupG  // operation of wgmma
	GroupShape  // rows, columns and depth of a warpgroup's product
	MatrixOf    // the matrix that wmma loads or stores

	ClusterG // .cluster, of barriers

	TensorOp    // operation of tcgen05
	CTAGroup    // number of CTAs that take part
	TensorShape // lanes and bits of a load or store of tensor memory
	TensorCount // how often the shape is repeated
	TensorPack  // of two columns with 16 bits each
	TensorRed   // .red: a load with a reduction
	OneArrival  // how tcgen05.commit signals an mbarrier
	CopyShape   // lanes and bits of a copy to tensor memory
	CopyTwice   // warps that receive a copy in their lanes
	Weights     // .ws: D is spread over all lanes
	TensorKind  // elements of a product in tensor memory
	BlockScale  // blocks of A and B have scales
	ScaleCount  // scales per row, or elements per scale
	CollectorA  // use of the collector for A
	CollectorB  // use of the collector for B
	CancelOp    // operation of clusterlaunchcontrol
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
