package main

import (
	"strings"
	"testing"
)

// TestNotesAreThoseOfTheVersion makes the text of a release of two changelogs.
func TestNotesAreThoseOfTheVersion(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"CHANGELOG.md":      "# Changelog\n\nAll.\n\n## 1.2.3 (2026-12-01)\n\n### Checks\n\n- New ([page](docs/page.md#part)).\n\n## 1.2.2 (2026-11-01)\n\n- Old.\n",
		"cuda/CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- Calls ([page](../docs/page.md)).\n",
		"docs/page.md":      "# Page\n",
	} {
		if err := write(folder+"/"+name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	const site = "https://github.com/simtrun/simtrun/blob/v1.2.3/docs/page.md"
	const want = "### Checks\n\n- New ([page](" + site + "#part)).\n\n## Programs that use CUDA\n\n- Calls ([page](" + site + ")).\n\n"
	if got, err := notes(folder, "v1.2.3"); got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := notes(folder, "v1.2.4"); err == nil || !strings.Contains(err.Error(), "is 1.2.3, and the tag v1.2.4") {
		t.Errorf("the tag of another version: %q, %v", got, err)
	}
	if _, err := notes(folder, "0123456789abcdef"); err != nil {
		t.Errorf("a commit: %v", err)
	}
}

// TestNotesFitGitHub makes the text of this repository's release: GitHub takes at most 125000 characters.
func TestNotesFitGitHub(t *testing.T) {
	got, err := notes("..", "main")
	if err != nil || len(got) < 100 || len(got) > 125000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
