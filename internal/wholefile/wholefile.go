// Package wholefile replaces files atomically: a reader finds either the old content or all of the new content.
package wholefile

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

// chunk is how many bytes are written between two checks of the context.
const chunk = 4 << 20

// Write makes data the content of a file of root. It writes a temporary file in the same folder, which it removes if
// an error occurs or ctx ends, and renames it. An existing file keeps its mode; a link is replaced.
func Write(ctx context.Context, root *os.Root, name string, data []byte) error {
	temporary := name + "." + rand.Text()[:8] + ".tmp"
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = fill(ctx, f, data)
	if err == nil {
		err = keepMode(root, name, f)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		root.Remove(temporary)
	}
	return err
}

func fill(ctx context.Context, f *os.File, data []byte) error {
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(len(data), chunk)
		if _, err := f.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return ctx.Err()
}

// keepMode gives f the permissions of the file that it will replace.
func keepMode(root *os.Root, name string, f *os.File) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil
	}
	return f.Chmod(info.Mode().Perm())
}
