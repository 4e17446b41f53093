package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/launch"
)

// mainFunction matches the function with which a program starts.
var mainFunction = regexp.MustCompile(`(?m)^\s*(extern\s+"C"\s+)?(int|auto)\s+main\s*\(`)

// isProgram reports whether a source is CUDA C++ with the function main.
func isProgram(s *source) bool {
	return filepath.Ext(s.name) == cudaExtension && mainFunction.Match(s.text)
}

// ofProgram adds to the error about a launch that its source is a program, if no argument was given for the launch.
func ofProgram(err error, sources []source, flags *pflag.FlagSet) error {
	for i := range sources {
		if s := sources[i].written(); isProgram(s) && !flags.Changed("arg") {
			return fmt.Errorf("%w\n%s has a main function: simtrun host %[2]s compiles and runs the program", err, s.name)
		}
	}
	return err
}

// executable returns the file of a program, which is searched in PATH. A source is compiled to a file that remove
// removes.
func (o *hostOptions) executable(cmd *cobra.Command, name string) (path string, remove func(), err error) {
	if filepath.Ext(name) != cudaExtension || isBuilt(name) {
		if path, err = exec.LookPath(name); err != nil {
			reason := errors.Unwrap(err).Error()
			if failed, ok := errors.AsType[*fs.PathError](err); ok {
				reason = problemOf(failed)
			}
			return "", nil, &usageError{msg: fmt.Sprintf("no program %s: %s", name, reason)}
		}
		return path, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "simtrun-host-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(folder) }
	if path, err = o.compile(cmd, name, folder); err != nil {
		remove()
	}
	return path, remove, err
}

// isBuilt reports whether a file is a program for Linux, whatever its name ends in.
func isBuilt(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "\x7fELF"
}

// compile compiles a program in CUDA C++, with the options of its header, to a file in a folder. For the debugger,
// device code is not optimised.
func (o *hostOptions) compile(cmd *cobra.Command, file, folder string) (program string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", &usageError{msg: explain(err) + meantFile(file)}
	}
	s := source{name: file, folder: filepath.Dir(file), text: text}
	if _, err := s.header(); err != nil {
		return "", placed(err, []source{s})
	}
	r, debug := readingOf(cmd), "-g"
	if o.debug.on || o.debug.listen != "" {
		debug = "-G"
	}
	r.gpus = []*gpu.Config{o.settings.GPU}
	r.cc = append([]launch.CompilerLine{{Text: debug}}, r.cc...)
	options, arch, err := r.compilerOptions(&s)
	if err != nil {
		return "", err
	}
	if arch == "" {
		options.Arch = cuda.ArchOf(oldestOf(r.targets(&s)))
	}
	c, err := cuda.FindFor(options)
	if err != nil {
		return "", err
	}
	options.Inputs, options.Output = []string{file}, filepath.Join(folder, "program")
	err = c.Build(cmd.Context(), options, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if failed := (*cuda.CompileError)(nil); errors.As(err, &failed) && failed.File == options.Output {
		failed.File = file // the linker failed; users do not know the folder
	}
	return options.Output, compiled(err)
}
