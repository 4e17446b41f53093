package golden

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/simtrun/simtrun/internal/wholefile"
)

// tree is a folder that the user has named. Links are not followed out of it: its files may come from others, who
// must not be able to read or change anything outside.
type tree string

// in opens the tree, and returns the name in it of a file below it.
func (t tree) in(path string) (root *os.Root, name string, err error) {
	if name, err = filepath.Rel(string(t), path); err != nil {
		return nil, "", err
	}
	root, err = os.OpenRoot(string(t))
	return root, name, err
}

// read returns the content of a file of the tree.
func (t tree) read(path string) ([]byte, error) {
	root, name, err := t.in(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, readFlags, 0)
	if err != nil {
		if _, there := root.Lstat(name); there == nil {
			return nil, fmt.Errorf("%s: it is a link that leads out of %s, or to nothing", path, t)
		}
		return nil, err
	}
	return readRegular(f, path)
}

// readFlags open a pipe without waiting for a writer.
const readFlags = os.O_RDONLY | nonBlocking

// readNamed returns the content of a file that the user has named, in any folder.
func readNamed(path string) ([]byte, error) {
	f, err := os.OpenFile(path, readFlags, 0)
	if err != nil {
		return nil, err
	}
	return readRegular(f, path)
}

// readRegular reads f to its end and closes it. It refuses pipes and devices, because reading them might never end.
func readRegular(f *os.File, path string) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(f)
}

// errLink is the error for rewriting a file through a link.
var errLink = errors.New("it is a symbolic link, and -u does not write to what it leads to; update the case there, or replace the link by a file")

// write replaces the content of a file of the tree.
func (t tree) write(ctx context.Context, path string, text []byte) error {
	root, name, err := t.in(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return errLink
	}
	return wholefile.Write(ctx, root, name, text)
}
