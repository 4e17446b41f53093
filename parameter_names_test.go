package simtrun

import "testing"

// TestLoadNamesParameters: programs that the driver loads have the names of the source, as files of the command have.
func TestLoadNamesParameters(t *testing.T) {
	const head, file = ".version 8.0\n.target sm_80\n.address_size 64\n", "\t.file\t1 \"/src/k.cu\"\n"
	for _, c := range []struct{ kernel, param, files, want string }{
		{"_Z3addPi", "_Z3addPi_param_0", "", "param_0"},
		{"add", "add_param_0", file, "param_0"},   // extern "C", compiled
		{"add", "add_param_0", "", "add_param_0"}, // PTX by hand
		{"add", "a", file, "a"},
	} {
		line := ""
		if c.files != "" {
			line = "\t.loc\t1 2 1\n"
		}
		p, err := Load("k.ptx", []byte(head+".entry "+c.kernel+"(.param .u64 "+c.param+")\n{\n"+line+"\tret;\n}\n"+c.files))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.mod.Entries()[0].Params[0].Shown(); got != c.want {
			t.Errorf("%s of %s is shown as %s, want %s", c.param, c.kernel, got, c.want)
		}
	}
}
