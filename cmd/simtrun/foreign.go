package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// foreign is a kind of file that people have in hand when what is wanted is
// PTX, and how to come from it to PTX. %s stands for the file.
type foreign struct {
	what   string
	is     func(name string, src []byte) bool
	advice string
}

var llvmText = regexp.MustCompile(`(?m)^(; ModuleID|source_filename =|target (triple|datalayout) =|define [^\n]*\{)`)

var foreigners = []foreign{
	{"an ELF file, as cubins, objects and programs are", beginsWith("\x7fELF"), "if it has PTX in it, cuobjdump -ptx %s shows it"},
	{"a CUDA fat binary", beginsWith("\x50\xed\x55\xba"), "if it has PTX in it, cuobjdump -ptx %s shows it"},
	{"LLVM bitcode", beginsWith("BC\xc0\xde"), "make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 %s"},
	{"LLVM assembly", func(name string, src []byte) bool { return filepath.Ext(name) == ".ll" || llvmText.Match(src) },
		"make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 %s"},
	{"CUDA C++", isCUDA, "make PTX of it with: clang -S --cuda-device-only --cuda-gpu-arch=sm_90 %[1]s, or: nvcc -ptx %[1]s"},
}

func beginsWith(magic string) func(string, []byte) bool {
	return func(_ string, src []byte) bool { return bytes.HasPrefix(src, []byte(magic)) }
}

func isCUDA(name string, src []byte) bool {
	ext := filepath.Ext(name)
	return ext == ".cu" || ext == ".cuh" || bytes.Contains(src, []byte("__global__"))
}

// refuseForeign is an error if a file that does not assemble is none with PTX
// at all. Its name or content gives it away.
func refuseForeign(name string, src []byte) error {
	for _, f := range foreigners {
		if f.is(name, src) {
			advice := fmt.Sprintf(f.advice, name)
			return isa.Errorf(isa.Pos{File: name, Line: 1, Col: 1}, "this is %s, not PTX; %s", f.what, strings.TrimSpace(advice))
		}
	}
	return nil
}
