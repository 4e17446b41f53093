package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/wholefile"
)

// writeFile writes a result file. It replaces the file only after everything has been written; on an error the old
// file stays. It writes in place to anything that is not a regular file, such as a pipe.
func writeFile(cmd *cobra.Command, path string, data []byte) error {
	return writeFileUntil(cmd.Context(), cmd, path, data)
}

// writeResult is writeFile for results of a run that may have been interrupted: a signal, earlier or now, does not
// stop the writing. It does not wait for readers of pipes.
func writeResult(cmd *cobra.Command, path string, data []byte) error {
	return writeFileUntil(context.WithoutCancel(cmd.Context()), cmd, path, data)
}

// writeFileUntil is writeFile until ctx ends.
func writeFileUntil(ctx context.Context, cmd *cobra.Command, path string, data []byte) error {
	named := path
	info, err := os.Stat(path)
	switch {
	case err == nil && (isOpen(path) || !info.Mode().IsRegular()):
		return writeInPlace(cmd, path, data)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil:
		// A link stays; its target is replaced.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := wholefile.Write(ctx, root, filepath.Base(path), data); err != nil {
		return err
	}
	noteWritten(ctx, named)
	return nil
}

func writeInPlace(cmd *cobra.Command, path string, data []byte) error {
	before := noteResults(cmd.Context(), noResults) // the pipe may have no reader
	defer noteResults(cmd.Context(), before)
	f, err := openInPlace(cmd, path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// isOpen reports whether path names a file through a process's descriptor (such as /dev/fd/3). Replacing such a file
// would have no effect on the process's later writes.
func isOpen(path string) bool {
	path = filepath.Clean(path)
	return path == "/dev/stdout" || path == "/dev/stderr" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// openInPlace opens a file that is written during the run. It opens for writing only: if a pipe were open for reading
// too, writes would not fail when the reader exits.
func openInPlace(cmd *cobra.Command, path string) (io.WriteCloser, error) {
	switch path {
	case "/dev/stdout", "/dev/fd/1":
		return kept{kernelOutput(cmd.OutOrStdout())}, nil
	case "/dev/stderr", "/dev/fd/2":
		return kept{kernelOutput(cmd.ErrOrStderr())}, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
}

// kept is a writer that Close leaves open.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }
