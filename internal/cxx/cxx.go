// Package cxx converts between mangled C++ symbols (Itanium C++ ABI, 5.1) and names in the source, which users give
// for kernels.
package cxx

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Name returns a function's name and parameters in C++, such as "ns::f<int>(int*)". A name that is not mangled
// does not change.
func Name(symbol string) string { return withoutResult(filtered(symbol)) }

// Short is Name without the parameters, for a line of text: of a name with more than 100 bytes, template arguments of
// template arguments are "…", from such a depth on that it becomes short enough, or else all of them.
func Short(symbol string) string { return abridged(withoutParameters(symbol), 100) }

func withoutParameters(symbol string) string {
	return withoutResult(filtered(symbol, demangle.NoParams))
}

// tag is an ABI tag. Numba puts the version of a function and its options into tags.
var tag = regexp.MustCompile(`\[abi:[^\]]*\]`)

// nvcc makes names of static functions and variables unique in a program by the name of the file and a hash, in a
// namespace or, in older versions, before the mangled name.
const nvccPrefix = "__nv_static_"

var (
	nvccInternal = regexp.MustCompile(`\b_INTERNAL_\w+::`)
	nvccStatic   = regexp.MustCompile(`^__nv_static_\d+__\w*?_(_Z.+)$`)
)

// filtered returns the demangled name without ABI tags, which no source has. In local symbols the NVPTX back end writes
// "_$_" for a point, which PTX does not allow in names.
func filtered(symbol string, options ...demangle.Option) string {
	mangled := symbol
	if strings.Contains(symbol, "_$_") {
		mangled, options = strings.ReplaceAll(symbol, "_$_", "."), append(options[:len(options):len(options)], demangle.NoClones)
	}
	if strings.HasPrefix(symbol, nvccPrefix) {
		mangled = nvccStatic.ReplaceAllString(symbol, "$1")
	}
	name := demangle.Filter(mangled, options...)
	if name == mangled {
		return symbol
	}
	name = tag.ReplaceAllString(name, "")
	if strings.Contains(name, "_INTERNAL_") { // the expression takes long for names of templates
		name = nvccInternal.ReplaceAllString(name, "")
	}
	return name
}

// Mangled returns a name in PTX that is another than in the source; "" if both are the same.
func Mangled(symbol string) string {
	if Short(symbol) == symbol {
		return ""
	}
	return symbol
}

// Parameters returns the types of a function's parameters, such as "const float *"; nil if the symbol does not have
// them.
func Parameters(symbol string) []string {
	ast, err := demangle.ToAST(symbol)
	if err != nil {
		return nil
	}
	typed, ok := ast.(*demangle.Typed)
	if !ok {
		return nil
	}
	function, ok := typed.Type.(*demangle.FunctionType)
	if !ok {
		return nil
	}
	var types []string
	for _, a := range function.Args {
		types = append(types, spelled(demangle.ASTToString(a)))
	}
	return types
}

// spelled returns a type as people write it: "const float *" for "float const*".
func spelled(name string) string {
	pointed, pointer := strings.CutSuffix(name, "*")
	if !pointer || strings.HasSuffix(pointed, "*") {
		return name
	}
	if plain, constant := strings.CutSuffix(pointed, " const"); constant {
		pointed = "const " + plain
	}
	return pointed + " *"
}

// Variable returns a variable's name in C++, such as "ns::table". That of a variable in a function is without the
// function. The memory for the local variables of a function, which compilers name __local_depot1, is StackFrame.
func Variable(symbol string) string {
	if IsStackFrame(symbol) {
		return StackFrame
	}
	if before, function, ok := strings.Cut(symbol, "_$_"); ok && strings.HasPrefix(function, "_Z") {
		return before // __PRETTY_FUNCTION__.NAME, in which the NVPTX back end replaces the point
	}
	if !strings.HasPrefix(symbol, "_Z") && !strings.HasPrefix(symbol, nvccPrefix) {
		return symbol
	}
	name := filtered(symbol)
	if i := strings.LastIndex(name, ")::"); i >= 0 {
		return name[i+len(")::"):]
	}
	return name
}

// StackFrame is what messages call the memory for the local variables of a function.
const StackFrame = "the stack frame"

// IsStackFrame reports whether a variable of PTX is that memory, as compilers of the NVPTX back end and nvcc name it.
func IsStackFrame(symbol string) bool { return strings.HasPrefix(symbol, "__local_depot") }

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
var ways = [...]func(symbol string) string{Name, withoutParameters, Short, withoutTemplate, Base}

// NewIndex returns an index of symbols.
func NewIndex(symbols []string) *Index {
	x := &Index{symbols: symbols, is: make(map[string]bool, len(symbols))}
	for _, s := range symbols {
		x.is[s] = true
	}
	return x
}

// Find returns the symbols that a name means. It tries in this order: the symbol with that name, the symbols with
// that C++ name with parameters, without parameters, as Short has it, without template arguments, and without the
// namespace. The slice belongs to the index.
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
	name := strings.TrimSpace(filtered(symbol, demangle.NoParams, demangle.NoTemplateParams))
	return strings.TrimSuffix(name, "::<>") // of Rust
}

// Base returns the name without namespace and template arguments: "f".
func Base(symbol string) string {
	name := withoutTemplate(symbol)
	return name[strings.LastIndexByte(name, ':')+1:]
}

// FileName returns a kernel's name for the name of a file: Base without characters that are special in file systems or
// shells, at most 40 characters. Two kernels may have the same.
func FileName(symbol string) string {
	const longest = 40
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, Base(symbol))
	if name == "" {
		return "kernel"
	}
	return name[:min(len(name), longest)]
}
