// Package report shows what a run came to: text for people, JSON and CSV for programs. A function that returns no
// error leaves write errors to its writer, which keeps them, as a bufio.Writer does.
//
// # The life of a figure
//
// Package launch runs with a profile.Collector and a clock, and returns a launch.Result. NewDocument (build.go) makes
// plain data of it, once: a Document, with each launch's metrics, instructions, time and advice (advice.go).
// Everything else renders the Document: pages (page.go has the table of them), CSV, pprof, and JSON, which -o saves
// and simtrun report reads back (ReadDocument). NewDiff compares two of them. To show a new figure on a page, add it
// to the document first. docs/report.schema.json is made from its types and their comments: go test ./internal/report
// -update.
package report
