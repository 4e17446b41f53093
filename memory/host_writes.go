package memory

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// hostWrites finds what the host has written, by its own stores, to a region that it shares with kernels: an unwritten
// byte of another content than the region's memory had when it was allocated, or when an undefined value was stored.
// If the host has written a byte of an aligned word, all bytes of that word count as written.
type hostWrites struct {
	fresh []byte // content of unwritten memory, which repeats after FreshBytes; nil if all is written
	// states is by word. It is nil, like left, if no undefined value was stored.
	states []wordState
	left   []byte // content of the words that are valueLeft
	// The words that are valueStored are between these two.
	firstStored, endStored uint64
}

// wordState says with what the undefined bytes of a word are compared.
type wordState uint8

const (
	neverStored wordState = iota // with fresh
	valueStored                  // with nothing: an undefined value is stored there, during the launch
	valueLeft                    // with left
)

const (
	hostWord = 4 // bytes of a word
	// FreshBytes is the number of bytes after which the content of new memory repeats.
	FreshBytes = 4096
)

// Fresh returns the content of memory that the host may write without a call, at its allocation. Each fourth byte is
// Unwritten, so that the words are as unusual as in other memory. The others depend on the position, so that hardly any
// data of a program has the same content: not rows of an image, and not memory filled with one byte. They are not
// values of characters, flags and small numbers, because padding may follow such a byte in its word.
func Fresh() []byte {
	const first, count = 0x90, Unwritten - 0x90
	all, x := make([]byte, FreshBytes), uint32(1)
	for i := range all {
		all[i] = Unwritten
		if i%hostWord != hostWord-1 {
			x = x*1664525 + 1013904223 // Numerical Recipes, 7.1
			all[i] = byte(first + x>>24%count)
		}
	}
	return all
}

// ShareWithHost says that the host may write to the region without a call. fresh is the region's content, as from
// Fresh, if it is unwritten; else nil.
func (r *Region) ShareWithHost(fresh []byte) { r.host = &hostWrites{fresh: fresh} }

// IsShared reports whether the host may write to the region without a call.
func (r *Region) IsShared() bool { return r.host != nil }

// SeeHost marks as written what the host has written in the n bytes from offset off on, and near them.
func (r *Region) SeeHost(off, n uint64) {
	if r.host == nil || r.Unwritten == nil || isZero(r.Unwritten[off:off+n]) || n <= FreshBytes/hostWord && !r.hasChanged(off, n) {
		return
	}
	sees, size := true, uint64(len(r.Data))
	for at := off &^ (FreshBytes - 1); at < size && (at < off+n || sees && at < off+n+seesAhead); at += FreshBytes {
		sees = r.host.see(r, at, min(at+FreshBytes, size))
	}
}

// seesAhead is the number of bytes that SeeHost goes on while it finds writes: code leaves its compiled form for each
// call, which takes longer than to look at a page.
const seesAhead = 1 << 20

// see is SeeHost for the bytes from at, a multiple of FreshBytes, up to end, at most FreshBytes. It reports whether the
// host has written any.
func (h *hostWrites) see(r *Region, at, end uint64) (sees bool) {
	if h.states == nil && (h.fresh == nil || bytes.Equal(r.Data[at:end], h.fresh[:end-at])) {
		return false
	}
	data, undefined, i := r.Data[at:end], r.Unwritten[at:end], 0
	if h.states == nil && isAll(undefined, 0xff) {
		sees = seeAll(undefined, data, h.fresh)
		i = len(data) / hostWord * hostWord
	}
	for ; i < len(data); i += hostWord {
		end := min(i+hostWord, len(data))
		if hasChanged(undefined[i:end], data[i:end], h.before(at+uint64(i))) {
			clear(undefined[i:end])
			sees = true
		}
	}
	return sees
}

func isAll(b []byte, x byte) bool { return bytes.Count(b, []byte{x}) == len(b) }

// seeAll is see for the whole words of bytes that are all unwritten, and were as given in was.
func seeAll(undefined, data, was []byte) (sees bool) {
	for len(data) >= hostWord && len(was) >= hostWord && len(undefined) >= hostWord {
		if binary.LittleEndian.Uint32(data) != binary.LittleEndian.Uint32(was) {
			binary.LittleEndian.PutUint32(undefined, 0)
			sees = true
		}
		data, was, undefined = data[hostWord:], was[hostWord:], undefined[hostWord:]
	}
	return sees
}

