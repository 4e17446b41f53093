package isa

import (
	"fmt"
	"slices"
	"strings"
)

// mostListed is how many names a message lists.
const mostListed = 20

// mostLikely is how many names a message suggests.
const mostLikely = 6

// habits maps words from other tools to the names that mean the same here. A name is suggested only if it is among the
// candidates.
var habits = map[string][]string{
	// contents of buffers
	"zero": {"zeros"}, "ones": {"fill"}, "one": {"fill"}, "full": {"fill"}, "const": {"fill"}, "constant": {"fill"},
	"arange": {"iota"}, "range": {"iota"}, "seq": {"iota"}, "index": {"iota"}, "linspace": {"iota"},
	"random": {"rand"}, "uniform": {"rand"}, "normal": {"rand"}, "array": {"list"}, "values": {"list"},
	// schedulers, orders of blocks and models of divergence
	"rr": {"lrr", "round-robin"}, "roundrobin": {"lrr", "round-robin"}, "round-robin": {"lrr"}, "greedy": {"gto", "gty"}, "breadth-first": {"round-robin"},
	"ipdom": {"stack"}, "pdom": {"stack"}, "simt": {"stack"}, "simt-stack": {"stack"}, "volta": {"its"}, "independent": {"its"},
	"not-taken": {"fallthrough"}, "fall-through": {"fallthrough"}, "then": {"taken"},
	// checks and rules
	"memcheck": {"mem"}, "memory": {"mem"}, "racecheck": {"race"}, "hazard": {"race"}, "hazards": {"race"}, "data-race": {"race"},
	"initcheck": {"init"}, "uninit": {"init"}, "uninitialized": {"init", "uninit"}, "memsan": {"init"}, "empty": {"uninit"},
	"out-of-bounds": {"mem-oob"}, "outofbounds": {"mem-oob"}, "bounds": {"mem-oob"}, "overflow": {"mem-oob"}, "segfault": {"mem-oob"},
	"alignment": {"mem-misaligned"}, "unaligned": {"mem-misaligned"}, "use-after-free": {"mem-freed"}, "uaf": {"mem-freed"}, "hang": {"sync-deadlock"},
	// keys of a GPU's file
	"l2.size": {"memory.l2_bytes"}, "l2_size": {"memory.l2_bytes"}, "cache.l2": {"memory.l2_bytes"}, "num_sms": {"sms"}, "sm_count": {"sms"},
	"clock": {"clock_mhz"}, "frequency": {"clock_mhz"},
	// formats and pages
	"graphviz": {"dot"}, "txt": {"text"}, "ascii": {"text"}, "html": {"svg"}, "code": {"source"}, "lines": {"source"}, "hints": {"advice"}, "overview": {"summary"},
}

// Likely returns the candidates that a word most likely stands for, at most mostLikely: the translation of another
// tool's word, the nearest spelling, or names that contain the word or begin with it, as mem-oob contains oob.
func Likely(word string, candidates []string) []string {
	var likely []string
	for _, name := range habits[strings.ToLower(word)] {
		if slices.Contains(candidates, name) && name != word {
			likely = append(likely, name)
		}
	}
	if likely != nil {
		return likely
	}
	if near := Nearest(word, candidates); near != "" {
		return []string{near}
	}
	if len(word) < 3 {
		return nil
	}
	for _, has := range []func(name, word string) bool{hasPart, begins} {
		for _, c := range candidates {
			if has(strings.ToLower(c), strings.ToLower(word)) && !slices.Contains(likely, c) {
				likely = append(likely, c)
			}
		}
		if n := len(likely); n > 0 && n <= mostLikely {
			return likely
		}
		likely = nil
	}
	return nil
}

// hasPart reports whether word, or its singular, is one of the parts of a name that punctuation separates.
func hasPart(name, word string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.:/%$", r) })
	return len(parts) > 1 && (slices.Contains(parts, word) || slices.Contains(parts, strings.TrimSuffix(word, "s")))
}

// begins reports whether a name begins with word and has the same digits: a100 is not a likely correction of a10.
func begins(name, word string) bool {
	return strings.HasPrefix(name, word) && digitsOf(name) == digitsOf(word)
}

// DidYouMean ends a message about a name that does not exist with a suggestion; "" if no name is close.
func DidYouMean(word string, names []string) string {
	if likely := Likely(word, names); len(likely) > 0 {
		return "; did you mean " + orList(likely) + "?"
	}
	return ""
}

// Instead ends a message about a name that does not exist: it suggests likely names or, if there are none, lists all
// names.
func Instead(word string, names []string) string {
	switch likely := Likely(word, names); {
	case len(likely) > 0:
		return "did you mean " + orList(likely) + "?"
	case len(names) == 0:
		return "there are none"
	case len(names) == 1:
		return "there is " + names[0]
	case len(names) > mostListed:
		return fmt.Sprintf("there are %s and %d more", strings.Join(names[:mostListed], ", "), len(names)-mostListed)
	}
	return "there are " + strings.Join(names, ", ")
}

// orList returns "a", "a or b" or "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Unknown returns the error for a name that does not exist; kind is the kind of thing, such as "warp scheduler". The
// message suggests or lists names that exist.
func Unknown(kind, word string, names []string) error {
	return fmt.Errorf("no %s %q; %s", kind, word, Instead(word, names))
}
