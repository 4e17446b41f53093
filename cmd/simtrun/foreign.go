package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// foreign is a kind of file that is given in place of PTX, and how to make PTX of it. %[1]s stands for the file, %[2]s for that of the PTX.
type foreign struct {
	what   string
	is     func(name string, src []byte) bool
	advice string
}

var llvmText = regexp.MustCompile(`(?m)^(; ModuleID|source_filename =|target (triple|datalayout) =|define [^\n]*\{)`)

var foreigners = []foreign{
	{"an ELF file, as cubins, objects and programs are", beginsWith("\x7fELF"), "if it has PTX in it, cuobjdump -ptx %[1]s shows it"},
	{"a CUDA fat binary", beginsWith("\x50\xed\x55\xba"), "if it has PTX in it, cuobjdump -ptx %[1]s shows it"},
	{"LLVM bitcode", beginsWith("BC\xc0\xde"), "make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o %[2]s %[1]s"},
	{"LLVM assembly", func(name string, src []byte) bool { return filepath.Ext(name) == ".ll" || llvmText.Match(src) },
		"make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o %[2]s %[1]s"},
	{"text in UTF-16", beginsWith("\xff\xfe"), "save %[1]s as UTF-8"},
	{"text in UTF-16", beginsWith("\xfe\xff"), "save %[1]s as UTF-8"},
	{"CUDA C++", isCUDA, cudaAdvice},
}

// cudaAdvice has two ways. That of clang needs no CUDA toolkit: it has the
// built-in variables in a header of its own, and the rest are attributes and
// builtins. It has none of the toolkit's headers and functions.
const cudaAdvice = `make PTX of it with
  nvcc -ptx -o %[2]s %[1]s
or, for code that takes nothing from CUDA's headers, without a CUDA toolkit:
  clang -S -O2 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib \
    -include __clang_cuda_builtin_vars.h '-D__global__=__attribute__((global))' \
    '-D__device__=__attribute__((device))' '-D__shared__=__attribute__((shared))' \
    '-D__constant__=__attribute__((constant))' '-D__syncthreads()=__nvvm_bar_sync(0)' -o %[2]s %[1]s`

func beginsWith(magic string) func(string, []byte) bool {
	return func(_ string, src []byte) bool { return bytes.HasPrefix(src, []byte(magic)) }
}

func isCUDA(name string, src []byte) bool {
	ext := filepath.Ext(name)
	return ext == ".cu" || ext == ".cuh" || bytes.Contains(src, []byte("__global__"))
}

// foreignError is about a whole file.
type foreignError struct{ err *isa.Error }

func (e foreignError) Error() string { return e.err.Error() }
func (e foreignError) Unwrap() error { return e.err }

// refuseForeign is an error if a file that does not assemble is none with PTX
// at all. Its name or content gives it away.
func refuseForeign(name string, src []byte) error {
	for _, f := range foreigners {
		if f.is(name, src) {
			advice := strings.NewReplacer("%[1]s", name, "%[2]s", strings.TrimSuffix(name, filepath.Ext(name))+".ptx").Replace(f.advice)
			return foreignError{isa.Errorf(isa.Pos{File: name, Line: 1, Col: 1}, "this is %s, not PTX; %s", f.what, strings.TrimSpace(advice))}
		}
	}
	return nil
}
