package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/launch"
)

const (
	stdinPath = "-"       // standard input on the command line
	stdinName = "<stdin>" // standard input in messages
)

// source is one file of assembly.
type source struct {
	name   string // in messages
	folder string // whose files its header may read
	text   []byte
}

// readSources reads the files of a command line; - is in.
func readSources(paths []string, in io.Reader) ([]source, error) {
	var all []source
	for _, path := range paths {
		one, err := readSource(path, in)
		if err != nil {
			return nil, err
		}
		if path == stdinPath && slices.ContainsFunc(all, func(s source) bool { return s.name == stdinName }) {
			return nil, &usageError{msg: "standard input can be read once"}
		}
		all = append(all, one)
	}
	return all, nil
}

func readSource(path string, in io.Reader) (source, error) {
	if path == stdinPath {
		text, err := io.ReadAll(in)
		return source{stdinName, ".", text}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, &usageError{msg: err.Error() + otherExtension(path)}
	}
	return source{path, filepath.Dir(path), text}, nil
}

// otherExtension suggests, as the end of a message, a source that is there where
// path is not; "" if there is none.
func otherExtension(path string) string {
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	for _, ext := range []string{".ptx", ".s"} {
		other := strings.TrimSuffix(path, filepath.Ext(path)) + ext
		if _, err := os.Stat(other); err == nil {
			return "; did you mean " + other + "?"
		}
	}
	return ""
}

// placedError is an error at places in sources, which it shows.
type placedError struct {
	err     error
	sources []source
}

func (e *placedError) Error() string { return e.err.Error() }
func (e *placedError) Unwrap() error { return e.err }

// placed gives an error at places in files the sources to show.
func placed(err error, sources []source) error {
	if err == nil || !hasPlace(err) || is[foreignError](err) {
		return err
	}
	return &placedError{err, sources}
}

// write writes an error with the lines it is about.
func (e *placedError) write(w io.Writer) {
	if list, ok := errors.AsType[asm.Errors](e.err); ok {
		for _, one := range list.List {
			writeNote(w, one.Pos, one.Msg, e.sources)
		}
		if more := list.MoreText(); more != "" {
			fmt.Fprintln(w, more)
		}
		return
	}
	if one, ok := errors.AsType[*isa.Error](e.err); ok {
		writeNote(w, one.Pos, one.Msg, e.sources)
		return
	}
	if one, ok := errors.AsType[*launch.Error](e.err); ok {
		writeNote(w, one.At.Pos, one.Msg, e.sources)
		return
	}
	fmt.Fprintln(w, e.err)
}

// writeNote writes what is to be said about a place, and shows the place.
func writeNote(w io.Writer, pos isa.Pos, text string, sources []source) {
	fmt.Fprintf(w, "%s: %s\n", pos, text)
	for i := range sources {
		if sources[i].name == pos.File {
			io.WriteString(w, excerpt(sources[i].text, pos))
			return
		}
	}
}

const (
	mostExcerpt   = 100 // columns of a line that are shown
	excerptBefore = 60  // of them before the place, at most
)

// excerpt is the line of a place with a caret below; "" if there is none.
func excerpt(text []byte, pos isa.Pos) string {
	line, ok := lineText(text, int(pos.Line))
	at := int(pos.Col) - 1
	if !ok || at < 0 || at > len(line) || strings.TrimSpace(line) == "" {
		return ""
	}
	before, after := visible(line[:at]), visible(line[at:])
	if cut := utf8.RuneCountInString(before) - excerptBefore; cut > 0 {
		before = "…" + string([]rune(before)[cut:])
	}
	if room := mostExcerpt - utf8.RuneCountInString(before); utf8.RuneCountInString(after) > room {
		after = string([]rune(after)[:room]) + "…"
	}
	gutter := fmt.Sprintf("%5d", pos.Line)
	return fmt.Sprintf("%s | %s%s\n%*s | %s%s\n", gutter, before, after, len(gutter), "",
		strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", max(1, tokenLength(after))))
}

// lineText is line n of a text, from 1, without its end and a byte order mark.
func lineText(text []byte, n int) (string, bool) {
	rest := strings.TrimPrefix(string(text), "\ufeff")
	for ; n > 1; n-- {
		i := strings.IndexByte(rest, '\n')
		if i < 0 {
			return "", false
		}
		rest = rest[i+1:]
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(line, "\r"), n == 1
}

// visible is a part of a line as a terminal may have it: a blank for a tab, and
// nothing that would control it. One character stays one.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '·'
		}
		return r
	}, text)
}

// tokenLength is how many characters the name or number has that text begins
// with.
func tokenLength(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$%.", r) {
			break
		}
		n++
	}
	return n
}

// programText is the program of a command line, and what there is to say of it.
type programText struct {
	mod      *isa.Module
	sources  []source
	headers  []*launch.Layer
	warnings []*isa.Error
}

// loadProgram reads, assembles and links sources and reads their headers.
func loadProgram(paths []string, in io.Reader) (*programText, error) {
	sources, err := readSources(paths, in)
	if err != nil {
		return nil, err
	}
	p := &programText{sources: sources}
	if p.mod, err = assemble(sources); err != nil {
		return nil, placed(err, sources)
	}
	p.warnings = asm.Warnings(p.mod)
	for _, s := range sources {
		header, err := launch.ParseHeader(s.name, s.folder, s.text)
		if err != nil {
			return nil, &codedError{exitProgram, placed(err, sources)}
		}
		for _, w := range header.Warnings {
			p.warnings = append(p.warnings, isa.Errorf(w.At.Pos, "%s", w.Msg))
		}
		p.headers = append(p.headers, header)
	}
	return p, nil
}

// warn writes what is not wrong with a program, and probably not meant.
func (p *programText) warn(w io.Writer, paint paint) {
	for _, one := range p.warnings {
		writeNote(w, one.Pos, paint.caution("warning:")+" "+one.Msg, p.sources)
	}
}

// lines are the lines of the sources, by file.
func (p *programText) lines() map[string][]string {
	all := make(map[string][]string)
	for _, s := range p.sources {
		all[s.name] = strings.Split(string(s.text), "\n")
	}
	return all
}
