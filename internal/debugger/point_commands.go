package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hitTest is a condition on how often a warp has hit a point; without an operator it is always true.
type hitTest struct {
	op string // as in compare, or % for every n-th hit
	n  int
}

func (t hitTest) text() string {
	if t.op == "" {
		return ""
	}
	return fmt.Sprintf(" -hits %s %d", t.op, t.n)
}

func (t hitTest) passes(hits int) bool {
	switch t.op {
	case "":
		return true
	case "%":
		return hits%t.n == 0
	}
	holds, _ := compare(t.op, hits-t.n)
	return holds
}

// parseHitTest parses "% 8" or ">= 3".
func parseHitTest(text string) (hitTest, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "%=!<>")
	op := text[:len(text)-len(digits)]
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if _, known := compare(op, 0); !known && op != "%" || err != nil || n < 0 || op == "%" && n == 0 {
		return hitTest{}, errorf("%q is not a test of hits; expected -hits %% 8, -hits == 3, -hits > 100", text)
	}
	return hitTest{op, n}, nil
}

// hit counts a warp's hit of the point, and reports whether it stops: it is not one of those to be ignored, and
// satisfies the point's test.
func (p *point) hit(at warpAt) bool {
	if p.disabled { // since it was armed
		return false
	}
	p.hits++
	if p.hitTest.op != "" {
		if p.warpHits == nil {
			p.warpHits = make(map[warpAt]int)
		}
		p.warpHits[at]++
		if !p.hitTest.passes(p.warpHits[at]) {
			return false
		}
	}
	if p.ignored > 0 {
		p.ignored--
		return false
	}
	if p.stopsLeft > 0 {
		p.stopsLeft--
		p.disabled = p.stopsLeft == 0
	}
	return true
}

// statusText returns what info break adds to a point.
func (p *point) statusText() string {
	text := fmt.Sprintf("hits %d", p.hits)
	if p.ignored > 0 {
		text += fmt.Sprintf("  ignores %d to come", p.ignored)
	}
	if p.stopsLeft > 0 {
		text += fmt.Sprintf("  disabled after %s", plural(uint64(p.stopsLeft), "stop"))
	}
	if p.disabled {
		text += "  disabled"
	}
	return text
}

// pointNumbers returns the numbers of the points as text.
func (d *Debugger) pointNumbers() []string {
	var numbers []string
	for _, p := range d.points {
		numbers = append(numbers, strconv.Itoa(p.id))
	}
	return numbers
}

// pointsNamed returns the points with the numbers in a text: "1 3", "2-5".
func (d *Debugger) pointsNamed(text string) ([]*point, error) {
	var named []*point
	for word := range strings.FieldsSeq(text) {
		if word == "$bpnum" { // of gdb
			word = strconv.Itoa(d.made)
		}
		from, to, isRange := cutFirst(word, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || first > last {
			return nil, errorf("%q is not a number of a break, watch or trace; info break lists them", word)
		}
		some := slices.DeleteFunc(slices.Clone(d.points), func(p *point) bool { return p.id < first || p.id > last })
		if len(some) == 0 {
			return nil, errorf("no break, watch or trace %s; info break lists them", word)
		}
		named = append(named, some...)
	}
	return named, nil
}

// onePoint returns the point with the number at the start of text, and the rest of the text.
func (d *Debugger) onePoint(text, how string) (p *point, rest string, err error) {
	word, rest, _ := cutFirst(text, " ")
	if word == "" {
		return nil, "", errors.New(how)
	}
	named, err := d.pointsNamed(word)
	switch {
	case err != nil:
		return nil, "", err
	case len(named) > 1:
		return nil, "", errorf("%q is several; one at a time", word)
	}
	return named[0], strings.TrimSpace(rest), nil
}

// deleteCommand also accepts gdb's word before the numbers.
func (d *Debugger) deleteCommand(c *call) error {
	args := c.args
	switch word, rest, _ := cutFirst(args, " "); word {
	case "display":
		return d.undisplayCommand(&call{args: strings.TrimSpace(rest)})
	case "breakpoints", "tracepoints":
		args = rest
	case "checkpoint", "bookmark":
		return d.clearCheckpoint(&call{args: strings.TrimSpace(rest)})
	}
	if args == "" {
		d.printf("deleted %d\n", len(d.points))
		d.points = nil
		return nil
	}
	named, err := d.pointsNamed(args)
	for _, p := range named {
		d.remove(p)
	}
	return err
}

// clearCommand deletes the points at a place.
func (d *Debugger) clearCommand(c *call) error {
	at, err := d.parsePlace(c.args)
	if err != nil {
		return err
	}
	cleared := false
	for _, p := range slices.Clone(d.points) {
		if p.fn != "" && p.at(d, at) {
			cleared = true
			d.remove(p)
			d.printf("deleted %s\n", d.pointText(p))
		}
	}
	if !cleared {
		return errorf("no breakpoint or trace is at %s; info break lists them", d.lineText(at))
	}
	return nil
}

func (d *Debugger) disableCommand(c *call) error {
	return d.able(c.args, func(*point) bool { return true })
}

// enableCommand also takes gdb's words for how long.
func (d *Debugger) enableCommand(c *call) error {
	word, rest, _ := cutFirst(c.args, " ")
	stops := map[string]int{"once": 1, "delete": 1}[word]
	if word == "count" {
		text, numbers, _ := cutFirst(strings.TrimSpace(rest), " ")
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return errors.New("expected enable count STOPS N, as in enable count 3 1")
		}
		stops, rest = n, numbers
	}
	if stops == 0 {
		return d.enable(c.args, 0)
	}
	if strings.TrimSpace(rest) == "" {
		return errorf("enable %s which? A number that info break shows", word)
	}
	named, err := d.pointsNamed(rest)
	for _, p := range named {
		p.temporary = p.temporary || word == "delete"
	}
	if err != nil {
		return err
	}
	return d.enable(rest, stops)
}

