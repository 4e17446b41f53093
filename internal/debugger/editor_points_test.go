package debugger

import "testing"

func TestLikestFileSharesMostFolders(t *testing.T) {
	names := []string{"lib/sum.cu", "/home/a/app/sum.cu", "./k.s", "b/k.s", "main.cu"}
	for file, want := range map[string]string{
		"/home/a/app/sum.cu":    "/home/a/app/sum.cu",
		"/src/lib/sum.cu":       "lib/sum.cu",
		"/moved/app/sum.cu":     "/home/a/app/sum.cu",
		"/elsewhere/sum.cu":     "lib/sum.cu",
		"k.s":                   "./k.s",
		"/x/b/k.s":              "b/k.s",
		"/x/main.cu":            "main.cu",
		"/x/none.cu":            "/x/none.cu",
		"/home/a/app/domain.cu": "/home/a/app/domain.cu",
	} {
		if got := likestFile(file, names); got != want {
			t.Errorf("%s is taken for %s, want %s", file, got, want)
		}
	}
}
