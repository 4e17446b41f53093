package check

import "github.com/simtrun/simtrun/internal/lanes"

// accessHistory tells which threads of a CTA have accessed the words of its shared memory since it began. While only
// half warps have accessed a row as a whole, its tags are those of its first word, and those of the others follow.
type accessHistory struct {
	words []historyWord
	rows  []historyRow
	now   uint32 // tags from here on are of accesses since it began
}

// historyRow has the tags of the first word of a row, unless each word has its own: if apart is at least now.
type historyRow struct {
	historyWord
	apart uint32
}

// historyWord has the tag of the latest thread that has written a word, and that of the only one that has read it.
type historyWord struct{ writer, reader uint32 }

// A tag is a multiple of tags that grows with each beginning, plus the number of a thread in the CTA or severalThreads.
const (
	tags           = 1 << 11
	severalThreads = 1 << 10
)

// begin forgets all accesses, given the size of the memory in bytes.
func (t *accessHistory) begin(bytes int) {
	if rows := (bytes + rowBytes - 1) / rowBytes; len(t.rows) < rows {
		t.words, t.rows = make([]historyWord, rows*rowWords), make([]historyRow, rows)
	}
	if t.now += tags; t.now == 0 { // 0 is before all accesses
		clear(t.words)
		clear(t.rows)
		t.now = tags
	}
}

// access adds an access of whole words by lanes of a warp. It returns false, and may have added a part, if another
// thread has accessed one of the words since t began, and one of the two writes it.
func (t *accessHistory) access(a *lanes.Access, m lanes.Mask, warp int, writes bool) bool {
	tag := t.now + uint32(warp*lanes.Width)
	if m == lanes.AllLanes && a.Size == wordBytes && a.Strided && a.Stride == [2]uint64{wordBytes, wordBytes} {
		return t.adjacent(a.Off[0]/wordBytes, tag, writes) && t.adjacent(a.Off[rowWords]/wordBytes, tag+rowWords, writes)
	}
	if a.Size == wordBytes && a.Strided && a.Stride[0] == wordBytes && m <= firstHalf {
		lane := m.First()
		if n := m.Count(); m>>lane == 1<<n-1 {
			return t.span(a.At(lane)/wordBytes, n, tag+uint32(lane), writes)
		}
	}
	for ; m != 0; m &= m - 1 {
		lane := m.First()
		first := a.At(lane) / wordBytes
		for i := range a.Size / wordBytes {
			if !t.word(first+i).access(tag+uint32(lane), t.now, writes) {
				return false
			}
		}
	}
	return true
}

// adjacent adds the accesses of half a warp to adjacent words, the first of them by the thread of a tag.
func (t *accessHistory) adjacent(first uint64, tag uint32, writes bool) bool {
	if row := &t.rows[first/rowWords]; first%rowWords == 0 && row.apart < t.now {
		return row.access(tag, t.now, writes)
	}
	return t.span(first, rowWords, tag, writes)
}

// span adds the accesses of neighbouring lanes to n adjacent words, the first of them by the thread of a tag.
func (t *accessHistory) span(first uint64, n int, tag uint32, writes bool) bool {
	last := first + uint64(n) - 1
	t.word(first)
	t.word(last)
	words := t.words[first : last+1]
	for i := range words {
		if !words[i].access(tag+uint32(i), t.now, writes) {
			return false
		}
	}
	return true
}

// word returns the tags of a word, which are then apart from those of its row.
func (t *accessHistory) word(n uint64) *historyWord {
	if row := &t.rows[n/rowWords]; row.apart < t.now {
		t.separate(row, t.words[n/rowWords*rowWords:][:rowWords])
	}
	return &t.words[n]
}

// separate gives the words of a row their own tags.
func (t *accessHistory) separate(row *historyRow, words []historyWord) {
	row.apart = t.now
	for i := range words {
		words[i] = historyWord{}
		if row.writer >= t.now {
			words[i].writer = row.writer + uint32(i)
		}
		if row.reader == t.now+severalThreads {
			words[i].reader = row.reader
		} else if row.reader >= t.now {
			words[i].reader = row.reader + uint32(i)
		}
	}
}

// access adds the access of a thread to a word. Tags from now on count.
func (w *historyWord) access(tag, now uint32, writes bool) bool {
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
