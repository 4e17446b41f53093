package memory

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Backup is what global memory held before threads of the host wrote it, as far as
// they have, so that it can be put back. It is by the pages of footprints. No region may be
// allocated or freed meanwhile.
type Backup struct {
	regions []backedUp // by number
	budget  *Budget

	saving [64]sync.Mutex // by page: of those who copy it

	mu         sync.Mutex // guards budget and what follows
	footprints []*Footprint
	taken      int64 // bytes of the budget

	short atomic.Bool
}

// backedUp is a region that kernels can write; other numbers have none.
type backedUp struct {
	r         *Region
	noteReads bool                          // footprints note what is read
	saved     atomic.Pointer[[]atomic.Bool] // by page; nil if none is
}

// saved is copies of pages, which one thread has made.
type saved struct {
	copies []pageCopy
	slabs  [][]byte // memory for copies
	free   []byte   // of the slab before next
	next   int      // index of the slab that is used next
}

// pageCopy is what a page held; held is nil for one of zeros.
type pageCopy struct {
	place, held []byte
	saved       *atomic.Bool // of the page
}

// slabPages is for how many pages memory is taken of the host at a time.
const slabPages = 128

// NewBackup is for what g holds now.
func NewBackup(g *Global) *Backup {
	b := &Backup{regions: make([]backedUp, g.numbered), budget: g.budget}
	for _, r := range g.regions {
		if !r.ReadOnly {
			b.regions[r.Number].r = r
		}
	}
	return b
}

// NoteReads has footprints note what is read of a region.
func (b *Backup) NoteReads(region int32) { b.regions[region].noteReads = true }

// NoteAllReads is NoteReads for every region.
func (b *Backup) NoteAllReads() {
	for i := range b.regions {
		b.regions[i].noteReads = b.regions[i].r != nil // nobody writes the others
	}
}

// Short reports whether more memory was taken than the budget had left: a little, as
// those who write memory cannot stop within an instruction.
func (b *Backup) Short() bool { return b.short.Load() }

// save copies a page of a region, unless that was done before. Whoever writes the page has it saved
// first: so nobody does while it is copied.
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

// zeros is what most pages hold before they are written: buffers for results.
var zeros [PageBytes]byte

// room is memory for the copy of a page.
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

// appendPages appends some without a mark.
func (b *Backup) appendPages(to []*Page) []*Page {
	const some = 64
	b.take(some * int64(len(Page{})))
	made := new([some]Page)
	for i := range made {
		to = append(to, &made[i])
	}
	return to
}

// Region is the region of that number.
func (b *Backup) Region(number int32) *Region { return b.regions[number].r }

// Alloc is memory for what is to become of a region, as large as that.
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

// Restore makes memory hold what it held. No thread writes meanwhile.
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

// Forget makes what memory holds now what Restore puts back. No thread writes meanwhile.
func (b *Backup) Forget() {
	for _, f := range b.footprints {
		for _, c := range f.saved.copies {
			c.saved.Store(false)
		}
		f.saved.copies, f.saved.free, f.saved.next = f.saved.copies[:0], nil, 0
	}
}

// Close gives back what the backup has taken of the budget.
func (b *Backup) Close() { b.budget.Give(b.taken) }
