package golden_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/golden"
)

// dir makes a folder with files.
func dir(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// place finds a file by its name.
func place(t *testing.T, path string) golden.Place {
	t.Helper()
	places, err := golden.Find([]string{path})
	if err != nil || len(places) != 1 {
		t.Fatalf("%v %v", places, err)
	}
	return places[0]
}

// checked returns the outcome of a case in root. Its texts omit root.
func checked(t *testing.T, root, name string, mode golden.Mode) *golden.Outcome {
	t.Helper()
	c, err := golden.Load(place(t, filepath.Join(root, name)))
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Check(context.Background(), mode)
	if err != nil {
		t.Fatal(err)
	}
	o.Case = strings.ReplaceAll(o.Case, root+"/", "")
	for i := range o.Problems {
		o.Problems[i].Text = strings.ReplaceAll(o.Problems[i].Text, root+"/", "")
	}
	return o
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// parts is a kernel in which lanes 0 to 15 store 1 and the others 2: 5 instructions, 2 and 1 in the arms, and 1 after
// them.
const parts = `//sim:arg out = zeros:32:u32
//sim:expect out[15:17] == 1 2
.entry parts(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	st.global.u32 [%rd1], 2;
	bra END;
LOW:
	st.global.u32 [%rd1], 1;
END:
	ret;
}
`

// dumped is parts with a dump, and dump its output.
const (
	dumped = "//sim:dump out:u32:1\n" + parts
	dump   = "out[0:1] u32 = 1\n"
)

// An archive has the source and its sections. Only the wrong section differs, and it has the archive's line numbers.
// An update leaves the comment and the source unchanged.
func TestArchiveIsUpdatedInPlace(t *testing.T) {
	const comment = "Two arms.\n\n"
	const wrong = comment + "-- parts.s --\n" + parts + "-- counters warp_instructions divergent_branches --\nwarp_instructions 9\ndivergent_branches 0\n"
	const right = comment + "-- parts.s --\n" + parts + "-- counters warp_instructions divergent_branches --\nwarp_instructions 9\ndivergent_branches 1\n"
	root := dir(t, map[string]string{"parts.txtar": wrong})
	want := &golden.Outcome{Case: "parts.txtar", Runs: []string{""}, Pinned: true, Problems: []golden.Problem{{
		Runs: []string{""}, All: true, Section: "counters warp_instructions divergent_branches",
		Text: "parts.txtar differs (-golden +now)\n    22 - divergent_branches 0\n       + divergent_branches 1",
	}}}
	same(t, want, checked(t, root, "parts.txtar", golden.Compare))
	same(t, &golden.Outcome{Case: "parts.txtar", Runs: []string{""}, Pinned: true, Updated: true}, checked(t, root, "parts.txtar", golden.Update))
	same(t, right, read(t, root, "parts.txtar"))
	same(t, &golden.Outcome{Case: "parts.txtar", Runs: []string{""}, Pinned: true}, checked(t, root, "parts.txtar", golden.Update))
}

// Messages about a source in an archive have the archive's line numbers: the comment and the marker are two lines.
func TestMessagesHaveLinesOfArchive(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"expect":   {"== 1 2", "== 1 3", "k.txtar:4:14: expect out[15:17] == 1 3: 1 of 2 elements differs\n"},
		"assembly": {"mad.wide.u32", "mad.wide.u33", "k.txtar:9:2: "},
	} {
		root := dir(t, map[string]string{"k.txtar": "comment\n-- k.s --\n" + strings.Replace(parts, c.old, c.new, 1)})
		o := checked(t, root, "k.txtar", golden.Compare)
		if len(o.Problems) != 1 || !strings.HasPrefix(o.Problems[0].Text, c.want) {
			t.Errorf("%s: problems %v, want one that begins with %q", name, o.Problems, c.want)
		}
	}
}

// A matrix of three models and two orders. The instructions are the same for its and stack, but differ between
// orders; minpc has no order.
func TestMatrixRunsShareSections(t *testing.T) {
	const source = "//sim:matrix divergence=its,stack,minpc path-order=taken,fallthrough\n" + parts
	root := dir(t, map[string]string{"parts.s": source, "parts.golden": "-- instr line=11,14 --\n-- dump --\n"})
	runs := []string{"its taken", "its fallthrough", "stack taken", "stack fallthrough", "minpc taken", "minpc fallthrough"}
	const high = "b0.w0  instr       L11   ffff0000  ffff0000  st.global.u32 [%rd1], 2;\n"
	const low = "b0.w0  instr       L14   0000ffff  0000ffff  st.global.u32 [%rd1], 1;\n"
	same(t, &golden.Outcome{Case: "parts.s", Runs: runs, Pinned: true, Updated: true}, checked(t, root, "parts.s", golden.Update))
	same(t, "-- instr line=11,14 its taken --\n"+low+high+
		"-- instr line=11,14 its fallthrough --\n"+high+low+
		"-- instr line=11,14 stack taken --\n"+low+high+
		"-- instr line=11,14 stack fallthrough --\n"+high+low+
		"-- instr line=11,14 minpc --\n"+high+low+
		"-- dump --\n", read(t, root, "parts.golden"))
	same(t, &golden.Outcome{Case: "parts.s", Runs: runs, Pinned: true}, checked(t, root, "parts.s", golden.Compare))
}

// A matrix of GPUs: the case leaves the number of SMs in memory.
func TestMatrixRunsOnEveryGPU(t *testing.T) {
	const source = `//sim:matrix gpu=v100,a100,minimal
//sim:arg out = zeros:1:u32
//sim:dump out
.entry k(.param .u64 out) { ld.param.u64 %rd1, [out]; mov.u32 %r1, %nsmid; st.global.u32 [%rd1], %r1; ret; }
`
	root := dir(t, map[string]string{"sms.s": source, "sms.golden": "-- dump --\n"})
	runs := []string{"v100", "a100", "minimal"}
	same(t, &golden.Outcome{Case: "sms.s", Runs: runs, Pinned: true, Updated: true}, checked(t, root, "sms.s", golden.Update))
	const of = "out[0:1] u32 = "
	same(t, "-- dump v100 --\n"+of+"80\n-- dump a100 --\n"+of+"108\n-- dump minimal --\n"+of+"1\n", read(t, root, "sms.golden"))
	same(t, &golden.Outcome{Case: "sms.s", Runs: runs, Pinned: true}, checked(t, root, "sms.s", golden.Compare))
}

// The most specific section applies to a machine; a machine without one is a problem.
func TestMostSpecificSectionApplies(t *testing.T) {
	const source = "//sim:matrix divergence=its,stack path-order=taken,fallthrough\n" + dumped
	const pinned = "-- dump --\n" + dump + "-- dump its --\nno\n-- dump fallthrough --\nno\n-- dump its fallthrough --\n" + dump + "-- stderr stack --\n"
	root := dir(t, map[string]string{"parts.s": source, "parts.golden": pinned})
	const text = "parts.golden differs (-golden +now)\n"
	want := []golden.Problem{
		{Runs: []string{"its taken"}, All: true, Section: "dump its", Text: text + "     4 - no\n       + " + strings.TrimSpace(dump)},
		{Runs: []string{"stack fallthrough"}, All: true, Section: "dump fallthrough", Text: text + "     6 - no\n       + " + strings.TrimSpace(dump)},
		{Runs: []string{"its taken", "its fallthrough"}, Section: "stderr", Text: "no section for this machine; -u adds it"},
	}
	same(t, want, checked(t, root, "parts.s", golden.Compare).Problems)
}

// A failed run is a problem unless its message is pinned.
func TestFailingRunMustBePinned(t *testing.T) {
	source := strings.Replace(parts, "[%rd1], 2", "[%rd1+64], 2", 1)
	root := dir(t, map[string]string{"k.s": source, "k.golden": "-- stderr --\n"})
	same(t, &golden.Outcome{Case: "k.s", Runs: []string{""}, Pinned: true, Updated: true}, checked(t, root, "k.s", golden.Update))
	text := read(t, root, "k.golden")
	if !strings.Contains(text, "[mem-oob]") {
		t.Errorf("standard error is\n%s", text)
	}
	root = dir(t, map[string]string{"k.s": source, "k.golden": "-- dump --\nx\n"})
	o := checked(t, root, "k.s", golden.Update)
	if o.Updated || len(o.Problems) != 2 || !strings.Contains(o.Problems[0].Text, "[mem-oob]") {
		t.Errorf("a fault that nobody expects: %v", o)
	}
}

// An unmet expectation is a problem, and prevents the file from being rewritten.
func TestFailedExpectationPreventsUpdate(t *testing.T) {
	root := dir(t, map[string]string{"k.s": strings.Replace(parts, "== 1 2", "== 2 1", 1), "k.golden": "-- counters warp_instructions --\n"})
	o := checked(t, root, "k.s", golden.Update)
	if o.Updated || len(o.Problems) != 2 || !strings.HasPrefix(o.Problems[0].Text, "k.s:2:14: expect out[15:17] == 2 1: 2 of 2 elements differ\n") {
		t.Errorf("outcome %v", o)
	}
	same(t, "-- counters warp_instructions --\n", read(t, root, "k.golden"))
}

// A golden file without sections is the output. Create makes one.
func TestPlainGoldenFileIsOutput(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts})
	same(t, &golden.Outcome{Case: "k.s", Runs: []string{""}}, checked(t, root, "k.s", golden.Update))
	same(t, &golden.Outcome{Case: "k.s", Runs: []string{""}, Pinned: true, Updated: true}, checked(t, root, "k.s", golden.Create))
	same(t, `parts   grid 1x1x1 (1 block)  block 32x1x1 (1 warp, default)  warps 1  divergence its
ok      warp-instr 9  lanes active 83.3%  divergent branches 1
expect  1 passed
`, read(t, root, "k.golden"))
	same(t, &golden.Outcome{Case: "k.s", Runs: []string{""}, Pinned: true}, checked(t, root, "k.s", golden.Compare))
}

