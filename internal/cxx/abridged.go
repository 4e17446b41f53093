package cxx

import "strings"

// text is a part of a name: characters, and between them lists of template arguments.
type text []piece

// piece is characters, or a list.
type piece struct {
	characters string
	list       *arguments
}

// arguments are the arguments of a template, without brackets. The first shown of them are written, the others are "…".
type arguments struct {
	all   []text
	shown int
}

// abridged returns a name with as many template arguments as fit into longest bytes, outer ones before those that are
// nested in them; the others are "…". Characters outside of template arguments are never left out.
func abridged(name string, longest int) string {
	if len(name) <= longest {
		return name
	}
	whole, ok := parsed(name)
	if !ok {
		return name
	}
	room := longest - whole.size()
	for lists := whole.lists(nil); len(lists) > 0; lists = lists[1:] {
		for _, arg := range lists[0].all {
			if room -= len(", ") + arg.size(); room < 0 {
				break
			}
			lists[0].shown++
			lists = arg.lists(lists)
		}
		if room < 0 {
			break
		}
	}
	var b strings.Builder
	whole.write(&b)
	return b.String()
}

// parsed returns the template arguments of a name; false if it has other signs that look like brackets.
func parsed(name string) (whole text, ok bool) {
	open := []*text{&whole} // of the innermost argument, and those around it
	inside := []*arguments{}
	from, round := 0, 0 // round brackets that are open in the innermost argument
	flush := func(to int) {
		if at := open[len(open)-1]; from < to {
			*at = append(*at, piece{characters: name[from:to]})
		}
		from = to
	}
	var outer []int // round of those around
	for i := range len(name) {
		switch c := name[i]; {
		case c == '(' || c == '{':
			round++
		case c == ')' || c == '}':
			round--
		case c == '<' && opens(name[:i]):
			flush(i)
			list := &arguments{all: make([]text, 1)}
			at := open[len(open)-1]
			*at = append(*at, piece{list: list})
			open, inside, outer = append(open, &list.all[0]), append(inside, list), append(outer, round)
			from, round = i+1, 0
		case c == '>' && len(inside) > 0 && round == 0 && name[i-1] != '-':
			flush(i)
			last := len(inside) - 1
			open, inside, round, outer = open[:last+1], inside[:last], outer[last], outer[:last]
			from = i + 1
		case c == ',' && len(inside) > 0 && round == 0:
			flush(i)
			list := inside[len(inside)-1]
			list.all = append(list.all, nil)
			open[len(open)-1] = &list.all[len(list.all)-1]
			from = i + 1
			if strings.HasPrefix(name[from:], " ") {
				from++
			}
		}
	}
	flush(len(name))
	return whole, len(inside) == 0
}

// size is the number of bytes of a text whose lists show nothing.
func (t text) size() (n int) {
	for _, p := range t {
		if n += len(p.characters); p.list != nil {
			n += len("<…>")
		}
	}
	return n
}

// lists appends the lists of a text, without those in them.
func (t text) lists(all []*arguments) []*arguments {
	for _, p := range t {
		if p.list != nil {
			all = append(all, p.list)
		}
	}
	return all
}

func (t text) write(b *strings.Builder) {
	for _, p := range t {
		b.WriteString(p.characters)
		if p.list == nil {
			continue
		}
		b.WriteByte('<')
		for i := range p.list.shown {
			if i > 0 {
				b.WriteString(", ")
			}
			p.list.all[i].write(b)
		}
		switch {
		case p.list.shown == len(p.list.all):
		case p.list.shown > 0:
			b.WriteString(", …")
		default:
			b.WriteString("…")
		}
		b.WriteByte('>')
	}
}

// opens reports whether template arguments may follow what is before a "<": a name other than "operator".
func opens(before string) bool {
	before = strings.TrimSuffix(before, " ")
	if before == "" || strings.HasSuffix(before, "operator") {
		return false
	}
	c := before[len(before)-1]
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
