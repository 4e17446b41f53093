package native

// Visits makes the plan of a function or part, and returns how often it visits blocks: for the facts of the code for
// full warps, for those of partial code, and to find divergent regions.
func (c *Compiler) Visits(s Subject) (full, partial, walked int) {
	c.plan.make(s)
	c.begin(0)
	c.findArms(&c.full, false)
	c.makePartial()
	return c.live.visits + c.plan.full.classes.visits, c.plan.some.classes.visits + c.plan.divergent.classes.visits, c.walked
}
