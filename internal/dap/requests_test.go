package dap

import (
	"reflect"
	"testing"

	"github.com/google/go-dap"
)

// TestHandlers: each handler takes the type of request that its command is decoded as.
func TestHandlers(t *testing.T) {
	for _, h := range handlers {
		m, err := dap.DecodeProtocolMessage([]byte(`{"type":"request","command":"` + h.command + `"}`))
		if err != nil {
			t.Errorf("%s: %v", h.command, err)
			continue
		}
		if (h.do == nil) == (h.no == "") {
			t.Errorf("%s: it has either a method or a reason why not", h.command)
		}
		if h.do == nil {
			continue
		}
		in, out := []reflect.Type{reflect.TypeFor[*session](), reflect.TypeOf(m)}, []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[error]()}
		if got := reflect.TypeOf(h.do); got != reflect.FuncOf(in, out, false) {
			t.Errorf("%s: the method is a %v", h.command, got)
		}
	}
}
