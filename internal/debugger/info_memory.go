package debugger

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/source"
)

// infoMem lists the memory that expressions can name, and the other regions.
func (d *Debugger) infoMem(text string) error {
	s, err := d.scopeHere()
	if err != nil {
		s = d.nowhere()
	}
	found := false
	for i := range d.objects {
		o := &d.objects[i]
		if !strings.Contains(cxx.Variable(o.name), text) {
			continue
		}
		if s.frame != divergence.NoFrame || o.space != "shared" && o.space != "local" {
			found = true
			d.printf("%s\n", s.memoryText(o))
		}
	}
	if text != "" {
		if !found {
			return errorf("no buffer or variable has %s in its name; info mem lists all", text)
		}
		return nil
	}
	if s.frame == divergence.NoFrame {
		d.printf("shared and local memory exist only during a launch\n")
		return nil
	}
	d.printf("shared   %d bytes per block\n", len(s.w.Shared().Data))
	d.printf("local    %d bytes per lane\n", len(s.w.Local(0)))
	return nil
}

// memoryText describes an object with its type and address. Local variables of functions other than the one in focus
// have no address.
func (s *scope) memoryText(o *object) string {
	text := fmt.Sprintf("%-8s %s  %s  %s", o.space, cxx.Variable(o.name), o.typeText(), plural(uint64(o.size), "byte"))
	here, seen := s.sees(o)
	if o.fn != nil {
		text += "  of " + source.Name(o.fn.Name)
	}
	if seen || o.space != "local" {
		text += fmt.Sprintf("  at 0x%x", here.addr)
	}
	return text
}

// infoFindings shows the findings of the launches so far.
func (d *Debugger) infoFindings(string) error {
	warnings := d.warnings
	if d.session != nil {
		warnings = append(warnings[:len(warnings):len(warnings)], d.session.Stats().Warnings...)
	}
	if !d.showRaces() && d.failure == nil && len(warnings) == 0 {
		d.printf("no findings so far; simtrun run --check looks for more\n")
		return nil
	}
	if d.failure != nil {
		d.printf("%v\n", d.failure)
	}
	for i := range warnings {
		w := &warnings[i]
		d.printf("%s: warning: %s [%s]\n  %s\n", w.Place, w.Msg, w.Rule, w.Text)
		for _, line := range w.Details() {
			d.printf("  %s\n", line)
		}
		if w.Count > 1 {
			d.printf("  repeats %d times; first shown\n", w.Count)
		}
	}
	return nil
}
