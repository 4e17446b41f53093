package sm

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/memory"
)

// Instructions for textures and surfaces go from each scheduler through a queue of their own to the texture pipe of the
// SM, which works on quads of four consecutive lanes. In a pass each lane of a quad reads up to four texels: one
// without a filter, two or four with a filter in one or two dimensions. A filter in three dimensions, or between two
// levels of detail, takes two passes. The pipe looks up the lines of an instruction in L1, each line once, beside the
// memory pipe; a result needs more cycles behind its last texel than a load does.

const quadLanes = 4

// textureCycles returns for how many cycles the instruction whose accesses are in m.effect keeps the texture pipe busy.
func (m *multiprocessor) textureCycles() int64 {
	var texels [lanes.Width / quadLanes]int // that a lane reads, by quad
	bytes := 0.0
	for i := range m.effect.Access {
		a := &m.effect.Access[i]
		bytes = max(bytes, float64(a.Size))
		for q := range texels {
			if a.Lanes>>(quadLanes*q)&(1<<quadLanes-1) != 0 {
				texels[q]++
			}
		}
	}
	passes := 0
	for _, n := range texels {
		passes += (n + 3) / 4
	}
	return int64(math.Ceil(float64(passes*quadLanes) * max(1, bytes/m.gpu.Texture.Bytes) / float64(m.gpu.Units.Texture)))
}

// joinLines appends lines[n:] to lines[:n], except for lines that are there already.
func joinLines(lines []memory.LineSectors, n int) []memory.LineSectors {
	all := lines[:n]
next:
	for _, l := range lines[n:] {
		for i := range all[:n] {
			if all[i].Line == l.Line {
				all[i].Sectors |= l.Sectors
				all[i].Lanes += l.Lanes
				continue next
			}
		}
		all = append(all, l)
	}
	return all
}
