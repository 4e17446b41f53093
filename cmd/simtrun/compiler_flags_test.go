package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOptionsOfNVCCBecomeOptionsOfTheCompiler(t *testing.T) {
	for line, want := range map[string][]string{
		"run k.cu -DN=4 -D M -Iinc -I a":     {"run", "k.cu", "--cc=-DN=4", "--cc=-D M", "--cc=-Iinc", "--cc=-I a"},
		"-O0 k.cu -std=c++20 -use_fast_math": {"--cc=-O0", "k.cu", "--cc=-std=c++20", "--cc=-use_fast_math"},
		"k.cu -arch=sm_80 -o x -j 4":         {"k.cu", "--arch=sm_80", "-o", "x", "-j", "4"},
		"k.cu --cc -DN=4":                    {"k.cu", "--cc", "-DN=4"},
		"k.cu -D":                            {"k.cu", "--cc=-D"},
		"k.cu -DF(x)=x":                      {"k.cu", "--cc='-DF(x)=x'"},
		"cc k.cu -DN -O0":                    {"cc", "k.cu", "-DN", "-O0"},
		"host ./prog -O0":                    {"host", "./prog", "-O0"},
		"run k.cu -- -DN":                    {"run", "k.cu", "--", "-DN"},
	} {
		if got := compilerFlags(strings.Fields(line)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestCompilerTakesOptions compiles a kernel that shows which options arrived.
func TestCompilerTakesOptions(t *testing.T) {
	needsClang(t)
	dir := cudaFolder(t, `//sim:cc -DN=1 -I inc
//sim:arg o=zeros:1:s32
//sim:dump o
#include "ten.h"
#ifndef H
#define H 0
#endif
__global__ void k(int *o) { *o = N + TEN + H; }
`)
	if err := os.Mkdir(filepath.Join(dir, "inc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "inc", "ten.h"), []byte("#define TEN 10\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"k.cu -DH=100 -q", "o[0:1] s32 = 111\n"},
		{"k.cu --cc -o", "--cc -o: -o: it has a value"},
		{"k.cu --cc -c", "simtrun: --cc -c: -c: only options for compiling, such as -DN=4, -Iinc, -O0 and -std=c++20, are accepted here"},
		{"k.cu --cc b.cu", "simtrun: --cc b.cu: b.cu is not an option of the compiler"},
		{"test k.cu -DH=100", "ok    1 case"},
	} {
		got := simtrunIn(t.Context(), dir, strings.Fields(c.words)...)
		if !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: %+v, want %s", c.words, got, c.want)
		}
	}
}
