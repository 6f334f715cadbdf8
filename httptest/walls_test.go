package fakeopenai

import "strings"

// walls says, for each package of the module, which other packages of the module it may import,
// and why only those. Names are relative to the root of the module, and in lists of imports ~ is
// server/internal. Tests may import any package.
var walls = map[string]wall{
	// The program.
	"cmd/fakeopenai": {"cmd/fakeopenai/internal/cli", "the program is its commands"},
	"cmd/fakeopenai/internal/cli": {
		"cmd/fakeopenai/internal/console cmd/fakeopenai/internal/importing cmd/fakeopenai/internal/serving fixtures " +
			"scenarios scenarios/diag scenarios/ojson server/tools/sweep scenarios/yamlfile server server/journal " +
			"server/tools/recording",
		"commands put the others together",
	},
	"cmd/fakeopenai/internal/console": {
		"scenarios/diag scenarios/yamlfile server",
		"what is typed and printed is known without a command; a bad value is wrong usage, and flags become the Config of a server",
	},
	"cmd/fakeopenai/internal/serving": {
		"cmd/fakeopenai/internal/console scenarios scenarios/ojson server/tools/sweep server server/journal",
		"it serves any fake, and runs any command beside it; it alone knows the libraries for WebSocket and for metrics of the process",
	},
	"cmd/fakeopenai/internal/importing": {
		"scenarios scenarios/ojson server server/tools/recording",
		"it makes recordings of what other tools wrote, and joins the libraries for their codings; it writes no file, and knows no terminal",
	},

	// The helper for tests.
	"httptest": {
		"fixtures scenarios scenarios/diag scenarios/ojson server/tools/sweep " +
			"scenarios/yamlfile server server/journal server/tools/recording",
		"it stands on the exported face of the server and of recordings, not on their inside",
	},
	"fixtures": {"", "it embeds files, and nothing else"},

	// The language.
	"scenarios": {
		"scenarios/diag scenarios/ojson",
		"the meaning of a scenario knows neither its spelling in YAML nor who plays it",
	},
	"scenarios/diag":  {"", "a problem is a place and a text, whatever has the problem"},
	"scenarios/ojson": {"", "JSON whose members have an order is of no language"},
	"scenarios/step":  {"scenarios scenarios/ojson", "it makes steps in Go, in the words of the language"},
	"server/tools/sweep": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile server server/journal",
		"a variant is written in YAML and laid over a scenario, a change of a hunt changes its steps; the server says what clients come to, and neither knows who runs it",
	},
	"scenarios/yamlfile": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile/internal/node " +
			"scenarios/yamlfile/internal/table",
		"it is the one place that knows the language in YAML",
	},
	"scenarios/yamlfile/internal/table": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile/internal/node",
		"of the language it knows only that values can be absent or null, and what a path is; the words are said to it",
	},
	"scenarios/yamlfile/internal/node": {
		"scenarios/diag scenarios/ojson",
		"nodes of YAML have places and values, and know no word of the language",
	},

	// The server.
	"server": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile ~/admin ~/answer ~/apierror ~/compare ~/holds " +
			"~/invent ~/limits ~/lint ~/lru ~/player ~/request ~/script ~/secret ~/socket ~/sse ~/stored ~/surface " +
			"~/surface/realtime ~/surface/responses ~/websocket server/journal",
		"it puts its rooms together, and draws which reply a chance gives; what is played is its caller's choice, so it knows no fixtures",
	},
	"server/tools/recording": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile server ~/answer " +
			"~/request ~/script ~/secret ~/sse ~/surface ~/surface/responses",
		"it writes scenarios and plays them to see that they are right; it knows how texts are cut, which items there are, and which came before a request; nobody below knows of it",
	},
	"server/internal/admin": {
		"scenarios scenarios/diag scenarios/yamlfile ~/apierror ~/compare ~/holds ~/limits ~/request ~/secret server/journal",
		"it shows and changes what the server keeps, through what the server hands it; it takes no part in answering",
	},
	"server/journal": {
		"scenarios ~/secret",
		"an entry says what was asked, in the language's words, and what was sent, in numbers and bytes; not how that was noticed",
	},
	"server/internal/compare": {
		"scenarios/ojson ~/answer ~/sse ~/surface server/journal",
		"two plans are compared by their bytes and by what the surfaces hear in them, whatever made them",
	},
	"server/internal/secret": {
		"scenarios scenarios/ojson",
		"which fields of a request are secret is said by the language, whose reasons do not repeat them",
	},

	// What is said: from a request to lines.
	"server/internal/answer": {
		"scenarios scenarios/diag scenarios/ojson scenarios/yamlfile ~/apierror ~/compile ~/hole ~/invent " +
			"~/lint ~/player ~/render ~/script ~/sse ~/surface ~/surface/chat ~/surface/other ~/surface/realtime ~/surface/responses ~/surface/whole",
		"it is the straight way from a request to a program; it alone knows which surfaces there are",
	},
	"server/internal/stored": {
		"scenarios scenarios/ojson ~/answer ~/apierror ~/lru ~/player ~/request ~/surface ~/surface/chat ~/surface/responses",
		"answers are kept as what made them, and made again when they are asked for; it knows no HTTP",
	},
	"server/internal/apierror": {"scenarios/ojson", "the errors of the API are texts and JSON"},
	"server/internal/invent": {
		"scenarios scenarios/ojson",
		"generated content comes from the seed of what was selected for a request, and can be JSON",
	},
	"server/internal/lint": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/hole ~/invent ~/request ~/script ~/sse",
		"the rules look at lines and errors, know limits and codes of the real service, and see which ids are drawn and which tokens are whole",
	},
	"server/internal/render": {
		"scenarios scenarios/diag scenarios/ojson ~/invent",
		"templates see the request and what chance draws for it",
	},
	"server/internal/request": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror",
		"it reads requests and refuses them as the real service does, whatever is played",
	},
	"server/internal/script": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/hole ~/invent ~/render",
		"a reply becomes beats: texts are rendered, invented and cut here, errors get the real service's texts, and nothing is spoken yet",
	},

	// How it is sent: from lines to bytes.
	"server/internal/hole": {"scenarios/ojson", "a hole stands where a JSON value stands, whatever fills it"},
	"server/internal/surface": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/compile ~/hole ~/invent ~/lint ~/player ~/render " +
			"~/request ~/script ~/sse",
		"it says what an API is, how its envelope is filled, and which models there are; it knows no API",
	},
	"server/internal/surface/other": {
		"scenarios scenarios/ojson ~/apierror ~/compile ~/request ~/script ~/surface",
		"it stands in place of an API for the requests to all other paths",
	},
	"server/internal/surface/whole": {
		"scenarios scenarios/ojson ~/apierror ~/invent ~/request ~/script ~/surface ~/vector",
		"all that is known of the APIs whose answers are never streamed is here: embeddings and moderations",
	},
	"server/internal/vector": {"", "it knows texts and numbers"},
	"server/internal/surface/chat": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/compile ~/hole ~/invent ~/lint ~/request ~/script " +
			"~/script ~/surface",
		"all that is known of the APIs whose answers are choices is here, chat completions and completions; it knows no other surface",
	},
	"server/internal/surface/responses": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/compile ~/hole ~/invent ~/lint ~/request " +
			"~/script ~/surface",
		"all that is known of the Responses API and its items is here; it knows no other surface",
	},
	"server/internal/surface/realtime": {
		"scenarios scenarios/diag scenarios/ojson ~/apierror ~/compile ~/hole ~/invent ~/lint ~/request ~/script ~/surface",
		"all that is known of the Realtime API and its sessions is here; it knows no other surface",
	},
	"server/internal/compile": {
		"scenarios scenarios/diag scenarios/ojson ~/hole ~/player ~/sse",
		"it makes programs of what a surface has spoken, and knows no surface",
	},
	"server/internal/player": {"~/hole", "it plays frames, and knows neither HTTP nor the API that they belong to"},
	"server/internal/sse":    {"", "events are lines of text, whatever they carry"},

	// Who waits, counts and listens.
	"server/internal/lru":   {"", "what is kept in the order of its use is not its business"},
	"server/internal/holds": {"scenarios scenarios/ojson", "a hold is a name, and what a scenario waits for there"},
	"server/internal/limits": {
		"scenarios ~/apierror ~/lru",
		"limits are said by scenarios, refusals are the API's; who asks is a key, what is asked for a number of tokens",
	},
	"server/internal/websocket": {"scenarios/ojson ~/apierror ~/request ~/sse", "messages are read and written, whatever answers them"},
	"server/internal/socket":    {"", "connections know nothing of HTTP, of what is played, and of what is remembered"},

	// For tests.
	"fixtures/testflag": {"", "flags of go test are the same for all tests; it is above all rooms, because the tests of all import it"},
}

type wall struct{ imports, reason string }

// names returns the packages that a package may import.
func (w wall) names() []string {
	return strings.Fields(strings.ReplaceAll(w.imports, "~", "server/internal"))
}
