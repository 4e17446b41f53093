package gpu

// AtOnce is how many CTAs the GPU holds at once if an SM holds ctasPerSM of them: of clusters of
// cluster CTAs, if that is more than 1, those that are whole.
func (c *Config) AtOnce(cluster, ctasPerSM int) int64 {
	if cluster <= 1 {
		return int64(c.SMs) * int64(ctasPerSM)
	}
	return int64(cluster) * int64(c.MaxActiveClusters(cluster, ctasPerSM))
}

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
