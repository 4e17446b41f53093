package cuda

import (
	"fmt"
	"regexp"
	"testing"
)

// TestRegisterNamesGetSecondPercent checks that names of registers get a second %, in the text of a statement and
// nowhere else.
func TestRegisterNamesGetSecondPercent(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`asm("mov.u32 %0, %laneid;" : "=r"(x));`, `asm("mov.u32 %0, %%laneid;" : "=r"(x));`},
		{`asm volatile ("mov.u32 %0, %%smid;" : "=r"(x) : "r"("%a"));`, `asm volatile ("mov.u32 %0, %%smid;" : "=r"(x) : "r"("%a"));`},
		{`__asm__ __volatile__("a %tid.x;" "\"%b\" : %ctaid.x" : "=r"(x));`, `__asm__ __volatile__("a %%tid.x;" "\"%%b\" : %%ctaid.x" : "=r"(x));`},
		{`asm("a %h0, %c[n], %1, %p1, %;");f("%d");`, `asm("a %h0, %c[n], %1, %p1, %;");f("%d");`},
		{`asm("mov.u32 %0, %" "tid.x" ";"); asm("%" "0")`, `asm("mov.u32 %0, %%" "tid.x" ";"); asm("%" "0")`},
		{`printf("asm %d"); asmx("%a")`, `printf("asm %d"); asmx("%a")`},
		{"asm(\n\"mov.u64 %0, %clock64;\"\n: \"=l\"(t)); asm(\"bar %q", "asm(\n\"mov.u64 %0, %%clock64;\"\n: \"=l\"(t)); asm(\"bar %q"},
	} {
		if got := string(doublePercents([]byte(tt.source))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestOnlySharedAlignmentIsMoved checks that only alignas after the attribute of shared memory becomes an attribute.
func TestOnlySharedAlignmentIsMoved(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`__attribute__((shared)) alignas(128) int v[4];`, `__attribute__((shared)) __attribute__((aligned(128))) int v[4];`},
		{`extern __attribute__((shared)) alignas ((4 * (N + 1))) char d[]; alignas(8) int i;`, `extern __attribute__((shared)) __attribute__((aligned((4 * (N + 1))))) char d[]; alignas(8) int i;`},
		{`__attribute__((shared)) alignas(typename vec<T, 4>::type) T v[4];`, `__attribute__((shared)) __attribute__((aligned(simtrun_alignment::of<typename vec<T, 4>::type>()))) T v[4];`},
		{`alignas(16) __attribute__((shared)) int v;`, `alignas(16) __attribute__((shared)) int v;`},
		{`__attribute__((shared)) alignas(`, `__attribute__((shared)) __attribute__((aligned())`},
	} {
		if got := string(alignShared([]byte(tt.source))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestWithoutDefaults checks that the default arguments that clang names, and no others, are deleted.
func TestWithoutDefaults(t *testing.T) {
	const said = "a.cu:9:5: error: default arguments cannot be added to an out-of-line definition of a member of a class template\n" +
		"    9 |     int flag = f(0), int other = 2) {\n      |         ^      ~~~~\n" +
		"a.cu:9:5: error: default arguments cannot be added to an out-of-line definition of a member of a class template partial specialization\n" +
		"   12 | void S<T>::g(int a = 1, int b = 2) {}\n      |                             ^   ~\n"
	for source, want := range map[string]string{
		"double S<T>::f(\n\tint flag = f(0), int other = 2) {":        "double S<T>::f(\n\tint flag , int other = 2) {",
		"void S<T>::g(int a = 1, int b = 2) {}\nvoid h(int b = 2) {}": "void S<T>::g(int a = 1, int b ) {}\nvoid h(int b = 2) {}",
	} {
		for _, said := range []string{said, regexp.MustCompile(`(?m)^ +(?:\d+ )?\| `).ReplaceAllString(said, "")} { // clang 16 has no numbers of lines
			if got := string(withoutDefaults([]byte(source), []byte(said))); got != want {
				t.Errorf("%s\nis  %s\nnot %s", source, got, want)
			}
		}
	}
}

// TestSeparateLinkage checks that an attribute of CUDA directly after "C" becomes a word of its own.
func TestSeparateLinkage(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`extern "C"__global__ void k();`, `extern "C" __attribute__((global)) void k();`},
		{"extern\n\"C\"__device__ int f();", `extern "C" __attribute__((device)) int f();`},
		{`f("C"__suffix__); g("C" __global__); extern "C"_global_;`, `f("C"__suffix__); g("C" __global__); extern "C"_global_;`},
	} {
		if got := string(separateLinkage([]byte(tt.source))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestReferToShared checks that dynamic shared memory that is not an array becomes one in functions, and only there.
func TestReferToShared(t *testing.T) {
	const shared = "\textern __attribute__((shared)) "
	for _, tt := range []struct{ declared, array, name string }{
		{`P s;`, `P simtrun_s`, `s`},
		{`volatile unsigned int n ;`, `volatile unsigned int simtrun_n`, `n`},
		{`typename T::template A<int, 4> a;`, `typename T::template A<int, 4> simtrun_a`, `a`},
		{`S<T>s;`, `S<T>simtrun_s`, `s`},
		{`__attribute__((aligned(16))) P s;`, `__attribute__((aligned(16))) P simtrun_s`, `s`},
		{declared: `P s[];`},
		{declared: `float s[4], t;`},
		{declared: `int (*p);`},
		{declared: "P s[];\n" + shared[1:] + `P s;`},
	} {
		want := shared + tt.declared
		if tt.array != "" {
			want = shared + tt.array + `[] asm("` + tt.name + `"); auto &` + tt.name + " = *simtrun_" + tt.name + ";"
		}
		if got := string(referToShared([]byte(shared + tt.declared))); got != want {
			t.Errorf("%s\nis  %s\nnot %s", tt.declared, got, want)
		}
	}
}

// TestSharedVariablesAreNotInitialised checks that the variables that clang names, and no others, become references.
func TestSharedVariablesAreNotInitialised(t *testing.T) {
	const message = "k.cu:3:19: error: initialization is not supported for __shared__ variables\n    3 |  __shared__ T<a> bar[N], x;\n"
	const shared = `__attribute__((shared)) `
	for _, tt := range []struct{ source, said, want string }{
		{`static ` + shared + `T<a> bar[N] ; ` + shared + `U other;`, message + "      |                  ^\n",
			`static ` + shared + `__attribute__((aligned(alignof(T<a> )))) unsigned char simtrun_bar[sizeof(T<a> [N] )]; auto &bar = reinterpret_cast<T<a> (&)[N] >(simtrun_bar); ` + shared + `U other;`},
		{shared + `__attribute__((aligned(of<T>()))) T bar;`, message + "      |                  ^\n",
			shared + `__attribute__((aligned(of<T>()))) __attribute__((aligned(alignof(T )))) unsigned char simtrun_bar[sizeof(T )]; auto &bar = reinterpret_cast<T (&)>(simtrun_bar);`},
		{shared + `T bar, x;`, message + "      |                  ^\n", shared + `T bar, x;`},
		{shared + `T bar;`, message + "      |                          ^\n", shared + `T bar;`},
		{shared + `T bar;`, message + "      |                                           ^\n", shared + `T bar;`},
	} {
		if got := string(uninitialisedShared([]byte(tt.source), []byte(tt.said))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestLaunchSignsAreJoined checks that the signs around a configuration are joined, and that strings and operators are
// unchanged.
func TestLaunchSignsAreJoined(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`k << <g, b >> >(x);`, `k <<<g, b >>>(x);`},
		{"k<<\n <g, 1<<2, v<v<int>>()>> > (x >> 2)", "k<<<g, 1<<2, v<v<int>>()>>> (x >> 2)"},
		{`f("\"<< <", '"', "a >> >", '\'', k<<  <1, 1>>  >(i))`, `f("\"<< <", '"', "a >> >", '\'', k<<<1, 1>>>(i))`},
		{`friend T& operator<< <int>(v<v<v<int>> > a); s << '<'; p->x >> y > z;`, `friend T& operator<< <int>(v<v<v<int>>> a); s << '<'; p->x >> y > z;`},
	} {
		if got := string(joinLaunches([]byte(tt.source))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestConstexprFunctionsAreOnBothSides checks that constexpr functions and copy constructors of the device, and no
// others, become functions of both sides.
func TestConstexprFunctionsAreOnBothSides(t *testing.T) {
	const device, host = `__attribute__((device))`, `__attribute__((host)) `
	for _, tt := range []struct {
		source string
		both   bool
	}{
		{device + ` inline constexpr int f(int a) { return a; }`, true},
		{device + ` __inline__ __attribute__((always_inline)) constexpr int f();`, true},
		{device + ` Mask(const Mask& other) : p(other.p) {}`, true},
		{device + ` inline Mask(Mask<T, 4> const &) {}`, true},
		{device + ` explicit Mask(const Other& other);`, false},
		{device + ` int f(const int& i);`, false},
		{device + ` Mask(const Mask& other, int n);`, false},
		{device + ` int constexpression;`, false},
		{`[[nodiscard]] ` + device + ` int *handle(barrier<block> &b);`, false},
	} {
		want := tt.source
		if tt.both {
			want = host + want
		}
		if got := string(onHostToo([]byte(tt.source))); got != want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, want)
		}
	}
}

// TestDeviceLambdasAreOnBothSides checks that device lambdas become functions of both sides.
func TestDeviceLambdasAreOnBothSides(t *testing.T) {
	got := string(onHostToo([]byte(`f([=] __attribute__((device)) (int i) { return a[i]; })`)))
	if want := `f([=] __attribute__((host)) __attribute__((device)) (int i) { return a[i]; })`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOnlyUnrollPragmasAreDropped checks that only lines of unroll pragmas become empty.
func TestOnlyUnrollPragmasAreDropped(t *testing.T) {
	source := "#pragma unroll\n \t# pragma unroll(N / 2)\r\n#pragma unroller\n#pragma nounroll\n\"#pragma unroll\"\n#pragma unroll 4"
	want := "\n\n#pragma unroller\n#pragma nounroll\n\"#pragma unroll\"\n"
	if got := string(withoutUnrolls([]byte(source))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOnlyDeadBranchesAreDiscarded checks that only branches that are never taken become discarded statements.
func TestOnlyDeadBranchesAreDiscarded(t *testing.T) {
	got := string(discardNever([]byte(`if (0) f(); else if(false) { g(); } if (0 < n) h(); if (00) i(); "if (0) \" if (0)" '"' "if (0)" #if (0`)))
	if want := `if constexpr (false) f(); else if constexpr (false) { g(); } if (0 < n) h(); if (00) i(); "if (0) \" if (0)" '"' "if (0)" #if (0`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOperandsGetMissingCommas checks that operands without a comma get one.
func TestOperandsGetMissingCommas(t *testing.T) {
	got := string(separateOperands([]byte(`asm("st.u8 [%1], %0;" : "=r"(a), "+l"(b) :"r"(c) "l"(d) "n"(e)); f("a" "b", "c");`)))
	if want := `asm("st.u8 [%1], %0;" : "=r"(a), "+l"(b) :"r"(c), "l"(d), "n"(e)); f("a" "b", "c");`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestKernelBodiesBecomeEmpty checks that kernel bodies become empty, with the same number of lines, and that nothing
// else changes.
func TestKernelBodiesBecomeEmpty(t *testing.T) {
	const global = `__attribute__((global))`
	for _, tt := range []struct{ source, want string }{
		{global + " void k(int *p) { *p = f(); }\nint g() { return 1; }", global + " void k(int *p) {}\nint g() { return 1; }"},
		{"template <class T> " + global + " void __attribute__((launch_bounds(64))) k(T t = T{1}, char c = ')') {\n\tif (t) {\n\t}\n}\nint i;", "template <class T> " + global + " void __attribute__((launch_bounds(64))) k(T t = T{1}, char c = ')') {\n\n\n}\nint i;"},
		{global + " void k();\nvoid f() { g(); }", global + " void k();\nvoid f() { g(); }"},
		{global + ` void k() { s = R"x(} )" )x"; t = "}\"}"; c = '}'; n = 1'000'000; }` + "\nint i;", global + " void k() {}\nint i;"},
		{`const char *s = "` + global + ` void k() { a }"; int f() { return '"'; }`, `const char *s = "` + global + ` void k() { a }"; int f() { return '"'; }`},
		{global + " void k() { cut off", global + " void k() { cut off"},
		{"struct S { static " + global + " void k(int n) { n; } int m() { return 2; } }; " + global + " void l() { }", "struct S { static " + global + " void k(int n) {} int m() { return 2; } }; " + global + " void l() {}"},
	} {
		if got := string(emptyKernels([]byte(tt.source))); got != tt.want {
			t.Errorf("%s\nis  %s\nnot %s", tt.source, got, tt.want)
		}
	}
}

// TestArchitectureNameBecomesFunction checks that the name becomes a device function, except in strings.
func TestArchitectureNameBecomesFunction(t *testing.T) {
	got := string(defineArchitecture([]byte(`int f() { return __CUDA_ARCH__ / 10 + x__CUDA_ARCH__ + __CUDA_ARCH__x; } "__CUDA_ARCH__" '"' __CUDA_ARCH__`), "sm_90a"))
	want := "__attribute__((device)) constexpr int __CUDA_ARCH__() { return 900; }\n" +
		`int f() { return __CUDA_ARCH__() / 10 + x__CUDA_ARCH__ + __CUDA_ARCH__x; } "__CUDA_ARCH__" '"' __CUDA_ARCH__()`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(defineArchitecture([]byte("int i;"), "sm_80")); got != "int i;" {
		t.Error(got)
	}
}

// TestOnlyNamedEnumerationsAreWidened checks that only the enumerations in clang's messages are widened to int.
func TestOnlyNamedEnumerationsAreWidened(t *testing.T) {
	const said = "note: integer value 15 is outside the valid range of values [0, 1] for the enumeration type 'space::Side'"
	got := string(widenEnumerations([]byte("enum Side { left }; enum Sides { a }; enum Side : char { b }; enum class Side2 { c }; enum Side s;"), []byte(said)))
	if want := "enum Side : int { left }; enum Sides { a }; enum Side : char { b }; enum class Side2 { c }; enum Side s;"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestMangledNameMatchesVariable checks that a mangled name matches the variable at its end.
func TestMangledNameMatchesVariable(t *testing.T) {
	for _, tt := range []struct {
		mangled, name string
		want          bool
	}{{"_ZL6factor", "factor", true}, {"_ZN5spaceL6factorE", "factor", true}, {"_ZZ1kvE6factor_0", "factor", true}, {"factor", "factor", true},
		{"_ZL7factors", "factor", false}, {"_ZL8afactors", "factor", false}, {"_ZL6factor", "f", false}} {
		if got := hasName(tt.mangled, tt.name); got != tt.want {
			t.Errorf("%s, %s: %v", tt.mangled, tt.name, got)
		}
	}
}

// TestPragmaMacrosLeadToSecondTry checks that messages of clang about macros that are pragmas, and not others about
// macros, lead to a second try with preprocessed source.
func TestPragmaMacrosLeadToSecondTry(t *testing.T) {
	const said = "a.cu:16:5: error: expected expression\n   16 |     UNROLL\n      |     ^\n" +
		"a.cu:9:18: note: expanded from macro 'UNROLL'\n    9 |   #define UNROLL %s\n      |                  ^\n"
	for text, want := range map[string]bool{"#pragma unroll": true, "# pragma GCC ivdep": true, ") #pragma unroll": false, "#pragmas": false} {
		if got := nvccTakes.MatchString(fmt.Sprintf(said, text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
