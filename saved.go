package simtrun

import (
	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/launch"
)

// Saves is a folder to which launches are saved. Each launch has a subfolder with everything needed to run it again:
// the source with a header, and the content of memory. simtrun run, profile, debug and test accept such a subfolder.
type Saves struct{ s *launch.Saves }

// NewSaves makes the folder if it does not exist. Its content is kept.
func NewSaves(folder string) (*Saves, error) {
	s, err := launch.NewSaves(folder)
	return &Saves{s}, err
}

// Saved is a launch that is being saved.
type Saved struct{ s *launch.Saved }

// Save saves a launch that is about to begin. It saves a buffer if its address is in the parameters, in variables of
// the program, or in another saved buffer, at a multiple of 4 bytes. A launch that may use textures is an error.
func (m *Machine) Save(to *Saves, l Launch) (*Saved, error) {
	public, err := m.launchOf(&l)
	if err != nil {
		return nil, err
	}
	source := []byte(asm.Format(m.mod))
	if len(m.sources) == 1 {
		source = m.sources[0].text
	}
	s, err := to.s.Save(m.m, &public, source, m.mem.clock != nil)
	return &Saved{s}, err
}

// Folder returns the folder of the saved launch.
func (s *Saved) Folder() string { return s.s.Folder }

// End saves the outcome of the launch: the content of memory as expectations, or the error with which it failed.
func (s *Saved) End(failed error) error { return s.s.End(failed) }
