package render

import (
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/finding"
)

// What SARIF 2.1.0 has for findings. Of the standard's many fields these are the ones
// that say something of ours.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool              sarifTool         `json:"tool"`
		Invocations       []sarifInvocation `json:"invocations"`
		AutomationDetails sarifID           `json:"automationDetails"`
		Results           []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		Name             string       `json:"name"`
		ShortDescription sarifMessage `json:"shortDescription"`
		Configuration    sarifLevel   `json:"defaultConfiguration"`
		Properties       sarifTags    `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifMessage       `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		Rank         float64            `json:"rank"`
		Properties   sarifFacts         `json:"properties"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifFacts struct {
		Severity string `json:"severity"`
		Anchor   string `json:"anchor"`
		Side     string `json:"side"`
		Check    string `json:"check"`
		ID       string `json:"id"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// ReviewSARIF returns a Review as SARIF 2.1.0 by a program of a version: one rule for
// each category, of which all are declared; the findings that are shown, and those that
// people dismissed as suppressed. What was not done makes the run unsuccessful.
func ReviewSARIF(r *Review, version string) (string, error) {
	run := sarifRun{
		Tool:              sarifTool{sarifDriver{Name: "satchel", Version: version}},
		Invocations:       []sarifInvocation{{Successful: len(r.Incomplete) == 0, Notifications: []sarifNotification{}}},
		AutomationDetails: sarifID{"satchel/review/"},
		Results:           []sarifResult{},
	}
	index := map[string]int{}
	for i, c := range finding.Categories {
		index[c] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: c, Name: pascal(c), ShortDescription: sarifMessage{Text: "A review found a defect: " + categoryWords(c)},
			Configuration: sarifLevel{"warning"}, Properties: sarifTags{[]string{categoryWords(c)}},
		})
	}
	for _, g := range r.Incomplete {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifMessage{Text: g.What + ": " + g.Why}})
	}
	if paths := r.Coverage.Unlooked; len(paths) > 0 {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"warning", sarifMessage{Text: "not looked at: " + names(paths)}})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.State != finding.Visible && f.State != finding.Dismissed {
			continue
		}
		run.Results = append(run.Results, sarifOf(f, index))
	}
	return cleanJSON(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// sarifOf returns a finding as a result.
func sarifOf(f *finding.Finding, index map[string]int) sarifResult {
	x := sarifResult{
		RuleID: f.Category, Level: sarifLevelOf(f.Severity),
		Message:      sarifMessage{Text: sarifText(f), Markdown: "**" + prose(f.Title) + "**\n\n" + strings.TrimSpace(findingWords(f))},
		Locations:    []sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifact{pathURI(f.Path), "%SRCROOT%"}}}},
		Fingerprints: map[string]string{"satchel/v1": f.Fingerprint},
		Rank:         float64(f.Confidence),
		Properties:   sarifFacts{string(f.Severity), string(f.Anchor), string(f.Side), string(f.Check), f.ID},
	}
	k, ok := index[f.Category]
	if !ok {
		x.RuleID, k = "other", index["other"]
	}
	x.RuleIndex = k
	if f.From > 0 && f.Side == finding.New {
		x.Locations[0].Physical.Region = &sarifRegion{f.From, f.To}
	}
	for i, e := range standing(f) {
		x.Related = append(x.Related, sarifLocation{
			ID: i + 1, Message: &sarifMessage{Text: e.Quote},
			Physical: sarifPhysical{sarifArtifact{pathURI(e.Path), "%SRCROOT%"}, &sarifRegion{e.Line, e.Line}},
		})
	}
	if f.State == finding.Dismissed {
		x.Suppressions = []sarifSuppression{{Kind: "external", Justification: "dismissed with satchel review dismiss"}}
	}
	return x
}

// sarifText is a finding as plain text.
func sarifText(f *finding.Finding) string {
	var out []string
	for _, s := range []string{f.Title, f.Consequence, f.Body} {
		if s != "" {
			out = append(out, s)
		}
	}
	if f.Side == finding.Old && f.From > 0 {
		out = append(out, fmt.Sprintf("It was at line %d before the change.", f.From))
	}
	return strings.Join(out, "\n\n")
}

func sarifLevelOf(s finding.Severity) string {
	switch s {
	case finding.Critical, finding.High:
		return "error"
	case finding.Medium:
		return "warning"
	}
	return "note"
}

func pascal(s string) string {
	var b strings.Builder
	for _, w := range strings.Split(s, "_") {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// pathURI returns a path as a relative URI: all but letters, digits and a few signs as
// %XX.
func pathURI(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
