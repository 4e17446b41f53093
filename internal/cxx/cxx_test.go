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

func TestNamesOfOtherCompilersAreShort(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZN8__main__3addB2v1B20cw51cXTLSUwv1kYaFhDbE5ArrayIfLi1E1C7mutable7alignedEi": "__main__::add(Array<float, 1, C, mutable, aligned>, int)",           // Numba
		"_Z6vadd_i13CuDeviceArrayI7Float32Li1ELi1EES_IS0_Li1ELi1EE":                    "vadd_i(CuDeviceArray<Float32, 1, 1>, CuDeviceArray<Float32, 1, 1>)", // Julia
		"_ZN7kernels6reduce17h0123456789abcdefE":                                       "kernels::reduce",
		"_RNvCs1234_7mycrate3add":                                                      "mycrate::add",
		"_Z1fB5cxx11v":                                                                 "f()",
		"add_kernel":                                                                   "add_kernel", // Triton, tinygrad
	} {
		if got := Name(symbol); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}

func TestParametersReadAsInSource(t *testing.T) {
	for symbol, want := range map[string][]string{
		"_Z3addPfPKfi":                           {"float *", "const float *", "int"},
		"_Z3sumIfEvPT_S0_":                       {"float *", "float"},
		"_Z1kPPKd":                               {"double const**"},
		"_Z1kv":                                  nil,
		"plain":                                  nil,
		"_ZN7kernels6reduce17h0123456789abcdefE": nil,
	} {
		if got := Parameters(symbol); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", symbol, got, want)
		}
	}
}

func TestMangledNamesAreThoseThatDiffer(t *testing.T) {
	for symbol, want := range map[string]string{"_Z4kernPKiPii": "_Z4kernPKiPii", "kern": "", "": "", "$L__BB0": ""} {
		if got := Mangled(symbol); got != want {
			t.Errorf("%q: %q", symbol, got)
		}
	}
}

func TestVariablesHaveTheirNamesInTheSource(t *testing.T) {
	for symbol, want := range map[string]string{"__local_depot12": StackFrame, "_ZZ1kPKiE1s": "s", "_ZN2ns5tableE": "ns::table", "plain": "plain", "_ZTV5Shape": "vtable for Shape", "__nv_static_29__20_k_cpp1_ii_b81a68a1__ZL5table": "table"} {
		if got := Variable(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// TestNamesOfNVCCHaveNoHash: names of static functions and variables have no file and no hash.
func TestNamesOfNVCCHaveNoHash(t *testing.T) {
	const internal = "_ZN42_INTERNAL_2f1a3e8c_4_k_cu_9f2c6a1b_1234567"
	for symbol, want := range map[string]string{
		internal + "6hiddenEPi":         "hidden",
		internal + "2ns6hiddenIfEEvPT_": "ns::hidden<float>",
		"_ZN57_GLOBAL__N__ea2b5b42_14_k_cu_6d1dbf8d_123412345678901234_5tableE": "(anonymous namespace)::table",
		"__nv_static_29__20_file_cpp1_ii_b81a68a1__Z4kernPi":                    "kern",
		"__nv_static_29__20_file_cpp1_ii_b81a68a1__ZN2ns5tableE":                "ns::table",
		"__nv_static_plain": "__nv_static_plain",
	} {
		if got := Short(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
	if got := Find([]string{internal + "6hiddenEPi", "_Z4kernPi"}, "hidden"); len(got) != 1 {
		t.Errorf("hidden is %q", got)
	}
}

func TestSymbolsBecomeFileNames(t *testing.T) {
	for symbol, want := range map[string]string{
		"_ZN3lib5scaleIfEEvPT_i": "scale", "add": "add", "k$1": "k1", "_Z3addILi3EEvv": "add", "$": "kernel",
		"a123456789b123456789c123456789d123456789e": "a123456789b123456789c123456789d123456789",
	} {
		if got := FileName(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

// TestNamesOfRustAreDemangled: of both ways of mangling, also with what the NVPTX back end writes for points in local
// symbols.
func TestNamesOfRustAreDemangled(t *testing.T) {
	for symbol, want := range map[string][2]string{
		"_RNvCs15kBYyAo9fc_7kernels3add":                                                        {"kernels::add", "add"},
		"_RINvCs15kBYyAo9fc_7kernels5scalefE":                                                   {"kernels::scale::<f32>", "scale"},
		"_RNvNtCs15kBYyAo9fc_7kernels4math3add":                                                 {"kernels::math::add", "add"},
		"_RNvMNtCs15kBYyAo9fc_7kernels4gridNtB2_4Grid4step":                                     {"<kernels::grid::Grid>::step", "step"},
		"_ZN7kernels3add17h0123456789abcdefE":                                                   {"kernels::add", "add"},
		"_ZN47_$LT$kernels_$__$_Grid$u20$as$u20$kernels_$__$_Step$GT$4step17h0123456789abcdefE": {"<kernels::Grid as kernels::Step>::step", "step"},
		"_ZL3addPf_$_1": {"add", "add"}, // a copy that the compiler has made of a function of C++
		"a_$_b":         {"a_$_b", "a_$_b"},
	} {
		if got := [2]string{Short(symbol), Base(symbol)}; got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
	if got := Find([]string{"_RINvCs15kBYyAo9fc_7kernels5scalefE", "_RNvCs15kBYyAo9fc_7kernels3add"}, "scale"); len(got) != 1 || got[0] != "_RINvCs15kBYyAo9fc_7kernels5scalefE" {
		t.Errorf("scale is %q", got)
	}
}
