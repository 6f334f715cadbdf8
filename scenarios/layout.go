package scenarios

// Layout names one of the real service's ways to lay out a chunk: which members
// there are, in which order, and which of them are null. See [Layouts].
type Layout string

// Layouts are the chunk layouts that envelope.layout can name, with the model
// family that each was recorded from.
var Layouts = []struct {
	Name  Layout
	About string
}{
	{LayoutGPT4o, "gpt-4o, gpt-4.1 and what is not named below"},
	{LayoutParallel, "the same models when they make parallel calls: usage stands before choices"},
	{LayoutReasoning, "gpt-5, o1, o3, o4: no logprobs member, system_fingerprint null"},
	{LayoutSearch, "search-preview models: no service_tier, no logprobs, no obfuscation"},
	{Layout2024, "recordings of 2024: no service_tier, no obfuscation"},
	{LayoutAudio, "audio models: choices have no logprobs member"},
	{LayoutAzure, "Azure OpenAI: members in alphabetical order, a first chunk with prompt_filter_results"},
	{LayoutMinimal, "id, object, created, model, choices and nothing else, as compatible servers send"},
}

// The chunk layouts.
const (
	LayoutGPT4o     Layout = "gpt-4o"
	LayoutParallel  Layout = "parallel-calls"
	LayoutReasoning Layout = "reasoning"
	LayoutSearch    Layout = "search-preview"
	Layout2024      Layout = "2024"
	LayoutAudio     Layout = "audio"
	LayoutAzure     Layout = "azure"
	LayoutMinimal   Layout = "minimal"
)
