package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestPresetsNameKnownPolicies: presets name policies and orders that exist.
func TestPresetsNameKnownPolicies(t *testing.T) {
	for _, name := range gpu.Names() {
		c, err := gpu.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sm.ParsePolicy(c.Policy); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := sm.ParseOrder(c.CTAs.Order); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for key, words := range map[string][]string{"policy": sm.PolicyNames(), "ctas.order": sm.OrderNames()} {
		for _, word := range words {
			if _, err := gpu.Load("t.toml", "base = \"h100\"\n"+key+" = \""+word+"\"\n"); err != nil && word != "random:SEED" {
				t.Error(err)
			}
		}
	}
}
