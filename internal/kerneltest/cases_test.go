package kerneltest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

func TestCasesAreReadFromText(t *testing.T) {
	const text = `What they are.
$sum = add.u32 %r1, %r1, 1;

-- one --
# why
finds a b
finds c

$sum
ret;

-- two --

ret;
`
	got, err := casesOf(txtar.Parse([]byte(text)), []string{"finds"})
	want := []Case{
		{"one", []Line{{"finds", "a b"}, {"finds", "c"}}, "add.u32 %r1, %r1, 1;\nret;\n"},
		{"two", nil, "ret;\n"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestWrongCasesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "no cases",
		"-- a --\nfind x\n\nret;\n":      `a: no key "find"; there are finds`,
		"-- a --\nfinds x\n":             "a: no program after an empty line",
		"-- a --\n\nret;\n-- a --\n\nx;": `two cases of the name "a"`,
	} {
		if _, err := casesOf(txtar.Parse([]byte(text)), []string{"finds"}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestSourcesAreFilledIn: words of a program that the archive does not define are replaced by texts.
func TestSourcesAreFilledIn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("-- $twice --\n$add\n$add\n-- one --\n\n$twice\n\tret;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := Source(t, file, "one", "$add", "add.u32 %r1, %r1, 1;"), "add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n\tret;\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
