package lanes

import "fmt"

// ZeroColumns says which columns of B are zero in a tcgen05.mma.ws (PTX ISA 9.7.16, zero-column mask descriptor). The
// zero value is no column.
type ZeroColumns uint64

// bits returns the field of n bits from bit first on.
func (z ZeroColumns) bits(first, n int) int { return int(z >> first & (1<<n - 1)) }

// Shift is the column of B in shared memory that is the first column of the product.
func (z ZeroColumns) Shift() int { return z.bits(56, 6) }

// Wrong returns an error text if the mask is invalid for a product.
func (z ZeroColumns) Wrong(p *TensorProduct) string {
	most := p.maxShift
	if p.M == 32 {
		most = min(most, 16)
	}
	switch {
	case z.bits(36, 3) != 0 || z.bits(62, 2) != 0:
		return "reserved bits are not 0"
	case z.Shift() > most:
		return fmt.Sprintf("columns are shifted by %d (bits 56 to 61); the instruction descriptor allows %d", z.Shift(), most)
	}
	return ""
}

// IsZero reports whether a column of the product has a column of zeros in place of one of B. Spans of columns of B and
// spans of zeros alternate; they begin again in each part of the columns that has its own lanes. The table and the
// examples of the PTX ISA exchange the two spans: this follows the examples.
func (z ZeroColumns) IsZero(p *TensorProduct, col int) bool {
	if z.bits(39, 1) == 0 {
		return false
	}
	each := p.N * p.M / TensorLanes // columns of a part
	part := col / each
	zeros, used := z.bits(40, 8)+1, z.bits(48, 8)+1
	at := (col%each + z.bits(8*part, 8)) % (zeros + used)
	if z.bits(32+part, 1) != 0 { // zeros are first
		return at < zeros
	}
	return at >= used
}
