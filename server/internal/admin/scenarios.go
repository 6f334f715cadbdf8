package admin

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
)

type scenarioInfo struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Tags        []string    `json:"tags,omitempty"`
	Source      string      `json:"source,omitempty"` // Source is the place in its file, as file:line.
	When        []string    `json:"when,omitempty"`   // When has its conditions, in words.
	Replies     []replyInfo `json:"replies"`
	Holds       []string    `json:"holds,omitempty"`
}

type replyInfo struct {
	Kind string   `json:"kind"`           // Kind is message, stream or error.
	When []string `json:"when,omitempty"` // When has its own conditions, in words.
	// Times is how often an API key can get the reply, and Given how often the key has got
	// it. Both are absent for a reply without times.
	Times  int      `json:"times,omitempty"`
	Given  *int     `json:"given,omitempty"`
	Chance *float64 `json:"chance,omitempty"` // Chance is how likely the reply is; absent for always.
}

type scenarioList struct {
	Scenarios []scenarioInfo `json:"scenarios"`
	// Forgotten says which counts began anew because there are too many; absent if none did.
	Forgotten limits.Forgotten `json:"forgotten,omitzero"`
}

// listScenarios lists the scenarios that answer the API key in the query.
func (h *Handler) listScenarios(r *http.Request) (any, *apierror.Error) {
	list := []scenarioInfo{}
	for _, sc := range h.fake.ScenariosFor(keyAskedFor(r)).Scenarios() {
		list = append(list, h.describeScenario(sc, keyAskedFor(r)))
	}
	return scenarioList{list, h.fake.Counters.Forgotten()}, nil
}

type sentList struct {
	Sends map[string]string `json:"sends"` // Sends has a sentence for each scenario with a reply, by its name.
	Plain string            `json:"plain"` // Plain says who answers a plain request of each API.
}

// listSent says what the scenarios that answer the API key in the query send.
func (h *Handler) listSent(r *http.Request) (any, *apierror.Error) {
	var list sentList
	list.Sends, list.Plain = h.fake.Sends(h.fake.ScenariosFor(keyAskedFor(r)))
	return list, nil
}

// sentScenarios is the file name in problems of scenarios that came over HTTP.
const sentScenarios = "scenarios.yaml"

// changeFiles is PutScenarios, AddScenarios or PutFaults of a [Server].
type changeFiles func(s Server, apiKey string, files ...yamlfile.Source) error

// takeFiles returns the handler that passes the files in the body to change, and then lists what there is.
// Code is that of the error for files with problems.
func (h *Handler) takeFiles(change changeFiles, code string, list answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit := h.fake.MaxBody
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		files, err := readFiles(r)
		if err != nil {
			writeError(w, unread(err, limit))
			return
		}
		if err := change(h.fake, keyAskedFor(r), files...); err != nil {
			writeLoadError(w, code, err)
			return
		}
		list.ServeHTTP(w, r)
	}
}

// readFiles reads the scenario files in a body: the files of a form, or else the body as one.
func readFiles(r *http.Request) ([]yamlfile.Source, error) {
	form, err := r.MultipartReader()
	if errors.Is(err, http.ErrNotMultipart) {
		data, err := io.ReadAll(r.Body)
		return []yamlfile.Source{{Name: sentScenarios, Data: data}}, err
	}
	var files []yamlfile.Source
	for err == nil {
		var part *multipart.Part
		if part, err = form.NextRawPart(); err != nil {
			break
		}
		file := yamlfile.Source{Name: fileName(part)}
		file.Data, err = io.ReadAll(part) // with io.ErrUnexpectedEOF if the form breaks off
		files = append(files, file)
	}
	switch {
	case !errors.Is(err, io.EOF):
		return nil, err
	case files == nil:
		return nil, errors.New("the form has no file")
	}
	return files, nil
}

// fileName returns the name of a file in a form, with its folders, which [multipart.Part.FileName] leaves out.
func fileName(part *multipart.Part) string {
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition")) // without the name if it is invalid
	return cmp.Or(params["filename"], sentScenarios)
}

