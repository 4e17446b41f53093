package dap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// requestsOfSpecification returns the commands of the requests that go-dap has, which it has from the specification.
func requestsOfSpecification(t *testing.T) (commands []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/google/go-dap").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schematypes.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		of, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if name, is := strings.CutSuffix(of.Name.Name, "Request"); is && name != "" && name != "LaunchAttach" {
			commands = append(commands, strings.ToLower(name[:1])+name[1:])
		}
		return false
	})
	if len(commands) < 40 {
		t.Fatalf("%d requests: %v", len(commands), commands)
	}
	return commands
}

// TestEveryRequestHasHandlerOrReason: each request of the specification has a handler or a reason why not, each handler
// takes the type of request that its command is decoded as, and docs/dap.md says what each request does.
func TestEveryRequestHasHandlerOrReason(t *testing.T) {
	page, err := os.ReadFile("../../docs/dap.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Requests")
	table, refused, _ := strings.Cut(table, "Not supported:")
	refused, _, _ = strings.Cut(refused, "\n## ")
	has := func(text, command string) bool { return regexp.MustCompile("`" + command + "`").MatchString(text) }
	commands := requestsOfSpecification(t)
	for _, command := range commands {
		h := handlerOf(command)
		if h == nil {
			t.Errorf("%s has no handler", command)
			continue
		}
		if (h.do == nil) == (h.no == "") {
			t.Errorf("%s has either a method or a reason why not", command)
		}
		if has(table, command) != (h.do != nil) || has(refused, command) != (h.do == nil) {
			t.Errorf("docs/dap.md says otherwise of %s", command)
		}
		m, err := dap.DecodeProtocolMessage([]byte(`{"type":"request","command":"` + command + `"}`))
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if h.do == nil {
			continue
		}
		in, out := []reflect.Type{reflect.TypeFor[*session](), reflect.TypeOf(m)}, []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[error]()}
		if got := reflect.TypeOf(h.do); got != reflect.FuncOf(in, out, false) {
			t.Errorf("%s: the method is a %v", command, got)
		}
	}
	for _, h := range handlers {
		if !slices.Contains(commands, h.command) {
			t.Errorf("the specification has no request %s", h.command)
		}
	}
}
