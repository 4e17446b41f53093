package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Val is a value of the lanes, in one or two vector registers of the host. A predicate has 32 bits in each lane: all
// ones if it holds, else zeros.
type Val struct {
	Lo, Hi Vec
	Bits   uint8 // 32, 64, or 1 for a predicate
}

// Operands are the operands of a template: D and D2 are results, the others sources, with the names of lanes.Op. No
// result shares a register with a source.
type Operands struct {
	D, D2      Val
	A, B, C, E Val
	Elems      [MaxElems]Val // of a vector operand, in order
	Published  int           // the number of A, for a template with Across
	Masked     bool          // only the lanes of Context.Mask execute, for a template with Across
	Op         *lanes.Op
}

// MaxElems is the largest number of elements of a vector operand of a template.
const MaxElems = 4

// Template is the compiled form of a lane function. Its results are those of the lane function, bit for bit.
type Template struct {
	// Body emits the operation for the lanes of one subvector.
	Body func(e *Emit, o *Operands)
	// Known, if not nil, is Body for a last source that is n in all lanes, a constant of the program. That source is in
	// no register.
	Known func(e *Emit, o *Operands, n uint64)
	// Check, if not nil, emits a jump to fail if Body has no result for A, of 32 bits, in lanes of p, or in any lane if p
	// is nil. The engine executes the instruction then. It does not depend on the mode of the vector unit.
	Check func(e *Emit, a Val, p *Val, fail Label)
	// Across says that lanes read the 32-bit A of other lanes, or 0 of those that do not execute, by Emit.OfLanes.
	Across bool
	// Affine describes the result for sources that are affine functions of the lane.
	Affine Affine
	// NaN says that Body may leave any NaN where the lane function returns the canonical one of .f32, and that the
	// operation is blind: its result does not depend on the kind of a .f32 source's NaN. The compiler makes the NaN
	// canonical where that is observable.
	NaN bool
	// Blind says that the result does not depend on the kind of a source's NaN.
	Blind bool
	// Control is the mode of the vector unit that Body needs. The compiler sets it.
	Control Control
}

// Affine says how the stride of a result, the difference between adjacent lanes, follows from those of the sources.
// NotAffine says nothing: the result is uniform if all sources are.
type Affine uint8

const (
	NotAffine   Affine = iota
	AffineCopy         // that of A
	AffineAdd          // A + B
	AffineSub          // A - B
	AffineNeg          // -A
	AffineMul          // A * B, with a constant B or A
	AffineMad          // A * B + C, with a constant B or A
	AffineShift        // A << B, with a constant B
	// The 32-bit sources are extended to 64, so that affine ones must not wrap.
	AffineWidenSigned
	AffineWidenUnsigned
	AffineMulWideSigned   // A * B, extended, with a constant B or A
	AffineMulWideUnsigned // A * B, extended, with a constant B or A
	AffineMadWideSigned   // A * B + C
	AffineMadWideUnsigned
)

// Element is the memory of a lane in an access: a number of bytes, which a load extends to the width of the register.
type Element struct {
	Bytes  uint8
	Signed bool
	// Half says that a load extends it to 16 bits; the slot has zeros above.
	Half bool
}

// Fills reports whether compiled code moves the element to, or from, a slot of a width.
func (t Element) Fills(bits uint8) bool { return bits >= 32 && t.Bytes*8 <= bits && bits <= 64 }

// Move copies A.
var Move = Template{Affine: AffineCopy, Body: func(e *Emit, o *Operands) { e.Move(o.D, o.A) }}
