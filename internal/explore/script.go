package explore

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// scriptHead is the first line of a script.
const scriptHead = "simtrun schedule 1"

// Write writes a schedule as a script, which ReadSchedule reads: for each segment a line with a comment on where the
// thread goes on later.
func (s Schedule) Write(w io.Writer) {
	fmt.Fprintln(w, scriptHead)
	launch := 0
	for i := range s {
		g := &s[i]
		if g.Launch != launch {
			launch = g.Launch
			fmt.Fprintf(w, "launch %d\n", launch+1)
		}
		line := fmt.Sprintf("block %d,%d,%d thread %d for %d", g.Block.X, g.Block.Y, g.Block.Z, g.Thread, g.Instrs)
		fmt.Fprintf(w, "%-32s  # %s\n", line, g.comment())
	}
}

// comment says where the thread goes on.
func (g *Segment) comment() string {
	if !g.Next.IsValid() {
		return "ends"
	}
	return fmt.Sprintf("up to %s: %s", g.Next.Short(), g.Next.Text(g.Text))
}

// ReadSchedule reads a script. Errors have the name and the line.
func ReadSchedule(name string, r io.Reader) (Schedule, error) {
	var s Schedule
	lines, number, launch, head := bufio.NewScanner(r), 0, 1, false
	for lines.Scan() {
		number++
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.Join(strings.Fields(text), " "); text == "" {
			continue
		}
		if !head {
			if text != scriptHead {
				return nil, fmt.Errorf("%s:%d: a schedule begins with the line %q", name, number, scriptHead)
			}
			head = true
			continue
		}
		if n, ok := numbers(text, "launch %"); ok && n[0] >= 1 && n[0] < 1<<31 {
			launch = int(n[0])
			continue
		}
		n, ok := numbers(text, "block %,%,% thread % for %")
		var g Segment
		if ok {
			g = Segment{Launch: launch - 1, Block: isa.Dim{X: uint32(n[0]), Y: uint32(n[1]), Z: uint32(n[2])}, Thread: int(n[3]), Instrs: n[4]}
			ok = max(n[0], n[1], n[2]) < 1<<32 && n[3] < 1<<31 && n[4] > 0
		}
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q: a line is \"block X,Y,Z thread N for INSTRUCTIONS\", or \"launch N\"", name, number, text)
		}
		if len(s) > 0 && s[len(s)-1].Launch > g.Launch {
			return nil, fmt.Errorf("%s:%d: launch %d comes after launch %d", name, number, launch, s[len(s)-1].Launch+1)
		}
		s = append(s, g)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !head {
		return nil, fmt.Errorf("%s: a schedule begins with the line %q", name, scriptHead)
	}
	return s, nil
}

// numbers returns the numbers that stand in text where the form has a %.
func numbers(text, form string) (all []uint64, ok bool) {
	for form != "" {
		if form[0] != '%' {
			if text == "" || text[0] != form[0] {
				return nil, false
			}
			text, form = text[1:], form[1:]
			continue
		}
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.ParseUint(text[:digits], 10, 64)
		if err != nil {
			return nil, false
		}
		all, text, form = append(all, n), text[digits:], form[1:]
	}
	return all, text == ""
}