// enable enables points, for a number of stops or, if that is 0, for good.
func (d *Debugger) enable(args string, stops int) error {
	if strings.HasPrefix(args, "display") {
		return d.able(args, func(*point) bool { return false })
	}
	named, err := d.pointsNamed(strings.TrimPrefix(args, "breakpoints"))
	for _, p := range named {
		p.stopsLeft = stops
	}
	if err != nil {
		return err
	}
	return d.able(args, func(*point) bool { return false })
}

func (d *Debugger) toggleCommand(c *call) error {
	if c.args == "" {
		return errors.New("toggle which? A number that info break shows")
	}
	return d.able(c.args, func(p *point) bool { return !p.disabled })
}

// able applies to the points named in args, or to all: it disables those for which disabled is true, and enables the
// others.
func (d *Debugger) able(args string, disabled func(*point) bool) error {
	if rest, ok := strings.CutPrefix(args, "display"); ok {
		return d.ableDisplays(strings.TrimSpace(rest), disabled(&point{}))
	}
	named, err := d.pointsNamed(strings.TrimPrefix(args, "breakpoints"))
	if err != nil {
		return err
	}
	if len(named) == 0 {
		named = d.points
	}
	for _, p := range named {
		p.disabled = disabled(p)
		d.printf("%s  %s\n", p.name(), map[bool]string{true: "disabled", false: "enabled"}[p.disabled])
	}
	return nil
}

// condCommand parses "N", "N EXPR" or "N -hits OP M".
func (d *Debugger) condCommand(c *call) error {
	p, text, err := d.onePoint(c.args, "cond of which? cond N EXPR, cond N -hits % 8, or cond N to have none")
	if err != nil {
		return err
	}
	if hits, ok := strings.CutPrefix(text, "-hits"); ok {
		test, err := parseHitTest(hits)
		if err != nil {
			return err
		}
		p.hitTest, p.warpHits = test, nil
		d.printf("%s\n", d.pointText(p))
		return nil
	}
	if text == "" {
		p.condition, p.condText, p.hitTest = nil, "", hitTest{}
		d.printf("%s\n", d.pointText(p))
		return nil
	}
	_, condition, err := splitCondition("if " + strings.TrimPrefix(text, "if "))
	if err != nil {
		return err
	}
	if fn := d.function(p.fn); fn >= 0 {
		if err := d.tryIn(codeAt{fn, p.pc}, condition); err != nil {
			return err
		}
	}
	p.condition, p.condText = condition, strings.TrimSpace(strings.TrimPrefix(text, "if "))
	d.printf("%s\n", d.pointText(p))
	return nil
}

func (d *Debugger) ignoreCommand(c *call) error {
	p, text, err := d.onePoint(c.args, "ignore which? ignore N COUNT")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("expected ignore N COUNT, with COUNT the hits of N to pass over, from 0")
	}
	p.ignored = n
	d.printf("%s ignores %s to come\n", p.name(), plural(uint64(n), "hit"))
	return nil
}
