// Package cxx names kernels of C++ as their users do: a name that the compiler has mangled (Itanium C++ ABI, 5.1) is found by
// the one in the source.
package cxx

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Name is a function's name and parameters as the source has them, as in "ns::f<int>(int*)". A name that is not mangled
// stays as it is.
func Name(symbol string) string { return withoutResult(demangle.Filter(symbol)) }

// Short is Name without the parameters.
func Short(symbol string) string { return withoutResult(demangle.Filter(symbol, demangle.NoParams)) }

// withoutResult cuts the type of the result off a template's name, "void f<int>(int*)", which other names do not have.
func withoutResult(name string) string {
	front, _, template := strings.Cut(name, "<")
	if !template || strings.Contains(front, "(") {
		return name
	}
	return name[strings.LastIndexByte(front, ' ')+1:]
}

// Find is Index.Find for one name.
func Find(symbols []string, name string) []string { return NewIndex(symbols).Find(name) }

// Index finds symbols by the names that users have for them.
type Index struct {
	symbols []string
	is      map[string]bool
	by      [len(ways)]map[string][]string // symbols by their names without blanks, in each of the ways; nil before the first search
}

// ways are the names of a symbol in the source.
var ways = [...]func(symbol string) string{Name, Short, withoutTemplate, Base}

// NewIndex is an index of symbols.
func NewIndex(symbols []string) *Index {
	x := &Index{symbols: symbols, is: make(map[string]bool, len(symbols))}
	for _, s := range symbols {
		x.is[s] = true
	}
	return x
}

// Find are those symbols that a name means: the symbol itself, or those whose names in the source it is, with parameters, without
// them, without template arguments too, or without the namespace. The first of these ways that finds any counts. The slice belongs
// to the index.
func (x *Index) Find(name string) []string {
	if x.is[name] {
		return []string{name}
	}
	name = withoutBlanks(name)
	for i, way := range ways {
		if x.by[i] == nil {
			x.by[i] = make(map[string][]string, len(x.symbols))
			for _, s := range x.symbols {
				called := withoutBlanks(way(s))
				x.by[i][called] = append(x.by[i][called], s)
			}
		}
		if found := x.by[i][name]; found != nil {
			return found
		}
	}
	return nil
}

func withoutBlanks(name string) string { return strings.ReplaceAll(name, " ", "") }

// withoutTemplate is "ns::f".
func withoutTemplate(symbol string) string {
	return strings.TrimSpace(demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams))
}

// Base is the name alone, "f".
func Base(symbol string) string {
	name := withoutTemplate(symbol)
	return name[strings.LastIndexByte(name, ':')+1:]
}
