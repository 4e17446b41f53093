package debugger

import (
	"errors"
	"strings"
)

// withCommand carries out the command after gdb's --.
func (d *Debugger) withCommand(c *call) error {
	setting, line, ok := cutFirst(c.args, "-- ")
	if line = strings.TrimSpace(line); !ok || line == "" {
		return errors.New("expected with SETTING -- COMMAND")
	}
	defer func(before int) { d.listed = before }(d.listed)
	d.quiet++
	_, err := d.setting(setting)
	if d.quiet--; err != nil {
		return err
	}
	return d.dispatch(c.ctx, line)
}

// aproposCommand lists the commands and topics of info whose help has a word.
func (d *Debugger) aproposCommand(c *call) error {
	if c.args == "" {
		return errors.New("apropos what? A word in the help of a command")
	}
	word, found := strings.ToLower(c.args), false
	show := func(name, also, help string) {
		if strings.Contains(strings.ToLower(name+" "+also+" "+help), word) {
			d.printf("%s\n%s\n", name, wrapped(help, 2, d.columns()))
			found = true
		}
	}
	for i := range d.table {
		show(d.table[i].name, d.table[i].also, d.table[i].help)
	}
	for i := range topics {
		show("info "+topics[i].name, topics[i].also, topics[i].help)
	}
	if !found {
		return errorf("no command is about %q; help lists them", c.args)
	}
	return nil
}

// completeCommand lists the lines that can begin with a text.
func (d *Debugger) completeCommand(c *call) error {
	front := c.args[:strings.LastIndexByte(c.args, ' ')+1]
	for _, word := range d.Complete(c.args) {
		d.printf("%s%s\n", front, word)
	}
	return nil
}
