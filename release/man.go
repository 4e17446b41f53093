// Command release writes manual pages: go run ./release COMMAND FOLDER runs the command simtrun at the path COMMAND,
// and writes into FOLDER a page of section 1 for it and for each of its commands, and a page of section 7 for each page
// of simtrun help, from what the command itself prints.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run ./release COMMAND FOLDER")
	}
	pages, err := manual(func(args ...string) (string, error) {
		out, err := exec.Command(os.Args[1], args...).Output()
		if err != nil {
			err = fmt.Errorf("%s %s: %w", os.Args[1], strings.Join(args, " "), err)
		}
		return string(out), err
	})
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(os.Args[2], name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// manual returns the pages by file name. simtrun runs the command with arguments and returns its output.
func manual(simtrun func(args ...string) (string, error)) (map[string]string, error) {
	text, err := simtrun("--help")
	if err != nil {
		return nil, err
	}
	version, err := simtrun("version")
	if err != nil {
		return nil, err
	}
	words := strings.Fields(version) // simtrun 0.1.0 …
	if len(words) < 2 {
		return nil, fmt.Errorf("version prints %q", version)
	}
	source := strings.Join(words[:2], " ")
	top := parse(text)
	pages := make(map[string]string)
	for _, c := range top.list("Commands") {
		text, err := simtrun(c.name, "--help")
		if err != nil {
			return nil, err
		}
		pages["simtrun-"+c.name+".1"] = parse(text).page("simtrun-"+c.name, 1, source, c.text, []item{{name: "simtrun"}})
	}
	for _, p := range top.list("Pages of 'simtrun help'") {
		if p.name == strings.ToUpper(p.name) {
			continue // a placeholder, such as OPCODE
		}
		text, err := simtrun("help", p.name)
		if err != nil {
			return nil, err
		}
		page := help{intro: text}
		pages["simtrun-"+p.name+".7"] = page.page("simtrun-"+p.name, 7, source, p.text, []item{{name: "simtrun"}})
	}
	first, _, _ := strings.Cut(top.intro, "\n")
	pages["simtrun.1"] = top.page("simtrun", 1, source, first, top.list("Commands"))
	return pages, nil
}

// help is what --help prints: text, and then sections, of which the first is Usage. Each has its title on a line.
type help struct {
	intro    string
	sections []section
}

type section struct {
	title, body string
}

// item is a line of a section: a command, a page or a flag, and what it is.
type item struct {
	name, text string
}

var title = regexp.MustCompile(`^([A-Z][^:]*):$`)

func parse(text string) help {
	var h help
	for line := range strings.Lines(text) {
		m := title.FindStringSubmatch(strings.TrimSpace(line))
		switch {
		case m != nil && !strings.HasPrefix(line, " ") && (m[1] == "Usage" || len(h.sections) > 0):
			h.sections = append(h.sections, section{title: m[1]})
		case len(h.sections) == 0:
			h.intro += line
		default:
			h.sections[len(h.sections)-1].body += line
		}
	}
	return h
}

// A flag may have blanks in it; a command is one word.
var (
	flagColumns    = regexp.MustCompile(`^(-.*?\S)(?: {2,}(.*))?$`)
	commandColumns = regexp.MustCompile(`^(\w\S*)(?: +(.*))?$`)
)

// list returns the items of the section with a title, one a line.
func (h help) list(title string) []item {
	var items []item
	for _, s := range h.sections {
		if s.title != title {
			continue
		}
		for line := range strings.Lines(s.body) {
			line = strings.TrimSpace(line)
			m := commandColumns.FindStringSubmatch(line)
			if m == nil {
				m = flagColumns.FindStringSubmatch(line)
			}
			if m != nil {
				items = append(items, item{m[1], m[2]})
			}
		}
	}
	return items
}

// page returns a manual page in the macros of man(7).
func (h help) page(name string, number int, source, summary string, see []item) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %d \"\" \"%s\" \"simtrun manual\"\n", strings.ToUpper(name), number, source)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", name, escape(strings.TrimSuffix(strings.TrimSpace(summary), ".")))
	for _, s := range h.sections {
		if s.title == "Usage" {
			b.WriteString(".SH SYNOPSIS\n" + verbatim(s.body))
		}
	}
	if number == 7 || strings.TrimSpace(h.intro) != strings.TrimSpace(summary) {
		b.WriteString(".SH DESCRIPTION\n" + verbatim(h.intro))
	}
	for _, s := range h.sections {
		switch {
		case s.title == "Usage":
		case strings.Contains(s.title, "lags") || s.title == "Commands":
			fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(s.title))
			for _, i := range h.list(s.title) {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escape(i.name), escape(i.text))
			}
		default:
			fmt.Fprintf(&b, ".SH %s\n%s", strings.ToUpper(s.title), verbatim(s.body))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for n, i := range see {
		if n > 0 {
			b.WriteString(",\n")
		}
		page := i.name
		if page != "simtrun" {
			page = "simtrun-" + page
		}
		fmt.Fprintf(&b, "\\fB%s\\fR(1)", escape(page))
	}
	b.WriteString("\n")
	return b.String()
}

// verbatim returns text whose lines stay as they are.
func verbatim(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		b.WriteString(escape(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String() + ".fi\n"
}

// escape returns text without meaning for roff: backslashes, hyphens that one may want to copy, and a first dot or
// apostrophe, which would begin a request.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
