package model

// families are the facts about models whose names fit a pattern. The first pattern that
// fits counts.
var families = []struct {
	pattern pattern
	facts   Facts
}{
	{like("gpt-3.5-turbo-instruct"), Facts{Plain: true, MaxTokens: 4096, Endpoint: Completions}},
	{like("gpt-3.5-turbo"), Facts{Plain: true, MaxTokens: 4096}},
	{like("gpt-3.5"), Facts{Plain: true}},
	{like("gpt-4.1"), Facts{Plain: true, MaxTokens: 32768}},
	{like("gpt-4o-2024-05-13"), Facts{Plain: true, MaxTokens: 4096}},
	{like("gpt-4o"), Facts{Plain: true, MaxTokens: 16384}},
	{like("chatgpt-4o"), Facts{Plain: true, MaxTokens: 16384}},
	{like("gpt-4-turbo"), Facts{Plain: true, MaxTokens: 4096}},
	{like("gpt-4-0125"), Facts{Plain: true, MaxTokens: 4096}},
	{like("gpt-4-1106"), Facts{Plain: true, MaxTokens: 4096}},
	{like("gpt-4"), Facts{Plain: true, MaxTokens: 8192}},

	{like("gpt-5"), Facts{Reasoning: true, RefusesStop: true}},
	{like("gpt-6"), Facts{Reasoning: true, RefusesStop: true}},
	{like("o1-mini"), Facts{Reasoning: true, RefusesSystem: true}},
	{like("o1-preview"), Facts{Reasoning: true, RefusesSystem: true}},
	{like("o1"), Facts{Reasoning: true}},
	{like("o3"), Facts{Reasoning: true, RefusesStop: true}},
	{like("o4"), Facts{Reasoning: true, RefusesStop: true}},

	{like("davinci-002"), Facts{Endpoint: Completions}},
	{like("babbage-002"), Facts{Endpoint: Completions}},
	{like("text-embedding-"), Facts{Endpoint: Embeddings}},
	{like("omni-moderation-"), Facts{Endpoint: Moderations}},
	{like("text-moderation-"), Facts{Endpoint: Moderations}},
	{like("dall-e-"), Facts{Endpoint: Images}},
	{like("gpt-image-"), Facts{Endpoint: Images}},
	{like("tts-"), Facts{Endpoint: Audio}},
	{like("whisper-"), Facts{Endpoint: Audio}},
}

// variants are what a part of a name changes in the facts of its family. All patterns
// that fit count.
var variants = []struct {
	pattern pattern
	of      func(Facts) Facts
}{
	{like("*-chat"), notReasoning}, // for example gpt-5-chat-latest
	{like("*search-preview"), func(f Facts) Facts { f.Search = true; return f }},
	{like("*search-api"), func(f Facts) Facts { f.Search = true; return f }},
	{like("*audio"), func(f Facts) Facts { f.Audio = true; return f }},
	{like("*-transcribe"), func(f Facts) Facts { f.Endpoint = Audio; return f }},
	{like("*-tts"), func(f Facts) Facts { f.Endpoint = Audio; return f }},
	{like("*-realtime"), func(f Facts) Facts { f.Endpoint = Realtime; return f }},
}

// notReasoning turns the facts of a reasoning model into those of a plain one.
func notReasoning(f Facts) Facts {
	if f.Reasoning {
		return Facts{Plain: true}
	}
	return f
}

// known are single models: the dated snapshot of an alias and, for models that GET
// /v1/models lists, creation time and owner. The order is that of the list.
var known = []struct {
	id, snapshot string
	created      int64
	owner        string // owner is "" for a model that is not listed.
}{
	{"gpt-3.5-turbo", "gpt-3.5-turbo-0125", 1677610602, "openai"},
	{"gpt-3.5-turbo-instruct", "gpt-3.5-turbo-instruct:20230824-v2", 0, ""},
	{"gpt-4", "gpt-4-0613", 1687882411, "openai"},
	{"gpt-4-turbo", "gpt-4-turbo-2024-04-09", 1712361441, "system"},
	{"gpt-4o", "gpt-4o-2024-08-06", 1715367049, "system"},
	{"gpt-4o-mini", "gpt-4o-mini-2024-07-18", 1721172741, "system"},
	{"gpt-4o-search-preview", "gpt-4o-search-preview-2025-03-11", 0, ""},
	{"gpt-4o-mini-search-preview", "gpt-4o-mini-search-preview-2025-03-11", 0, ""},
	{"gpt-4o-audio-preview", "gpt-4o-audio-preview-2025-06-03", 0, ""},
	{"gpt-4.1", "gpt-4.1-2025-04-14", 1744316542, "system"},
	{"gpt-4.1-mini", "gpt-4.1-mini-2025-04-14", 1744318173, "system"},
	{"gpt-4.1-nano", "gpt-4.1-nano-2025-04-14", 0, ""},
	{"gpt-5", "gpt-5-2025-08-07", 1754425777, "system"},
	{"gpt-5-mini", "gpt-5-mini-2025-08-07", 1754425928, "system"},
	{"gpt-5-nano", "gpt-5-nano-2025-08-07", 0, ""},
	{"o1", "o1-2024-12-17", 0, ""},
	{"o3", "o3-2025-04-16", 1744225308, "system"},
	{"o3-mini", "o3-mini-2025-01-31", 0, ""},
	{"o4-mini", "o4-mini-2025-04-16", 1744225351, "system"},
}
