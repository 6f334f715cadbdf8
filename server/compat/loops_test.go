package compat

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/conversations"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

const agentTools = `[{"type":"function","name":"weather","parameters":{"type":"object"},"strict":false},
	{"type":"function","name":"forecast","parameters":{"type":"object"},"strict":false}]`

// agentLoop runs the turns of the scenario agent until an answer calls no tool, five turns
// at most. send gets the new items of a turn and returns the answer.
func agentLoop(t *testing.T, send func(news []responses.ResponseInputItemUnionParam) *responses.Response) {
	t.Helper()
	outputs := map[string]string{"weather": "18", "forecast": "sun"}
	news := []responses.ResponseInputItemUnionParam{responses.ResponseInputItemParamOfMessage("When do I go to Oslo?", responses.EasyInputMessageRoleUser)}
	for turn := range 5 {
		res := send(news)
		news = nil
		for _, item := range res.Output {
			if item.Type == "function_call" {
				output := responses.ResponseInputItemParamOfFunctionCallOutput(outputs[item.Name])
				output.OfFunctionCallOutput.CallID = openai.String(item.CallID)
				news = append(news, output)
			}
		}
		if len(news) > 0 {
			continue
		}
		if res.OutputText() != "Go tomorrow." || turn != 2 {
			t.Errorf("turn %d ends with %q", turn, res.OutputText())
		}
		return
	}
	t.Error("the loop does not end")
}

// An agent can continue from its earlier turns in several ways. Each way gets through the
// turns of the same scenario.
var loops = map[string]func(*testing.T, *openai.Client, responses.ResponseNewParams){
	"by items": loopByItems, "by previous_response_id": loopByID, "by conversation": loopByConversation,
	"streamed, by previous_response_id": loopByIDStreamed, "over WebSocket": loopOverWebSocket,
}

func agent(loop func(*testing.T, *openai.Client, responses.ResponseNewParams)) suite {
	return func(t *testing.T, play player) {
		client := play(t, read(t, "responses.yaml")).openAIGo(option.WithHeader(scenarioHeader, "agent"))
		loop(t, &client, responseParams(t, members{"model": json.RawMessage(`"gpt-4o"`), "tools": json.RawMessage(agentTools)}))
	}
}

func create(t *testing.T, client *openai.Client, params responses.ResponseNewParams) *responses.Response {
	t.Helper()
	res, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func loopByItems(t *testing.T, client *openai.Client, params responses.ResponseNewParams) {
	params.Store = openai.Bool(false)
	agentLoop(t, func(news []responses.ResponseInputItemUnionParam) *responses.Response {
		params.Input.OfInputItemList = append(params.Input.OfInputItemList, news...)
		res := create(t, client, params)
		for _, item := range res.Output {
			var again responses.ResponseInputItemUnionParam
			fromJSON(t, []byte(item.RawJSON()), &again)
			params.Input.OfInputItemList = append(params.Input.OfInputItemList, again)
		}
		return res
	})
}

func loopByID(t *testing.T, client *openai.Client, params responses.ResponseNewParams) {
	agentLoop(t, func(news []responses.ResponseInputItemUnionParam) *responses.Response {
		params.Input.OfInputItemList = news
		res := create(t, client, params)
		params.PreviousResponseID = openai.String(res.ID)
		return res
	})
}

func loopByIDStreamed(t *testing.T, client *openai.Client, params responses.ResponseNewParams) {
	agentLoop(t, func(news []responses.ResponseInputItemUnionParam) *responses.Response {
		params.Input.OfInputItemList = news
		stream := client.Responses.NewStreaming(t.Context(), params)
		defer stream.Close()
		var res responses.Response
		for stream.Next() {
			if e := stream.Current(); e.Type == "response.completed" {
				res = e.Response
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		params.PreviousResponseID = openai.String(res.ID)
		return &res
	})
}

func loopByConversation(t *testing.T, client *openai.Client, params responses.ResponseNewParams) {
	conversation, err := client.Conversations.New(t.Context(), conversations.ConversationNewParams{})
	if err != nil {
		t.Fatal(err)
	}
	params.Conversation.OfString = openai.String(conversation.ID)
	agentLoop(t, func(news []responses.ResponseInputItemUnionParam) *responses.Response {
		params.Input.OfInputItemList = news
		return create(t, client, params)
	})
	items := client.Conversations.Items.ListAutoPaging(t.Context(), conversation.ID, conversations.ItemListParams{Limit: openai.Int(2)})
	n := 0
	for items.Next() {
		n++
	}
	// The items are the question, a sentence, two calls and their outputs, and the last sentence.
	if items.Err() != nil || n != 7 {
		t.Errorf("the conversation has %d items, want 7: %v", n, items.Err())
	}
}

// The WebSocket of openai-go sends only the new items of a turn.
func loopOverWebSocket(t *testing.T, client *openai.Client, _ responses.ResponseNewParams) {
	connection, err := client.Responses.Connect(t.Context(), responses.ResponseConnectionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Abort()
	previous := ""
	agentLoop(t, func(news []responses.ResponseInputItemUnionParam) *responses.Response {
		event := members{
			"type": json.RawMessage(`"response.create"`), "model": json.RawMessage(`"gpt-4o"`),
			"tools": json.RawMessage(agentTools), "input": json.RawMessage(text(news)),
		}
		if previous != "" {
			event["previous_response_id"] = json.RawMessage(text(previous))
		}
		if err := connection.SendRaw(t.Context(), []byte(text(event))); err != nil {
			t.Fatal(err)
		}
		res, err := connection.FinalResponse(t.Context())
		if failed, ok := errors.AsType[*responses.ResponseProtocolError](err); ok {
			t.Fatal(failed.Event.RawJSON())
		}
		if err != nil {
			t.Fatal(err)
		}
		previous = res.ID
		return res
	})
}

func responseParams(t *testing.T, request members) responses.ResponseNewParams {
	t.Helper()
	var params responses.ResponseNewParams
	fromJSON(t, []byte(text(request)), &params)
	return params
}
