package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// shipped are the files of the repository that archives and packages contain, as patterns of git ls-files: README.md,
// the pages to which it leads, and their examples.
var shipped = []string{
	"README.md", "CHANGELOG.md", "cuda/CHANGELOG.md", "docs", "programs", ":!docs/.vitepress", ":!*_test.go", ":!*/testdata/*",
}

// copyDocumentation copies the shipped files of a checkout into a folder, at the same paths. Links of pages to other
// files of the repository lead to its site then, at a revision: a tag or a commit.
func copyDocumentation(checkout, folder, revision string) error {
	list := exec.Command("git", append([]string{"ls-files", "-z", "--"}, shipped...)...)
	list.Dir = checkout
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	files := make(map[string]bool) // and their folders
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for _, name := range names {
		for ; name != "."; name = path.Dir(name) {
			files[name] = true
		}
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			text = []byte(withLinks(string(text), name, files, func(file string) bool {
				_, err := os.Stat(filepath.Join(checkout, file))
				return err == nil
			}, revision))
		}
		if err := write(filepath.Join(folder, name), text); err != nil {
			return err
		}
	}
	return nil
}

// link matches a link of a page to a file: its path, and its heading, if any.
var link = regexp.MustCompile(`\]\(([^()\s#:]+)(#[^()\s]*)?\)`)

// withLinks returns the text of a page in which links to files that exist in the repository, but not among files, are
// links to the repository at a revision.
func withLinks(text, page string, files map[string]bool, exists func(string) bool, revision string) string {
	return link.ReplaceAllStringFunc(text, func(l string) string {
		m := link.FindStringSubmatch(l)
		file := path.Join(path.Dir(page), m[1])
		if files[file] || !exists(file) {
			return l
		}
		return fmt.Sprintf("](https://github.com/simtrun/simtrun/blob/%s/%s%s)", revision, file, m[2])
	})
}
