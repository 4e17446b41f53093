package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/docs"
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// fingerprint is the name under which a result has the ID of its finding.
	fingerprint = "simtrun/v1"
	homepage    = "https://github.com/simtrun/simtrun"
	// sourceRoot is the base of relative paths: the folder in which the command ran.
	sourceRoot = "%SRCROOT%"
)

// The objects of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  *sarifAutomation  `json:"automationDetails,omitempty"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string        `json:"id"`
		Short         sarifMessage  `json:"shortDescription"`
		Full          sarifMessage  `json:"fullDescription"`
		HelpURI       string        `json:"helpUri"`
		Help          sarifMarkdown `json:"help"`
		Configuration sarifLevel    `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifMarkdown struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifInvocation struct {
		Successful bool `json:"executionSuccessful"`
		ExitCode   int  `json:"exitCode"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Occurrences  int64              `json:"occurrenceCount"`
		Baseline     string             `json:"baselineState,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line    int           `json:"startLine"`
		Column  int           `json:"startColumn,omitempty"`
		Snippet *sarifMessage `json:"snippet,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		// Decorated is the name in PTX, if that is another.
		Decorated string `json:"decoratedName,omitempty"`
		Kind      string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// Tool is the simtrun that writes a SARIF file.
type Tool struct {
	Version  string
	Revision string // tag or commit of the repository that has its pages; "" for the newest
	// Category distinguishes the file from others about the same commit; "" if its reader decides. GitHub replaces
	// results of the same tool and category.
	Category string
}

// rulesPage returns the address of docs/rules.md.
func (t Tool) rulesPage() string {
	return homepage + "/blob/" + cmp.Or(t.Revision, "main") + "/docs/rules.md"
}

// SARIF returns the findings as a SARIF file. compared says that there is a baseline, and ran that the program could
// be run; the command ends with exit.
func (v *Verdict) SARIF(tool Tool, compared, ran bool, exit int) []byte {
	run := sarifRun{Invocations: []sarifInvocation{{ran, exit}}, Results: []sarifResult{}}
	if tool.Category != "" {
		run.Automation = &sarifAutomation{strings.TrimSuffix(tool.Category, "/") + "/"} // GitHub's category is what precedes the last slash
	}
	run.Tool.Driver = sarifDriver{Name: "simtrun", Version: tool.Version, InformationURI: homepage, Rules: []sarifRule{}}
	var rules []string
	for _, f := range v.Findings {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	for _, id := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, v.ruleOf(id, tool.rulesPage()))
	}
	for _, f := range v.Findings {
		r := resultOf(f)
		r.RuleIndex = slices.Index(rules, f.Rule)
		if compared {
			r.Baseline = "new"
			if f.Known {
				r.Baseline = "unchanged"
			}
		}
		run.Results = append(run.Results, r)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}}); err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return b.Bytes()
}

// ruleOf describes a rule, which has a section on the page at rules. Its level is the highest of its findings.
func (v *Verdict) ruleOf(id, rules string) sarifRule {
	highest := check.Info
	for _, f := range v.Findings {
		if f.Rule == id {
			highest = max(highest, f.Severity)
		}
	}
	page := docs.Rule(id)
	cause, _, _ := strings.Cut(strings.TrimPrefix(page, "**Cause.** "), "\n\n")
	cause = strings.Join(strings.Fields(cause), " ")
	first, _, _ := strings.Cut(links.ReplaceAllString(cause, "$1"), ". ")
	return sarifRule{ID: id, Short: sarifMessage{strings.TrimSuffix(first, ".") + "."}, Full: sarifMessage{plain(cause, rules)}, HelpURI: rules + "#" + id,
		Help: sarifMarkdown{plain(page, rules), linked(page, rules, "[$1]($2)")}, Configuration: sarifLevel{levelOf(highest)}}
}

func levelOf(s check.Severity) string {
	switch s {
	case check.Error:
		return "error"
	case check.Warning:
		return "warning"
	}
	return "note"
}

func resultOf(f *Finding) sarifResult {
	r := sarifResult{RuleID: f.Rule, Level: levelOf(f.Severity), Message: sarifMessage{f.Text()}, Fingerprints: map[string]string{fingerprint: f.ID}, Occurrences: f.Count}
	if f.At.File != "" {
		at := locationOf(&f.At)
		if f.Kernel != "" {
			at.Logical = []sarifLogical{{cxx.Short(f.Kernel), cxx.Name(f.Kernel), cxx.Mangled(f.Kernel), "function"}}
		}
		r.Locations = []sarifLocation{at}
	}
	for _, other := range slices.Concat(f.Other, f.Related) {
		if other.File != "" {
			at := locationOf(&other)
			at.Message = &sarifMessage{other.Role}
			r.Related = append(r.Related, at)
		}
	}
	if s := f.Suppressed; s != nil {
		kind := "external"
		if s.InSource {
			kind = "inSource"
		}
		r.Suppressions = []sarifSuppression{{kind, s.Reason}}
	}
	return r
}

func locationOf(p *Place) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact = artifactOf(p.File)
	if p.Line > 0 {
		l.Physical.Region = &sarifRegion{Line: p.Line, Column: p.Column}
		if p.Text != "" {
			l.Physical.Region.Snippet = &sarifMessage{p.Text}
		}
	}
	return l
}

// artifactOf returns the reference to a file: relative to the folder in which the command ran if it is below that.
func artifactOf(file string) sarifArtifact {
	if name := relative(file); !filepath.IsAbs(name) {
		return sarifArtifact{(&url.URL{Path: filepath.ToSlash(name)}).EscapedPath(), sourceRoot}
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
}

// relative returns a path relative to the current folder if it is below that, or else unchanged.
func relative(file string) string {
	if !filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return file
	}
	if name, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(name) {
		return name
	}
	return file
}
