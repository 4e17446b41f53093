package conformance

import (
	"slices"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// pattern is an instruction without operands, and its evaluator.
type pattern struct {
	specimen
	constants bool // sources may be constants
	// access describes the instruction's access to memory; nil for none.
	access *access
	space  int // one of globalScratch, sharedScratch, localScratch
}

// maskable reports whether any lanes may execute the instruction together: not for shfl, which has an undefined
// result if the other lane does not take part.
func (p *pattern) maskable() bool { return p.warp != nil && p.op != "shfl" }

// allPatterns are the patterns of every legal form that has an evaluator, in groups by opcode.
var allPatterns = sync.OnceValue(func() [][]pattern {
	var groups [][]pattern
	for _, row := range isa.Specs() {
		var group []pattern
		for in := range row.Forms() {
			group = append(group, patternsOf(parseForm(in.Mnemonic()))...)
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
})

// patternsOf returns the patterns of one form, none if no evaluator is exact to the bit.
func patternsOf(f form) []pattern {
	switch {
	case f.has(longType): // not among the registers of random programs
		return nil
	case slices.Contains([]string{"ld", "st", "atom", "red"}, f.op):
		return memoryPatterns(f)
	}
	makeTrials := trialMakers[f.op]
	if makeTrials == nil || !exactlyKnown(f) {
		return nil
	}
	var all []pattern
	for _, tr := range makeTrials(f) {
		if sp := tr.specimen; sp != nil {
			all = append(all, pattern{specimen: *sp, constants: takesConstants(sp)})
		}
	}
	return all
}

// exactlyKnown reports whether the evaluator knows every bit of the results. For approximations these are all except
// lg2, which can be computed in two ways, those in half precision, and those of the upper half of an .f64.
func exactlyKnown(f form) bool {
	if f.oneOf("approx", "full") == "" {
		return true
	}
	return f.op != "lg2" && (f.types[0] == "f32" || f.types[0] == "f64" && !f.has("ftz"))
}

// takesConstants reports whether sources may be constants, if their types have any.
func takesConstants(sp *specimen) bool {
	switch sp.op {
	case "cvt", "vote":
		return false
	case "mov":
		return sp.args == ""
	}
	return !strings.Contains(sp.args, "$s0.") && !strings.Contains(sp.args, "$s1.") && !strings.Contains(sp.args, "-$s")
}

// memoryPatterns are accesses of the plain kind, to every space of the form.
func memoryPatterns(f form) []pattern {
	if f.has("bulk") {
		return nil
	}
	a := parseAccess(f)
	if a.atomic() && a.elems > 1 {
		return nil
	}
	plainMods := append([]string{"global", "shared", "local", "v2", "v4", "v8", "noftz"}, atomicOps...)
	for _, m := range f.mods {
		if _, isType := typeBits[m]; !isType && !slices.Contains(plainMods, m) {
			return nil
		}
	}
	var all []pattern
	for space, name := range scratchSpaces {
		if !slices.Contains(a.spaces(), name) || a.atomic() && name == "local" {
			continue
		}
		for _, width := range a.registerWidths() {
			p := pattern{specimen: specimen{form: f}, access: &a, space: space, constants: f.op != "ld"}
			element := operand{a.typ, width}
			switch {
			case f.op == "ld":
				p.dst, p.args = slices.Repeat([]operand{element}, a.elems), listOf("d", a.elems)+", [$a]"
			case f.op == "st":
				p.src, p.args = slices.Repeat([]operand{element}, a.elems), "[$a], "+listOf("s", a.elems)
			case f.op == "red":
				p.src, p.args = []operand{element}, "[$a], $s0"
			case f.has("cas"):
				p.dst, p.src, p.args = []operand{element}, []operand{element, element}, "$d0, [$a], $s0, $s1"
			default:
				p.dst, p.src, p.args = []operand{element}, []operand{element}, "$d0, [$a], $s0"
			}
			all = append(all, p)
		}
	}
	return all
}

var atomicOps = []string{"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"}

func (a *access) atomic() bool { return a.op == "atom" || a.op == "red" }

// registerWidths are widths, and 8 for bytes; the one of the type for atomics.
func (a *access) registerWidths() []int {
	switch {
	case a.atomic():
		return a.widths()[:1]
	case a.bytes == 1:
		return append(a.widths(), 8)
	}
	return a.widths()
}

// listOf returns $d0, or {$d0, $d1, …}.
func listOf(letter string, n int) string {
	if n == 1 {
		return "$" + letter + "0"
	}
	return vectorOf(letter, n)
}
