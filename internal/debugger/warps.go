package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// warpQuery holds the options of the command warps.
type warpQuery struct {
	with    expr   // nil: all warps
	group   string // "", pc or state
	command string // to be executed in each
}

// mostWarps limits the warps, or groups of warps, in a list.
const mostWarps = 64

// parseWarps parses "[-with EXPR] [-group pc|state] [-exec COMMAND]". The command is the rest of the line, and
// therefore comes last.
func parseWarps(args string) (warpQuery, error) {
	var q warpQuery
	args, q.command, _ = cutFirst(" "+args+" ", " -exec ")
	q.command = strings.TrimSpace(q.command)
	args = strings.TrimSpace(args)
	for args != "" {
		flag, rest, _ := cutFirst(args, " ")
		text, others := nextFlag(rest)
		switch {
		case flag == "-group" && (text == "pc" || text == "state"):
			q.group = text
		case flag == "-with" && text != "":
			e, err := parseExpr(text)
			if err != nil {
				return q, err
			}
			q.with = e
		default:
			return q, errors.New("expected warps [-with EXPR] [-group pc|state] [-exec COMMAND]")
		}
		args = others
	}
	if q.group != "" && q.command != "" {
		return q, errors.New("-group and -exec do not go together")
	}
	return q, nil
}

// nextFlag splits text before the next flag of the command warps.
func nextFlag(text string) (before, after string) {
	at := len(text)
	for _, flag := range []string{" -with ", " -group "} {
		if i := strings.Index(text, flag); i >= 0 {
			at = min(at, i)
		}
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at:])
}

// warpsCommand shows the warps of all resident blocks.
func (d *Debugger) warpsCommand(c *call) error {
	q, err := parseWarps(c.args)
	if err != nil {
		return err
	}
	if d.session == nil {
		return errEnded
	}
	found, err := d.warpsWith(q.with)
	if err != nil {
		return err
	}
	switch {
	case len(found) == 0:
		d.printf("no warp of %d\n", len(d.session.Warps()))
	case q.command != "":
		return d.inEach(c, found, q.command)
	case q.group != "":
		d.showGroups(found, q.group)
	default:
		for _, w := range found[:min(len(found), mostWarps)] {
			at := placeOf(w)
			d.printf("%s %-7s %s\n", mark(at == warpAt{d.focus.cta, d.focus.warp}), d.warpText(at), d.warpState(w))
		}
		d.printMore(len(found) - mostWarps)
	}
	return nil
}

// threadCommand moves the focus to a thread, or carries out a command in one. As gdb's does, thread apply takes several
// numbers, or all: a command shows all lanes of a warp, so that is once in each warp.
func (d *Debugger) threadCommand(c *call) error {
	one := elsewhere((*Debugger).setThread, true)
	words := strings.Fields(c.args)
	if len(words) < 3 || words[0] != "apply" {
		return one(d, c)
	}
	words = withoutFlags(words)
	if len(words) > 2 && words[1] == "all" {
		c.args = "-exec " + strings.Join(words[2:], " ")
		return d.warpsCommand(c)
	}
	n := 1
	for n < len(words) && strings.Trim(words[n], "-0123456789") == "" {
		n++
	}
	if n == 1 || n == len(words) {
		return errors.New("expected thread apply all COMMAND, or thread apply N... COMMAND")
	}
	threads, err := threadsNamed(words[1:n])
	if err != nil {
		return err
	}
	for _, thread := range threads {
		d.printf("thread %s\n", thread)
		c.args = thread + " " + strings.Join(words[n:], " ")
		if err := one(d, c); err != nil {
			return err
		}
	}
	return nil
}

// withoutFlags removes the flags of gdb's thread apply.
func withoutFlags(words []string) []string {
	for len(words) > 2 && (words[2] == "-q" || words[2] == "-s" || words[2] == "-c" || words[2] == "-ascending") {
		words = slices.Delete(words, 2, 3)
	}
	return words
}

// mostThreads limits the threads of thread apply.
const mostThreads = 1024

