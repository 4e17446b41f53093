package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// untyped are types of memory that have the size of others.
var untyped = strings.NewReplacer(".e4m3x4", ".b32", ".e5m2x4", ".b32", ".e4m3x2", ".b16", ".e5m2x2", ".b16", ".e4m3", ".b8", ".e5m2", ".b8", ".bf16x2", ".b32", ".f16x2", ".b32", ".bf16", ".b16", ".f16", ".b16")

// multicast is multimem in memory with one member: a load of the value, a store, or a reduction.
func multicast(f form) []trial {
	var plain form
	makeTrials := loads
	switch {
	case f.has("cp"):
		return partialCopies(f)
	case f.has("ld_reduce"):
		text := strings.Replace(f.text, "multimem.ld_reduce", "ld", 1)
		for _, op := range []string{".add", ".min", ".max", ".and", ".or", ".xor", ".acc::f32", ".acc::f16"} {
			text = strings.Replace(text, op, "", 1)
		}
		plain = parseForm(untyped.Replace(text))
	case f.has("st"):
		plain, makeTrials = parseForm(untyped.Replace(strings.Replace(f.text, "multimem.st", "st", 1))), stores
	default:
		text := strings.Replace(f.text, "multimem.red", "red", 1)
		if f.types[0] != "f32" && f.types[0] != "f64" && isFloat(f.types[0]) {
			text = strings.Replace(text, ".add", ".add.noftz", 1)
		}
		plain, makeTrials = parseForm(text), atomics
	}
	all := makeTrials(plain)
	own := fmt.Sprintf(".reg .b%d %%v<", typeBits[plain.types[0]])
	if plain.op != "red" { // registers have the width of the type
		all = slices.DeleteFunc(all, func(tr trial) bool { return !strings.Contains(tr.src, own) })
	}
	for i := range all {
		all[i].src = strings.ReplaceAll(all[i].src, plain.text+" ", f.text+" ")
	}
	return all
}
