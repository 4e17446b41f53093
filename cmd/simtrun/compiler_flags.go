package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/launch"
)

// ccFlag is the flag, and the directive, with options for the compiler of CUDA C++.
const ccFlag = "cc"

func addCompilerFlag(f *pflag.FlagSet) {
	f.StringArray(ccFlag, nil, "compile CUDA C++ with `OPTIONS` of nvcc or clang, as in --cc '-DN=4 -Iinc -O0'; -D, -I, -U, -O and -std also work without --cc")
}

// Options of nvcc that are passed on unchanged: with their value in the same word or in the next, with it after =, and
// without one.
var (
	nvccValues   = []string{"-D", "-I", "-U", "-include"}
	nvccLevels   = []string{"-O0", "-O1", "-O2", "-O3", "-use_fast_math", "--use_fast_math"}
	nvccEqual    = []string{"-std=", "--std=", "-fmad=", "--fmad=", "-ftz=", "--ftz=", "-prec-div=", "--prec-div=", "-prec-sqrt=", "--prec-sqrt="}
	nvccArchMark = []string{"-arch", "--arch", "-gencode", "--gpu-architecture"}
)

// compilerFlags allows options of nvcc as they are written there: --arch with one dash, and -D, -I and the like, which
// become --cc. It leaves options of cc, and those of the program of host, alone.
func compilerFlags(args []string) []string {
	if len(args) == 0 || args[0] == ccName || args[0] == hostName {
		return args
	}
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		value := slices.IndexFunc(nvccValues, func(option string) bool { return strings.HasPrefix(arg, option) })
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case i > 0 && args[i-1] == "--"+ccFlag:
			out = append(out, arg)
		case arg == "-arch" || strings.HasPrefix(arg, "-arch="):
			out = append(out, "-"+arg)
		case value >= 0 && arg == nvccValues[value] && i+1 < len(args):
			i++
			out = append(out, ccWord(arg, args[i]))
		case value >= 0, slices.Contains(nvccLevels, arg), slices.ContainsFunc(nvccEqual, func(option string) bool { return strings.HasPrefix(arg, option) }):
			out = append(out, ccWord(arg))
		default:
			out = append(out, arg)
		}
	}
	return out
}

// ccWord returns a flag --cc with words, which are quoted: they were split already.
func ccWord(words ...string) string {
	var quoted []string
	for _, w := range words {
		if strings.ContainsAny(w, " \t'\"\\$`&|;<>()*?#~") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return "--" + ccFlag + "=" + strings.Join(quoted, " ")
}

// compilerOptions returns the options for compiling a source, those of its header first, and the architecture that
// they name; "" for none.
func (r *reading) compilerOptions(s *source) (o *cuda.Options, arch string, err error) {
	var words []string
	lines := r.cc
	if header, err := s.header(); err == nil { // a mistake is reported when the program is loaded
		lines = append(slices.Clip(header.Compiler()), lines...)
	}
	for _, line := range lines {
		own, err := compilerWords(line)
		if err != nil {
			return nil, "", placed(line.Wrap(err), []source{*s})
		}
		if line.At.Flag == "" && line.At.Pos.File == s.name {
			own = fromFolder(own, s.folder)
		}
		if i := slices.IndexFunc(own, isArchitecture); i >= 0 {
			arch = own[i]
		}
		words = append(words, own...)
	}
	if r.arch != "" {
		arch = r.arch
		words = append(words, "-arch="+arch)
	}
	o, err = cuda.Parse(words)
	return o, arch, err
}

func isArchitecture(word string) bool {
	word, _, _ = strings.Cut(word, "=")
	return slices.Contains(nvccArchMark, word)
}

// compilerWords splits options and checks that they are only about compiling.
func compilerWords(line launch.CompilerLine) ([]string, error) {
	words, err := shellwords.Parse(line.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", line.Text, err)
	}
	o, err := cuda.Parse(words)
	switch {
	case err != nil:
		return nil, err
	case len(o.Inputs) > 0:
		return nil, fmt.Errorf("%s is not an option of the compiler", o.Inputs[0])
	case o.Output != "" || o.Product != cuda.NewOptions().Product || o.Run || o.DryRun || o.List != "" || o.Version || o.MakeToolkit != "" || o.PrintFolder || len(o.Archs) > 1:
		return nil, fmt.Errorf("%s: only options for compiling, such as -DN=4, -Iinc, -O0 and -std=c++20, are accepted here; pass others to simtrun cc", line.Text)
	}
	return words, nil
}

// fromFolder returns the options of a header. Its folders for -I are relative to that of its source.
func fromFolder(words []string, folder string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		switch path, joined := strings.CutPrefix(w, "-I"); {
		case joined && path != "":
			out[i] = "-I" + below(folder, path)
		case joined && i+1 < len(out):
			out[i+1] = below(folder, out[i+1])
		}
	}
	return out
}

func below(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
