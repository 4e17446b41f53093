package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Val is what lanes hold of one value: one vector register of the host, or two where
// it takes as many. A predicate has 32 bits in each lane, all ones where it holds, and
// else zeros.
type Val struct {
	Lo, Hi Vec
	Bits   uint8 // 32, 64, or 1 for a predicate
}

// Operands are what a template works on: D and D2 are results, the others sources, named as
// in lanes.Op. No result is in the register of a source.
type Operands struct {
	D, D2      Val
	A, B, C, E Val
	Elems      [MaxElems]Val // of a vector operand, in order
	Published  int           // the number of A, for a template with Across
	Op         *lanes.Op
}

// MaxElems is the most elements that a vector operand of a template has.
const MaxElems = 4

// Template is how compiled code does what a lane function does. Its values are those of
// the lane function, bit for bit.
type Template struct {
	// Body emits the operation for the lanes of one strip.
	Body func(e *Emit, o *Operands)
	// Across says that lanes read what A, of 32 bits, is in others, or 0 in those that do not execute: by Emit.OfLanes.
	Across bool
	// Affine is what is known of the result where sources are affine functions of the lane.
	Affine Affine
	// NaN says that Body leaves some NaN where the lane function leaves the canonical
	// one of .f32, and that the operation is blind: its result does not
	// depend on which NaN a source of .f32 is. Whoever places the template makes
	// the NaN canonical where it can be seen.
	NaN bool
	// Blind says that the result does not depend on which NaN a source is.
	Blind bool
	// Control is how the vector unit is to work while Body is executed. Whoever places the template sets it.
	Control Control
}

// Affine is how the stride of a result, the difference between a lane and the one before it,
// comes of those of the sources. Where nothing is said here, the result is taken to be uniform
// if all sources are.
type Affine uint8

const (
	NotAffine   Affine = iota
	AffineCopy         // that of A
	AffineAdd          // A + B
	AffineSub          // A - B
	AffineNeg          // -A
	AffineMul          // A * B, where B or A is a constant
	AffineMad          // A * B + C, likewise
	AffineShift        // A << B, where B is a constant
	// The sources of 32 bits are extended to 64, so that affine ones may not wrap.
	AffineWidenSigned
	AffineWidenUnsigned
	AffineMulWideSigned   // A * B, extended, where B or A is a constant
	AffineMulWideUnsigned // likewise
	AffineMadWideSigned   // A * B + C
	AffineMadWideUnsigned
)

// Element is what an access moves for each lane: so many bytes, which a load extends to the
// width of the register.
type Element struct {
	Bytes  uint8
	Signed bool
	// Half says that a load extends it to 16 bits, behind which a slot has zeros.
	Half bool
}

// Fills reports whether compiled code moves the element to, or from, a slot of that width.
func (t Element) Fills(bits uint8) bool { return bits >= 32 && t.Bytes*8 <= bits && bits <= 64 }

// Move copies A.
var Move = Template{Affine: AffineCopy, Body: func(e *Emit, o *Operands) { e.Move(o.D, o.A) }}
