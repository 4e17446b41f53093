package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/gpu"
)

// cudaExtension is the suffix of CUDA C++ files, which are compiled to PTX wherever PTX is read.
const cudaExtension = ".cu"

var ptxText = regexp.MustCompile(`(?m)^[ \t]*\.(version|target|visible|entry|func)\b`)

// isPTX reports whether a file with CUDA C++'s suffix contains PTX, which may have any name.
func isPTX(text []byte) bool {
	return ptxText.Match(text) && !bytes.Contains(text, []byte("__global__"))
}

// ccName is the command whose options belong to the compiler.
const ccName = "cc"

func ccHelp() string {
	return `Compile CUDA C++ with clang and simtrun's headers and runtime, without a CUDA toolkit.

  simtrun cc kernel.cu -o kernel.ptx     the device's code as PTX
  simtrun cc prog.cu more.cu -o prog     a program; -c makes objects, to be linked in the same way
  simtrun cc -rdc=true a.cu b.cu         a program with calls between the device code of its files; -dc makes such objects
  simtrun cc --make-toolkit DIR          a folder with bin/nvcc, include and lib64, for CMake and other build systems
  simtrun run kernel.cu --grid 4         compiles, and runs a kernel

Options are those of nvcc or clang: -arch=sm_90 (default sm_80), -I, -D, -O, -std, -L, -l, -Xcompiler, -g. Options
for GPU machine code, such as those of ptxas, are ignored.

NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS have options before and after those of the command line.

SIMTRUN_CLANG names the clang to use; by default it is the first tested version, ` + testedClangs() + `, that knows the architecture.`
}

func newCCCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   ccName + " FILE... [-o FILE] [options of nvcc or clang]",
		Short: "Compile CUDA C++ to PTX or to a program",
		Long:  ccHelp(),
		// The options are the compiler's.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			return compile(cmd, args)
		},
	}
	completeSources(cmd)
	return cmd
}

// compile executes the cc command.
func compile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] == ptxasFlag {
		return ptxas(cmd, args[1:])
	}
	if len(args) > 0 && args[0] == nvlinkFlag {
		return nvlink(cmd, args[1:])
	}
	o, err := cuda.ParseCommand(args, os.Getenv, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := refuse(o.Inputs, o.DryRun); err != nil {
		return err
	}
	c, err := cuda.FindFor(o)
	if err != nil {
		return err
	}
	return compiled(c.Build(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr()))
}

// refuse returns an error if an input of the compiler does not exist, or is PTX in a file with the suffix of host
// assembly. In a dry run, which reads no file, an input may not exist unless another one is likely meant.
func refuse(inputs []string, dry bool) error {
	for _, path := range inputs {
		path = strings.Trim(path, `"`) // Meson quotes the program to run
		meant := meantFile(path)
		if _, err := os.Stat(path); meant != "" || errors.Is(err, fs.ErrNotExist) && !dry && !strings.HasPrefix(path, "-") {
			return &usageError{msg: fmt.Sprintf("no file %s%s", path, meant)}
		}
		if ext := filepath.Ext(path); ext != ".s" && ext != ".ptx" {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && isPTX(text) {
			return &usageError{msg: fmt.Sprintf("%s is PTX, which needs no compiler: simtrun %s runs it, simtrun asm %s checks it", path, path, path)}
		}
	}
	return nil
}

// compiled converts an error of the compiler, which has already printed its messages, to the exit status of the
// compiler or, with -run, of the program.
func compiled(err error) error {
	if is[*cuda.CompileError](err) {
		return &codedError{exitProgram, err}
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return &codedError{max(exit.ExitCode(), 1), fmt.Errorf("the program ended with %w", exit)}
	}
	return err
}

// compileCUDA compiles a CUDA C++ source to PTX for the GPUs that run it; the error has clang's messages. Relocatable
// code can be linked with that of other sources. The note tells users about the choice of compiler or architecture;
// "" for none.
func compileCUDA(s *source, relocatable bool, r reading) (ptx []byte, note string, err error) {
	o, arch, err := r.compilerOptions(s)
	if err != nil {
		return nil, "", err
	}
	o.Relocatable = relocatable
	o.Variables, o.Unoptimised = o.Variables || r.variables, o.Unoptimised || r.unoptimised
	capability, alone := oldestOf(r.targets(s))
	if arch == "" {
		o.Arch = cuda.ArchOf(capability, alone)
	}
	c, err := cuda.FindFor(o)
	if err != nil {
		return nil, "", &usageError{msg: s.name + " is CUDA C++: " + explain(err)}
	}
	notes := []string{c.Note}
	if arch == "" {
		o.Arch, note = c.ArchFor(capability, alone)
		notes = append(notes, note)
	}
	var messages bytes.Buffer
	ptx, err = c.PTX(context.Background(), s.name, o, &messages)
	if is[*cuda.CompileError](err) {
		return nil, "", &codedError{exitProgram, compilerError(strings.TrimRight(messages.String(), "\n"))}
	}
	return ptx, strings.Trim(strings.Join(notes, "; "), "; "), err
}

// oldestOf returns the lowest compute capability of some GPUs, and whether all have the same.
func oldestOf(gpus []*gpu.Config) (capability [2]int, alone bool) {
	capability = slices.MinFunc(gpus, func(a, b *gpu.Config) int { return slices.Compare(a.Capability[:], b.Capability[:]) }).Capability
	return capability, !slices.ContainsFunc(gpus, func(g *gpu.Config) bool { return g.Capability != capability })
}

// compilerError is the text of a compiler's messages.
type compilerError string

func (e compilerError) Error() string { return string(e) }
