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
		Short: "Print the version, how lanes are executed, and the folder of the CUDA libraries",
		Args:  arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return written(fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n%s", versionText(), lanesText(), librariesText()))
		},
	}
}

// librariesText is a line that names the folder of the libraries that CUDA programs load; empty if there is none.
func librariesText() string {
	folder, err := libraryFolder()
	if err != nil {
		return ""
	}
	return "libraries: " + folder + "\n"
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("simtrun %s%s %s %s/%s", release, sourceText(revision, info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// sourceText returns what a version has after that of the newest release, if the build is not that release: "+" and the
// start of its commit, and "-dirty" if the checkout had changes. set is the revision that the linker has set. It is
// empty if the build does not have this information, as in tests.
func sourceText(set string, info *debug.BuildInfo) string {
	if set == "v"+release {
		return ""
	}
	if info == nil {
		info = new(debug.BuildInfo)
	}
	commit, changed := set, ""
	if m := pseudoVersion.FindStringSubmatch(info.Main.Version); m != nil && commit == "" {
		commit = m[1]
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "-dirty"
		}
	}
	if commit == "" || changed == "" && info.Main.Version == "v"+release {
		return ""
	}
	return "+" + commit[:min(len(commit), 8)] + changed
}
