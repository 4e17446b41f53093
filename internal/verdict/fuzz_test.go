package verdict

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
)

// FuzzSuppressions reads a text as a file of suppressions and as a source. Each one that is accepted has a rule that
// there is and a reason, is on a line of the text, and allows a finding at its own place.
func FuzzSuppressions(f *testing.F) {
	for _, seed := range []string{"race-raw k.cu:12 why\n# note\nrace-* kernel=k* why", "div-zero * why", "a(); //sim:allow race-raw why\n", "//sim:allow mem-* why\n\nb();", "/* //sim:allow race-raw why */", "race-raw id=0 why"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all Suppressions
		all.AddFile("s.txt", []byte(text))
		all.AddSource("k.cu", []byte(text))
		lines := strings.Count(text, "\n") + 1
		for _, s := range all.all {
			if s.Rule == "" || s.Reason == "" || int(s.At.Pos.Line) < 1 || int(s.At.Pos.Line) > lines || s.InSource && s.Line > lines {
				t.Fatalf("%q: %+v", text, s)
			}
			if s.InSource && s.Line > 0 && !strings.ContainsAny(s.Rule, `*?[\`) {
				found := Finding{Rule: s.Rule, Severity: check.Error, At: Place{File: "k.cu", Line: s.Line}}
				if !all.Allows(&found) {
					t.Fatalf("%q: %+v does not allow a finding at its place", text, s)
				}
			}
		}
	})
}
