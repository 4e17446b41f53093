// Package cxx converts between mangled C++ symbols (Itanium C++ ABI, 5.1) and names in the source, which users give
// for kernels.
package cxx

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Name returns a function's name and parameters in C++, such as "ns::f<int>(int*)". A name that is not mangled
// does not change.
func Name(symbol string) string { return withoutResult(demangle.Filter(symbol)) }

// Short is Name without the parameters.
func Short(symbol string) string { return withoutResult(demangle.Filter(symbol, demangle.NoParams)) }

// Variable returns a variable's name in C++, such as "ns::table". That of a variable in a function is without the
// function.
func Variable(symbol string) string {
	if !strings.HasPrefix(symbol, "_Z") {
		return symbol
	}
	name := demangle.Filter(symbol)
	if i := strings.LastIndex(name, ")::"); i >= 0 {
		return name[i+len(")::"):]
	}
	return name
}

// withoutResult removes the type of the result, which only demangled names of templates have: "void f<int>(int*)".
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
	by      [len(ways)]map[string][]string // symbols by each of their names, without blanks; nil before the first search
}

// ways return the names that a symbol has in the source, from the most specific to the least.
var ways = [...]func(symbol string) string{Name, Short, withoutTemplate, Base}

// NewIndex returns an index of symbols.
func NewIndex(symbols []string) *Index {
	x := &Index{symbols: symbols, is: make(map[string]bool, len(symbols))}
	for _, s := range symbols {
		x.is[s] = true
	}
	return x
}

// Find returns the symbols that a name means. It tries in this order: the symbol with that name, the symbols with
// that C++ name with parameters, without parameters, without template arguments, and without the namespace. The slice
// belongs to the index.
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

// withoutTemplate returns the name without template arguments: "ns::f".
func withoutTemplate(symbol string) string {
	return strings.TrimSpace(demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams))
}

// Base returns the name without namespace and template arguments: "f".
func Base(symbol string) string {
	name := withoutTemplate(symbol)
	return name[strings.LastIndexByte(name, ':')+1:]
}
