package report

import (
	"fmt"

	"github.com/simtrun/simtrun/profile"
)

func writeRaw(w *sheet, r *Run) {
	for i, l := range r.profiles() {
		if i > 0 {
			w.WriteString("\n")
		}
		writeHeading(w, l)
		w.WriteString("\n")
		for _, v := range profile.Values(&l.Profile.Total) {
			fmt.Fprintf(w, "  %-36s %-18s %s\n", v.Name, v.Unit, rounded(v.Number))
		}
	}
}
