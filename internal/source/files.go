package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/simtrun/simtrun/internal/isa"
)

// systemFile matches headers of compilers, libraries and simtrun, in which users look for no mistakes of theirs.
var systemFile = regexp.MustCompile(`^/usr/(?:local/)?(?:include|lib\d*|share)/|^/usr/local/cuda|^/opt/.*/include/|/lib/clang/\d+/|/simtrun/cuda-[0-9a-f]+/|/targets/[\w-]+/include/|^/Library/|^/Applications/`)

// IsSystem reports whether a file is a header of a compiler, a library or simtrun.
func IsSystem(file string) bool { return systemFile.MatchString(file) }

// Short returns the name of a file as users write it: relative, if the file is in the working directory.
func Short(file string) string {
	if !filepath.IsAbs(file) {
		return cleaned(file)
	}
	if folder, err := os.Getwd(); err == nil {
		if rest, ok := strings.CutPrefix(filepath.Clean(file), folder+string(filepath.Separator)); ok {
			return rest
		}
	}
	return cleaned(file)
}

// cleaned removes "." and ".." from a name, except for names that are not those of files.
func cleaned(file string) string {
	if file == "" || strings.HasPrefix(file, "<") {
		return file
	}
	return filepath.Clean(file)
}

func short(pos isa.Pos) isa.Pos {
	pos.File = Short(pos.File)
	return pos
}

// isSource matches files that are read to show a line: PTX may name any file.
var isSource = regexp.MustCompile(`\.(?:cu|cuh|h|hh|hpp|hxx|inl|inc|c|cc|cpp|cxx|cl|py|mojo|jl|rs|zig|cuf|CUF|f90|F90|ptx|s)$`)

// texts has the lines of files that were read for a module, by name.
type texts struct {
	mu    sync.Mutex
	files map[string]textFile
}

// textFile has the lines of a file as it was with this size at this time.
type textFile struct {
	size  int64
	time  time.Time
	lines []string
}

// ReadFrom reads the sources of a module with relative names from a folder other than the working directory.
func ReadFrom(mod *isa.Module, folder string) {
	for _, fn := range mod.Funcs {
		if fn.Debug == nil || fn.Debug.Sources != nil {
			continue
		}
		fn.Debug.Sources = make(map[string][]string)
		for _, name := range fn.Debug.Files {
			if name := Short(name); !filepath.IsAbs(name) && isSource.MatchString(name) {
				fn.Debug.Sources[name] = new(texts).linesOf(filepath.Join(folder, name))
			}
		}
	}
}

// Lines returns the lines of a source of a function; nil if it cannot be read.
func Lines(fn *isa.Func, file string) []string {
	if fn.Debug != nil && fn.Debug.Sources[file] != nil {
		return fn.Debug.Sources[file]
	}
	if !isSource.MatchString(file) {
		return nil
	}
	return textsOf(fn.Debug).linesOf(file)
}

// textsOf returns the texts that are kept with debug information; new ones if it is nil.
func textsOf(debug *isa.Debug) *texts {
	if debug == nil {
		return new(texts)
	}
	return &tablesOf(debug).texts
}

// lineAt returns the line of a source at a position; "" if it cannot be read.
func lineAt(pos isa.Pos, debug *isa.Debug) string {
	var lines []string
	if debug != nil {
		lines = debug.Sources[pos.File]
	}
	if lines == nil && isSource.MatchString(pos.File) {
		lines = textsOf(debug).linesOf(pos.File)
	}
	if !pos.IsValid() || int(pos.Line) > len(lines) {
		return ""
	}
	return lines[pos.Line-1]
}

// linesOf returns the lines of a file; nil if it cannot be read.
func (t *texts) linesOf(name string) []string {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f, known := t.files[path]; known && f.size == info.Size() && f.time.Equal(info.ModTime()) {
		return f.lines
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if t.files == nil {
		t.files = make(map[string]textFile)
	}
	lines := strings.Split(string(text), "\n")
	t.files[path] = textFile{info.Size(), info.ModTime(), lines}
	return lines
}
