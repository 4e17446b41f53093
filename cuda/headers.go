package cuda

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Without optimisation clang calls even the shortest functions of the CUDA headers, such as __shfl_sync, while nvcc
// inlines them at every level. A function that is called has no line of the user's, so that findings would name lines
// of headers, and the debugger would step into them. Functions of clang's and simtrun's headers are therefore inlined.

// largestHeaderFunction is the size, in lines of IR, up to which a function of a header is inlined without
// optimisation.
const largestHeaderFunction = 150

// Parts of IR: the attribute group of a function, a group of functions that are not to be optimised, and the number of
// a file of debug information.
var (
	groupOfFunction = regexp.MustCompile(` #(\d+)( comdat)?[^#]*!dbg !(\d+)`)
	unoptimisable   = regexp.MustCompile(`^attributes #(\d+) = \{(.*\boptnone\b.*)\}`)
	keptFromInliner = regexp.MustCompile(`\b(?:noinline|optnone) `)
)

// inlineHeaders makes clang inline the functions of headers that IR without optimisation calls.
func (c *Compiler) inlineHeaders(ir []byte) []byte {
	groups := make(map[string][]byte) // attributes, by number
	for _, line := range linesWith(ir, "attributes #") {
		if m := unoptimisable.FindSubmatch(line); m != nil {
			groups[string(m[1])] = m[2]
		}
	}
	if len(groups) == 0 {
		return ir
	}
	of := c.headerFunctions(ir)
	var inlined []string // groups for which there is one that is inlined
	var out []byte
	done := 0
	for _, f := range functions(ir) {
		text, _, _ := bytes.Cut(ir[f.begin:f.end], []byte("\n}"))
		head, _, _ := bytes.Cut(text, []byte("\n"))
		m := groupOfFunction.FindSubmatchIndex(head)
		if m == nil || bytes.Count(text, []byte("\n")) > largestHeaderFunction {
			continue
		}
		group := string(head[m[2]:m[3]])
		if groups[group] == nil || !of[string(head[m[6]:m[7]])] {
			continue
		}
		out = append(append(out, ir[done:f.begin+m[2]]...), inlinedGroup(group)...)
		done = f.begin + m[3]
		inlined = append(inlined, group)
	}
	out = append(out, ir[done:]...)
	written := make(map[string]bool)
	for _, group := range inlined {
		if !written[group] {
			written[group] = true
			out = fmt.Appendf(out, "\nattributes #%s = { alwaysinline %s}\n", inlinedGroup(group), keptFromInliner.ReplaceAll(groups[group], nil))
		}
	}
	return out
}

// inlinedGroup returns the number of the attribute group that is another one with inlining; clang's numbers are small.
func inlinedGroup(group string) string { return "1" + strings.Repeat("0", 9-len(group)) + group }

// headerFunctions returns the numbers of the debug information of functions of clang's and simtrun's headers.
func (c *Compiler) headerFunctions(ir []byte) map[string]bool {
	headers := make(map[string]bool) // by the number of the file
	for _, line := range linesWith(ir, " = !DIFile(") {
		number, name, folder := infoNumber.FindSubmatch(line), infoFilename.FindSubmatch(line), infoDirectory.FindSubmatch(line)
		if number != nil && name != nil && folder != nil && c.isHeader(fullPath(string(folder[1]), string(name[1]))) {
			headers[string(number[1])] = true
		}
	}
	all := make(map[string]bool)
	for _, line := range linesWith(ir, " = distinct !DISubprogram(") {
		number, file := infoNumber.FindSubmatch(line), infoFile.FindSubmatch(line)
		if number != nil && file != nil && headers[string(file[1])] {
			all[string(number[1])] = true
		}
	}
	return all
}

// isHeader reports whether a file is a header of clang's or simtrun's.
func (c *Compiler) isHeader(file string) bool {
	return strings.Contains(file, "/lib/clang/") || strings.HasPrefix(file, filepath.Join(c.folder, "include")+"/")
}
