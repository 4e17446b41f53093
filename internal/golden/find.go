package golden

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Place is the location of a case.
type Place struct {
	Path  string
	Named bool // named itself, not found in its directory
	// Tree is the directory that the user named, or that of a named file. Links are not followed out of it.
	Tree string
}

// Find returns the cases that patterns name, sorted within each pattern: a file, the cases of a directory, or with
// /... also those of subdirectories, without directories called testdata or beginning with . or _, as in the go
// command. A source without a run header and a golden file is a case only if it is named itself.
func Find(patterns []string) ([]Place, error) {
	var places []Place
	for _, pattern := range patterns {
		found, err := find(pattern)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if !slices.ContainsFunc(places, func(o Place) bool { return o.Path == p.Path }) {
				places = append(places, p)
			}
		}
	}
	return places, nil
}

func find(pattern string) ([]Place, error) {
	if pattern == "..." {
		return walk(".")
	}
	if root, below := strings.CutSuffix(pattern, "/..."); below {
		return walk(root)
	}
	info, err := os.Stat(pattern)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return casesIn(pattern, pattern)
	}
	path := filepath.Clean(pattern)
	if filepath.Ext(path) == goldenExt {
		if path, err = sourceOf(path); err != nil {
			return nil, err
		}
	}
	return []Place{{path, true, filepath.Dir(path)}}, nil
}

// sourceOf returns the source of a golden file.
func sourceOf(path string) (string, error) {
	stem := strings.TrimSuffix(path, goldenExt)
	for _, ext := range sourceExts {
		if _, err := os.Stat(stem + ext); err == nil {
			return stem + ext, nil
		}
	}
	return "", fmt.Errorf("%s: it has no source %s in its folder", path, stem+strings.Join(sourceExts, " or "+stem))
}

func walk(root string) ([]Place, error) {
	var places []Place
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name == "testdata" || name[0] == '.' || name[0] == '_') {
			return filepath.SkipDir
		}
		found, err := casesIn(root, path)
		places = append(places, found...)
		return err
	})
	return places, err
}

// casesIn returns the cases of one directory of a tree.
func casesIn(top, dir string) ([]Place, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var places []Place
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		other := slices.Contains(includedExts, filepath.Ext(path))
		if !e.Type().IsRegular() || !isSource(path) && filepath.Ext(path) != archiveExt && !other {
			continue
		}
		is, err := isCase(tree(top), path)
		if err != nil {
			return nil, err
		}
		if is {
			places = append(places, Place{Path: path, Tree: top})
		}
	}
	return places, nil
}

// isCase reports whether a file has a run header, or a golden file with the same name.
func isCase(t tree, path string) (bool, error) {
	text, err := t.read(path)
	if err != nil {
		return false, err
	}
	if filepath.Ext(path) == archiveExt {
		return slices.ContainsFunc(txtar.Parse(text).Files, func(f txtar.File) bool { return isSource(f.Name) && hasHeader(f.Data) }), nil
	}
	if hasHeader(text) || slices.Contains(includedExts, filepath.Ext(path)) {
		return hasHeader(text), nil
	}
	_, err = os.Lstat(goldenOf(path))
	return err == nil, nil
}

// includedExts are the extensions of files of C++ that are not cases. With a run header they are cases that fail, since
// they would otherwise be passed over without a word.
var includedExts = []string{".cuh", ".h", ".hh", ".hpp", ".c", ".cc", ".cpp", ".cxx"}

// hasHeader reports whether a line of a source begins with a directive's mark.
func hasHeader(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//sim:")) {
			return true
		}
	}
	return false
}