// Output of a kernel may be an incomplete line, or look like a section.
func TestPrintedTextMayLookLikeSection(t *testing.T) {
	const source = `.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[] = {TEXT, 0};
.entry k()
{
	.param .b64 f;
	.param .b64 a;
	.param .b32 r;
	mov.u64 %rd1, text;
	cvta.global.u64 %rd1, %rd1;
	st.param.b64 [f], %rd1;
	st.param.b64 [a], 0;
	call.uni (r), vprintf, (f, a);
	ret;
}
`
	for text, want := range map[string]string{
		"72, 105":                                 "-- dump --\n" + strings.Repeat("Hi", 32) + "\n\\ no newline at the end\n",
		"45, 45, 32, 97, 32, 45, 45, 10":          `it has a line that begins with "-- " and ends with " --", which a golden file cannot hold`,
		"45, 45, 32, 97, 32, 45, 45, 32, 33,  10": "-- dump --\n" + strings.Repeat("-- a -- !\n", 32),
	} {
		root := dir(t, map[string]string{"k.s": strings.Replace(source, "TEXT", text, 1), "k.golden": "-- dump --\n"})
		if o := checked(t, root, "k.s", golden.Update); len(o.Problems) > 0 {
			same(t, want, o.Problems[0].Text)
			continue
		}
		same(t, want, read(t, root, "k.golden"))
	}
}

