package flowgraph

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// show returns graphs in the format of that name.
func show(t testing.TB, format string, graphs []*Graph) string {
	t.Helper()
	f, err := ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Write(&b, graphs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextShowsBlocksAndEdges(t *testing.T) {
	all := New(parse(t, assertion+`
.func f(.reg .u64 %rd1)
{
P:	.callprototype _ ();
	@%p2 call %rd1, (), P;
	@%p1 ret;
T:	.branchtargets A, A, B, A;
A:	brx.idx %r1, T;
B:	@%p2 exit;
	@%p1 bar.sync 0;
	ret;
}
`))
	if err := AddCounts(all[:1], strings.NewReader(twoRuns)); err != nil {
		t.Fatal(err)
	}
	want := `k  kernel  instructions 5  blocks 3  exit regions 2

B0  @0-@1  lines 3-4  exit region 1  ipdom B2  runs 4  lanes 26.0
      @0  setp.eq.u32 %p1, %r1, 0;
      @1  @%p1 bra OK;
    -> B2 @3 OK  taken
    -> B1 @2     falls through, leaves the exit region
    @1 diverged 1 of 4; reconverges at @3 OK, only one side stays: its adds no convergence barrier

B1  @2  line 5  exit region 2  no ipdom  runs 0
      @2  trap;

B2  @3-@4  OK  lines 6-7  exit region 1  no ipdom  runs 3  lanes 26.7
      @3  mov.u32 %r1, 1;
      @4  ret;

f  function  instructions 6  blocks 3  exit regions 1
where lanes first diverge, its adds a convergence barrier at the return address

B0  @0-@1  lines 13-14  exit region 1  ipdom B1
      @0  @%p2 call %rd1, (), P;
      @1  @%p1 ret;
    -> B1 @2 A  falls through
    @0 if not all lanes call one function: its adds a convergence barrier at @1
    @1 lanes that return wait at the return address: its adds no further convergence barrier

B1  @2  A  line 16  exit region 1  ipdom B2
      @2  brx.idx %r1, T;
    -> B1 @2 A  indexes 0-1 3, retreats
    -> B2 @3 B  index 2
    @2 reconverges at @3 B: its adds a convergence barrier there

B2  @3-@5  B  lines 17-19  exit region 1  no ipdom
      @3  @%p2 exit;
      @4  @%p1 bar.sync 0;
      @5  ret;
    @3 lanes that exit are waited for no more: its adds no convergence barrier
    @4 if not all lanes wait for the same: its adds a convergence barrier at @5
`
	got := show(t, "text", all)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// hostile is a module whose names contain special characters of the formats.
func hostile() *isa.Module {
	const name = `a"b\l<c>&{|}` + "ü"
	return &isa.Module{Funcs: []*isa.Func{{
		Name: name, Defined: true, Entry: true,
		Labels: []isa.Label{{Name: strings.Repeat(name, 20), PC: 0}},
		Code:   []isa.Instr{{Guard: isa.NoReg, Later: "unknown", Raw: name}},
	}}}
}

// modules returns the modules of the graphs above, and more.
func modules(t *testing.T) map[string]*isa.Module {
	all := map[string]*isa.Module{"hostile": hostile(), "two functions": parse(t, assertion+".func f() { @%p1 ret; ret; }"), "none": {}}
	for _, tt := range graphs {
		all[tt.name] = parse(t, tt.src)
	}
	return all
}

func TestTextIsNarrow(t *testing.T) {
	for name, mod := range modules(t) {
		for line := range strings.Lines(show(t, "text", New(mod))) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > textWidth {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

// dotStatement matches a statement of the subset of Graphviz's language that writeDOT uses, one per line.
var dotStatement = func() *regexp.Regexp {
	const quoted = `"(?:[^"\\]|\\.)*"`
	const attributes = ` \[\w+=(?:` + quoted + `|\w+)(?:, \w+=(?:` + quoted + `|\w+))*\]`
	return regexp.MustCompile(`^\t*(?:digraph simtrun \{|subgraph ` + quoted + ` \{|\}|label=` + quoted + `;` +
		`|(?:node|edge)` + attributes + `;|(?P<from>` + quoted + `)(?: -> (?P<to>` + quoted + `))?` + attributes + `;)$`)
}()

func TestDOTHasAllBlocksAndEdges(t *testing.T) {
	for name, mod := range modules(t) {
		all := New(mod)
		var got []string
		depth := 0
		for line := range strings.Lines(show(t, "dot", all)) {
			line = strings.TrimSuffix(line, "\n")
			m := dotStatement.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: no statement: %s", name, line)
			}
			if strings.HasSuffix(line, "{") {
				depth++
			} else if strings.HasSuffix(line, "}") {
				depth--
			}
			if from, to := strings.Trim(m[1], `"`), strings.Trim(m[2], `"`); to != "" {
				class := ""
				if strings.Contains(line, `label="reconverge"`) {
					class = " reconverge"
				}
				got = append(got, from+" "+to+class)
			} else if from != "" {
				got = append(got, from)
			}
		}
		if depth != 0 {
			t.Errorf("%s: braces do not match", name)
		}
		checkParts(t, name, all, got)
	}
}

// checkParts compares the drawn parts with all that exist: blocks, edges, and reconvergence of branches.
func checkParts(t *testing.T, name string, graphs []*Graph, got []string) {
	t.Helper()
	var want []string
	for n, g := range graphs {
		id := func(b int) string { return fmt.Sprintf("f%db%d", n, b) }
		for b := range g.Blocks {
			want = append(want, id(b))
			for _, e := range g.Blocks[b].Edges {
				want = append(want, id(b)+" "+id(e.To))
			}
			for _, p := range g.Blocks[b].Divergences {
				if p.Reconvergence >= 0 {
					want = append(want, id(b)+" "+id(g.blockOf(p.Reconvergence))+" reconverge")
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var routeID = regexp.MustCompile(`^(f\d+)(b\d+)-(b\d+)-(next|forward|retreating|reconverge)$`)

func TestSVGHasAllBlocksAndEdges(t *testing.T) {
	for name, mod := range modules(t) {
		all := New(mod)
		got, texts := readSVG(t, show(t, "svg", all))
		checkParts(t, name, all, got)
		var want []string
		for _, l := range legend {
			want = append(want, l.text)
		}
		for _, g := range all {
			want = append(want, g.titleLines()...)
			for b := range g.Blocks {
				want = append(want, g.blockLines(b)...)
			}
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("%s: texts (-want +got):\n%s", name, diff)
		}
	}
}

// TestLegendHasEveryLineOnce checks that the legend has every kind of line once, as the style sheet draws it.
func TestLegendHasEveryLineOnce(t *testing.T) {
	var want []string
	for _, k := range []kind{next, forward, retreating, reconvergence} {
		want = append(want, k.String())
	}
	want = append(want, "leaves")
	var got []string
	for _, l := range legend {
		got = append(got, strings.TrimPrefix(l.class, "forward "))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds of lines (-want +got):\n%s", diff)
	}
}

// readSVG returns the blocks and routes of a drawing, and its texts in order.
func readSVG(t *testing.T, svg string) (parts, texts []string) {
	t.Helper()
	var inText bool
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return parts, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if inText = e.Name.Local == "text"; inText {
				texts = append(texts, "")
			}
			for _, a := range e.Attr {
				m := routeID.FindStringSubmatch(a.Value)
				switch {
				case a.Name.Local != "id":
				case m == nil && e.Name.Local == "g" && strings.Contains(a.Value, "b"):
					parts = append(parts, a.Value)
				case m != nil && m[4] == "reconverge":
					parts = append(parts, m[1]+m[2]+" "+m[1]+m[3]+" reconverge")
				case m != nil:
					parts = append(parts, m[1]+m[2]+" "+m[1]+m[3])
				}
			}
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts[len(texts)-1] += string(e)
			}
		}
	}
}

func TestUnknownFormatIsRefused(t *testing.T) {
	if _, err := ParseFormat("png"); err == nil || err.Error() != `no format "png"; there are text, dot, svg` {
		t.Error(err)
	}
}

// large generates a kernel of about n instructions: loops in ifs in loops, with an early exit and an assertion in
// each.
func large(n int) string {
	var b strings.Builder
	const each = 8
	depth := n / each
	for i := range depth {
		fmt.Fprintf(&b, "@%%p1 bra E%d;\nL%d: @%%p2 bra END;\n@%%p3 bra K%d;\ntrap;\nK%d:\n", i, i, i, i)
	}
	for i := depth - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "add.u32 %%r1, %%r1, 1;\nmov.u32 %%r2, 7;\n@%%p4 bra L%d;\nE%d: mov.u32 %%r3, 1;\n", i, i)
	}
	return b.String() + "END: ret;\n"
}

// TestOutputIsReproducible checks that the output is reproducible.
func TestOutputIsReproducible(t *testing.T) {
	mod := parse(t, large(5000))
	for _, f := range Formats() {
		first, again := show(t, f.Name, New(mod)), show(t, f.Name, New(mod))
		if first != again {
			t.Errorf("%s differs from one time to the next", f.Name)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	mod := parse(b, large(20000))
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				show(b, f.Name, New(mod))
			}
		})
	}
}
