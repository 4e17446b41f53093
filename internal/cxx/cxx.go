// Package cxx names kernels of C++ as their users do: a name that the compiler has mangled (Itanium C++ ABI, 5.1) is found by
// the one in the source.
package cxx

import (
	"slices"
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

// Find are those symbols that a name means: the symbol itself, or those whose names in the source it is, with parameters, without
// them, without template arguments too, or without the namespace. The first of these ways that finds any counts.
func Find(symbols []string, name string) []string {
	if slices.Contains(symbols, name) {
		return []string{name}
	}
	for _, short := range []func(string) string{Name, Short, withoutTemplate, Base} {
		var found []string
		for _, s := range symbols {
			if sameName(short(s), name) {
				found = append(found, s)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// sameName reports whether two names differ in blanks alone.
func sameName(a, b string) bool {
	return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}

// withoutTemplate is "ns::f".
func withoutTemplate(symbol string) string {
	return strings.TrimSpace(demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams))
}

// Base is the name alone, "f".
func Base(symbol string) string {
	name := withoutTemplate(symbol)
	return name[strings.LastIndexByte(name, ':')+1:]
}
