package docs

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/packed"
)

var update = flag.Bool("update", false, "rewrite rules.txtar.gz, and the table of docs/rules.md")

// subjects are the rows of the table at the top of docs/rules.md, with the first words of the names of their rules. The
// last one has all other rules.
var subjects = []struct{ title, words string }{
	{"memory", "mem"},
	{"races of a launch", "race"},
	{"barriers, shuffles, hangs", "sync"},
	{"unwritten values", "init"},
	{"copies, matrix products, clusters", "copy source product proxy nc tensor cluster mbarrier matrix"},
	{"host programs", "api stream"},
	{"other instructions and sources", ""},
}

// TestRulesPageListsItsRules: the table at the top of docs/rules.md has a link to each rule. -update writes it.
func TestRulesPageListsItsRules(t *testing.T) {
	const page, head = "../../docs/rules.md", "| Subject | Rules |\n|---|---|\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	links := make([][]string, len(subjects))
	for line := range strings.Lines(string(text)) {
		rule, found := strings.CutPrefix(strings.TrimSpace(line), ruleMark)
		if !found {
			continue
		}
		word, _, _ := strings.Cut(rule, "-")
		row := len(subjects) - 1
		for i := range subjects {
			if slices.Contains(strings.Fields(subjects[i].words), word) {
				row = i
			}
		}
		links[row] = append(links[row], "["+rule+"](#"+rule+")")
	}
	var want strings.Builder
	for i, s := range subjects {
		fmt.Fprintf(&want, "| %s | %s |\n", s.title, strings.Join(links[i], " "))
	}
	before, rest, found := strings.Cut(string(text), head)
	got, after, _ := strings.Cut(rest, "\n\n")
	switch got += "\n"; {
	case !found:
		t.Fatalf("%s has no table of rules", page)
	case *update:
		if err := os.WriteFile(page, []byte(before+head+want.String()+"\n"+after), 0o666); err != nil {
			t.Fatal(err)
		}
	case got != want.String():
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}

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
