package asm

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMistakesAreReportedAtTheirPlace: each mistake is an error or a warning at its place, which says what to write;
// "right" has neither. The mistakes are statements of the kernel in mistakes.ptx, or directives of its head.
func TestMistakesAreReportedAtTheirPlace(t *testing.T) {
	around, err := os.ReadFile("testdata/mistakes.ptx")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		mistake, want, ok := strings.Cut(strings.TrimSpace(line), " // ")
		if !ok {
			continue
		}
		head, body := "", mistake
		if strings.HasPrefix(mistake, ".reqntid") {
			head, body = mistake, ""
		}
		src := strings.NewReplacer("HEAD", head, "BODY", strings.TrimSpace(body)).Replace(string(around))
		if got := reply(src); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", mistake, got, want)
		}
	}
}

// reply returns the first error of a source, or its first warning, as column and message; "right" for none.
func reply(src string) string {
	m, err := Parse("x.s", []byte(src))
	if errs, ok := err.(Errors); ok {
		return fmt.Sprintf("%d: %s", errs.List[0].Pos.Col, errs.List[0].Msg)
	}
	if all := Warnings(m); len(all) > 0 {
		return fmt.Sprintf("%d: %s", all[0].Pos.Col, all[0].Msg)
	}
	return "right"
}
