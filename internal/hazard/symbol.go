package hazard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// symbol is the number of a value that affine forms treat as opaque. The symbol one is 1.
type symbol int32

const one symbol = 0

// symbolInfo has the facts about a symbol.
type symbolInfo struct {
	kind  symbolKind
	op    isa.Arith // of a pure function
	block int32     // the block of a phi, an iteration count or an opaque result
	// parts are the values that it depends on: the factors of a product, or the operands of a pure function or a phi.
	parts []*affine
	is    *affine     // the value that it was found to equal; nil if none
	cmp   *comparison // for a predicate of a comparison of integers
	param int64       // offset of a pointer parameter
	apart bool        // it may differ between CTAs, or come from memory
	loop  bool        // for a phi: it is at the head of a loop
}

type symbolKind uint8

const (
	unit       symbolKind = iota // the symbol one
	pointer                      // a pointer that is a parameter of the kernel
	variable                     // the address of a variable
	loaded                       // a 64-bit value loaded from a place that is the same for all threads
	same                         // the same in all threads of a CTA: other parameters, %ctaid, %ntid
	own                          // private to each thread: %laneid, results of shuffles and atomics
	pure                         // a function of its parts
	product                      // of its parts
	iterations                   // how often a loop's head was reached since the loop was entered
	phi                          // the value of a register where paths meet
)

// comparison is a comparison of two integers.
type comparison struct {
	op   isa.Mod
	a, b *affine
}

func (v *values) add(s symbolInfo) symbol {
	v.symbols = append(v.symbols, s)
	return symbol(len(v.symbols) - 1)
}

// named returns the symbol with a key, and makes it if it is new.
func (v *values) named(key string, s symbolInfo) symbol {
	if known, ok := v.byKey[key]; ok {
		return known
	}
	n := v.add(s)
	v.byKey[key] = n
	return n
}

func of(s symbol) *affine { return &affine{terms: []term{{factor: 1, sym: s}}} }

// pureOf returns a value that is a function of its parts; what names the function.
func (v *values) pureOf(what string, block int32, parts ...*affine) *affine {
	return v.pureOp(what, isa.NoArith, block, parts)
}

// pureOp is pureOf for an operation of an instruction on its operands.
func (v *values) pureOp(what string, op isa.Arith, block int32, parts []*affine) *affine {
	keys := []string{what}
	for _, p := range parts {
		keys = append(keys, p.key())
	}
	return of(v.named(strings.Join(keys, " "), symbolInfo{kind: pure, op: op, block: block, parts: parts}))
}

// multiply returns a · b. If both are not constant, terms are multiplied as long as no two thread indices are.
func (v *values) multiply(a, b *affine) *affine {
	if a.isConstant() {
		return b.times(a.c)
	}
	if b.isConstant() {
		return a.times(b.c)
	}
	sum := constant(a.c * b.c)
	sum = sum.plus(&affine{terms: b.terms}, a.c)
	sum = sum.plus(&affine{terms: a.terms}, b.c)
	for _, t := range a.terms {
		for _, u := range b.terms {
			if t.dim != none && u.dim != none {
				return v.pureOf("*", -1, a, b)
			}
			sum = sum.plus(&affine{terms: []term{{t.factor * u.factor, v.productOf(t.sym, u.sym), max(t.dim, u.dim)}}}, 1)
		}
	}
	if len(sum.terms) > mostTerms {
		return v.pureOf("*", -1, a, b)
	}
	return sum
}

func (v *values) productOf(s, t symbol) symbol {
	if s == one {
		return t
	}
	if t == one {
		return s
	}
	factors := append(v.factors(s), v.factors(t)...)
	slices.Sort(factors)
	parts := make([]*affine, len(factors))
	for i, f := range factors {
		parts[i] = of(f)
	}
	return v.named(fmt.Sprint("product", factors), symbolInfo{kind: product, block: -1, parts: parts})
}

// factors returns the symbols that a symbol is the product of.
func (v *values) factors(s symbol) []symbol {
	info := &v.symbols[s]
	if info.kind != product {
		return []symbol{s}
	}
	var all []symbol
	for _, p := range info.parts {
		f, _ := p.only()
		all = append(all, f)
	}
	return all
}

// mostResolved limits how often symbols of one value are replaced by others, which may have to be replaced, too.
const mostResolved = 64

// resolved returns a with symbols replaced by the values that they were found to equal.
func (v *values) resolved(a *affine) *affine {
	for range mostResolved {
		if !slices.ContainsFunc(a.terms, func(t term) bool { return v.isKnown(t.sym) }) {
			return a
		}
		if a = v.replaced(a); len(a.terms) > mostTerms {
			return v.pureOf("sum", -1, a)
		}
	}
	return v.pureOf("deep", -1, a)
}

// replaced returns a with each known symbol replaced once.
func (v *values) replaced(a *affine) *affine {
	sum := constant(a.c)
	for _, t := range a.terms {
		if !v.isKnown(t.sym) {
			sum = sum.plus(&affine{terms: []term{t}}, 1)
			continue
		}
		value := v.valueOf(t.sym)
		if t.dim != none {
			value = v.multiply(value, &affine{terms: []term{{1, one, t.dim}}})
		}
		sum = sum.plus(value, t.factor)
	}
	return sum
}

// isKnown reports whether a symbol was found to equal another value.
func (v *values) isKnown(s symbol) bool {
	info := &v.symbols[s]
	if info.is != nil {
		return true
	}
	return info.kind == product && slices.ContainsFunc(v.factors(s), func(f symbol) bool { return v.symbols[f].is != nil })
}

// valueOf returns the value that a known symbol equals.
func (v *values) valueOf(s symbol) *affine {
	if is := v.symbols[s].is; is != nil {
		return is
	}
	value := constant(1)
	for _, f := range v.factors(s) {
		if is := v.symbols[f].is; is != nil {
			value = v.multiply(value, is)
		} else {
			value = v.multiply(value, of(f))
		}
	}
	return value
}
