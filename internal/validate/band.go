package validate

import (
	"fmt"
	"math"
	"strconv"
)

// Band is the expected range of a figure at a point.
type Band struct {
	Text      string
	Low, High float64
	middle    float64 // 0 if there is none
}

// has reports whether a figure is in the band, allowing for rounding errors.
func (b Band) has(v float64) bool {
	const digits = 1e-9
	return v >= b.Low-digits && v <= b.High+digits
}

// number formats a figure with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded rounds bands of computed figures to their significant digits.
func rounded(bands []Band) []Band {
	for i := range bands {
		bands[i].Text = gotText(bands[i].middle)
	}
	return bands
}

// exactly returns bands for exact figures.
func exactly(values ...float64) []Band { return within(0, values...) }

// within returns bands with an absolute tolerance.
func within(difference float64, values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), v - difference, v + difference, v})
	}
	return all
}

// percent returns bands with a relative tolerance.
func percent(share float64, values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), v * (1 - share/100), v * (1 + share/100), v})
	}
	return all
}

// times returns bands from low to high times the values.
func times(low, high float64, values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), v * low, v * high, v})
	}
	return all
}

// between returns a band for a range.
func between(low, high float64) Band {
	return Band{number(low) + "-" + number(high), low, high, 0}
}

// moreThan returns a band with only a lower bound.
func moreThan(v float64) Band {
	return Band{">" + number(v), math.Nextafter(v, math.Inf(1)) + 1e-6, math.Inf(1), 0}
}

// lessThan returns a band with only an upper bound.
func lessThan(v float64) Band {
	return Band{"<" + number(v), math.Inf(-1), math.Nextafter(v, math.Inf(-1)) - 1e-6, 0}
}

// like returns bands for measured figures that give only a direction.
func like(values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), math.Inf(-1), math.Inf(1), 0})
	}
	return all
}

// rising reports whether figures rise from point to point.
func rising(got []float64) bool {
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			return false
		}
	}
	return true
}

// gotText formats a figure with its significant digits.
func gotText(v float64) string {
	switch {
	case v == math.Trunc(v):
		return number(v)
	case math.Abs(v) < 10:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