func TestWrongSectionsAreExplained(t *testing.T) {
	for name, want := range map[string]string{
		"masks":            `k.golden:1: no section "masks"; did you mean mask?`,
		"picture":          `k.golden:1: no section "picture"; there are output, dump, stderr, counters, report, debug, mask, instr, mem, regs, sync, heat`,
		"mask its":         `k.golden: section "mask its" is for a machine that is not in the source's //sim:matrix`,
		"mask cta=3":       `k.golden:1: section "mask cta=3": no "cta=3"; a trace is limited by block=, warp= and line=, as in block=0 warp=0-3`,
		"mask block=x":     `k.golden:1: section "mask block=x": "x" is not a list of numbers such as 3 or 0,4-7`,
		"dump 3":           `k.golden:1: section "dump 3": "3" is not a GPU, a divergence model or a path order`,
		"counters cycle":   `k.golden:1: section "counters cycle": no metric "cycle"; simtrun metrics lists them`,
		"report cover":     `k.golden:1: section "report cover": no page "cover"; there are summary, source, sm, memory, advice, raw`,
		"mask its its":     `k.golden:1: section "mask its its": no "its"; a trace is limited by block=, warp= and line=, as in block=0 warp=0-3`,
		"dump --\n-- dump": `k.golden:2: section "dump" is there twice`,
	} {
		root := dir(t, map[string]string{"k.s": parts, "k.golden": "-- " + name + " --\n"})
		same(t, []golden.Problem{{Runs: []string{""}, All: true, Text: want}}, checked(t, root, "k.s", golden.Update).Problems)
	}
	root := dir(t, map[string]string{"k.txtar": "-- dump --\n"})
	same(t, "no source in the archive: expected a file NAME.s or NAME.ptx; CUDA C++ must be in a separate .cu file", checked(t, root, "k.txtar", golden.Compare).Problems[0].Text)
}

