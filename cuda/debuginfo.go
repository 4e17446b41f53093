package cuda

import "regexp"

// debugInfo are the lines of IR that define metadata, by number: what variables and types are.
type debugInfo map[string][]byte

// Fields of a line of debug information, each with its value.
var (
	infoNumber   = regexp.MustCompile(`^!(\d+) = `)
	infoTag      = regexp.MustCompile(`\btag: (DW_TAG_\w+)`)
	infoArgument = regexp.MustCompile(` = !DILocalVariable\(.*\barg: \d+,.*\btype: !(\d+)`)
	infoBase     = regexp.MustCompile(`\bbaseType: !(\d+)`)
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

// field is a value in the line of a number, "" if it has none.
func (info debugInfo) field(number string, expression *regexp.Regexp) string {
	if m := expression.FindSubmatch(info[number]); m != nil {
		return string(m[1])
	}
	return ""
}

// isConst reports whether a variable, which is a function's parameter, is const.
func (info debugInfo) isConst(variable string) bool {
	t := info.field(variable, infoArgument)
	for info.field(t, infoTag) == "DW_TAG_typedef" {
		t = info.field(t, infoBase)
	}
	return info.field(t, infoTag) == "DW_TAG_const_type"
}
