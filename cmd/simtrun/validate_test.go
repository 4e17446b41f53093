package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/validate"
)

// TestValidationHasOnlyKnownMisses compares every row of the validation table. It fails if a row misses that is not in
// the list of known misses, or if a row in that list does not miss. With -v it prints the table, which
// docs/validation.md shows;
// -update rewrites it there. Without either flag it skips the slow rows, and with -short all but every sixteenth of
// the others.
func TestValidationHasOnlyKnownMisses(t *testing.T) {
	const pagePath, command = "../../docs/validation.md", "    $ simtrun validate\n"
	page := readFile(t, pagePath)
	rows := validate.Rows()
	part := testing.Short() || !testing.Verbose() && !*update && !strings.Contains(flag.Lookup("test.run").Value.String(), "Validation")
	if part {
		rows = slices.DeleteFunc(rows, func(r *validate.Row) bool { return r.Long })
		i := -1
		rows = slices.DeleteFunc(rows, func(*validate.Row) bool { i++; return short.Skips(i) || short.Waits(i, 16) })
	}
	var table bytes.Buffer
	var results []*validate.Result
	validate.WriteHead(&table)
	err := validate.Run(t.Context(), rows, commandLine, runtime.GOMAXPROCS(0), func(r *validate.Result) {
		var row bytes.Buffer
		r.WriteText(&row)
		table.Write(row.Bytes())
		results = append(results, r)
		if r.Unexpected() {
			t.Errorf("%s: %s, and %s", r.Name(), r.Verdict, r.Reason)
		}
		if shown := indented(row.String()); !*update && !strings.Contains(page, shown) {
			t.Errorf("docs/validation.md does not show what follows; this test writes it with -update, without -short\n%s", shown)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	validate.WriteEnd(&table, results)
	t.Logf("\n%s", &table)
	if part {
		return
	}
	before, rest, ok := strings.Cut(page, command)
	if !ok {
		t.Fatalf("docs/validation.md has no %q", command)
	}
	end := 0
	for line := range strings.Lines(rest) {
		if line != "\n" && !strings.HasPrefix(line, "    ") {
			break
		}
		end += len(line)
	}
	want := before + command + indented(table.String()) + "\n" + rest[end:]
	if *update {
		if err := os.WriteFile(pagePath, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(page, want); diff != "" {
		t.Errorf("docs/validation.md is stale (-page +now):\n%s", diff)
	}
}

// TestValidationKernelsRunByHand checks that every kernel of the validation also runs by hand with its header.
func TestValidationKernelsRunByHand(t *testing.T) {
	short.Skip(t)
	files, err := filepath.Glob("../../internal/validate/kernels/*.s*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, file := range files {
		if short.Waits(i, 16) {
			continue
		}
		if name, ok := strings.CutSuffix(file, ".gz"); ok {
			text, err := packed.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			file = filepath.Join(t.TempDir(), filepath.Base(name))
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := typed(t, file, "-q"); got.code != 0 {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestValidateSelectsRows checks the selection of rows by number and GPU, as text and as JSON.
func TestValidateSelectsRows(t *testing.T) {
	got := typed(t, "validate", "8.12", "8.17", "--gpu", "v100")
	if got.code != 0 || strings.Count(got.stdout, "v100") != 1 || !strings.HasSuffix(got.stdout, "\nrows 1  input 0  agree 1  miss 0  not modelled 0\n") {
		t.Errorf("%+v", got)
	}
	var object struct {
		Schema string
		Rows   []struct {
			Row, Verdict string
			Points       []struct {
				Expected string
				Got      *float64
			}
			Commands []string
		}
	}
	one := typed(t, "validate", "8.17", "C6", "--json")
	if err := json.Unmarshal([]byte(one.stdout), &object); err != nil || one.code != 0 {
		t.Fatalf("%v: %+v", err, one)
	}
	lanes := object.Rows[0]
	if lanes.Row != "8.17" || lanes.Verdict != "agrees" || lanes.Points[0].Expected != "16" || *lanes.Points[0].Got != 16 ||
		fmt.Sprint(lanes.Commands) != "[simtrun internal/validate/kernels/ways.s --gpu=a100 --arg=k=2]" {
		t.Errorf("%+v", lanes)
	}
	for args, says := range map[string]string{
		"8.99":              "no row 8.99",
		"B --gpu v100":      "no row of v100 B",
		"--gpu v101":        "v101",
		"-j 0":              "-j 0: expected",
		"8.17 --gpu v.toml": "v.toml",
	} {
		if got := typed(t, append([]string{"validate"}, strings.Fields(args)...)...); got.code != exitUsage || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
