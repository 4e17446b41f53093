package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFlowGraphCountsLanes checks the graph of a warp, with n = 16: its lanes 0 to 15 go to done.
func TestFlowGraphCountsLanes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.s")
	if err := os.WriteFile(file, []byte(triple), 0o666); err != nil {
		t.Fatal(err)
	}
	ran := simtrunIn(t.Context(), dir, "FILE", "--arg", "n=16", "--json")
	if ran.code != 0 {
		t.Fatalf("%+v", ran)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(ran.stdout), 0o666); err != nil {
		t.Fatal(err)
	}
	want := output{0, `triple  kernel  instructions 13  blocks 3  exit regions 1

B0  @0-@7  lines 5-12  exit region 1  ipdom B2  runs 1  lanes 32.0
      @0  ld.param.u64 %rd1, [out];
      @1  ld.param.u32 %r1, [n];
      @2  mov.u32 %r2, %ctaid.x;
      @3  mov.u32 %r3, %ntid.x;
      @4  mov.u32 %r4, %tid.x;
      @5  mad.lo.u32 %r5, %r2, %r3, %r4;
      @6  setp.ge.u32 %p1, %r5, %r1;
      @7  @%p1 bra done;
    -> B2 @12 done  taken
    -> B1 @8        falls through
    @7 diverged 1 of 1; reconverges at @12 done: its adds a convergence barrier there

B1  @8-@11  lines 13-16  exit region 1  ipdom B2  runs 1  lanes 16.0
      @8  mul.lo.u32 %r6, %r5, 3;
      @9  mul.wide.u32 %rd2, %r5, 4;
     @10  add.u64 %rd3, %rd1, %rd2;
     @11  st.global.u32 [%rd3], %r6;
    -> B2 @12 done  falls through

B2  @12  done  line 18  exit region 1  no ipdom  runs 1  lanes 32.0
     @12  ret;
`, ""}
	got := simtrunIn(t.Context(), dir, "asm", "FILE", "--cfg", "--counts", "DIR/run.json")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	if same := simtrunIn(t.Context(), dir, "asm", "--cfg=text", "--counts", "DIR/run.json", "FILE"); same != got {
		t.Errorf("--cfg=text: %+v", same)
	}
}

func TestFlowGraphIsWrittenAsDOTAndSVG(t *testing.T) {
	if got := simtrun(t, triple, "asm", "--cfg=dot", "FILE"); got.code != 0 || !strings.HasPrefix(got.stdout, "digraph simtrun {\n") {
		t.Errorf("%+v", got)
	}
	got := simtrun(t, triple, "asm", "--cfg=svg", "FILE")
	if got.code != 0 || !strings.HasPrefix(got.stdout, "<svg ") {
		t.Errorf("%+v", got)
	}
	if _, err := io.Copy(io.Discard, xmlText{xml.NewDecoder(strings.NewReader(got.stdout))}); err != nil {
		t.Error(err)
	}
}

// xmlText reads an XML document to its end, and returns only its error.
type xmlText struct{ *xml.Decoder }

func (x xmlText) Read([]byte) (int, error) {
	_, err := x.Token()
	return 0, err
}

func TestFlowGraphMistakesAreExplained(t *testing.T) {
	const see = "\nsee 'simtrun help asm'\n"
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--cfg=png"}, `simtrun: --cfg png: no format "png"; there are text, dot, svg` + see},
		{[]string{"--cfg="}, `simtrun: --cfg: no format ""; there are text, dot, svg` + see},
		{[]string{"--cfg", "--ptx"}, "simtrun: --ptx and --cfg cannot be combined" + see},
		{[]string{"--counts", "FILE"}, "simtrun: --counts annotates the graph of --cfg: pass --cfg, too" + see},
		{[]string{"--cfg", "--counts", "DIR/none"}, "simtrun: --counts none: there is no such file" + see},
		{[]string{"--cfg", "--counts", "FILE"}, "simtrun: --counts: k.s: counts are read from what simtrun run --json prints: invalid character '/' looking for beginning of value" + see},
	} {
		got := simtrun(t, triple, append([]string{"asm", "FILE"}, tt.args...)...)
		if diff := cmp.Diff(output{exitUsage, "", tt.want}, got, cmp.AllowUnexported(output{})); diff != "" {
			t.Errorf("%v: %s", tt.args, diff)
		}
	}
}

// TestDivergencePageShowsRealOutput runs the commands that docs/divergence.md shows after "$ simtrun", and compares the
// output. Files that a command writes are available to later ones.
func TestDivergencePageShowsRealOutput(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/divergence.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	examples := 0
	lines := strings.Split(string(page), "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ simtrun ")
		if !ok {
			continue
		}
		var want strings.Builder
		for i+1 < len(lines) && shown(lines[i+1:]) {
			i++
			want.WriteString(strings.TrimPrefix(lines[i], "    ") + "\n")
		}
		words, file, _ := strings.Cut(strings.ReplaceAll(command, "run.json", filepath.Join(dir, "run.json")), " > ")
		var stdout, stderr bytes.Buffer
		run(t.Context(), strings.Fields(words), &stdout, &stderr)
		if file != "" {
			if err := os.WriteFile(file, stdout.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			stdout.Reset()
		}
		if diff := cmp.Diff(want.String(), stdout.String()+stderr.String()); diff != "" {
			t.Errorf("simtrun %s (-page +now):\n%s", command, diff)
		}
		examples++
	}
	if examples == 0 {
		t.Error("docs/divergence.md shows no example")
	}
}

// shown reports whether the first line is output of the example above it: it is indented and not another command, or
// empty with more to follow.
func shown(lines []string) bool {
	for _, line := range lines {
		if line != "" {
			return strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "    $")
		}
	}
	return false
}
