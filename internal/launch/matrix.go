package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
)

// Matrix lists the machines for which a golden test runs a case: every combination of GPU, divergence model and path
// order. An empty list stands for the header's setting. Runs ignore the matrix.
type Matrix struct {
	GPUs   []string // presets
	Models []divergence.Model
	Orders []divergence.Order
}

// GPU returns the GPU that the layer names; nil if it names none.
func (l *Layer) GPU() *gpu.Config { return l.gpu.value }

// Matrix returns the layer's matrix line, empty if there is none.
func (l *Layer) Matrix() Matrix { return l.matrix.value }

// setMatrix parses gpu=a100,h100 divergence=its,stack path-order=taken,fallthrough.
func (l *Layer) setMatrix(text string, at Origin) error {
	var m Matrix
	for word, wordAt := range words(text, at) {
		key, list, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "gpu":
			m.GPUs, err = parseNames(list, presetName)
		case "divergence":
			m.Models, err = parseNames(list, divergence.ParseModel)
		case "path-order":
			m.Orders, err = parseNames(list, divergence.ParseOrder)
		default:
			err = fmt.Errorf("no %q in a matrix; expected matrix gpu=a100,h100 divergence=its,stack path-order=taken,fallthrough", key)
		}
		if err != nil {
			return wordAt.wrap(err)
		}
	}
	return l.matrix.set(m, at)
}

// presetName checks the name of a preset.
func presetName(name string) (string, error) {
	_, err := gpu.Preset(name)
	return name, err
}

// parseNames parses distinct names separated by commas.
func parseNames[T comparable](text string, parse func(name string) (T, error)) ([]T, error) {
	var list []T
	for name := range strings.SplitSeq(text, ",") {
		v, err := parse(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(list, v) {
			return nil, fmt.Errorf("%s occurs twice in %q", name, text)
		}
		list = append(list, v)
	}
	return list, nil
}
