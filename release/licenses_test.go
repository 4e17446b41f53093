package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestEveryModuleOfBuildHasItsLicence takes the modules from what go list -m prints for the packages of a release, and
// checks that the text of each root licence is there, and Go's, and those of files that the repository has from others.
func TestEveryModuleOfBuildHasItsLicence(t *testing.T) {
	got, err := licenses("..")
	if err != nil {
		t.Fatal(err)
	}
	has := func(what, text string) {
		if text = strings.TrimSpace(text); len(text) < 500 || !strings.Contains(got, text) {
			t.Errorf("no licence of %s", what)
		}
	}
	modules := 0
	for _, build := range [][]string{{"..", "./cmd/simtrun", "linux"}, {"..", "./cmd/simtrun", "windows"}, {"../cuda/driver", ".", "linux"}} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{if not .Replace}}{{.Path}} {{.Dir}}{{end}}{{end}}{{end}}", build[1])
		list.Dir = build[0]
		list.Env = append(os.Environ(), "GOOS="+build[2], "CGO_ENABLED="+map[bool]string{true: "1", false: "0"}[build[1] == "."])
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		for line := range strings.Lines(string(out)) {
			name, folder, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			modules++
			if !strings.Contains(got, "\n"+name+" v") {
				t.Errorf("%s is not named", name)
			}
			text := ""
			for _, file := range []string{"LICENSE", "LICENSE.txt", "COPYING", "LICENSE-MIT"} {
				if b, err := os.ReadFile(folder + "/" + file); err == nil {
					text = string(b)
				}
			}
			has(name, text)
		}
	}
	if modules < 25 {
		t.Errorf("only %d modules", modules)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(strings.TrimSpace(string(goroot)) + "/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	has("Go", string(text))
	out, err := exec.Command("git", "-C", "..", "ls-files", "*LICENSE*", "*COPYING*", "*NOTICE*").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range strings.Fields(string(out)) {
		if file != "LICENSE" && !strings.HasPrefix(file, "release/") {
			has(file, read(t, file))
		}
	}
}

// TestEverythingShippedHasLicences: each archive and package, and the image, has simtrun's licence and those of others.
func TestEverythingShippedHasLicences(t *testing.T) {
	config := read(t, ".goreleaser.yaml")
	_, archives, _ := strings.Cut(config, "\narchives:\n")
	archives, packages, _ := strings.Cut(archives, "\nnfpms:\n")
	kinds := strings.Split(archives, "\n  - id: ")
	for _, kind := range kinds {
		if !regexp.MustCompile(`[&*]license\b`).MatchString(kind) || !regexp.MustCompile(`[&*]doc\b`).MatchString(kind) {
			t.Errorf("an archive without LICENSE or the documentation, which contains %s:\n%s", licensesFile, kind)
		}
	}
	if len(kinds) != 3 {
		t.Errorf("%d kinds of archives", len(kinds))
	}
	for _, want := range []string{"src: build/release/doc/\n        dst: /usr/share/doc/simtrun\n", "src: release/debian/copyright\n        dst: /usr/share/doc/simtrun/copyright\n        packager: deb",
		"src: LICENSE\n        dst: /usr/share/licenses/simtrun/LICENSE\n        packager: rpm"} {
		if !strings.Contains(packages, want) {
			t.Errorf("packages have no %q", want)
		}
	}
	for _, want := range []string{"go run ./release licenses /out/share/doc/simtrun", "cp LICENSE /out/share/doc/simtrun/"} {
		if !strings.Contains(read(t, "Dockerfile"), want) {
			t.Errorf("Dockerfile has no %q", want)
		}
	}
}
