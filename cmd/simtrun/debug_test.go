package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// session is a debugging session as a user sees it: the command line after "$ simtrun", then prompts, commands and
// answers.
type session struct {
	args  []string
	typed []string
	text  []string // everything after the command line
}

// parseSession reads a session whose first line is its command line.
func parseSession(lines []string) *session {
	s := &session{args: strings.Fields(strings.TrimPrefix(lines[0], "$ simtrun ")), text: lines[1:]}
	for _, line := range s.text {
		if prompt, typed, ok := strings.Cut(line, ") "); ok && strings.HasPrefix(prompt, "(simt") {
			s.typed = append(s.typed, typed)
		} else if typed, ok := strings.CutPrefix(line, "> "); ok { // after commands
			s.typed = append(s.typed, typed)
		}
	}
	return s
}

// addCommands adds the first words of the commands.
func (s *session) addCommands(to map[string]bool) {
	for _, line := range s.typed {
		word, _, _ := strings.Cut(line, " ")
		word, _, _ = strings.Cut(word, "/")
		to[word] = true
	}
}

// replay types the commands again, and returns the whole output and the exit status.
func (s *session) replay(t *testing.T) (text []string, code int) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs(s.args)
	root.SetIn(strings.NewReader(strings.Join(append(s.typed, ""), "\n")))
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	code = exitCode(t.Context(), err)
	if err != nil {
		printError(&out, err, code, "simtrun help debug", "")
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), code
}

// TestDebugSessionsMatchFiles runs the sessions in testdata/debug.
func TestDebugSessionsMatchFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/debug/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	typed := make(map[string]bool)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n")
			s := parseSession(lines)
			s.addCommands(typed)
			got, code := s.replay(t)
			if code != exitOK {
				t.Errorf("exit status %d", code)
			}
			if *update {
				text := strings.Join(append(lines[:1], got...), "\n") + "\n"
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(s.text, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, names := range commandNamesInHelp(t, "testdata/debug/sides.s") {
		if !slices.ContainsFunc(names, func(name string) bool { return typed[name] }) {
			t.Errorf("no session types %s", names[0])
		}
	}
}

// TestDebuggerPageShowsEveryCommand runs the sessions in docs/debugger.md, which must use every command.
func TestDebuggerPageShowsEveryCommand(t *testing.T) {
	short.Alternates(t, 1, 3)
	t.Chdir("../..")
	page, err := os.ReadFile("docs/debugger.md")
	if err != nil {
		t.Fatal(err)
	}
	typed := make(map[string]bool)
	lines := strings.Split(string(page), "\n")
	for first := 0; first < len(lines); first++ {
		if !strings.HasPrefix(lines[first], "    $ simtrun debug ") {
			continue
		}
		var shown []string
		for _, line := range lines[first:] {
			text, indented := strings.CutPrefix(line, "    ")
			if !indented {
				break
			}
			shown = append(shown, text)
		}
		s := parseSession(shown)
		s.addCommands(typed)
		t.Run(shown[0], func(t *testing.T) {
			if strings.Contains(shown[0], ".cu") {
				needsClang(t)
			}
			got, _ := s.replay(t)
			if diff := cmp.Diff(s.text, got); diff != "" && !*update {
				t.Errorf("%s (-docs +now):\n%s", shown[0], diff)
			} else if diff != "" {
				lines = slices.Replace(lines, first+1, first+len(shown), asExample(got)...)
			}
		})
	}
	if *update {
		if err := os.WriteFile("docs/debugger.md", []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, names := range commandNamesInHelp(t, "programs/saxpy.s") {
		if !slices.ContainsFunc(names, func(name string) bool { return typed[name] }) {
			t.Errorf("docs/debugger.md does not show %s", names[0])
		}
	}
}

// asExample returns the lines of an example in a page.
func asExample(text []string) []string {
	var all []string
	for _, line := range text {
		all = append(all, strings.TrimRight("    "+line, " "))
	}
	return all
}

// TestDebugScriptsRunInOrder checks that -x comes before -e and both before standard input, and that --batch returns
// the exit status of the launch.
func TestDebugScriptsRunInOrder(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("step\nstep"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args  []string
		typed []string
		code  int
		ends  string
	}{
		{[]string{"-x", script, "-e", "print 1", "-e", "print 2"}, []string{"print 3", "quit"}, exitOK,
			"=> 7    setp.gt.u32 %p0, %r3, 15                 active ffffffff\n(simt b0.w0.l0 32/32) print 1\n1 = 1\n(simt b0.w0.l0 32/32) print 2\n2 = 2\n(simt b0.w0.l0 32/32) print 3\n3 = 3\n(simt b0.w0.l0 32/32) quit"},
		{[]string{"--batch", "-e", "print 4"}, []string{"print 3"}, exitOK, "(simt b0.w0.l0 32/32) print 4\n4 = 4"},
		{[]string{"--batch", "-e", "quit", "-e", "print 4"}, nil, exitOK, "(simt b0.w0.l0 32/32) quit"},
		{[]string{"--arg", "out=zeros:8:u32", "--batch", "-e", "continue"}, nil, exitFault, "8 elements of 4 bytes, 0 to 7"},
		{[]string{"--arg", "out=zeros:8:u32", "-e", "continue"}, nil, exitOK, "active ffffffff"},
		{[]string{"--batch", "-x", "nowhere"}, nil, exitUsage, "see 'simtrun help debug'"},
		{[]string{"--batch", "-e", "nonsense", "-e", "print 5"}, nil, exitUsage, "print 5\n5 = 5"},
		{[]string{"-e", "nonsense"}, []string{"print 5"}, exitUsage, "print 5\n5 = 5"},
		{nil, []string{"nonsense"}, exitOK, "help lists them"},
		{[]string{"--batch", "-e", "step", "-e", "", "-e", "  "}, nil, exitOK,
			"=> 6    mul.lo.u32 %r5, %r3, 4                   active ffffffff\n(simt b0.w0.l0 32/32) \n(simt b0.w0.l0 32/32)   "},
		{[]string{"--block", "2000"}, nil, exitUsage, "see 'simtrun help debug'"},
	} {
		s := &session{args: append([]string{"debug", "testdata/debug/sides.s"}, tt.args...), typed: tt.typed}
		text, code := s.replay(t)
		if got := strings.Join(text, "\n"); code != tt.code || !strings.HasSuffix(strings.TrimRight(got, "\n"), tt.ends) {
			t.Errorf("%q: exit status %d\n%s", tt.args, code, got)
		}
	}
}

// TestDebuggedLaunchIsFinished checks that dumps, saves and expectations are carried out when the last launch has
// ended. In sides.s lane i stores 4i+1 below 16, and 4i+2 from there.
func TestDebuggedLaunchIsFinished(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.bin")
	for _, tt := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"--dump", "out:u32:4", "-e", "c"}, exitOK, []string{"out[0:4] u32 = 1 5 9 13"}},
		{[]string{"--dump", "out:u32:4", "-e", "until 20", "-e", "set r5 = 7"}, exitFindings, []string{"--dump applies when the last launch has ended"}},
		{[]string{"--expect", "out[16] == 66", "-e", "c"}, exitOK, []string{"expect  1 passed"}},
		{[]string{"--expect", "out[16] == 5", "-e", "c"}, exitFindings, []string{"expect  0 passed, 1 failed", "out[16] is 66, not 5"}},
		{[]string{"--expect", "out[16] == 5"}, exitFindings, []string{"--expect applies when the last launch has ended"}},
		{[]string{"--expect", "metric warp_instructions == 5", "-e", "c"}, exitUsage, []string{"the debugger has no counters"}},
		{[]string{"--save", "out=" + file, "-e", "c"}, exitOK, nil},
		{[]string{"--save", "out=" + t.TempDir(), "-e", "c"}, exitIO, []string{"out not saved"}},
	} {
		s := &session{args: append([]string{"debug", "testdata/debug/sides.s", "--batch"}, tt.args...)}
		text, code := s.replay(t)
		if code != tt.code {
			t.Errorf("%q: exit status %d, want %d", tt.args, code, tt.code)
		}
		for _, want := range tt.says {
			if !strings.Contains(strings.Join(text, "\n"), want) {
				t.Errorf("%q: %q does not say %q", tt.args, text, want)
			}
		}
	}
	saved, err := os.ReadFile(file)
	if err != nil || len(saved) != 128 || saved[4] != 5 {
		t.Errorf("saved %v, %v", saved, err)
	}
}

