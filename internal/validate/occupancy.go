package validate

import (
	_ "embed"
	"strconv"
	"strings"
)

// cases are occupancies that were worked out by hand.
//
//go:embed occupancy.txt
var cases string

// occupancy is the command's JSON object.
type occupancy struct {
	Blocks   float64 `json:"blocks_per_sm"`
	Share    float64 `json:"occupancy"`
	Capacity float64 `json:"shared_capacity"`
	Limits   struct{ Blocks, Warps, Registers, Shared float64 }
	Waves    struct{ Count, Last, Efficiency float64 }
}

func (l *lab) occupancy(flags ...string) (o occupancy) {
	words := append([]string{"occupancy", "--gpu", l.gpu}, flags...)
	l.commands = append(l.commands, "simtrun "+strings.Join(words, " "))
	l.read(&o, "", append(words, "--json")...) // if no block fits, the command fails and the object has 0
	return o
}

func occupancyRows() []*Row {
	var rows []*Row
	byGPU := make(map[string]*Row)
	flags := make(map[string][][]string)
	for line := range strings.Lines(cases) {
		c := strings.Fields(line)
		if c[0] == "#" {
			continue
		}
		name := c[0]
		if byGPU[name] == nil {
			byGPU[name] = &Row{ID: "8.1", GPU: name, What: "blocks on an SM, by occupancy.txt", Source: "OCC", Kind: Rule,
				measure: func(l *lab) []float64 {
					return each(flags[name], func(f []string) float64 { return l.occupancy(f...).Blocks })
				}}
			rows = append(rows, byGPU[name])
		}
		f := []string{"--threads", c[1], "--regs", c[2], "--shared", c[3]}
		if c[4] != "-" {
			f = append(f, "--carveout", c[4])
		}
		flags[name] = append(flags[name], f)
		blocks, err := strconv.ParseFloat(c[5], 64)
		if err != nil {
			panic("validate: occupancy.txt: " + err.Error())
		}
		byGPU[name].Expected = append(byGPU[name].Expected, exactly(blocks)...)
	}
	return append(rows,
		&Row{ID: "8.1", GPU: "v100", What: "blocks of 512 threads on an SM, by registers", At: []string{"64", "65"}, Source: "CPG", Kind: Rule, Expected: exactly(2, 1),
			measure: func(l *lab) []float64 {
				return each([]string{"64", "65"}, func(regs string) float64 { return l.occupancy("--threads", "512", "--regs", regs).Blocks })
			}},
		carveoutRow("v100", 64), carveoutRow("a100", 100),
		&Row{ID: "8.1", GPU: "a6000", What: "blocks that 4224 bytes of shared memory allow", Source: "F320732", Kind: Rule, Expected: exactly(19),
			measure: func(l *lab) []float64 {
				return []float64{l.occupancy("--threads", "32", "--regs", "16", "--shared", "4224").Limits.Shared}
			}},
	)
}

func carveoutRow(gpu string, kb float64) *Row {
	return &Row{ID: "8.1", GPU: gpu, What: "KB of shared memory at a carve-out of 50 %", Source: "CPG", Kind: Rule, Expected: exactly(kb),
		measure: func(l *lab) []float64 {
			return []float64{l.occupancy("--threads", "32", "--carveout", "50").Capacity / 1024}
		}}
}

// textOccupancyRows are the textbook's tables of occupancy.
func textOccupancyRows() []*Row {
	c2 := []string{"16", "32", "48", "64", "96", "128", "255"}
	c5 := []string{"8", "16", "32", "48", "64", "100", "200"}
	return []*Row{
		{ID: "C2", GPU: "h100", What: "occupancy of 256 threads in %, by registers", At: c2, Source: "text", Kind: Rule, Expected: exactly(100, 100, 62.5, 50, 25, 25, 12.5),
			measure: func(l *lab) []float64 {
				return each(c2, func(regs string) float64 { return 100 * l.occupancy("--threads", "256", "--regs", regs).Share })
			}},
		{ID: "C3", GPU: "h100", What: "FlashAttention's CTAs on an SM, occupancy in %, and CTAs that each resource allows", At: []string{"CTAs", "%", "shared", "registers"}, Source: "text", Kind: Rule, Expected: exactly(2, 12.5, 2, 7),
			measure: func(l *lab) []float64 {
				o := l.occupancy("--threads", "128", "--regs", "72", "--shared", "102400")
				return []float64{o.Blocks, 100 * o.Share, o.Limits.Shared, o.Limits.Registers}
			}},
		{ID: "C5", GPU: "h100", What: "blocks of a FlashAttention tile of 128 threads and 72 registers, by KB of shared memory", At: c5, Source: "OCC", Kind: Rule, Expected: exactly(7, 7, 6, 4, 3, 2, 1),
			measure: func(l *lab) []float64 {
				return each(c5, func(kb string) float64 {
					n, _ := strconv.Atoi(kb)
					return l.occupancy("--threads", "128", "--regs", "72", "--shared", strconv.Itoa(n*1024)).Blocks
				})
			}},
	}
}
