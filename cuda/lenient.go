package cuda

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// nvccTakes matches clang's messages about code that nvcc accepts: a PTX register in asm("mov.u32 %0, %laneid;"),
// operands of asm without a comma between them, a #pragma unroll with a number that is not positive, or before
// something other than a loop, a macro that is a #pragma (nvcc reads preprocessed source again), alignas after
// __shared__, a launch kernel << <grid, block >> >(), device functions that host code calls, or whose results it needs,
// extern "C"__global__ without a blank, dynamic shared memory that is not an array, shared variables with a constructor
// or destructor, and default arguments that only the definition of a template's member has.
var nvccTakes = regexp.MustCompile(`invalid % escape in inline assembly string|error: .*(?:\n.*)?#\s*pragma\s+unroll|an attribute list cannot appear here|'alignas' attribute cannot be applied to types` +
	`|error: expected expression\n.*<<\s+<|call to __device__ function from __host__ function|reference to __device__ function .* in __host__ function` +
	`|no type named 'type' in 'std::(?:result_of|invoke_result)<\(lambda at|reference to __host__ function .* in __host__ __device__ function` +
	`|is outside the valid range of values \[[^\]]*\] for the enumeration type` +
	`|note: expanded from macro '\w+'\n.*#\s*define\s+\w+\s+#\s*pragma\b` +
	`|error: expected '\)'\n.*"[=+\w]+"\([^()]*\) "[=+\w]+"\(` +
	`|error: string literal with user-defined suffix cannot be used here\n.*"C"__\w+__|error: __shared__ variable '\w+' cannot be 'extern'|error: ` + notInitialised +
	`|error: default arguments cannot be added to an out-of-line definition of a member of a class template`)

// hostTakes matches clang's messages about names that only device code has, which are mended in host code: nvcc does
// not compile kernel bodies for the host.
var hostTakes = regexp.MustCompile(`use of undeclared identifier`)

// mend is a set of changes to preprocessed host or device source that clang rejected, after which clang accepts it.
type mend struct {
	takes  []*regexp.Regexp // messages about source that can be changed
	change func(source, said []byte) []byte
}

// mends reports whether messages are about source that can be changed.
func (m mend) mends(said []byte) bool {
	return slices.ContainsFunc(m.takes, func(e *regexp.Regexp) bool { return e.Match(said) })
}

// hostMend is the mend for host code with kernels for an architecture such as sm_90, deviceMend that for device code.
func hostMend(arch string) mend {
	return mend{[]*regexp.Regexp{nvccTakes, hostTakes}, func(source, said []byte) []byte {
		source = anyMend(source, said)
		if bytes.Contains(said, []byte("use of undeclared identifier")) {
			source = defineArchitecture(emptyKernels(source), arch)
		}
		return source
	}}
}

func deviceMend() mend {
	return mend{[]*regexp.Regexp{nvccTakes}, func(source, said []byte) []byte {
		source = doublePercents(source)
		if bytes.Contains(said, []byte("reference to __host__ function")) {
			source = discardNever(source)
		}
		return anyMend(source, said)
	}}
}

// anyMend makes the changes that host and device code need.
func anyMend(source, said []byte) []byte {
	source = separateLinkage(separateOperands(withoutUnrolls(source)))
	source = uninitialisedShared(referToShared(alignShared(source)), said)
	source = withoutDefaults(source, said)
	return widenEnumerations(joinLaunches(onHostToo(source)), said)
}

// lateDefault matches clang's message about a default argument in the definition of a member of a class template: the
// indentation of the line, the line, and the marks under it, ~ under the argument's value. Versions before 17 show no
// numbers of lines.
var lateDefault = regexp.MustCompile(`error: default arguments cannot be added to an out-of-line definition .*\n(?: +\d+ \| )?([ \t]*)(.*)\n(?: +\| )?( *\^ *)(~+)`)

// withoutDefaults deletes such default arguments. Calls that need them are still errors.
func withoutDefaults(source, said []byte) []byte {
	for _, m := range lateDefault.FindAllSubmatch(said, -1) {
		indent, line, marks := m[1], m[2], m[3]
		value := len(marks) - len(indent)
		end := value + len(m[4])
		if value < 0 || end > len(line) {
			continue
		}
		if equals := bytes.LastIndexByte(line[:value], '='); equals >= 0 {
			source = bytes.Replace(source, line, slices.Concat(line[:equals], line[end:]), 1)
		}
	}
	return source
}

// joinedLinkage matches a linkage specification with an attribute of CUDA next to it. For clang this is a literal with
// a suffix, even if the suffix is a macro.
var joinedLinkage = regexp.MustCompile(`\bextern\s+"C"__(global|device|shared|constant|host)__`)

