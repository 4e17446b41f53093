package hazard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// symbol numbers a value that affine forms do not look into. The symbol one is 1.
type symbol int32

const one symbol = 0

// symbolInfo is what is known of a symbol.
type symbolInfo struct {
	kind  symbolKind
	op    isa.Arith // of a pure function
	block int32     // where a phi, an iteration count or an opaque result is
	// parts are the values that it is made of: the factors of a product, the operands
	// of a pure function or a phi.
	parts []*affine
	is    *affine     // what it turned out to be; nil if it stands for itself
	cmp   *comparison // of a predicate that compares integers
	param int64       // offset of a pointer parameter
	apart bool        // it may be another one in another CTA, or in memory
	loop  bool        // of a phi: at the head of a loop
}

type symbolKind uint8

const (
	unit       symbolKind = iota // the symbol one
	pointer                      // a pointer that is a parameter of the kernel
	variable                     // the address of a variable
	loaded                       // a 64-bit value that was loaded from a place which is the same for all threads
	same                         // the same in all threads of a CTA: other parameters, %ctaid, %ntid
	own                          // of each thread: %laneid, what shuffles and atomics give
	pure                         // a function of its parts
	product                      // of its parts
	iterations                   // how often a loop's head was reached since the loop was entered
	phi                          // what a register holds where paths meet
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

// named is the symbol of a key, which is made if it is new.
func (v *values) named(key string, s symbolInfo) symbol {
	if known, ok := v.byKey[key]; ok {
		return known
	}
	n := v.add(s)
	v.byKey[key] = n
	return n
}

func of(s symbol) *affine { return &affine{terms: []term{{factor: 1, sym: s}}} }

// pureOf is a value that depends on its parts alone, in the way that what says.
func (v *values) pureOf(what string, block int32, parts ...*affine) *affine {
	return v.pureOp(what, isa.NoArith, block, parts)
}

// pureOp is pureOf for what an instruction computes of its operands.
func (v *values) pureOp(what string, op isa.Arith, block int32, parts []*affine) *affine {
	keys := []string{what}
	for _, p := range parts {
		keys = append(keys, p.key())
	}
	return of(v.named(strings.Join(keys, " "), symbolInfo{kind: pure, op: op, block: block, parts: parts}))
}

// multiply is a · b. Where both depend on more than constants, terms multiply as
// long as no two thread indices do.
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

// factors are the symbols of which a symbol is the product.
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

// mostResolved bounds how often symbols of one value are replaced by others, which may be known in turn.
const mostResolved = 64

// resolved is a with symbols replaced by what they turned out to be.
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

// replaced is a with each symbol that is known replaced once.
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

// isKnown reports whether a symbol stands for another value.
func (v *values) isKnown(s symbol) bool {
	info := &v.symbols[s]
	if info.is != nil {
		return true
	}
	return info.kind == product && slices.ContainsFunc(v.factors(s), func(f symbol) bool { return v.symbols[f].is != nil })
}

// valueOf is what a symbol that isKnown stands for.
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
