package gpu

// AtOnce returns how many CTAs the GPU holds at once if an SM holds ctasPerSM of them. If cluster is more than 1,
// only whole clusters of that many CTAs count.
func (c *Config) AtOnce(cluster, ctasPerSM int) int64 {
	if cluster <= 1 {
		return int64(c.SMs) * int64(ctasPerSM)
	}
	return int64(cluster) * int64(c.MaxActiveClusters(cluster, ctasPerSM))
}

// GPCOf returns the GPC of an SM: TPCs are assigned to GPCs in round-robin order.
func (c *Config) GPCOf(sm int) int { return sm * c.TPCs / c.SMs % c.GPCs }

// TurnInGPC returns how many SMs with lower numbers are in the GPC of an SM.
func (c *Config) TurnInGPC(sm int) (turn int) {
	for other := range sm {
		if c.GPCOf(other) == c.GPCOf(sm) {
			turn++
		}
	}
	return turn
}

// MaxActiveClusters returns how many clusters of size CTAs can reside at once if an SM holds ctasPerSM CTAs. All CTAs
// of a cluster are in one GPC (cudaOccupancyMaxActiveClusters).
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
