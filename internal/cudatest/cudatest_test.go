package cudatest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGoKeepsItsBuildCache: the go command derives its cache from XDG_CACHE_HOME, which must not move it; if GOCACHE is
// set it stays.
func TestGoKeepsItsBuildCache(t *testing.T) {
	user := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", user)
	t.Setenv("HOME", user) // from which other systems derive it
	for _, own := range []string{"", "/own"} {
		t.Setenv("GOCACHE", own)
		set := make(map[string]string)
		UseCache(func(name, value string) { set[name] = value })
		if got := set["GOCACHE"]; own == "" && (!strings.HasPrefix(got, user) || filepath.Base(got) != "go-build") || own != "" && got != "" {
			t.Errorf("GOCACHE %q becomes %q", own, got)
		}
		if got := set["XDG_CACHE_HOME"]; got == "" || strings.HasPrefix(got, user) {
			t.Errorf("XDG_CACHE_HOME is %q, the user's %q", got, user)
		}
	}
}
