package debugger

import (
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// Of "extern __shared__ __align__(16) float s[];" the words before the type, and its parts. Compilers have no debug
// information on a variable that is only declared.
var (
	sharedWords = regexp.MustCompile(`\b(?:extern|__shared__|volatile|__restrict__|(?:__align__|alignas|__attribute__)\s*\(+[^)]*\)+)\s*`)
	sharedForm  = regexp.MustCompile(`^\s*(?:[{};]\s*)*((?:const\s+)?(?:unsigned\s+|signed\s+)?[\w:]+(?:<[^;]*>)?(?:\s+(?:int|long|char|short))*[\s*]*)\b(\w+)\s*\[\s*\]\s*(\[\d+\])?\s*;`)
)

// dynamic returns the dynamic shared memory that the source declares with a name, as an array of all its bytes.
func (s *scope) dynamic(name string) (l lvalue, ok bool) {
	o, ok := s.object(name)
	if !ok || o.space != "shared" || !s.info().HasVariables() {
		return l, false
	}
	elem := s.declaredElement(name[strings.LastIndexByte(name, ':')+1:])
	if elem == nil || elem.Size <= 0 {
		return l, false
	}
	array := debuginfo.ArrayOf(elem, int64(o.size)/elem.Size)
	return lvalue{typ: array, text: name, space: o.space, addr: uniform(isa.U64, o.addr), inMemory: true}, true
}

// declaredElement returns the type of the elements of an array of dynamic shared memory; nil if no file declares it.
func (s *scope) declaredElement(name string) *debuginfo.Type {
	for _, file := range s.d.codeFiles() {
		for _, line := range s.d.sourceLines(file) {
			if !strings.Contains(line, "extern") || !strings.Contains(line, "__shared__") {
				continue
			}
			m := sharedForm.FindStringSubmatch(sharedWords.ReplaceAllString(line, ""))
			if m == nil || m[2] != name {
				continue
			}
			if t, err := s.typeNamed(strings.TrimSpace(m[1]) + m[3]); err == nil {
				return t
			}
			return s.info().TemplateType(s.fn(), strings.TrimSpace(m[1]))
		}
	}
	return nil
}