// separateLinkage separates them.
func separateLinkage(source []byte) []byte {
	return joinedLinkage.ReplaceAll(source, []byte(`extern "C" __attribute__(($1))`))
}

// unseparated matches an operand of inline assembly and the beginning of the next one, without a comma.
var unseparated = regexp.MustCompile(`("[=+\w]+"\s*\([^()]*\))(\s*"[=+\w]+"\s*\()`)

// separateOperands puts commas between operands.
func separateOperands(source []byte) []byte {
	for {
		next := unseparated.ReplaceAll(source, []byte("$1,$2"))
		if len(next) == len(source) {
			return next
		}
		source = next // a match has consumed the beginning of the second operand
	}
}

// never matches the beginning of a branch that is never taken, such as if (0). It also matches strings and
// characters, so that the text in them is skipped.
var never = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\bif\s*\(\s*(?:0|false)\s*\)`)

// discardNever makes templates discard such branches, because the functions that they call need not be device
// functions.
func discardNever(source []byte) []byte {
	return never.ReplaceAllFunc(source, func(found []byte) []byte {
		if found[0] == 'i' {
			return []byte("if constexpr (false)")
		}
		return found
	})
}

// apart matches the signs around a launch configuration with blanks in them. It also matches strings, characters and
// operators, so that these are skipped.
var apart = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\boperator\s*<<\s+<|<<\s+<|>>\s+>`)

// joinLaunches writes each << < and >> > without blanks. >>> also closes templates.
func joinLaunches(source []byte) []byte {
	return apart.ReplaceAllFunc(source, func(found []byte) []byte {
		switch found[0] {
		case '<':
			return []byte("<<<")
		case '>':
			return []byte(">>>")
		}
		return found
	})
}

// deviceOnly matches a device function that is a lambda, or constexpr, or has one parameter: if that is a reference
// to its class, it is a copy constructor. It also matches attributes such as [[nodiscard]], which end no list of
// captures.
var deviceOnly = regexp.MustCompile(`\[\[[^\[\]]*\]\]|\]\s*__attribute__\(\(device\)\)|__attribute__\(\(device\)\)(?:\s+(?:static|inline|__inline__|explicit|__attribute__\(\(always_inline\)\)))*\s+(?:constexpr\b|(\w+)\s*\(\s*(?:const\s+)?(\w+)(?:<[^<>;{}()]*>)?\s*(?:const\s*)?&&?\s*\w*\s*\))`)

// onHostToo makes some device functions available on both sides: constexpr functions (as --expt-relaxed-constexpr
// permits), copy constructors (for kernel parameters), and lambdas (because libraries query their result types).
func onHostToo(source []byte) []byte {
	return deviceOnly.ReplaceAllFunc(source, func(found []byte) []byte {
		if names := deviceOnly.FindSubmatch(found); !bytes.Equal(names[1], names[2]) {
			return found
		}
		switch found[0] {
		case '[':
			return found
		case ']':
			return append([]byte("] __attribute__((host))"), found[1:]...)
		}
		return append([]byte("__attribute__((host)) "), found...)
	})
}

// unroll matches a #pragma unroll.
var unroll = regexp.MustCompile(`(?m)^[ \t]*#\s*pragma\s+unroll\b.*$`)

// withoutUnrolls removes the pragmas, so that the compiler decides about unrolling.
func withoutUnrolls(source []byte) []byte { return unroll.ReplaceAll(source, nil) }

// asmBegin matches the beginning of a statement of inline assembly, up to its text.
var asmBegin = regexp.MustCompile(`\b(?:asm|__asm|__asm__)(?:\s+(?:volatile|__volatile__|__volatile|goto|inline))*\s*\(`)

// doublePercents doubles each % in inline assembly that clang would refuse: one before a name that is not an operand.
func doublePercents(source []byte) []byte {
	var out bytes.Buffer
	for {
		begin := asmBegin.FindIndex(source)
		if begin == nil {
			out.Write(source)
			return out.Bytes()
		}
		out.Write(source[:begin[1]])
		source = source[begin[1]:]
		source = source[copyTemplate(&out, source):]
	}
}

// copyTemplate copies the strings that form the text of a statement, and returns their length in the source, up to
// the first : or ) outside of them.
func copyTemplate(out *bytes.Buffer, source []byte) int {
	inString := false
	for i := 0; i < len(source); i++ {
		b := source[i]
		switch {
		case b == '"':
			inString = !inString
		case !inString && (b == ':' || b == ')'):
			return i
		case inString && (b == '\\' || b == '%') && i+1 < len(source) && (b == '\\' || source[i+1] == '%'): // \" and %%
			out.WriteByte(b)
			i++
			b = source[i]
		case inString && b == '%' && isName(source[i+1:]):
			out.WriteByte('%')
		}
		out.WriteByte(b)
	}
	return len(source)
}

