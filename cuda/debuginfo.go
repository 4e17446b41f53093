package cuda

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// debugInfo has the lines of IR that define metadata on variables and types, by number.
type debugInfo map[string][]byte

// Fields of a line of debug information; each captures its value.
var (
	infoNumber    = regexp.MustCompile(`^!(\d+) = `)
	infoTag       = regexp.MustCompile(`\btag: (DW_TAG_\w+)`)
	infoArgument  = regexp.MustCompile(` = !DILocalVariable\(.*\barg: \d+,.*\btype: !(\d+)`)
	infoBase      = regexp.MustCompile(`\bbaseType: !(\d+)`)
	infoElements  = regexp.MustCompile(`\belements: !(\d+)`)
	infoFile      = regexp.MustCompile(`\bfile: !(\d+)`)
	infoLine      = regexp.MustCompile(`\bline: (\d+)`)
	infoFilename  = regexp.MustCompile(`\bfilename: "([^"]*)"`)
	infoDirectory = regexp.MustCompile(`\bdirectory: "([^"]*)"`)
	infoList      = regexp.MustCompile(`!(\d+)`)
	mutableWord   = regexp.MustCompile(`\bmutable\b`)
)

func debugInfoOf(ir []byte) debugInfo {
	info := make(debugInfo)
	for _, line := range linesWith(ir, " = ") {
		if line[0] != '!' {
			continue
		}
		if m := infoNumber.FindSubmatch(line); m != nil {
			info[string(m[1])] = line
		}
	}
	return info
}

// field returns the value of a field in the line with a number; "" if it has none.
func (info debugInfo) field(number string, expression *regexp.Regexp) string {
	if m := expression.FindSubmatch(info[number]); m != nil {
		return string(m[1])
	}
	return ""
}

// isConst reports whether a variable is a function's parameter that is const and has no mutable part.
func (info debugInfo) isConst(variable string) bool {
	t := info.field(variable, infoArgument)
	for info.field(t, infoTag) == "DW_TAG_typedef" {
		t = info.field(t, infoBase)
	}
	return info.field(t, infoTag) == "DW_TAG_const_type" && !info.hasMutable(t, make(map[string]bool))
}

// hasMutable reports whether a type, or part of one, has a mutable member. Debug information does not say so, but it
// has the line of the source that declares a member.
func (info debugInfo) hasMutable(t string, seen map[string]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch info.field(t, infoTag) {
	case "DW_TAG_member":
		return mutableWord.Match(info.sourceLine(t)) || info.hasMutable(info.field(t, infoBase), seen)
	case "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_array_type", "DW_TAG_inheritance":
		return info.hasMutable(info.field(t, infoBase), seen)
	case "DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type":
		elements := info[info.field(t, infoElements)]
		for _, m := range infoList.FindAllSubmatch(infoNumber.ReplaceAll(elements, nil), -1) {
			if info.hasMutable(string(m[1]), seen) {
				return true
			}
		}
	}
	return false
}

// fullPath returns the path of a file of debug information. Clang splits it where it leaves the path of the working
// directory.
func fullPath(directory, filename string) string {
	if filepath.IsAbs(filename) {
		return filename
	}
	return filepath.Join(directory, filename)
}

// sourceLine returns the line of the source with the declaration of a number; nil if the source cannot be read.
func (info debugInfo) sourceLine(number string) []byte {
	file := info.field(number, infoFile)
	text, err := os.ReadFile(fullPath(info.field(file, infoDirectory), info.field(file, infoFilename)))
	if err != nil {
		return nil
	}
	lines := bytes.Split(text, []byte("\n"))
	at, _ := strconv.Atoi(info.field(number, infoLine))
	if at < 1 || at > len(lines) {
		return nil
	}
	return lines[at-1]
}
