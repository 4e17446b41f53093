package interp

import (
	"sync"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// fileMemory is memory for the register files of CTAs.
type fileMemory struct {
	mu    sync.Mutex
	left  []byte // zeroed, unless it comes from spare
	spare []byte // left by an earlier launch, and not zero; else nil

	pattern *warp.Pattern // of the kernel's registers; nil before ReserveFiles
}

// worthHuge is the size in bytes from which memory for register files is allocated as one block of huge pages.
const worthHuge = 4 << 20

// ReserveFiles prepares for furnishing the given number of CTAs, which will be resident. It allocates their registers
// in huge pages of the host, if they are large enough.
func (g *Grid) ReserveFiles(ctas int64) {
	g.files.spare = nil
	g.files.pattern = warp.NewPattern(&g.Shape, g.p.Kernel().Layout)
	if bytes := ctas * int64(g.Shape.WarpsPerCTA*g.p.Kernel().Layout.Bytes()); bytes >= worthHuge {
		g.files.left = make([]byte, bytes)
		memory.PreferHuge(g.files.left)
	}
}

// take returns memory for the register files of one CTA.
func (m *fileMemory) take(bytes int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > len(m.left) {
		return lanes.NewFile(bytes).Bytes(bytes)
	}
	files := m.left[:bytes:bytes]
	m.left = m.left[bytes:]
	if m.spare != nil {
		clear(files)
	}
	return files
}
