package gpu

// Waves is the schedule of a grid's CTAs on a GPU if all take equally long.
type Waves struct {
	PerWave int64 // CTAs that the GPU holds at once
	Count   int64 // waves, including a partial last one
	// Fraction of the last wave's places that have CTAs: above 0, to 1.
	Last float64
	// CTAs as a fraction of the places of all waves: above 0, to 1.
	Efficiency float64
}

// WavesOf returns the waves of a grid of this many CTAs on a GPU that holds atOnce of them at once (Config.AtOnce).
// Both must be at least one.
func WavesOf(grid, atOnce int64) Waves {
	w := Waves{PerWave: atOnce}
	w.Count = ceilDiv(grid, w.PerWave)
	w.Last = float64(grid-(w.Count-1)*w.PerWave) / float64(w.PerWave)
	w.Efficiency = float64(grid) / (float64(w.Count) * float64(w.PerWave))
	return w
}
