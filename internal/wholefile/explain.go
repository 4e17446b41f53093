package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// explained is an error with another text.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// Explain returns err with the message of a failed call of the system on a file in the user's words: "no file x" in
// place of "open x: no such file or directory". Other errors stay as they are.
func Explain(err error) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	return &explained{strings.Replace(err.Error(), failed.Error(), problem(failed), 1), err}
}

// problem says what is wrong with a file.
func problem(failed *fs.PathError) string {
	switch path := failed.Path; {
	case errors.Is(failed, fs.ErrNotExist):
		if folder := filepath.Dir(path); isMissing(folder) {
			return fmt.Sprintf("no file %s: there is no folder %s", path, folder)
		}
		return "no file " + path
	case errors.Is(failed, syscall.EISDIR):
		return path + " is a folder"
	case errors.Is(failed, fs.ErrPermission):
		return "no permission for " + path
	default:
		return fmt.Sprintf("%s: %v", path, failed.Err)
	}
}

func isMissing(folder string) bool {
	_, err := os.Stat(folder)
	return errors.Is(err, fs.ErrNotExist)
}
