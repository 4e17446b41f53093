package check

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Text returns a finding in words: without its place and severity, with a line of the caller's, if any, on the launch.
func (f *Finding) Text(launched string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s [%s] %s\n", f.Rule.Message(), f.Rule, f.where())
	f.Earlier.write(&b)
	f.Later.write(&b)
	fmt.Fprintf(&b, "%s  between %s\n", launched, f.Between)
	if f.Instances > 1 {
		unit := "lane pair"
		if f.Earlier.Event != "" {
			unit = "lane"
		}
		fmt.Fprintf(&b, "  repeats %s in %s; first shown\n", counted(f.Instances, unit), counted(f.Blocks, "block"))
	}
	writeAlso(&b, f.Also)
	fmt.Fprintf(&b, "  fix     %s\n", f.Fix)
	return b.String()
}

// mostAlso is the most other pairs of a race that are written.
const mostAlso = 4

// writeAlso writes the other pairs of instructions with the same fix.
func writeAlso(b *strings.Builder, also []Pair) {
	for i := range also {
		p := &also[i]
		if i == mostAlso {
			fmt.Fprintf(b, "  also    %s of instructions\n", counted(int64(len(also)-i), "more pair"))
			return
		}
		fmt.Fprintf(b, "  also    %s %s, %s %s [%s]\n", p.Earlier.Does(), p.Earlier.Place().Short(), p.Later.Does(), p.Later.Place().Short(), p.Rule)
	}
}

// where names the bytes that both sides access.
func (f *Finding) where() string {
	name := f.Buffer
	if name == "" {
		name = f.Space.String()
	}
	text := fmt.Sprintf("%s+0x%x..0x%x", name, f.Offset, f.Offset+uint64(f.Bytes)-1)
	if element := f.Element(); element != "" {
		return element + ", " + text
	}
	return text
}

// write writes one side of a race.
func (a *Access) write(b *strings.Builder) {
	at := a.Place()
	lines := at.Lines(a.Func.Text(a.PC))
	value := ""
	if a.Value != "" {
		value = "  got " + a.Value
		if a.Writes {
			value = "  value " + a.Value
		}
	}
	fmt.Fprintf(b, "  %-7s %s  %s  %s%s\n", a.Does(), at.Short(), lines[0], interp.Where{CTA: a.CTA, Warp: a.Warp, Lanes: a.Lanes}, value)
	for _, call := range lines[1:] {
		fmt.Fprintf(b, "  %s\n", call)
	}
}

// Does describes one side of a race: "read", "write", "atomic" or an event.
func (a *Access) Does() string {
	switch {
	case a.Event != "":
		return a.Event
	case a.Instr().Spec.Kind == isa.Atomic:
		return "atomic"
	case a.Writes:
		return "write"
	}
	return "read"
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
