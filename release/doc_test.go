package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestShippedPagesLeadSomewhere copies what archives and packages contain, and checks that the target of each link of a
// page there, and each file in a command of README.md, is there, too.
func TestShippedPagesLeadSomewhere(t *testing.T) {
	folder := t.TempDir()
	if err := copyDocumentation("..", folder, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
	relative := regexp.MustCompile(`\]\(([^()\s#:]+)(?:#[^()\s]*)?\)`)
	pages, links := 0, 0
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		pages++
		for _, m := range relative.FindAllStringSubmatch(string(text), -1) {
			links++
			to := path.Join(path.Dir(name), m[1])
			if _, err := os.Stat(filepath.Join("..", to)); err == nil && !there(to) {
				t.Errorf("%s links to %s, which is not shipped", name, to)
			}
		}
		return err
	})
	if err != nil || pages < 40 || links < 200 {
		t.Errorf("%d links of %d pages, %v", links, pages, err)
	}
	for _, file := range regexp.MustCompile(`simtrun.* ((docs|programs)/\S+\.\w+)`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		if !there(file[1]) {
			t.Errorf("README.md runs %s, which is not shipped", file[1])
		}
	}
	if there("docs/.vitepress") || there("docs/pages_test.go") || there("docs/example/testdata") {
		t.Error("tests or the site's sources are shipped")
	}
}

func TestLinksToOtherFilesNameRevision(t *testing.T) {
	const page = "[a](host.md) [b](../RATIONALE.md#why) [c](none.md) [d](https://x.org/y) [e](#here)\n[f](../internal/gpu)"
	files := map[string]bool{"docs": true, "docs/page.md": true, "docs/host.md": true}
	exists := func(file string) bool { return !strings.HasSuffix(file, "none.md") }
	const site = "https://github.com/simtrun/simtrun/blob/v0.2.0/"
	const want = "[a](host.md) [b](" + site + "RATIONALE.md#why) [c](none.md) [d](https://x.org/y) [e](#here)\n[f](" + site + "internal/gpu)"
	if got := withLinks(page, "docs/page.md", files, exists, "v0.2.0"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
