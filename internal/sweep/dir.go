package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/wholefile"
)

// Dir is a directory of results: a file for each point, and one that describes the points. Several processes may
// write to it concurrently, because each file is replaced as a whole.
type Dir struct{ root *os.Root }

// OpenDir opens a directory, and makes it if it does not exist.
func OpenDir(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	return &Dir{root}, err
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

const (
	matrixFile   = "sweep.json"
	matrixSchema = "simtrun.matrix/v1"
	pointSchema  = "simtrun.point/v1"
)

// matrixJSON describes the points of a Dir.
type matrixJSON struct {
	Schema  string     `json:"schema"`
	Files   []string   `json:"files"` // of the program
	Axes    []axisJSON `json:"axes"`
	Digests []string   `json:"digests"` // of the points
}

type axisJSON struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// pointJSON is a point's file.
type pointJSON struct {
	Schema string `json:"schema"`
	Digest string `json:"digest"`
	Point  Result `json:"point"`
}

func pointFile(index int) string { return fmt.Sprintf("point-%06d.json", index) }

// ErrOtherMatrix is the error for a directory with results of other files, or of another matrix.
var ErrOtherMatrix = errors.New("has results of another sweep")

// Begin records the points whose results will follow: all points of s. If the directory has results of other files or
// axes, which these would replace, Begin returns ErrOtherMatrix unless overwrite is set. Points of the same matrix
// run again if anything else has changed, such as the source.
func (d *Dir) Begin(ctx context.Context, s *Sweep, points []*Point, overwrite bool) error {
	m := matrixJSON{Schema: matrixSchema, Files: s.Program.Names(), Axes: s.Matrix.axes()}
	for _, p := range points {
		m.Digests = append(m.Digests, p.Digest)
	}
	text := encode(m)
	there, err := d.root.ReadFile(matrixFile)
	switch {
	case err == nil && bytes.Equal(there, text):
		return nil
	case err == nil && !overwrite:
		var before matrixJSON
		if json.Unmarshal(there, &before) != nil || before.Schema != matrixSchema || !before.sameAs(&m) {
			return fmt.Errorf("%s %w: %s", d.root.Name(), ErrOtherMatrix, before.text())
		}
	}
	return wholefile.Write(ctx, d.root, matrixFile, text)
}

// sameAs reports whether two matrices have the same files and axes.
func (m *matrixJSON) sameAs(other *matrixJSON) bool {
	return slices.Equal(m.Files, other.Files) && slices.EqualFunc(m.Axes, other.Axes, func(a, b axisJSON) bool {
		return a.Name == b.Name && slices.Equal(a.Values, b.Values)
	})
}

// text describes a matrix.
func (m *matrixJSON) text() string {
	if len(m.Files) == 0 {
		return "of another version"
	}
	text := strings.Join(m.Files, " ")
	for i, a := range m.Axes {
		text += map[bool]string{true: " over ", false: ", "}[i == 0] + a.Name + " " + strings.Join(a.Values, ",")
	}
	return text
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return b.Bytes()
}

// load returns the result of a point, nil if there is none, or if it belongs to something else.
func (d *Dir) load(p *Point) *Result {
	if d == nil {
		return nil
	}
	return d.read(p.Index, p.Digest)
}

func (d *Dir) read(index int, digest string) *Result {
	text, err := d.root.ReadFile(pointFile(index))
	if err != nil {
		return nil
	}
	var f pointJSON
	if err := json.Unmarshal(text, &f); err != nil || f.Schema != pointSchema || f.Digest != digest || f.Point.Index != index {
		return nil
	}
	return &f.Point
}

func (d *Dir) save(ctx context.Context, p *Point, r *Result) error {
	if d == nil {
		return nil
	}
	return wholefile.Write(ctx, d.root, pointFile(p.Index), encode(pointJSON{pointSchema, p.Digest, *r}))
}

// Kept returns how many of the points d has.
func (d *Dir) Kept(points []*Point) (n int) {
	for _, p := range points {
		if d.load(p) != nil {
			n++
		}
	}
	return n
}

// Merge returns all results in a directory, with the Status Missing for points that have not been run.
func Merge(path string) (*Table, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{root}
	defer d.Close()
	text, err := root.ReadFile(matrixFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no results of a sweep: no %s", path, matrixFile)
	}
	if err != nil {
		return nil, err
	}
	var m matrixJSON
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", path, matrixFile, err)
	}
	t := &Table{Files: m.Files}
	for _, a := range m.Axes {
		t.Matrix = append(t.Matrix, axisOf(a))
	}
	if m.Schema != matrixSchema || t.Matrix.Check() != nil || t.Matrix.Len() != len(m.Digests) {
		return nil, fmt.Errorf("%s/%s is not one of this version's", path, matrixFile)
	}
	for i, digest := range m.Digests {
		r := d.read(i, digest)
		if r == nil {
			r = &Result{Index: i, Values: t.Matrix.Values(i), Status: Missing}
		}
		t.Results = append(t.Results, r)
	}
	return t, nil
}
