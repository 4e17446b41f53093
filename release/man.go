// Command release writes manual pages and documentation: go run ./release COMMAND FOLDER DATE REVISION runs the command
// simtrun at the path COMMAND, and writes into FOLDER/man a page of section 1 for it and for each of its commands, and
// a page of section 7 for each page of simtrun help, from what the command itself prints. It copies the pages of the
// checkout in the current folder into FOLDER/doc, with the licences of others, and writes the text of the release to
// FOLDER/notes.md. DATE is that of the release, such as 2026-11-30, and REVISION is its tag.
// go run ./release licenses FOLDER writes only these licences.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "licenses" {
		if err := writeLicenses(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) != 5 {
		log.Fatal("usage: go run ./release COMMAND FOLDER DATE REVISION, or go run ./release licenses FOLDER")
	}
	folder := os.Args[2]
	pages, err := manual(command(os.Args[1]), os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	if err := writeManual(pages, filepath.Join(folder, "man")); err != nil {
		log.Fatal(err)
	}
	if err := copyDocumentation(".", filepath.Join(folder, "doc"), os.Args[4]); err != nil {
		log.Fatal(err)
	}
	if err := writeLicenses(filepath.Join(folder, "doc")); err != nil {
		log.Fatal(err)
	}
	text, err := notes(".", os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	if err := write(filepath.Join(folder, "notes.md"), []byte(text)); err != nil {
		log.Fatal(err)
	}
}

// writeManual writes pages into folders for their sections, man1 and man7, where man looks for them.
func writeManual(pages map[string]string, folder string) error {
	for name, text := range pages {
		section := "man" + strings.TrimPrefix(filepath.Ext(name), ".")
		if err := write(filepath.Join(folder, section, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file, and makes its folder.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// command returns a function that runs the command at a path and returns its output.
func command(path string) func(args ...string) (string, error) {
	return func(args ...string) (string, error) {
		out, err := exec.Command(path, args...).Output()
		if err != nil {
			err = fmt.Errorf("%s %s: %w", path, strings.Join(args, " "), err)
		}
		return string(out), err
	}
}

// manual returns the pages by file name, such as simtrun-run.1. simtrun runs the command with arguments and returns its
// output.
func manual(simtrun func(args ...string) (string, error), date string) (map[string]string, error) {
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
	top := parse(text)
	commands, topics := top.list("Commands"), top.topics()
	pages := make(map[string]string)
	add := func(name string, section int, summary string, h help, see []item) {
		p := page{name: name, section: section, date: date, source: strings.Join(words[:2], " "), summary: summary, see: see}
		pages[fmt.Sprintf("%s.%d", name, section)] = p.format(h)
	}
	for _, c := range commands {
		text, err := simtrun(c.name, "--help")
		if err != nil {
			return nil, err
		}
		add("simtrun-"+c.name, 1, c.text, parse(text), append([]item{{"simtrun", "1"}}, mentioned(text, topics)...))
	}
	for _, t := range topics {
		text, err := simtrun("help", t.name)
		if err != nil {
			return nil, err
		}
		add("simtrun-"+t.name, 7, t.text, help{intro: text}, []item{{"simtrun", "1"}})
	}
	first, _, _ := strings.Cut(top.intro, "\n")
	var see []item
	for _, c := range commands {
		see = append(see, item{"simtrun-" + c.name, "1"})
	}
	for _, t := range topics {
		see = append(see, item{"simtrun-" + t.name, "7"})
	}
	add("simtrun", 1, first, top, see)
	return pages, nil
}

// mentioned returns the pages of section 7 that concern a command: exit statuses, environment variables, and those that
// its help names.
func mentioned(text string, topics []item) (see []item) {
	for _, t := range topics {
		every := t.text == "Exit statuses" || t.text == "Environment variables"
		if every || strings.Contains(text, "simtrun help "+t.name) {
			see = append(see, item{"simtrun-" + t.name, "7"})
		}
	}
	return see
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

// commandColumns matches a line about a command or a page of help, a word and what it is.
var commandColumns = regexp.MustCompile(`^ {2}(\w\S*) +(\S.*)$`)

// list returns the items of the section with a title, one per line.
func (h help) list(title string) []item {
	var items []item
	for _, s := range h.sections {
		if s.title != title {
			continue
		}
		for line := range strings.Lines(s.body) {
			if m := commandColumns.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
				items = append(items, item{m[1], m[2]})
			}
		}
	}
	return items
}

// topics returns the pages of simtrun help without placeholders, such as OPCODE.
func (h help) topics() []item {
	return slices.DeleteFunc(h.list(topicsTitle), func(i item) bool { return i.name == strings.ToUpper(i.name) })
}

const topicsTitle = "Pages of 'simtrun help'"

// page is a manual page without its text.
type page struct {
	name, summary string
	section       int
	date, source  string
	see           []item // names and sections of other pages
}

// format returns the page in the macros of man(7).
func (p *page) format(h help) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %d %s \"%s\" \"simtrun manual\"\n", strings.ToUpper(p.name), p.section, p.date, p.source)
	b.WriteString(".nh\n.ad l\n") // names that are broken at hyphens cannot be copied
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", p.name, escape(strings.TrimSuffix(strings.TrimSpace(p.summary), ".")))
	for _, s := range h.sections {
		if s.title == "Usage" {
			b.WriteString(".SH SYNOPSIS\n" + text(s.body))
		}
	}
	if p.section == 7 || strings.TrimSpace(h.intro) != strings.TrimSpace(p.summary) {
		b.WriteString(".SH DESCRIPTION\n" + text(h.intro))
	}
	options := false
	for _, s := range h.sections {
		switch {
		case s.title == "Usage":
		case s.title == "Commands" || s.title == topicsTitle:
			b.WriteString(map[bool]string{true: ".SH COMMANDS\n", false: ".SH HELP PAGES\n"}[s.title == "Commands"])
			for _, i := range h.list(s.title) {
				b.WriteString(tagged(i))
			}
		case isFlags(s.body):
			if !options {
				b.WriteString(".SH OPTIONS\n")
			}
			if options = true; s.title != "Flags" {
				fmt.Fprintf(&b, ".SS %s\n", escape(s.title))
			}
			b.WriteString(text(s.body))
		default:
			fmt.Fprintf(&b, ".SH %s\n%s", escape(strings.ToUpper(s.title)), text(s.body))
		}
	}
	var see []string
	for _, i := range p.see {
		see = append(see, fmt.Sprintf("\\fB%s\\fR(%s)", escape(i.name), i.text))
	}
	b.WriteString(".SH SEE ALSO\n" + strings.Join(see, ",\n") + "\n")
	return b.String()
}
