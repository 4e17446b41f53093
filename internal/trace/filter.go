package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Filter is a set of numbers; the empty Filter contains all.
type Filter []span

// span is the numbers from first to last.
type span struct{ first, last int64 }

// ParseFilter parses numbers and ranges, such as "0,4-7".
func ParseFilter(text string) (Filter, error) {
	var f Filter
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 62)
		if err != nil {
			return nil, notNumbers(text)
		}
		last, err := strconv.ParseUint(to, 10, 62)
		if err != nil || last < first {
			return nil, notNumbers(text)
		}
		f = append(f, span{int64(first), int64(last)})
	}
	return f, nil
}

func notNumbers(text string) error {
	return fmt.Errorf("%q is not a list of numbers such as 3 or 0,4-7", text)
}

// Has reports whether n is in the set.
func (f Filter) Has(n int64) bool { return f.HasAny(n, n) }

// HasAny reports whether the set contains one of the numbers from first to last.
func (f Filter) HasAny(first, last int64) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(s span) bool { return s.first <= last && first <= s.last })
}
