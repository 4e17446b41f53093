//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/linear"
	"github.com/simtrun/simtrun/internal/short"
)

// longTexts has functions that return kernels of about n instructions of a kind, and the commands to run on them. A
// careless algorithm takes time quadratic in n.
var longTexts = []struct {
	name   string
	source func(n int) string
	args   []string
}{
	{"nested ifs", nestedIfs, []string{"profile", "--page", "source"}},
	{"nested ifs", nestedIfs, []string{"asm", "--cfg"}},
	{"nested ifs", nestedIfs, []string{"asm", "--cfg=svg"}},
	{"nested loops", nestedLoops, []string{"profile", "--page", "source"}},
	{"nested loops", nestedLoops, []string{"asm", "--cfg"}},
	{"nested loops", nestedLoops, []string{"asm", "--cfg=svg"}},
	{"loops", loops, []string{"profile", "--page", "source"}},
	{"branches that are taken", func(n int) string {
		return kernelOf(repeat(n, "setp.eq.u32 %p1, %tid.x, 3; @%p1 bra L#; add.u32 %r1, %r1, 1; L#: add.u32 %r2, %r2, 1;"))
	}, []string{"profile", "--page", "source"}},
	{"loads used late", func(n int) string {
		return fmt.Sprintf(".global .u32 g[%d];\n", n) + kernelOf(repeat(n, "ld.global.u32 %r#, [g+4*#];")+repeat(n, "add.u32 %r0, %r0, %r#;"))
	}, []string{"profile", "--page", "source"}},
	{"source files", func(n int) string {
		return repeat(n, `.file # "f#.cu"`) + kernelOf(repeat(n, ".loc # 1 0\nadd.u32 %r1, %r1, 1;"))
	}, []string{"profile", "--page", "source"}},
	{"straight code", func(n int) string { return kernelOf(repeat(n, "add.u32 %r1, %r1, 1;")) }, []string{"asm", "--cfg=dot"}},
	{"functions", functions, []string{"profile", "--page", "source"}},
	{"functions", functions, []string{"asm", "--cfg"}},
}

func nestedIfs(n int) string {
	var ends strings.Builder
	for i := range n {
		fmt.Fprintf(&ends, "L%d: add.u32 %%r2, %%r2, 1;\n", n-1-i)
	}
	return kernelOf(repeat(n, "@%p1 bra L#; add.u32 %r1, %r1, 1;") + ends.String())
}

func nestedLoops(n int) string {
	var ends strings.Builder
	for i := range n {
		fmt.Fprintf(&ends, "@%%p1 bra L%d;\n", n-1-i)
	}
	return kernelOf(repeat(n, "L#: add.u32 %r1, %r1, 1;") + ends.String())
}

func loops(n int) string { return kernelOf(repeat(n, "L#: add.u32 %r1, %r1, 1; @%p1 bra L#;")) }

func functions(n int) string {
	return repeat(n, ".func f#() { ret; }") + kernelOf(repeat(n, "call f#;"))
}

func kernelOf(body string) string { return ".entry k() {\n" + body + "ret; }\n" }

// repeat returns n copies of a line, with # replaced by the number of the copy.
func repeat(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// TestLongTextsAreLinear checks that a command takes CPU time linear in the length of its input.
func TestLongTextsAreLinear(t *testing.T) {
	short.Skip(t)
	const n = 500
	for i, c := range longTexts {
		if short.Skips(i) || short.Waits(i, 4) {
			continue
		}
		t.Run(c.name+" "+strings.Join(c.args, " "), func(t *testing.T) {
			linear.Check(t, n, func(n int) time.Duration {
				file := filepath.Join(t.TempDir(), "k.s")
				if err := os.WriteFile(file, []byte(c.source(n)), 0o666); err != nil {
					t.Fatal(err)
				}
				runtime.GC() // garbage of other tests
				began := cpuTime(t)
				if code := run(t.Context(), append(c.args[:len(c.args):len(c.args)], file), io.Discard, io.Discard); code != 0 {
					t.Fatal("exit", code)
				}
				return cpuTime(t) - began
			})
		})
	}
}

// cpuTime returns the CPU time of the process, user and system.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
