package cuda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNoClang is the error of Find where there is no compiler, with what to do about it.
var ErrNoClang = errors.New("no clang that makes PTX; install one (Debian, Ubuntu: apt-get install clang-19; Fedora: dnf install clang; macOS: brew install llvm), or name it by SIMTRUN_CLANG")

// Versions of clang that are looked for as clang-NN.
const (
	newestClang = 26
	oldestClang = 14
	wholeClang  = 18 // which compiles all programs; older ones have no _Float16 for GPUs, and lose variables of types without a name
)

// Compiler is a clang that can make PTX.
type Compiler struct {
	Path    string
	Version int // the major one
	folder  string
}

// Find finds a clang: the one that SIMTRUN_CLANG names, or else clang, or else the newest clang-NN, in the path and where LLVM's
// packages put it. One that compiles all programs goes before an older one.
func Find() (*Compiler, error) { return find(candidates()) }

func find(candidates []string) (*Compiler, error) {
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	if path := os.Getenv("SIMTRUN_CLANG"); path != "" {
		if c := probe(path); c != nil {
			c.folder = folder
			return c, nil
		}
		return nil, fmt.Errorf("SIMTRUN_CLANG=%s is no clang that makes PTX (target nvptx64)", path)
	}
	var best *Compiler
	for _, path := range candidates {
		c := probe(path)
		if c != nil && (best == nil || c.Version > best.Version) {
			best = c
		}
		if best != nil && best.Version >= wholeClang {
			break
		}
	}
	if best == nil {
		return nil, ErrNoClang
	}
	best.folder = folder
	return best, nil
}

func candidates() []string {
	names := []string{"clang"}
	for v := newestClang; v >= oldestClang; v-- {
		names = append(names, fmt.Sprintf("clang-%d", v))
	}
	for v := newestClang; v >= oldestClang; v-- {
		names = append(names, fmt.Sprintf("/usr/lib/llvm-%d/bin/clang", v))
	}
	return append(names, "/opt/homebrew/opt/llvm/bin/clang", "/usr/local/opt/llvm/bin/clang")
}

var clangVersion = regexp.MustCompile(`clang version (\d+)`)

// probe is the compiler of a name, or nil if it has no NVPTX or is too old.
func probe(name string) *Compiler {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil
	}
	out, err := exec.Command(path, "--version").Output()
	found := clangVersion.FindSubmatch(out)
	if err != nil || found == nil || bytes.Contains(out, []byte("Apple clang")) {
		return nil
	}
	version, _ := strconv.Atoi(string(found[1]))
	targets, err := exec.Command(path, "--print-targets").Output()
	if version < oldestClang || err == nil && !bytes.Contains(targets, []byte("nvptx64")) {
		return nil
	}
	return &Compiler{Path: path, Version: version}
}

// PTX compiles the device code of a source of CUDA C++. What clang says goes to messages; err is a *CompileError if it refuses the source.
func (c *Compiler) PTX(ctx context.Context, file string, o *Options, messages io.Writer) ([]byte, error) {
	arch := c.architecture(o.Arch)
	args := slices.Concat(c.common(o), []string{"--cuda-device-only", "-S", "--cuda-gpu-arch=" + arch, "-Xclang", "-target-feature", "-Xclang", c.ptxFeature(arch)},
		o.relocatableWords(file), []string{"-gline-tables-only"}, c.cautions(), c.keptStatics(file, o), o.Device, o.Compile, []string{"-o", "-", file})
	var text bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Stdout, cmd.Stderr = &text, messages
	if o.show(cmd, messages) {
		return nil, nil
	}
	dependencies, err := os.CreateTemp("", "simtrun-*.d")
	if err != nil {
		return nil, err
	}
	dependencies.Close()
	defer os.Remove(dependencies.Name())
	cmd.Args = append(cmd.Args, "-MD", "-MF", dependencies.Name())
	if err := c.lenient(ctx, cmd, file, deviceMend); err != nil {
		return nil, err
	}
	files, err := os.ReadFile(dependencies.Name())
	if err != nil {
		return nil, err
	}
	ptx, err := c.withAttributes(ctx, file, text.Bytes(), args, string(files), messages)
	if err != nil {
		return nil, err
	}
	if o.Relocatable {
		return withStaticImages(withStatics(ptx), o.identity(file)), nil
	}
	return ptx, nil
}

