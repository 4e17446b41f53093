package lanes

// Mode is how a floating-point operation rounds and flushes: one rounding, optionally with FTZ, and with SAT or RELU.
type Mode uint8

const (
	RoundNearest Mode = iota // to nearest, ties to even
	RoundZero                // towards zero
	RoundDown                // towards minus infinity
	RoundUp                  // towards plus infinity

	roundMask Mode = 3
	FTZ       Mode = 4  // subnormal inputs and results become zero of the same sign
	SAT       Mode = 8  // results are clamped to [0, 1], NaN to +0; integers to their type
	RELU      Mode = 16 // results below +0, -0 among them, become +0; NaN stays
	SATFINITE Mode = 32 // results that would be infinite are the largest number of their sign
)

// Elem is the type of a value in a conversion or a memory access.
type Elem uint8

const (
	U8 Elem = iota
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F32
	F64
	BF16
)
