package main

import (
	"bytes"
	"debug/elf"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/isa"
)

// foreign is a kind of file that users pass in place of PTX, and how to make PTX from it. %[1]s stands for the file,
// %[2]s for the PTX file, and %[3]s for the file as a command.
type foreign struct {
	what   string
	is     func(name string, src []byte) bool
	advice string
}

var llvmText = regexp.MustCompile(`(?m)^(; ModuleID|source_filename =|target (triple|datalayout) =|define [^\n]*\{)`)

var foreigners = []foreign{
	{"a program", isExecutable, "simtrun host %[3]s runs it, --debug in the debugger, --profile with profiles of its launches; --save DIR saves them for simtrun run"},
	{"an ELF file, as cubins, objects and programs are", beginsWith("\x7fELF"), "if it has PTX in it, cuobjdump -ptx %[1]s shows it"},
	{"a CUDA fat binary", beginsWith("\x50\xed\x55\xba"), "if it has PTX in it, cuobjdump -ptx %[1]s shows it"},
	{"LLVM bitcode", beginsWith("BC\xc0\xde"), "make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o %[2]s %[1]s"},
	{"LLVM assembly", func(name string, src []byte) bool { return filepath.Ext(name) == ".ll" || llvmText.Match(src) },
		"make PTX of it with: llc -march=nvptx64 -mcpu=sm_90 -o %[2]s %[1]s"},
	{"text in UTF-16", beginsWith("\xff\xfe"), "save %[1]s as UTF-8"},
	{"text in UTF-16", beginsWith("\xfe\xff"), "save %[1]s as UTF-8"},
	{"a gzip file", beginsWith("\x1f\x8b"), "unpack it with: gunzip %[1]s"},
	{"a zip file", beginsWith("PK\x03\x04"), "unpack it with: unzip %[1]s"},
	{"an HTML page", func(_ string, src []byte) bool { return htmlText.Match(src) }, "download the file itself"},
	{"CUDA C++", isCUDA, cudaAdvice},
	{"text in UTF-16", isWide, "save %[1]s as UTF-8"},
	{"a binary file", isBinary, "PTX is text"},
}

var htmlText = regexp.MustCompile(`(?i)^\s*<(!doctype html|html)\b`)

// sampled is the number of bytes at the start of a file that decide whether it is text.
const sampled = 4 << 10

// isWide reports whether every other byte is zero, as in text of UTF-16 without a byte order mark.
func isWide(_ string, src []byte) bool {
	src = src[:min(len(src), sampled)]
	zeros := [2]int{}
	for i, c := range src {
		if c == 0 {
			zeros[i%2]++
		}
	}
	return len(src) > 3 && max(zeros[0], zeros[1]) > len(src)*2/5 && min(zeros[0], zeros[1]) == 0
}

// isBinary reports whether a file is not text: it has a zero byte, or one in ten of its bytes is a control character or
// not UTF-8. A comment may be in an older encoding.
func isBinary(_ string, src []byte) bool {
	src = src[:min(len(src), sampled)]
	strange := 0
	for rest := src; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == 0 {
			return true
		}
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) && !unicode.IsSpace(r) {
			strange += n
		}
		rest = rest[n:]
	}
	return strange*10 > len(src)
}

// cudaAdvice is for CUDA C++ in a file without the suffix .cu.
const cudaAdvice = `make PTX of it with
  simtrun cc -ptx -x cu -o %[2]s %[1]s
which needs clang, and no CUDA toolkit; or with nvcc:
  nvcc -ptx -x cu -o %[2]s %[1]s
A file that is called .cu needs neither: simtrun run compiles it`

func beginsWith(magic string) func(string, []byte) bool {
	return func(_ string, src []byte) bool { return bytes.HasPrefix(src, []byte(magic)) }
}

// isExecutable reports whether a file is an ELF program of the host, or a shared library.
func isExecutable(_ string, src []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(src))
	return err == nil && (f.Type == elf.ET_EXEC || f.Type == elf.ET_DYN) && f.Machine != elf.EM_CUDA
}

func isCUDA(name string, src []byte) bool {
	ext := filepath.Ext(name)
	return ext == ".cu" || ext == ".cuh" || bytes.Contains(src, []byte("__global__"))
}

// foreignError is about a whole file.
type foreignError struct{ err *isa.Error }

func (e foreignError) Error() string { return e.err.Error() }
func (e foreignError) Unwrap() error { return e.err }

// refuseForeign returns an error if a file that does not assemble is recognised, by name or content, as something
// other than PTX.
func refuseForeign(name string, src []byte) error {
	for _, f := range foreigners {
		if f.is(name, src) {
			command := name
			if filepath.Base(name) == name {
				command = "./" + name
			}
			advice := strings.NewReplacer("%[1]s", name, "%[3]s", command, "%[2]s", strings.TrimSuffix(name, filepath.Ext(name))+".ptx").Replace(f.advice)
			return foreignError{isa.Errorf(isa.Pos{File: name, Line: 1, Col: 1}, "this is %s, not PTX; %s", f.what, strings.TrimSpace(advice))}
		}
	}
	return nil
}
