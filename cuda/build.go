package cuda

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Build executes a command line. messages receives clang's messages, and out the output that goes to no file.
func (c *Compiler) Build(ctx context.Context, o *Options, out, messages io.Writer) error {
	if o.PrintFolder {
		_, err := fmt.Fprintln(out, filepath.Join(c.folder, "include"))
		return err
	}
	if o.Version {
		_, err := fmt.Fprintf(out, versionText, c.Path, c.Version, cudaRelease, cudaRelease)
		return err
	}
	if o.List != "" {
		return c.list(o.List, out)
	}
	if o.MakeToolkit != "" {
		return c.makeToolkit(ctx, o, messages)
	}
	if o.Toolkit != "" && o.Verbose {
		c.describe(o, messages)
	}
	if len(o.Inputs) == 0 {
		return &OptionError{"no file; expected simtrun cc FILE"}
	}
	if c.Note != "" {
		fmt.Fprintln(messages, "simtrun cc: "+c.Note)
	}
	b := &build{Compiler: c, Options: o, ctx: ctx, out: out, messages: messages}
	defer b.removeTemporary()
	if slices.Contains(o.Host, openMPFlag) && !c.hasOpenMP(ctx) {
		b.leaveOutOpenMP()
	}
	switch o.Product {
	case PTX:
		return b.each(".ptx", b.writePTX)
	case FatBinary:
		return b.each(".fatbin", b.writeFatBinary)
	case CubinFile:
		return b.each(".cubin", b.writeCubin)
	case Preprocessed:
		return b.each("", b.preprocess)
	case Object:
		return b.each(".o", b.compile)
	case DeviceLinked:
		return b.deviceLink()
	case StaticLibrary:
		return b.library()
	}
	if b.Run {
		return b.runProgram()
	}
	return b.program()
}

// runProgram builds a program, unless the input is one, and runs it with the driver library in its path. If the
// program fails, the error is an *exec.ExitError.
func (b *build) runProgram() error {
	program := b.Output
	if program == "" {
		program = "a.out"
	}
	if info, err := os.Stat(strings.Trim(b.Inputs[0], `"`)); len(b.Inputs) == 1 && !b.isSource(b.Inputs[0]) && err == nil && info.Mode()&0o111 != 0 {
		program = strings.Trim(b.Inputs[0], `"`)
	} else if err := b.program(); err != nil {
		return err
	}
	path, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(b.ctx, path, b.RunArgs...)
	folders := append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), driverFolders()...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(folders, string(filepath.ListSeparator)))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, b.out, b.messages
	if b.show(cmd, b.messages) {
		return nil
	}
	return cmd.Run()
}

// cudaRelease is the version of CUDA in include/simtrun/version.h.
const cudaRelease = "12.8"

// versionText is the output of --version. Build systems look for nvcc's words.
const versionText = `simtrun's compiler driver for CUDA C++, by %s (version %d), in the place of
nvcc: NVIDIA (R) Cuda compiler driver
Cuda compilation tools, release %s, V%s.0
`

// PTXASVersion is the output of ptxas --version. Programs look for the release in ptxas's words.
const PTXASVersion = `simtrun's check of PTX, in the place of
ptxas: NVIDIA (R) Ptx optimizing assembler
Cuda compilation tools, release ` + cudaRelease + `, V` + cudaRelease + `.0
`

// NVLinkVersion is the output of nvlink --version.
const NVLinkVersion = `simtrun's linker of PTX, in the place of
nvlink: NVIDIA (R) Cuda linker
Cuda compilation tools, release ` + cudaRelease + `, V` + cudaRelease + `.0
`

// list writes the supported architectures.
func (c *Compiler) list(prefix string, out io.Writer) error {
	for _, number := range architectures {
		if !c.knows(fmt.Sprintf("sm_%d", number)) {
			break
		}
		if _, err := fmt.Fprintf(out, "%s%d\n", prefix, number); err != nil {
			return err
		}
	}
	return nil
}

// build is a command line being executed.
type build struct {
	*Compiler
	*Options
	ctx           context.Context
	out, messages io.Writer
	temporary     string // folder for temporary files; "" before the first
	files         int    // number of files in it
}

const openMPFlag = "-fopenmp"

// hasOpenMP reports whether clang's library for OpenMP is installed: clang prints the path of a file that exists, and
// only the name of another.
func (c *Compiler) hasOpenMP(ctx context.Context) bool {
	path, err := exec.CommandContext(ctx, c.Path, "-print-file-name=libomp.so").Output()
	return err == nil && filepath.IsAbs(strings.TrimSpace(string(path)))
}

