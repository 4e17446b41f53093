package gpu

// Waves is how the CTAs of a grid follow each other on a GPU if all take equally long.
type Waves struct {
	PerWave    int64   // CTAs that the GPU holds at once
	Count      int64   // waves, the last of which may not be full
	Last       float64 // of the last wave, how much has CTAs: above 0, to 1
	Efficiency float64 // CTAs, of those for which all the waves have room: above 0, to 1
}

// WavesOf is how a grid of so many CTAs runs on a GPU that holds so many at once (Config.AtOnce), both at least
// one.
func WavesOf(grid, atOnce int64) Waves {
	w := Waves{PerWave: atOnce}
	w.Count = ceilDiv(grid, w.PerWave)
	w.Last = float64(grid-(w.Count-1)*w.PerWave) / float64(w.PerWave)
	w.Efficiency = float64(grid) / (float64(w.Count) * float64(w.PerWave))
	return w
}