// stringsJoin matches the text between adjacent strings.
var stringsJoin = regexp.MustCompile(`^"\s*"`)

// isName reports whether letters follow that are not a modifier and an operand, such as h0 or c[name].
func isName(rest []byte) bool {
	rest = rest[len(stringsJoin.Find(rest)):]
	letter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' }
	return len(rest) > 1 && letter(rest[0]) && !(rest[1] >= '0' && rest[1] <= '9') && rest[1] != '['
}

// forPreprocessed returns the arguments for a source that is preprocessed: without files to include before it, and
// without macros, which would replace names that were none of them, such as those of letters_begin.h.
func forPreprocessed(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-include" || arg == "-D" || arg == "-U":
			i++
		case strings.HasPrefix(arg, "-D") || strings.HasPrefix(arg, "-U"):
		default:
			kept = append(kept, arg)
		}
	}
	return kept
}

// withoutDependencies returns the arguments without -MD and -MMD, with which clang writes dependencies.
func withoutDependencies(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-MD" || arg == "-MMD" })
}

// narrowEnumeration matches the message of clang 20 and newer on a constant that is not a value of an enumeration, and
// captures the type's name.
var narrowEnumeration = regexp.MustCompile(`is outside the valid range of values \[[^\]]*\] for the enumeration type '(?:[^']*::)?(\w+)'`)

// widenEnumerations gives the enumerations in these messages the underlying type int.
func widenEnumerations(source, said []byte) []byte {
	for _, m := range narrowEnumeration.FindAllSubmatch(said, -1) {
		definition := regexp.MustCompile(`(\benum\s+` + string(m[1]) + `\s*)\{`)
		source = definition.ReplaceAll(source, []byte("${1}: int {"))
	}
	return source
}

const architectureName = "__CUDA_ARCH__"

// architectureUse matches the name of the architecture, and strings and characters, so that names in these are skipped.
var architectureUse = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\b` + architectureName + `\b`)

// defineArchitecture turns __CUDA_ARCH__, a macro that only device compilations have, into a function of the device:
// its use in host code is still an error.
func defineArchitecture(source []byte, arch string) []byte {
	used := false
	source = architectureUse.ReplaceAllFunc(source, func(found []byte) []byte {
		if found[0] != '_' {
			return found
		}
		used = true
		return []byte(architectureName + "()")
	})
	if !used {
		return source
	}
	return append(fmt.Appendf(nil, "__attribute__((device)) constexpr int %s() { return %d0; }\n", architectureName, archNumber(arch)), source...)
}

// kernelWord matches the attribute of a kernel, and strings and characters, so that attributes in these are skipped.
var kernelWord = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|__attribute__\(\(global\)\)`)

// emptyKernels removes the bodies of kernels and keeps their line breaks.
func emptyKernels(source []byte) []byte {
	var out bytes.Buffer
	for {
		at := kernelWord.FindIndex(source)
		if at == nil {
			out.Write(source)
			return out.Bytes()
		}
		out.Write(source[:at[1]])
		isKernel := source[at[0]] == '_'
		source = source[at[1]:]
		if !isKernel {
			continue
		}
		begin, end := bodyOf(source)
		out.Write(source[:begin])
		for range bytes.Count(source[begin:end], []byte("\n")) {
			out.WriteByte('\n')
		}
		source = source[end:]
	}
}

// bodyToken matches the tokens that delimit a function's body: brackets and the end of a declaration; and strings and
// characters, so that tokens in these are skipped.
var bodyToken = regexp.MustCompile(`R"([^(\s]*)\(|"(?:\\.|[^"\\\n])*"|\b\d[\w']*|'(?:\\.|[^'\\\n])+'|[(){};]`)

// bodyOf returns the range of the text between the braces of a function's body, in source that begins within its
// declaration; it is empty for a declaration without a body.
func bodyOf(source []byte) (begin, end int) {
	depth, within := 0, false
	for at := 0; ; {
		token := bodyToken.FindSubmatchIndex(source[at:])
		if token == nil {
			return 0, 0
		}
		first, next := source[at+token[0]], at+token[1]
		switch {
		case first == 'R':
			closing := slices.Concat([]byte(")"), source[at+token[2]:at+token[3]], []byte("\""))
			if i := bytes.Index(source[next:], closing); i >= 0 {
				next += i + len(closing)
			}
		case first == ';' && depth == 0:
			return 0, 0
		case first == '{' && depth == 0:
			begin, within = next, true
			depth++
		case first == '(' || first == '{':
			depth++
		case first == ')' || first == '}':
			if depth--; within && depth == 0 {
				return begin, next - 1
			}
		}
		at = next
	}
}
