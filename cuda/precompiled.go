package cuda

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/simtrun/simtrun/internal/sorted"
)

// The headers that every source includes first take most of clang's time for a small source. The compiler reads them
// from a precompiled header in the user's cache. Each set of options has a file of its own, with a list of the headers
// and their sizes and times, which must be as they were.

const (
	preludeHeader = "simtrun/prelude.h"
	// keptHeaders is the number of precompiled headers that stay in the cache, of about 6 MB each. A source needs one for
	// the host and one for each architecture.
	keptHeaders = 24
)

// precompiled is the precompiled header for the options of a command.
type precompiled struct {
	compiler *Compiler
	// options are the command's, without its source, output, includes of the user's, and prelude.
	options []string
	folders []string // the user's folders of headers
	path    string   // of the precompiled header; the list has .list in place of .pch
}

// withPrecompiled returns the command for a source with a precompiled header in place of the prelude, and that header,
// or nil if there cannot be one. It makes the header if it is missing or old.
func (c *Compiler) withPrecompiled(ctx context.Context, cmd *exec.Cmd, file string) (*exec.Cmd, *precompiled) {
	p, ok := c.precompiledFor(cmd.Args[1:], file)
	if !ok {
		return nil, nil
	}
	headers, current := p.headers()
	if !current {
		if err := p.make(ctx); err != nil {
			return nil, nil
		}
		headers, current = p.headers()
	}
	if !current || shadowed(headers, p.folders) {
		return nil, nil
	}
	now := time.Now()
	os.Chtimes(p.path, now, now) // the oldest are removed first
	args := slices.Clone(cmd.Args[1:])
	i := slices.Index(args, preludeHeader) - 1
	args = slices.Replace(args, i, i+2, "-Xclang", "-include-pch", "-Xclang", p.path)
	fast := exec.CommandContext(ctx, c.Path, args...)
	fast.ExtraFiles = cmd.ExtraFiles
	return fast, p
}

// ordered are the options that add headers before the prelude's, or for which clang lists headers or text.
var ordered = []string{"-E", "-M", "-H", "-C", "-P", "-d", "-include", "-imacros", "-i", "-nostd", "-fmodules", "-fdirectives-only", "-save-temps", "--save-temps"}

// headerFolders are variables of the environment with folders of headers for clang.
var headerFolders = []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}

func (c *Compiler) precompiledFor(args []string, file string) (p *precompiled, ok bool) {
	if c.Version < wholeClang || slices.ContainsFunc(headerFolders, func(name string) bool { return os.Getenv(name) != "" }) {
		return nil, false
	}
	p = &precompiled{compiler: c}
	hasPrelude := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-include" && i+1 < len(args) && args[i+1] == preludeHeader:
			hasPrelude = true
			i++
		case arg == "-o" || arg == "-I":
			if i++; arg == "-I" && i < len(args) {
				p.folders = append(p.folders, args[i])
			}
		case arg == "-Xclang" && i+3 < len(args) && args[i+1] == "-fcuda-include-gpubinary":
			i += 3 // and -Xclang FILE: data that clang reads after the source
		case arg == "-Xclang" && i+1 < len(args) && strings.HasPrefix(args[i+1], "-cuid="):
			i++ // a name for the source's own symbols, which are generated from the whole source
		case arg == "-Xclang" && i+1 < len(args):
			i++
			p.options = append(p.options, arg, args[i])
		case arg == file:
		case arg == "-I"+filepath.Join(c.folder, "include"):
			p.options = append(p.options, arg)
		case strings.HasPrefix(arg, "-I"):
			p.folders = append(p.folders, arg[len("-I"):])
		case slices.ContainsFunc(ordered, func(o string) bool { return strings.HasPrefix(arg, o) }):
			return nil, false
		default:
			p.options = append(p.options, arg)
		}
	}
	if !hasPrelude {
		return nil, false
	}
	clang, err := os.Stat(c.Path)
	cache, failed := os.UserCacheDir()
	if err != nil || failed != nil {
		return nil, false
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %d %v %q", c.Path, clang.Size(), clang.ModTime().UnixNano(), p.options))
	p.path = filepath.Join(cache, "simtrun", "precompiled", hex.EncodeToString(key[:12])+".pch")
	return p, true
}

