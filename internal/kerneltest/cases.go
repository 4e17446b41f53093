package kerneltest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/isa"
)

// Case is a test case of a text file: a program, with what is expected of it.
type Case struct {
	Name string
	Head []Line
	Body string
}

// Line is a line of a case's head: a key and the rest of the line.
type Line struct{ Key, Value string }

// Cases reads a txtar archive of cases, each a file with the name of the case. It begins with a head: lines with a key
// and a value, and comments with #. After an empty line comes the body, the program, which ends with one newline.
//
// The text in front of the first case says what the cases are. Lines there of the form $name = text define words that
// bodies contain, and so do files with a name of this form; $entry and $store are Entry and StoreR1. The test fails if
// a key is not among keys, or if a file has two cases of a name.
func Cases(t testing.TB, file string, keys ...string) []Case {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := casesOf(archive, keys)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// Source returns the program of a case without a head, in which each word of replace, an even one, stands for the text
// after it. The test fails if the program lacks a word.
func Source(t testing.TB, file, name string, replace ...string) string {
	t.Helper()
	all := Cases(t, file)
	i := slices.IndexFunc(all, func(c Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("%s: no case %q", file, name)
	}
	body := all[i].Body
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(body, replace[i]) {
			t.Fatalf("%s: %s has no %s", file, name, replace[i])
		}
	}
	return strings.NewReplacer(replace...).Replace(body)
}

// casesOf returns the cases of an archive.
func casesOf(archive *txtar.Archive, keys []string) (all []Case, err error) {
	words := wordsIn(archive)
	for _, f := range archive.Files {
		if f.Name[0] == '$' {
			continue
		}
		if slices.ContainsFunc(all, func(other Case) bool { return other.Name == f.Name }) {
			return nil, fmt.Errorf("two cases of the name %q", f.Name)
		}
		c := Case{Name: f.Name}
		head, body, _ := strings.Cut("\n"+string(f.Data), "\n\n")
		for line := range strings.SplitSeq(head, "\n") {
			key, value, _ := strings.Cut(line, " ")
			switch {
			case key == "", key == "#":
			case slices.Contains(keys, key):
				c.Head = append(c.Head, Line{key, value})
			default:
				return nil, fmt.Errorf("%s: no key %q; there are %s", c.Name, key, strings.Join(keys, " "))
			}
		}
		if c.Body = strings.TrimRight(words.Replace(body), "\n") + "\n"; c.Body == "\n" {
			return nil, fmt.Errorf("%s: no program after an empty line", c.Name)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("no cases")
	}
	return all, nil
}

// wordsIn returns what replaces the words that an archive defines. A word can contain those before it.
func wordsIn(archive *txtar.Archive) *strings.Replacer {
	defined := []string{"$store", strings.TrimSpace(StoreR1), "$entry", strings.TrimSpace(Entry)}
	words := strings.NewReplacer(defined...)
	define := func(name, text string) {
		defined = slices.Insert(defined, 0, name, words.Replace(strings.TrimRight(text, "\n")))
		words = strings.NewReplacer(defined...)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if name, text, ok := strings.Cut(line, " = "); ok && name[0] == '$' {
			define(name, text)
		}
	}
	for _, f := range archive.Files {
		if f.Name[0] == '$' {
			define(f.Name, string(f.Data))
		}
	}
	return words
}

// Values returns the values of the lines with a key.
func (c *Case) Values(key string) (all []string) {
	for _, l := range c.Head {
		if l.Key == key {
			all = append(all, l.Value)
		}
	}
	return all
}

// Has reports whether a case has a line with a key.
func (c *Case) Has(key string) bool { return len(c.Values(key)) > 0 }

// Value returns the value of the only line with a key, or "".
func (c *Case) Value(t testing.TB, key string) string {
	t.Helper()
	switch all := c.Values(key); len(all) {
	case 0:
		return ""
	case 1:
		return all[0]
	}
	t.Errorf("%s: several lines %s", c.Name, key)
	return ""
}

// OneLine returns code on one line, without its comments: what stands in front of the bodies of cases, so that the
// lines of instructions are those of the body.
func OneLine(text string) string {
	var code []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			code = append(code, line)
		}
	}
	return strings.Join(code, " ")
}

// Dim returns the extent in the line with a key, as 64 or 32x8; 1 if there is none.
func (c *Case) Dim(t testing.TB, key string) isa.Dim {
	t.Helper()
	d := [3]uint32{1, 1, 1}
	if text := c.Value(t, key); text != "" {
		for i, part := range strings.SplitN(text, "x", len(d)) {
			n, err := strconv.ParseUint(part, 10, 32)
			if err != nil {
				t.Fatalf("%s: %s %s: %v", c.Name, key, text, err)
			}
			d[i] = uint32(n)
		}
	}
	return isa.Dim{X: d[0], Y: d[1], Z: d[2]}
}
