package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpOfReleaseHasAddressesOfPages checks that each page which the help of a command or a topic names exists, and
// that its address follows in a build with a revision.
func TestHelpOfReleaseHasAddressesOfPages(t *testing.T) {
	plain, released := newRoot(), newRoot()
	addPages(released, "v1.2.3")
	text := func(root *cobra.Command, name string) string {
		var b strings.Builder
		root.SetOut(&b)
		root.SetArgs([]string{"help", name})
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	withPages := 0
	for _, c := range plain.Commands() {
		want := text(plain, c.Name())
		if strings.Contains(want, "https://github.com/simtrun/simtrun/blob/") {
			t.Errorf("help %s has addresses in a checkout:\n%s", c.Name(), want)
		}
		if names := pagesIn(want); len(names) > 0 {
			withPages++
			want += "\nPages:\n"
			for _, name := range names {
				if _, err := os.Stat("../../" + name); err != nil {
					t.Errorf("help %s: %v", c.Name(), err)
				}
				want += "  https://github.com/simtrun/simtrun/blob/v1.2.3/" + name + "\n"
			}
		}
		if got := text(released, c.Name()); got != want {
			t.Errorf("help %s:\n%s\nwant\n%s", c.Name(), got, want)
		}
	}
	if withPages < 5 {
		t.Errorf("%d commands and topics name pages", withPages)
	}
}

func TestRevisionOfPagesIsThatOfTheBuild(t *testing.T) {
	module := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	checkout := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, c := range []struct {
		set  string
		info *debug.BuildInfo
		want string
	}{
		{"", nil, ""},
		{"v0.2.0", nil, "v0.2.0"},
		{"v0.2.0", module("v0.2.0", checkout), "v0.2.0"},
		{"", module("v0.2.0", checkout), ""},
		{"", module("(devel)"), ""},
		{"", module("v0.2.0"), "v0.2.0"},
		{"", module("v1.0.0-rc.1"), "v1.0.0-rc.1"},
		{"", module("v0.2.1-0.20261128123456-0123456789ab"), "0123456789ab"},
		{"", module("v0.0.0-20261128123456-0123456789ab"), "0123456789ab"},
	} {
		if got := pagesRevision(c.set, c.info); got != c.want {
			t.Errorf("%q, %+v: %q, want %q", c.set, c.info, got, c.want)
		}
	}
}
