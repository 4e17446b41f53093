package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// revision is the tag or the commit of a build that users run without a checkout. The linker sets it:
// -X main.revision=v0.2.0.
var revision string

// pagesRevision returns the revision of the repository that has the pages for this build: the one that the linker has
// set, or that of a module which go install has downloaded. It is empty in a checkout, where pages are files.
func pagesRevision(set string, info *debug.BuildInfo) string {
	if set != "" || info == nil || !strings.HasPrefix(info.Main.Version, "v") {
		return set
	}
	if slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" }) {
		return ""
	}
	if m := pseudoVersion.FindStringSubmatch(info.Main.Version); m != nil {
		return m[1]
	}
	return info.Main.Version
}

// ownRevision returns the revision that has the pages for this build, "" in a checkout.
func ownRevision() string {
	info, _ := debug.ReadBuildInfo()
	return pagesRevision(revision, info)
}

// pseudoVersion matches the version that Go gives a commit without a tag, and in it the commit.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`)

// addPages makes the help of every command end with the addresses of the pages that it names, such as docs/host.md.
func addPages(root *cobra.Command, revision string) {
	if revision == "" {
		return
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		help(cmd, args)
		names := pagesIn(cmd.Long + cmd.Example + flagUsages(cmd.LocalFlags()))
		if len(names) == 0 {
			return
		}
		fmt.Fprint(cmd.OutOrStdout(), "\nPages:\n")
		for _, name := range names {
			fmt.Fprintf(cmd.OutOrStdout(), "  https://github.com/simtrun/simtrun/blob/%s/%s\n", revision, name)
		}
	})
}

var pageName = regexp.MustCompile(`\bdocs/[\w-]+\.md\b`)

// pagesIn returns the pages that a text names, in order.
func pagesIn(text string) []string {
	names := pageName.FindAllString(text, -1)
	slices.Sort(names)
	return slices.Compact(names)
}