// leaveOutOpenMP compiles the host code for one thread.
func (b *build) leaveOutOpenMP() {
	fmt.Fprintln(b.messages, "simtrun cc: clang has no libomp here (Debian: libomp-dev): OpenMP's pragmas are ignored")
	isFlag := func(arg string) bool { return arg == openMPFlag }
	b.Host = slices.DeleteFunc(b.Host, isFlag)
	b.Compile = append(b.Compile, "-isystem", filepath.Join(b.folder, "include", "openmp"))
	b.Link = slices.DeleteFunc(b.Link, isFlag)
}

// ownOpenMP replaces GCC's library for OpenMP by clang's, which clang's objects need. It has GCC's functions, too.
func (b *build) ownOpenMP(inputs []string) []string {
	if i := slices.Index(inputs, "-lgomp"); i >= 0 && b.hasOpenMP(b.ctx) {
		inputs[i] = openMPFlag
	}
	return inputs
}

// each makes one output per source, named after the source unless there is an output name.
func (b *build) each(extension string, do func(source, output string) error) error {
	sources := b.sources()
	if b.Output != "" && len(sources) > 1 {
		return &OptionError{"-o " + b.Output + ": it names the output of one file, and there are several"}
	}
	if len(sources) == 0 {
		return &OptionError{strings.Join(b.Inputs, " ") + ": no source"}
	}
	for _, source := range sources {
		output := b.Output
		if output == "" && extension != "" {
			output = filepath.Join(b.OutputFolder, derived(source, extension))
		}
		if err := do(source, output); err != nil {
			return err
		}
	}
	return nil
}

