// Package page has the files of the explorer's page, which are built from the folder web: make -C web.
package page

import (
	_ "embed"

	"github.com/simtrun/simtrun/internal/loopback"
	"github.com/simtrun/simtrun/internal/packed"
)

//go:embed page.txtar.gz
var archive []byte

// Policy is the page's Content-Security-Policy: scripts and messages are its own, nothing else is loaded. The editor
// makes rules of style.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are the types of the page's files. "" is the page itself.
var types = map[string]string{"index.html": "text/html; charset=utf-8", "explorer.js": "text/javascript; charset=utf-8", "explorer.css": "text/css; charset=utf-8"}

// Files returns the files of the page, by the paths under which they are served.
func Files() map[string]loopback.File {
	all := make(map[string]loopback.File)
	files := packed.Open(archive)
	for name, typ := range types {
		data, err := files.Read(name)
		if err != nil {
			panic("simtrun bug: " + err.Error())
		}
		all[name] = loopback.File{Type: typ, Data: data}
	}
	all[""] = all["index.html"]
	return all
}
