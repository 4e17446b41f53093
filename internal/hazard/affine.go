package hazard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// affine is an integer as a constant plus terms. Values are immutable. Sums are assumed not to wrap.
type affine struct {
	c     int64
	terms []term // by symbol and dimension, each pair once, no factor 0
}

// term is factor · symbol · thread index. The symbol one stands for 1, the dimension none for no thread index.
type term struct {
	factor int64
	sym    symbol
	dim    dimension
}

// dimension is a component of a thread's index in its CTA.
type dimension int8

const (
	none dimension = iota
	tidX
	tidY
	tidZ
	numDimensions
)

// mostTerms is the maximum number of terms of an affine value. Longer sums become a symbol.
const mostTerms = 12

func constant(c int64) *affine { return &affine{c: c} }

func (t term) compare(u term) int {
	return cmp.Or(cmp.Compare(t.sym, u.sym), cmp.Compare(t.dim, u.dim))
}

// isConstant reports whether a has no terms.
func (a *affine) isConstant() bool { return len(a.terms) == 0 }

// plus returns a + k·b.
func (a *affine) plus(b *affine, k int64) *affine {
	sum := &affine{c: a.c + k*b.c}
	i, j := 0, 0
	for i < len(a.terms) || j < len(b.terms) {
		var t term
		switch order := compareAt(a.terms, i, b.terms, j); {
		case order < 0:
			t = a.terms[i]
			i++
		case order > 0:
			t = b.terms[j]
			t.factor *= k
			j++
		default:
			t = a.terms[i]
			t.factor += k * b.terms[j].factor
			i++
			j++
		}
		if t.factor != 0 {
			sum.terms = append(sum.terms, t)
		}
	}
	return sum
}

// compareAt orders the next terms of two sums. The end of a sum comes last.
func compareAt(a []term, i int, b []term, j int) int {
	switch {
	case i == len(a):
		return 1
	case j == len(b):
		return -1
	}
	return a[i].compare(b[j])
}

func (a *affine) times(k int64) *affine { return constant(0).plus(a, k) }

func (a *affine) equal(b *affine) bool { return a.c == b.c && slices.Equal(a.terms, b.terms) }

// key returns a string that identifies the value among those of one function.
func (a *affine) key() string {
	var s strings.Builder
	for _, t := range a.terms {
		fmt.Fprintf(&s, "%d*%d.%d+", t.factor, t.sym, t.dim)
	}
	fmt.Fprintf(&s, "%d", a.c)
	return s.String()
}

// only returns the symbol that a consists of; false if it has other parts.
func (a *affine) only() (s symbol, ok bool) {
	if a.c != 0 || len(a.terms) != 1 || a.terms[0].factor != 1 || a.terms[0].dim != none {
		return 0, false
	}
	return a.terms[0].sym, true
}

// indexed reports whether a depends on thread indices other than through symbols.
func (a *affine) indexed() bool {
	return slices.ContainsFunc(a.terms, func(t term) bool { return t.dim != none })
}
