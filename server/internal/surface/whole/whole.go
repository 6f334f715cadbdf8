// Package whole has the APIs whose answers are never streamed: embeddings and moderations. Each
// answer is one JSON object, which follows from the rules of a scenario and the inputs of a request.
package whole

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
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
	"github.com/fakeopenai/fakeopenai/server/internal/vector"
)

// Embeddings is the API of /v1/embeddings.
type Embeddings struct{ surface.Unstreamed }

var _ surface.Whole = Embeddings{}

var embeddingsInfo = surface.Info{
	Name: scenarios.SurfaceEmbeddings, Title: "embeddings", Path: "/embeddings", DefaultModel: "text-embedding-3-small",
	Example:   `{"model":"text-embedding-3-small","input":"Hello"}`,
	Operation: "embeddings", AzureOperation: "Embeddings_Create", OnDeployments: true,
	Objects: []string{"list"}, Says: saysNothing, ModelNotFound: apierror.ModelNotFound,
}

func saysNothing(script.Beat) bool { return false }

// Info returns what the server knows of the API.
func (Embeddings) Info() *surface.Info { return &embeddingsInfo }

// The limits of the real service.
const (
	maxInputs        = 2048
	maxInputTokens   = 8192
	maxRequestTokens = 300_000
	// maxDimensions is the limit for models that OpenAI does not have.
	maxDimensions = 8192
)

// dimensionsOf is how many dimensions the vectors of a model have, and whether a request can ask
// for fewer.
func dimensionsOf(model string) (dimensions int, shortens bool) {
	switch {
	case strings.HasPrefix(model, "text-embedding-3-large"):
		return 3072, true
	case strings.HasPrefix(model, "text-embedding-ada-002"):
		return 1536, false
	}
	return 1536, true
}

// Read parses a request. Each input counts as a user message, so that conditions find it. What
// decides how long the answer is must be right, as in all requests.
func (Embeddings) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(embeddingsInfo.Name, header, body, embeddingsTable(), func(req *scenarios.Request) *request.Error {
		req.Stream = false
		if err := checkInput(req.Body.Get("input")); err != nil {
			return err
		}
		for _, in := range inputsOf(req.Body.Get("input")) {
			req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "user", Text: in.text})
			req.LastUser = in.text
			req.PromptTokens += in.tokens
		}
		if format := req.Body.Get("encoding_format"); !format.IsNullOrAbsent() && format.Text() != "float" && format.Text() != "base64" {
			return request.Bad("", "", "Invalid value for 'encoding_format' = %s. Supported values: ['float', 'base64'].", format.Text())
		}
		return cmp.Or(checkDimensions(req), inputsFit(req))
	})
}

func checkDimensions(req *scenarios.Request) *request.Error {
	n, asked := req.Body.Get("dimensions").Int()
	if !asked {
		return nil
	}
	most := int64(maxDimensions)
	if strings.HasPrefix(req.Model, "text-embedding-") {
		full, shortens := dimensionsOf(req.Model)
		if !shortens {
			return request.Bad("", "", "This model does not support specifying dimensions.")
		}
		most = int64(full)
	}
	if n > most {
		return request.Bad("", "", "Invalid value for 'dimensions' = %d. Must be less than or equal to %d.", n, most)
	}
	return nil
}

type input struct {
	text   string // text of an input in tokens has each as <|number|>, as their texts are not known.
	tokens int
}

