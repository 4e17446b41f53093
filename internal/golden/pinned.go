package golden

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// section is a text that a case pins.
type section struct {
	topic topic
	on    machine // machines that it covers
	name  string
	text  string
	line  int // number of the text's first line in its file
}

// sections returns the sections of the case. The text of a golden file without sections is the output. An error
// begins with the line number.
func (c *Case) sections() ([]section, error) {
	if err := nearMarker(string(c.archive.Comment)); err != nil {
		return nil, err
	}
	if c.plain() {
		t, on, err := parseSection(outputKind)
		return []section{{t, on, outputKind, string(c.archive.Comment), 1}}, err
	}
	var all []section
	line := 1 + bytes.Count(c.archive.Comment, []byte("\n"))
	for _, f := range c.archive.Files {
		line++
		if !isSource(f.Name) {
			t, on, err := parseSection(f.Name)
			if err != nil {
				return nil, fmt.Errorf("%d: %w", line-1, err)
			}
			if slices.ContainsFunc(all, func(o section) bool { return o.topic.name == t.name && o.on.String() == on.String() }) {
				return nil, fmt.Errorf("%d: section %q is there twice", line-1, f.Name)
			}
			all = append(all, section{t, on, f.Name, string(f.Data), line})
		}
		line += bytes.Count(f.Data, []byte("\n"))
	}
	return all, nil
}

// nearMarker returns an error if a line of text was probably meant to begin a section, such as "--dump--".
func nearMarker(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, " \t\r\n")
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "--")
		name := strings.Trim(rest, "- \t")
		if kind, _, _ := strings.Cut(name, " "); ok && slices.Contains(kindNames(), strings.ToLower(kind)) {
			return fmt.Errorf("%d: %q does not begin a section; expected -- %s --", n, line, strings.ToLower(name))
		}
	}
	return nil
}

// plain reports whether the case has a golden file that is the output alone.
func (c *Case) plain() bool {
	return c.exists && c.pinnedIn != c.Name && len(c.archive.Files) == 0
}

// topics returns the topics of the sections, in order.
func topics(all []section) []topic {
	var ts []topic
	for _, s := range all {
		if !slices.ContainsFunc(ts, func(t topic) bool { return t.name == s.topic.name }) {
			ts = append(ts, s.topic)
		}
	}
	return ts
}

// sectionFor returns the most specific section about a topic that covers a machine, or nil.
func sectionFor(all []section, t topic, on machine) *section {
	var best *section
	for i := range all {
		s := &all[i]
		if s.topic.name == t.name && s.on.covers(on) && (best == nil || s.on.rank() > best.on.rank()) {
			best = s
		}
	}
	return best
}

// repinned returns the sections of a topic for its texts on each machine: as few as the differences between machines
// allow.
func repinned(t topic, on []machine, texts []string) []txtar.File {
	same := func(which func(m machine) bool) (text string, all bool) {
		first := -1
		for i, m := range on {
			switch {
			case !which(m):
			case first < 0:
				first = i
			case texts[i] != texts[first]:
				return "", false
			}
		}
		return texts[first], true
	}
	var files []txtar.File
	named := make(map[string]bool)
	for _, m := range on {
		for _, part := range []machine{{}, {gpu: m.gpu}, {gpu: m.gpu, model: m.model}, m} {
			text, all := same(part.covers)
			if !all {
				continue
			}
			if name := strings.TrimSpace(t.name + " " + part.String()); !named[name] {
				named[name] = true
				files = append(files, txtar.File{Name: name, Data: []byte(text)})
			}
			break
		}
	}
	return files
}

// errMarker is the error for a text with a line that would be read as the start of a section.
var errMarker = errors.New("it has a line that begins with \"-- \" and ends with \" --\", which a golden file cannot hold")

// pinnable returns a text in the form for a section, which has whole lines.
func pinnable(text string) (string, error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n\\ no newline at the end\n"
	}
	if len(txtar.Parse([]byte(text)).Files) > 0 {
		return "", errMarker
	}
	return text, nil
}
