package cuda

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A kernel parameter that is const or __grid_constant__ is never copied to local memory: its address is that of the
// parameter. The back end copies a parameter if its address escapes, unless metadata of IR says that the parameter is
// constant in the grid. nvcc copies const parameters, too, but no program can notice the difference unless a member
// is mutable, and CUTLASS omits __grid_constant__ for clang. A const parameter with a mutable member is copied.
//
// Only the debug information of IR says which parameters are const. If the PTX has a copy of one, the back end runs
// once more.

// gridConstantClang is the first clang with a back end for parameters that are constant in a grid. Version 19 has no
// attribute for them in the source, so the headers use an annotation. Newer versions have the attribute.
const gridConstantClang = 19

// The syntax in IR of a function, of its parameters that are passed as bytes, and of annotated variables.
var (
	function           = regexp.MustCompile(`^define [^@]*@("[^"]+"|[^ (]+)\((.*)$`)
	byteParameter      = regexp.MustCompile(`\bbyval\((?:%"[^"]*"|[^,"])*\)[^,"]* %(\d+)[,)]`)
	constantText       = regexp.MustCompile(`^@(\S+) = `)
	variableAnnotation = regexp.MustCompile(`(?m)^ *call void @llvm\.var\.annotation\S*\(ptr %(\S+), ptr @(\S+), .*\n`)
	properties         = regexp.MustCompile(`(?m)^!nvvm\.annotations = !\{`)
)

// parameter is a parameter of a kernel, numbered from 0.
type parameter struct {
	kernel string // as IR writes its name, in quotes if necessary
	index  int
}

// takeGridConstants removes the annotations of parameters from IR, and returns the parameters.
func takeGridConstants(ir []byte) (out []byte, constants []parameter) {
	var text [][]byte
	for _, line := range linesWith(ir, ` c"simtrun_grid_constant\00"`) {
		text = constantText.FindSubmatch(line)
	}
	if text == nil {
		return ir, nil
	}
	for i, f := range functions(ir) {
		if i == 0 {
			out = append(out, ir[:f.begin]...)
		}
		out = append(out, variableAnnotation.ReplaceAllFunc(ir[f.begin:f.end], func(call []byte) []byte {
			m := variableAnnotation.FindSubmatch(call)
			if !bytes.Equal(m[2], text[1]) {
				return call
			}
			if number := string(m[1]); slices.Contains(f.bytes, number) {
				index, _ := strconv.Atoi(number)
				constants = append(constants, parameter{f.name, index})
			}
			return nil
		})...)
	}
	return out, constants
}

// definition is the place of a function in IR, and its parameters that are passed as bytes.
type definition struct {
	name       string
	begin, end int
	bytes      []string // numbers
}

// functions returns the functions that IR defines; each extends to the next.
func functions(ir []byte) []definition {
	var all []definition
	for at, line := range linesWith(ir, "define ") {
		m := function.FindSubmatch(line)
		if m == nil {
			continue
		}
		if len(all) > 0 {
			all[len(all)-1].end = at
		}
		d := definition{name: string(m[1]), begin: at, end: len(ir)}
		for _, m := range byteParameter.FindAllSubmatch(m[2], -1) {
			d.bytes = append(d.bytes, string(m[1]))
		}
		all = append(all, d)
	}
	return all
}

// withConstants returns IR with metadata that says which parameters are constant in the grid, in one node for each
// kernel. LLVM 21 and newer have an attribute for it, but still read the metadata.
func withConstants(ir []byte, constants []parameter) []byte {
	var kernels []string
	indices := make(map[string][]string)
	for _, p := range constants {
		if indices[p.kernel] == nil {
			kernels = append(kernels, p.kernel)
		}
		indices[p.kernel] = append(indices[p.kernel], fmt.Sprintf("i32 %d", p.index+1))
	}
	if len(kernels) == 0 {
		return ir
	}
	var marks strings.Builder
	var list []string
	next := 1 << 30 // a number that clang does not use
	for _, kernel := range kernels {
		fmt.Fprintf(&marks, "!%d = !{ptr @%s, !\"grid_constant\", !%d}\n!%d = !{%s}\n", next, kernel, next+1, next+1, strings.Join(indices[kernel], ", "))
		list = append(list, fmt.Sprintf("!%d", next))
		next += 2
	}
	if at := properties.FindIndex(ir); at != nil {
		return slices.Concat(ir[:at[0]], []byte(marks.String()), ir[at[0]:at[1]], []byte(strings.Join(list, ", ")+", "), ir[at[1]:])
	}
	return slices.Concat(ir, []byte("\n!nvvm.annotations = !{"+strings.Join(list, ", ")+"}\n"+marks.String()))
}

