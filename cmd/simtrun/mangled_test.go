package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// overloads is a kernel k(unsigned int*) that calls f(int) and f(float), which have the same name in the source.
//
//go:embed testdata/kernels/overloads.s
var overloads string

// TestOutputsHaveNamesOfTheSource: no output has a mangled name, except in the text of PTX instructions and beside the
// name in the source, in keys that end in mangled, where overloads differ.
func TestOutputsHaveNamesOfTheSource(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("k.ptx", []byte(overloads), 0o666); err != nil {
		t.Fatal(err)
	}
	ran := func(args ...string) string {
		t.Helper()
		got := typed(t, append(args, "--arg", "0=zeros:1:u32")...)
		if got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
		return got.stdout
	}
	// lines of PTX that name a symbol
	code := regexp.MustCompile(`(ld\.param|call)[^;…]*[;…]|\.(func|visible)[^"]*`)
	texts := map[string]string{
		"run": ran("run", "k.ptx", "--trace", "instr"), "json": ran("run", "k.ptx", "--json"),
		"saved": ran("profile", "k.ptx", "-o", "k.json", "--html", "k.html", "--pprof", "k.pprof", "--timeline", "k.trace"),
	}
	for _, page := range []string{"summary", "source", "sm", "memory", "advice", "raw"} {
		texts[page] = typed(t, "report", "k.json", "--page", page).stdout
		texts[page+" csv"] = typed(t, "report", "k.json", "--page", page, "--csv").stdout
	}
	for _, file := range []string{"k.json", "k.html", "k.trace"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	texts["k.html"] = strings.ReplaceAll(texts["k.html"], `title="_Z1kPj"`, "") // the heading shows it to who asks
	beside := regexp.MustCompile(`"[a-z]+_mangled":\s*(\[[^]]*\]|"[^"]*")`)
	for name, text := range texts {
		if left := regexp.MustCompile(`.{0,40}_Z1.*`).FindString(beside.ReplaceAllString(code.ReplaceAllString(text, ""), "")); left != "" && len(text) > 0 {
			t.Errorf("%s has %.100s", name, left)
		}
	}
	const names = `"function":"f","function_mangled":"_Z1fi" "function":"f","function_mangled":"_Z1ff" "function":"k","function_mangled":"_Z1kPj"`
	for _, name := range []string{"json", "k.json"} {
		for want := range strings.SplitSeq(names, " ") {
			if !strings.Contains(strings.ReplaceAll(texts[name], `": "`, `":"`), want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
	}
	if !strings.Contains(texts["source csv"], "0,k,k.ptx,7,f,") || !strings.Contains(texts["source csv"], "0,k,k.ptx,15,f,") {
		t.Errorf("not two functions f:\n%s", texts["source csv"])
	}
	if got := typed(t, "asm", "k.ptx", "--cfg"); !strings.Contains(got.stdout, "f(int) (_Z1fi)  function  instructions 4 ") {
		t.Errorf("%+v", got)
	}
}

// TestOldReportsAreShownAsNewOnes: a report that was saved when it had names of PTX alone is shown as one of today.
func TestOldReportsAreShownAsNewOnes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("k.ptx", []byte(overloads), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, "profile", "k.ptx", "--arg", "0=zeros:1:u32", "-o", "new.json"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile("new.json")
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	l := d["launches"].([]any)[0].(map[string]any)
	l["kernel"], l["functions"] = l["kernel_mangled"], l["functions_mangled"]
	delete(l, "kernel_mangled")
	delete(l, "functions_mangled")
	for _, one := range l["instructions"].([]any) {
		in := one.(map[string]any)
		in["function"] = in["function_mangled"]
		delete(in, "function_mangled")
	}
	if text, err = json.Marshal(d); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("old.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"source", "raw"} {
		a, b := typed(t, "report", "new.json", "--page", page, "--csv"), typed(t, "report", "old.json", "--page", page, "--csv")
		if a != b || a.code != 0 {
			t.Errorf("%s: %+v\n%+v", page, a, b)
		}
	}
	if got := typed(t, "diff", "old.json", "new.json"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}