// sourceLanguages maps suffixes to clang's names of the languages.
var sourceLanguages = map[string]string{".cu": "cuda", ".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".C": "c++", ".c++": "c++"}

// isSource reports whether an input is compiled. -x sets the language of files with another suffix, but not of
// libraries and objects.
func (b *build) isSource(input string) bool {
	if strings.HasPrefix(input, "-l") || slices.Contains([]string{".o", ".a", ".so"}, filepath.Ext(input)) {
		return false
	}
	return b.languageOf(input) != ""
}

// languageOf returns the language of a source, and "" for an unknown suffix.
func (b *build) languageOf(source string) string {
	return cmp.Or(b.language, sourceLanguages[filepath.Ext(source)])
}

// sources returns the inputs that are not for the linker.
func (b *build) sources() []string {
	return slices.DeleteFunc(slices.Clone(b.Inputs), func(input string) bool { return !b.isSource(input) })
}

// isCUDA reports whether a source has device code.
func (b *build) isCUDA(source string) bool {
	return b.languageOf(source) == "cuda"
}

// writePTX writes the PTX of a source; - is standard output.
func (b *build) writePTX(source, output string) error {
	text, err := b.PTX(b.ctx, source, b.Options, b.messages)
	if err != nil || b.DryRun {
		return err
	}
	if output == "-" {
		_, err = b.out.Write(text)
		return err
	}
	return os.WriteFile(output, text, 0o666)
}

// writeCubin writes a cubin with the PTX of a source for the newest architecture.
func (b *build) writeCubin(source, output string) error {
	text, err := b.PTX(b.ctx, source, b.Options, b.messages)
	if err != nil || b.DryRun {
		return err
	}
	targets, err := b.targets(b.Options, nil)
	if err != nil {
		return err
	}
	return os.WriteFile(output, Cubin(text, archNumber(targets[len(targets)-1])), 0o666)
}

// writeFatBinary writes a fat binary with the PTX of a source for each architecture.
func (b *build) writeFatBinary(source, output string) error {
	images, err := b.images(b.ctx, source, b.Options, b.messages)
	if err != nil || b.DryRun {
		return err
	}
	return os.WriteFile(output, fatBinary(images), 0o666)
}

// preprocess runs clang's preprocessor on the host side of a source.
func (b *build) preprocess(source, output string) error {
	args := b.hostArgs(source)
	if b.isCUDA(source) {
		args = append(args, "--cuda-host-only")
	}
	if output != "" {
		args = append(args, "-o", output)
	}
	if b.DependencyFile != "" {
		args = append(args, "-MF", b.DependencyFile)
	}
	return b.clang(source, append(append(args, b.DependencyTargets...), source)...)
}

// compile makes an object of a source.
func (b *build) compile(source, output string) error {
	if b.Relocatable && b.isCUDA(source) {
		return b.compileRelocatable(source, output)
	}
	args := slices.Concat(b.hostArgs(source), b.dependencies(source, output), []string{"-c", "-o", output, source})
	if b.isCUDA(source) {
		_, err := b.compileBoth(source, args)
		return err
	}
	return b.clang(source, args...)
}

// compileBoth compiles the device code of a source, to PTX, and the host code at the same time. The host code contains
// the PTX as data, which clang reads last, through a pipe. The result is the PTX for the newest architecture.
func (b *build) compileBoth(source string, hostArgs []string) (ptx []byte, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	ctx, stop := context.WithCancel(b.ctx)
	defer stop()
	const pipe = "/dev/fd/3" // ExtraFiles[0]
	host := exec.CommandContext(ctx, b.Path, append(hostArgs, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", pipe)...)
	var out, messages bytes.Buffer // written after the messages about device code
	host.Stdout, host.Stderr, host.ExtraFiles = &out, &messages, []*os.File{r}
	done := make(chan error, 1)
	go func() {
		defer r.Close()
		if b.show(host, &messages) {
			done <- nil
			return
		}
		done <- b.lenient(ctx, host, source, hostMend(b.Arch))
	}()
	images, err := b.images(b.ctx, source, b.Options, b.messages)
	if err == nil && !b.DryRun {
		ptx = images[len(images)-1].ptx
		if b.Keep {
			err = b.keep(derived(source, ".ptx"), ptx)
		}
	}
	if err != nil {
		stop()
		<-done
		return nil, err
	}
	w.Write(embedded(images)) // Host code with an error, or without kernels, does not read it.
	w.Close()
	err = <-done
	_, failed := b.out.Write(out.Bytes())
	_, alsoFailed := b.messages.Write(messages.Bytes())
	return ptx, cmp.Or(err, failed, alsoFailed)
}

// dependencies returns the arguments that make clang write the dependencies of a source while it is compiled.
func (b *build) dependencies(source, output string) []string {
	if b.Dependencies == "" {
		return nil
	}
	if b.temporary != "" && strings.HasPrefix(output, b.temporary) {
		output = filepath.Join(b.OutputFolder, derived(source, ".o"))
	}
	file, targets := b.DependencyFile, b.DependencyTargets
	if file == "" {
		file = strings.TrimSuffix(output, filepath.Ext(output)) + ".d"
	}
	if len(targets) == 0 {
		targets = []string{"-MT", output}
	}
	return append([]string{b.Dependencies, "-MF", file}, targets...)
}

// hostArgs returns the arguments for a source's host code. Without an optimisation level, nvcc does not optimise it,
// and neither does this: programs rely on the processor's overflow behaviour, on type punning in memory, and on tests
// of this for null.
func (b *build) hostArgs(source string) []string {
	host := b.Host
	if !b.hasLevel {
		host = append([]string{"-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"}, host...)
	}
	if b.isCUDA(source) {
		return slices.Concat(b.common(b.Options), b.Compile, host)
	}
	language := b.languageOf(source)
	if language == "c" && !slices.Contains(host, "-Werror") {
		host = append(slices.Clone(oldC), host...)
	}
	// clang refuses a standard of C++ for C
	compile := slices.DeleteFunc(slices.Clone(b.Compile), func(arg string) bool {
		return language == "c" && strings.HasPrefix(arg, "-std=") && strings.Contains(arg, "++")
	})
	return slices.Concat(b.plain(), []string{"-x", language}, compile, host)
}

// oldC makes warnings of what C before 1999 permits, and of mixed types of pointers. They are errors by default in
// clang, but warnings in GCC up to 13, by which nvcc compiles C.
var oldC = []string{"-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration", "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types"}

// plain returns the arguments for C and C++ sources, which may call the runtime API.
func (b *build) plain() []string {
	args := []string{"-I" + filepath.Join(b.folder, "include"), "-fno-strict-return", "-Wno-unused-command-line-argument", "-Wno-c++11-narrowing", "-Wno-register"}
	if !b.hasLevel {
		args = append(args, "-O2")
	}
	return args
}

// keep saves an intermediate file.
func (b *build) keep(name string, text []byte) error {
	if b.KeepFolder != "" {
		if err := os.MkdirAll(b.KeepFolder, 0o777); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(b.KeepFolder, name), text, 0o666)
}

// newFile returns the path of a file in a new temporary folder.
func (b *build) newFile(name string) (string, error) {
	if b.temporary == "" {
		folder, err := os.MkdirTemp("", "simtrun-cc-*")
		if err != nil {
			return "", err
		}
		b.temporary = folder
	}
	b.files++
	folder := filepath.Join(b.temporary, strconv.Itoa(b.files))
	return filepath.Join(folder, name), os.Mkdir(folder, 0o777)
}

// derived returns the name of a file made from a source.
func derived(source, extension string) string {
	return strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)) + extension
}
