package debugger

import (
	"errors"
	"strconv"
	"strings"
)

// saveCommands writes the commands of a point, as they are typed.
func (p *point) saveCommands(b *strings.Builder) {
	if len(p.commands) > 0 {
		b.WriteString("commands\n" + p.commandsText() + endsCommands + "\n")
	}
}

// saveCommand writes commands that make the present points to a file, for source.
func (d *Debugger) saveCommand(c *call) error {
	what, file, _ := cutFirst(c.args, " ")
	switch file = strings.TrimSpace(file); {
	case what == "" || !strings.HasPrefix("breakpoints", what) || file == "":
		return errors.New("save breakpoints FILE writes commands that make them; simtrun run --save NAME=FILE writes a buffer")
	case d.cfg.WriteFile == nil:
		return errors.New("files cannot be written here")
	}
	var b strings.Builder
	for _, p := range d.points {
		d.save(&b, p)
	}
	if err := d.cfg.WriteFile(file, []byte(b.String())); err != nil {
		return err
	}
	d.printf("saved %s to %s\n", plural(uint64(len(d.points)), "point"), file)
	return nil
}

// save writes the commands that make a point.
func (d *Debugger) save(b *strings.Builder, p *point) {
	word, place, _ := cutFirst(p.what, " ")
	switch {
	case p.watch != nil:
		place = p.watch.typed
	case p.fn != "" && p.place == "" && (d.cfg.Prepare == nil || strings.Trim(place, "L0123456789") != "" || place == ""):
		place = p.where
	}
	if p.formatted != nil {
		place += "," + p.formatted.typed
	}
	when := ""
	if p.condText != "" {
		when = "if " + p.condText
	}
	line := func(words ...string) {
		for i, word := range words {
			if word = strings.TrimSpace(word); i > 0 && word != "" {
				word = " " + word
			}
			b.WriteString(word)
		}
		b.WriteByte('\n')
	}
	if p.formatted != nil && when != "" {
		line(word, place)
		line("cond $bpnum", p.condText)
	} else {
		line(word, place, strings.Join(p.names, ", "), when)
	}
	if p.hitTest.op != "" {
		line("cond $bpnum", p.hitTest.text())
	}
	if p.ignored > 0 {
		line("ignore $bpnum", strconv.Itoa(p.ignored))
	}
	p.saveCommands(b)
	if p.disabled {
		line("disable $bpnum")
	}
}