// TestCompleterReplacesWordBeforeCursor completes the word before the cursor.
func TestCompleterReplacesWordBeforeCursor(t *testing.T) {
	offers := completer(func(line string) []string {
		return map[string][]string{"p %r": {"%r1", "%rd1"}, "con": {"continue"}}[line]
	})
	for _, tt := range []struct {
		line string
		pos  int
		rest []string
	}{
		{"p %r", 4, []string{"1", "d1"}},
		{"con 5", 3, []string{"tinue "}},
		{"q", 1, nil},
	} {
		var got []string
		rest, typed := offers.Do([]rune(tt.line), tt.pos)
		for _, word := range rest {
			got = append(got, string(word))
		}
		word := tt.line[:tt.pos]
		if diff := cmp.Diff(tt.rest, got); diff != "" || typed != len(word[strings.LastIndex(word, " ")+1:]) {
			t.Errorf("%q: %d typed\n%s", tt.line, typed, diff)
		}
	}
}

// commandNamesInHelp returns the commands that help lists, each with its aliases.
func commandNamesInHelp(t *testing.T, source string) [][]string {
	s := &session{args: []string{"debug", source, "--batch", "-e", "help"}}
	text, _ := s.replay(t)
	var names [][]string
	for _, line := range text {
		if row, ok := strings.CutPrefix(line, "  "); ok {
			names = append(names, strings.Fields(fmt.Sprintf("%-28s", row)[:28])) // two columns
		}
	}
	if len(names) < 40 {
		t.Fatalf("help lists %d commands", len(names))
	}
	return names
}
