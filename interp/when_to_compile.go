package interp

// compileAfter is how many times lane functions execute each instruction of a function in the time in which it is
// compiled. Compiling takes 0.7 to 3 us an instruction, lane functions 13 to 60 ns.
const compileAfter = 50

// compileSeen is how many times they execute each at least before a function is compiled because it is expected to be
// executed more often.
const compileSeen = 2

// isWorthCode reports whether the function of the site should be compiled: if lane functions have executed it for as
// long as compiling it takes, or are expected to, judging by the warps of the launch that have run. Otherwise it sets
// the heat at which to ask again.
func (e *Engine) isWorthCode(n *compiledFunc) bool {
	size := uint64(n.size())
	enough := e.native.after * size
	if n.heat >= enough || n.heat >= compileSeen*size && e.expected(n.heat-n.known) >= float64(enough) {
		return true
	}
	n.ask = min(max(2*n.heat, compileSeen*size), enough)
	return false
}

// expected returns how many instructions the site's warp and those that follow, in the order of CTAs and warps, will
// execute, if those before them have executed the given number. Warps that wait for others run again later: for them it
// is too low. It is too high if the first warps do more than others.
func (e *Engine) expected(executed uint64) float64 {
	warps := int64(len(e.cta.Warps))
	before := max(e.grid.Launch.Grid.Number(e.cta.At)*warps+int64(e.warp.ID), 1)
	return float64(executed) * float64(e.grid.Launch.Grid.Count()*warps-before) / float64(before)
}
