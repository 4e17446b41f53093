package debugger

import (
	"errors"
	"regexp"
)

// searchNext looks for a line of the source after the one that was shown last, and searchPrevious before it.
func (d *Debugger) searchNext(c *call) error     { return d.search(c.args, 1) }
func (d *Debugger) searchPrevious(c *call) error { return d.search(c.args, -1) }

// search shows the nearest line that matches a regular expression, in a direction.
func (d *Debugger) search(text string, direction int) error {
	if text == "" {
		return errors.New("search for what? A regular expression")
	}
	matches, err := regexp.Compile(text)
	if err != nil {
		return err
	}
	at := d.listing
	if at.last == 0 {
		if at, err = d.listPlace(""); err != nil {
			return err
		}
	}
	from, where := at.last, "after"
	if direction < 0 {
		from, where = at.first, "before"
	}
	lines := d.sourceLines(at.file)
	for n := from + direction; n > 0 && n <= len(lines); n += direction {
		if matches.MatchString(lines[n-1]) {
			at.first, at.last = n, n
			return d.list(at)
		}
	}
	return errorf("no line of %s %s that matches %s", at.file, where, text)
}
