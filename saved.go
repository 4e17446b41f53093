package simtrun

import (
	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/launch"
)

// Saves is a folder to which launches are saved, each in a folder of its own with all that it takes to run it again: the
// source with a header, and what memory held. simtrun run, profile, debug and test take such a folder.
type Saves struct{ s *launch.Saves }

// NewSaves makes the folder, unless it is there. What is in it stays.
func NewSaves(folder string) (*Saves, error) {
	s, err := launch.NewSaves(folder)
	return &Saves{s}, err
}

// Saved is a launch that is being saved.
type Saved struct{ s *launch.Saved }

// Save saves a launch that is about to begin. Buffers are saved whose addresses are in the parameters, in variables
// of the program, or in buffers that are saved, at any multiple of 4 bytes. Launches that may use textures are an error.
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

// Folder is where the launch is.
func (s *Saved) Folder() string { return s.s.Folder }

// End saves what the launch came to: what it has left in memory, as expectations, or the error with which it failed.
func (s *Saved) End(failed error) error { return s.s.End(failed) }
