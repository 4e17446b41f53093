package debugger

import (
	"errors"
	"regexp"
)

// searchSource makes a command that looks for a line of the source from the one that was shown last, in a direction,
// and shows it.
func searchSource(direction int) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		if c.args == "" {
			return errors.New("search for what? A regular expression")
		}
		matches, err := regexp.Compile(c.args)
		if err != nil {
			return err
		}
		at := d.listing
		if at.last == 0 {
			if at, err = d.listPlace(""); err != nil {
				return err
			}
		}
		from := at.last
		if direction < 0 {
			from = at.first
		}
		lines := d.sourceLines(at.file)
		for n := from + direction; n > 0 && n <= len(lines); n += direction {
			if matches.MatchString(lines[n-1]) {
				at.first, at.last = n, n
				return d.list(at)
			}
		}
		return errorf("no line of %s %s matches %s", at.file, map[int]string{1: "after that", -1: "before that"}[direction], c.args)
	}
}
