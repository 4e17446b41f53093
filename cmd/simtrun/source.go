package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
)

const (
	stdinPath = "-"       // standard input on the command line
	stdinName = "<stdin>" // standard input in messages
)

// source is one file of assembly.
type source struct {
	name   string // in messages
	folder string // the folder whose files the header may read
	text   []byte
	from   *source // of CUDA C++: text is the PTX that was compiled from it
	note   string  // on how the PTX was compiled; "" for none
	saved  bool    // a saved launch: no user wrote its PTX
}

// readSources reads the files of a command line; - is in.
func readSources(paths []string, in io.Reader, r reading) ([]source, error) {
	var all []source
	for _, path := range paths {
		one, err := readOneOf(len(paths), path, in, r)
		if err != nil {
			return nil, err
		}
		if path == stdinPath && slices.ContainsFunc(all, func(s source) bool { return s.name == stdinName }) {
			return nil, &usageError{msg: "standard input can be read once"}
		}
		all = append(all, one)
	}
	return all, nil
}

func readSource(path string, in io.Reader) (source, error) { return readOneOf(1, path, in, reading{}) }

// readOneOf reads one of n sources. Device code of several files of CUDA C++ is linked.
func readOneOf(n int, path string, in io.Reader, r reading) (source, error) {
	if path == stdinPath {
		text, err := io.ReadAll(in)
		return source{name: stdinName, folder: ".", text: text}, err
	}
	info, err := os.Stat(path)
	saved := err == nil && info.IsDir()
	if saved {
		folder := path
		path = filepath.Join(path, launch.KernelFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return source{}, &usageError{msg: fmt.Sprintf("%s is a folder without a saved launch (%s); name a file, or simtrun test %s runs the tests there", folder, launch.KernelFile, folder)}
		}
	}
	text, err := r.read(path)
	if err != nil {
		return source{}, &usageError{msg: explain(err) + meantFile(path)}
	}
	one := source{name: path, folder: filepath.Dir(path), text: text, saved: saved}
	if filepath.Ext(path) == cudaExtension && !isPTX(text) {
		ptx, note, err := compileCUDA(&one, n > 1, r)
		return source{name: ptxOf(path), folder: one.folder, text: ptx, from: &one, note: note}, err
	}
	return one, nil
}

// ptxOf returns the name in messages of the PTX that was compiled from a source, which is in no file.
func ptxOf(source string) string { return "PTX of " + source }

// written returns the source as the user wrote it.
func (s *source) written() *source {
	if s.from != nil {
		return s.from
	}
	return s
}

// header parses the run header.
func (s *source) header() (*launch.Layer, error) {
	w := s.written()
	return launch.ParseHeader(w.name, w.folder, w.text)
}

// meantFile suggests, as the end of a message, an existing source in place of a path that does not exist: one with
// another suffix or, if there is none, one whose name differs by a typing error. It returns "" if there is none.
func meantFile(path string) string {
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	suffixes := []string{".ptx", ".s", cudaExtension}
	for _, ext := range suffixes {
		other := strings.TrimSuffix(path, filepath.Ext(path)) + ext
		if _, err := os.Stat(other); err == nil {
			return "; did you mean " + other + "?"
		}
	}
	folder, base := filepath.Split(path)
	files, _ := os.ReadDir(cmp.Or(folder, "."))
	var names []string
	for _, f := range files {
		if slices.Contains(suffixes, filepath.Ext(f.Name())) || f.IsDir() {
			names = append(names, f.Name())
		}
	}
	if near := isa.Nearest(base, names); near != "" {
		return "; did you mean " + folder + near + "?"
	}
	return ""
}

// placed adds the source lines to an error with positions.
func placed(err error, sources []source) error {
	if err == nil || !report.HasPlace(err) || is[foreignError](err) {
		return err
	}
	return report.WithSources(err, linesOf(sources))
}

// linesOf returns the lines of sources.
func linesOf(sources []source) report.Sources {
	all := make(report.Sources)
	for _, s := range sources {
		all[s.name] = report.Lines(s.text)
		if s.from != nil {
			all[s.from.name] = report.Lines(s.from.text)
		}
	}
	return all
}

// programText is the program of a command line, and the notes about it.
type programText struct {
	mod      *isa.Module
	sources  []source
	headers  []*launch.Layer
	warnings []*isa.Error
}

// reading is the options for reading sources.
type reading struct {
	// ptxLines adds lines of PTX to those of the source from which it was compiled.
	ptxLines bool
	lax      bool   // do not compare instructions with .version and .target
	target   string // of PTX, in place of the sources' own; "" for those
	// For CUDA C++: debug information on variables, and no optimisation, so that they have values.
	variables, unoptimised bool
	arch                   string                // compile CUDA C++ for this architecture, such as sm_90; "" for that of the GPUs
	gpus                   []*gpu.Config         // the GPUs that run the program, if flags or a script name them
	cc                     []launch.CompilerLine // options for compiling CUDA C++, of a script and of flags
	edited                 map[string][]byte     // texts in place of those of files
}

