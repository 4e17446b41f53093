package accuracy

import (
	"encoding/json"
	"io"
	"math"

	"github.com/simtrun/simtrun/internal/sm"
)

// Schema is the name of the JSON object in docs/json.md.
const Schema = "simtrun.accuracy/v1"

// object is the output of WriteJSON.
type object struct {
	Schema   string         `json:"schema"`
	GPU      string         `json:"gpu"`
	Launches []launchObject `json:"launches"`
	Groups   []groupObject  `json:"groups"`
	Gains    []gainObject   `json:"gains"`
}

// gainObject is how many times as fast a step of optimisation is as the one before it.
type gainObject struct {
	Work  string  `json:"work"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	There float64 `json:"measured"`
	Here  float64 `json:"simtrun"`
}

// launchObject is a launch with the figures of the GPU and of simtrun.
type launchObject struct {
	Name    string        `json:"name"`
	Line    string        `json:"line"`
	Kind    string        `json:"kind"`
	HeldOut bool          `json:"held_out"`
	Ratio   float64       `json:"ratio"`
	There   figuresObject `json:"measured"`
	Here    figuresObject `json:"simtrun"`
}

// figuresObject has the figures of a launch on the GPU, or in simtrun.
type figuresObject struct {
	Cycles       float64            `json:"cycles"`
	Instructions float64            `json:"instructions"`
	MainStall    string             `json:"main_stall"`
	Stalls       map[string]float64 `json:"stalls"`
}

// groupObject is the statistics of a group. Correlations of fewer than three launches are missing.
type groupObject struct {
	Name          string   `json:"name"`
	Launches      int      `json:"launches"`
	MAPE          float64  `json:"mape"`
	Median        float64  `json:"median"`
	GeometricMean float64  `json:"geometric_mean"`
	Pearson       *float64 `json:"pearson,omitempty"`
	Spearman      *float64 `json:"spearman,omitempty"`
	Instructions  float64  `json:"instructions_mape"`
	MainStall     int      `json:"same_main_stall"`
}

// WriteJSON writes the launches and the statistics of their groups as one object.
func WriteJSON(w io.Writer, results []*Result) error {
	all := object{Schema: Schema, GPU: GPU, Gains: []gainObject{}}
	for _, r := range results {
		all.Launches = append(all.Launches, r.object())
	}
	for _, g := range groupsOf(results) {
		s := statisticsOf(g.Results)
		all.Groups = append(all.Groups, groupObject{g.Name, s.Launches, s.MAPE, s.Median, s.GeometricMean, known(s.Pearson), known(s.Spearman), s.Instructions, s.MainStall})
	}
	for _, g := range gainsOf(results) {
		all.Gains = append(all.Gains, gainObject(g))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(all)
}

func (r *Result) object() launchObject {
	there, here := r.mainStalls()
	o := launchObject{Name: r.Name(), Line: r.Line, Kind: r.Kind, HeldOut: r.heldOut(), Ratio: r.ratio()}
	o.There = figuresObject{r.Measured.Cycles, r.Measured.Issued, there.String(), make(map[string]float64)}
	o.Here = figuresObject{r.Cycles, r.Issued, here.String(), make(map[string]float64)}
	for s := range sm.NumStates {
		o.There.Stalls[s.String()] = r.Stalls[s]
		o.Here.Stalls[s.String()] = float64(r.States[s]) / r.Issued
	}
	return o
}

// known returns a correlation, nil for NaN.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
