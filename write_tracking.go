package simtrun

import (
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TrackWrites marks all bytes of the buffer as unwritten, and from then on records writes, for launches with Init:
// those of kernels, and those that Written reports for the host. shadow is where it records them: memory.ShadowPad more
// bytes than the buffer has, all 0xff.
func (b *Buffer) TrackWrites(shadow []byte) { b.r.TrackIn(shadow) }

// ShareWithHost says that the host may write to the buffer without a call of Written, which launches with Init then see
// from the content. fresh is for a buffer that is unwritten: its content, which is that of memory.Fresh repeated.
// It is nil for a written buffer.
func (b *Buffer) ShareWithHost(fresh []byte) { b.r.ShareWithHost(fresh) }

// Written records that the host has written the n bytes from offset off on: with those of another buffer from an offset
// on, which may be unwritten themselves, or with others if from is nil. A buffer without TrackWrites is written.
func (b *Buffer) Written(off, n uint64, from *Buffer, fromOff uint64) {
	var source *memory.Region
	if from != nil {
		source = from.r
	}
	b.r.SetWritten(off, n, source, fromOff)
}

// HostRead says that the host reads the n bytes from offset off on. It returns the stores of launches with Init that
// have left values there that depend on unwritten values, each once.
func (b *Buffer) HostRead(off, n uint64) []Warning {
	return warningsOf(b.r.HostRead(off, n))
}

// Results returns the stores of launches with Init that have left results in a buffer of ShareWithHost that depend on
// unwritten values, each once: the host may have read them.
func (b *Buffer) Results() []Warning { return warningsOf(b.r.Results()) }

func warningsOf(uses []any) []Warning {
	var all []interp.Warning
	for _, use := range uses {
		all = append(all, *use.(*interp.Warning))
	}
	return warnings(all)
}

// IsUnwritten reports whether none of the n bytes from offset off on was ever written. A value counts as written even
// if it depends on unwritten ones.
func (b *Buffer) IsUnwritten(off, n uint64) bool { return b.r.IsUnwritten(off, n) }
