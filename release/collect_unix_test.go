//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyFilesWithSumsArePublished collects a release from folders that also have other files, and refuses a file that
// differs from its sum, is missing, or has a name that GitHub changes.
func TestOnlyFilesWithSumsArePublished(t *testing.T) {
	collect := func(spoil string) (string, string, error) {
		folder := t.TempDir()
		build := exec.Command("sh", "-c", `mkdir -p dist/homebrew/Casks prepared && touch dist/homebrew/Casks/simtrun.rb prepared/notes.md dist/config.yaml &&
			cd dist && for f in a.tar.gz a.zip a.deb a.rpm a.cdx.json; do echo $f >$f; done &&
			sha256sum a.* >../sums && cd ../prepared &&
			echo lib >lib.cdx.json && sha256sum lib.cdx.json >>../sums && mv ../sums ../dist/checksums.txt && cd .. && `+spoil)
		build.Dir = folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := script(t, "collect "+folder+"/dist "+folder+"/prepared "+folder+"/published", nil)
		var names []string
		entries, _ := os.ReadDir(filepath.Join(folder, "published", "files"))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " "), out, err
	}
	const want = "a.cdx.json a.deb a.rpm a.tar.gz a.zip checksums.txt lib.cdx.json"
	if names, out, err := collect("true"); names != want || err != nil {
		t.Errorf("%s, want %s; %v\n%s", names, want, err, out)
	}
	for _, spoil := range []string{"echo more >>dist/a.deb", "rm dist/a.rpm", "rm prepared/lib.cdx.json", "sed -i /zip/d dist/checksums.txt",
		"mv dist/a.deb dist/a~rc.1.deb && sed -i s/a.deb/a~rc.1.deb/ dist/checksums.txt"} {
		if _, out, err := collect(spoil); err == nil {
			t.Errorf("after %s it succeeds: %s", spoil, out)
		}
	}
}
