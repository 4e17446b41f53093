package interp

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// workspace is memory with which the blocks of a cooperative launch synchronise. NVIDIA's code for grid.sync() finds
// its address in %envreg1 (low half) and %envreg2, and traps if the address is 0. It reads the size in the first word,
// and counts arrivals in the second, which starts at 0.
type workspace struct {
	region *memory.Region
	inUse  bool
}

const workspaceBytes = 4096

// readsWorkspace reports whether a program reads the address of the workspace.
func readsWorkspace(p *program.Program) bool {
	for _, f := range p.Funcs {
		for _, s := range [...]isa.Special{isa.EnvReg0 + 1, isa.EnvReg0 + 2} {
			if _, ok := f.Layout.LookupSpecial(s); ok {
				return true
			}
		}
	}
	return false
}

// cooperate makes the launch cooperative: all its blocks reside at once, and have a workspace.
func (g *Grid) cooperate() error {
	if most := g.resident(); g.Launch.Grid.Count() > most {
		return &LaunchError{g.Launch.Kernel, fmt.Sprintf("a cooperative launch of %d blocks: the GPU holds %d of these at once", g.Launch.Grid.Count(), most)}
	}
	if !readsWorkspace(g.p) {
		return nil
	}
	var err error
	if g.workspace, err = g.m.takeWorkspace(); err != nil {
		return err
	}
	g.Shape.Workspace = g.workspace.region.Base
	return nil
}

// resident returns the number of CTAs of the launch that the GPU holds at once.
func (g *Grid) resident() int64 {
	if size := g.Shape.ClusterSize(); size > 1 {
		return int64(g.ActiveClusters * size)
	}
	return int64(g.Occupancy.CTAs * g.m.cfg.GPU.SMs)
}

// takeWorkspace returns an initialised workspace that no running launch uses.
func (m *Memory) takeWorkspace() (*workspace, error) {
	for _, w := range m.workspaces {
		if !w.inUse {
			return w.take(), nil
		}
	}
	r, err := m.Alloc("the workspace of a cooperative launch", workspaceBytes)
	if err != nil {
		return nil, err
	}
	w := &workspace{region: r}
	m.workspaces = append(m.workspaces, w)
	return w.take(), nil
}

func (w *workspace) take() *workspace {
	w.inUse = true
	clear(w.region.Data)
	binary.LittleEndian.PutUint32(w.region.Data, workspaceBytes)
	return w
}

// trapText returns the message of a trap. In a launch that is not cooperative, the trap may be that of grid.sync().
func (e *Engine) trapText() string {
	if e.grid.Launch.Cooperative || !readsWorkspace(e.p) {
		return "trap"
	}
	return "trap: grid.sync() traps in a launch that is not cooperative; use cudaLaunchCooperativeKernel, or --cooperative"
}