func (p *precompiled) list() string { return strings.TrimSuffix(p.path, ".pch") + ".list" }

func (p *precompiled) remove() {
	os.Remove(p.list()) // first: a header without a list is not used
	os.Remove(p.path)
}

// make makes the precompiled header and its list. Another process may make the same at the same time.
func (p *precompiled) make(ctx context.Context) error {
	folder := filepath.Dir(p.path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(folder, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	header, rule := filepath.Join(temporary, "pch"), filepath.Join(temporary, "rule")
	args := slices.Concat(p.options, []string{"-include", preludeHeader, "-Xclang", "-emit-pch", "-MD", "-MF", rule, "-MT", "pch", "-o", header, os.DevNull})
	if err := exec.CommandContext(ctx, p.compiler.Path, args...).Run(); err != nil {
		return err
	}
	text, err := os.ReadFile(rule)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, name := range prerequisites(text) {
		fmt.Fprintln(&list, signature(name))
	}
	listed := filepath.Join(temporary, "list")
	if err := os.WriteFile(listed, list.Bytes(), 0o666); err != nil {
		return err
	}
	// The list comes last: a header without one is not used. A process that reads the list of one process and the
	// header of another sees the same headers in both, or clang refuses the header.
	if err := os.Rename(header, p.path); err != nil {
		return err
	}
	if err := os.Rename(listed, p.list()); err != nil {
		return err
	}
	removeOldHeaders(folder)
	return nil
}

// prerequisites returns the absolute names of the files on which the target of a make rule depends.
func prerequisites(rule []byte) []string {
	_, text, _ := strings.Cut(string(rule), ":")
	var names []string
	for _, line := range strings.Split(text, "\\\n") {
		for _, name := range strings.Fields(strings.ReplaceAll(line, `\ `, "\x00")) {
			if name = strings.ReplaceAll(name, "\x00", " "); filepath.IsAbs(name) && name != os.DevNull {
				names = append(names, name)
			}
		}
	}
	return names
}

// signature returns a line about a file that changes with the file: its size, time and name.
func signature(name string) string {
	f, err := os.Stat(name)
	if err != nil {
		return "0 0 " + name
	}
	return fmt.Sprintf("%d %d %s", f.Size(), f.ModTime().UnixNano(), name)
}

// headers returns the files in the precompiled header. It reports false if the header does not exist, or if a file has
// changed since the header was made.
func (p *precompiled) headers() (names []string, current bool) {
	text, err := os.ReadFile(p.list())
	if err != nil {
		return nil, false
	}
	if _, err := os.Stat(p.path); err != nil {
		return nil, false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 3)
		if len(words) < 3 || signature(words[2]) != lines.Text() {
			return nil, false
		}
		names = append(names, words[2])
	}
	return names, len(names) > 0
}

// shadowed reports whether one of the folders may have a header that an #include in the given headers finds before
// theirs: an entry with the name of one of the words in their paths below a folder called include.
func shadowed(headers, folders []string) bool {
	if len(folders) == 0 {
		return false
	}
	words := map[string]bool{}
	for _, name := range headers {
		path := strings.Split(filepath.Clean(name), string(filepath.Separator))
		for i := len(path) - 1; i >= 0 && path[i] != "include"; i-- {
			words[path[i]] = true
		}
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return words[e.Name()] }) {
			return true
		}
	}
	return false
}

// removeOldHeaders removes all precompiled headers of a folder but those that were used last. A compiler that is about
// to read one that is removed fails, and compiles without it.
func removeOldHeaders(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".pch" {
			files = append(files, info)
		}
	}
	sorted.By(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range files[min(keptHeaders, len(files)):] {
		(&precompiled{path: filepath.Join(folder, f.Name())}).remove()
	}
}
