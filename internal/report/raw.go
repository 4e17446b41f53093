package report

import "fmt"

func writeRaw(w *sheet, d *Document) {
	eachProfile(w, d, func(l *Launch) {
		w.WriteString("\n")
		for _, m := range l.Metrics {
			fmt.Fprintf(w, "  %-38s %-18s %s\n", m.Name, m.Unit, rounded(m.Value))
			if m.NCU != "" {
				fmt.Fprintf(w, "    %s\n", m.NCU)
			}
		}
	})
}