// read returns the text of a file, or the one in its place.
func (r *reading) read(path string) ([]byte, error) {
	if text, ok := r.edited[path]; ok {
		return text, nil
	}
	return os.ReadFile(path)
}

// addReadingFlags adds the flags that readingOf reads.
func addReadingFlags(f *pflag.FlagSet) {
	f.Bool("ptx-lines", false, "for CUDA C++, also show lines and instructions of the compiled PTX")
	f.Bool("lax", false, "accept instructions that the file's .version or .target does not have")
	f.String("arch", "", "compile CUDA C++ for `ARCH`, such as sm_90 (default the GPU's)")
	addCompilerFlag(f)
}

// readingOf reads the options from the flags of a command, which may lack any of them.
func readingOf(cmd *cobra.Command) reading {
	var r reading
	flags := cmd.Flags()
	r.ptxLines, _ = flags.GetBool("ptx-lines")
	r.lax, _ = flags.GetBool("lax")
	r.arch, _ = flags.GetString("arch")
	eachValue(flags, func(f *pflag.Flag, value string) {
		switch f.Name {
		case "gpu":
			for name := range strings.SplitSeq(value, ",") {
				if c, _, err := gpu.Open(name); err == nil { // a mistake is reported where the flag is used
					r.gpus = append(r.gpus, c)
				}
			}
		case "script":
			l := scriptOf(value, flags)
			if c := l.GPU(); c != nil && len(r.gpus) == 0 {
				r.gpus = []*gpu.Config{c}
			}
			r.cc = append(l.Compiler(), r.cc...)
		case ccFlag:
			r.cc = append(r.cc, launch.CompilerLine{Text: value, At: launch.Origin{Flag: flagText(f, value)}})
		}
	})
	return r
}

// scriptOf reads a script before the program is compiled; it is empty if it has a mistake, which is reported where the
// script is executed.
func scriptOf(path string, flags *pflag.FlagSet) *launch.Layer {
	if text, err := os.ReadFile(path); err == nil {
		if l, err := launch.ParseScript(path, text, flagNames(flags)); err == nil {
			return l
		}
	}
	return launch.NewFlags()
}

// targets returns the GPUs that run a source: those that are chosen, or the default.
func (r *reading) targets(s *source) []*gpu.Config {
	all := r.chosen(s)
	if len(all) == 0 {
		all = append(all, gpu.H100())
	}
	return all
}

// chosen returns the GPUs that flags or a script name for a source, or those of its header.
func (r *reading) chosen(s *source) []*gpu.Config {
	if len(r.gpus) > 0 {
		return r.gpus
	}
	var all []*gpu.Config
	if header, err := s.header(); err == nil {
		for _, name := range header.Matrix().GPUs {
			if c, err := gpu.Preset(name); err == nil {
				all = append(all, c)
			}
		}
		if c := header.GPU(); c != nil && len(all) == 0 {
			all = append(all, c)
		}
	}
	return all
}

// loadProgram reads, assembles and links sources and reads their headers.
func loadProgram(paths []string, in io.Reader, r reading) (*programText, error) {
	sources, err := readSources(paths, in, r)
	if err != nil {
		return nil, err
	}
	return assembled(sources, r)
}

// assembled links and checks sources.
func assembled(sources []source, r reading) (p *programText, err error) {
	p = &programText{sources: sources}
	if p.mod, err = assemble(sources, r); err != nil {
		return nil, placed(err, sources)
	}
	p.warnings = asm.Warnings(p.mod)
	if !slices.ContainsFunc(sources, source.compiled) {
		p.warnings = append(p.warnings, asm.Unfinished(p.mod)...)
	}
	for _, s := range sources {
		header, err := s.header()
		if err != nil {
			return nil, &codedError{exitProgram, placed(err, sources)}
		}
		for _, w := range header.Warnings {
			p.warnings = append(p.warnings, isa.Errorf(w.At.Pos, "%s", w.Msg))
		}
		p.headers = append(p.headers, header)
	}
	return p, nil
}

// compiled reports whether the PTX is a compiler's, which reads registers that nothing writes where any value will do,
// such as for the unused half of a pair, and ends functions without ret where no thread gets. NVIDIA's and LLVM's
// compilers say so in the first comment.
func (s source) compiled() bool {
	return s.from != nil || s.saved || bytes.HasPrefix(bytes.TrimLeft(s.text, "/ \r\n"), []byte("Generated by "))
}

// warn prints warnings about constructs that are valid but probably unintended.
func (p *programText) warn(w io.Writer, paint report.Paint) {
	for _, s := range p.sources {
		if s.note != "" {
			fmt.Fprintln(w, paint.Caution("note:")+" "+s.written().name+": "+s.note)
		}
	}
	if len(p.warnings) == 0 {
		return
	}
	lines := linesOf(p.sources)
	for _, one := range p.warnings {
		report.WriteNote(w, one.Pos, paint.Caution("warning:")+" "+one.Msg, lines)
	}
}
