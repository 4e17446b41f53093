package gpu

// GPCOf is the GPC of an SM: TPCs are dealt out to GPCs in turn.
func (c *Config) GPCOf(sm int) int { return sm * c.TPCs / c.SMs % c.GPCs }

// MaxActiveClusters is how many clusters of so many CTAs can reside at once if an SM holds
// ctasPerSM of them: the CTAs of a cluster are all in one GPC
// (cudaOccupancyMaxActiveClusters).
func (c *Config) MaxActiveClusters(size, ctasPerSM int) int {
	sms := make([]int, c.GPCs)
	for sm := range c.SMs {
		sms[c.GPCOf(sm)]++
	}
	n := 0
	for _, of := range sms {
		n += of * ctasPerSM / size
	}
	return n
}