// hasChanged reports whether the host has written a word of the n bytes from offset off on.
func (r *Region) hasChanged(off, n uint64) bool {
	for at := off / hostWord * hostWord; at < off+n; at += hostWord {
		end := min(at+hostWord, uint64(len(r.Data)))
		if hasChanged(r.Unwritten[at:end], r.Data[at:end], r.host.before(at)) {
			return true
		}
	}
	return false
}

// hasChanged reports whether an undefined byte of a word is not as it was; was is nil if that is unknown.
func hasChanged(undefined, data, was []byte) bool {
	for i := range undefined {
		if i < len(was) && undefined[i] != 0 && data[i] != was[i] {
			return true
		}
	}
	return false
}

// before returns the bytes that the word at an offset has if the host has not written it; nil if that is unknown.
func (h *hostWrites) before(at uint64) []byte {
	if h.states != nil {
		switch h.states[at/hostWord] {
		case valueLeft:
			return h.left[at:]
		case valueStored:
			return nil
		}
	}
	if h.fresh == nil {
		return nil
	}
	return h.fresh[at%FreshBytes:]
}

// IsFresh reports whether none of the n bytes from offset off on of a shared region was ever written, not even with
// an undefined value.
func (r *Region) IsFresh(off, n uint64) bool {
	if r.host == nil || r.host.fresh == nil || bytes.IndexByte(r.Unwritten[off:off+n], 0) >= 0 {
		return false
	}
	for word := off / hostWord; word <= (off+n-1)/hostWord; word++ {
		if r.host.states != nil && r.host.states[word] != neverStored {
			return false
		}
	}
	return true
}

// StoresUndefined records that a kernel stores undefined values to the n bytes from offset off on. Their content is
// known after KeepStored.
func (r *Region) StoresUndefined(off, n uint64) {
	h := r.host
	if h == nil || n == 0 {
		return
	}
	if h.states == nil {
		h.states = make([]wordState, (len(r.Data)+hostWord-1)/hostWord)
		h.left = make([]byte, len(r.Data))
	}
	first, end := off/hostWord, (off+n-1)/hostWord+1
	for word := first; word < end; word++ {
		h.states[word] = valueStored
	}
	if h.firstStored == h.endStored {
		h.firstStored, h.endStored = first, end
	}
	h.firstStored, h.endStored = min(h.firstStored, first), max(h.endStored, end)
}

// KeepStored records, at the end of a launch or copy, the content of words to which undefined values were stored.
func (r *Region) KeepStored() {
	h := r.host
	if h == nil {
		return
	}
	for word := h.firstStored; word < h.endStored; word++ {
		if h.states[word] == valueStored {
			h.states[word] = valueLeft
			copy(h.left[word*hostWord:], r.Data[word*hostWord:min(word*hostWord+hostWord, uint64(len(r.Data)))])
		}
	}
	h.firstStored, h.endStored = 0, 0
}

// Results returns the uses of undefined values by which results in a shared region are wrong, which the host may have
// read without a call. Values that were only copied are none: the host knows which of them are written.
func (r *Region) Results() (uses []any) {
	if r.host == nil || len(r.leaving) == 0 {
		return nil
	}
	copied := map[uint32]bool{Unwritten * 0x01010101: true}
	for at := 0; at < len(r.host.fresh); at += hostWord {
		copied[binary.LittleEndian.Uint32(r.host.fresh[at:])] = true
	}
	seen := make(map[uint64]bool) // words of later stores
	for _, l := range slices.Backward(r.leaving) {
		if r.SeeHost(l.Off, l.End-l.Off); r.isComputed(l.Off, l.End, copied, seen) && !slices.Contains(uses, l.Use) {
			uses = append(uses, l.Use)
		}
	}
	r.leaving = nil
	slices.Reverse(uses)
	return uses
}

// isComputed reports whether a word between two offsets is undefined, not yet seen, and not one of the copied ones.
func (r *Region) isComputed(off, end uint64, copied map[uint32]bool, seen map[uint64]bool) (is bool) {
	for ; off < end; off = off&^(hostWord-1) + hostWord {
		at := off &^ (hostWord - 1)
		if seen[at] || r.Unwritten[off] == 0 {
			continue
		}
		seen[at] = true
		var word [hostWord]byte
		copy(word[:], r.Data[at:])
		is = is || !copied[binary.LittleEndian.Uint32(word[:])]
	}
	return is
}
