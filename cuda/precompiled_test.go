package cuda_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

// precompiledHeaders returns the precompiled headers in the cache.
func precompiledHeaders(t *testing.T) []string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(cache, "simtrun", "precompiled", "*.pch"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// built is what a command line makes, with or without precompiled headers: the file and the messages.
func built(t *testing.T, c *cuda.Compiler, plain bool, words ...string) (file []byte, messages string) {
	t.Helper()
	if plain {
		t.Setenv("CPATH", "/nonexistent") // might have headers that come first
	} else {
		t.Setenv("CPATH", "")
	}
	output := filepath.Join(t.TempDir(), "out")
	o, err := cuda.Parse(append(words, "-o", output))
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := c.Build(t.Context(), o, &said, &said); err != nil {
		said.WriteString(err.Error())
	}
	file, _ = os.ReadFile(output)
	return file, said.String()
}

// TestPrecompiledHeadersChangeNothing compares objects, PTX and messages with those without precompiled headers.
func TestPrecompiledHeadersChangeNothing(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	c := cudatest.Compiler(t)
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const source = `#include <cuda_fp16.h>
#include <vector>
#ifndef SCALE
#define SCALE 3
#endif
#ifdef _ASSERT_H_DECLS
int own_header() { return 1; }
#endif
__constant__ float table[4] = {1, 2, 3, 4};
template <class T> __global__ void k(T *p) { int unused; p[threadIdx.x] = T(SCALE * table[threadIdx.x % 4] * sinf(p[0])); assert(p); }
void launch(float *x, __half *h) { std::vector<int> v(__COUNTER__); k<<<1, 4>>>(x); k<<<1, 4>>>(h); }
`
	write("k.cu", source)
	write("wrong.cu", source+"int f() { return 1 + undeclared; }\nint g() { memcpy(1); }\n")
	write("lenient.cu", source+"__global__ void lanes(int *p) { asm(\"mov.u32 %0, %laneid;\" : \"=r\"(*p)); }\n")
	write("harmless/mine.h", "")
	write("before/assert.h", "#define _ASSERT_H_DECLS 1\n#include_next <assert.h>\n")
	for i, line := range []string{
		"-ptx -G k.cu", "-c -DSCALE=7 -Wall k.cu", "-ptx -O0 -std=c++20 -arch=sm_90 -use_fast_math -Iharmless k.cu", "-c -I before k.cu", "-c wrong.cu", "-ptx lenient.cu",
	} {
		if short.Skips(i) || short.Waits(i, 3) {
			continue
		}
		words := strings.Fields(line)
		want, wantSaid := built(t, c, true, words...)
		if got, said := built(t, c, false, words...); !bytes.Equal(got, want) || said != wantSaid {
			t.Errorf("%s with a precompiled header: %d bytes, want %d, and messages\n%s\nwant\n%s", line, len(got), len(want), said, wantSaid)
		}
	}
	if n := len(precompiledHeaders(t)); n == 0 {
		t.Error("no precompiled header was made")
	}
}

// TestPrecompiledHeadersAreKeptAndReplaced checks that a header is made once for a set of options, made again after a
// file in it changed, done without if it is damaged, and that only as many as said stay.
func TestPrecompiledHeadersAreKeptAndReplaced(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	c := cudatest.Compiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	if err := os.WriteFile("k.cu", []byte("__global__ void k() {}"), 0o666); err != nil {
		t.Fatal(err)
	}
	compile := func() os.FileInfo {
		t.Helper()
		if ptx, said := built(t, c, false, "-ptx", "k.cu"); !bytes.Contains(ptx, []byte(".entry _Z1kv")) || said != "" {
			t.Errorf("%s\n%s", ptx, said)
		}
		names := precompiledHeaders(t)
		if len(names) != 1 {
			t.Fatal(names)
		}
		info, err := os.Stat(names[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := compile()
	if !os.SameFile(first, compile()) {
		t.Error("a second compilation made the header again")
	}
	path := precompiledHeaders(t)[0]
	list := strings.TrimSuffix(path, ".pch") + ".list"
	text, err := os.ReadFile(list)
	if err != nil || !bytes.Contains(text, []byte("simtrun/prelude.h")) || !bytes.Contains(text, []byte("/assert.h")) {
		t.Fatalf("%v\n%s", err, text)
	}
	// A file of another size, as after an update of the system.
	if err := os.WriteFile(list, append([]byte("1"), text...), 0o666); err != nil {
		t.Fatal(err)
	}
	again := compile()
	if os.SameFile(first, again) {
		t.Error("the header was not made again after a file in it changed")
	}
	if err := os.WriteFile(path, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	built(t, c, false, "-ptx", "k.cu")
	if _, err := os.Stat(path); err == nil {
		t.Error("a damaged header stays")
	}
	compile()
	for i := range 30 {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), strings.Repeat("a", i+1)+".pch"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, said := built(t, c, false, "-ptx", "-O1", "k.cu"); said != "" {
		t.Error(said)
	}
	if n := len(precompiledHeaders(t)); n != 24 {
		t.Errorf("%d headers are kept", n)
	}
}

// TestRelocatableSourcesShareAHeader checks that sources with relocatable code, each of which has a name of its own for
// its static variables, use the same precompiled header.
func TestRelocatableSourcesShareAHeader(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	c := cudatest.Compiler(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	const source = "__device__ static int v; __global__ void k() { v++; }\nvoid set(int i) { cudaMemcpyToSymbol(v, &i, 4); }\n"
	var names [][]byte
	for _, file := range []string{"a.cu", "b.cu"} {
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		ptx, said := built(t, c, false, "-ptx", "-rdc=true", file)
		if said != "" {
			t.Error(said)
		}
		names = append(names, regexp.MustCompile(`_ZL1v__static__[0-9a-f]+`).Find(ptx))
	}
	if names[0] == nil || bytes.Equal(names[0], names[1]) {
		t.Errorf("the variables are called %q and %q", names[0], names[1])
	}
	if n := len(precompiledHeaders(t)); n != 1 {
		t.Errorf("there are %d precompiled headers, want 1", n)
	}
}
