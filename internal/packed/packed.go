// Package packed has archives of text files that packages embed compressed, so that the command stays small. An archive
// is a txtar that gzip has compressed. The files that it has are in the repository as well: the package that embeds it
// tests with Compare that both are equal.
package packed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"golang.org/x/tools/txtar"
)

// Files is the content of an archive.
type Files struct{ texts func() map[string][]byte }

// Open returns the files of an embedded archive, which is decompressed when the first one is read. It panics then if
// the data is not an archive.
func Open(data []byte) *Files {
	return &Files{sync.OnceValue(func() map[string][]byte {
		archive, err := parse(data)
		if err != nil {
			panic("simtrun bug: an embedded archive: " + err.Error())
		}
		texts := make(map[string][]byte, len(archive.Files))
		for _, f := range archive.Files {
			texts[f.Name] = f.Data
		}
		return texts
	})}
}

// Read returns the text of a file, which the caller does not change, or an error that names a missing one.
func (f *Files) Read(name string) ([]byte, error) {
	text, ok := f.texts()[name]
	if !ok {
		return nil, fmt.Errorf("no embedded file has the name %s", name)
	}
	return text, nil
}

// Names returns the names of all files, in alphabetical order.
func (f *Files) Names() []string { return slices.Sorted(maps.Keys(f.texts())) }

// pack returns the compressed archive of texts, which have to end with a newline.
func pack(files []txtar.File) ([]byte, error) {
	var data bytes.Buffer
	w, err := gzip.NewWriterLevel(&data, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(txtar.Format(&txtar.Archive{Files: files}))
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// Text returns the text that gzip has compressed.
func Text(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func parse(data []byte) (*txtar.Archive, error) {
	text, err := Text(data)
	if err != nil {
		return nil, err
	}
	return txtar.Parse(text), nil
}
