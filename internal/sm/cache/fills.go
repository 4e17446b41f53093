package cache

import "github.com/simtrun/simtrun/internal/splitmix"

// fills are the sectors that device memory has yet to deliver to L2, by line. L2 has allocated them, but a request
// for one cannot be answered before it is there.
//
// The table is open-addressed, with linear probing. A line stays in it after its sectors have arrived, until the
// table is three quarters full: then lines whose sectors have all arrived are removed.
type fills struct {
	fillTable
	spare fillTable // of the same size or empty, for the next sweep
	last  int64     // cycle in which the last sector under way arrives
}

// fillTable is a table of lines, and of the cycles in which each of their sectors arrives.
type fillTable struct {
	lines []uint64 // line+1; 0 is free
	ready [][lineSectors]int64
	n     int // lines in the table
}

// fillsAtFirst is how many places the table begins with: a power of two.
const fillsAtFirst = 1 << 10

func newFills(places int) fills { return fills{fillTable: newFillTable(places)} }

func newFillTable(places int) fillTable {
	return fillTable{lines: make([]uint64, places), ready: make([][lineSectors]int64, places)}
}

// clear forgets all fills.
func (f *fills) clear() {
	clear(f.lines)
	f.n, f.last = 0, 0
}

// after returns which of a line's sectors arrive after a cycle, and when the last of these does.
func (f *fills) after(line uint64, sectors uint8, cycle int64) (pending uint8, ready int64) {
	if cycle >= f.last {
		return 0, 0
	}
	i := f.place(line)
	if f.lines[i] == 0 {
		return 0, 0
	}
	for s, at := range f.ready[i] {
		if bit := uint8(1) << s; sectors&bit != 0 && at > cycle {
			pending |= bit
			ready = max(ready, at)
		}
	}
	return pending, ready
}

// add notes that sectors of a line arrive at ready. Now is the present cycle.
func (f *fills) add(line uint64, sectors uint8, ready, now int64) {
	if f.n*4 >= len(f.lines)*3 {
		f.sweep(now)
	}
	i := f.place(line)
	if f.lines[i] == 0 {
		f.lines[i], f.ready[i] = line+1, [lineSectors]int64{}
		f.n++
	}
	for s := range f.ready[i] {
		if sectors>>s&1 != 0 {
			f.ready[i][s] = ready
		}
	}
	f.last = max(f.last, ready)
}

// sweep removes the lines whose sectors have arrived by now, and doubles the table if half of it is still in use.
func (f *fills) sweep(now int64) {
	kept := 0
	for i := range f.lines {
		if f.underWay(i, now) {
			kept++
		}
	}
	places := len(f.lines)
	if kept*2 >= places {
		places *= 2
	}
	if old := &f.spare; len(old.lines) == places {
		clear(old.lines)
	} else {
		f.spare = newFillTable(places)
	}
	f.fillTable, f.spare = f.spare, f.fillTable
	f.n = kept
	for i, line := range f.spare.lines {
		if f.spare.underWay(i, now) {
			at := f.place(line - 1)
			f.lines[at], f.ready[at] = line, f.spare.ready[i]
		}
	}
}

// place returns the index of a line in the table, or of the free place where it belongs.
func (t *fillTable) place(line uint64) int {
	last := len(t.lines) - 1
	i := int(splitmix.Mix(line)) & last
	for t.lines[i] != 0 && t.lines[i] != line+1 {
		i = (i + 1) & last
	}
	return i
}

// underWay reports whether a sector of the line at a place arrives after now.
func (t *fillTable) underWay(place int, now int64) bool {
	r := &t.ready[place]
	return t.lines[place] != 0 && max(r[0], r[1], r[2], r[3]) > now
}
