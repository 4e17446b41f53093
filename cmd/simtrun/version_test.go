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

// TestVersionNamesCommit checks that only a build of the release's tag has its version alone, and others their commit.
func TestVersionNamesCommit(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	checkout := debug.BuildSetting{Key: "vcs.revision", Value: commit}
	clean, dirty := debug.BuildSetting{Key: "vcs.modified", Value: "false"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	module := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	for _, c := range []struct {
		set  string
		info *debug.BuildInfo
		want string
	}{
		{"", nil, ""},
		{"", module("(devel)"), ""},
		{"", module("v" + release), ""},
		{"", module("v"+release, checkout, clean), ""},
		{"", module("v"+release+"+dirty", checkout, dirty), "+01234567-dirty"},
		{"", module("v0.0.9-0.20261128123456-0123456789ab"), "+01234567"},
		{"", module("v0.0.9-0.20261128123456-0123456789ab", checkout, clean), "+01234567"},
		{"", module("(devel)", checkout, clean), "+01234567"},
		{"", module("(devel)", checkout, dirty), "+01234567-dirty"},
		{"v" + release, nil, ""},
		{"v" + release, module("v"+release+"+dirty", checkout, dirty), ""},
		{commit, nil, "+01234567"},
		{commit, module("(devel)", checkout, dirty), "+01234567-dirty"},
		{"", module("v99.0.0"), ""},
	} {
		if got := sourceText(c.set, c.info); got != c.want {
			t.Errorf("%q, %+v: %q, want %q", c.set, c.info, got, c.want)
		}
	}
}