// cautions are arguments that keep clang from code that is other than nvcc's.
func (c *Compiler) cautions() []string {
	args := []string{"-mllvm", "-slp-max-vf=8"} // clang 19 loads 16 single bytes as if they were aligned to 16
	if c.Version >= 15 {
		// One lane sets a variable and hands it on by a shuffle: that of the others is not set, and the call must not count as proof that it is.
		args = append(args, "-Xclang", "-no-enable-noundef-analysis")
	}
	return args
}

// staticVariable is a variable of the device that is static.
var staticVariable = regexp.MustCompile(`\bstatic\s+__(?:device|constant)__\s[^;{}()]*[;=\[]|__(?:device|constant)__\s+static\s[^;{}()]*[;=\[]`)

// keptStatics are arguments that keep such variables of a source: programs set them and read them by their names. Without them clang takes what no
// kernel sets for its first value, and leaves out what none reads.
func (c *Compiler) keptStatics(file string, o *Options) []string {
	text, err := os.ReadFile(file)
	if err != nil || c.Version < 17 || o.Relocatable || !staticVariable.Match(text) {
		return nil
	}
	return []string{"-Xclang", "-fkeep-persistent-storage-variables"}
}

// lenient runs clang on a file. If clang refuses what nvcc takes, the source is preprocessed, changed by mend, and compiled once more.
func (c *Compiler) lenient(ctx context.Context, cmd *exec.Cmd, file string, mend func(source, said []byte) []byte) error {
	var said, source bytes.Buffer
	messages := cmd.Stderr
	cmd.Stderr = &said
	err := c.run(cmd, file)
	if failed := (*CompileError)(nil); errors.As(err, &failed) && nvccTakes.Match(said.Bytes()) {
		preprocess := exec.CommandContext(ctx, c.Path, append(slices.Clone(cmd.Args[1:]), "-E", "-o", "-")...)
		preprocess.Stdout = &source
		if preprocess.Run() == nil {
			again := exec.CommandContext(ctx, c.Path, withoutDependencies(withoutIncludes(cmd.Args[1:]))...)
			again.Args[slices.Index(again.Args, file)] = "-"
			again.Args = append(again.Args, "-Wno-c++17-extensions") // of mend
			again.Stdin = bytes.NewReader(mend(source.Bytes(), said.Bytes()))
			said.Reset()
			again.Stdout, again.Stderr = cmd.Stdout, &said
			again.ExtraFiles = cmd.ExtraFiles
			err = c.run(again, file)
		}
	}
	if _, writeError := messages.Write(said.Bytes()); err == nil {
		err = writeError
	}
	return err
}

// common are the arguments of each compilation of CUDA C++. The version of the SDK decides how kernels are launched; that of C++ is nvcc's.
func (c *Compiler) common(o *Options) []string {
	args := []string{"-x", "cuda", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=" + c.sdk(), "-Xclang", "-fcuda-allow-variadic-functions", "-Wno-unknown-cuda-version",
		"-Wno-c++11-narrowing", "-Wno-register", "-Wno-cuda-compat", "-Wno-pass-failed", "-Wno-unused-command-line-argument",
		// What are errors by default, and none of nvcc's. Some are of a few versions of clang.
		"-Wno-unknown-warning-option", "-Wno-missing-template-arg-list-after-template-kw", "-Wno-enum-constexpr-conversion", "-Wno-reserved-user-defined-literal", "-Wno-invalid-constexpr"}
	if !o.hasLevel {
		args = append(args, "-O2")
	}
	if !o.hasStandard {
		args = append(args, "-std=gnu++17")
	}
	return append(args, c.includes()...)
}

// sdk is the version of the toolkit for which clang compiles: one that it does not know counts as older than all.
func (c *Compiler) sdk() string {
	if c.Version < 18 {
		return "11.2"
	}
	return "12.3"
}

// includes are the arguments by which the headers are found, before those of a toolkit that a command line may name, and those that stand
// before each source.
func (c *Compiler) includes() []string {
	return []string{"-I" + filepath.Join(c.folder, "include"), "-include", "simtrun/prelude.h"}
}

