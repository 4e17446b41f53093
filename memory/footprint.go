package memory

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Footprint records which words of global memory were read and written: a byte for each, in pages. It records the
// words that are read only for regions of its Backup with NoteReads; for others only that they are read. A Footprint
// is for one thread of the host.
type Footprint struct {
	// Mixed is the number of a region that is written, and also read without a record of the words; -1 if there is none.
	Mixed   int32
	backup  *Backup
	regions []use   // by number
	spare   []*Page // without marks
	saved   saved   // old contents of pages that f was the first to write
}

// use is the recorded accesses to a region.
type use struct {
	written, read marks
	loaded        bool // read, without a record of the words
	unseen        bool // it may be read without a call of Footprint.Read
}

// marks is a set of words of a region.
type marks struct {
	f      *Footprint
	region int32
	writes bool    // old contents must be saved
	pages  []*Page // nil where no word is marked
	used   []int32 // those that are not nil, and not lent
	lent   []int32 // those that belong to another footprint; see Join
	isLent []bool  // by page; nil if none ever was
}

// Page covers PageBytes of a region, a byte for each word: Marked or 0. A row of marked words that begins in the page
// may continue in the up to PageOverhang words after it, which are the first ones of the next page.
type Page [pageWords + PageOverhang]byte

const (
	wordBytes = 4
	PageBytes = 2 << 10
	pageWords = PageBytes / wordBytes

	PageOverhang = 64   // words
	Marked       = 0xff // in a Page
)

// pagesOf returns how many pages a region has.
func pagesOf(r *Region) int { return (len(r.Data) + PageBytes - 1) / PageBytes }

// NewFootprint returns an empty footprint of memory that b backs up.
func NewFootprint(b *Backup) *Footprint {
	f := &Footprint{Mixed: -1, backup: b, regions: make([]use, len(b.regions))}
	for i := range f.regions {
		f.regions[i].read = marks{f: f, region: int32(i)}
		f.regions[i].written = marks{f: f, region: int32(i), writes: true}
	}
	b.mu.Lock()
	b.footprints = append(b.footprints, f)
	b.mu.Unlock()
	return f
}

// Read records that the lanes of m will read.
func (f *Footprint) Read(a *lanes.Access, m lanes.Mask) {
	u := &f.regions[a.Region]
	switch {
	case f.backup.regions[a.Region].noteReads:
		u.read.mark(a, m)
	case !u.loaded:
		u.loaded = true
		f.findMixed(a.Region)
	}
}

// Write records that the lanes of m will write, and saves the old contents.
func (f *Footprint) Write(a *lanes.Access, m lanes.Mask) { f.regions[a.Region].written.mark(a, m) }

func (f *Footprint) findMixed(region int32) {
	if u := &f.regions[region]; u.loaded && u.written.some() {
		f.Mixed = region
	}
}

// some reports whether words are marked.
func (t *marks) some() bool { return len(t.used)+len(t.lent) > 0 }

// mark marks the words that the lanes of m access.
func (t *marks) mark(a *lanes.Access, m lanes.Mask) {
	switch {
	case !a.Strided:
		t.eachLane(a, m)
	case a.Size == wordBytes && a.Contiguous(): // the usual case
		t.row(a.Off[0]/wordBytes, uint64(m))
	default:
		t.markHalf(a, 0, m&(1<<half-1))
		t.markHalf(a, half, m>>half<<half)
	}
}

// markHalf is mark for lanes of the half of the warp that begins at lane first, if the access is Strided.
func (t *marks) markHalf(a *lanes.Access, first int, m lanes.Mask) {
	off := a.Off[first]
	switch some := m >> first; {
	case some == 0:
	case a.Stride[first/half] == 0:
		t.span(off, a.Size)
	case a.Size == wordBytes:
		t.row(off/wordBytes, uint64(some))
	case some == 1<<half-1:
		t.span(off, half*a.Size)
	default:
		t.eachLane(a, m)
	}
}

// eachLane is mark for any access.
func (t *marks) eachLane(a *lanes.Access, m lanes.Mask) {
	for ; m != 0; m &= m - 1 {
		t.span(a.At(firstLane(m)), a.Size)
	}
}

