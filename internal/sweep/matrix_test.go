package sweep_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/sweep"
)

// TestLastAxisVariesFastest checks that the last axis varies fastest, and that commas separate values.
func TestLastAxisVariesFastest(t *testing.T) {
	m := matrix(t, "gpu", "a100,h100", "arg", "x=list:u32:1;2,zeros:4:u32", "block", "64")
	var got [][]string
	for i := range m.Len() {
		got = append(got, m.Values(i))
	}
	want := [][]string{{"a100", "list:u32:1;2", "64"}, {"a100", "zeros:4:u32", "64"}, {"h100", "list:u32:1;2", "64"}, {"h100", "zeros:4:u32", "64"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none := (sweep.Matrix{}); none.Len() != 1 || len(none.Values(0)) != 0 {
		t.Errorf("a matrix without axes has %d points", none.Len())
	}
}

func TestAxisErrorsAreExplained(t *testing.T) {
	for _, c := range []struct{ directive, text, want string }{
		{"block", "64,,128", "--block 64,,128: a value is missing"},
		{"block", "64,128,64", "64 stands twice"},
		{"arg", "n", "expected NAME=A,B"},
		{"arg", "x=list:u32:1,2", "semicolons"},
	} {
		if _, err := sweep.ParseAxis(c.directive, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.directive, c.text, err)
		}
	}
	if err := matrix(t, "arg", "n=1,2", "arg", "n=3").Check(); err == nil || err.Error() != "--arg n is there twice" {
		t.Error(err)
	}
	thousand := strings.Split(strings.Repeat("1", 1001), "")
	many := sweep.Axis{Directive: "block", Values: thousand}
	if err := (sweep.Matrix{many, {Directive: "grid", Values: thousand}}).Check(); err == nil || err.Error() != "more than 1000000 points" {
		t.Error(err)
	}
}

// matrix builds axes from directives and their values.
func matrix(t *testing.T, words ...string) (m sweep.Matrix) {
	t.Helper()
	for i := 0; i < len(words); i += 2 {
		a, err := sweep.ParseAxis(words[i], words[i+1])
		if err != nil {
			t.Fatal(err)
		}
		m = append(m, a)
	}
	return m
}
