package isa

// group describes a Group.
type group struct {
	name  string   // as in the rows' Mods
	doc   string   // description for messages
	words []string // by Mod, beginning with Mod 1
	later []string // words of PTX that are not supported yet
	hint  bool     // accepted and ignored: it never affects whether a form is legal
}

var groups = [NumGroups]group{
	Rnd:        {"rnd", "rounding", words("rn", "rz", "rm", "rp"), nil, false},
	Away:       {"away", "rounding of ties away from zero", words("rna"), nil, false},
	Random:     {"rs", "random rounding", words("rs"), nil, false},
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
	SatFinite:  {"satfinite", "saturation to finite numbers", words("satfinite"), words("scaled::n1::ue8m0"), false},
	Scaled:     {"scaled", "scaling", words("scaled::n2::ue8m0"), nil, false},
	NoFtz:      {"noftz", "subnormal mode", words("noftz"), nil, false},
	To:         {"to", "direction", words("to"), nil, false},
	MMIO:       {"mmio", "kind of access", words("mmio"), nil, false},
	Sem:        {"sem", "memory ordering", words("weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"), words("async", "bulk", "proxy", "mbarrier_init"), false},
	Restrict:   {"restrict", "restriction", words("sync_restrict::shared::cta", "sync_restrict::shared::cluster"), nil, false},
	Scope:      {"scope", "scope", words("cta", "cluster", "gpu", "sys"), nil, false},
	Level:      {"level", "level", words("cta", "gl", "sys"), nil, false},
	SpaceG:     {"space", "state space", words("global", "shared", "local", "const", "param", "shared::cta", "param::entry", "param::func", "shared::cluster"), nil, false},
	NC:         {"nc", "read-only cache", words("nc", "proxy::readonly"), nil, false},
	Cache:      {"cache", "cache operator", words("ca", "cg", "cs", "lu", "cv", "wb", "wt"), nil, true},
	Evict:      {"evict", "eviction priority", words("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"), nil, true},
	Evict2:     {"evict2", "eviction priority in L2", words("L2::evict_last", "L2::evict_normal", "L2::evict_first"), nil, true},
	CacheHint:  {"hint", "cache policy", words("L2::cache_hint"), nil, true},
	Prefetch:   {"prefetch", "prefetch size", words("L2::64B", "L2::128B", "L2::256B"), nil, true},
	CacheLevel: {"cachelevel", "cache level", words("L1", "L2", "L2::evict_last", "L2::evict_normal", "L1::32B"), words("tensormap"), false},
	ValidAddr:  {"valid", "kind of address", words("valid_addr"), nil, false},
	Priority:   {"priority", "eviction priority", words("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"), nil, false},
	Priority2:  {"priority2", "second eviction priority", words("L2::evict_first", "L2::evict_unchanged"), nil, false},
	OfLevel:    {"oflevel", "cache level", words("L2"), nil, false},
	Fractional: {"fractional", "kind of policy", words("fractional"), nil, false},
	RangeG:     {"range", "kind of policy", words("range"), nil, false},
	PolicyCvt:  {"cvt", "kind of policy", words("cvt"), nil, false},
	Dependency: {"dependency", "action", words("launch_dependents", "wait"), nil, false},
	RegistersG: {"registers", "action", words("inc", "dec"), nil, false},
	Vec:        {"vec", "vector", words("v2", "v4", "v8"), nil, false},
	Multi:      {"multi", "operation", words("ld_reduce", "st", "red"), nil, false},
	Precision:  {"precision", "precision of sums", words("acc::f32", "acc::f16"), nil, false},
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
	HalvesG:    {"pairhalf", "type of pairs of halves", words("f16x2", "bf16x2"), nil, false},
	PairG:      {"pair", "type of pairs", words("f32x2"), nil, false},
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
	Async:      {"async", "kind of copy", words("async"), words("mmio"), false},
	CopyCache:  {"copycache", "cache operator", words("ca", "cg"), nil, false},
	From:       {"from", "state space of the source", words("global", "shared::cta"), nil, false},
	GroupOp:    {"groupop", "operation on groups", words("commit_group", "wait_group", "wait_all"), nil, false},
	ClusterG:   {"cluster", "scope", words("cluster"), nil, false},
	Mbar:       {"mbar", "kind of arrival", words("mbarrier"), nil, false},
	MbarOp:     {"mbarop", "operation", words("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count"), nil, false},
	MbarHow:    {"mbarhow", "kind of arrival", words("expect_tx", "noComplete"), nil, false},
	NoInc:      {"noinc", "count", words("noinc"), nil, false},
	Bulk:       {"bulk", "kind of copy", words("bulk"), words("weak", "relaxed"), false},
	CopyMask:   {"cpmask", "mask", words("cp_mask"), nil, false},
	IgnoreOOB:  {"ignoreoob", "bounds", words("ignore_oob"), nil, false},
	MultiCopy:  {"multicp", "operation", words("cp"), nil, false},
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

	ScaleType:   {"stype", "type of scales", words("ue8m0", "ue4m3"), nil, false},
	MatrixShape: {"shape", "shape", shapeWords, nil, false},
	ALayout:     {"alayout", "layout of A", layoutWords, nil, false},
	BLayout:     {"blayout", "layout of B", layoutWords, nil, false},
	DType:       {"dtype", "type of D", sumWords, nil, false},
	AType:       {"atype", "type of A", factorWords, nil, false},
	BType:       {"btype", "type of B", factorWords, nil, false},
	CType:       {"ctype", "type of C", sumWords, nil, false},
	BitOp:       {"bitop", "operation on bits", words("xor", "and"), nil, false},
	Popc:        {"popc", "count of bits", words("popc"), nil, false},
	MatrixCount: {"num", "number of matrices", words("x1", "x2", "x4"), nil, false},
	Trans:       {"trans", "transposition", words("trans"), nil, false},
	Expanded:    {"expanded", "format", words("b8x16"), nil, false},
	Narrow:      {"narrow", "format in memory", words("b6x16_p32", "b4x16_p64"), nil, false},
	Sparse:      {"sp", "sparsity", words("sp", "sp::ordered_metadata"), nil, false},
	WarpMatrix:  {"wmma", "operation", words("load", "store", "mma"), nil, false},
	WarpgroupG:  {"wgmma", "operation", words("mma_async", "fence", "commit_group", "wait_group"), nil, false},
	GroupShape:  {"gshape", "shape", groupShapeWords, nil, false},
	MatrixOf:    {"matrix", "matrix", words("a", "b", "c", "d"), nil, false},
	ProductKind: {"kind", "kind", words("kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"), words("block_scale", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "ue8m0", "ue4m3"), false},

	TensorOp:    {"tensorop", "operation", words("alloc", "dealloc", "relinquish_alloc_permit", "ld", "st", "wait::ld", "wait::st", "fence::before_thread_sync", "fence::after_thread_sync", "commit", "cp", "mma"), nil, false},
	TensorRed:   {"tensorred", "reduction", words("red"), nil, false},
	CTAGroup:    {"ctagroup", "group of blocks", words("cta_group::1", "cta_group::2"), nil, false},
	TensorShape: {"tensorshape", "shape", words("32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"), nil, false},
	TensorCount: {"times", "repetition", words("x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"), nil, false},
	TensorPack:  {"halves", "packing", words("pack::16b", "unpack::16b"), nil, false},
	CopyShape:   {"copyshape", "shape", words("128x256b", "4x256b", "128x128b", "64x128b", "32x128b"), nil, false},
	CopyTwice:   {"warps", "multicast", words("warpx2::02_13", "warpx2::01_23", "warpx4"), nil, false},
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

	"f16x4":  true,
	"texref": true, "samplerref": true, "surfref": true,
	"s32x4": true, "u2": true, "u4": true, "s2": true, "s4": true, "b4x16": true,
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