// architecture is the one that is asked for, or the nearest that compiler and headers know: simtrun runs PTX for any.
func (c *Compiler) architecture(asked string) string {
	switch number := archNumber(asked); {
	case number > c.newest():
		return fmt.Sprintf("sm_%d", c.newest())
	case number < oldestArch:
		return fmt.Sprintf("sm_%d", oldestArch)
	}
	return asked
}

// newest is the last architecture that the compiler knows.
func (c *Compiler) newest() int {
	switch {
	case c.Version < 16:
		return 86
	case c.Version < 20:
		return newestArch
	}
	return 120
}

// architectures are all that CUDA 12.8 has.
var architectures = []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120}

// archNumber is 90 for sm_90 and sm_90a, and 0 for what is none.
func archNumber(arch string) int {
	number, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "af"))
	return number
}

// ptxFeature is the version of PTX: the greatest that a clang knows for certain and that an architecture needs.
func (c *Compiler) ptxFeature(arch string) string {
	switch {
	case c.Version >= 20 || archNumber(arch) >= 100:
		return "+ptx86"
	case c.Version == 19:
		return "+ptx85"
	case c.Version == 18:
		return "+ptx83"
	case c.Version >= 16:
		return "+ptx78"
	}
	return "+ptx75"
}

// CompileError is the end of a compiler that has said what is wrong.
type CompileError struct {
	File string
	err  error
}

func (e *CompileError) Error() string { return e.File + ": not compiled: " + e.err.Error() }
func (e *CompileError) Unwrap() error { return e.err }

// show shows a command where that is asked for, as nvcc does, and reports whether nothing is to be carried out.
func (o *Options) show(cmd *exec.Cmd, messages io.Writer) bool {
	if o.Verbose {
		var words []string
		for _, word := range cmd.Args {
			words = append(words, quoted(word))
		}
		fmt.Fprintln(messages, "#$ "+strings.Join(words, " "))
	}
	return o.DryRun
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// noLibrary is what clang and linkers say of headers and files of libraries of NVIDIA's that are not here.
var noLibrary = regexp.MustCompile(`(?:fatal error: '|cannot find -l|unable to find library -l)((?:cublasXt|cudnn|cudss|cufft|cufile|cupti|curand|cusolver|cusparse|cutensor|nccl|npp|nvgraph|nvidia-ml|nvjpeg|nvml)[\w./]*)`)

// notBuilt is what linkers say of libraries of simtrun's own that are not there.
var notBuilt = regexp.MustCompile(`(?:cannot find -l|unable to find library -l)(cublas(?:Lt)?)\b`)

// launchInKernel is what clang says of a kernel that launches another.
var launchInKernel = regexp.MustCompile(`error: reference to (?:__global__ function '|__host__ function '__cudaPushCallConfiguration')`)

// run runs clang on a file.
func (c *Compiler) run(cmd *exec.Cmd, file string) error {
	var said bytes.Buffer
	messages := cmd.Stderr
	cmd.Stderr = &said
	err := cmd.Run()
	if _, writeError := messages.Write(said.Bytes()); err == nil {
		err = writeError
	}
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			if found := noLibrary.FindSubmatch(said.Bytes()); found != nil {
				return &CompileError{file, fmt.Errorf("%s: simtrun does not have this library of NVIDIA's", found[1])}
			}
			if found := notBuilt.FindSubmatch(said.Bytes()); found != nil {
				return &CompileError{file, fmt.Errorf("lib%s.so is not there; make -C cuda in simtrun's sources builds it", found[1])}
			}
			if launchInKernel.Match(said.Bytes()) {
				return &CompileError{file, errors.New("kernels that launch kernels (dynamic parallelism) are not supported")}
			}
			if c.Version < wholeClang {
				return &CompileError{file, fmt.Errorf("%s: %w; it is old, and clang %d or newer compiles more", filepath.Base(c.Path), exit, wholeClang)}
			}
			return &CompileError{file, fmt.Errorf("%s: %w", filepath.Base(c.Path), exit)}
		}
		return err
	}
	return nil
}
