package cuda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A toolkit folder is where build systems look for CUDA: bin/nvcc, include, lib64. makeToolkit makes one in which
// nvcc, ptxas and nvlink are scripts that call this command.

// nvccScript is bin/nvcc: it calls the command with the toolkit's folder. ptxasScript is bin/ptxas, and nvlinkScript
// bin/nvlink.
const (
	nvccScript   = "#!/bin/sh\nexec %s cc --toolkit %s \"$@\"\n"
	ptxasScript  = "#!/bin/sh\nexec %s cc --ptxas \"$@\"\n"
	nvlinkScript = "#!/bin/sh\nexec %s cc --nvlink \"$@\"\n"
)

// makeToolkit makes a toolkit folder, or updates it.
func (c *Compiler) makeToolkit(ctx context.Context, o *Options, messages io.Writer) error {
	root, err := filepath.Abs(o.MakeToolkit)
	if err != nil {
		return err
	}
	for _, folder := range []string{"bin", "lib64/stubs", "nvvm/libdevice"} { // CMake requires the last
		if err := os.MkdirAll(filepath.Join(root, folder), 0o777); err != nil {
			return err
		}
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	for name, script := range map[string]string{"nvcc": fmt.Sprintf(nvccScript, quoted(command), quoted(root)), "ptxas": fmt.Sprintf(ptxasScript, quoted(command)), "nvlink": fmt.Sprintf(nvlinkScript, quoted(command))} {
		if err := os.WriteFile(filepath.Join(root, "bin", name), []byte(script), 0o777); err != nil {
			return err
		}
	}
	// for Meson
	if err := os.WriteFile(filepath.Join(root, "version.txt"), []byte("CUDA Version "+cudaRelease+".0\n"), 0o666); err != nil {
		return err
	}
	if err := unpackHeaders(root); err != nil {
		return err
	}
	if err := c.makeLibdevice(ctx, filepath.Join(root, "nvvm/libdevice"), messages); err != nil {
		return err
	}
	return c.makeLibraries(ctx, o, filepath.Join(root, "lib64"), messages)
}

// makeLibdevice makes libdevice's bitcode file, which clang links into device code by default. It is empty, since
// simtrun has the functions.
func (c *Compiler) makeLibdevice(ctx context.Context, folder string, messages io.Writer) error {
	cmd := exec.CommandContext(ctx, c.Path, "--target=nvptx64-nvidia-cuda", "-x", "c", "-c", "-emit-llvm", "-o", filepath.Join(folder, "libdevice.10.bc"), os.DevNull)
	cmd.Stdout, cmd.Stderr = messages, messages
	return c.run(cmd, folder)
}

// unpackHeaders writes the headers into a folder.
func unpackHeaders(root string) error {
	return eachFile(func(path string, text []byte) error {
		if !strings.HasPrefix(path, "include/") {
			return nil
		}
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	})
}

// makeLibraries makes the runtime as a static and a shared library, and links to the driver library, NVRTC, cuRAND,
// NVML and cuBLAS if there are any. Makefiles look for the driver library and NVML in stubs. The
// library of the device runtime, and libraries that have only headers, are empty.
func (c *Compiler) makeLibraries(ctx context.Context, o *Options, folder string, messages io.Writer) error {
	objects, err := c.runtime(ctx, messages)
	if err != nil {
		return err
	}
	const versions = "libcudart.versions"
	if err := os.WriteFile(filepath.Join(folder, versions), []byte("libcudart.so.12 { global: cuda*; __cuda*; simtrun*; local: *; };\n"), 0o666); err != nil {
		return err
	}
	defer os.Remove(filepath.Join(folder, versions))
	archiver := c.archiver(ctx, o)
	for _, args := range [][]string{
		append([]string{archiver, "rcs", "libcudart_static.a"}, objects...),
		{archiver, "rcs", "libcudadevrt.a"},
		{archiver, "rcs", "libcurand.a"},
		{archiver, "rcs", "libnvToolsExt.a"},
		append([]string{c.Path, "-shared", "-Wl,-soname,libcudart.so.12", "-Wl,--version-script=" + versions, "-o", "libcudart.so.12", "-lpthread", "-ldl"}, objects...),
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, messages, messages
		if err := c.run(cmd, folder); err != nil {
			return err
		}
	}
	if err := linkAnew("libcudart.so.12", filepath.Join(folder, "libcudart.so")); err != nil {
		return err
	}
	names := []string{"libcuda.so", "libcuda.so.1", "stubs/libcuda.so", "libnvrtc.so", "libnvrtc.so.12", "libcurand.so", "libcurand.so.10",
		"libnvidia-ml.so", "libnvidia-ml.so.1", "stubs/libnvidia-ml.so"}
	for _, library := range []string{"libcublas.so", "libcublasLt.so"} {
		names = append(names, library, library+".11", library+".12", library+".13")
	}
	folders := driverFolders()
	if len(folders) == 0 {
		fmt.Fprintf(messages, "simtrun: note: the toolkit has no driver library, which -lcuda, NVRTC and cuBLAS need, as there is none next to the command; simtrun's packages and archives have it, make -C cuda builds it, %s names its folder\n", EnvLibrary)
	}
	for _, found := range folders {
		for _, name := range names {
			path, err := filepath.Abs(filepath.Join(found, filepath.Base(name)))
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if err := linkAnew(path, filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkAnew makes a symbolic link, and replaces an earlier one.
func linkAnew(target, link string) error {
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, link)
}

// describe prints the location of a toolkit in the lines that CMake looks for.
func (c *Compiler) describe(o *Options, messages io.Writer) {
	fmt.Fprintf(messages, "#$ TOP=%s\n#$ LIBRARIES=%s\n#$ INCLUDES=%s\n#$ ARCHITECTURE=-arch compute_%d\n",
		o.Toolkit, quoted("-L"+filepath.Join(o.Toolkit, "lib64")), quoted("-I"+filepath.Join(o.Toolkit, "include")), archNumber(o.Arch))
}

// toolkitLibraries returns the linker's arguments for the runtime of the toolkit, and the folders of the driver
// library, which may be built after the toolkit is made.
func (o *Options) toolkitLibraries() []string {
	words := []string{"-L" + filepath.Join(o.Toolkit, "lib64")}
	for _, folder := range driverFolders() {
		words = append(words, "-L"+folder)
	}
	switch o.Runtime {
	case "static":
		return append(words, "-lcudadevrt", "-lcudart_static", "-lrt")
	case "shared":
		return append(words, "-lcudadevrt", "-lcudart")
	}
	return words
}
