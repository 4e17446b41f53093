// Package view has the sessions of the explorer: it loads a program, executes its launches once, and then answers
// what one view of it shows at one moment. It knows neither files nor networks: a client sends a Request and gets one
// Answer, each a line of JSON.
//
// The engine is package debugger. Open executes the launches in their own order, up to a limit of instructions, and
// records which instruction which warp executed, with which lanes; the debugger makes copies on the way. The time
// line, the steps of a warp and the marks of lines come from the record. Other states are those of the machine: the
// debugger puts back the copy before the moment and executes the rest again.
//
// # Messages
//
// A Request has the Version, an ID, which the Answer repeats, and exactly one of its other members. An Answer has an
// Error, or the member that answers it. The types of this package are the schema; docs/view.schema.json is made from
// them.
package view
