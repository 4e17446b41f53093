package memory_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/memory"
)

// shared returns a region with the content of new memory, which the host shares. The last word has only two bytes.
func shared(pages int) *memory.Region {
	r := &memory.Region{Data: bytes.Repeat(memory.Fresh(), pages)[:pages*memory.FreshBytes-2]}
	r.SetUnwritten()
	r.ShareWithHost(memory.Fresh())
	return r
}

// unwrittenAt returns the offsets of unwritten bytes among those of a range.
func unwrittenAt(r *memory.Region, first, end int) (at []int) {
	r.SeeHost(uint64(first), uint64(end-first))
	for i := first; i < end; i++ {
		if r.Unwritten[i] != 0 {
			at = append(at, i)
		}
	}
	return at
}

// TestHostWritesDefineWholeWords: a write of one byte makes its word of four bytes written, and no other.
func TestHostWritesDefineWholeWords(t *testing.T) {
	r := shared(3)
	last := len(r.Data)
	r.Data[5]++
	r.Data[last-1] = 0
	if diff := cmp.Diff([]int{0, 1, 2, 3, 8, 9, 10, 11}, unwrittenAt(r, 0, 12)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{last - 4, last - 3}, unwrittenAt(r, last-4, last)); diff != "" {
		t.Error(diff)
	}
	if !r.IsUnwritten(4096, 4096) || r.IsUnwritten(4, 1) {
		t.Error("another page is written, or the byte is not")
	}
}

// TestBytesOfOneValueAreWritten: memory that the host fills with one byte, even with that of unwritten memory, or by
// small numbers in a byte of each word, is written.
func TestBytesOfOneValueAreWritten(t *testing.T) {
	for value := range 256 {
		r := shared(2)
		copy(r.Data, bytes.Repeat([]byte{byte(value)}, len(r.Data)))
		if at := unwrittenAt(r, 0, len(r.Data)); at != nil {
			t.Errorf("%d: unwritten at %v", value, at)
		}
		if value >= 0x80 && value != 0xff {
			continue
		}
		r = shared(2)
		for i := 0; i < len(r.Data)-2; i += 4 {
			r.Data[i+i/4%4] = byte(value)
		}
		if at := unwrittenAt(r, 0, len(r.Data)-2); at != nil {
			t.Errorf("%d in a byte of each word: unwritten at %v", value, at)
		}
	}
}

// TestUndefinedStoresAreComparedAfterLaunch: words with undefined values are written once the host changes what the
// launch has left there, and not by the launch itself.
func TestUndefinedStoresAreComparedAfterLaunch(t *testing.T) {
	r := shared(1)
	r.StoresUndefined(8, 8)
	r.Data[8], r.Data[12] = 1, 2
	if at := unwrittenAt(r, 8, 16); len(at) != 8 {
		t.Error("during the launch only these are unwritten:", at)
	}
	r.KeepStored()
	if at := unwrittenAt(r, 8, 16); len(at) != 8 {
		t.Error("after the launch only these are unwritten:", at)
	}
	r.Data[12] = 3
	if diff := cmp.Diff([]int{8, 9, 10, 11}, unwrittenAt(r, 8, 16)); diff != "" {
		t.Error(diff)
	}
	if r.IsFresh(8, 4) || !r.IsFresh(16, 4) || r.IsFresh(12, 8) {
		t.Error("only words to which nothing was stored are fresh")
	}
}

// TestOnlyComputedValuesAreResults: values that were computed from unwritten ones are results, by the latest store.
// Copied ones, and those that the host has overwritten, are none.
func TestOnlyComputedValuesAreResults(t *testing.T) {
	r := shared(1)
	leave := func(off int, use string) {
		r.StoresUndefined(uint64(off), 4)
		r.Leave(memory.Leaving{Off: uint64(off), End: uint64(off) + 4, Use: use})
	}
	leave(0, "copy")
	copy(r.Data, r.Data[40:44])
	leave(8, "earlier")
	leave(8, "computed")
	r.Data[8]++
	leave(16, "overwritten")
	r.Data[16]++
	r.KeepStored()
	r.Data[16]++
	if diff := cmp.Diff([]any{"computed"}, r.Results()); diff != "" {
		t.Error(diff)
	}
	if again := r.Results(); again != nil {
		t.Error("again:", again)
	}
}

// TestCopiesKeepWhatHostLeftUnwritten: a copy of shared memory is as unwritten as that is, and remains so until the
// host changes the copy.
func TestCopiesKeepWhatHostLeftUnwritten(t *testing.T) {
	from, to := shared(2), shared(2)
	from.Data[4] = 1
	copy(to.Data[100:], from.Data[:12])
	to.SetWritten(100, 12, from, 0)
	if diff := cmp.Diff([]int{100, 101, 102, 103, 108, 109, 110, 111}, unwrittenAt(to, 100, 112)); diff != "" {
		t.Error(diff)
	}
	to.Data[100]++
	if diff := cmp.Diff([]int{108, 109, 110, 111}, unwrittenAt(to, 100, 112)); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkSeeHost measures one page that the host has written.
func BenchmarkSeeHost(b *testing.B) {
	r := shared(1)
	clear(r.Data)
	for b.Loop() {
		r.SetUnwritten()
		r.SeeHost(0, 4)
	}
}
