package cuda

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// The PTX of simtrun has debug information on lines, on inlined calls, and on the parameters of kernels. clang's
// describes every variable and all types with their members, too, and has a line for each byte. What is not read is
// removed, first from IR and then from PTX: loading PTX then takes hardly longer than without debug information.
// Options.Variables keeps variables and types.

// Parts of debug information in IR. Each list or reference begins with a comma, since none comes first in its line.
var (
	unusedOfUnit     = regexp.MustCompile(`, (?:imports|retainedTypes|globals|enums|macros): !\d+`)
	importsOfUnit    = regexp.MustCompile(`, (?:imports|macros): !\d+`)
	unusedOfFunction = regexp.MustCompile(`, (?:declaration|retainedNodes|templateParams|annotations): !\d+`)
	scopeOfFunction  = regexp.MustCompile(`\bscope: !\d+`)
	typeOfFunction   = regexp.MustCompile(`, type: !\d+`)
	elementsOfType   = regexp.MustCompile(`, (?:elements|templateParams|vtableHolder): !\d+`)
	templateParams   = regexp.MustCompile(`, templateParams: !\d+`)
	enumClassName    = regexp.MustCompile(`(tag: DW_TAG_enumeration_type, name: ")`)
	infoOfVariable   = regexp.MustCompile(`^(@.*), !dbg !\d+$`)
	infoOfFunction   = regexp.MustCompile(`!dbg !(\d+)`)
	infoParameter    = regexp.MustCompile(`^!(\d+) = !DILocalVariable\(.*\barg: \d+, scope: !(\d+)`)
	kernelProperty   = regexp.MustCompile(`^!\d+ = !\{(?:ptr|void \(.*\)\*) @("[^"]+"|[^, ]+), !"kernel"`)
)

// firstNode is a number of a metadata node that clang does not use, and grid constants do not, either.
const firstNode = 1<<30 + 1<<29

// slimDebugInfo removes from IR the debug information that simtrun does not use: variables other than parameters of
// kernels, members of types, and the types of functions.
func slimDebugInfo(ir []byte) []byte {
	parameters := kernelParameters(ir)
	ir = replaceLines(ir, " distinct !DICompileUnit(", func(line []byte) []byte { return unusedOfUnit.ReplaceAll(line, nil) })
	ir = replaceLines(ir, " = distinct !DISubprogram(", func(line []byte) []byte { return slimFunction(line, parameters) })
	ir = replaceLines(ir, "!DICompositeType(", func(line []byte) []byte {
		if bytes.Contains(line, []byte("tag: DW_TAG_array_type")) {
			return line
		}
		return elementsOfType.ReplaceAll(line, nil)
	})
	ir = replaceLines(ir, ", !dbg !", func(line []byte) []byte { return infoOfVariable.ReplaceAll(line, []byte("$1")) })
	for _, call := range []string{"#dbg_declare(", "@llvm.dbg.declare(metadata "} {
		ir = replaceLines(ir, call, func([]byte) []byte { return nil })
	}
	out := bytes.NewBuffer(slices.Concat(ir, fmt.Appendf(nil, "\n!%d = !DISubroutineType(types: !%d)\n!%[2]d = !{}\n", firstNode, firstNode+1)))
	for _, p := range parameters {
		fmt.Fprintf(out, "!%d = !{%s}\n", p.node, p.list)
	}
	return out.Bytes()
}

// slimDeclarations removes from IR the debug information on declarations of the headers that the source names without
// using them, which is most of it, and from that on types their member functions and template parameters: names have
// the latter, and a member function that is called has debug information of its own. Template parameters of functions
// remain where there is dynamic shared memory, whose type may be one. The name of an enum class begins with "class ":
// DWARF 2, the version that clang writes for PTX, has no attribute for it.
func slimDeclarations(ir []byte) []byte {
	ir = replaceLines(ir, " distinct !DICompileUnit(", func(line []byte) []byte { return importsOfUnit.ReplaceAll(line, nil) })
	declared, lists := make(map[string]bool), make(map[string]bool)
	for _, line := range linesWith(ir, " = !DISubprogram(") {
		if m := infoNumber.FindSubmatch(line); m != nil {
			declared[string(m[1])] = true
		}
	}
	for _, line := range linesWith(ir, "!DICompositeType(") {
		if m := infoElements.FindSubmatch(line); m != nil {
			lists[string(m[1])] = true
		}
	}
	ir = replaceLines(ir, "DIFlagEnumClass", func(line []byte) []byte { return enumClassName.ReplaceAll(line, []byte("${1}class ")) })
	ir = replaceLines(ir, " = !{", func(line []byte) []byte {
		if m := infoNumber.FindSubmatch(line); m == nil || !lists[string(m[1])] {
			return line
		}
		return withoutNodes(line, declared)
	})
	dynamic := bytes.Contains(ir, []byte(" addrspace(3) global [0 x "))
	return replaceLines(ir, ", templateParams: !", func(line []byte) []byte {
		if dynamic && bytes.Contains(line, []byte(" = distinct !DISubprogram(")) {
			return line
		}
		return templateParams.ReplaceAll(line, nil)
	})
}

