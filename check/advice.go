package check

import "fmt"

// between says why two accesses are not ordered.
func (v *visit) between(c *conflict) string {
	r, now := &c.earlier, &v.now
	switch {
	case c.together:
		return "lanes of one instruction: which comes last is not defined"
	case r.class&now.class&strong != 0 && r.class>>sizeShift != now.class>>sizeShift:
		return "both are atomic or strong, but of different sizes"
	case r.class&now.class&strong != 0:
		return "both are atomic or strong, but scope cta does not include the other block"
	case (r.class|now.class)&strong != 0:
		return "only one of them is atomic or strong; " + v.missing(c)
	}
	return v.missing(c)
}

// missing says what would have ordered the present access behind the earlier one.
func (v *visit) missing(c *conflict) string {
	switch r := &c.earlier; {
	case c.earlier.who == v.now.who && !v.inLockstep(c):
		return "lanes of one warp that had diverged: not even lock step orders them"
	case r.who == v.now.who:
		return "one warp, and no bar.warp.sync at which both lanes met: only lock step orders them"
	case r.who.near(v.now.who):
		return "no barrier on either path"
	case v.narrowFence():
		return "different blocks, and a fence of scope cta: it orders nothing between blocks"
	}
	return "different blocks: a barrier does not order them"
}

// narrowFence reports whether the present lane has executed a fence, but none
// that is of use to other blocks.
func (v *visit) narrowFence() bool {
	if v.w.syncs == nil {
		return false
	}
	fences := &v.w.syncs[firstLane(v.now.lanes)].fences
	return fences[anyFence] != nil && fences[wideFence] == nil
}

// fix says what would help.
func (v *visit) fix(c *conflict) string {
	r := &c.earlier
	before := v.r.byIndex[r.site]
	where := between(before, v.site)
	switch both := r.class & v.now.class & strong; {
	case c.together:
		return "let one lane write, or use an atomic"
	case both != 0 && r.class>>sizeShift != v.now.class>>sizeShift:
		return "access it with one size"
	case both != 0:
		return "scope gpu on both"
	case r.class&strong != 0:
		return fmt.Sprintf("make the access in line %d atomic or strong, too; or order the two", v.site.in().Pos.Line)
	case v.now.class&strong != 0:
		return fmt.Sprintf("make the access in line %d atomic or strong, too; or order the two", before.in().Pos.Line)
	case r.who.near(v.now.who) && v.r.locks:
		return "if a lock or flag orders them: a release before it is given, an acquire behind where it is taken; else a barrier " + where
	case r.who == v.now.who && !v.inLockstep(c):
		return "a bar.warp.sync that both come to in between; arms of one branch have none: let one lane do both, or use atomics"
	case r.who == v.now.who:
		return "bar.warp.sync " + where
	case r.who.near(v.now.who):
		return "bar.sync " + where + " (different warps; bar.warp.sync is not enough)"
	}
	return "atomics on both sides; or a release at scope gpu after the first, and an acquire before the second"
}

// between is where a barrier would go.
func between(a, b *site) string {
	from, to := a.in().Pos, b.in().Pos
	switch {
	case from.File != to.File:
		return fmt.Sprintf("between %s and %s", from, to)
	case a == b:
		return fmt.Sprintf("between one run of line %d and the next", from.Line)
	case from.Line == to.Line:
		return fmt.Sprintf("between the two instructions of line %d", from.Line)
	}
	return fmt.Sprintf("between lines %d and %d", min(from.Line, to.Line), max(from.Line, to.Line))
}