// TestNoHeaderIsPassedOver checks that a file with a run header that cannot be a case fails.
func TestNoHeaderIsPassedOver(t *testing.T) {
	for name, want := range map[string]string{
		"k.cuh":   "a //sim: header in a .cuh file: only .s, .ptx, .cu and .txtar are run",
		"k.cpp":   "a //sim: header in a .cpp file: only .s, .ptx, .cu and .txtar are run",
		"k.txtar": "b.cu in an archive: CUDA C++ must be in a separate .cu file",
	} {
		text := parts
		if filepath.Ext(name) == ".txtar" {
			text = "-- a.s --\n" + parts + "-- b.cu --\n//sim:grid 1\n"
		}
		root := dir(t, map[string]string{name: text, "plain.h": "// no header\n"})
		found, err := golden.Find([]string{root})
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v %v", name, found, err)
		}
		same(t, want, checked(t, root, name, golden.Compare).Problems[0].Text)
	}
}

// TestCommentedExpectationFails checks that a case with an expectation that is only a comment fails.
func TestCommentedExpectationFails(t *testing.T) {
	root := dir(t, map[string]string{"k.s": "// sim:expect out == 1\n" + parts, "k.golden": "-- output --\n"})
	want := "k.s:1:1: this is a comment, not a directive; a directive begins its line, as in //sim:expect …"
	same(t, []golden.Problem{{Runs: []string{""}, All: true, Text: want}}, checked(t, root, "k.s", golden.Update).Problems)
}

// TestNearMarkersAreNotText checks that a line that was meant to begin a section is not taken for text.
func TestNearMarkersAreNotText(t *testing.T) {
	for text, want := range map[string]string{
		"--dump--\n":                   `k.golden:1: "--dump--" does not begin a section; expected -- dump --`,
		"a comment\n-- dump\n":         `k.golden:2: "-- dump" does not begin a section; expected -- dump --`,
		"--- Mask its ---\n-- dump --": `k.golden:1: "--- Mask its ---" does not begin a section; expected -- mask its --`,
	} {
		root := dir(t, map[string]string{"k.s": parts, "k.golden": text})
		same(t, []golden.Problem{{Runs: []string{""}, All: true, Text: want}}, checked(t, root, "k.s", golden.Update).Problems)
	}
}

// TestEmptySectionIsRefused checks the message about a section that has a name and no text.
func TestEmptySectionIsRefused(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts, "k.golden": "-- output --\n-- counters barriers --\n"})
	want := []golden.Problem{
		{Runs: []string{""}, All: true, Section: "output", Text: "k.golden:1: the section is empty; simtrun test -u fills it"},
		{Runs: []string{""}, All: true, Section: "counters barriers", Text: "k.golden:2: the section is empty; simtrun test -u fills it"},
	}
	same(t, want, checked(t, root, "k.s", golden.Compare).Problems)
}

