package libdevice

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// special returns the special functions.
func special() []compute {
	return slices.Concat(
		apart("erf", MediumF32, LongF64, fn.Erf, quick(math.Erf, fn.ErfSingle)), apart("erfc", MediumF32, LongF64, fn.Erfc, quick(math.Erfc, fn.ErfcSingle)), one("erfcx", MediumF32, LongF64, fn.Erfcx),
		apart("erfinv", MediumF32, LongF64, fn.Erfinv, fn.ErfinvSingle), apart("erfcinv", MediumF32, LongF64, fn.Erfcinv, fn.ErfcinvSingle),
		apart("normcdf", MediumF32, LongF64, fn.Normcdf, quick(normcdf, fn.NormcdfSingle)), apart("normcdfinv", MediumF32, LongF64, fn.Normcdfinv, fn.NormcdfinvSingle),
		apart("lgamma", LongF32, LongF64, fn.Lgamma, quick(lgamma, fn.Lgamma)), apart("tgamma", LongF32, LongF64, fn.Tgamma, quick(math.Gamma, fn.Tgamma)),
		one("j0", LongF32, LongF64, fn.J0), one("j1", LongF32, LongF64, fn.J1), one("y0", LongF32, LongF64, fn.Y0), one("y1", LongF32, LongF64, fn.Y1),
		intFirst("jn", fn.Jn), intFirst("yn", fn.Yn),
		one("cyl_bessel_i0", LongF32, LongF64, fn.CylBesselI0), one("cyl_bessel_i1", LongF32, LongF64, fn.CylBesselI1),
	)
}

// intFirst returns a function of an int and a float.
func intFirst(name string, f func(n int32, x float64) float64) []compute {
	return []compute{{name, "id>d", LongF64, f}, {f32Name(name), "if>f", LongF32, f}}
}
