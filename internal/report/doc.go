// Package report presents the outcome of a run: text for people, JSON and CSV for programs. A function that returns
// no error leaves write errors to its writer, which must keep them, as a bufio.Writer does.
//
// # The life of a figure
//
// Package launch runs with a profile.Collector and a clock, and returns a launch.Result. NewDocument (build.go) turns
// it into plain data: a Document, with each launch's metrics, instructions, time and advice (advice.go). Everything
// else renders the Document: pages (listed in page.go), CSV, pprof, and JSON, which -o saves and simtrun report reads
// back (ReadDocument). NewDiff compares two of them. To show a new figure on a page, add it to the document first.
// docs/report.schema.json is generated from its types and their comments: go test ./internal/report -update.
package report
