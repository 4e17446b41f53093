package libdevice_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/libdevice"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/libdevice.md")

// The page has its tables between a line and the next heading or paragraph.
const page = "../../docs/libdevice.md"

// TestPageMatchesLibrary: the tables of docs/libdevice.md match the library, with the errors measured here.
func TestPageMatchesLibrary(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := replaceTable(string(text), "| Class |", costs())
	want = replaceTable(want, "| Function |", functions(libdevice.MeasuredErrors(t)))
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not up to date: go test ./internal/libdevice -update", page)
	}
}

// replaceTable replaces the rows of the table that begins with head.
func replaceTable(text, head, rows string) string {
	before, table, _ := strings.Cut(text, head)
	title, rest, _ := strings.Cut(table, "\n")
	rule, rest, _ := strings.Cut(rest, "\n")
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return before + head + title + "\n" + rule + "\n" + rows + rest
}

// costs returns a row for each class.
func costs() string {
	var b strings.Builder
	for c := range libdevice.NumCosts {
		var f *libdevice.Func
		such := []string{}
		for _, g := range libdevice.Functions() {
			if g.Eval != nil && g.Cost == c && len(such) < 4 {
				f, such = g, append(such, "`"+g.Name+"`")
			}
		}
		var in cost.Instr
		in.Serve(f)
		counts := make(map[isa.CostClass]int)
		for _, s := range in.Slots[:len(in.Slots)-2] {
			counts[s.Class]++
		}
		var parts []string
		for class := range isa.NumCostClasses {
			if n := counts[class]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %v", n, class))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c, strings.Join(parts, ", "), strings.Join(such, ", "))
	}
	return b.String()
}

// functions returns a row for each function.
func functions(measured map[string]float64) string {
	var b strings.Builder
	for _, f := range libdevice.Functions() {
		class, err := "by instruction", ""
		if f.Eval != nil {
			class = f.Cost.String()
		}
		if e, ok := measured[f.Name]; ok {
			err = fmt.Sprintf("%.4g", e)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", libdevice.SignatureOf(f), class, err)
	}
	return b.String()
}
