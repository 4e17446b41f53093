package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestActionsHaveOneVersion checks that workflows, the action and the pages for users name every action, and the module
// goreleaser, in one version.
func TestActionsHaveOneVersion(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	files = append(files, "../action.yml", "../docs/ci.md", "../docs/install.md", "../CONTRIBUTING.md")
	named := regexp.MustCompile(`(?m)uses: ([\w./-]+)@(\S+)|(goreleaser/goreleaser/v2)@(\S+)`)
	versions := make(map[string]string)
	for _, file := range files {
		for _, m := range named.FindAllStringSubmatch(read(t, strings.TrimPrefix(file, "../")), -1) {
			action, version := m[1]+m[3], m[2]+m[4]
			if first, ok := versions[action]; ok && first != version {
				t.Errorf("%s: %s@%s, elsewhere @%s", file, action, version, first)
			}
			versions[action] = version
		}
	}
	if len(versions) < 10 {
		t.Errorf("only %v", versions)
	}
}

// TestActionUsesItsInputs checks that each input of the action is used, and that its scripts, or those that they call,
// read each variable of a step.
func TestActionUsesItsInputs(t *testing.T) {
	text := read(t, "action.yml")
	inputs, rest, _ := strings.Cut(text, "\noutputs:\n")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+):$`).FindAllStringSubmatch(inputs, -1) {
		if !strings.Contains(rest, "inputs."+m[1]) {
			t.Errorf("the input %s is not used", m[1])
		}
	}
	scripts := ""
	for _, m := range regexp.MustCompile(`action_path }}/(release/\w+)`).FindAllStringSubmatch(rest, -1) {
		scripts += read(t, m[1])
		for _, called := range regexp.MustCompile(`pwd\)/([\w-]+)"`).FindAllStringSubmatch(read(t, m[1]), -1) {
			scripts += read(t, "release/"+called[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^        ([A-Z_]+):`).FindAllStringSubmatch(rest, -1) {
		if !regexp.MustCompile(`\$\{?` + m[1] + `\b`).MatchString(scripts) {
			t.Errorf("no script reads %s", m[1])
		}
	}
}

// TestPackagesDependOnTestedLibrary checks that packages depend on the version of the C library for which prepare tests
// the libraries, and that pages name it.
func TestPackagesDependOnTestedLibrary(t *testing.T) {
	newest := regexp.MustCompile(`newest=(\S+)`).FindStringSubmatch(read(t, "release/prepare"))
	if newest == nil {
		t.Fatal("release/prepare tests no version")
	}
	config := read(t, ".goreleaser.yaml")
	for _, want := range []string{"libc6 (>= " + newest[1] + ")", "glibc >= " + newest[1]} {
		if !strings.Contains(config, want) {
			t.Errorf(".goreleaser.yaml has no %q", want)
		}
	}
	if !strings.Contains(read(t, "docs/install.md"), "glibc "+newest[1]) {
		t.Errorf("docs/install.md does not name glibc %s", newest[1])
	}
}

// TestPackagesKeepTheirNames checks that names of packages have no ~, which GitHub replaces, so that those of a
// pre-release are what docs/install.md names by $VERSION.
func TestPackagesKeepTheirNames(t *testing.T) {
	if !strings.Contains(read(t, ".goreleaser.yaml"), `file_name_template: '{{ replace .ConventionalFileName "~" "-" }}'`) {
		t.Error("packages of pre-releases have ~ in their names")
	}
	page := read(t, "docs/install.md")
	for _, name := range []string{"/simtrun_${VERSION}_amd64.deb", "/simtrun-$VERSION-1.x86_64.rpm"} {
		if !strings.Contains(page, name) {
			t.Errorf("docs/install.md does not name %s", name)
		}
	}
}

// TestArchiveOfCaskHasNoFolder checks that the archives of the cask have files at the paths that it names:
// goreleaser does not add the folder of an archive to manual pages and completions.
func TestArchiveOfCaskHasNoFolder(t *testing.T) {
	config := read(t, ".goreleaser.yaml")
	_, cask, _ := strings.Cut(config, "\nhomebrew_casks:\n")
	ids := regexp.MustCompile(`(?m)^    ids: \[(\w+)\]$`).FindStringSubmatch(cask)
	if ids == nil {
		t.Fatal("the cask names no archive")
	}
	archives := strings.Split(config, "\n  - ")
	found := slices.ContainsFunc(archives, func(a string) bool {
		return strings.HasPrefix(a, "id: "+ids[1]+"\n") && strings.Contains(a, "wrap_in_directory: false")
	})
	if !found {
		t.Errorf("no archive %s without a folder", ids[1])
	}
}

// TestInstallationNamesNewestVersion checks that docs/install.md sets VERSION, for shells and for PowerShell, to the
// newest version of the changelog, and that its lines use the variable and not a word to replace. README.md sets it for
// shells.
func TestInstallationNamesNewestVersion(t *testing.T) {
	newest := heading.FindStringSubmatch(read(t, "CHANGELOG.md"))
	if newest == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	if set := "\n    VERSION=" + newest[1] + "\n"; strings.Count(read(t, "README.md"), set) != 1 {
		t.Errorf("README.md does not have %q once", set)
	}
	page := read(t, "docs/install.md")
	for _, set := range []string{"\n    VERSION=" + newest[1] + "\n", "\n    $VERSION = \"" + newest[1] + "\"\n"} {
		if strings.Count(page, set) != 1 {
			t.Errorf("docs/install.md does not have %q once", set)
		}
		page = strings.Replace(page, set, "\n", 1)
	}
	for _, m := range regexp.MustCompile(`(.?.?)VERSION`).FindAllStringSubmatch(page, -1) {
		if !strings.HasSuffix(m[1], "$") && m[1] != "${" {
			t.Errorf("docs/install.md has %s, which is no variable", m[0])
		}
	}
	if strings.Contains(page, newest[1]) {
		t.Errorf("docs/install.md has %s in a line, and not $VERSION", newest[1])
	}
}

// TestInstallationEndsWithCheck checks that each recipe of docs/install.md that installs the command ends with simtrun
// version, and that the page shows what it prints.
func TestInstallationEndsWithCheck(t *testing.T) {
	page := read(t, "docs/install.md")
	if !strings.Contains(page, "\n    simtrun $VERSION go1.") || !strings.Contains(page, "\n    lanes: ") {
		t.Error("docs/install.md does not show what simtrun version prints")
	}
	recipes := 0
	installs := regexp.MustCompile(`(apt|dnf|zypper) install|tar -xz|Expand-Archive|brew install --cask|go install github`)
	for _, block := range regexp.MustCompile(`(?m)(^    .*\n)+`).FindAllString(page, -1) {
		if !installs.MatchString(block) {
			continue
		}
		if recipes++; !strings.HasSuffix(block, "\n    simtrun version\n") {
			t.Errorf("a recipe does not end with simtrun version:\n%s", block)
		}
	}
	if recipes != 8 {
		t.Errorf("%d recipes, want 8", recipes)
	}
}

// TestPagesNameNewestVersion checks the versions of the action, the image and caches that pages and the action name.
func TestPagesNameNewestVersion(t *testing.T) {
	newest := heading.FindStringSubmatch(read(t, "CHANGELOG.md"))
	if newest == nil {
		t.Fatal("CHANGELOG.md has no version")
	}
	named := regexp.MustCompile(`(?:simtrun@v|simtrun:|simtrun-|VERSION=|such as ` + "`?" + `)(\d+\.\d+\.\d+)`)
	found := 0
	for _, file := range []string{"action.yml", "docs/ci.md"} {
		for _, m := range named.FindAllStringSubmatch(read(t, file), -1) {
			if found++; m[1] != newest[1] {
				t.Errorf("%s: %s, and the newest version is %s", file, m[0], newest[1])
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d places name a version", found)
	}
}
