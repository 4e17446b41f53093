package debugger

import "github.com/simtrun/simtrun/internal/debuginfo"

// piece is a part of an object that is in a place of its own.
type piece struct {
	size  int64 // bytes
	known bool  // it has a place
	in    lvalue
}

// hasParts reports whether members and elements of the object have places.
func (l *lvalue) hasParts() bool {
	return l.inMemory || l.pieces != nil || l.reg != "" && l.typ.Bare().Kind == debuginfo.Struct
}

// inPiece returns an object that is all in one of several places.
func (l lvalue) inPiece() (lvalue, error) {
	from := int64(0)
	for i := range l.pieces {
		p := &l.pieces[i]
		if l.at >= from && l.at+l.typ.Size <= from+p.size && p.known {
			l.reg, l.constant, l.inMemory, l.space, l.addr, l.held = p.in.reg, p.in.constant, p.in.inMemory, p.in.space, p.in.addr, p.in.held
			l.low, l.pieces = 0, nil
			l.move(l.at - from)
			return l, nil
		}
		from += p.size
	}
	return l, debuginfo.ErrOptimisedOut
}
