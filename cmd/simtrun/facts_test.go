package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestReportsShowFactsOfProfilePage checks that what docs/profile.md says about three slow kernels is on the report
// pages that it names.
func TestReportsShowFactsOfProfilePage(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	page, err := os.ReadFile("../../docs/profile.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| \\[?(\\w+)[^|]* \\| ([^|]+) \\| [^|]+ \\| `(\\w+)` \\| `([^`]+)` \\|$")
	pages := make(map[string]string) // by kernel and page
	dir := t.TempDir()
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 20 {
		t.Errorf("%d facts, want 20", len(rows))
	}
	for _, r := range rows {
		kernel, question, name, text := r[1], r[2], r[3], r[4]
		if pages[kernel+name] == "" {
			path := filepath.Join(dir, kernel)
			if _, err := os.Stat(path); err != nil {
				if got := typed(t, "../../docs/profile/"+kernel+".s", "-q", "-o", path); got.code != 0 {
					t.Fatalf("%s: %+v", kernel, got)
				}
			}
			pages[kernel+name] = typed(t, "report", path, "--page", name).stdout
		}
		if !strings.Contains(pages[kernel+name], text) {
			t.Errorf("%s: %s: page %s lacks %q:\n%s", kernel, question, name, text, pages[kernel+name])
		}
	}
}
