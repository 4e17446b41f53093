package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// Program is the common part of all points of a sweep.
type Program struct {
	Module *isa.Module
	Layers []*launch.Layer // headers, and a script
	Flags  []Flag          // of the command line, without the axes
	Texts  []Text          // sources and the script, from which the layers were read
	// Version is the version of simtrun. Results of another version are not used.
	Version string
}

// Names returns the names of the texts.
func (p *Program) Names() []string {
	var names []string
	for _, t := range p.Texts {
		names = append(names, t.Name)
	}
	return names
}

// Flag is a directive and its value.
type Flag struct{ Directive, Value string }

// Text is a file.
type Text struct {
	Name    string
	Content []byte
}

// Point is one launch of a sweep, ready to run.
type Point struct {
	Index  int
	Values []string // one for each axis
	// Digest covers everything that the result depends on: the point's values, the program, its input files, the GPU.
	Digest string

	plan *launch.Plan
}

// Sweep is a program and a matrix.
type Sweep struct {
	Matrix  Matrix
	Program *Program

	files map[string][]byte // digests of input files by name
}

// New returns a sweep; it does not check anything.
func New(p *Program, m Matrix) *Sweep {
	return &Sweep{Matrix: m, Program: p, files: make(map[string][]byte)}
}

// Points returns all points, in order. Errors are those of launch.NewPlan: mistakes in the settings of any point are
// found before one runs. Launches that the kernel or the GPU does not support are found when they run.
func (s *Sweep) Points(ctx context.Context) ([]*Point, error) {
	if err := s.Matrix.Check(); err != nil {
		return nil, err
	}
	var all []*Point
	for i := range s.Matrix.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := s.point(ctx, i)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *Sweep) point(ctx context.Context, i int) (*Point, error) {
	flags := launch.NewFlags()
	for _, f := range s.Program.Flags {
		if err := flags.Set(f.Directive, f.Value, launch.Origin{Flag: "--" + f.Directive + " " + f.Value}); err != nil {
			return nil, err
		}
	}
	if err := s.Matrix.set(flags, i); err != nil {
		return nil, err
	}
	plan, err := launch.NewPlan(s.Program.Module, append(s.Program.Layers[:len(s.Program.Layers):len(s.Program.Layers)], flags)...)
	if err != nil {
		return nil, err
	}
	plan.UseClock()
	plan.Config.Threads = 1
	switch {
	case len(plan.Launches) > 1:
		return nil, fmt.Errorf("a sweep takes one launch, and the program has %d launches; --kernel selects one", len(plan.Launches))
	case plan.Clock == nil:
		return nil, errors.New("a sweep compares times, but the launch is functional; --functional=false gives it a clock")
	}
	p := &Point{Index: i, Values: s.Matrix.Values(i), plan: plan}
	p.Digest, err = s.digest(ctx, p)
	return p, err
}

// digest returns a Point's Digest.
func (s *Sweep) digest(ctx context.Context, p *Point) (string, error) {
	h := sha256.New()
	field(h, "version", []byte(s.Program.Version))
	for _, t := range s.Program.Texts {
		field(h, "text "+t.Name, t.Content)
	}
	for _, f := range s.Program.Flags {
		field(h, "flag "+f.Directive, []byte(f.Value))
	}
	for k := range s.Matrix {
		field(h, "axis "+s.Matrix[k].Name(), []byte(p.Values[k]))
	}
	onGPU, err := json.Marshal(p.plan.Config.GPU) // a file or a preset may have changed
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	field(h, "gpu", onGPU)
	field(h, "params", p.plan.Launches[0].ParamBytes())
	for _, in := range p.plan.Inputs() {
		sum, err := s.fileDigest(ctx, in)
		if err != nil {
			return "", err
		}
		field(h, "file "+in.Name, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// field adds a name and bytes to a digest in such a way that different lists have different digests.
func field(h hash.Hash, name string, data []byte) {
	fmt.Fprintf(h, "%d %s %d ", len(name), name, len(data))
	h.Write(data)
}

// fileDigest returns the digest of a file, cached because many points may read it.
func (s *Sweep) fileDigest(ctx context.Context, in launch.Input) ([]byte, error) {
	if sum := s.files[in.Name]; sum != nil {
		return sum, nil
	}
	h := sha256.New()
	if err := in.EachPiece(ctx, func(piece []byte) { h.Write(piece) }); err != nil {
		return nil, err
	}
	s.files[in.Name] = h.Sum(nil)
	return s.files[in.Name], nil
}