// unread is the error answer to a request whose body could not be read.
func unread(err error, limit int64) *apierror.Error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return apierror.Refusal(http.StatusRequestEntityTooLarge, apierror.CodeBodyTooLarge,
			fmt.Sprintf("The scenarios are larger than the %d bytes that this server accepts; start it with --max-body SIZE (in Go Config.MaxBody) to send more.", limit))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return apierror.Refusal(http.StatusRequestTimeout, apierror.CodeBodyTooSlow,
			"The scenarios were not complete in the time that this server waits for a body; start it with --body-timeout DURATION (in Go Config.BodyTimeout) to let it wait longer.")
	}
	return apierror.Refusal(http.StatusBadRequest, apierror.CodeBodyUnreadable, fmt.Sprintf("The scenarios cannot be read: %v.", err))
}

// delete returns the handler that removes what an API key got over HTTP.
func (h *Handler) delete(change changeFiles) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := change(h.fake, keyAskedFor(r)); err != nil {
			writeLoadError(w, apierror.CodeScenarios, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

type faultInfo struct {
	Fault  string   `json:"fault"`            // Fault is what goes wrong, as the journal names it.
	Source string   `json:"source,omitempty"` // Source is the place in its file, as file:line.
	When   []string `json:"when,omitempty"`   // When has the conditions of its document and its own, in words.
	Times  int      `json:"times,omitempty"`
	Chance *float64 `json:"chance,omitempty"` // Chance is how likely the fault is; absent for always.
}

// listFaults lists the faults that hold for the API key in the query, in the order in which they are tried.
func (h *Handler) listFaults(r *http.Request) (any, *apierror.Error) {
	list := []faultInfo{}
	for _, doc := range h.fake.Faults(keyAskedFor(r)) {
		for i := range doc.List {
			f := &doc.List[i]
			when := append(doc.AsScenario().When.Conditions(), f.When.Conditions()...)
			list = append(list, faultInfo{doc.Describe(i), sourceOf(f.Pos), when, f.Times, f.Chance})
		}
	}
	return map[string][]faultInfo{"faults": list}, nil
}

// writeLoadError answers 422 with the problems, because of which the old scenarios or faults are kept. The
// error has the members that OpenAI's errors have.
func writeLoadError(w http.ResponseWriter, code string, err error) {
	diags, _ := errors.AsType[diag.List](err)
	kept := "scenarios"
	if code == apierror.CodeFaults {
		kept = "faults"
	}
	e := map[string]any{"code": code, "message": "The old " + kept + " are kept: " + err.Error(), "param": nil, "type": apierror.InvalidRequest}
	writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"diagnostics": append(diag.List{}, diags...), "error": e})
}

// sourceOf returns a place in a file as file:line; "" for what was made in Go.
func sourceOf(p diag.Pos) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (h *Handler) describeScenario(s *scenarios.Scenario, apiKey string) scenarioInfo {
	info := scenarioInfo{Name: s.Name, Description: s.Description, Tags: s.Tags, Source: sourceOf(s.Pos), When: s.When.Conditions(), Replies: []replyInfo{}}
	for i := range s.Replies {
		r := &s.Replies[i]
		reply := replyInfo{Kind: "error", When: r.When.Conditions(), Times: r.Times, Chance: r.Chance}
		switch {
		case r.Whole() != "":
			reply.Kind = r.Whole()
		case r.Message != nil:
			reply.Kind = "message"
		case r.Stream != nil:
			reply.Kind = "stream"
		}
		if r.Times > 0 {
			reply.Given = new(h.fake.Counters.Given(apiKey, s.Name, i))
		}
		info.Replies = append(info.Replies, reply)
	}
	for _, name := range s.Holds() {
		if !slices.Contains(info.Holds, name) {
			info.Holds = append(info.Holds, name)
		}
	}
	return info
}