// TestCarriageReturnsAreKept checks that a golden file with Windows line ends is accepted, and that -u leaves it
// unchanged or keeps its line ends.
func TestCarriageReturnsAreKept(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts, "k.golden": "-- output --\n"})
	checked(t, root, "k.s", golden.Update)
	text := strings.ReplaceAll(read(t, root, "k.golden"), "\n", "\r\n")
	for name, files := range map[string]map[string]string{
		"golden":  {"k.s": parts, "k.golden": text},
		"both":    {"k.s": strings.ReplaceAll(parts, "\n", "\r\n"), "k.golden": text},
		"archive": {"k.txtar": strings.ReplaceAll("-- k.s --\n"+parts, "\n", "\r\n") + text},
	} {
		root := dir(t, files)
		pinned, source := "k.golden", "k.s"
		if name == "archive" {
			pinned, source = "k.txtar", "k.txtar"
		}
		for _, mode := range []golden.Mode{golden.Compare, golden.Update} {
			o := checked(t, root, source, mode)
			if len(o.Problems) > 0 || o.Updated || read(t, root, pinned) != files[pinned] {
				t.Errorf("%s: %+v\n%q", name, o, read(t, root, pinned))
			}
		}
	}
	root = dir(t, map[string]string{"k.s": parts, "k.golden": "-- output --\r\n"})
	if o := checked(t, root, "k.s", golden.Update); !o.Updated {
		t.Errorf("%+v", o)
	}
	same(t, text, read(t, root, "k.golden"))
}

// Sections for a page of the report and for a heat trace.
func TestSectionsHoldReportAndHeat(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts, "k.golden": "-- report source --\n-- heat --\n"})
	same(t, true, checked(t, root, "k.s", golden.Update).Updated)
	text := read(t, root, "k.golden")
	for _, want := range []string{"parts  k.s  grid 1x1x1", "st.global.u32 [%rd1], 2", "heat b0.w0  instructions 0-8 ", " l0-15   ######..#\n", " l16-31  #####.###\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A golden file may not belong to two sources.
func TestGoldenFileHasOneSource(t *testing.T) {
	root := dir(t, map[string]string{"k.s": parts, "k.ptx": parts, "k.golden": ""})
	_, err := golden.Load(place(t, filepath.Join(root, "k.ptx")))
	want := "k.golden belongs to both k.ptx and k.s; rename one of them"
	if err == nil || strings.ReplaceAll(err.Error(), root+"/", "") != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFindTakesGoPatterns(t *testing.T) {
	root := dir(t, map[string]string{
		"b.s": parts, "a.ptx": parts, "c.txtar": "-- c.s --\n" + parts, "d.txtar": "-- d.txt --\n", "e.s": "// sim:grid 4\n",
		"f.s": ".entry f() { ret; }\n", "f.golden": "", "sub/deep/g.s": "\t //sim:grid 1\n", "testdata/h.s": parts, "sub/.i/i.s": parts, "sub/_j/j.s": parts,
	})
	t.Chdir(root)
	for patterns, want := range map[string][]golden.Place{
		".":                {{Path: "a.ptx"}, {Path: "b.s"}, {Path: "c.txtar"}, {Path: "f.s"}},
		"./...":            {{Path: "a.ptx"}, {Path: "b.s"}, {Path: "c.txtar"}, {Path: "f.s"}, {Path: "sub/deep/g.s"}},
		"sub/... testdata": {{Path: "sub/deep/g.s"}, {Path: "testdata/h.s"}},
		"e.s ./e.s f.golden": {
			{Path: "e.s", Named: true}, {Path: "f.s", Named: true}},
		"sub": nil,
	} {
		got, err := golden.Find(strings.Fields(patterns))
		if err != nil {
			t.Errorf("%s: %v", patterns, err)
		}
		for i := range got {
			if got[i].Tree == "" {
				t.Errorf("%s: %s is in no tree", patterns, got[i].Path)
			}
			got[i].Tree = ""
		}
		same(t, want, got)
	}
	if err := os.WriteFile("alone.golden", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"none":         "stat none: no such file or directory",
		"none/...":     "lstat none: no such file or directory",
		"alone.golden": "alone.golden: it has no source alone.s or alone.ptx or alone.cu in its folder",
	} {
		if _, err := golden.Find([]string{pattern}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}