// threadsNamed returns the threads of words such as 5 and 1-3.
func threadsNamed(words []string) (all []string, err error) {
	for _, word := range words {
		from, to, isRange := cutFirst(word, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || last < first || last-first >= mostThreads {
			return nil, errorf("%q is not a thread, or some, as in 1-3", word)
		}
		for n := first; n <= last; n++ {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all, nil
}

func (d *Debugger) printMore(n int) {
	if n > 0 {
		d.printf("  and %d more\n", n)
	}
}

// warpsWith returns the warps in which e is true in an active lane. It returns an error only if e cannot be evaluated
// in any warp, because its names may be unknown in some.
func (d *Debugger) warpsWith(e expr) ([]interp.Warp, error) {
	all := d.session.Warps()
	if e == nil {
		return all, nil
	}
	var found []interp.Warp
	var wrong error
	known := false
	for _, w := range all {
		holds, err := d.holdsIn(w, e)
		if holds {
			found = append(found, w)
		}
		known = known || err == nil
		if wrong == nil {
			wrong = err
		}
	}
	if known {
		wrong = nil
	}
	return found, wrong
}

// holdsIn reports whether e is true in any active lane of a warp: on the running path, or on any path if none can
// run.
func (d *Debugger) holdsIn(w interp.Warp, e expr) (holds bool, err error) {
	_, runs := running(w)
	for s := range w.Control().Splits() {
		v, err := e.eval(d.scopeAt(w, &s))
		if err != nil || v.holds()&s.Mask != 0 || runs { // the running path is the first
			return err == nil && v.holds()&s.Mask != 0, err
		}
	}
	return false, nil
}

// inEach executes a command in one warp after the other, and restores the focus.
func (d *Debugger) inEach(c *call, warps []interp.Warp, command string) error {
	places := make([]warpAt, len(warps))
	for i, w := range warps {
		places[i] = placeOf(w)
	}
	if d.inWarps {
		return errors.New("-exec does not take another -exec")
	}
	back, level := d.focus, d.level
	d.inWarps = true
	defer func() {
		d.focus, d.level, d.inWarps = back, level, false
		if d.session != nil {
			d.settleFocus()
		}
	}()
	failed := 0
	for _, at := range places[:min(len(places), mostWarps)] {
		w, err := d.find(at)
		if err != nil {
			continue // it has ended meanwhile
		}
		s, _ := running(w)
		d.level = 0
		d.focusOn(at, s.Mask)
		d.printf("%s\n", d.warpText(at))
		switch err := d.dispatch(c.ctx, command); {
		case errors.Is(err, ErrQuit):
			return err
		case err != nil:
			failed++
			d.printf("%v\n", err)
		}
		if c.ctx.Err() != nil {
			return nil
		}
	}
	d.printMore(len(places) - mostWarps)
	if failed > 0 {
		return errorf("that failed in %s", plural(uint64(failed), "warp"))
	}
	return nil
}

// warpGroup is warps with the same position or state.
type warpGroup struct {
	what  string
	lanes int
	warps []warpAt
}

// showGroups shows how many warps and lanes are at the same place, or in the same state.
func (d *Debugger) showGroups(warps []interp.Warp, by string) {
	var groups []*warpGroup
	byName := make(map[string]*warpGroup)
	add := func(what string, w interp.Warp, m lanes.Mask) {
		g := byName[what]
		if g == nil {
			g = &warpGroup{what: what}
			byName[what], groups = g, append(groups, g)
		}
		g.lanes += m.Count()
		if at := placeOf(w); len(g.warps) == 0 || g.warps[len(g.warps)-1] != at {
			g.warps = append(g.warps, at)
		}
	}
	for _, w := range warps {
		if by == "state" {
			add(d.warpStateName(w), w, w.Control().Live())
			continue
		}
		for s := range w.Control().Splits() {
			add(fmt.Sprintf("%s  %s", d.lineText(codeOf(w, &s)), d.codeText(codeOf(w, &s))), w, s.Mask)
		}
		if w.Control().Live() == 0 {
			add("ended", w, 0)
		}
	}
	for _, g := range groups[:min(len(groups), mostWarps)] {
		d.printf("%s\n  %s, %s: %s\n", g.what, plural(uint64(len(g.warps)), "warp"), plural(uint64(g.lanes), "lane"), d.warpsText(g.warps))
	}
	d.printMore(len(groups) - mostWarps)
}

// warpStateName returns running, waiting or ended, or diverged if lanes that can run are on several paths.
func (d *Debugger) warpStateName(w interp.Warp) string {
	s, ok := running(w)
	switch {
	case w.Control().Live() == 0:
		return "ended"
	case !ok:
		return "waiting"
	case s.Mask != w.Control().Live():
		return "diverged"
	}
	return "running"
}

// warpsText returns text such as "b0.w0-3 b1.w0,w2", and the number of further warps if there are many.
func (d *Debugger) warpsText(warps []warpAt) string {
	const most = 8 // blocks
	var b strings.Builder
	blocks := 0
	for i := 0; i < len(warps); blocks++ {
		first := i
		for i < len(warps) && warps[i].cta == warps[first].cta {
			i++
		}
		if blocks == most {
			fmt.Fprintf(&b, " and %d more", len(warps)-first)
			break
		}
		if blocks > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "b%d.w%s", d.blockNumber(warps[first].cta), idRanges(warps[first:i]))
	}
	return b.String()
}

// idRanges returns text such as "0-3,5" for ascending numbers of warps.
func idRanges(warps []warpAt) string {
	var parts []string
	for i := 0; i < len(warps); {
		first := i
		for i++; i < len(warps) && warps[i].id == warps[i-1].id+1; i++ {
		}
		part := strconv.Itoa(warps[first].id)
		if i-first > 1 {
			part += "-" + strconv.Itoa(warps[i-1].id)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}
