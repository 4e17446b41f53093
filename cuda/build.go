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
		return &OptionError{"no file; it is written simtrun cc FILE"}
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
// and neither does this: programs rely on the processor's overflow behaviour and on type punning in memory.
func (b *build) hostArgs(source string) []string {
	host := b.Host
	if !b.hasLevel {
		host = append([]string{"-fwrapv", "-fno-strict-aliasing"}, host...)
	}
	if b.isCUDA(source) {
		return slices.Concat(b.common(b.Options), b.Compile, host)
	}
	language := b.languageOf(source)
	// clang refuses a standard of C++ for C
	compile := slices.DeleteFunc(slices.Clone(b.Compile), func(arg string) bool {
		return language == "c" && strings.HasPrefix(arg, "-std=") && strings.Contains(arg, "++")
	})
	return slices.Concat(b.plain(), []string{"-x", language}, compile, host)
}

// plain returns the arguments for C and C++ sources, which may call the runtime API.
func (b *build) plain() []string {
	args := []string{"-I" + filepath.Join(b.folder, "include"), "-Wno-unused-command-line-argument", "-Wno-c++11-narrowing", "-Wno-register"}
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

// program compiles all sources and links them with the runtime.
func (b *build) program() error {
	inputs, err := b.objects()
	if err != nil {
		return err
	}
	return b.link(inputs)
}

// objects compiles the sources, and returns the inputs with the objects in place of the sources.
func (b *build) objects() ([]string, error) {
	inputs := slices.Clone(b.Inputs)
	for i, input := range inputs {
		if !b.isSource(input) {
			continue
		}
		object, err := b.newFile(derived(input, ".o"))
		if err != nil {
			return nil, err
		}
		if err := b.compile(input, object); err != nil {
			return nil, err
		}
		inputs[i] = object
	}
	return inputs, nil
}

// link links objects, libraries and the runtime to a program.
func (b *build) link(inputs []string) error {
	output := b.Output
	if output == "" {
		output = "a.out"
	}
	runtime, err := b.runtimeWords()
	if err != nil {
		return err
	}
	inputs = inAnyOrder(b.ownOpenMP(slices.DeleteFunc(slices.Clone(inputs), b.isHeaderAlone)))
	args := slices.Concat([]string{"--driver-mode=g++", "-Wno-unused-command-line-argument", "-o", output}, inputs, b.Host, b.Link, runtime)
	return b.execute(exec.CommandContext(b.ctx, b.linker(), append(args, "-lpthread", "-ldl", "-lm")...), output)
}

// inAnyOrder makes the linker search static libraries repeatedly, because relocatable device code does not depend on
// their order.
func inAnyOrder(inputs []string) []string {
	if !slices.ContainsFunc(inputs, func(input string) bool { return filepath.Ext(input) == ".a" }) {
		return inputs
	}
	return slices.Concat([]string{"-Wl,--start-group"}, inputs, []string{"-Wl,--end-group"})
}

// runtimeWords returns the linker's arguments for the runtime and the driver library.
func (b *build) runtimeWords() ([]string, error) {
	if b.Toolkit != "" {
		return b.toolkitLibraries(), nil
	}
	words, err := b.runtime(b.ctx, b.messages)
	if err != nil {
		return nil, err
	}
	for _, folder := range driverFolders() {
		words = append(words, "-L"+folder, "-Wl,-rpath,"+folder)
	}
	return append(words, libraryPath()...), nil
}

// linker returns the compiler under the name with which it links C++, if it has one.
func (c *Compiler) linker() string {
	folder, name := filepath.Split(c.Path)
	path := filepath.Join(folder, strings.Replace(name, "clang", "clang++", 1))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return c.Path
}

// isHeaderAlone reports whether an input is a library of the toolkit that may be needed only for its header, and that
// is neither in a folder on the command line nor in that of the driver library.
func (b *build) isHeaderAlone(input string) bool {
	if input != "-lcurand" && input != "-lnvToolsExt" {
		return false
	}
	folders := driverFolders()
	for _, word := range b.Link {
		if folder, ok := strings.CutPrefix(word, "-L"); ok {
			folders = append(folders, folder)
		}
	}
	return !slices.ContainsFunc(folders, func(folder string) bool {
		found, _ := filepath.Glob(filepath.Join(folder, "lib"+input[2:]+".*"))
		return len(found) > 0
	})
}

// runtime returns the objects of the runtime, which are compiled once for each version of the runtime and of clang.
func (c *Compiler) runtime(ctx context.Context, messages io.Writer) ([]string, error) {
	made := filepath.Join(c.folder, fmt.Sprintf("runtime-%d", c.Version))
	if _, err := os.Stat(made); err != nil {
		if err := c.compileRuntime(ctx, made, messages); err != nil {
			return nil, err
		}
	}
	return filepath.Glob(filepath.Join(made, "*.o"))
}

// compileRuntime makes a folder with the runtime's objects atomically, because other processes may do the same.
func (c *Compiler) compileRuntime(ctx context.Context, made string, messages io.Writer) error {
	temporary, err := os.MkdirTemp(c.folder, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	sources, err := filepath.Glob(filepath.Join(c.folder, "rt", "*.c"))
	if err != nil {
		return err
	}
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-c", "-I", filepath.Join(c.folder, "include")}
	cmd := exec.CommandContext(ctx, c.Path, append(args, sources...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = temporary, messages, messages
	if err := c.run(cmd, "the CUDA runtime"); err != nil {
		return err
	}
	if err := os.Rename(temporary, made); err != nil {
		if _, there := os.Stat(made); there != nil {
			return err
		}
	}
	return nil
}

// libraryPath returns the folders of LD_LIBRARY_PATH that contain the driver library: -lcuda finds it there, too.
func libraryPath() []string {
	var found []string
	for _, folder := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		if _, err := os.Stat(filepath.Join(folder, "libcuda.so")); err == nil {
			found = append(found, "-L"+folder)
		}
	}
	return found
}

// driverFolders are the folders in which the driver library is found without LD_LIBRARY_PATH: those next to the
// command, in a checkout or an installation.
func driverFolders() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil
	}
	var found []string
	for _, folder := range []string{"lib", "../lib", "../lib/simtrun", "cuda/lib"} {
		folder = filepath.Join(filepath.Dir(path), folder)
		if _, err := os.Stat(filepath.Join(folder, "libcuda.so.1")); err == nil {
			found = append(found, folder)
		}
	}
	return found
}

// clang runs clang on a source.
func (b *build) clang(source string, args ...string) error {
	return b.execute(exec.CommandContext(b.ctx, b.Path, args...), source)
}

// execute runs a command that compiles or links for a source.
func (b *build) execute(cmd *exec.Cmd, source string) error {
	cmd.Stdout, cmd.Stderr = b.out, b.messages
	if b.show(cmd, b.messages) {
		return nil
	}
	return b.run(cmd, source)
}

// removeTemporary removes temporary files.
func (b *build) removeTemporary() {
	if b.temporary != "" {
		os.RemoveAll(b.temporary)
	}
}
