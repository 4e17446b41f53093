package libdevice

import (
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/sorted"
)

// functions are all functions, in order of their names. They are made at the first use, because most modules need
// none.
var functions = sync.OnceValue(initFunctions)

func initFunctions() []Func {
	var all []Func
	for _, b := range bodies() {
		f := Func{Name: Prefix + b.name, body: b.code}
		if f.Name == Prefix+"nvvm_reflect" {
			f.Name = reflect
		}
		params, result, _ := strings.Cut(b.sig, ">")
		f.Params, f.Results = typesOf(params), typesOf(result)
		all = append(all, f)
	}
	for _, c := range computed() {
		params, results, _ := strings.Cut(c.sig, ">")
		f := Func{Name: Prefix + c.name, Params: typesOf(params), Results: typesOf(results), Cost: c.cost, of: c.of}
		all = append(all, f)
	}
	sorted.By(all, func(a, b Func) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		f := &all[i]
		if f.of == nil {
			continue
		}
		f.Eval = f.evalOne
		if len(f.Results) == 1 {
			f.computation = sync.OnceValue(f.newComputation)
		}
	}
	return all
}

// letters are the types in signatures, in the order of Type.
const letters = "hilfdp"

// typesOf returns the types of a signature's letters.
func typesOf(sig string) []Type {
	var all []Type
	for _, c := range sig {
		all = append(all, Type(strings.IndexRune(letters, c)))
	}
	return all
}
