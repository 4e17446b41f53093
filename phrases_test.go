package simtrun_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// replacedPhrases are phrases of pages that others replace, so that one thing has one name and one way to be written.
var replacedPhrases = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bcalls? of the driver\b`), "driver call"},
	{regexp.MustCompile(`(?i)\bproducts? of (matrices|warpgroups)\b`), "matrix product, warpgroup product"},
	{regexp.MustCompile(`(?i)\bcopies of tensors\b`), "tensor copies"},
	{regexp.MustCompile(`(?i)\boptions of nvcc([^'\w]|$)`), "nvcc's options"},
	{regexp.MustCompile(`(?i)\bnames of metrics\b`), "metric names"},
	{regexp.MustCompile(`(?i)\bfiles of GPUs\b`), "GPU files"},
	{regexp.MustCompile(`(?i)\bPTX of clang\b`), "clang's PTX"},
	{regexp.MustCompile(`(?i)\bfunctions? of libdevice\b`), "libdevice function"},
	{regexp.MustCompile(`(?i)\bprograms? of the host\b`), "host program"},
	{regexp.MustCompile(`(?i)\btime lines?\b`), "timeline"},
	{regexp.MustCompile(`(?i)\bpost-dominat`), "postdominator"},
	{regexp.MustCompile(`(?i)\breconvergence points?\b`), "reconvergence PC"},
	{regexp.MustCompile(`(?i)\bdirector(y|ies)\b`), "folder"},
	{regexp.MustCompile(`\d us\b`), "µs"},
	{regexp.MustCompile(`\bKB\b`), "KiB for 1024 bytes, kB for 1000"},
}

// phrasesKept are phrases that stay on a page, by the first words of their rows above: pages that follow the help of
// the command, PTX's opcodes and the rules.
var phrasesKept = map[string][]string{
	"docs/ci.md":    {"driver call"},
	"docs/cli.md":   {"nvcc's options", "folder"},
	"docs/isa.md":   {"tensor copies"},
	"docs/rules.md": {"driver call"},
}

var (
	codeOrTarget = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|https?:\\S+")

	// tooLong is a number of five digits or more in one piece, and tooShort one of four digits in two. Between letters,
	// signs and points they belong to names and versions.
	tooLong  = regexp.MustCompile(`(?:^|[^\w.,/%-])(\d{5,})(?:\W|$)`)
	tooShort = regexp.MustCompile(`(?:^|[^\d,.])(\d,\d{3})(?:[^\d,]|,\D|$)`)
)

// TestPagesUseOneNameForOneThing checks the text of pages, outside of code, for replacedPhrases.
func TestPagesUseOneNameForOneThing(t *testing.T) {
	eachPage(t, func(page string, number int, text string) {
		for _, r := range replacedPhrases {
			if found := r.phrase.FindString(text); found != "" && !slices.Contains(phrasesKept[page], r.instead) {
				t.Errorf("%s:%d: %q: write %s", page, number, found, r.instead)
			}
		}
	})
}

// TestPresetsAndExplorerUseWordsOfPages checks files that users see in other ways than as pages: the presets, which
// simtrun gpu shows, and the texts of the explorer.
func TestPresetsAndExplorerUseWordsOfPages(t *testing.T) {
	held := []string{"timeline", "reconvergence PC", "KiB for 1024 bytes, kB for 1000"}
	files := 0
	for _, pattern := range []string{"internal/gpu/presets/*.toml", "web/src/*.js", "web/src/*.html"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for i, line := range strings.Split(string(text), "\n") {
				for _, r := range replacedPhrases {
					if phrase := r.phrase.FindString(line); phrase != "" && slices.Contains(held, r.instead) {
						t.Errorf("%s:%d: %q: write %s", path, i+1, phrase, r.instead)
					}
				}
			}
		}
	}
	if files < 20 {
		t.Errorf("%d files", files)
	}
}

// ungrouped are the pages with long numbers in one piece: limits as they are written in PTX.
var ungrouped = []string{"docs/isa.md", "docs/rules.md"}

// TestDigitsOfPagesAreGrouped: in the text of pages, outside of tables and code, numbers of five digits or more are
// grouped by commas, and numbers of four digits are not.
func TestDigitsOfPagesAreGrouped(t *testing.T) {
	eachPage(t, func(page string, number int, text string) {
		if found := tooLong.FindStringSubmatch(text); found != nil && text[0] != '|' && !slices.Contains(ungrouped, page) {
			t.Errorf("%s:%d: %s: group the digits by commas", page, number, found[1])
		}
		if found := tooShort.FindStringSubmatch(text); found != nil {
			t.Errorf("%s:%d: %s: write four digits without a comma", page, number, found[1])
		}
	})
}

// eachPage calls check for each line of each page outside of blocks of code, without code and the targets of links.
func eachPage(t *testing.T, check func(page string, number int, text string)) {
	t.Helper()
	pages := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == ".git" || e.Name() == "node_modules"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pages++
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if !fenced && !strings.HasPrefix(line, "    ") {
				check(filepath.ToSlash(path), i+1, codeOrTarget.ReplaceAllString(line, "``"))
			}
		}
		return nil
	})
	if err != nil || pages == 0 {
		t.Fatalf("%d pages: %v", pages, err)
	}
}
