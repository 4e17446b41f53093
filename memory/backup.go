package memory

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Backup holds the contents of global memory before host threads wrote it, page by page as they wrote, so that it can
// be restored. Pages are those of footprints. No region may be allocated or freed meanwhile.
type Backup struct {
	regions []backedUp // by number
	budget  *Budget

	saving [64]sync.Mutex // by page: held while the page is copied

	mu         sync.Mutex // guards budget and the following fields
	footprints []*Footprint
	taken      int64 // bytes taken from the budget

	short atomic.Bool
}

// backedUp is a region that kernels can write; region is nil for other numbers.
type backedUp struct {
	r         *Region
	noteReads bool                          // footprints record reads
	saved     atomic.Pointer[[]atomic.Bool] // by page; nil if none is
}

// saved holds copies of pages made by one thread.
type saved struct {
	copies []pageCopy
	slabs  [][]byte // memory for copies
	free   []byte   // unused part of the slab before next
	next   int      // index of the next slab
}

// pageCopy is the old contents of a page; held is nil for a page of zeros.
type pageCopy struct {
	place, held []byte
	saved       *atomic.Bool // of the page
}

// slabPages is the number of pages for which memory is allocated at a time.
const slabPages = 128

// NewBackup makes a backup of the present contents of g.
func NewBackup(g *Global) *Backup {
	b := &Backup{regions: make([]backedUp, g.numbered), budget: g.budget}
	for _, r := range g.regions {
		if !r.ReadOnly {
			b.regions[r.Number].r = r
		}
	}
	return b
}

// NoteReads makes footprints record reads of a region.
func (b *Backup) NoteReads(region int32) { b.regions[region].noteReads = true }

// NoteAllReads is NoteReads for every region.
func (b *Backup) NoteAllReads() {
	for i := range b.regions {
		b.regions[i].noteReads = b.regions[i].r != nil // no kernel writes the others
	}
}

// Short reports whether more memory was taken than the budget had left: slightly more, because threads that write
// memory cannot stop within an instruction.
func (b *Backup) Short() bool { return b.short.Load() }

// save copies a page of a region, unless that was done before. Every thread saves a page before it writes it, so that
// it does not change while it is copied.
func (f *Footprint) save(region, page int32) {
	b := f.backup
	u := &b.regions[region]
	pages := u.saved.Load()
	if pages == nil {
		made := make([]atomic.Bool, pagesOf(u.r))
		u.saved.CompareAndSwap(nil, &made)
		pages = u.saved.Load()
	}
	saved := &(*pages)[page]
	if saved.Load() {
		return
	}
	mu := &b.saving[int(page)%len(b.saving)]
	mu.Lock()
	defer mu.Unlock()
	if saved.Load() {
		return
	}
	place := u.r.Data[int(page)*PageBytes:]
	place = place[:min(PageBytes, len(place))]
	var held []byte
	if !bytes.Equal(place, zeros[:len(place)]) {
		held = f.saved.room(b)[:len(place)]
		copy(held, place)
	}
	f.saved.copies = append(f.saved.copies, pageCopy{place, held, saved})
	saved.Store(true)
}

// zeros is the old contents of most pages: those of buffers for results.
var zeros [PageBytes]byte

// room returns memory for the copy of a page.
func (s *saved) room(b *Backup) []byte {
	if len(s.free) == 0 {
		if s.next == len(s.slabs) {
			b.take(slabPages * PageBytes)
			s.slabs = append(s.slabs, make([]byte, slabPages*PageBytes))
		}
		s.free = s.slabs[s.next]
		s.next++
	}
	at := s.free[:PageBytes]
	s.free = s.free[PageBytes:]
	return at
}

// appendPages appends some pages without marks.
func (b *Backup) appendPages(to []*Page) []*Page {
	const some = 64
	b.take(some * int64(len(Page{})))
	made := new([some]Page)
	for i := range made {
		to = append(to, &made[i])
	}
	return to
}

// Region returns the region with a number.
func (b *Backup) Region(number int32) *Region { return b.regions[number].r }

// Alloc returns memory of the size of a region, for its new contents.
func (b *Backup) Alloc(r *Region) []byte {
	b.take(int64(len(r.Data)))
	return make([]byte, len(r.Data))
}

// take counts n bytes of the budget. Any thread may call it.
func (b *Backup) take(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.short.Load() || b.budget.Take("a backup", n) != nil {
		b.short.Store(true)
		return
	}
	b.taken += n
}

// Restore restores the contents of memory. No thread may write meanwhile.
func (b *Backup) Restore() {
	for _, f := range b.footprints {
		for _, c := range f.saved.copies {
			if c.held == nil {
				clear(c.place)
			} else {
				copy(c.place, c.held)
			}
		}
	}
}

// Forget makes the present contents of memory those that Restore restores. No thread may write meanwhile.
func (b *Backup) Forget() {
	for _, f := range b.footprints {
		for _, c := range f.saved.copies {
			c.saved.Store(false)
		}
		f.saved.copies, f.saved.free, f.saved.next = f.saved.copies[:0], nil, 0
	}
}

// Close returns the bytes that the backup has taken to the budget.
func (b *Backup) Close() { b.budget.Give(b.taken) }
