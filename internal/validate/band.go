package validate

import (
	"fmt"
	"math"
	"strconv"
)

// Band is what is expected at a point: a figure from low to high.
type Band struct {
	Text      string
	Low, High float64
	middle    float64 // 0 if there is none
}

// has reports whether a figure is in the band, but for the last digits of its arithmetic.
func (b Band) has(v float64) bool {
	const digits = 1e-9
	return v >= b.Low-digits && v <= b.High+digits
}

// number is a figure with all its digits.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded gives bands of figures that were worked out the digits that count.
func rounded(bands []Band) []Band {
	for i := range bands {
		bands[i].Text = gotText(bands[i].middle)
	}
	return bands
}

// exactly are figures that come out exactly.
func exactly(values ...float64) []Band { return within(0, values...) }

// within are figures that come out within an absolute difference.
func within(difference float64, values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), v - difference, v + difference, v})
	}
	return all
}

// percent are figures that come out within a share of them.
func percent(share float64, values ...float64) []Band {
	var all []Band
	for _, v := range values {
		all = append(all, Band{number(v), v * (1 - share/100), v * (1 + share/100), v})
	}
	return all
}

// between is a figure in a range.
func between(low, high float64) Band {
	return Band{number(low) + "-" + number(high), low, high, 0}
}

// moreThan is a figure of which only that can be expected.
func moreThan(v float64) Band {
	return Band{">" + number(v), math.Nextafter(v, math.Inf(1)) + 1e-6, math.Inf(1), 0}
}

// lessThan is a figure of which only that can be expected.
func lessThan(v float64) Band {
	return Band{"<" + number(v), math.Inf(-1), math.Nextafter(v, math.Inf(-1)) - 1e-6, 0}
}

// like are figures that were measured, but from which only a direction can be expected.
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

// gotText is a figure with the digits that count.
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
