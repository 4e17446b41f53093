package docs

import (
	"flag"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

var update = flag.Bool("update", false, "rewrite rules.txtar.gz")

// TestRulesAreEmbedded: rules.txtar.gz has docs/rules.md as it is. -update rewrites the archive.
func TestRulesAreEmbedded(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Compare("rules.txtar.gz", []txtar.File{{Name: "rules.md", Data: text}}, *update); err != nil {
		t.Error(err)
	}
}
