package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// heading matches the heading of a version in a changelog.
var heading = regexp.MustCompile(`(?m)^## (\d\S*) \(20\d\d-\d\d-\d\d\)\n`)

// notes returns the text of a release: the sections of the newest version in the changelogs of a checkout, with links
// to the site of the repository. It fails if the revision is the tag of another version.
func notes(checkout, revision string) (string, error) {
	var b strings.Builder
	for _, name := range []string{"CHANGELOG.md", "cuda/CHANGELOG.md"} {
		page, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			return "", err
		}
		found := heading.FindAllSubmatchIndex(page, 2)
		if found == nil {
			return "", fmt.Errorf("%s has no version", name)
		}
		end := len(page)
		if len(found) > 1 {
			end = found[1][0]
		}
		if version := string(page[found[0][2]:found[0][3]]); tag.MatchString(revision) && revision != "v"+version {
			return "", fmt.Errorf("the newest version of %s is %s, and the tag %s", name, version, revision)
		}
		text := withLinks(strings.TrimSpace(string(page[found[0][1]:end])), name, nil, func(file string) bool {
			_, err := os.Stat(filepath.Join(checkout, file))
			return err == nil
		}, revision)
		if name != "CHANGELOG.md" {
			fmt.Fprintf(&b, "## Programs that use CUDA\n\n")
		}
		b.WriteString(text + "\n\n")
	}
	return b.String(), nil
}

// tag matches the tag of a release.
var tag = regexp.MustCompile(`^v\d+\.\d+\.\d+`)
