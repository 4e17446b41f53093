package gpu

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/model.md, and presets.txtar.gz")

const modelPage = "../../docs/model.md"

// TestModelPageHasAllPresets: the tables of docs/model.md have all presets, all keys, and the costs of instructions.
func TestModelPageHasAllPresets(t *testing.T) {
	text, err := os.ReadFile(modelPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for heading, table := range map[string]string{"## Presets": presetsTable(t), "## Keys": keysTable(), "## Costs": costsTable(t)} {
		before, rest, ok := strings.Cut(page, heading+"\n")
		if !ok {
			t.Fatalf("no heading %s", heading)
		}
		start := strings.Index(rest, "\n|") + 1
		end := start
		for line := range strings.Lines(rest[start:]) {
			if !strings.HasPrefix(line, "|") {
				break
			}
			end += len(line)
		}
		if diff := cmp.Diff(table, rest[start:end]); diff != "" && !*update {
			t.Errorf("%s (-want +page; go test ./internal/gpu -update rewrites it):\n%s", heading, diff)
		}
		page = before + heading + "\n" + rest[:start] + table + rest[end:]
	}
	_, own, _ := strings.Cut(page, "```toml\n")
	own, _, _ = strings.Cut(own, "```")
	if _, err := Load("docs/model.md", own); err != nil {
		t.Errorf("its file: %v", err)
	}
	if *update {
		if err := os.WriteFile(modelPage, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func presetsTable(t *testing.T) string {
	table := "| `--gpu` | GPU | Capability | SMs | MHz | TFLOPS FP32 | GB/s | Values | Assumed |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
	for _, name := range Names() {
		c := preset(t, name)
		values, assumed := assumptions(t, name), 0
		for _, is := range values {
			if is {
				assumed++
			}
		}
		table += fmt.Sprintf("| `%s` | %s | %d.%d | %d | %v | %.1f | %v | %d | %d |\n", name, c.Title, c.Capability[0], c.Capability[1], c.SMs, c.ClockMHz, c.Peak().FP32/1000, c.Memory.DRAMPeak, len(values), assumed)
	}
	return table
}

// assumptions returns, for each value of a preset, whether all or a part of it is assumed. A value that comes from a
// preset to which only an assumption leads is assumed, unless TestLimitsMatchPublishedTable compares its section with
// NVIDIA's tables.
func assumptions(t *testing.T, name string) map[string]bool {
	text, err := presetText(name)
	if err != nil {
		t.Fatal(err)
	}
	values, section := make(map[string]bool), ""
	for line := range strings.Lines(text) {
		key, rest, is := strings.Cut(line, "=")
		assumed := strings.Contains(rest, "[assumed")
		switch key = strings.TrimSpace(key); {
		case line[0] == '#':
		case line[0] == '[':
			section = strings.TrimSpace(line)
		case key == "base":
			for inherited, was := range assumptions(t, strings.Split(rest, `"`)[1]) {
				tabled := strings.HasPrefix(inherited, "[residency]") || strings.HasPrefix(inherited, "[limits]") || strings.HasPrefix(inherited, "[units]")
				values[inherited] = was || assumed && !tabled
			}
		case is:
			values[section+key] = assumed
		}
	}
	return values
}

// keysTable returns the table of the keys of a file; keys of classes appear once.
func keysTable() string {
	table := "| Key | Meaning |\n|---|---|\n| `base` | the preset from which the file differs: the file has only the values that differ; a file with all values has no `base` |\n"
	for _, k := range new(Config).Keys() {
		name := strings.Replace(k.Name, "classes."+isa.CostInteger.String(), "classes.CLASS", 1)
		if name == k.Name && strings.HasPrefix(k.Name, "classes.") {
			continue
		}
		table += fmt.Sprintf("| `%s` | %s |\n", name, k.Doc)
	}
	return table
}

// costsTable returns the table of latency and interval of every class on some presets.
func costsTable(t *testing.T) string {
	names := []string{"v100", "a100", "a6000", "rtx4090", "h100", "b200"}
	table, rule := "| Class |", "|---|"
	for _, name := range names {
		table, rule = table+" `"+name+"` |", rule+"--:|"
	}
	table += "\n" + rule + "\n"
	for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
		table += "| `" + class.String() + "` |"
		for _, name := range names {
			cost := preset(t, name).Classes[class]
			table += fmt.Sprintf(" %d; %d |", cost.Latency, cost.Interval)
		}
		table += "\n"
	}
	return table
}

// TestModelPageDescribesEveryClass: docs/model.md describes every class.
func TestModelPageDescribesEveryClass(t *testing.T) {
	text, err := os.ReadFile(modelPage)
	if err != nil {
		t.Fatal(err)
	}
	for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
		if n := strings.Count(string(text), fmt.Sprintf("\n| `%s` |", class)); n != 2 {
			t.Errorf("%s is in %d tables, want 2", class, n)
		}
	}
}
