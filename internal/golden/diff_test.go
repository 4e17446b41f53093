package golden

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/divergence"
)

func TestDiffShowsChangedLines(t *testing.T) {
	const trace = "b0.w1  diverge     L7    ffffffff  taken %s to L9  fall-through %s to L8\n"
	for _, c := range []struct{ want, got, diff string }{
		{"a\nb\nc\n", "a\nx\nc\n", "     6 - b\n       + x"},
		{"a\nb\nc\n", "a\nc\n", "     6 - b"},
		{"", "a\n", "       + a"},
		{"a\n", "", "     5 - a"},
		{"a\nb\nc\nd\n", "b\nc\ne\nd\nf\n", "     5 - a\n       + e\n       + f"},
		{fmt.Sprintf(trace, "0000ffff", "ffff0000"), fmt.Sprintf(trace, "0002ffff", "fffd0000"),
			"     5 - " + fmt.Sprintf(trace, "0000ffff", "ffff0000") + "       + " + fmt.Sprintf(trace, "0002ffff", "fffd0000") + "         b0.w1 L7: lane 17 differs"},
		{"b0.w0  exit  L9  000000f1  left 00000000\n", "b0.w0  exit  L9  000000ff  left 00000000\n",
			"     5 - b0.w0  exit  L9  000000f1  left 00000000\n       + b0.w0  exit  L9  000000ff  left 00000000\n         b0.w0 L9: lanes 1-3 differ"},
		{"b0.w0  exit  L9  000000f1\n", "b0.w0  exit  L8  000000ff\n", "     5 - b0.w0  exit  L9  000000f1\n       + b0.w0  exit  L8  000000ff"},
	} {
		if diff := cmp.Diff(c.diff, diff(c.want, c.got, 5)); diff != "" {
			t.Errorf("%q and %q (-want +got):\n%s", c.want, c.got, diff)
		}
	}
}

// The unchanged lines of want and the added lines together make got, and no common line is shown.
func TestDiffIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(9) {
			fmt.Fprintf(&b, "%c\n", 'a'+rune(r.IntN(3)))
		}
		return b.String()
	}
	for range 2000 {
		want, got := text(), text()
		if want == got {
			continue
		}
		var minus, plus int
		for line := range strings.SplitSeq(diff(want, got, 1), "\n") {
			if strings.HasPrefix(line[7:], "- ") {
				minus++
			} else {
				plus++
			}
		}
		w, g := splitLines(want), splitLines(got)
		if common := commonLengths(w, g)[0][0]; minus != len(w)-common || plus != len(g)-common {
			t.Errorf("%q and %q have %d lines in common; the difference has %d and %d", want, got, common, minus, plus)
		}
	}
}

// commonLengths returns, for each i and j, the length of the longest common subsequence of w[i:] and g[j:].
func commonLengths(w, g []string) [][]int {
	table := make([][]int, len(w)+1)
	for i := range table {
		table[i] = make([]int, len(g)+1)
	}
	for i := len(w) - 1; i >= 0; i-- {
		for j := len(g) - 1; j >= 0; j-- {
			if w[i] == g[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// Long differences are cut.
func TestLongDiffsAreCut(t *testing.T) {
	var want, got strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&want, "w%d\n", i)
		fmt.Fprintf(&got, "g%d\n", i)
	}
	text := diff(want.String(), got.String(), 1)
	if n := strings.Count(text, "\n"); n != mostShown || !strings.HasSuffix(text, "\n  … 9980 more lines differ") {
		t.Errorf("%d lines:\n%s", n, text)
	}
}

func TestEqualSectionsAreMerged(t *testing.T) {
	its, stack := divergence.IndependentThreads, divergence.ReconvergenceStack
	taken, fall := divergence.Taken, divergence.FallThrough
	both := []machine{{"", &its, &taken}, {"", &its, &fall}, {"", &stack, &taken}, {"", &stack, &fall}}
	two := []machine{{"v100", &its, nil}, {"v100", &stack, nil}, {"h100", &its, nil}, {"h100", &stack, nil}}
	for _, c := range []struct {
		on    []machine
		texts string // one letter each
		want  string
	}{
		{[]machine{{}}, "a", "mask=a"},
		{both, "aaaa", "mask=a"},
		{both, "aabb", "mask its=a, mask stack=b"},
		{both, "abcc", "mask its taken=a, mask its fallthrough=b, mask stack=c"},
		{both, "abab", "mask its taken=a, mask its fallthrough=b, mask stack taken=a, mask stack fallthrough=b"},
		{[]machine{{order: &taken}, {order: &fall}}, "ab", "mask taken=a, mask fallthrough=b"},
		{[]machine{{model: &its}, {model: &stack}}, "ab", "mask its=a, mask stack=b"},
		{two, "aaaa", "mask=a"},
		{two, "aabb", "mask v100=a, mask h100=b"},
		{two, "aabc", "mask v100=a, mask h100 its=b, mask h100 stack=c"},
		{two, "abab", "mask v100 its=a, mask v100 stack=b, mask h100 its=a, mask h100 stack=b"},
		{[]machine{{model: &its}, {model: &stack}}, " b", "mask its=, mask stack=b"},
	} {
		texts := strings.Split(c.texts, "")
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
		var got []string
		for _, f := range repinned(topic{name: "mask"}, c.on, texts) {
			got = append(got, textOf(f))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.texts, diff)
		}
	}
}

func textOf(f txtar.File) string { return f.Name + "=" + string(f.Data) }
