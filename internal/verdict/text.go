package verdict

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
)

// Text returns the message with the other places.
func (f *Finding) Text() string {
	text := f.Message
	for i := range f.Other {
		o := &f.Other[i]
		text += fmt.Sprintf("; %s at %s", o.Role, o)
	}
	return text
}

// String returns file:line, without the parts that are unknown.
func (p *Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Exact returns file:line:column, without the parts that are unknown.
func (p *Place) Exact() string {
	if p.Line == 0 || p.Column == 0 {
		return p.String()
	}
	return fmt.Sprintf("%s:%d", p, p.Column)
}

// name returns the rule and the place.
func (f *Finding) name() string {
	if f.At.File == "" {
		return f.Rule
	}
	return f.Rule + " " + f.At.String()
}

// WriteAnnotations writes the findings that count as commands of GitHub's workflows, which shows them at their lines.
func (v *Verdict) WriteAnnotations(w io.Writer) {
	for _, f := range v.Findings {
		if !f.Counts() {
			continue
		}
		command := levelOf(f.Severity)
		if f.Severity == check.Info {
			command = "notice"
		}
		var at []string
		if f.At.File != "" {
			at = append(at, "file="+property.Replace(filepath.ToSlash(relative(f.At.File))))
		}
		if f.At.Line > 0 {
			at = append(at, fmt.Sprintf("line=%d", f.At.Line))
		}
		if f.At.Column > 0 {
			at = append(at, fmt.Sprintf("col=%d", f.At.Column))
		}
		at = append(at, "title="+property.Replace(f.Rule))
		fmt.Fprintf(w, "::%s %s::%s\n", command, strings.Join(at, ","), data.Replace(f.Text()))
	}
}

// property and data escape values and the message of a command.
var (
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
)