// compileParameters compiles IR to PTX that does not copy const parameters to local memory. constants are those that
// annotations name.
func (d *deviceCode) compileParameters(ir []byte, constants []parameter) ([]byte, error) {
	ptx, err := d.backEnd(withConstants(ir, constants))
	if err != nil || d.Compiler.Version < gridConstantClang {
		return ptx, err
	}
	copied := copiedParameters(ptx)
	if len(copied) == 0 {
		return ptx, nil
	}
	more := false
	for _, p := range constParameters(ir, copied) {
		if !slices.Contains(constants, p) {
			constants = append(constants, p)
			more = true
		}
	}
	if !more {
		return ptx, nil
	}
	return d.backEnd(withConstants(ir, constants))
}

// Parts of a kernel in PTX: its name and body, its parameters that are passed as bytes, loads from one or of its
// address, and stores to local memory.
var (
	entry          = regexp.MustCompile(`^(?:\.\w+ )*\.entry ([\w$]+)\(`)
	bytesOfEntry   = regexp.MustCompile(`\.param \.align \d+ \.b8 [\w$]+_param_(\d+)\[`)
	loadsParameter = regexp.MustCompile(`ld\.param\.\S+\s+(\{?[^;\[]*?)\}?, \[[\w$]+_param_(\d+)(?:\+\d+)?\];`)
	movesParameter = regexp.MustCompile(`mov\.[bu]64\s+%\w+, [\w$]+_param_(\d+);`)
	storesLocal    = regexp.MustCompile(`st(?:\.local)?(?:\.v\d)?\.\w+\s+\[(?:%SPL?|%rd\d+|__local_depot\d+)(?:\+\d+)?\], \{?([^;]*?)\}?;`)
	localDepotWord = []byte("__local_depot")
	registerInPTX  = regexp.MustCompile(`%\w+`)
)

// copiedParameters returns the kernel parameters that PTX may copy to local memory: in kernels with local memory, those
// with a value that is stored there or an address that is taken.
func copiedParameters(ptx []byte) []parameter {
	var all []parameter
	for at, line := range linesWith(ptx, ".entry ") {
		m := entry.FindSubmatch(line)
		parameters, body, defined := bytes.Cut(ptx[at:], []byte("\n{"))
		body, _, _ = bytes.Cut(body, []byte("\n}"))
		if m == nil || !defined || !bytes.Contains(body, localDepotWord) {
			continue
		}
		stored := make(map[string]bool)
		for _, store := range storesLocal.FindAllSubmatch(body, -1) {
			for _, register := range registerInPTX.FindAll(store[1], -1) {
				stored[string(register)] = true
			}
		}
		copied := make(map[string]bool)
		for _, move := range movesParameter.FindAllSubmatch(body, -1) {
			copied[string(move[1])] = true
		}
		for _, load := range loadsParameter.FindAllSubmatch(body, -1) {
			for _, register := range registerInPTX.FindAll(load[1], -1) {
				if stored[string(register)] {
					copied[string(load[2])] = true
				}
			}
		}
		for _, p := range bytesOfEntry.FindAllSubmatch(parameters, -1) {
			if index, _ := strconv.Atoi(string(p[1])); copied[string(p[1])] {
				all = append(all, parameter{string(m[1]), index})
			}
		}
	}
	return all
}

// declares matches the debug information that says which variable a value of IR is.
var declares = regexp.MustCompile(`(?:#dbg_declare\(|@llvm\.dbg\.declare\(metadata )ptr %(\d+), (?:metadata )?!(\d+),`)

// constParameters returns the candidates that are const, according to IR with debug information. Candidates have the
// kernel names of PTX.
func constParameters(ir []byte, candidates []parameter) []parameter {
	info := debugInfoOf(ir)
	var all []parameter
	for _, f := range functions(ir) {
		kernel := strings.Trim(f.name, `"`)
		if !slices.ContainsFunc(candidates, func(p parameter) bool { return p.kernel == kernel }) {
			continue
		}
		for _, m := range declares.FindAllSubmatch(ir[f.begin:f.end], -1) {
			index, _ := strconv.Atoi(string(m[1]))
			if slices.Contains(candidates, parameter{kernel, index}) && slices.Contains(f.bytes, string(m[1])) && info.isConst(string(m[2])) {
				all = append(all, parameter{f.name, index})
			}
		}
	}
	return all
}
