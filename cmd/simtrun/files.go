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

// writeFile writes a result that the user wants in a file. The file is replaced
// when all of it has been written, and left as it was otherwise. What is no
// regular file, such as a pipe, is written to in place.
func writeFile(cmd *cobra.Command, path string, data []byte) error {
	return writeFileUntil(cmd.Context(), cmd, path, data)
}

// writeResult is writeFile for what a run came to that may have been interrupted: a signal that ended the run, or comes
// now, does not end it. What is no regular file is not waited for.
func writeResult(cmd *cobra.Command, path string, data []byte) error {
	return writeFileUntil(context.WithoutCancel(cmd.Context()), cmd, path, data)
}

// writeFileUntil is writeFile as long as ctx has not ended.
func writeFileUntil(ctx context.Context, cmd *cobra.Command, path string, data []byte) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && (isOpen(path) || !info.Mode().IsRegular()):
		return writeInPlace(cmd, path, data)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil:
		// A link stays, and what it leads to is replaced.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return wholefile.Write(ctx, root, filepath.Base(path), data)
}

func writeInPlace(cmd *cobra.Command, path string, data []byte) error {
	before := noteResults(cmd.Context(), noResults) // nobody may be there who reads it
	defer noteResults(cmd.Context(), before)
	f, err := openInPlace(cmd, path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// isOpen reports whether path names a file by a process that has it open, and
// that would go on writing to it if another took its place.
func isOpen(path string) bool {
	path = filepath.Clean(path)
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// openInPlace opens a file that is written as the run goes on. It is opened for
// writing alone: with a pipe that is open for reading too, no write fails when the
// reader has gone.
func openInPlace(cmd *cobra.Command, path string) (io.WriteCloser, error) {
	switch path {
	case "/dev/stdout", "/dev/fd/1":
		return kept{kernelOutput(cmd.OutOrStdout())}, nil
	case "/dev/stderr", "/dev/fd/2":
		return kept{kernelOutput(cmd.ErrOrStderr())}, nil
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
}

// kept is a writer that stays open.
type kept struct{ io.Writer }

func (kept) Close() error { return nil }
