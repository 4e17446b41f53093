package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the newest version in CHANGELOG.md: this source is that version, or is based on it.
const release = "0.2.0"

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and how lanes are executed",
		Args:  arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return written(fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", versionText(), lanesText()))
		},
	}
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("simtrun %s%s %s %s/%s", release, sourceText(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// sourceText returns the source of a build in parentheses, after a space: the commit of a checkout, or the version of
// a downloaded module. It is empty if the build does not have this information, as in tests.
func sourceText(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	var commit, changed string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", modified"
		}
	}
	switch v := info.Main.Version; {
	case commit != "":
		return " (" + commit + changed + ")"
	case v != "" && v != "(devel)":
		return " (" + v + ")"
	}
	return ""
}
