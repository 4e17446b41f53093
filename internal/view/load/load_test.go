package load_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
)

const kernel = ".entry k(.param .u64 x) { .reg .u32 %r<2>; mov.u32 %r1, %tid.x; ret; }\n"

// TestTextLoadsWithinLimits opens texts with settings, and what has to be refused.
func TestTextLoadsWithinLimits(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		settings   view.Settings
		err        string // of the message
		mistake    string // in the program
	}{
		"settings":      {"k.s", kernel, view.Settings{Grid: "3", Block: "64", Args: []string{"x=zeros:4:u32"}, GPU: "a100", Timed: true}, "", ""},
		"bad setting":   {"k.s", kernel, view.Settings{Grid: "many"}, "", "grid many"},
		"syntax":        {"k.s", ".entry k( {", view.Settings{}, "", "expected"},
		"file":          {"k.s", "//sim:arg x = @load_test.go:u32\n" + kernel, view.Settings{}, "", "header"},
		"memory":        {"k.s", "//sim:arg x = zeros:1000000000:u32\n" + kernel, view.Settings{}, "", "--memory"},
		"too long":      {"k.s", strings.Repeat(" ", load.TextBytes+1), view.Settings{}, "bytes", ""},
		"no name":       {"", kernel, view.Settings{}, "no files", ""},
		"CUDA C++":      {"k.cu", "__global__ void k() {}", view.Settings{}, "not supported", ""},
		"foreign setup": {"k.s", kernel, view.Settings{Args: []string{"x=zeros:4:u32", "y=1"}}, "", "y"},
	} {
		t.Run(name, func(t *testing.T) {
			s := view.New(view.Config{Load: load.Text, Steps: 1000})
			a := s.Answer(t.Context(), &view.Request{Version: view.Version, Open: &view.Open{Name: c.file, Text: &c.text, Settings: &c.settings}})
			if !strings.Contains(a.Error, c.err) || (a.Error == "") != (c.err == "") {
				t.Fatalf("error %q, want %q", a.Error, c.err)
			}
			if c.err != "" {
				return
			}
			o := a.Opened
			switch {
			case c.mistake != "" && (len(o.Findings)+len(o.Failure) == 0 || !strings.Contains(o.Failure+o.Findings[0].Message, c.mistake)):
				t.Errorf("%+v, want a finding about %q", o, c.mistake)
			case c.mistake == "" && (len(o.Launches) != 1 || o.Launches[0].Warps != 6 || !o.Timed || o.GPU != "a100"):
				t.Errorf("%+v", o)
			}
		})
	}
}
