// Package docs_test checks the pages of the repository: index, links, headings, names of files and lengths of lines.
package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxLine is the number of characters that a line of a page may have, outside of tables and code, unless it is a
// single link.
const maxLine = 120

// TestEveryPageIsInIndex: README.md of this folder has a link to every other page here, on one line.
func TestEveryPageIsInIndex(t *testing.T) {
	index := readPage(t, "README.md")
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !strings.Contains(index, "]("+page+"): ") {
			t.Errorf("docs/README.md has no line for %s", page)
		}
	}
}

// TestIndexNamesPagesByTitle: the index names each page of this folder as the heading of the page does.
func TestIndexNamesPagesByTitle(t *testing.T) {
	for _, m := range regexp.MustCompile(`(?m)^- \[([^\]]+)\]\(([a-z-]+\.md)\): `).FindAllStringSubmatch(readPage(t, "README.md"), -1) {
		if title := proseTitle(readPage(t, m[2])); title != m[1] {
			t.Errorf("docs/README.md calls %s %q, and its heading is %q", m[2], m[1], title)
		}
	}
}

// TestLinksNamePagesByTitle: the text of a link to a page is not the name of its file, which says nothing to readers of
// the site.
func TestLinksNamePagesByTitle(t *testing.T) {
	link := regexp.MustCompile(`\[[\w./-]+\.md\]\(`)
	for _, page := range allPages(t) {
		if dir := path.Dir(page); dir != "../docs" && dir != "../programs" && page != "../README.md" {
			continue
		}
		for _, l := range proseLines(readPage(t, page)) {
			if broken := regexp.MustCompile(`^[^\[]*\]\(`).FindString(l.text); broken != "" {
				t.Errorf("%s:%d: a link has its text on the line before, where simtrun explain and SARIF do not find it", page, l.number)
			}
			if text := link.FindString(l.text); text != "" {
				t.Errorf("%s:%d: a link has the name of a file as its text: %s", page, l.number, text)
			}
		}
	}
}

// TestLinksOfPagesLeadSomewhere: each link of a page to a file of the repository, or to a heading, leads somewhere.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range allPages(t) {
		for _, l := range proseLines(readPage(t, page)) {
			for _, m := range link.FindAllStringSubmatch(l.text, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, heading, _ := strings.Cut(m[1], "#")
				target := page
				if file != "" {
					target = path.Join(path.Dir(page), file)
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s:%d: no file %s", page, l.number, m[1])
				} else if heading != "" && !headings(readPage(t, target))[heading] {
					t.Errorf("%s:%d: %s has no heading %s", page, l.number, target, heading)
				}
			}
		}
	}
}

// TestFilesNamedInPagesExist: a path of the repository in a span of code, such as `internal/gpu/presets`, exists, or
// with * matches a file. NAME stands for any name; cuda/lib is built.
func TestFilesNamedInPagesExist(t *testing.T) {
	span := regexp.MustCompile("`((?:\\.ci|asm|bench|cmd|cuda|divergence|docs|internal|interp|memory|programs|warp)/[\\w.*/-]+)`")
	for _, page := range allPages(t) {
		for _, l := range proseLines(readPage(t, page)) {
			for _, m := range span.FindAllStringSubmatch(l.text, -1) {
				if strings.HasPrefix(m[1], "cuda/lib") && !strings.HasPrefix(m[1], "cuda/libs") {
					continue
				}
				if found, err := filepath.Glob("../" + strings.ReplaceAll(m[1], "NAME", "*")); err != nil || len(found) == 0 {
					t.Errorf("%s:%d: no file %s", page, l.number, m[1])
				}
			}
		}
	}
}

// TestLinesOfPages: pages are read as text, too, in windows of a usual width.
func TestLinesOfPages(t *testing.T) {
	for _, page := range allPages(t) {
		for _, l := range proseLines(readPage(t, page)) {
			single := !strings.Contains(strings.TrimSpace(l.text), " ")
			if n := utf8.RuneCountInString(l.text); n > maxLine && !strings.HasPrefix(l.text, "|") && !single {
				t.Errorf("%s:%d: %d characters, at most %d are allowed", page, l.number, n, maxLine)
			}
		}
	}
}

// TestJobsOfCIAreComplete: a job in ci.md installs the simtrun that it runs, or runs in its image, and one that uploads
// SARIF may also read the repository and its workflows, which private repositories need.
func TestJobsOfCIAreComplete(t *testing.T) {
	jobs := 0
	for _, block := range regexp.MustCompile(`(?m)(^    .*\n|^\n)+`).FindAllString(readPage(t, "ci.md"), -1) {
		if !strings.Contains(block, "runs-on:") && !strings.Contains(block, "script:") {
			continue
		}
		jobs++
		if !strings.Contains(block, "uses: simtrun/simtrun@v") && !strings.Contains(block, `image: { name: "ghcr.io/simtrun/simtrun:`) {
			t.Errorf("a job does not install a release of simtrun:\n%s", block)
		}
		if strings.Contains(block, "upload-sarif") && !strings.Contains(block, "permissions: { contents: read, actions: read, security-events: write }") {
			t.Errorf("a job lacks permissions:\n%s", block)
		}
	}
	for _, condition := range regexp.MustCompile(`(?m)^ +if: always\(\).*`).FindAllString(readPage(t, "ci.md"), -1) {
		// Without another condition the step also runs, and fails, if nothing has been written.
		if !strings.HasSuffix(condition, "steps.simtrun.outputs.exit-status != ''") && !strings.HasSuffix(condition, "steps.simtrun.outputs.sarif-folder != ''") && !strings.HasSuffix(condition, ".sarif') != ''") {
			t.Errorf("a step of ci.md uploads a file that may be missing: %s", condition)
		}
	}
	if jobs != 4 {
		t.Errorf("%d jobs, want 4", jobs)
	}
}

// allPages are the Markdown files of the repository, as paths from this folder.
func allPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == "../.git" || name == "../cuda/lib" || e.Name() == "node_modules"):
			return fs.SkipDir
		case filepath.Ext(name) == ".md":
			pages = append(pages, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return pages
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// proseTitle is the first heading of a page.
func proseTitle(page string) string {
	for _, l := range proseLines(page) {
		if title, ok := strings.CutPrefix(l.text, "# "); ok {
			return title
		}
	}
	return ""
}

type line struct {
	number int // from 1
	text   string
}

// proseLines are the lines of a page outside of blocks of code.
func proseLines(page string) []line {
	var lines []line
	fenced := false
	for n, text := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(text, "```"):
			fenced = !fenced
		case !fenced && !strings.HasPrefix(text, "    ") && !strings.HasPrefix(text, "\t") && !strings.HasPrefix(text, "<!--"):
			lines = append(lines, line{n + 1, text})
		}
	}
	return lines
}

// headings are the anchors of the headings of a page.
func headings(page string) map[string]bool {
	anchors := map[string]bool{}
	for _, l := range proseLines(page) {
		if _, text, ok := strings.Cut(l.text, "# "); ok && strings.Trim(l.text[:len(l.text)-len(text)], "# ") == "" {
			anchors[anchor(text)] = true
		}
	}
	return anchors
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)

// anchor is the anchor that GitHub gives a heading: lower case, hyphens for spaces, no punctuation.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
