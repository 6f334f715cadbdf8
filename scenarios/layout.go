package scenarios

import "slices"

// DefaultSurface is the API of scenarios that name none. Literal steps are its JSON.
const DefaultSurface = "chat"

// The other APIs.
const (
	surfaceCompletions = "completions"
	surfaceResponses   = "responses"
	surfaceRealtime    = "realtime"
)

// Surfaces returns the names of the APIs that scenarios can stream on, the default first.
func Surfaces() []string {
	return []string{DefaultSurface, surfaceCompletions, surfaceResponses, surfaceRealtime}
}

// The APIs whose answers are one JSON object each.
const (
	SurfaceEmbeddings  = "embeddings"
	SurfaceModerations = "moderations"
)

// WholeSurfaces returns the names of the APIs whose answers are never streamed.
func WholeSurfaces() []string { return slices.Clone(wholeSurfaces) }

var wholeSurfaces = []string{SurfaceEmbeddings, SurfaceModerations}

// SurfaceOther is the name of what is none of the APIs above: the requests to all other paths, which only
// replies with a condition on the path answer.
const SurfaceOther = "other"

// Layout names one of the real service's ways to lay out an answer: which members
// there are, in which order, and which of them are null. See [Layouts].
type Layout string

// LayoutInfo is a layout that envelope.layout can name.
type LayoutInfo struct {
	Name  Layout
	On    string // On is the surface that has the layout; "" for several surfaces. On any other surface the layout counts as not written.
	About string // About says from what the layout was recorded.
}

// Layouts returns all layouts.
func Layouts() []LayoutInfo { return slices.Clone(layouts) }

var layouts = []LayoutInfo{
	{LayoutGPT4o, "chat", "gpt-4o, gpt-4.1 and what is not named below"},
	{LayoutParallel, "chat", "the same models when they make parallel calls: usage stands before choices"},
	{LayoutReasoning, "chat", "gpt-5, o1, o3, o4: no logprobs member, system_fingerprint null"},
	{LayoutSearch, "chat", "search-preview models: no service_tier, no logprobs, no obfuscation"},
	{Layout2024, "chat", "recordings of 2024: no service_tier, no obfuscation"},
	{LayoutAudio, "chat", "audio models: choices have no logprobs member"},
	{LayoutAzure, "", "Azure OpenAI: members in alphabetical order, a first chunk with prompt_filter_results; on responses, content_filters in the answer"},
	{Layout202503, "responses", "responses of March 2025: no sequence_number, obfuscation or logprobs, and fewer members in the answer"},
	{Layout202510, "responses", "responses of autumn 2025: members not in the order of the alphabet but by what they say, and fewer in the answer"},
	{Layout202602, "responses", "responses of February 2026: all members of events in the order of the alphabet, even obfuscation and sequence_number"},
	{LayoutMinimal, "chat", "id, object, created, model, choices and nothing else, as compatible servers send"},
}

// The layouts.
const (
	LayoutGPT4o     Layout = "gpt-4o"
	LayoutParallel  Layout = "parallel-calls"
	LayoutReasoning Layout = "reasoning"
	LayoutSearch    Layout = "search-preview"
	Layout2024      Layout = "2024"
	LayoutAudio     Layout = "audio"
	LayoutAzure     Layout = "azure"
	LayoutMinimal   Layout = "minimal"
	Layout202503    Layout = "2025-03"
	Layout202510    Layout = "2025-10"
	Layout202602    Layout = "2026-02"
)

// IsOn reports whether the layout is one of a surface.
func (l Layout) IsOn(surface string) bool {
	for _, known := range layouts {
		if known.Name == l {
			return known.On == "" || known.On == surface
		}
	}
	return false
}
