package launch

import (
	"bytes"
	"strings"
	"unicode"
)

// allowMark begins a comment that allows findings of a rule, //sim:allow RULE REASON. It may follow code.
const allowMark = headerMark + "allow"

// Allowance is such a comment.
type Allowance struct {
	At   Origin
	Text string // after the mark
	Line int    // for which it is meant: its own or, without code there, the next line with code; 0 if there is none
}

// Allowances returns the comments of a source file that allow findings.
func Allowances(name string, src []byte) (all []Allowance) {
	if !bytes.Contains(src, []byte(allowMark)) {
		return nil
	}
	waiting := 0 // how many of the last ones are for the next line with code
	for line, at := range commentedLines("", name, src) {
		i := commentIn(line)
		if i != 0 && line != "" {
			for k := len(all) - waiting; k < len(all); k++ {
				all[k].Line = int(at.Pos.Line)
			}
			waiting = 0
		}
		if i < 0 {
			continue
		}
		text, ok := strings.CutPrefix(line[i:], allowMark)
		if !ok || text != "" && !unicode.IsSpace(rune(text[0])) {
			continue
		}
		one := Allowance{At: at.right(i), Text: strings.TrimSpace(text), Line: int(at.Pos.Line)}
		if i == 0 {
			one.Line = 0
			waiting++
		}
		all = append(all, one)
	}
	return all
}
