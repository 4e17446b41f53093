package page

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// mostBytes is how large the page may be, compressed.
const mostBytes = 250_000

// TestPageIsSmall checks that the page has its files, loads nothing from elsewhere, and is small.
func TestPageIsSmall(t *testing.T) {
	if len(archive) > mostBytes {
		t.Errorf("the page has %d bytes, %d are allowed", len(archive), mostBytes)
	}
	files := Files()
	if len(files) != len(types)+1 || string(files[""].Data) != string(files["index.html"].Data) {
		t.Errorf("%d files", len(files))
	}
	for name, f := range files {
		if m := regexp.MustCompile(`(?:src|href)="(?:https?:|//)[^"]*"|@import|url\(["']?(?:https?:|//)|\beval\(|new Function\(`).Find(f.Data); m != nil {
			t.Errorf("%q has %s", name, m)
		}
	}
}

// TestSourcesMakeNoHTML checks that the page's own modules never read text as HTML.
func TestSourcesMakeNoHTML(t *testing.T) {
	sources, err := filepath.Glob("../../../web/src/*.js")
	if err != nil || len(sources) == 0 {
		t.Fatal(err, len(sources))
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTMLUnsafe|srcdoc`).Find(text); m != nil {
			t.Errorf("%s has %s", name, m)
		}
	}
}
