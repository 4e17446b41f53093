package debugger

import (
	"context"
	"errors"
	"slices"
)

// errLoopBreak and errLoopContinue end a list of while, and one of its iterations.
var (
	errLoopBreak    = errors.New("loop_break stands in the list of a while")
	errLoopContinue = errors.New("loop_continue stands in the list of a while")
)

// ifCommand takes the lines that follow, up to end, and executes them if a condition holds, else those after else.
func (d *Debugger) ifCommand(c *call) error {
	return d.takeBlock(c.args, func(ctx context.Context, lines []string) error {
		holds, err := d.holds(c.args)
		if err != nil {
			return err
		}
		then, otherwise := branches(lines)
		if !holds {
			then = otherwise
		}
		return d.executeList(ctx, then)
	})
}

// whileCommand takes the lines that follow, up to end, and executes them as long as a condition holds.
func (d *Debugger) whileCommand(c *call) error {
	return d.takeBlock(c.args, func(ctx context.Context, lines []string) error {
		for ctx.Err() == nil {
			if holds, err := d.holds(c.args); err != nil || !holds {
				return err
			}
			err := d.executeList(ctx, append(slices.Clip(lines), "# again")) // a list without lines has an end, too
			switch {
			case errors.Is(err, errLoopBreak):
				return nil
			case err != nil && !errors.Is(err, errLoopContinue):
				return err
			}
		}
		return nil
	})
}

// takeBlock takes the lines that follow, up to end, for run.
func (d *Debugger) takeBlock(condition string, run func(context.Context, []string) error) error {
	if condition == "" {
		return errors.New("a condition is missing: if EXPR, while EXPR")
	}
	if _, err := parseExpr(condition); err != nil {
		return err
	}
	d.typing = typing{done: run, executes: true}
	return nil
}

// branches returns the lines of an if before and after its else.
func branches(lines []string) (then, otherwise []string) {
	inner := 0
	for i, line := range lines {
		word, _, _ := cutFirst(line, " ")
		switch {
		case line == endsCommands:
			inner--
		case slices.Contains(beginsList, word):
			inner++
		case line == "else" && inner == 0:
			return lines[:i], lines[i+1:]
		}
	}
	return lines, nil
}

// holds reports whether a condition is true in any active lane or, where no lane is active, as a number.
func (d *Debugger) holds(condition string) (bool, error) {
	e, err := parseExpr(condition)
	if err != nil {
		return false, err
	}
	s, err := d.scopeHere()
	if err != nil {
		return false, err
	}
	v, err := e.eval(s)
	if active := s.active; err == nil && active != 0 {
		return v.holds()&active != 0, nil
	}
	return err == nil && v.holds() != 0, err
}

// executeList executes lines, which may contain lists.
func (d *Debugger) executeList(ctx context.Context, lines []string) error {
	for _, line := range lines {
		if d.executed++; d.executed > mostDefined {
			return errorf("lists of commands execute more than %d lines", mostDefined)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := d.dispatchListed(ctx, line); err != nil {
			return err
		}
	}
	return nil
}
