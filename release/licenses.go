package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// built are the programs of a release: the package in a folder of the checkout, for the systems that have it.
var built = []struct {
	folder, pkg, cgo string
	systems          []string
}{
	{".", "./cmd/simtrun", "0", []string{"linux", "darwin", "windows"}},
	{"cuda/driver", ".", "1", []string{"linux"}},
}

// parts are the licences of what the repository has from others, by what they are for.
var parts = map[string]string{"The font of charts": "internal/plot/glyphs.LICENSE"}

// licenseName matches the names of files with licences.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.]\w+)*$`)

// licensesFile is the name of the file with the licences of others, in the folder of the documentation.
const licensesFile = "THIRD_PARTY_LICENSES"

// writeLicenses writes the licences for a build of the checkout in the current folder.
func writeLicenses(folder string) error {
	text, err := licenses(".")
	if err != nil {
		return err
	}
	return write(filepath.Join(folder, licensesFile), []byte(text))
}

// licenses returns the licences of everything by others that a build of the checkout contains: modules, Go, parts.
func licenses(checkout string) (string, error) {
	b := &strings.Builder{}
	b.WriteString("simtrun, the libraries for CUDA programs and the charts that it draws contain software of others, under these licences.\n")
	files, err := moduleLicenses(checkout)
	if err != nil {
		return "", err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	folder := strings.TrimSpace(string(goroot))
	files["The Go programming language"] = licensesIn(folder, folder)
	for name, path := range parts {
		files[name] = []string{filepath.Join(checkout, path)}
	}
	for _, name := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	}) {
		if len(files[name]) == 0 {
			return "", fmt.Errorf("%s has no licence", name)
		}
		fmt.Fprintf(b, "\n%s\n%s\n", strings.Repeat("=", 80), name)
		for _, path := range files[name] {
			text, err := os.ReadFile(path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(b, "%s\n%s\n", strings.Repeat("-", 80), bytes.TrimSpace(text))
		}
	}
	return b.String(), nil
}

// moduleLicenses returns the files with licences of the modules of a release, by the modules' names and versions.
func moduleLicenses(checkout string) (map[string][]string, error) {
	files := make(map[string][]string)
	for _, p := range built {
		for _, system := range p.systems {
			list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}", p.pkg)
			list.Dir = filepath.Join(checkout, p.folder)
			list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED="+p.cgo)
			list.Stderr = os.Stderr
			out, err := list.Output()
			if err != nil {
				return nil, fmt.Errorf("go list %s: %w", p.pkg, err)
			}
			for line := range strings.Lines(string(out)) {
				f := strings.Split(strings.TrimSpace(line), "\t")
				if len(f) < 4 || strings.HasPrefix(f[0], "github.com/simtrun/simtrun") {
					continue
				}
				name := f[0] + " " + f[1]
				files[name] = slices.Compact(slices.Sorted(slices.Values(append(files[name], licensesIn(f[2], f[3])...))))
			}
		}
	}
	return files, nil
}

// licensesIn returns the files with licences in a package's folder, and in those above it up to its module's.
func licensesIn(module, folder string) []string {
	var files []string
	for ; strings.HasPrefix(folder, module); folder = filepath.Dir(folder) {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if e.Type().IsRegular() && licenseName.MatchString(e.Name()) {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
	}
	return files
}
