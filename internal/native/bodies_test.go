package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// onBothBodies runs a launch by lane functions alone, and compiled from the first instruction on, and
// says how what comes of it differs, or "".
func onBothBodies(t testing.TB, k kerneltest.Kernel) string {
	t.Helper()
	type outcome struct {
		Out   [][]uint32
		Stats interp.Stats
		Err   string
	}
	run := func(c interp.Compilation, level jit.Level) outcome {
		k.Config.Compile, k.Config.Lanes = c, level
		out, stats, err := k.Run(t)
		return outcome{out, stats, fmt.Sprint(err)}
	}
	want := run(interp.CompileNever, jit.None)
	for _, level := range kerneltest.Levels() {
		if diff := kerneltest.Diff(want, run(interp.CompileAlways, level), cmpopts.EquateEmpty()); diff != "" {
			return fmt.Sprintf("%v: %s", level, diff)
		}
	}
	return ""
}

// wholeKernel is code as a kernel with a buffer, in which it stores what is in %r1 at the end.
func wholeKernel(code string) string { return kerneltest.Entry + code + kerneltest.StoreR1 }

// TestCompiledBodiesAgree runs the kernels of testdata/bodies, which compiled code could easily get wrong. The second
// CTA finds compiled code that knows where accesses go.
func TestCompiledBodiesAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/bodies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		_, cases := readCases(t, file)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { agreeInAllModels(t, c) })
		}
	}
}

// textCase is a case of a text file: the body of a kernel, and the words that it stores, unless these are nil.
type textCase struct {
	name, code string
	block      isa.Dim // zero unless the first line says "block X Y"
	want       []uint32
}

// readCases returns the cases of a file, and the code at the beginning of each, which is that of a case with the name
// "begin". A case starts with a line of "==" and its name, and has comments behind "#" before its code.
func readCases(t *testing.T, file string) (begin string, cases []textCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, lines, _ := strings.Cut(part, "\n")
		c := textCase{name: name, code: begin}
		for line := range strings.Lines(lines) {
			words := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "block "):
				c.block.Z = 1
				if _, err := fmt.Sscanf(line, "block %d %d", &c.block.X, &c.block.Y); err != nil {
					t.Fatalf("%s: %s: %v", file, name, err)
				}
			case strings.HasPrefix(line, "want "):
				for _, word := range words[1:] {
					v, err := strconv.ParseUint(word, 10, 32)
					if err != nil {
						t.Fatalf("%s: %s: %v", file, name, err)
					}
					c.want = append(c.want, uint32(v))
				}
			default:
				c.code += line
			}
		}
		if name == "begin" {
			begin = c.code
		} else {
			cases = append(cases, c)
		}
	}
	return begin, cases
}

// agreeInAllModels runs a case on both bodies.
func agreeInAllModels(t *testing.T, c textCase) {
	t.Helper()
	for _, model := range kerneltest.Models {
		k := kerneltest.Kernel{Source: wholeKernel("\n" + c.code), Grid: kerneltest.Dim(3, 1), Block: c.block, Words: []int{256},
			Config: interp.Config{Divergence: model}}
		if diff := onBothBodies(t, k); diff != "" {
			t.Errorf("%v (-lane functions +compiled):\n%s", model, diff)
		}
	}
}
