package fn

// Constants of the functions for single precision, for a compiler that computes them in the same steps.
const (
	Log2E, Ln2Hi, Ln2Lo, Ln10 = 0x1.71547652b82fep+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.26bb1bbb55516p+1
	Log10E, RootHalf          = 0x1.bcb7b1526e50ep-2, 0x1.6a09e667f3bcdp-1
	FirstReciprocal           = 45
	// Of the reduction of angles, up to a largest one.
	TwoOverPi, HalfPiHi, HalfPiLo = 0x1.45f306dc9c883p-1, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
	MostReduced                   = 1e5
)

// high returns the first n coefficients of a series, without their low parts.
func high(coefficients []dd, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = coefficients[i].hi
	}
	return all
}

// AtanhSeries returns the coefficients of log1p64: of atanh(x)/x in x squared.
func AtanhSeries() []float64 { return high(atanhCoefficients, atanhTerms) }

// SinSeries and CosSeries return the coefficients of sin64: of sin(x)/x and cos(x) in x squared.
func SinSeries() []float64 { return high(sinCoefficients, sinTerms) }
func CosSeries() []float64 { return high(cosCoefficients, sinTerms) }

// LogTable returns minus the logarithms of the reciprocals, rounded to float64, of i/64 from i = FirstReciprocal.
func LogTable() []float64 {
	all := make([]float64, len(reciprocals))
	for i := range all {
		all[i] = reciprocals[i].log.hi
	}
	return all
}

// ExpSeries returns the coefficients of exp64: of e^x in x.
func ExpSeries() []float64 { return high(factorials, expTerms) }
