//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// script runs a script of this folder, with its arguments, and with commands, shell scripts by name, before those of
// PATH.
func script(t *testing.T, name string, commands map[string]string, env ...string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range commands {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Fields(name)
	cmd := exec.Command("./"+words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=" + folder + ":" + os.Getenv("PATH")}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestActionInstallsReleaseOfItsTag checks which version the action installs for its input and the name by which a
// workflow calls it.
func TestActionInstallsReleaseOfItsTag(t *testing.T) {
	for _, c := range []struct{ version, ref, want string }{
		{"", "v0.2.0", "0.2.0"}, {"", "v1.0.0-rc.1", "1.0.0-rc.1"}, {"", "main", "source"}, {"", "", "source"}, {"", "v1", "source"},
		{"", "5f2a0c1", "source"}, {"source", "v0.2.0", "source"}, {"0.1.0", "v0.2.0", "0.1.0"}, {"v0.1.0", "main", "0.1.0"},
	} {
		output := filepath.Join(t.TempDir(), "output")
		if out, err := script(t, "version", nil, "VERSION="+c.version, "ACTION_REF="+c.ref, "GITHUB_OUTPUT="+output); err != nil {
			t.Errorf("%+v: %v, %s", c, err, out)
			continue
		}
		if got, err := os.ReadFile(output); err != nil || string(got) != "version="+c.want+"\n" {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// TestShortTagIsWarnedAbout checks that a tag such as v0, which releases do not have, is built from source with a
// warning.
func TestShortTagIsWarnedAbout(t *testing.T) {
	for ref, warns := range map[string]bool{
		"v0": true, "v0.2": true, "v12": true, "v0.2.0": false, "v1.0.0-rc.1": false, "main": false, "": false, "verbose": false, "5f2a0c1": false,
	} {
		out, err := script(t, "version", nil, "ACTION_REF="+ref, "GITHUB_OUTPUT=/dev/null")
		warning := "::warning title=simtrun's action::" + ref + " is not a release, so simtrun is built from its source, " +
			"which takes minutes; name a full version, as in simtrun/simtrun@v0.2.0\n"
		if want := map[bool]string{true: warning}[warns]; err != nil || out != want {
			t.Errorf("%s: %q, %v, want %q", ref, out, err, want)
		}
	}
}

// archives makes a folder with releases of simtrun, in which the command prints its version, and returns the commands
// of a runner that installs them: curl copies a release from $RELEASE.
func archives(t *testing.T, versions ...string) (folder string, commands map[string]string) {
	t.Helper()
	folder = t.TempDir()
	for _, version := range versions {
		build := exec.Command("sh", "-c", `mkdir -p v$V && cd v$V && d=simtrun_${V}_linux_amd64 && mkdir -p $d/lib && printf "#!/bin/sh\necho simtrun $V\n" >$d/simtrun &&
			chmod +x $d/simtrun && touch $d/lib/libcuda.so.1 $d/lib/$V && tar -czf $d.tar.gz $d && sha256sum $d.tar.gz >checksums.txt`)
		build.Dir, build.Env = folder, append(os.Environ(), "V="+version)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const curl = `[ -n "$LOST" ] && exit 6; cp "$RELEASE/${4##*/download/}" "$3" 2>/dev/null || exit 22`
	return folder, map[string]string{
		"uname": `[ "$1" = -s ] && echo Linux || echo "${MACHINE:-x86_64}"`, "curl": curl, "gh": `[ -z "$FORGED" ] && echo "$1 $2 ${3##*/} $4 $5"`,
	}
}

// TestActionInstallsArchive checks what the action says of a release that does not exist, and that it refuses an
// archive without GitHub's statement of its origin.
func TestActionInstallsArchive(t *testing.T) {
	release, commands := archives(t, "0.2.0")
	const releases = "https://github.com/simtrun/simtrun/releases"
	for _, c := range []struct {
		env  []string
		says string
	}{
		{[]string{"VERSION=0.2.0"}, "simtrun_0.2.0_linux_amd64.tar.gz: OK\nsimtrun 0.2.0\n"},
		{[]string{"VERSION=0.9.9"}, "simtrun's action: no release 0.9.9: see " + releases + "; a version is like 0.2.0\n"},
		{[]string{"VERSION=0.2.0", "MACHINE=riscv64"}, "simtrun's action: release 0.2.0 has no archive for riscv64: see " + releases + "\n"},
		{[]string{"VERSION=0.2.0", "LOST=1"}, "simtrun's action: cannot download " + releases + "/download/v0.2.0/checksums.txt\n"},
		{[]string{"VERSION=0.2.0", "GITHUB_SERVER_URL=https://github.com", "GH_TOKEN=x"}, "OK\nattestation verify simtrun_0.2.0_linux_amd64.tar.gz --repo simtrun/simtrun\nsimtrun 0.2.0\n"},
		{[]string{"VERSION=0.2.0", "GITHUB_SERVER_URL=https://github.com", "GH_TOKEN=x", "FORGED=1"}, "was built from simtrun's repository\n"},
	} {
		prefix := filepath.Join(t.TempDir(), "simtrun")
		out, err := script(t, "install", commands, append(c.env, "PREFIX="+prefix, "RELEASE="+release)...)
		installed := strings.HasSuffix(c.says, "simtrun 0.2.0\n")
		if !strings.HasSuffix(out, c.says) || (err == nil) != installed {
			t.Errorf("%v: %v, %q, want %q", c.env, err, out, c.says)
		}
		if _, err := os.Stat(filepath.Join(prefix, "lib/simtrun/libcuda.so.1")); (err == nil) != installed {
			t.Errorf("%v: library: %v", c.env, err)
		}
	}
}

// TestActionInstallsSeveralTimes checks that a job may use the action several times. The same release is not downloaded
// again; another release replaces all files of the one before.
func TestActionInstallsSeveralTimes(t *testing.T) {
	release, commands := archives(t, "0.2.0", "0.3.0")
	prefix := filepath.Join(t.TempDir(), "simtrun")
	for i, c := range []struct{ version, lost string }{{"0.2.0", ""}, {"0.2.0", "1"}, {"0.2.0", "1"}, {"0.3.0", ""}, {"0.3.0", "1"}, {"0.2.0", ""}} {
		out, err := script(t, "install", commands, "VERSION="+c.version, "LOST="+c.lost, "PREFIX="+prefix, "RELEASE="+release)
		if err != nil || !strings.HasSuffix(out, "simtrun "+c.version+"\n") {
			t.Errorf("use %d: %v, %q", i+1, err, out)
		}
		got, err := filepath.Glob(filepath.Join(prefix, "lib/simtrun/*"))
		if want := []string{filepath.Join(prefix, "lib/simtrun", c.version), filepath.Join(prefix, "lib/simtrun/libcuda.so.1")}; err != nil || !slices.Equal(got, want) {
			t.Errorf("use %d: libraries %q, %v", i+1, got, err)
		}
	}
}

// TestUsesOfActionWriteDifferentFiles checks that the second use of the action in a job does not overwrite the files of
// the first, and that its outputs name its own files.
func TestUsesOfActionWriteDifferentFiles(t *testing.T) {
	temp := t.TempDir()
	for i, c := range []struct{ run, sarif, junit, want string }{
		{"simtrun host ./a; simtrun host ./b", "s.sarif", "j.xml", "s.sarif j.xml"},
		{"simtrun host ./c", "s.sarif", "j.xml", "s-3.sarif j-3.xml"},
		{"simtrun host ./d", "other.sarif", "j.xml", "other.sarif j-4.xml"},
		{"simtrun host ./e", "d/s.sarif", "", "d/s.sarif "},
	} {
		output := filepath.Join(t.TempDir(), "output")
		out, err := script(t, "run", map[string]string{"simtrun": "true"}, "RUN="+c.run, "SARIF="+c.sarif, "JUNIT="+c.junit,
			"RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output)
		sarif, junit, _ := strings.Cut(c.want, " ")
		if got, _ := os.ReadFile(output); err != nil || string(got) != "exit-status=0\nsarif="+sarif+"\njunit="+junit+"\nsarif-folder=\n" {
			t.Errorf("use %d: %v, %q, %s", i+1, err, got, out)
		}
	}
}

// TestOutputsNameFilesOfCommand checks that the outputs of the action name the files that a command names itself; these
// take no numbered name. What follows the program of simtrun host is not a flag of simtrun.
func TestOutputsNameFilesOfCommand(t *testing.T) {
	const simtrun = `shift; while [ $# -gt 0 ]; do case $1 in --sarif | --junit) echo "<x>" >"$2" ;; --sarif=*) echo >"${1#*=}" ;; ./*) break ;; esac; shift; done`
	for _, c := range []struct{ run, sarif, junit, files string }{
		{"simtrun host --sarif own.sarif ./a", "own.sarif", "j.xml", "0.sarif"},
		{"simtrun host --sarif=own.sarif --check race --junit own.xml ./a", "own.sarif", "own.xml", "0.sarif"},
		{"simtrun host --clock --sarif own.sarif ./a; simtrun host ./b", "own.sarif", "j.xml", "0.sarif 1.sarif"},
		{"simtrun host ./a --sarif prog.sarif", "s.sarif", "j.xml", "0.sarif"},
		{"simtrun host --execute --sarif ./a --junit x", "s.sarif", "j.xml", "0.sarif"},
		{"simtrun host --require-launch -- ./a --sarif prog.sarif", "s.sarif", "j.xml", "0.sarif"},
		{"simtrun run -q k.cu --junit own.xml", "s.sarif", "own.xml", "0.sarif"},
		{"simtrun k.cu --sarif first --sarif own.sarif; simtrun k.cu --sarif own.sarif", "own.sarif", "j.xml", "0.sarif"},
		{"simtrun test --sarif '' ./...", "", "j.xml", ""},
		{"mkdir d && cd d && simtrun test --sarif own.sarif ./...", "/d/own.sarif", "j.xml", "0.sarif"},
	} {
		folder := t.TempDir()
		release, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(folder)
		link := os.Symlink(release+"/run", "run") // script runs ./run
		out, err := script(t, "run", map[string]string{"simtrun": simtrun, "dirname": `echo "` + release + `"`}, "RUN="+c.run, "SARIF=s.sarif", "JUNIT=j.xml",
			"RUNNER_TEMP="+folder, "GITHUB_OUTPUT="+filepath.Join(folder, "output"))
		t.Chdir(release)
		text, _ := os.ReadFile(filepath.Join(folder, "output"))
		got, gathered, _ := strings.Cut(strings.TrimSpace(string(text)), "\nsarif-folder=")
		if strings.HasPrefix(c.sarif, "/") {
			c.sarif = folder + c.sarif
		}
		if want := "exit-status=0\nsarif=" + c.sarif + "\njunit=" + c.junit; err != nil || link != nil || got != want {
			t.Errorf("%s: %v, %q, want %q, %s", c.run, err, got, want, out)
		}
		var files []string
		for _, name := range []string{"0.sarif", "1.sarif", "2.sarif"} {
			if _, err := os.Stat(filepath.Join(gathered, name)); err == nil && gathered != "" {
				files = append(files, name)
			}
		}
		if got := strings.Join(files, " "); got != c.files {
			t.Errorf("%s: gathered %q, want %q", c.run, got, c.files)
		}
	}
}

// TestActionKnowsFlagsWithoutValue checks that with-flags has each flag of simtrun host that takes no value, as the
// command's sources define them: after another flag it passes over a word.
func TestActionKnowsFlagsWithoutValue(t *testing.T) {
	known := regexp.MustCompile(`\bhost,--([a-z-]+)`).FindAllStringSubmatch(read(t, "release/with-flags"), -1)
	names := []string{"help"}
	for _, file := range []string{"host.go", "host_debug.go", "ci.go"} {
		for _, m := range regexp.MustCompile(`\.BoolVarP?\([^"]*"([a-z-]+)"`).FindAllStringSubmatch(read(t, "cmd/simtrun/"+file), -1) {
			names = append(names, m[1])
		}
	}
	var got []string
	for _, m := range known {
		got = append(got, m[1])
	}
	slices.Sort(names)
	slices.Sort(got)
	if !slices.Equal(got, names) || len(names) < 8 {
		t.Errorf("with-flags has %v, and the command %v", got, names)
	}
}

// TestActionGathersSARIFOfAllCalls checks that one folder has the files of all calls, which have different categories,
// also in jobs of a matrix and those of other workflows.
func TestActionGathersSARIFOfAllCalls(t *testing.T) {
	temp := t.TempDir()
	output := filepath.Join(temp, "output")
	const simtrun = `while [ "$1" != --sarif ]; do shift; done; [ -n "$VAR" ] || echo "$4" >"$2"`
	out, err := script(t, "run", map[string]string{"simtrun": simtrun}, "RUN=simtrun a.cu; VAR=1 simtrun lost.cu; simtrun b.cu; exit 3", "RUNNER_TEMP="+temp,
		"SARIF="+filepath.Join(temp, "s.sarif"), "GITHUB_OUTPUT="+output, "GITHUB_WORKFLOW=Nightly tests", "GITHUB_JOB=cuda", "MATRIX={\n  \"gpu\": \"h100\",\n  \"n\": 2\n}")
	text, _ := os.ReadFile(output)
	_, folder, found := strings.Cut(strings.TrimSpace(string(text)), "sarif-folder=")
	if err == nil || !found {
		t.Fatalf("%v, %q, %s", err, text, out)
	}
	for file, want := range map[string]string{"0.sarif": "s", "1.sarif": "s-3"} {
		want = "Nightly tests/cuda/" + temp + "/" + want + "/gpu:h100,n:2\n"
		if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", file, got, err, want)
		}
	}
}

// TestActionSummarisesJob checks the summary of a job: a row for each failure and each finding that is allowed, or that
// there is none, from all JUnit files.
func TestActionSummarisesJob(t *testing.T) {
	const junit = `<testsuites><testsuite>\n<testcase classname="prog" name="run"></testcase>\n`
	const race = `<testcase classname="prog" name="race-raw k.cu:9 in f&lt;1&gt;">\n<failure message="a|b &amp; c&#xA;d">text</failure>\n</testcase>\n`
	const known = `<testcase classname="prog" name="div-zero k.cu:7">\n<skipped message="known"></skipped>\n</testcase>\n`
	const head, row = "| Program | Test | | Message |\n|---|---|---|---|\n", "| prog | race-raw k.cu:9 in f&lt;1&gt; | failed | a\\|b &amp; c d |\n"
	for _, c := range []struct{ text, status, want string }{
		{junit, "0", "No findings; 2 tests passed.\n"},
		{junit + race + known, "1", head + strings.Repeat(row+"| prog | div-zero k.cu:7 | skipped | known |\n", 2)},
		{junit + strings.Repeat(race, 30), "1", head + strings.Repeat(row, 50) + "\nand 10 more\n"},
		{"", "4", ""},
	} {
		folder := t.TempDir()
		simtrun := "while [ \"$1\" != --junit ]; do shift; done\n[ -z \"$TEXT\" ] || printf \"$TEXT\" >\"$2\""
		out, _ := script(t, "run", map[string]string{"simtrun": simtrun}, "RUN=simtrun host ./a; simtrun host ./b; exit "+c.status, "TEXT="+c.text,
			"JUNIT="+filepath.Join(folder, "j.xml"), "GITHUB_STEP_SUMMARY="+filepath.Join(folder, "summary"))
		got, err := os.ReadFile(filepath.Join(folder, "summary"))
		if want := "### simtrun: exit status " + c.status + "\n\n" + c.want; err != nil || string(got) != want {
			t.Errorf("%v, %s: got\n%s\nwant\n%s", err, out, got, want)
		}
	}
}

// TestActionNamesWhatRunnerLacks checks the messages on runners on which the action cannot work.
func TestActionNamesWhatRunnerLacks(t *testing.T) {
	const linux, none = "echo Linux", "echo '  Candidate: (none)'"
	for _, c := range []struct {
		commands map[string]string
		want     string
	}{
		{map[string]string{"uname": "echo Darwin"}, "simtrun's action: it needs a runner with Linux, such as ubuntu-24.04; this one has Darwin\n"},
		{map[string]string{"uname": "echo MINGW64_NT"}, "simtrun's action: it needs a runner with Linux, such as ubuntu-24.04; this one has MINGW64_NT\n"},
		{map[string]string{"uname": linux, "id": "echo 0", "apt-get": "true", "apt-cache": none},
			"simtrun's action: no package clang-1 for this system: use ubuntu-24.04 or newer, or add https://apt.llvm.org before\n"},
		{map[string]string{"uname": linux, "id": "echo 0", "apt-get": "true", "apt-cache": "true"},
			"simtrun's action: no package clang-1 for this system: use ubuntu-24.04 or newer, or add https://apt.llvm.org before\n"},
	} {
		out, err := script(t, "install", c.commands, "CLANG=clang-1", "VERSION=0.2.0", "PREFIX="+filepath.Join(t.TempDir(), "none"))
		if err == nil || out != c.want {
			t.Errorf("%v: %v, %q, want %q", c.commands, err, out, c.want)
		}
	}
}

// TestActionOutputsExitStatus checks that a step of the action fails with the command, and outputs its exit status.
func TestActionOutputsExitStatus(t *testing.T) {
	for _, status := range []string{"0", "4"} {
		output := filepath.Join(t.TempDir(), "output")
		_, err := script(t, "run", map[string]string{"simtrun": "exit " + status}, "RUN=simtrun host ./prog", "SARIF=s", "GITHUB_OUTPUT="+output)
		if got, _ := os.ReadFile(output); string(got) != "exit-status="+status+"\nsarif=s\njunit=\nsarif-folder=\n" || (err != nil) != (status != "0") {
			t.Errorf("exit %s: %v, %q", status, err, got)
		}
	}
}

// TestLibraryForNewerSystemIsRefused checks that a release stops at a library that needs a newer C library than
// packages depend on.
func TestLibraryForNewerSystemIsRefused(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "libx.so.1"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for newest, want := range map[string]string{"2.34": "", "2.4": "", "": "", "2.38": "libx.so.1 needs glibc 2.38; packages depend on 2.34\n"} {
		readelf := "echo '1: 0 FUNC free@GLIBC_2.2.5 (2)'; echo '2: 0 FUNC open@GLIBC_" + newest + " (3)'; echo '3: 0 FUNC abort'"
		if out, err := script(t, "glibc 2.34 "+folder, map[string]string{"readelf": readelf}); !strings.HasSuffix(out, want) || (err != nil) != (want != "") {
			t.Errorf("%s: %v, %q", newest, err, out)
		}
	}
}

// TestActionPassesInputsToEveryCall checks the calls that the action's inputs become, with a command simtrun that
// prints its arguments and fails for ./fails.
func TestActionPassesInputsToEveryCall(t *testing.T) {
	const flags, launches = "[--github][--fail-on][error]", "[--github][--fail-on][error][--require-launch]"
	const simtrun = `printf '[%s]' "$@"; echo " $VAR"; case "$*" in *./fails*) exit 3;; esac`
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	untested := func(run string) string {
		return "simtrun's action: \"" + run + "\" has not called simtrun run, simtrun test, simtrun host or simtrun FILE, so nothing was tested\n"
	}
	for _, c := range []struct {
		run    string
		env    []string
		want   string
		status int
	}{
		{"simtrun host ./prog 'a b' $COUNT", []string{"CHECK=race,init", "GPU=a100", "SARIF=s", "JUNIT=j", "COUNT=7"},
			"[host]" + flags + "[--check][race,init][--sarif][s][--sarif-category][s][--junit][j][--require-launch][--gpu][a100][./prog][a b][7] \n", 0},
		{"simtrun host ./prog", []string{"REQUIRE_LAUNCH=false"}, "[host]" + flags + "[./prog] \n", 0},
		{"simtrun test ./...", []string{"FAIL_ON=never"}, "[test][--github][--fail-on][never][./...] \n", 0},
		{"simtrun test ./...", []string{"SUPPRESSIONS=a b\nc\n", "BASELINE=known.sarif", "ERROR_EXITCODE=9"},
			"[test]" + flags + "[--baseline][known.sarif][--error-exitcode][9][--suppressions][a b][--suppressions][c][./...] \n", 0},
		{"simtrun run k.cu", nil, "[run]" + flags + "[k.cu] \n", 0},
		{"simtrun k.cu", nil, "[run]" + flags + "[k.cu] \n", 0},
		{"simtrun --grid 4 k.cu", nil, "[run]" + flags + "[--grid][4][k.cu] \n", 0},
		{"VAR=1 simtrun host ./prog", nil, "[host]" + launches + "[./prog] 1\n", 0},
		{"env VAR=1 simtrun host ./prog", nil, "[host]" + launches + "[./prog] 1\n", 0},
		{"simtrun host ./a\nsimtrun cc b.cu\n\nsimtrun host ./b\n", []string{"SARIF=out.d/s.sarif", "JUNIT=j"},
			"[host]" + flags + "[--sarif][out.d/s.sarif][--sarif-category][out.d/s][--junit][j][--require-launch][./a] \n[cc][b.cu] \n" +
				"[host]" + flags + "[--sarif][out.d/s-2.sarif][--sarif-category][out.d/s-2][--junit][j-2][--require-launch][./b] \n", 0},
		{"cd / && simtrun host ./a", []string{"SARIF=s", "JUNIT=/j", "SUPPRESSIONS=a", "BASELINE=d/b"}, "[host]" + flags + "[--sarif][" + here + "/s][--sarif-category][s][--junit][/j][--require-launch]" +
			"[--baseline][" + here + "/d/b][--suppressions][" + here + "/a][./a] \n", 0},
		{"simtrun host ./a && simtrun host ./b", nil, "[host]" + launches + "[./a] \n[host]" + launches + "[./b] \n", 0},
		{"simtrun host ./fails\nsimtrun host ./b", nil, "[host]" + launches + "[./fails] \n", 3},
		{"simtrun host ./fails | cat\nsimtrun host ./b", nil, "[host]" + launches + "[./fails] \n", 3},
		{"simtrun host ./fails || true\nsimtrun host ./b", nil, "[host]" + launches + "[./fails] \n[host]" + launches + "[./b] \n", 0},
		{"tests.sh", nil, "[host]" + launches + "[./prog] \n", 0},
		{"make check", []string{"CHECK=race"}, "[host]" + flags + "[--check][race][--require-launch][./prog] \n", 0},
		{"true", nil, untested("true"), 2},
		{"simtrun gpu", nil, "[gpu] \n" + untested("simtrun gpu"), 2},
	} {
		commands := map[string]string{"simtrun": simtrun, "tests.sh": "simtrun host ./prog", "make": "exec simtrun host ./prog"}
		out, err := script(t, "run", commands, append(c.env, "RUN="+c.run)...)
		status := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			status = exit.ExitCode()
		}
		if out != c.want || status != c.status {
			t.Errorf("%s with %v: %q, exit %d, want %q and %d", c.run, c.env, out, status, c.want, c.status)
		}
	}
}
