module github.com/fakeopenai/fakeopenai/server/compat

go 1.26.0

require (
	github.com/fakeopenai/fakeopenai v0.0.0
	github.com/openai/openai-go/v3 v3.95.0
	github.com/sashabaranov/go-openai v1.43.0
)

require (
	github.com/brianvoe/gofakeit/v6 v6.28.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/gorilla/mux v1.8.1 // indirect
	github.com/kr/pretty v0.1.0 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	gopkg.in/check.v1 v1.0.0-20180628173108-788fd7840127 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/fakeopenai/fakeopenai => ../..
