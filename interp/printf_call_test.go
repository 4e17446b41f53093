package interp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

func TestPrintfFormatsArguments(t *testing.T) {
	src := kerneltest.Source(t, "testdata/kernels/printf_call.txt", "printf")
	var out bytes.Buffer
	if _, _, err := (kerneltest.Kernel{Source: src, Grid: kerneltest.Dim(2, 1), Words: []int{1}, Config: interp.Config{Stdout: &out}}).Run(t); err != nil {
		t.Fatal(err)
	}
	want := `lane 0 0000 0.00 ok 18446744073709551615
lane -1 0001 0.12 ok 18446744073709551615
lane -10 000a 1.25 ok 18446744073709551615
lane -11 000b 1.38 ok 18446744073709551615
`
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
}

// TestPrintfChecksItsPointers: a null format returns -1, as CUDA's does; a string outside of memory is a fault, before
// any of the lane's text is printed.
func TestPrintfChecksItsPointers(t *testing.T) {
	src := kerneltest.Source(t, "testdata/kernels/printf_call.txt", "printf pointers")
	var out bytes.Buffer
	k := kerneltest.Kernel{Source: strings.Replace(src, "FORMAT", "0", 1), Words: []int{32}, Config: interp.Config{Stdout: &out}}
	buffers, _, err := k.Run(t)
	if err != nil || buffers[0][31] != 0xffffffff || out.Len() != 0 {
		t.Errorf("null format: %v, %v, %q", err, buffers, out.String())
	}
	k.Source = strings.Replace(src, "FORMAT", "format", 1)
	_, _, err = k.Run(t)
	if err == nil || strings.Count(err.Error(), "error:") != 1 || !strings.Contains(err.Error(), "string outside of every buffer [mem-oob] generic 0xdeadbeefcafe") || out.Len() != 0 {
		t.Errorf("%v, %q", err, out.String())
	}
}
