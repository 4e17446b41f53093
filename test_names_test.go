package simtrun_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestNamesOfTestsStateClaims: the name of a test has a subject and a verb, so more than one word.
func TestNamesOfTestsStateClaims(t *testing.T) {
	for name, path := range testFunctions(t) {
		if name != "TestMain" && wordsOf(strings.TrimPrefix(name, "Test")) < 2 {
			t.Errorf("%s: %s names a subject; a test's name states a claim", path, name)
		}
	}
}

// TestStepsNameExistingTests: go test passes if no test has the name that -run gives.
func TestStepsNameExistingTests(t *testing.T) {
	functions := testFunctions(t)
	steps, err := filepath.Glob(".ci/steps/*")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(steps, "cuda/Makefile", "web/Makefile") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\b(Test[A-Z]\w+)([|$)"' \n]|$)`).FindAllStringSubmatch(string(text), -1) {
			found++
			if functions[m[1]] == "" {
				t.Errorf("%s: no test is called %s", path, m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("%d names of tests in steps", found)
	}
}

// testFunctions returns the test functions of all packages by name, each with a file that has it.
func testFunctions(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	eachGoFile(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") {
				all[d.Name.Name] = path
			}
		}
	})
	return all
}

// wordsOf counts words of a name in camel case. Consecutive capital letters are one word.
func wordsOf(name string) (n int) {
	runes := []rune(name)
	for i, r := range runes {
		follows := i > 0 && unicode.IsUpper(runes[i-1])
		begins := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (!follows || begins) {
			n++
		}
	}
	return n
}

func TestWordsOfNamesAreCounted(t *testing.T) {
	for name, want := range map[string]int{
		"Pages": 1, "JSON": 1, "H100": 1, "PagesAgree": 2, "JSONIsValid": 3, "PTXModeCostsOneSlot": 5, "ResultsMatchH100": 3,
	} {
		if n := wordsOf(name); n != want {
			t.Errorf("%s: %d words, want %d", name, n, want)
		}
	}
}
