package check

import "github.com/simtrun/simtrun/internal/lanes"

// touched tells which threads of a CTA have accessed the words of its shared memory since it began.
type touched struct {
	words []touchedWord
	now   uint32 // tags from here on are of accesses since it began
}

// touchedWord has the tag of the latest thread that has written a word, and that of the only one that has read it.
type touchedWord struct{ writer, reader uint32 }

// A tag is a multiple of tags that grows with each beginning, plus the number of a thread in the CTA or severalThreads.
const (
	tags           = 1 << 11
	severalThreads = 1 << 10
)

// begin forgets all accesses, given the size of the memory in bytes.
func (t *touched) begin(bytes int) {
	if words := (bytes + wordBytes - 1) / wordBytes; len(t.words) < words {
		t.words = make([]touchedWord, words)
	}
	if t.now += tags; t.now == 0 { // 0 is before all accesses
		clear(t.words)
		t.now = tags
	}
}

// access adds an access of whole words by lanes of a warp. It returns false, and may have added a part, if another
// thread has accessed one of the words since t began, and one of the two writes it.
func (t *touched) access(a *lanes.Access, m lanes.Mask, warp int, writes bool) bool {
	tag := t.now + uint32(warp*lanes.Width)
	if m == lanes.AllLanes && a.Size == wordBytes && a.Strided && a.Stride == [2]uint64{wordBytes, wordBytes} {
		const half = lanes.Width / 2
		return t.adjacent(a.Off[0]/wordBytes, tag, writes) && t.adjacent(a.Off[half]/wordBytes, tag+half, writes)
	}
	for ; m != 0; m &= m - 1 {
		lane := m.First()
		first := a.At(lane) / wordBytes
		for i := range a.Size / wordBytes {
			if !t.words[first+i].access(tag+uint32(lane), t.now, writes) {
				return false
			}
		}
	}
	return true
}

// adjacent adds the accesses of half a warp to adjacent words, the first of them by the thread of a tag.
func (t *touched) adjacent(first uint64, tag uint32, writes bool) bool {
	words := t.words[first:][:lanes.Width/2]
	for i := range words {
		if !words[i].access(tag+uint32(i), t.now, writes) {
			return false
		}
	}
	return true
}

// access adds the access of a thread to a word. Tags from now on count.
func (w *touchedWord) access(tag, now uint32, writes bool) bool {
	switch {
	case w.writer >= now && w.writer != tag:
		return false
	case writes:
		w.writer = tag
		return w.reader < now || w.reader == tag
	case w.reader < now:
		w.reader = tag
	case w.reader != tag:
		w.reader = now + severalThreads
	}
	return true
}
