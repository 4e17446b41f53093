package cxx

import (
	"strings"
	"testing"
)

func TestLongNamesLoseNestedTemplateArguments(t *testing.T) {
	const gemm = "lib::Kernel<lib::Gemm<lib::Tile<Shape<128, 128, 128, 128, 8>, float>, (lib::Mode)2>, (int)1, f(a, b)>"
	for _, test := range []struct {
		longest int
		want    string
	}{
		{200, gemm},
		{98, "lib::Kernel<lib::Gemm<lib::Tile<Shape<…>, float>, (lib::Mode)2>, (int)1, f(a, b)>"},
		{81, "lib::Kernel<lib::Gemm<lib::Tile<…>, (lib::Mode)2>, (int)1, f(a, b)>"},
		{60, "lib::Kernel<lib::Gemm<…>, (int)1, f(a, b)>"},
		{48, "lib::Kernel<lib::Gemm<…>, (int)1, …>"},
		{33, "lib::Kernel<lib::Gemm<…>, …>"},
		{5, "lib::Kernel<…>"},
	} {
		if got := abridged(gemm, test.longest); got != test.want {
			t.Errorf("of %d bytes: %s, want %s", test.longest, got, test.want)
		}
	}
}

func TestNamesWithOtherSignsStayWhole(t *testing.T) {
	for _, name := range []string{
		"a_name_without_template_arguments", "operator<", "s::operator<<", "s::operator->", "f(a->b)", "{lambda(int)#1}",
		"x<y", "s::operator<< <int>",
	} {
		if got := abridged(name, 1); got != name {
			t.Errorf("%s becomes %s", name, got)
		}
	}
}

func TestShownNamesFindTheirSymbols(t *testing.T) {
	// f<A<A<…<int>…>>>() with 60 levels.
	symbol := "_Z1fI1AI" + strings.Repeat("S0_I", 59) + "i" + strings.Repeat("E", 61) + "vv"
	shown := Short(symbol)
	if !strings.HasPrefix(shown, "f<A<A<") || !strings.Contains(shown, "…") || len(shown) > 200 {
		t.Errorf("%s becomes %s", symbol, shown)
	}
	if found := Find([]string{symbol, "g"}, shown); len(found) != 1 || found[0] != symbol {
		t.Errorf("%s finds %v", shown, found)
	}
}

func FuzzAbridged(f *testing.F) {
	f.Add("a<b<c, d>, (e)1>::operator()", 8)
	f.Fuzz(func(t *testing.T, name string, longest int) {
		if whole, ok := parsed(name); ok && longest >= whole.size() && len(abridged(name, longest)) > longest {
			t.Errorf("%q has more than %d bytes", abridged(name, longest), longest)
		}
		if got := abridged(name, len(name)); got != name {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}