// span marks the words of n bytes, at least one.
func (t *marks) span(off, n uint64) {
	const most = lanes.Width
	w, end := off/wordBytes, (off+n-1)/wordBytes+1
	for ; end-w > most; w += most {
		t.row(w, 1<<most-1)
	}
	t.row(w, 1<<(end-w)-1)
}

// row marks the words of the bits, up to 32 from word w on.
func (t *marks) row(w, bits uint64) {
	page, first := w/pageWords, w%pageWords
	b := t.page(page)
	if b == nil {
		b = t.add(int32(page))
	}
	to := (*[lanes.Width]byte)(b[first:])
	if bits == 1<<lanes.Width-1 {
		*to = markedRow
		return
	}
	for i := 0; bits != 0; i, bits = i+4, bits>>4 {
		four := to[i : i+4]
		binary.LittleEndian.PutUint32(four, binary.LittleEndian.Uint32(four)|markedOf[bits&15])
	}
}

// markedRow has the bytes of 32 marked words; markedOf has the bytes of four words, by the bits of those that are
// marked.
var (
	markedRow = func() (row [lanes.Width]byte) {
		for i := range row {
			row[i] = Marked
		}
		return row
	}()
	markedOf = func() (of [16]uint32) {
		for bits := range of {
			for i := range 4 {
				of[bits] |= Marked * uint32(bits>>i&1) << (8 * i)
			}
		}
		return of
	}()
)

// page returns the marks of a page, or nil.
func (t *marks) page(n uint64) *Page {
	if n < uint64(len(t.pages)) {
		return t.pages[n]
	}
	return nil
}

// add adds a page without marks. If required, it saves the page's contents and those of the next page.
func (t *marks) add(page int32) *Page {
	f := t.f
	t.makeTable()
	if len(f.spare) == 0 {
		f.spare = f.backup.appendPages(f.spare)
	}
	last := len(f.spare) - 1
	b := f.spare[last]
	f.spare = f.spare[:last]
	t.pages[page], t.used = b, append(t.used, page)
	if t.writes {
		f.save(t.region, page)
		if int(page)+1 < len(t.pages) {
			f.save(t.region, page+1)
		}
		f.findMixed(t.region)
	}
	return b
}

// makeTable allocates the table of pages.
func (t *marks) makeTable() {
	if t.pages == nil {
		t.pages = make([]*Page, pagesOf(t.f.backup.regions[t.region].r))
	}
}

// carry moves marks of words after a page to the pages of these words.
func (t *marks) carry() {
	for i := 0; i < len(t.used); i++ { // add appends
		page := t.used[i]
		behind := (*[PageOverhang]byte)(t.pages[page][pageWords:])
		if *behind == [PageOverhang]byte{} {
			continue
		}
		b := t.page(uint64(page) + 1)
		if b == nil {
			b = t.add(page + 1)
		}
		for j := 0; j < PageOverhang; j += 8 {
			or(b[j:j+8], behind[j:])
		}
		*behind = [PageOverhang]byte{}
	}
}

func or(to, b []byte) {
	binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)|binary.LittleEndian.Uint64(b))
}

// Notes returns the pages in which the caller itself records reads, or writes, of a region, by number; it must call
// NeedsPage first if a page is missing. If reads of the region are not recorded there are no pages: f then counts as
// reading it from now on, even after Clear. Marks after a page are carried to the next one when the footprint is
// compared with others.
func (f *Footprint) Notes(region int32, write bool) []*Page {
	u := &f.regions[region]
	switch {
	case write:
		u.written.makeTable()
		return u.written.pages
	case f.backup.regions[region].noteReads:
		u.read.makeTable()
		return u.read.pages
	}
	u.unseen = true
	if !u.loaded {
		u.loaded = true
		f.findMixed(region)
	}
	return nil
}

// NeedsPage adds the page with a byte of a region to Notes, and saves the page's contents if it will be written.
func (f *Footprint) NeedsPage(region int32, write bool, off uint64) {
	t := &f.regions[region].read
	if write {
		t = &f.regions[region].written
	}
	if page := off / PageBytes; t.page(page) == nil {
		t.add(int32(page))
	}
}

