package compat

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// plantedKey is the key of the client.
const plantedKey = "sk-proj-8Qw3eRt5yUi7oPa9sDf1gHj"

// planted are secrets of forty kinds, each in a text. No eight characters of one are in another text of
// the test.
var planted = []struct{ text, secret string }{
	{"OPENAI_API_KEY=" + plantedKey, plantedKey},
	{"use sk-ant-api03-Zx9Cv8Bn7Mm6Lk5J", "sk-ant-api03-Zx9Cv8Bn7Mm6Lk5J"},
	{"in org-Vf4Tg5Bh6Yn7Uj8", "org-Vf4Tg5Bh6Yn7Uj8"},
	{"in proj_Ik9Ol0Pq1Wa2Sx3", "proj_Ik9Ol0Pq1Wa2Sx3"},
	{"mail grace.hopper@navy-mainframe.test", "grace.hopper@navy-mainframe.test"},
	{"mail ada%40engine-works.test", "ada%40engine-works.test"},
	{"aws AKIAQWERTYUIOPASDFGH", "AKIAQWERTYUIOPASDFGH"},
	{"aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzz", "wJalrXUtnFEMIK7MDENGbPxRfiCYzz"},
	{"git ghp_Mn3Bv2Cx1Zl0Kj9Hg8Fd7Sa6Pq5Wo4Ei3Ru", "ghp_Mn3Bv2Cx1Zl0Kj9Hg8Fd7Sa6Pq5Wo4Ei3Ru"},
	{"git github_pat_11ZZTOPQQ0abcde_fghij", "github_pat_11ZZTOPQQ0abcde_fghij"},
	{"git glpat-Rr7Tt6Yy5Uu4Ii3Oo2Pp", "glpat-Rr7Tt6Yy5Uu4Ii3Oo2Pp"},
	{"slack xoxb-918273645546-zmxncbvlaksj", "xoxb-918273645546-zmxncbvlaksj"},
	{"slack https://hooks.slack.com/services/T0AA1BB2C/B3DD4EE5F/Gg6Hh7Ii8Jj9", "T0AA1BB2C/B3DD4EE5F/Gg6Hh7Ii8Jj9"},
	{"google AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"},
	{"google ya29.a0AfH6SMBxKqYwZvRt3LpQe", "ya29.a0AfH6SMBxKqYwZvRt3LpQe"},
	{"google GOCSPX-kJhGfDsApOiUyTrEwQ", "GOCSPX-kJhGfDsApOiUyTrEwQ"},
	{"stripe sk_live_4eC39HqLyjWDarjtT1", "sk_live_4eC39HqLyjWDarjtT1"},
	{"stripe whsec_5WbX8nM2kLpQrS7vT1yZ", "whsec_5WbX8nM2kLpQrS7vT1yZ"},
	{"hugging hf_LkJhGfDsAqWeRtYuIoPzXcVb", "hf_LkJhGfDsAqWeRtYuIoPzXcVb"},
	{"groq gsk_PoIuYtReWqLkJhGfDsAm", "gsk_PoIuYtReWqLkJhGfDsAm"},
	{"grok xai-NbVcXzLkJhGfDsAqWeRt", "xai-NbVcXzLkJhGfDsAqWeRt"},
	{"npm npm_QaZwSxEdCrFvTgByHnUjMiKoLp12345678", "npm_QaZwSxEdCrFvTgByHnUjMiKoLp12345678"},
	{"sendgrid SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqe", "SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqe"},
	{"pinecone pcsk_7Xk2mN9pQ4rS6tV8wY1zA", "pcsk_7Xk2mN9pQ4rS6tV8wY1zA"},
	{"vault hvs.CAESIJ8kPz3nVq7tR2wY5xB1", "hvs.CAESIJ8kPz3nVq7tR2wY5xB1"},
	{"linear lin_api_ZaQ1XsW2CdE3VfR4BgT5", "lin_api_ZaQ1XsW2CdE3VfR4BgT5"},
	{"databricks dapi0f1e2d3c4b5a69788796a5b4c3d2e1f0", "dapi0f1e2d3c4b5a69788796a5b4c3d2e1f0"},
	{"telegram 987654321:AAHhJjKkLlZzXxCcVvBbNnMmQqWwEeRrTtY", "AAHhJjKkLlZzXxCcVvBbNnMmQqWwEeRrTtY"},
	{"jwt eyJraWQiOiI5In0x.eyJuYW1lIjoiR3JhY2UifQ.dGhpcy1pcy1hLXNpZw", "eyJraWQiOiI5In0x.eyJuYW1lIjoiR3JhY2UifQ.dGhpcy1pcy1hLXNpZw"},
	{"db postgres://admin:tr0ub4dor-and-3@db.example/x", "tr0ub4dor-and-3"},
	{"open AccountName=a;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1;", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1"},
	{"get https://files.example/x?X-Amz-Signature=5d672d79c15b13162d9279b0855cfba6", "5d672d79c15b13162d9279b0855cfba6"},
	{"get https://files.example/y?access_token=zEbRa-4411-token", "zEbRa-4411-token"},
	{"send Authorization: Basic Z3JhY2U6Y29ib2wtNjAtcnVsZXM=", "Z3JhY2U6Y29ib2wtNjAtcnVsZXM="},
	{"send X-Api-Key: 1f9d-77aa-header-key", "1f9d-77aa-header-key"},
	{"-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqhkiG9w0 -----END PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0"},
	{"login:\n  password: sunflower-4711\n", "sunflower-4711"},
	{`{"client_secret": "cs-blue-green-77"}`, "cs-blue-green-77"},
	{"session_token=5e55-10n-t0k3n", "5e55-10n-t0k3n"},
	{"the passphrase is correct-horse-battery-9", "correct-horse-battery-9"},
	{"in base64 " + base64.StdEncoding.EncodeToString([]byte("key sk-Lm2Nn3Oo4Pp5Qq6Rr7")), base64.StdEncoding.EncodeToString([]byte("key sk-Lm2Nn3Oo4Pp5Qq6Rr7"))},
	{"in a URL " + url.QueryEscape("https://u.test/?token=Tt1/Uu2+Vv3Ww4Xx5Yy6Zz7A"), "Uu2%2BVv3Ww4Xx5Yy6Zz7A"},
}

// Real clients run their loops through a recorder, with secrets of every kind in all that they and the
// endpoint send. Nothing of one is in the files and their names, and the recording answers the same loops.
func TestNoSecretOfALoopIsRecorded(t *testing.T) { // not parallel: it sets the environment
	var texts []string
	for _, p := range planted {
		texts = append(texts, p.text)
	}
	all := strings.Join(texts, "\n")
	quoted := text(all)
	upstream := fakeopenai.NewServer(t, fakeopenai.AllowUnused(), fakeopenai.Instant(), fakeopenai.YAML(`name: up
replies:
  - when: { turn: 1 }
    message: { tool_calls: [{ id: call_1, name: read, arguments: `+text(text(map[string]string{"file": all}))+` }] }
  - message: { content: `+quoted+`, by: { size: 7 } }
`))
	dir := t.TempDir()
	for _, mode := range []string{"record", "replay"} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv("FAKEOPENAI_RECORD", mode)
			t.Setenv("OPENAI_API_KEY", plantedKey)
			r := fakeopenai.Record(t, upstream.URL, dir)
			client := openai.NewClient(
				option.WithBaseURL(r.BaseURL), option.WithAPIKey(plantedKey), option.WithMaxRetries(0),
				option.WithHeader("X-Session-Token", "5e55-10n-t0k3n"), option.WithHeader("X-Note", strings.ReplaceAll(all, "\n", " ")), option.WithQuery("note", all),
			)
			plantedChat(t, &client, quoted)
			plantedResponses(t, &client, quoted)
		})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("there are %d files, want 4: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range planted {
			if part := partOfSecret(p.secret, filepath.Base(file)+"\n"+string(data)); part != "" {
				t.Errorf("%q of %q is in %s", part, p.secret, filepath.Base(file))
			}
		}
	}
}

