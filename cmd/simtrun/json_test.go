package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/jsondoc"
	"github.com/simtrun/simtrun/internal/short"
)

// TestJSONIsValid validates the JSON objects of runs with every kind of ending.
func TestJSONIsValid(t *testing.T) {
	short.Skip(t)
	schemas := jsondoc.Read(t, "../../docs/json.md")
	var runs [][]string
	for _, file := range []string{"vecadd", "if_else", "histogram"} {
		runs = append(runs, []string{"run", "../../programs/" + file + ".s", "--json", "--host-time", "--check", "race"})
	}
	examples, err := os.ReadDir("../../docs/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		runs = append(runs, []string{"run", "../../docs/rules/" + e.Name(), "--json", "--check", "race", "--timeout", "50ms"})
	}
	runs = append(runs,
		[]string{"run", "../../programs/vecadd.s", "--json", "--arg", "n=1", "--expect", "c[0:4] == 9", "--expect", "metric warp_instructions == 1"},
		[]string{"run", "../../programs/vecadd.s", "--json", "--grid", "0"},
		[]string{"run", "no such file.s", "--json"},
		[]string{"run", "../../programs/vecadd.s", "--json", "--dump", "c:f32:3", "--dump", "c:u8"},
		[]string{"test", "../../docs/example", "--json"},
		[]string{"gpu", "--json"},
		[]string{"gpu", "minimal", "--json"},
		[]string{"gpu", "none", "--json"},
		[]string{"gpu", "--json", "--list"},
		[]string{"occupancy", "--json", "--threads", "256", "--regs", "32", "--shared", "16384", "--carveout", "50", "--grid", "529"},
		[]string{"occupancy", "--json", "--threads", "1000", "--regs", "255"},
		[]string{"occupancy", "--json", "--threads", "2000"},
		[]string{"occupancy", "--json", "../../programs/layernorm.s", "--regs", "48"},
		[]string{"occupancy", "--json", "../../docs/example/arms.ptx"},
		[]string{"test", "../../docs/example/testdata/changed.txtar", "--json"},
		[]string{"sweep", "--json", "../../programs/vecadd.s", "--block", "64,2048"},
		[]string{"sweep", "--json", "../../programs/vecadd.s", "--block", "none"},
		[]string{"validate", "8.12", "8.17", "B6", "C6", "--json"},
		[]string{"validate", "none", "--json"},
		[]string{"validate", "--accuracy", "if_else", "goto_ret", "relu", "transpose 32x32", "transpose_swizzle 1024", "--json"},
	)
	for i, args := range runs {
		if short.Waits(i, 3) {
			continue
		}
		out := typed(t, args...).stdout
		if out == "" {
			t.Errorf("%v prints no object", args)
		}
		for line := range strings.Lines(out) {
			var object map[string]any
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				t.Errorf("%v: %v in %s", args, err, line)
				continue
			}
			name, _ := object["schema"].(string)
			schema, ok := schemas[name]
			if !ok {
				t.Errorf("%v: schema %q is not documented", args, name)
				continue
			}
			if err := schema.Validate(object); err != nil {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}
