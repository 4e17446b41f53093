package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/memory"
)

// file is @FILE[:OFFSET[:LENGTH]]: all or some of the bytes of a file, or the elements of a .npy file. They stay in
// the file until they are used.
type file struct {
	path   string
	within string // folder that a header may read; "" for no restriction
	offset int64
	length int64 // -1: to the end of the file

	// Results of measure.
	start, size int64 // of the selected bytes; size is 0 before measure
	elem        Elem  // of a .npy file
	kept        []byte
}

// parseFile parses the text after the @.
func (l *Layer) parseFile(text string) (*file, error) {
	f := &file{path: text, within: l.folder, length: -1}
	var numbers []int64
	for len(numbers) < 2 {
		i := strings.LastIndexByte(f.path, ':')
		if i < 0 {
			break
		}
		n, err := strconv.ParseUint(f.path[i+1:], 10, 62)
		if err != nil {
			break
		}
		numbers = append(numbers, int64(n))
		f.path = f.path[:i]
	}
	switch len(numbers) {
	case 1:
		f.offset = numbers[0]
	case 2:
		f.offset, f.length = numbers[1], numbers[0]
	}
	switch {
	case f.path == "":
		return nil, errors.New("no file name after @")
	case f.isNpy() && len(numbers) > 0:
		return nil, fmt.Errorf("%s: an offset and a length are for files of raw bytes, not for .npy", text)
	case l.source == header && l.folder == "":
		return nil, fmt.Errorf("@%s: a header cannot read files if its source is in no folder", f.path)
	case f.within != "" && !filepath.IsLocal(f.path):
		return nil, f.outside()
	}
	return f, nil
}

func (f *file) outside() error {
	return fmt.Errorf("%s is %w; a header may only read files inside it", f.path, ErrOutside)
}

func (f *file) isNpy() bool { return strings.HasSuffix(f.path, npySuffix) }

// measure determines which bytes f selects, and their type if the file gives one. It reads and keeps the content of
// anything that can be read only once, such as a pipe.
func (f *file) measure(b *memory.Budget) error {
	if f.size > 0 {
		return nil
	}
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return f.keep(in, b)
	}
	if info.Size() < f.offset {
		return fmt.Errorf("%s has no byte %d", f.path, f.offset)
	}
	f.start = f.offset
	return f.find(in, info.Size()-f.offset)
}

// keep reads and keeps the selection of a file that cannot be read again.
func (f *file) keep(in io.Reader, b *memory.Budget) error {
	if _, err := io.CopyN(io.Discard, in, f.offset); err != nil {
		return fmt.Errorf("%s has no byte %d: %w", f.path, f.offset, err)
	}
	limit := int64(maxBufferBytes)
	if f.length >= 0 {
		limit = f.length
	}
	kept, err := io.ReadAll(&counted{f.path, io.LimitReader(in, limit+1), b})
	if err != nil {
		return err
	}
	if err := f.find(bytes.NewReader(kept), int64(len(kept))); err != nil {
		return err
	}
	f.kept = kept[f.start:][:f.size]
	return nil
}

// counted is a reader that charges a budget for the bytes that it reads.
type counted struct {
	name   string
	in     io.Reader
	budget *memory.Budget
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if over := c.budget.Take(c.name, int64(n)); over != nil {
		return n, over
	}
	return n, err
}

// find sets the size of the selection and, for a .npy file, the offset and type of its elements. in reads the file
// from f.start on, where it has has bytes left.
func (f *file) find(in io.Reader, has int64) (err error) {
	f.size = has
	switch {
	case f.length < 0 && has > maxBufferBytes:
		err = fmt.Errorf("%s has more than %d bytes", f.path, int64(maxBufferBytes))
	case f.length > has:
		err = fmt.Errorf("%s has %d bytes from offset %d, not %d", f.path, has, f.offset, f.length)
	case has == 0 || f.length == 0:
		err = fmt.Errorf("%s: no bytes", f.path)
	case f.length > 0:
		f.size = f.length
	case f.isNpy():
		if f.start, f.size, f.elem, err = npyLayout(in, has); err != nil {
			err = fmt.Errorf("%s: %w", f.path, err)
		}
	}
	if err != nil {
		f.size = 0
	}
	return err
}

// read reads the selected bytes into mem, which has f.size bytes.
func (f *file) read(mem []byte) error {
	if f.kept != nil {
		copy(mem, f.kept)
		return nil
	}
	in, err := f.open()
	if err != nil {
		return err
	}
	defer in.Close()
	return f.readAt(in, mem, 0)
}

// readAt reads bytes from off on, counted from the start of the selection.
func (f *file) readAt(in io.ReaderAt, mem []byte, off int64) error {
	if _, err := in.ReadAt(mem, f.start+off); err != nil {
		return fmt.Errorf("%s has changed: %w", f.path, err)
	}
	return nil
}

// pieces opens f for reading in pieces: at reads bytes into mem from off on, counted from the start of the selection.
func (f *file) pieces() (at func(mem []byte, off int64) error, done func(), err error) {
	if f.kept != nil {
		return func(mem []byte, off int64) error { copy(mem, f.kept[off:]); return nil }, func() {}, nil
	}
	in, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	return func(mem []byte, off int64) error { return f.readAt(in, mem, off) }, func() { in.Close() }, nil
}

// open opens f. A header may open only regular files in its folder; reading another kind might never end.
func (f *file) open() (*os.File, error) {
	if f.within == "" {
		return os.Open(f.path)
	}
	root, err := os.OpenRoot(f.within)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(f.path)
	if err != nil {
		// The file exists, but the root refused it: a link leads outside.
		if _, there := os.Stat(filepath.Join(f.within, f.path)); there == nil {
			return nil, f.outside()
		}
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			failed.Op = "open"
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", f.path)
	}
	return root.Open(f.path)
}
