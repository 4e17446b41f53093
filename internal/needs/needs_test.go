package needs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSkipsAreListed: a test is skipped and listed if its tool is missing, and only then.
func TestSkipsAreListed(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	t.Setenv(listed, list)
	var passed, skipped bool
	t.Run("present", func(t *testing.T) {
		Tool(t, "no-such-tool", "go")
		File(t, "list", ".")
		passed = true
	})
	for _, need := range []func(t *testing.T){
		func(t *testing.T) { Tool(t, "no-such-tool", "nor-this") },
		func(t *testing.T) { File(t, "headers", "no-such-file") },
	} {
		t.Run("absent", func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			need(t)
			t.Error("goes on")
		})
		if !skipped {
			t.Error("not skipped")
		}
	}
	got, err := os.ReadFile(list)
	if want := "no-such-tool TestSkipsAreListed/absent\nheaders TestSkipsAreListed/absent#01\n"; err != nil || string(got) != want || !passed {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
