package cxx

import "strings"

// abridged returns a name with as many levels of template arguments as fit into longest bytes, at least its own; what
// is nested deeper is "…".
func abridged(name string, longest int) string {
	if len(name) <= longest {
		return name
	}
	text := ""
	for levels := 0; ; levels++ {
		more, deeper := nested(name, levels)
		if levels > 0 && len(more) > longest {
			return text
		}
		if text = more; !deeper {
			return text
		}
	}
}

// nested returns a name with so many levels of template arguments, and whether it has more of them.
func nested(name string, levels int) (text string, deeper bool) {
	var b strings.Builder
	depth := 0
	for i, c := range name {
		closes := c == '>' && depth > 0 && name[i-1] != '-'
		if closes {
			depth--
		}
		if depth <= levels {
			b.WriteRune(c)
		}
		if c == '<' && opens(name[:i]) {
			if depth++; depth == levels+1 {
				b.WriteString("…")
				deeper = true
			}
		}
	}
	if depth != 0 {
		return name, false // not a name of this form
	}
	return b.String(), deeper
}

// opens reports whether template arguments may follow what is before a "<": a name other than "operator".
func opens(before string) bool {
	before = strings.TrimSuffix(before, " ")
	if before == "" || strings.HasSuffix(before, "operator") || strings.HasSuffix(before, "operator<") {
		return false
	}
	c := before[len(before)-1]
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
