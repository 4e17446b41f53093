package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// jobs returns the jobs of a workflow by name.
func jobs(t *testing.T, workflow string) map[string]string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, ".github/workflows/"+workflow), "\njobs:\n")
	names := regexp.MustCompile(`(?m)^  ([a-z-]+):\n`).FindAllStringSubmatchIndex(text, -1)
	found := make(map[string]string)
	for i, at := range names {
		end := len(text)
		if i+1 < len(names) {
			end = names[i+1][0]
		}
		found[text[at[2]:at[3]]] = text[at[1]:end]
	}
	if len(found) == 0 {
		t.Fatalf("%s has no jobs", workflow)
	}
	return found
}

// needed matches the jobs that a job waits for.
var needed = regexp.MustCompile(`(?m)^    needs: \[?([a-z, -]+?)\]?$`)

// waits returns the jobs for which a job waits, also those for which these wait.
func waits(all map[string]string, name string) []string {
	var names []string
	if m := needed.FindStringSubmatch(all[name]); m != nil {
		for _, n := range strings.Split(m[1], ", ") {
			names = append(append(names, n), waits(all, n)...)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func TestEveryJobHasLimitOfTime(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for name, text := range jobs(t, filepath.Base(file)) {
			called := regexp.MustCompile(`(?m)^    uses: \./`).MatchString(text) // its jobs have limits
			if called == regexp.MustCompile(`(?m)^    timeout-minutes: \d+$`).MatchString(text) {
				t.Errorf("%s: job %s has no limit of time, or calls a workflow and has one", file, name)
			}
		}
	}
}

// TestReleaseIsPublicLast checks the order in which release.yml makes things public: after all tests the draft, the
// attestations, tags of the image, the release, and then the cask; nothing before that may write.
func TestReleaseIsPublicLast(t *testing.T) {
	all := jobs(t, "release.yml")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(waits(all, "cask"), name) && name != "cask" {
			t.Errorf("the cask does not wait for %s", name)
		}
		if name != "publish" && (strings.Contains(all[name], "contents: write") || strings.Contains(all[name], "gh release")) {
			t.Errorf("%s may publish", name)
		}
	}
	if got := strings.Join(waits(all, "publish"), " "); got != "checks image packages try-image" {
		t.Errorf("publish waits for %s", got)
	}
	if strings.Contains(all["image"], "tags:") || !strings.Contains(all["image"], "push-by-digest=true") {
		t.Error("the image has a tag before it is tried")
	}
	last := -1
	for _, step := range []string{"sha256sum --check --strict checksums.txt", "--draft --verify-tag", "subject-checksums:", "subject-digest:", "imagetools create", "--draft=false"} {
		at := strings.Index(all["publish"], step)
		if at <= last {
			t.Errorf("%s is missing, or too early", step)
		}
		last = at
	}
	if !strings.Contains(read(t, ".goreleaser.yaml"), "\n    skip_upload: \"true\"") {
		t.Error("goreleaser uploads the cask")
	}
}

// TestPublishedActionIsTried checks that release.yml uses the action of the public release, with its files, on two
// programs: one with a finding and one without.
func TestPublishedActionIsTried(t *testing.T) {
	all := jobs(t, "release.yml")
	job := all["try-action"]
	if !slices.Contains(waits(all, "try-action"), "publish") {
		t.Error("try-action does not wait for publish")
	}
	_, uses, _ := strings.Cut(job, "uses: ./published")
	for _, want := range []string{`ref: "${{ github.ref_name }}", path: published`, "outcome }}\" = failure ]", "release/check-findings ", "clean.outputs.exit-status }}\" = 0 ]"} {
		if !strings.Contains(job, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Count(uses, "version: ${{ github.ref_name }}") != 2 || strings.Count(uses, "uses: ./published") != 1 {
		t.Errorf("the action is not used twice with the release:\n%s", job)
	}
	for _, file := range []string{"release/testdata/oob.cu", "docs/example/add_fixed.cu"} {
		if read(t, file) == "" || !strings.Contains(job, "published/"+file) {
			t.Errorf("%s is not tried", file)
		}
	}
}

// TestPublishedFilesAreTried checks that goreleaser runs only where files are built to be tried, on each tag and each
// night, and that every archive, package, the cask and the image is tried.
func TestPublishedFilesAreTried(t *testing.T) {
	for _, name := range []string{"release.yml", "nightly.yml"} {
		text := read(t, ".github/workflows/"+name)
		if strings.Contains(text, "goreleaser") || !strings.Contains(text, "uses: ./.github/workflows/packages.yml") || !strings.Contains(text, "release/try-image ") {
			t.Errorf("%s does not try packages.yml and the image, or builds others", name)
		}
	}
	packages := read(t, ".github/workflows/packages.yml")
	for _, system := range regexp.MustCompile(`goos: \[(\w+)\]`).FindAllStringSubmatch(read(t, ".goreleaser.yaml"), -1) {
		suffix := map[bool]string{true: "zip", false: "tar.gz"}[system[1] == "windows"]
		for _, arch := range []string{"amd64", "arm64"} {
			if want := "archive: " + system[1] + "_" + arch + "." + suffix; !strings.Contains(packages, want) {
				t.Errorf("no %s", want)
			}
		}
	}
	for _, want := range []string{"arch: amd64", "arch: arm64", "arch: x86_64", "arch: aarch64", "suite: bookworm", "suite: trixie", "suite: jammy", "suite: noble", "release/try-cask ", "release/collect "} {
		if !strings.Contains(packages, want) {
			t.Errorf("no %s", want)
		}
	}
}
