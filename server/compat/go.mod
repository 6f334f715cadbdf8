module github.com/fakeopenai/fakeopenai/server/compat

go 1.26

require (
	github.com/fakeopenai/fakeopenai v0.0.0
	github.com/openai/openai-go/v3 v3.95.0
	github.com/sashabaranov/go-openai v1.43.0
)

replace github.com/fakeopenai/fakeopenai => ../..
