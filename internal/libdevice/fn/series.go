package fn

// Constants of the functions for single precision, for a compiler that computes them in the same steps.
const (
	Log2E, Ln2Hi, Ln2Lo, Ln10 = 0x1.71547652b82fep+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.26bb1bbb55516p+1
	Log10E                    = 0x1.bcb7b1526e50ep-2
)

// high returns the first n coefficients of a series, without their low parts.
func high(coefficients []dd, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = coefficients[i].hi
	}
	return all
}

// ExpSeries returns the coefficients of exp64: of e^x in x.
func ExpSeries() []float64 { return high(factorials, expTerms) }