// plantedChat calls a tool by chat completions, streamed with log-probabilities.
func plantedChat(t *testing.T, client *openai.Client, quoted string) {
	t.Helper()
	messages := `{"role":"system","content":` + quoted + `},{"role":"user","content":[{"type":"text","text":` + quoted + `},{"type":"file","file":{"filename":` + quoted + `,"file_data":"data:text/plain;base64,` +
		base64.StdEncoding.EncodeToString([]byte(quoted)) + `"}}]}`
	for range 2 {
		var params openai.ChatCompletionNewParams
		fromJSON(t, []byte(`{"model":"gpt-4o","logprobs":true,"top_logprobs":2,"metadata":{"note":"`+plantedKey+`"},"messages":[`+messages+`]}`), &params)
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		var acc openai.ChatCompletionAccumulator
		for stream.Next() {
			acc.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil || len(acc.Choices) != 1 {
			t.Fatalf("%v: %d choices", err, len(acc.Choices))
		}
		stream.Close()
		if calls := acc.Choices[0].Message.ToolCalls; len(calls) > 0 {
			messages += `,{"role":"assistant","content":null,"tool_calls":[{"id":"` + calls[0].ID + `","type":"function","function":{"name":"read","arguments":` + text(calls[0].Function.Arguments) + `}}]},` +
				`{"role":"tool","tool_call_id":"` + calls[0].ID + `","content":` + quoted + `}`
		}
	}
}

// plantedResponses calls a tool by responses, and goes on from the response before.
func plantedResponses(t *testing.T, client *openai.Client, quoted string) {
	t.Helper()
	params := responseParams(t, members{"model": json.RawMessage(`"gpt-4o"`), "input": json.RawMessage(quoted), "instructions": json.RawMessage(quoted), "metadata": json.RawMessage(`{"note":"` + plantedKey + `"}`)})
	for range 2 {
		stream := client.Responses.NewStreaming(t.Context(), params)
		var res responses.Response
		for stream.Next() {
			if e := stream.Current(); e.Type == "response.completed" {
				res = e.Response
			}
		}
		if err := stream.Err(); err != nil || len(res.Output) != 1 {
			t.Fatalf("%v: %d items", err, len(res.Output))
		}
		stream.Close()
		params = responseParams(t, members{"model": json.RawMessage(`"gpt-4o"`), "previous_response_id": json.RawMessage(text(res.ID)),
			"input": json.RawMessage(`[{"type":"function_call_output","call_id":` + text(res.Output[0].CallID) + `,"output":` + quoted + `}]`)})
	}
}

// partOfSecret is a part of a secret that a text has, as it is or encoded; "" if there is none.
func partOfSecret(secret, text string) string {
	const shortest = 8
	for _, form := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(" " + secret))[2:],
		base64.StdEncoding.EncodeToString([]byte("  " + secret))[4:]} {
		for i := 0; i+shortest <= len(form); i++ {
			if strings.Contains(text, form[i:i+shortest]) {
				return form[i : i+shortest]
			}
		}
	}
	return ""
}
