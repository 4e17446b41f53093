package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"
)

// TestVersionIsNewestOfChangelog checks that the command has the newest version of the changelogs, and that all
// versions have a date there.
func TestVersionIsNewestOfChangelog(t *testing.T) {
	for _, path := range []string{"../../CHANGELOG.md", "../../cuda/CHANGELOG.md"} {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		newest := regexp.MustCompile(`(?m)^## (\d\S*) \(20\d\d-\d\d-\d\d\)$`).FindSubmatch(page)
		if newest == nil {
			t.Fatalf("%s has no version with a date", path)
		}
		if undated := regexp.MustCompile(`(?m)^## \d\S*$`).Find(page); undated != nil {
			t.Errorf("%s: no date in %s", path, undated)
		}
		if got := string(newest[1]); got != release {
			t.Errorf("the newest version of %s is %s, that of the command %s", path, got, release)
		}
	}
}

// TestVersionNamesSource checks that a build from a checkout names the commit, and another build the version of the
// module.
func TestVersionNamesSource(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	module := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, ""},
		{module("(devel)"), ""},
		{module("v0.1.0"), " (v0.1.0)"},
		{module("v0.1.1-0.20261128-0123456789ab", revision, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), " (0123456789ab)"},
		{module("(devel)", revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), " (0123456789ab, modified)"},
	} {
		if got := sourceText(c.info); got != c.want {
			t.Errorf("source of %+v: %q, want %q", c.info, got, c.want)
		}
	}
}
