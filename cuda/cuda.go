// Package cuda compiles CUDA C++ to PTX and programs with clang. It has its own versions of the toolkit's headers
// (include) and a CUDA runtime on top of the driver API (rt), and needs nothing from NVIDIA's toolkit.
package cuda

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/simtrun/simtrun/internal/packed"
)

// archive has the files of include and rt, which TestFilesAreEmbedded writes and compares. It takes a fourth of their
// size in the command.
//
//go:embed files.txtar.gz
var archive []byte

var files = packed.Open(archive)

// Folder returns the folder with the headers (include) and the sources of the runtime (rt) as files for the compiler.
// They are written when first needed to the user's cache, with one folder per version.
func Folder() (string, error) {
	hash := sha256.Sum256(archive)
	name := "cuda-" + hex.EncodeToString(hash[:8])
	var err error
	var places []string
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, cache)
	}
	for _, place := range append(places, os.TempDir()) { // a service may have no writable home
		folder := filepath.Join(place, "simtrun", name)
		if _, err = os.Stat(folder); err == nil {
			return folder, nil
		}
		if err = unpack(folder); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("CUDA's headers cannot be written: %w", err)
}

// unpack makes a folder of all files atomically, because other processes may make the same.
func unpack(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(folder), "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	err = eachFile(func(path string, text []byte) error {
		path = filepath.Join(made, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	})
	if err != nil {
		return err
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := os.Rename(made, folder); err != nil {
		if _, there := os.Stat(folder); there == nil {
			return nil // another process was faster
		}
		return err
	}
	return nil
}

// eachFile calls do for each file, in order.
func eachFile(do func(path string, text []byte) error) error {
	for _, path := range files.Names() {
		text, err := files.Read(path)
		if err != nil {
			return err
		}
		if err := do(path, text); err != nil {
			return err
		}
	}
	return nil
}