// Clear empties f.
func (f *Footprint) Clear() {
	f.Mixed = -1
	for i := range f.regions {
		u := &f.regions[i]
		u.loaded = u.unseen
		u.written.clear()
		u.read.clear()
	}
}

func (t *marks) clear() {
	for _, page := range t.lent {
		if t.isLent[page] {
			t.pages[page], t.isLent[page] = nil, false
		}
	}
	t.lent = t.lent[:0]
	for _, page := range t.used {
		b := t.pages[page]
		*b = Page{}
		t.f.spare, t.pages[page] = append(t.f.spare, b), nil
	}
	t.used = t.used[:0]
}

// Conflict says whether two footprints have a word in common that one of them writes.
type Conflict uint8

const (
	Disjoint Conflict = iota
	Common            // they have
	Unknown           // unknown, because the sum of both footprints would be Mixed
)

// Touches reports whether any part of a region is read or written.
func (f *Footprint) Touches(region int32) bool {
	u := &f.regions[region]
	return u.loaded || u.written.some() || u.read.some()
}

// Meets reports whether f and g conflict. If that is unknown, f.Mixed is the region. g must not have joined pages.
func (f *Footprint) Meets(g *Footprint) Conflict {
	f.carry()
	g.carry()
	for i := range f.regions {
		u, v := &f.regions[i], &g.regions[i]
		written := u.written.some() || v.written.some()
		if written && (u.loaded || v.loaded) {
			f.Mixed = int32(i)
			return Unknown
		}
		if u.written.meets(&v.written) || u.written.meets(&v.read) || u.read.meets(&v.written) {
			return Common
		}
	}
	return Disjoint
}

// meets reports whether the sets have a word in common.
func (t *marks) meets(o *marks) bool {
	for _, page := range o.used {
		a, b := t.page(uint64(page)), o.pages[page]
		if a == nil {
			continue
		}
		for i := 0; i < pageWords; i += 8 {
			if binary.LittleEndian.Uint64(a[i:i+8])&binary.LittleEndian.Uint64(b[i:i+8]) != 0 {
				return true
			}
		}
	}
	return false
}

// carry is marks.carry for all regions.
func (f *Footprint) carry() {
	for i := range f.regions {
		f.regions[i].written.carry()
		f.regions[i].read.carry()
	}
}

// Add adds the accesses of g, which stays unchanged.
func (f *Footprint) Add(g *Footprint) {
	g.carry()
	for i := range f.regions {
		u, v := &f.regions[i], &g.regions[i]
		u.loaded = u.loaded || v.loaded
		u.written.addAll(&v.written)
		u.read.addAll(&v.read)
		f.findMixed(int32(i))
	}
}

// Join is Add that uses pages of g instead of copies, if no other footprint has words in them. g must not change
// before f is cleared.
func (f *Footprint) Join(g *Footprint) {
	g.carry()
	for i := range f.regions {
		u, v := &f.regions[i], &g.regions[i]
		u.loaded = u.loaded || v.loaded
		u.written.join(&v.written)
		u.read.join(&v.read)
		f.findMixed(int32(i))
	}
}

func (t *marks) addAll(o *marks) {
	for _, page := range o.used {
		b := t.page(uint64(page))
		if b == nil {
			b = t.add(page)
		}
		b.add(o.pages[page])
	}
}

func (t *marks) join(o *marks) {
	if len(o.used) == 0 {
		return
	}
	t.makeTable()
	if t.isLent == nil {
		t.isLent = make([]bool, len(t.pages))
	}
	for _, page := range o.used {
		from, b := o.pages[page], t.pages[page]
		switch {
		case b == nil:
			t.pages[page], t.isLent[page], t.lent = from, true, append(t.lent, page)
			continue
		case t.isLent[page]: // already in lent
			t.isLent[page] = false
			own := t.add(page)
			own.add(b)
			b = own
		}
		b.add(from)
	}
}

// add marks the words that are marked in o.
func (b *Page) add(o *Page) {
	for i := 0; i < pageWords; i += 8 {
		or(b[i:i+8], o[i:i+8])
	}
}
