package gpu

// AtOnce returns how many CTAs the GPU holds at once if an SM holds ctasPerSM of them. If cluster is more than 1,
// only whole clusters of that many CTAs count.
func (c *Config) AtOnce(cluster, ctasPerSM int) int64 {
	if cluster <= 1 {
		return int64(c.SMs) * int64(ctasPerSM)
	}
	return int64(cluster) * int64(c.MaxActiveClusters(cluster, ctasPerSM))
}

// MaxActiveClusters returns how many clusters of size CTAs can reside at once if an SM holds ctasPerSM CTAs. All CTAs
// of a cluster are in one GPC (cudaOccupancyMaxActiveClusters).
func (c *Config) MaxActiveClusters(size, ctasPerSM int) int {
	plan := c.Floorplan()
	sms := make([]int, plan.Groups)
	for _, group := range plan.Group {
		sms[group]++
	}
	n := 0
	for _, of := range sms {
		n += of * ctasPerSM / size
	}
	return n
}
