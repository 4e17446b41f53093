package cuda

import (
	"bytes"
	"fmt"
	"regexp"
)

// sharedObject matches a declaration in a function of dynamic shared memory that is not an array, such as
// extern __shared__ T s; A declaration of a file is not indented.
var sharedObject = regexp.MustCompile(`(?m)((?:^[ \t]+|[{;][ \t]*)extern\s+__attribute__\(\(shared\)\)\s+(?:__attribute__\(\(aligned\([^()]*\)\)\)\s*)?[\w:][\w:<>,\s]*[\s>])(\w+)\s*;`)

// referToShared replaces each of them by an array, which reports show by the same name, and a reference to its first
// element.
func referToShared(source []byte) []byte {
	return sharedObject.ReplaceAll(source, []byte(`${1}simtrun_$2[] asm("$2"); auto &$2 = *simtrun_$2;`))
}

// sharedAligned matches alignas after the attribute for the memory of a variable.
var sharedAligned = regexp.MustCompile(`(__attribute__\(\((?:shared|device|constant)\)\)\s*)alignas\s*\(`)

// alignment matches what may be a type or a number: names, with their template arguments.
var alignment = regexp.MustCompile(`^[ \t]*[A-Za-z_][\w:<>, \t]*$`)

// alignShared replaces alignas on such variables by an attribute, which is allowed in this place. The attribute takes
// numbers only, and simtrun/prelude.h has a function that returns that of a type.
func alignShared(source []byte) []byte {
	var out bytes.Buffer
	for {
		at := sharedAligned.FindSubmatchIndex(source)
		if at == nil {
			out.Write(source)
			return out.Bytes()
		}
		end := at[1]
		for depth := 1; end < len(source) && depth > 0; end++ {
			switch source[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		out.Write(source[:at[3]])
		if of := bytes.TrimSuffix(source[at[1]:end], []byte(")")); alignment.Match(of) {
			fmt.Fprintf(&out, "__attribute__((aligned(simtrun_alignment::of<%s>())))", of)
		} else {
			out.WriteString("__attribute__((aligned(")
			out.Write(source[at[1]:end])
			out.WriteString("))")
		}
		source = source[end:]
	}
}

// notInitialised is clang's message about a shared variable of a class with a constructor or destructor, such as a
// cuda::barrier of libcu++. nvcc only warns, and calls neither.
const notInitialised = `initialization is not supported for __shared__ variables`

// initialised matches the message, and the line of the source with the variable, at the caret of the line after it.
var initialised = regexp.MustCompile(notInitialised + `\.?\n(.*)\n(.*?)\^`)

// firstName matches the name that a text begins with.
var firstName = regexp.MustCompile(`^\w+`)

// uninitialisedShared replaces variables that clang has named in such messages by bytes of shared memory and a
// reference of the variable's name and type.
func uninitialisedShared(source, said []byte) []byte {
	for _, m := range initialised.FindAllSubmatch(said, -1) {
		line, at := m[1], len(m[2])
		if at >= len(line) {
			continue
		}
		name := firstName.Find(line[at:])
		if name == nil {
			continue
		}
		declared := regexp.MustCompile(`(__attribute__\(\(shared\)\)\s+(?:__attribute__\(\(aligned\(.*?\)\)\)\s*)?)([\w:][\w:<>,\s]*[\s>])` + string(name) + `\s*((?:\[[^\]]*\]\s*)*);`)
		source = declared.ReplaceAll(source, fmt.Appendf(nil, "${1}__attribute__((aligned(alignof($2)))) unsigned char simtrun_%s[sizeof($2$3)]; auto &%[1]s = reinterpret_cast<$2(&)$3>(simtrun_%[1]s);", name))
	}
	return source
}
