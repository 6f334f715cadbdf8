package surface

// families are the facts about models whose names begin in the same way. The first prefix that
// fits counts.
var families = []struct {
	prefix string
	facts  ModelFacts
}{
	{"gpt-3.5-turbo-instruct", ModelFacts{Plain: true, MaxTokens: 4096, Elsewhere: true}},
	{"gpt-3.5-turbo", ModelFacts{Plain: true, MaxTokens: 4096}},
	{"gpt-3.5", ModelFacts{Plain: true}},
	{"gpt-4.1", ModelFacts{Plain: true, MaxTokens: 32768}},
	{"gpt-4o-2024-05-13", ModelFacts{Plain: true, MaxTokens: 4096}},
	{"gpt-4o", ModelFacts{Plain: true, MaxTokens: 16384}},
	{"chatgpt-4o", ModelFacts{Plain: true, MaxTokens: 16384}},
	{"gpt-4-turbo", ModelFacts{Plain: true, MaxTokens: 4096}},
	{"gpt-4-0125", ModelFacts{Plain: true, MaxTokens: 4096}},
	{"gpt-4-1106", ModelFacts{Plain: true, MaxTokens: 4096}},
	{"gpt-4", ModelFacts{Plain: true, MaxTokens: 8192}},

	{"gpt-5.1-codex", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"gpt-5.2-pro", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"gpt-5.1", ModelFacts{Reasoning: true, RefusesStop: true, Effort: "none"}},
	{"gpt-5.2", ModelFacts{Reasoning: true, RefusesStop: true, Effort: "none"}},
	{"gpt-5.3", ModelFacts{Reasoning: true, RefusesStop: true, Effort: "none"}},
	{"gpt-5.4", ModelFacts{Reasoning: true, RefusesStop: true, Effort: "none", Efforts: "none low medium high xhigh"}},
	{"gpt-5.6", ModelFacts{Reasoning: true, RefusesStop: true, Efforts: "none low medium high xhigh max"}},
	{"gpt-5", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"gpt-6", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"gpt-daybreak-", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"gpt-rosalind-", ModelFacts{Reasoning: true, RefusesStop: true}},
	{"o1-mini", ModelFacts{Reasoning: true, RefusesSystem: true}},
	{"o1-preview", ModelFacts{Reasoning: true, RefusesSystem: true}},
	{"o1", ModelFacts{Reasoning: true, Efforts: "low medium high"}},
	{"o3", ModelFacts{Reasoning: true, RefusesStop: true, Efforts: "low medium high"}},
	{"o4", ModelFacts{Reasoning: true, RefusesStop: true, Efforts: "low medium high"}},

	{"davinci-002", ModelFacts{Elsewhere: true}},
	{"babbage-002", ModelFacts{Elsewhere: true}},
	{"text-embedding-", ModelFacts{Elsewhere: true}},
	{"omni-moderation-", ModelFacts{Elsewhere: true}},
	{"text-moderation-", ModelFacts{Elsewhere: true}},
	{"codex-mini-", ModelFacts{Reasoning: true, Elsewhere: true}},
	{"computer-use-preview", ModelFacts{Reasoning: true, Elsewhere: true}},
	{"chatgpt-image-", ModelFacts{Elsewhere: true}},
	{"dall-e-", ModelFacts{Elsewhere: true}},
	{"gpt-image-", ModelFacts{Elsewhere: true}},
	{"tts-", ModelFacts{Elsewhere: true}},
	{"whisper-", ModelFacts{Elsewhere: true}},
}

// variants are what a part of a name changes in the facts of its family. All parts
// of a name count.
var variants = []struct {
	part string
	of   func(ModelFacts) ModelFacts
}{
	{"-chat", func(f ModelFacts) ModelFacts { // for example gpt-5-chat-latest
		if f.Reasoning {
			return ModelFacts{Plain: true}
		}
		return f
	}},
	{"search-preview", func(f ModelFacts) ModelFacts { f.Search = true; return f }},
	{"search-api", func(f ModelFacts) ModelFacts { f.Search = true; return f }},
	{"audio", func(f ModelFacts) ModelFacts { f.Audio = true; return f }},
	{"-transcribe", func(f ModelFacts) ModelFacts { f.Elsewhere = true; return f }},
	{"-tts", func(f ModelFacts) ModelFacts { f.Elsewhere = true; return f }},
	{"-realtime", func(f ModelFacts) ModelFacts { f.Elsewhere = true; return f }},
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
	{"gpt-5.4", "gpt-5.4-2026-03-05", 0, ""},
	{"o1", "o1-2024-12-17", 0, ""},
	{"o3", "o3-2025-04-16", 1744225308, "system"},
	{"o3-mini", "o3-mini-2025-01-31", 0, ""},
	{"o4-mini", "o4-mini-2025-04-16", 1744225351, "system"},
	{"text-embedding-ada-002", "text-embedding-ada-002-v2", 1671217299, "openai-internal"},
	{"text-embedding-3-small", "text-embedding-3-small", 1705948997, "system"},
	{"text-embedding-3-large", "text-embedding-3-large", 1705953180, "system"},
	{"omni-moderation-latest", "omni-moderation-2024-09-26", 1731689265, "system"},
	{"text-moderation-latest", "text-moderation-007", 0, ""},
	{"text-moderation-stable", "text-moderation-007", 0, ""},
}
