package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

// The chain through which the load of testdata/inlined was inlined, as the text, the page and messages write it.
const loadChain = "in fetch<float>, called by Tile<float, 4>::load at tile.cuh:15, by sum<4> at sum.cu:25"

// atPlace returns the rows of a source page at a place: the line, and the notes below it.
func atPlace(page, place string) (rows []string) {
	for _, block := range regexp.MustCompile(`(?m)^ *(?:[\w ]+\.cuh?:)?\d+ .*\n(?: +\^.*\n)*`).FindAllString(page, -1) {
		if strings.HasPrefix(strings.TrimLeft(block, " "), place+" ") {
			rows = append(rows, block)
		}
	}
	return rows
}

// TestProfileShowsInlinedLines profiles a kernel of two files in which a template, a member and a lambda are inlined
// and a loop is unrolled. At each level of optimisation a line has one row a function, with its figures; inlined, it
// has the calls.
func TestProfileShowsInlinedLines(t *testing.T) {
	short.Skip(t)
	cudatest.Compiler(t)
	for _, options := range []string{"", "-g", "-O0"} {
		got := typed(t, "profile", "testdata/inlined/sum.cu", "--page", "source", "--cc", options)
		if got.code != 0 {
			t.Fatalf("%s: %+v", options, got)
		}
		load, stored := atPlace(got.stdout, "tile.cuh:6"), atPlace(got.stdout, "12")
		if len(load) != 1 || len(stored) != 1 {
			t.Fatalf("%s: %d rows of the load and %d of the store in\n%s", options, len(load), len(stored), got.stdout)
		}
		if text := "return p[i];"; !strings.Contains(load[0], text) {
			t.Errorf("%s: no %q in %s", options, text, load[0])
		}
		if inlined := options != "-O0"; inlined != strings.Contains(load[0], loadChain) {
			t.Errorf("%s: %s", options, load[0])
		}
		if want := "256 sectors in global memory, 64 ideal"; !strings.Contains(load[0], want) {
			t.Errorf("%s: no %q in %s", options, want, load[0])
		}
		if want := "128 wavefronts, 4 ideal, 32-way at worst"; !strings.Contains(stored[0], want) {
			t.Errorf("%s: no %q in %s", options, want, stored[0])
		}
		if lines := atPlace(got.stdout, "16"); len(lines) != 1 || strings.Count(lines[0], "wavefronts") != 1 {
			t.Errorf("%s: the unrolled loop is %q", options, lines)
		}
	}
}

// TestProfileHasTheSameLinesInAllForms compares what a page in HTML, JSON, a timeline and a trace say of the line.
func TestProfileHasTheSameLinesInAllForms(t *testing.T) {
	short.Skip(t)
	cudatest.Compiler(t)
	dir := t.TempDir()
	page, timeline := filepath.Join(dir, "page.html"), filepath.Join(dir, "timeline.json")
	got := typed(t, "profile", "testdata/inlined/sum.cu", "--json", "--html", page, "--timeline", timeline)
	if got.code != 0 {
		t.Fatal(got)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`title="tile.cuh:6">tile.cuh:6</td>`, strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(loadChain), "  → load_global", ">tile.cuh:6</a>"} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	checkJSONOfLoad(t, got.stdout)
	text, err := os.ReadFile(timeline)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"args":{"line":6,"file":"testdata/inlined/tile.cuh"`, `"name":"b0.w0 tile.cuh:6"`, `"name":"b0.w0 L12"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the timeline has no %q", want)
		}
	}
	trace := typed(t, "run", "testdata/inlined/sum.cu", "--trace", "instr", "--functional", "-q")
	if want := regexp.MustCompile(`(?m)^b0\.w0  instr +tile\.cuh:6 .*ld\.global`); !want.MatchString(trace.stdout + trace.stderr) {
		t.Errorf("the trace has no %q", want)
	}
}

// checkJSONOfLoad checks the calls of the line with the load in JSON.
func checkJSONOfLoad(t *testing.T, text string) {
	t.Helper()
	type call struct {
		File, Function string
		Line           int
	}
	var run struct {
		Launches []struct {
			Lines []struct {
				File, Instruction string
				Line              int
				Calls             []call
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	want := []call{{"testdata/inlined/tile.cuh", "Tile<float, 4>::load", 15}, {"testdata/inlined/sum.cu", "sum<4>", 25}}
	loads := 0
	for _, l := range run.Launches[0].Lines {
		if !strings.HasPrefix(l.Instruction, "ld.global") {
			continue
		}
		loads++
		if at := fmt.Sprintf("%s:%d", filepath.Base(l.File), l.Line); at != "tile.cuh:6" || !slices.Equal(l.Calls, want) {
			t.Errorf("%s is at %s, called by %+v", l.Instruction, at, l.Calls)
		}
	}
	if loads == 0 {
		t.Error("JSON has no load")
	}
}

// TestOtherClangsKeepInlinedLines repeats these tests with each tested clang.
func TestOtherClangsKeepInlinedLines(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	cudatest.WithOtherClangs(t, "^(TestProfileShowsInlinedLines|TestProfileHasTheSameLinesInAllForms)$")
}
