package interp_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestTextsSurviveFormatting runs each kernel of testdata/texts.txt from its source, and from the output of Format.
func TestTextsSurviveFormatting(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/texts.txt", "want", "nul") {
		t.Run(c.Name, func(t *testing.T) {
			src, want := c.Body+strings.Repeat("\x00", len(c.Values("nul"))), wantedWords(t, &c)
			mod, err := asm.Parse("k.s", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			for _, src := range []string{src, asm.Format(mod)} {
				out, _, err := kerneltest.Kernel{Source: src, Block: kerneltest.Dim(1, 1), Words: []int{len(want)}}.Run(t)
				if err != nil {
					t.Fatalf("%v\n%s", err, src)
				}
				if diff := cmp.Diff(want, out[0]); diff != "" {
					t.Errorf("memory (-want +got):\n%s\n%s", diff, src)
				}
			}
		})
	}
}

// wantedWords returns the words of the lines want of a case.
func wantedWords(t *testing.T, c *kerneltest.Case) (all []uint32) {
	t.Helper()
	for text := range strings.FieldsSeq(strings.Join(c.Values("want"), " ")) {
		n, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		all = append(all, uint32(n))
	}
	if all == nil {
		t.Fatalf("%s: no words are wanted", c.Name)
	}
	return all
}
