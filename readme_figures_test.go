package simtrun_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReadmeHasFiguresOfPages: the figures on accuracy and speed in README, and those of docs/limits.md, are those of
// docs/performance.md and docs/clock.md, rounded.
func TestReadmeHasFiguresOfPages(t *testing.T) {
	speed, clock := readFile(t, "docs/performance.md"), readFile(t, "docs/clock.md")
	column := func(row string, n int) (values []float64) {
		for _, m := range regexp.MustCompile(`(?m)^\| `+row+` *\| avx(?:2|512) *\|(.*)$`).FindAllStringSubmatch(speed, -1) {
			cells := strings.Split(m[1], "|")
			if len(cells) < 10 { // a table without rates
				continue
			}
			if value, err := strconv.ParseFloat(strings.TrimSpace(cells[n]), 64); err == nil {
				values = append(values, value)
			}
		}
		if len(values) < 2 {
			t.Fatalf("%d values in rows %q of docs/performance.md", len(values), row)
		}
		return values
	}
	percent := func(row string) string {
		ratios := column(row, 4)
		return fmt.Sprintf("%.0f to %.0f %%", 100*slices.Min(ratios), 100*slices.Max(ratios))
	}
	rates := column(`\w+`, 7)
	nanoseconds := fmt.Sprintf("%.1g to %.1g ns", 1e3/slices.Max(rates), 1e3/slices.Min(rates))
	find := func(pattern string) []string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(clock)
		if m == nil {
			t.Fatalf("docs/clock.md has no %s", pattern)
		}
		return m[1:]
	}
	all := find(`(?m)^all +(\d+) +([\d.]+) `)
	held := find(`(?m)^held out +(\d+) +([\d.]+) `)
	mape, err := strconv.ParseFloat(all[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	timed := find(`A warp instruction takes ([\d.]+ to [\d.]+ µs)`)[0]
	readme, limits := strings.Join(strings.Fields(readFile(t, "README.md")), " "), readFile(t, "docs/limits.md")
	for _, want := range []string{
		percent("geometric mean of ten") + " of PoCL's time for ten kernels",
		"for five larger ones the two are about equal (" + percent("geometric mean of five") + ")",
		"a million warp instructions take " + strings.Replace(nanoseconds, " ns", " ms", 1) + " without the clock",
		"and " + strings.Replace(timed, " µs", " s", 1) + " with it",
		fmt.Sprintf("For %s launches that were profiled on an H100, the mean error of the cycles is %.0f %%, and %s %% for the %s of them that were not used to tune the model", all[0], math.Round(mape), held[1], held[0]),
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
	for _, want := range []string{nanoseconds, timed} {
		if !strings.Contains(limits, want) {
			t.Errorf("docs/limits.md does not say %q", want)
		}
	}
}

// TestReadmeNamesNewestVersion: the version in README is the newest one of the changelog.
func TestReadmeNamesNewestVersion(t *testing.T) {
	newest := regexp.MustCompile(`(?m)^## (\d\S*)`).FindStringSubmatch(readFile(t, "CHANGELOG.md"))
	if newest == nil || !strings.Contains(readFile(t, "README.md"), "The newest version is "+newest[1]+" ") {
		t.Errorf("README.md does not name version %q", newest)
	}
}

// TestTaglineIsTheSame: README, the help of the command, packages, the image and the site begin with the same sentence.
func TestTaglineIsTheSame(t *testing.T) {
	paragraphs := strings.Split(readFile(t, "README.md"), "\n\n")
	first := slices.IndexFunc(paragraphs, func(p string) bool { return !strings.HasPrefix(p, "#") && !strings.HasPrefix(p, "[![") })
	tagline := strings.SplitAfter(paragraphs[first], ". ")[0]
	tagline = strings.TrimSuffix(tagline, ". ")
	if len(tagline) < 20 {
		t.Fatalf("README.md begins with %q", tagline)
	}
	for file, count := range map[string]int{"cmd/simtrun/command.go": 1, ".goreleaser.yaml": 2, "Dockerfile": 1, "docs/.vitepress/config.mjs": 1} {
		if got := strings.Count(readFile(t, file), tagline); got != count {
			t.Errorf("%s has %q %d times, want %d", file, tagline, got, count)
		}
	}
}
