package isa

// Unit is an execution unit of an SM, which a warp instruction keeps busy while it is issued. A GPU's preset gives
// each unit a latency and an issue interval.
//
// Names and functions are those of the pipelines in the Kernel Profiling Guide of Nsight Compute, which has metrics
// that count instructions per pipeline (sm__inst_executed_pipe_alu). For what the guide leaves open, the unit follows
// from the throughput (CUDA C++ Programming Guide, throughput of native arithmetic instructions) and latency (Jia,
// Maggioni, Staiger and Scarpazza: Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, table
// 4.1) of the machine instruction that a PTX instruction becomes; Abdelkhalik, Arafa, Santhi and Badawy (Demystifying
// the NVIDIA Ampere Architecture, 2022, table V) list these. If it becomes several, the unit is that of the one that
// does most of the work; the model ignores the others. match and isspacep are where the CUDA Binary Utilities list
// MATCH and QSPC: with loads and stores. Nothing is published on redux (REDUX); it is assumed to be on the ALU, like
// vote.
type Unit uint8

const (
	NoUnit   Unit = iota
	ALU           // integers except products, logic, moves; comparison, min and max of .f32
	FMA           // arithmetic on .f32
	FMAHeavy      // the part of FMA that also has integer products and dot products
	FP16          // arithmetic on halves; since GA10x part of FMA
	FP64          // arithmetic on .f64
	XU            // special functions, conversions, counting and reversing bits
	LSU           // memory, and exchange between lanes
	ADU           // constants, and barriers of a CTA
	CBU           // branches, calls, the end of threads, barriers of a warp
	Tensor        // products of matrices
	TEX           // textures and surfaces
	NumUnits
)

var unitNames = [NumUnits]string{"", "alu", "fma", "fmaheavy", "fp16", "fp64", "xu", "lsu", "adu", "cbu", "tensor", "tex"}

// String returns the unit's name in the metrics of Nsight Compute.
func (u Unit) String() string { return unitNames[u] }

// Unit returns the execution unit of a legal variant.
func (s *Spec) Unit(v *Variant) Unit {
	if s.Cost.unit == nil {
		return NoUnit
	}
	return s.Cost.unit(v)
}

// on returns the cost of a row that always runs on one unit, and in one class if that is not the most common one of
// the unit.
//
//go:noinline
func on(u Unit, class ...CostClass) *Cost {
	c := &Cost{unit: always(u)}
	if len(class) > 0 {
		c.class = always(class[0])
	}
	return c
}

// of returns the cost of a row with an operation.
//
//go:noinline
func (c *Cost) of(op Operation) *Cost {
	d := *c
	d.operation = op
	return &d
}

// always returns a function that returns x for every variant.
//
//go:noinline
func always[T Unit | CostClass](x T) func(*Variant) T { return func(*Variant) T { return x } }

// arithmetic returns the unit of sums and products, with integers on the given unit. Volta and GA100 have an FP16
// unit; later GPUs execute halves on FMA.
func arithmetic(integers Unit) func(*Variant) Unit {
	return func(v *Variant) Unit { return arithmeticOn(v.Type(), integers) }
}

func arithmeticOn(t Type, integers Unit) Unit {
	switch t {
	case F16, F16x2, BF16, BF16x2:
		return FP16
	case F32, F32x2:
		return FMA
	case F64:
		return FP64
	}
	return integers
}

// comparing returns the unit of a comparison or a min or max, by the type of its sources. FSETP and FMNMX run at the
// rate of the ALU on GPUs with an FMA twice as fast (compute capability 8.6 and later).
func comparing(v *Variant) Unit {
	t := v.Types[1]
	if t == NoType {
		t = v.Types[0]
	}
	if t == F32 {
		return ALU
	}
	return arithmeticOn(t, ALU)
}

// special returns the unit of division, reciprocals and roots. All begin with an approximation on the XU. For .f64
// this is the first of many steps, except with .ftz, which requests only the approximation.
func special(v *Variant) Unit {
	if v.Type() == F64 && v.Mods[Ftz] == 0 {
		return FP64
	}
	return XU
}

// conversion returns the unit of cvt. Integers are truncated, extended and clamped on the ALU. Since Ampere the ALU
// also converts .f32 to shorter formats, and .bf16, which is the upper half of a .f32, to .f32. An addition of halves
// converts .f16 to .f32. The XU does the others: between integers and floats, to and from .f64, and to integral
// values.
func conversion(v *Variant) Unit {
	to, from := v.Types[0], v.Types[1]
	switch {
	case to.IsInt() && from.IsInt():
		return ALU
	case to.IsInt() || from.IsInt() || v.Mods[IRnd] != 0:
		return XU
	case from == F32 && to.Bits() <= 32 && to != F32, from == BF16 && to == F32, to.inBytes(), from.inBytes(), from == UE8M0x2, to.isFour(), to == UE8M0x2, to == S2F6x2, from == S2F6x2:
		return ALU
	case from == to, from == F16 && to == F32:
		return arithmeticOn(from, ALU)
	}
	return XU
}

// loading returns the unit of a load: parameters of kernels are constants.
func loading(v *Variant) Unit {
	if s := v.Mods.MemSpace(); s == Const || s == Param {
		return ADU
	}
	return LSU
}
