package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// wroteKey is the context's key of a *wrote.
type wroteKey struct{}

// wrote is the files that a command has written because a flag asked for them.
type wrote struct {
	sync.Mutex
	paths []string
}

// noteWritten adds a file, or a folder with files.
func noteWritten(ctx context.Context, path string) {
	w, ok := ctx.Value(wroteKey{}).(*wrote)
	if !ok || isStream(path) {
		return
	}
	w.Lock()
	defer w.Unlock()
	if !slices.Contains(w.paths, path) {
		w.paths = append(w.paths, path)
	}
}

// print names the files in one line, unless the command is quiet or only rewrites what it was given.
func (w *wrote) print(out io.Writer, cmd *cobra.Command) {
	w.Lock()
	defer w.Unlock()
	quiet := cmd.Flags().Lookup("quiet")
	if len(w.paths) == 0 || quiet != nil && quiet.Value.String() == "true" || cmd.Name() == "fmt" {
		return
	}
	fmt.Fprintf(out, "wrote %s\n", strings.Join(w.paths, ", "))
}
