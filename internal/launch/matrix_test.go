package launch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/launch"
)

func TestMatrixDirectiveListsMachines(t *testing.T) {
	for text, want := range map[string]launch.Matrix{
		"":                              {},
		"//sim:matrix gpu=v100,a100":    {GPUs: []string{"v100", "a100"}},
		"//sim:matrix divergence=stack": {Models: []divergence.Model{divergence.ReconvergenceStack}},
		"//sim:matrix divergence=its,minpc  path-order=taken,fallthrough": {Models: []divergence.Model{divergence.IndependentThreads, divergence.LowestPC}, Orders: []divergence.Order{divergence.Taken, divergence.FallThrough}},
	} {
		l, err := launch.ParseHeader("k.s", "", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, l.Matrix()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestMatrixErrorsAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"model=its":                     `k.s:1:14: no "model" in a matrix; expected matrix gpu=a100,h100 divergence=its,stack path-order=taken,fallthrough`,
		"divergence=":                   `k.s:1:14: no divergence model ""; there are its, stack, minpc`,
		"divergence=its path-order=low": `k.s:1:29: no path order "low"; there are taken, fallthrough, majority`,
		"gpu=a100,a11":                  `k.s:1:14: no GPU "a11"; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`,
		"gpu=my.toml":                   `k.s:1:14: no GPU "my.toml"; there are a10, a100, a6000, b200, b200-168, h100, h100-pcie, h100-text, h100:1g.10gb, h100:2g.20gb, h100:3g.40gb, h100:4g.40gb, h100:7g.80gb, h200, l4, minimal, rtx3090, rtx4090, v100`,
		"divergence=its,its":            `k.s:1:14: its occurs twice in "its,its"`,
	} {
		_, err := launch.ParseHeader("k.s", "", []byte("//sim:matrix "+text))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
