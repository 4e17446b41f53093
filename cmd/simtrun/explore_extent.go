package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/explore"
	"github.com/simtrun/simtrun/internal/report"
)

// extent says how much has been explored.
func (e *exploration) extent() string {
	random := ""
	if e.Random > 0 {
		random = fmt.Sprintf(", %d of them in random order", e.Random)
	}
	switch {
	case e.Report.Exhausted && e.Sums && e.Random > 0:
		return fmt.Sprintf(", %d of them for the order of floating-point atomics: all orders", e.Random)
	case e.Report.Exhausted:
		return random + ": all orders"
	case e.Ended == explore.Different:
		return random + ", up to the first difference"
	case e.LeftOut > 0:
		return random + fmt.Sprintf(": not all orders; %d with more preemptions were left out", e.LeftOut)
	}
	return random + ": not all orders"
}

// writeSearch prints how far each phase of a search came that has not tried all orders, and what ended it.
func (e *exploration) writeSearch(w io.Writer) {
	if e.Ended == explore.Exhausted || e.Ended == explore.Different {
		return
	}
	fmt.Fprintf(w, "search    %d systematic: %s\n", e.Executions-e.Random, e.reach())
	if e.Random > 0 {
		fmt.Fprintf(w, "search    %d in random order: seeds %d to %d\n", e.Random, e.seed, e.seed+uint64(e.Random)-1)
	}
	fmt.Fprintf(w, "ended     by %s\n", e.endedBy())
}

// reach says which systematic executions were made.
func (e *exploration) reach() string {
	within := func(n int) string {
		if n == 0 {
			return "no preemption"
		}
		return "at most " + report.Count(int64(n), "preemption")
	}
	known := ""
	if e.Known > 0 {
		known = fmt.Sprintf("; at least %d more are needed", e.Known)
	}
	switch {
	case e.Known == 0 && e.LeftOut == 0:
		return "all orders that races require, but some executions did not end"
	case e.Known == 0:
		return "all orders with " + within(e.Complete)
	case e.Complete < 0:
		return "some orders with " + within(e.Preemptions) + known
	case e.Preemptions > e.Complete:
		return fmt.Sprintf("all orders with %s, some with %d%s", within(e.Complete), e.Preemptions, known)
	}
	return "all orders with " + within(e.Complete) + known
}

// endedBy says what ended the search.
func (e *exploration) endedBy() string {
	switch e.Ended {
	case explore.OutOfTime:
		return "--budget " + e.budget
	case explore.Interrupted:
		return "an interruption"
	}
	return fmt.Sprintf("--runs %d", e.runs)
}

// sameText says what is the same in every execution, and in how many if that is not all orders.
func (e *exploration) sameText() string {
	if e.Report.Exhausted {
		return "the same in every execution"
	}
	return "the same memory, findings and end in every execution"
}

// exploreJSON is the object that explore --json prints; docs/json.md describes each key.
type exploreJSON struct {
	Schema      string        `json:"schema"`
	Result      string        `json:"result"`
	Ended       string        `json:"ended"`
	Exhausted   bool          `json:"exhausted"`
	Executions  int           `json:"executions"`
	Systematic  int           `json:"systematic"`
	Random      int           `json:"random"`
	Seed        uint64        `json:"seed"`
	Complete    int           `json:"complete_preemptions"`
	Preemptions int           `json:"most_preemptions"`
	Known       int           `json:"not_made"`
	LeftOut     int           `json:"left_out"`
	Outcomes    []outcomeJSON `json:"outcomes"`
	Schedule    string        `json:"schedule,omitempty"`
}

// outcomeJSON is an outcome in exploreJSON.
type outcomeJSON struct {
	End         string   `json:"end"`
	Executions  int      `json:"executions"`
	Differences []string `json:"differences"`
	Rounding    []string `json:"rounding"`
}

// endedNames are the values of the key ended.
var endedNames = map[explore.Ended]string{explore.Exhausted: "exhausted", explore.Different: "difference", explore.Limited: "runs",
	explore.OutOfTime: "budget", explore.Interrupted: "interrupted"}

// object returns the results as JSON.
func (e *exploration) object() *exploreJSON {
	o := &exploreJSON{Schema: "simtrun.explore/v1", Result: "same", Ended: endedNames[e.Ended], Exhausted: e.Report.Exhausted,
		Executions: e.Executions, Systematic: e.Executions - e.Random, Random: e.Random, Seed: e.seed,
		Complete: e.Complete, Preemptions: e.Preemptions, Known: e.Known, LeftOut: e.LeftOut}
	for _, one := range e.Outcomes {
		o.Outcomes = append(o.Outcomes, outcomeJSON{endText(one), one.Executions, e.differences(one), e.roundings(one)})
	}
	if len(e.Outcomes) > 1 {
		var script strings.Builder
		e.Outcomes[1].Schedule.Write(&script)
		o.Result, o.Schedule = "depends", script.String()
	}
	return o
}
