package memory

import (
	"sync"
	"sync/atomic"
)

// Backup is what global memory held before threads of the host wrote it, as far as
// they have, so that it can be put back. It is by the pages of footprints. No region may be
// allocated or freed meanwhile.
type Backup struct {
	regions []backedUp // by number
	budget  *Budget

	mu     sync.Mutex // guards budget and what follows
	copies []pageCopy
	slabs  [][]byte // memory for copies
	taken  int64    // bytes of the budget

	short atomic.Bool
}

// backedUp is a region that kernels can write; other numbers have none.
type backedUp struct {
	r         *Region
	noteReads bool                          // footprints note what is read
	saved     atomic.Pointer[[]atomic.Bool] // by page; nil if none is
}

// pageCopy is what a page held.
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
		b.regions[i].noteReads = true
	}
}

// Short reports whether more memory was taken than the budget had left: a little, as
// those who write memory cannot stop within an instruction.
func (b *Backup) Short() bool { return b.short.Load() }

// save copies a page of a region, unless that was done before.
func (b *Backup) save(region, page int32) {
	u := &b.regions[region]
	if pages := u.saved.Load(); pages != nil && (*pages)[page].Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	pages := u.saved.Load()
	if pages == nil {
		made := make([]atomic.Bool, pagesOf(u.r))
		pages = &made
		u.saved.Store(pages)
	}
	saved := &(*pages)[page]
	if saved.Load() {
		return
	}
	place := u.r.Data[int(page)*pageBytes:]
	place = place[:min(pageBytes, len(place))]
	slab, at := len(b.copies)/slabPages, len(b.copies)%slabPages*pageBytes
	if slab == len(b.slabs) {
		b.take(slabPages * pageBytes)
		b.slabs = append(b.slabs, make([]byte, slabPages*pageBytes))
	}
	held := b.slabs[slab][at:][:len(place)]
	copy(held, place)
	b.copies = append(b.copies, pageCopy{place, held, saved})
	saved.Store(true)
}

// appendBitmaps appends some without a bit.
func (b *Backup) appendBitmaps(to []*bitmap) []*bitmap {
	const some = 256
	b.mu.Lock()
	b.take(some * pageBytes / wordBytes / 8)
	b.mu.Unlock()
	made := new([some]bitmap)
	for i := range made {
		to = append(to, &made[i])
	}
	return to
}

// Region is the region of that number.
func (b *Backup) Region(number int32) *Region { return b.regions[number].r }

// Alloc is memory for what is to become of a region, as large as that.
func (b *Backup) Alloc(r *Region) []byte {
	b.mu.Lock()
	b.take(int64(len(r.Data)))
	b.mu.Unlock()
	return make([]byte, len(r.Data))
}

// take counts n bytes of the budget.
func (b *Backup) take(n int64) {
	if b.short.Load() || b.budget.Take("a backup", n) != nil {
		b.short.Store(true)
		return
	}
	b.taken += n
}

// Restore makes memory hold what it held.
func (b *Backup) Restore() {
	for _, c := range b.copies {
		copy(c.place, c.held)
	}
}

// Forget makes what memory holds now what Restore puts back.
func (b *Backup) Forget() {
	for _, c := range b.copies {
		c.saved.Store(false)
	}
	b.copies = b.copies[:0]
}

// Close gives back what the backup has taken of the budget.
func (b *Backup) Close() { b.budget.Give(b.taken) }
