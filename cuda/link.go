package cuda

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

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

// EnvLibrary is an environment variable that names the folder of the driver library.
const EnvLibrary = "SIMTRUN_CUDA_LIB"

// driverFolders returns the folders that have the driver library: of that in EnvLibrary, or else of LibraryFolders.
func driverFolders() []string {
	folders := LibraryFolders()
	if named := os.Getenv(EnvLibrary); named != "" {
		if folder, err := filepath.Abs(named); err == nil {
			folders = []string{folder}
		}
	}
	return slices.DeleteFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, Library))
		return err != nil
	})
}

// LibraryFolders returns the folders in which the driver library may be: that of the running command, its subfolders
// lib and cuda/lib (an archive, a checkout), and lib/simtrun and lib next to it (a package in /usr).
func LibraryFolders() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil
	}
	folders := []string{".", "lib", "../lib/simtrun", "../lib", "cuda/lib"}
	for i, folder := range folders {
		folders[i] = filepath.Join(filepath.Dir(path), folder)
	}
	return folders
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