// withoutNodes removes nodes from a line with a list of metadata.
func withoutNodes(line []byte, nodes map[string]bool) []byte {
	head, list, _ := bytes.Cut(line, []byte("!{"))
	var kept [][]byte
	for _, m := range infoList.FindAllSubmatch(list, -1) {
		if !nodes[string(m[1])] {
			kept = append(kept, m[0])
		}
	}
	return slices.Concat(head, []byte("!{"), bytes.Join(kept, []byte(", ")), []byte("}"))
}

// parameterList is the metadata of a kernel's parameters: the number of a new node, and its text.
type parameterList struct {
	node int
	list []byte
}

// kernelParameters returns the parameters of the kernels in IR, by the number of the kernel's debug information.
func kernelParameters(ir []byte) map[string]*parameterList {
	kernels := make(map[string]bool)
	for _, line := range linesWith(ir, `, !"kernel"`) {
		if m := kernelProperty.FindSubmatch(line); m != nil {
			kernels[string(m[1])] = true
		}
	}
	lists := make(map[string]*parameterList)
	for _, line := range linesWith(ir, "define ") {
		m, info := function.FindSubmatch(line), infoOfFunction.FindSubmatch(line)
		if m != nil && info != nil && (kernels[string(m[1])] || bytes.Contains(line, []byte("ptx_kernel "))) {
			lists[string(info[1])] = &parameterList{node: firstNode + 2 + len(lists)}
		}
	}
	for _, line := range linesWith(ir, "!DILocalVariable(") {
		if m := infoParameter.FindSubmatch(line); m != nil && lists[string(m[2])] != nil {
			l := lists[string(m[2])]
			if len(l.list) > 0 {
				l.list = append(l.list, ", "...)
			}
			l.list = append(append(l.list, '!'), m[1]...)
		}
	}
	return lists
}

// slimFunction removes the types from the debug information of a function, and for kernels adds the parameters, which
// otherwise only remain if they are used.
func slimFunction(line []byte, parameters map[string]*parameterList) []byte {
	line = unusedOfFunction.ReplaceAll(line, nil)
	if file := infoFile.FindSubmatch(line); file != nil {
		line = scopeOfFunction.ReplaceAll(line, slices.Concat([]byte("scope: !"), file[1]))
	}
	line = typeOfFunction.ReplaceAll(line, fmt.Appendf(nil, ", type: !%d", firstNode))
	if m := infoNumber.FindSubmatch(line); m != nil && parameters[string(m[1])] != nil {
		line = fmt.Appendf(bytes.TrimSuffix(line, []byte(")")), ", retainedNodes: !%d)", parameters[string(m[1])].node)
	}
	return line
}

// Text that begins the debug sections of PTX, that marks PTX with debug information as not optimised, and labels for
// the sections.
var (
	debugSection = []byte("\t.section\t.debug_")
	debugTarget  = regexp.MustCompile(`(?m)^(\.target sm_\w+), debug$`)
	debugLabel   = regexp.MustCompile(`\$L__tmp\d+\b`)
)

// compactDebugInfo writes the bytes of the debug sections of PTX in long lines, without comments, and omits labels in
// code that only these sections use.
func compactDebugInfo(ptx []byte) []byte {
	begin := bytes.Index(ptx, debugSection)
	if begin < 0 {
		return ptx
	}
	sections := withoutTruncated(ptx[:begin], ptx[begin:])
	out := slimCode(ptx[:begin], sections)
	var unit []byte // directive of the present line, such as ".b8"
	for line := range bytes.Lines(sections) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		line = bytes.TrimSpace(line)
		directive, value, isData := bytes.Cut(line, []byte(" "))
		isData = isData && bytes.HasPrefix(directive, []byte(".b"))
		switch {
		case len(line) == 0:
		case isData && bytes.Equal(directive, unit) && !endsLine(out):
			out = append(append(out, ','), value...)
		default:
			out = append(append(out, '\n'), line...)
		}
		if unit = nil; isData {
			unit = directive
		}
	}
	return append(out, '\n')
}

// slimCode shortens the code of PTX. It removes comments about places of variables and about lines, which are half of a
// small kernel's text, and labels that no debug section names, which are three quarters of all labels.
func slimCode(code, sections []byte) []byte {
	used := make(map[string]bool)
	for _, label := range debugLabel.FindAll(sections, -1) {
		used[string(label)] = true
	}
	code = removeLines(code, "$L__tmp", func(line []byte) bool {
		label, isLabel := bytes.CutSuffix(line, []byte(":"))
		return isLabel && !used[string(label)]
	})
	code = removeLines(code, "//DEBUG_VALUE: ", func([]byte) bool { return true })
	code = replaceLines(code, "\t.loc\t", func(line []byte) []byte {
		line, _, _ = bytes.Cut(line, []byte("//"))
		return bytes.TrimRight(line, " ")
	})
	return debugTarget.ReplaceAll(code, []byte("$1"))
}

// longestLine is about the length of a line of a debug section, in bytes.
const longestLine = 200

// endsLine reports whether the last line of a text is long enough.
func endsLine(text []byte) bool {
	return len(text)-bytes.LastIndexByte(text, '\n') > longestLine
}
