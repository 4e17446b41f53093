package validate

import "testing"

// TestAlikeBoundsMeanAndGains checks what the figures of a series may be: in order, near in the mean, and gains a third
// off.
func TestAlikeBoundsMeanAndGains(t *testing.T) {
	published := []float64{100, 400, 600}
	for _, c := range []struct {
		name string
		got  []float64
		want bool
	}{
		{"as published", published, true},
		{"a little off", []float64{90, 450, 640}, true},
		{"too slow in the mean", []float64{75, 300, 450}, false},
		{"too fast in the mean", []float64{130, 520, 780}, false},
		{"a gain too large", []float64{80, 440, 620}, false},
		{"a gain too small", []float64{100, 400, 440}, false},
		{"another order", []float64{100, 500, 490}, false},
	} {
		if got := alike(published)(c.got); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
