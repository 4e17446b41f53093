package main

import (
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
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/report"
)

const (
	stdinPath = "-"       // standard input on the command line
	stdinName = "<stdin>" // standard input in messages
)

// source is one file of assembly.
type source struct {
	name   string // in messages
	folder string // whose files its header may read
	text   []byte
	from   *source // of CUDA C++: text is the PTX that was compiled from it
}

// readSources reads the files of a command line; - is in.
func readSources(paths []string, in io.Reader) ([]source, error) {
	var all []source
	for _, path := range paths {
		one, err := readOneOf(len(paths), path, in)
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

func readSource(path string, in io.Reader) (source, error) { return readOneOf(1, path, in) }

// readOneOf reads one of n sources. Device code of several files of CUDA C++ is linked.
func readOneOf(n int, path string, in io.Reader) (source, error) {
	if path == stdinPath {
		text, err := io.ReadAll(in)
		return source{stdinName, ".", text, nil}, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() { // a launch that was saved
		folder := path
		path = filepath.Join(path, launch.KernelFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return source{}, &usageError{msg: fmt.Sprintf("%s is a folder without a saved launch (%s); name a file, or simtrun test %s runs the tests there", folder, launch.KernelFile, folder)}
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, &usageError{msg: err.Error() + otherExtension(path)}
	}
	one := source{path, filepath.Dir(path), text, nil}
	if filepath.Ext(path) == cudaExtension && !isPTX(text) {
		ptx, err := compileCUDA(path, n > 1)
		return source{path + ".ptx", one.folder, ptx, &one}, err
	}
	return one, nil
}

// written is the source as the user wrote it.
func (s *source) written() *source {
	if s.from != nil {
		return s.from
	}
	return s
}

// header reads the run header.
func (s *source) header() (*launch.Layer, error) {
	w := s.written()
	return launch.ParseHeader(w.name, w.folder, w.text)
}

// otherExtension suggests, as the end of a message, a source that is there where
// path is not; "" if there is none.
func otherExtension(path string) string {
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	for _, ext := range []string{".ptx", ".s", cudaExtension} {
		other := strings.TrimSuffix(path, filepath.Ext(path)) + ext
		if _, err := os.Stat(other); err == nil {
			return "; did you mean " + other + "?"
		}
	}
	return ""
}

// placed gives an error at places in files the sources to show.
func placed(err error, sources []source) error {
	if err == nil || !report.HasPlace(err) || is[foreignError](err) {
		return err
	}
	return report.WithSources(err, linesOf(sources))
}

// linesOf are the lines of sources.
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

// programText is the program of a command line, and what there is to say of it.
type programText struct {
	mod      *isa.Module
	sources  []source
	headers  []*launch.Layer
	warnings []*isa.Error
}

// addLaxFlag adds the flag that laxOf reads.
func addLaxFlag(f *pflag.FlagSet) {
	f.Bool("lax", false, "take instructions that the .version or .target of a file does not have")
}

// laxOf is the value of --lax, false for a command that has no such flag.
func laxOf(cmd *cobra.Command) bool {
	lax, err := cmd.Flags().GetBool("lax")
	return err == nil && lax
}

// loadProgram reads, assembles and links sources and reads their headers. A lax one does not compare instructions with
// .version and .target.
func loadProgram(paths []string, in io.Reader, lax bool) (*programText, error) {
	sources, err := readSources(paths, in)
	if err != nil {
		return nil, err
	}
	p := &programText{sources: sources}
	if p.mod, err = assemble(sources, lax); err != nil {
		return nil, placed(err, sources)
	}
	p.warnings = asm.Warnings(p.mod)
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

// warn writes what is not wrong with a program, and probably not meant.
func (p *programText) warn(w io.Writer, paint report.Paint) {
	if len(p.warnings) == 0 {
		return
	}
	lines := linesOf(p.sources)
	for _, one := range p.warnings {
		report.WriteNote(w, one.Pos, paint.Caution("warning:")+" "+one.Msg, lines)
	}
}
