package fn

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingFuses: every product of floats is converted to float64 at once. Otherwise the language allows a compiler
// to fuse it with a sum, and Go does so on arm64 but not on amd64. Of package math, only functions with an exactly
// defined result are called: those of exactly.
func TestNothingFuses(t *testing.T) {
	files := token.NewFileSet()
	var parsed []*ast.File
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	if _, err := (&types.Config{Importer: exactly{}}).Check("fn", files, parsed, &info); err != nil {
		t.Fatal(err)
	}
	converted := make(map[ast.Expr]bool)
	products := 0
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if tv := info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 {
					converted[n.Args[0]] = true
				}
			case *ast.BinaryExpr:
				if tv := info.Types[n]; n.Op == token.MUL && tv.Value == nil && isFloat(tv.Type) {
					products++
					if !converted[n] {
						t.Errorf("%v: a product that may be fused", files.Position(n.Pos()))
					}
				}
			case *ast.AssignStmt:
				if n.Tok == token.MUL_ASSIGN && isFloat(info.Types[n.Lhs[0]].Type) {
					t.Errorf("%v: a product that may be fused", files.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if products == 0 {
		t.Error("no products seen")
	}
}

func isFloat(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// exactly imports the parts of the standard library that are the same on every machine.
type exactly struct{}

var libraries = map[string]string{
	"math": `package math
const ( Pi = 3.14159265358979323846264338327950288419716939937510582097494459; MaxFloat64 = 0x1p1023 * (1 + (1 - 0x1p-52)); MinInt32 = -1 << 31; MaxInt32 = 1<<31 - 1; MaxInt64 = 1<<63 - 1 )
func Abs(x float64) float64
func Copysign(x, y float64) float64
func FMA(x, y, z float64) float64
func Float64bits(x float64) uint64
func Float64frombits(b uint64) float64
func Frexp(x float64) (float64, int)
func Inf(sign int) float64
func IsInf(x float64, sign int) bool
func Ldexp(x float64, n int) float64
func Mod(x, y float64) float64
func NaN() float64
func Nextafter(x, y float64) float64
func Nextafter32(x, y float32) float32
func Remainder(x, y float64) float64
func RoundToEven(x float64) float64
func Signbit(x float64) bool
func Sqrt(x float64) float64
func Trunc(x float64) float64
`,
	"math/bits": `package bits
func Add64(x, y, carry uint64) (uint64, uint64)
func Sub64(x, y, borrow uint64) (uint64, uint64)
func Mul64(x, y uint64) (uint64, uint64)
func LeadingZeros64(x uint64) int
`,
}

// Import implements types.Importer.
func (exactly) Import(path string) (*types.Package, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, libraries[path], 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, files, []*ast.File{f}, nil)
}
