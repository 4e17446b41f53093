package cxx

import (
	"slices"
	"testing"
)

func TestFindTakesNamesOfTheSource(t *testing.T) {
	symbols := []string{"_Z8badsync2Pi", "_Z7badshflPi", "_Z3sumIfEvPT_", "_Z3sumIiEvPT_", "_ZN2ns1fEi", "_Z1fd", "plain", "_ZN12_GLOBAL__N_15innerEPf"}
	for name, want := range map[string][]string{
		"badsync2": {"_Z8badsync2Pi"}, "badsync2(int*)": {"_Z8badsync2Pi"}, "badsync2(int *)": {"_Z8badsync2Pi"}, "_Z7badshflPi": {"_Z7badshflPi"},
		"sum": {"_Z3sumIfEvPT_", "_Z3sumIiEvPT_"}, "sum<int>": {"_Z3sumIiEvPT_"}, "sum<float>(float*)": {"_Z3sumIfEvPT_"}, "ns::f": {"_ZN2ns1fEi"}, "f": {"_Z1fd"}, "f(double)": {"_Z1fd"},
		"plain": {"plain"}, "inner": {"_ZN12_GLOBAL__N_15innerEPf"}, "badsyn": nil, "": nil,
	} {
		if got := Find(symbols, name); !slices.Equal(got, want) {
			t.Errorf("Find(%q) is %q, want %q", name, got, want)
		}
	}
	for symbol, want := range map[string]string{"_ZZ6reducePKiPiE1s": "s", "_ZZN2ns1kIfEEvPT_E4tile": "tile", "_ZN2ns5tableE": "ns::table", "x": "x"} {
		if got := Variable(symbol); got != want {
			t.Errorf("Variable(%s) is %s, want %s", symbol, got, want)
		}
	}
	if got := Name("_Z3sumIfEvPT_"); got != "sum<float>(float*)" {
		t.Errorf("got %q", got)
	}
}
