package simtrun_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replacedWords are words of the last column of the table in CONTRIBUTING.md that had another meaning here than the
// usual one, and so were replaced everywhere.
var replacedWords = []string{"crew", "home", "meeting", "quad", "strip", "told"}

// wordsKept are the uses of such words that stay, by folder: meetings in the messages of the explorer, which
// docs/view.schema.json has, and the strips of its timeline, which are drawn; quads of lanes in products of matrices,
// of pixels in fetches from textures, and curves of fonts; a key, and a user's folder.
var wordsKept = map[string][]string{
	"cmd/simtrun":          {"meeting", "strip"},
	"cuda":                 {"home"},
	"internal/conformance": {"quad"},
	"internal/isa":         {"quad"},
	"internal/lanes":       {"quad"},
	"internal/lanes/jit":   {"quad"},
	"internal/plot":        {"quad"},
	"internal/sm":          {"quad"},
	"internal/tui":         {"home"},
	"internal/view":        {"meeting", "strip"},
}

// TestReplacedWordsStayAway checks names and comments in Go for words that CONTRIBUTING.md replaces.
func TestReplacedWordsStayAway(t *testing.T) {
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range replacedWords {
		if !regexp.MustCompile(`(?m)^\|.*\|[^|]*\b` + word + `\b[^|]*\|$`).Match(page) {
			t.Errorf("CONTRIBUTING.md has no row with the word %s in the last column", word)
		}
	}
	eachGoFile(t, func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		var s scanner.Scanner
		s.Init(files.AddFile(path, -1, len(text)), text, nil, scanner.ScanComments)
		for pos, tok, literal := s.Scan(); tok != token.EOF; pos, tok, literal = s.Scan() {
			if tok != token.IDENT && tok != token.COMMENT {
				continue
			}
			for _, word := range replacedIn(literal) {
				if path != "words_test.go" && !slices.Contains(wordsKept[filepath.ToSlash(filepath.Dir(path))], word) {
					t.Errorf("%s: %s: the table in CONTRIBUTING.md has another word", files.Position(pos), word)
				}
			}
		}
	})
}

// TestExitStatusHasOneName checks Go files and pages for the phrase that CONTRIBUTING.md replaces by exit status, but
// for messages of clang and the table itself.
func TestExitStatusHasOneName(t *testing.T) {
	phrase := regexp.MustCompile(`(?i)\bexit code.*`)
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range phrase.FindAllString(string(text), -1) {
			if path != "words_test.go" && !strings.HasPrefix(found, "exit code 139") && found != "exit code |" {
				t.Errorf("%s: %q: the table in CONTRIBUTING.md has another word", path, found)
			}
		}
	}
	eachGoFile(t, look)
	for _, folder := range []string{"*.md", "docs/*.md", "cuda/*.md", "programs/*.md", "editors/*/*.md"} {
		pages, err := filepath.Glob(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			look(page)
		}
	}
}

var partOfName = regexp.MustCompile(`[A-Z]?[a-z]+`)

// replacedIn returns the words of replacedWords, in singular, that a name or a comment has.
func replacedIn(text string) (found []string) {
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(replacedWords, func(word string) bool { return strings.Contains(lower, word) }) {
		return nil
	}
	for _, part := range partOfName.FindAllString(text, -1) {
		if word := strings.TrimSuffix(strings.ToLower(part), "s"); slices.Contains(replacedWords, word) {
			found = append(found, word)
		}
	}
	return found
}

func TestReplacedWordsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"regStrip":                  1,
		"strips":                    1,
		"newCrew":                   1,
		"Meetings":                  1,
		"// lanes are told, or met": 1,
		"stripped":                  0,
		"subvector":                 0,
		"screw":                     0,
	} {
		if found := replacedIn(text); len(found) != want {
			t.Errorf("%s: %v, want %d words", text, found, want)
		}
	}
}
