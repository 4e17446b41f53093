package gpu

import "slices"

// Floorplan is which SM is in which part of the GPU.
type Floorplan struct {
	GPC []int // of each SM: its GPC, whose ports it shares
	// Group is the set of each SM that can run a cluster together: the GPCs have the first numbers; each TPC outside of
	// them has one of its own, after these.
	Group        []int
	GPCs, Groups int // numbers of GPCs and of sets
}

// Floorplan returns the floorplan of c. TPCs are numbered round-robin over the GPCs that have TPCs left. Those that
// Chip.GPCTPCs leaves over have the highest numbers, and belong to the smallest GPC.
func (c *Config) Floorplan() *Floorplan {
	left := c.tpcsOfGPCs()
	smallest := slices.Index(left, slices.Min(left))
	f := &Floorplan{GPC: make([]int, c.SMs), Group: make([]int, c.SMs), GPCs: len(left), Groups: len(left)}
	gpc, tpc := len(left)-1, -1
	for sm := range c.SMs {
		for ; tpc < sm*c.TPCs/c.SMs; tpc++ {
			next := nextWith(left, gpc)
			if next >= 0 {
				left[next]--
			} else {
				f.Groups++
			}
			gpc = next
		}
		f.GPC[sm], f.Group[sm] = gpc, gpc
		if gpc < 0 {
			f.GPC[sm], f.Group[sm] = smallest, f.Groups-1
		}
	}
	return f
}

// tpcsOfGPCs returns the number of TPCs of each GPC.
func (c *Config) tpcsOfGPCs() []int64 {
	if len(c.GPCTPCs) == c.GPCs {
		return slices.Clone(c.GPCTPCs)
	}
	even := make([]int64, c.GPCs)
	for tpc := range c.TPCs {
		even[tpc%c.GPCs]++
	}
	return even
}

// nextWith returns the first GPC after gpc, round-robin, that has TPCs left; -1 if none has.
func nextWith(left []int64, gpc int) int {
	for i := range left {
		if g := (gpc + 1 + i) % len(left); left[g] > 0 {
			return g
		}
	}
	return -1
}
