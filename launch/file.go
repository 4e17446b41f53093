package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// file is @FILE[:OFFSET[:LENGTH]]: the bytes of a file, or some of them; of a
// .npy file the elements.
type file struct {
	path   string
	within string // the folder that a header may read; "" for no bound
	offset int64
	length int64 // -1: all that follow
}

// parseFile reads what follows the @.
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
		return nil, fmt.Errorf("@%s: the header of a source that is in no folder reads no files", f.path)
	case f.within != "" && !filepath.IsLocal(f.path):
		return nil, f.outside()
	}
	return f, nil
}

func (f *file) outside() error {
	return fmt.Errorf("%s is %w; a header may read nothing else", f.path, ErrOutside)
}

func (f *file) isNpy() bool { return strings.HasSuffix(f.path, npySuffix) }

// read is the bytes that f names, and their type if the file says one.
func (f *file) read() ([]byte, Elem, error) {
	data, err := f.readBytes()
	if err != nil || !f.isNpy() {
		return data, 0, err
	}
	data, elem, err := decodeNpy(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.path, err)
	}
	return data, elem, err
}

func (f *file) readBytes() ([]byte, error) {
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if _, err := io.CopyN(io.Discard, in, f.offset); err != nil {
		return nil, fmt.Errorf("%s has no byte %d: %w", f.path, f.offset, err)
	}
	limit := int64(maxBufferBytes)
	if f.length >= 0 {
		limit = f.length
	}
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, err
	case f.length < 0 && int64(len(data)) > limit:
		return nil, fmt.Errorf("%s has more than %d bytes", f.path, limit)
	case f.length > int64(len(data)):
		return nil, fmt.Errorf("%s has %d bytes from offset %d, not %d", f.path, len(data), f.offset, f.length)
	case len(data) == 0 || f.length == 0:
		return nil, fmt.Errorf("%s: no bytes", f.path)
	case f.length > 0:
		data = data[:f.length]
	}
	return data, nil
}

// open opens f; for a header only where it may read, and only a regular file,
// since reading another might never end.
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
		// What is there after all, the root refused: a link leads out.
		if _, there := os.Stat(filepath.Join(f.within, f.path)); there == nil {
			return nil, f.outside()
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", f.path)
	}
	return root.Open(f.path)
}