// checkInput returns the error for inputs of which there are none or too many, or of which one is empty; nil for others:
// a text, a list of texts, a list of tokens, or a list of such lists.
func checkInput(in ojson.Value) *request.Error {
	if in.IsAbsent() {
		return request.Bad("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	valid := func(v ojson.Value) bool { return v.Kind() == ojson.StringKind && v.Text() != "" || isTokens(v) }
	items, ok := in.Items(), valid(in)
	if !ok && in.Kind() == ojson.ArrayKind && len(items) > 0 {
		ok = true
		for _, item := range items {
			ok = ok && valid(item) && item.Kind() == items[0].Kind()
		}
	}
	switch {
	case !ok:
		return request.Bad("", "", "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.")
	case len(items) > maxInputs:
		return request.Bad("input", "array_above_max_length", "Invalid 'input': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxInputs, len(items))
	}
	return nil
}

// isTokens reports whether a value is a list of the numbers of tokens.
func isTokens(v ojson.Value) bool {
	for _, item := range v.Items() {
		if n, fits := item.Int(); !fits || n < 0 {
			return false
		}
	}
	return v.Kind() == ojson.ArrayKind && len(v.Items()) > 0
}

// inputsOf lists the inputs of a request that was checked.
func inputsOf(v ojson.Value) (list []input) {
	if v.Kind() == ojson.StringKind || isTokens(v) {
		return []input{inputOf(v)}
	}
	for _, item := range v.Items() {
		list = append(list, inputOf(item))
	}
	return list
}

func inputOf(v ojson.Value) input {
	if v.Kind() == ojson.StringKind {
		return input{v.Text(), script.Tokens(v.Text())}
	}
	var text strings.Builder
	for _, token := range v.Items() {
		text.WriteString("<|" + token.Text() + "|>")
	}
	return input{text.String(), len(v.Items())}
}

var embeddingsTable = sync.OnceValue(func() *request.Table {
	return &request.Table{Older: always, Members: []request.Member{
		request.May("model", request.Str()).Seen(), request.May("user", request.Str()).Seen(),
		request.May("input", request.AnyValue), request.May("encoding_format", request.OneOf("float", "base64")),
		request.May("dimensions", request.Integer(1, math.MaxInt32)).Seen(),
	}}
})

// Tables has the check of requests, for the test that compares it with OpenAI's types.
func (Embeddings) Tables() map[string]any {
	return map[string]any{"request": request.Object(embeddingsTable().Members...)}
}

func always(*scenarios.Request) bool { return true }

// Check returns the error with which api.openai.com refuses the request; nil if it does not.
func (Embeddings) Check(req *scenarios.Request) *request.Error {
	if req.Model == "" {
		return request.Bad("", "", "you must provide a model parameter")
	}
	if surface.IsKnownModel(req.Model) && !strings.HasPrefix(req.Model, "text-embedding-") {
		return apierror.Refusal(http.StatusForbidden, "", "You are not allowed to generate embeddings from this model")
	}
	return embeddingsTable().Check(req)
}

// inputsFit checks the number of tokens of each input, and of all.
func inputsFit(req *scenarios.Request) *request.Error {
	for _, in := range inputsOf(req.Body.Get("input")) {
		if in.tokens > maxInputTokens {
			return request.Bad("", "", "This model's maximum context length is %d tokens, however you requested %d tokens (%d in your prompt; 0 for the completion). "+
				"Please reduce your prompt; or completion length.", maxInputTokens, in.tokens, in.tokens)
		}
	}
	if req.PromptTokens > maxRequestTokens {
		return request.Bad("", "max_tokens_per_request", "Requested %d tokens, max %d tokens per request", req.PromptTokens, maxRequestTokens)
	}
	return nil
}

// Body is the list of the vectors of the inputs.
func (Embeddings) Body(sel *scenarios.Selection) string {
	req, rules := sel.Request, sel.Reply.Embeddings
	model := modelOf(req, &embeddingsInfo)
	dimensions, _ := dimensionsOf(model)
	if asked, ok := req.Body.Get("dimensions").Int(); ok {
		dimensions = int(asked)
	}
	form, bytesOfNumber := appendNumbers, 30
	if req.Body.Get("encoding_format").Text() == "base64" {
		form, bytesOfNumber = appendBase64, 6
	}
	const around = 100 // around is about how many bytes there are around a vector.
	var body strings.Builder
	body.Grow(len(req.Messages)*(around+bytesOfNumber*dimensions) + around)
	body.WriteString("{\n  \"object\": \"list\",\n  \"data\": [")
	var numbers []byte
	for i, in := range req.Messages {
		if i > 0 {
			body.WriteByte(',')
		}
		numbers = form(numbers[:0], vectorOf(rules, in.Text, dimensions))
		fmt.Fprintf(&body, "\n    {\n      \"object\": \"embedding\",\n      \"index\": %d,\n      \"embedding\": %s\n    }", i, numbers)
	}
	fmt.Fprintf(&body, "\n  ],\n  \"model\": %s,\n  \"usage\": {\n    \"prompt_tokens\": %d,\n    \"total_tokens\": %[2]d\n  }\n}\n", ojson.String(surface.Snapshot(model)), req.PromptTokens)
	return body.String()
}

// modelOf is the model that answers a request.
func modelOf(req *scenarios.Request, on *surface.Info) string {
	if req.Model == "" || strings.HasPrefix(req.Model, "fake:") {
		return on.DefaultModel
	}
	return req.Model
}

// vectorOf is the vector of a text: the one that a rule says, or that of its words.
func vectorOf(rules *scenarios.Embeddings, text string, dimensions int) []float64 {
	if r := rules.Rule(text); r != nil {
		return r.Vector
	}
	return vector.Of(text, dimensions)
}

// appendNumbers appends a vector as a list of numbers.
func appendNumbers(body []byte, v []float64) []byte {
	for i, n := range v {
		sign := ","
		if i == 0 {
			sign = "["
		}
		body = append(body, sign+"\n        "...)
		body = strconv.AppendFloat(body, n, 'g', -1, 64)
	}
	return append(body, "\n      ]"...)
}

// appendBase64 appends a vector as the base64 of its numbers, of four bytes each, the lowest
// first.
func appendBase64(body []byte, v []float64) []byte {
	var packed [3 * 256]byte // a multiple of three bytes is encoded without padding
	body = append(body, '"')
	for part := range slices.Chunk(v, len(packed)/4) {
		for i, n := range part {
			binary.LittleEndian.PutUint32(packed[4*i:], math.Float32bits(float32(n)))
		}
		body = base64.StdEncoding.AppendEncode(body, packed[:4*len(part)])
	}
	return append(body, '"')
}

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
	scores map[string]float64 // scores are the scores that the rules set, by category.
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
