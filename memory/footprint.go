package memory

import "github.com/simtrun/simtrun/lanes"

// Footprint is which words of global memory were read and written: a bit for each, in
// pages. Of what is read it notes the words in those regions alone of which its Backup says
// so, and of others that they are read. A Footprint is for one thread of the host.
type Footprint struct {
	// Mixed is the number of a region that is written, and of whose words it is not noted
	// which are read, although some are; -1 if there is none.
	Mixed   int32
	backup  *Backup
	regions []use     // by number
	spare   []*bitmap // without a bit
}

// use is what was read and written of a region.
type use struct {
	written, read marks
	loaded        bool // read, without a note of where
}

// marks is words of a region.
type marks struct {
	f      *Footprint
	region int32
	writes bool      // what is overwritten has to be saved
	pages  []*bitmap // nil where no word is marked
	used   []int32   // those that are not nil
}

// bitmap is the words of a page. It fills a line of the host's caches.
type bitmap [pageWords / 64]uint64

const (
	wordBytes = 4
	pageBytes = 2 << 10
	pageWords = pageBytes / wordBytes
)

// pagesOf is how many pages a region has.
func pagesOf(r *Region) int { return (len(r.Data) + pageBytes - 1) / pageBytes }

// NewFootprint is an empty footprint in memory that b backs up.
func NewFootprint(b *Backup) *Footprint {
	f := &Footprint{Mixed: -1, backup: b, regions: make([]use, len(b.regions))}
	for i := range f.regions {
		f.regions[i].read = marks{f: f, region: int32(i)}
		f.regions[i].written = marks{f: f, region: int32(i), writes: true}
	}
	return f
}

// Read notes that the lanes of m are going to read.
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

// Write notes that the lanes of m are going to write, and has what they overwrite backed
// up.
func (f *Footprint) Write(a *lanes.Access, m lanes.Mask) { f.regions[a.Region].written.mark(a, m) }

func (f *Footprint) findMixed(region int32) {
	if u := &f.regions[region]; u.loaded && len(u.written.used) > 0 {
		f.Mixed = region
	}
}

// mark marks the words where the lanes of m go.
func (t *marks) mark(a *lanes.Access, m lanes.Mask) {
	switch {
	case !a.Strided:
		t.eachLane(a, m)
	case a.Size == wordBytes && a.Contiguous(): // as a rule
		t.row(a.Off[0]/wordBytes, uint64(m))
	default:
		t.markHalf(a, 0, m&(1<<half-1))
		t.markHalf(a, half, m>>half<<half)
	}
}

// markHalf is mark for lanes of the half of the warp that begins at lane first, where the
// access is Strided.
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

// span marks the words of n bytes, 1 at least.
func (t *marks) span(off, n uint64) {
	const most = lanes.Width
	w, end := off/wordBytes, (off+n-1)/wordBytes+1
	for ; end-w > most; w += most {
		t.row(w, 1<<most-1)
	}
	t.row(w, 1<<(end-w)-1)
}

// row marks words that bits has, up to 32 from word w on.
func (t *marks) row(w, bits uint64) {
	page, first := w/pageWords, w%pageWords
	if first > pageWords-lanes.Width {
		here := pageWords - first
		if rest := bits >> here; rest != 0 {
			t.row(w+here, rest)
		}
		if bits &= 1<<here - 1; bits == 0 {
			return
		}
	}
	b := t.page(page)
	if b == nil {
		b = t.add(int32(page))
	}
	i, shift := first/64, first%64
	b[i] |= bits << shift
	if high := bits >> (64 - shift); high != 0 {
		b[i+1] |= high
	}
}

// page is the bits of a page, or nil.
func (t *marks) page(n uint64) *bitmap {
	if n < uint64(len(t.pages)) {
		return t.pages[n]
	}
	return nil
}

// add adds a page without a bit.
func (t *marks) add(page int32) *bitmap {
	f := t.f
	if t.pages == nil {
		t.pages = make([]*bitmap, pagesOf(f.backup.regions[t.region].r))
	}
	if len(f.spare) == 0 {
		f.spare = f.backup.appendBitmaps(f.spare)
	}
	last := len(f.spare) - 1
	b := f.spare[last]
	f.spare = f.spare[:last]
	t.pages[page], t.used = b, append(t.used, page)
	if t.writes {
		f.backup.save(t.region, page)
		f.findMixed(t.region)
	}
	return b
}

// Clear empties f.
func (f *Footprint) Clear() {
	f.Mixed = -1
	for i := range f.regions {
		u := &f.regions[i]
		u.loaded = false
		u.written.clear()
		u.read.clear()
	}
}

func (t *marks) clear() {
	for _, page := range t.used {
		b := t.pages[page]
		*b = bitmap{}
		t.f.spare, t.pages[page] = append(t.f.spare, b), nil
	}
	t.used = t.used[:0]
}

// Conflict is whether two footprints have a word in common which one of them writes.
type Conflict uint8

const (
	Disjoint Conflict = iota
	Common            // they have
	Unknown           // that is not known, as a footprint that is the sum of both would be Mixed
)

// Touches reports whether anything of a region is read or written.
func (f *Footprint) Touches(region int32) bool {
	u := &f.regions[region]
	return u.loaded || len(u.written.used) > 0 || len(u.read.used) > 0
}

// Meets is whether f and g conflict. If that is not known, f.Mixed is the region.
func (f *Footprint) Meets(g *Footprint) Conflict {
	for i := range f.regions {
		u, v := &f.regions[i], &g.regions[i]
		written := len(u.written.used) > 0 || len(v.written.used) > 0
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

// meets reports whether a word is in both.
func (t *marks) meets(o *marks) bool {
	for _, page := range o.used {
		a, b := t.page(uint64(page)), o.pages[page]
		if a == nil {
			continue
		}
		for i := range a {
			if a[i]&b[i] != 0 {
				return true
			}
		}
	}
	return false
}

// Add adds what g has, which stays what it is.
func (f *Footprint) Add(g *Footprint) {
	for i := range f.regions {
		u, v := &f.regions[i], &g.regions[i]
		u.loaded = u.loaded || v.loaded
		u.written.addAll(&v.written)
		u.read.addAll(&v.read)
		f.findMixed(int32(i))
	}
}

func (t *marks) addAll(o *marks) {
	for _, page := range o.used {
		b := t.page(uint64(page))
		if b == nil {
			b = t.add(page)
		}
		for i, bits := range o.pages[page] {
			b[i] |= bits
		}
	}
}
