package whole

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Moderations is the API of /v1/moderations.
type Moderations struct{ surface.Unstreamed }

var _ surface.Whole = Moderations{}

var moderationsInfo = surface.Info{
	Name: scenarios.SurfaceModerations, Title: "moderations", Path: "/moderations", DefaultModel: "omni-moderation-latest",
	Example:   `{"model":"omni-moderation-latest","input":"Hello"}`,
	Operation: "moderations", AzureOperation: "Moderations_Create",
	Says: saysNothing, ModelNotFound: apierror.ModelNotFound,
}

// Info returns what the server knows of the API.
func (Moderations) Info() *surface.Info { return &moderationsInfo }

// expectedModerated names the types of what is moderated, in the real service's words.
const expectedModerated = "one of a string, array of strings, or array of objects"

// Read parses a request. Each text, and the URL of each image, counts as a user message, so that
// conditions find it.
func (Moderations) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(moderationsInfo.Name, header, body, moderationsTable(), func(req *scenarios.Request) *request.Error {
		req.Stream = false
		in := req.Body.Get("input")
		if in.IsNullOrAbsent() {
			return request.Bad("input", "missing_required_parameter", "Missing required parameter: 'input'.")
		}
		for _, part := range partsOf(in) {
			req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "user", Text: part.text})
			req.LastUser = part.text
			req.PromptTokens += script.Tokens(part.text)
		}
		return nil
	})
}

// part is a text or an image that is moderated.
type part struct {
	text   string // text is the URL of an image.
	image  bool
	scores map[string]float64 // scores are those of the rules, by category.
}

// partsOf lists what a request wants moderated: a text, or a list of texts or of parts.
func partsOf(in ojson.Value) (list []part) {
	if in.Kind() == ojson.StringKind {
		return []part{{text: in.Text()}}
	}
	for _, item := range in.Items() {
		switch {
		case item.Kind() == ojson.StringKind:
			list = append(list, part{text: item.Text()})
		case item.Get("type").Text() == "image_url":
			list = append(list, part{text: item.Get("image_url").Get("url").Text(), image: true})
		default:
			list = append(list, part{text: item.Get("text").Text()})
		}
	}
	return list
}

var moderationsTable = sync.OnceValue(func() *request.Table {
	str := request.Str()
	parts := request.Objects(1, request.Unbounded, request.Union("type",
		request.CaseOf("text", request.Need("text", str)),
		request.CaseOf("image_url", request.Need("image_url", request.Object(request.Need("url", str))))))
	texts := request.Strs(1, request.Unbounded, str)
	list := func(c *request.Checker, v ojson.Value) {
		if items := v.Items(); len(items) > 0 && items[0].Kind() == ojson.StringKind {
			texts(c, v)
			return
		}
		parts(c, v)
	}
	seen := request.OpenObject(request.May("type", str).Seen(), request.May("text", str).Seen(),
		request.May("image_url", request.OpenObject(request.May("url", str).Seen())).Seen())
	textOrSeen := request.Objects(0, request.Unbounded, func(c *request.Checker, v ojson.Value) {
		if v.Kind() != ojson.StringKind {
			seen(c, v)
		}
	})
	return &request.Table{Older: always, Members: []request.Member{
		request.Need("input", request.TextOr(expectedModerated, str, ojson.ArrayKind, request.Leniently(list, textOrSeen))).Seen(),
		request.May("model", str).Seen(),
	}}
})

// Tables has the check of requests and the categories, for the test that compares them with OpenAI's types.
func (Moderations) Tables() map[string]any {
	categories := map[string][]string{"results[].categories": scenarios.ModerationCategories()}
	return map[string]any{"request": request.Object(moderationsTable().Members...), "answer": categories}
}

// Check returns the error with which api.openai.com refuses the request; nil if it does not.
func (Moderations) Check(req *scenarios.Request) *request.Error {
	return moderationsTable().Check(req)
}

// Body is the list of results: one for each text of a list, one for all parts together.
func (Moderations) Body(sel *scenarios.Selection) string {
	req, model := sel.Request, modelOf(sel.Request, &moderationsInfo)
	parts := partsOf(req.Body.Get("input"))
	groups := [][]part{parts}
	if items := req.Body.Get("input").Items(); len(items) > 0 && items[0].Kind() == ojson.StringKind {
		groups = slices.Collect(slices.Chunk(parts, 1))
	}
	for i := range parts {
		parts[i].scores = sel.Reply.Moderations.Scores(parts[i].text)
	}
	var results []ojson.Value
	for _, group := range groups {
		results = append(results, result(group, !strings.HasPrefix(model, "text-moderation-")))
	}
	return string(ojson.Style{Indent: "  "}.Append(nil, ojson.Object(
		ojson.M("id", ojson.String("modr-"+invent.Text(invent.RequestRand(sel, "moderation"), invent.Base62, 29))),
		ojson.M("model", ojson.String(surface.Snapshot(model))),
		ojson.M("results", ojson.Array(results...)),
	))) + "\n"
}

// ofImages are the categories that are looked for in images, too.
var ofImages = []string{"self-harm", "self-harm/intent", "self-harm/instructions", "sexual", "violence", "violence/graphic"}

// result is what is found in the parts together. The older models, which are not omni, have no
// category of what is illicit and do not say in which types of input they looked.
func result(parts []part, omni bool) ojson.Value {
	flagged, flags, scores, applied := false, ojson.Object(), ojson.Object(), ojson.Object()
	for _, name := range scenarios.ModerationCategories() {
		if !omni && strings.HasPrefix(name, "illicit") {
			continue
		}
		score, types := 0.0, []ojson.Value{}
		for _, p := range parts {
			if p.image && !slices.Contains(ofImages, name) {
				continue
			}
			score = max(score, p.scores[name])
			if kind := ojson.String(map[bool]string{true: "image", false: "text"}[p.image]); !slices.ContainsFunc(types, func(v ojson.Value) bool { return v.Text() == kind.Text() }) {
				types = append(types, kind)
			}
		}
		is := score >= scenarios.FlaggedScore
		flagged = flagged || is
		flags.Set(name, ojson.Bool(is))
		scores.Set(name, scoreJSON(score))
		applied.Set(name, ojson.Array(types...))
	}
	v := ojson.Object(ojson.M("flagged", ojson.Bool(flagged)), ojson.M("categories", flags), ojson.M("category_scores", scores))
	if omni {
		v.Set("category_applied_input_types", applied)
	}
	return v
}

func scoreJSON(score float64) ojson.Value {
	if score == 0 {
		return ojson.Number(surface.Harmless)
	}
	return ojson.Number(strconv.FormatFloat(score, 'f', -1, 64))
}
