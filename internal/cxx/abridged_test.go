package cxx

import (
	"strings"
	"testing"
)

func TestLongNamesLoseNestedTemplateArguments(t *testing.T) {
	const gemm = "lib::Kernel<lib::Gemm<lib::Tile<Shape<128, 8>, float>, (lib::Mode)2>, (int)1>"
	for _, test := range []struct {
		longest int
		want    string
	}{
		{200, gemm},
		{60, "lib::Kernel<lib::Gemm<lib::Tile<…>, (lib::Mode)2>, (int)1>"},
		{40, "lib::Kernel<lib::Gemm<…>, (int)1>"},
		{5, "lib::Kernel<…>"},
	} {
		if got := abridged(gemm, test.longest); got != test.want {
			t.Errorf("of %d bytes: %s, want %s", test.longest, got, test.want)
		}
	}
}

func TestNamesWithOtherSignsStayWhole(t *testing.T) {
	for _, name := range []string{
		"a_name_without_template_arguments", "operator<", "s::operator<<", "s::operator->", "f(a->b)", "{lambda(int)#1}", "x<y",
	} {
		if got := abridged(name, 1); got != name {
			t.Errorf("%s becomes %s", name, got)
		}
	}
	if got, want := abridged("s::operator<< <int>", 1), "s::operator<< <int>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShownNamesFindTheirSymbols(t *testing.T) {
	// _Z1fI1AIS0_IS0_I…iE…EEvv: f<A<A<…<int>…>>>() with 60 levels.
	symbol := "_Z1fI1AI" + strings.Repeat("S0_I", 59) + "i" + strings.Repeat("E", 61) + "vv"
	shown := Short(symbol)
	if !strings.HasPrefix(shown, "f<A<A<") || !strings.Contains(shown, "…") || len(shown) > 100 {
		t.Errorf("%s becomes %s", symbol, shown)
	}
	if found := Find([]string{symbol, "g"}, shown); len(found) != 1 || found[0] != symbol {
		t.Errorf("%s finds %v", shown, found)
	}
}
