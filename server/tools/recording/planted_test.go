package recording_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

type planting struct{ text, secret string }

// plantings are texts with secrets of every kind. No five characters of a secret are in another
// text of this test.
func plantings() []planting {
	return []planting{
		{"mail joe.doe@qzsecretcorp.org now", "joe.doe@qzsecretcorp.org"},
		{"mail max@wümller-gmbh.de now", "max@wümller-gmbh.de"},
		{"mail jürgzn@xfirma.de now", "jürgzn@xfirma.de"},
		{"mail o'brizn@yex.com now", "o'brizn@yex.com"},
		{`tool says {"to":"m\u00fcxq@t0ol-mxil.at"}`, `m\u00fcxq@t0ol-mxil.at`},
		{`tool says {"to":"a\nxw9k@l1ne-mxil.ch"}`, "xw9k@l1ne-mxil.ch"},
		{`tool says {"to":"a\nsk-pr0jAbCdEfGh1jKlMn"}`, "sk-pr0jAbCdEfGh1jKlMn"},
		{`{"password":"it's-nyZecret1"}`, "it's-nyZecret1"},
		{`{"api_key":"vbc\"dxfghjk"}`, `vbc\"dxfghjk`},
		{`{"client_secret":"WBCDKFG'HIXKLMN99"}`, "WBCDKFG'HIXKLMN99"},
		{`{"a":"{\"secret\":\"deep\\\"quote8\"}"}`, `deep\\\"quote8`},
		{`{'password': 'py"thon7'}`, `py"thon7`},
		{`{"password":"q1w2z"}`, "q1w2z"},
		{"see config:\npassword: huntzr2sxcret\nend", "huntzr2sxcret"},
		{"see config:\n  db_password: wxrdfjzh\nend", "wxrdfjzh"},
		{"my password: kittyx77 and", "kittyx77"},
		{"the password is wombat-x88 and", "wombat-x88"},
		{"**API key:** `7wk-zmarkdxwn` and", "7wk-zmarkdxwn"},
		{"run PASSWORD=bqdg3r now", "bqdg3r"},
		{`run api_key = "tom4hawk9" now`, "tom4hawk9"},
		{"aws ASIAXBCDXFGHXJKLMNOP now", "ASIAXBCDXFGHXJKLMNOP"},
		{"slack xapp-1-A0323456789-abqdef now", "xapp-1-A0323456789-abqdef"},
		{"hook whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw now", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		{"google GOCSPX-qbcdefghijklmnopqrstuvwx12 now", "GOCSPX-qbcdefghijklmnopqrstuvwx12"},
		{"tavily tvly-dev-zyxwvutsr0123 now", "tvly-dev-zyxwvutsr0123"},
		{"pine pcsk_2x3y4z5x6y7z8x9y0z1x now", "pcsk_2x3y4z5x6y7z8x9y0z1x"},
		{"replicate r8_7k6j5h4g3f2d1s0a9p8o7i now", "r8_7k6j5h4g3f2d1s0a9p8o7i"},
		{"perplexity pplx-0m9n8b7v6c5x4z3l2k1j now", "pplx-0m9n8b7v6c5x4z3l2k1j"},
		{"telegram https://api.telegram.org/bot123456789:AAF4f5g6h7j8k9l0q1w2e3r4t5y6u7i8o now", "AAF4f5g6h7j8k9l0q1w2e3r4t5y6u7i8o"},
		{"get https://uwu:pvwd:1@zhost/ now", "uwu:pvwd:1"},
		{"in base64 c2stcHJxalpiQ2RYZkdoWWpLbFdu now", "c2stcHJxalpiQ2RYZkdoWWpLbFdu"},
		{"in base64 eyJhcGlfa2V5Ijoic2stcHJxalpiQ2RYZkdoWWpLbFduIn0= now", "eyJhcGlfa2V5Ijoic2stcHJxalpiQ2RYZkdoWWpLbFduIn0="},
		{"in base64 Pj8-P3NrLXBycWpaYkNkWGZHaFlqS2xXbiA= now", "Pj8-P3NrLXBycWpaYkNkWGZHaFlqS2xXbiA="},
		{"in hex 736b2d7072716a5a62436458664768596a4b6c576e now", "736b2d7072716a5a62436458664768596a4b6c576e"},
		{"in a URL sk%2DprqjZbCdXfGhYjKlWn now", "%2DprqjZbCdXfGhYjKlWn"},
		{"in a URL sk%252DprqjZbCdXfGhYjKlWn now", "%252DprqjZbCdXfGhYjKlWn"},
		{"escaped \\u0073\\u006b-prqjZbCdXfGhYjKlWn now", "prqjZbCdXfGhYjKlWn"},
		{`{"password":987123654}`, "987123654"},
		{"match CUSTOM-47118 now", "CUSTOM-47118"},
		{"match OTHER-82245 now", "OTHER-82245"},
		{"key sk-ant-RZYACTMX0123456789 now", "sk-ant-RZYACTMX0123456789"},
		{"in org-RZYACTMXabcdzf123 now", "org-RZYACTMXabcdzf123"},
		{"in proj_RZYACTMXabcdzf123 now", "proj_RZYACTMXabcdzf123"},
		{"mail mary+tag@mail.exqmple.co.uk now", "mary+tag@mail.exqmple.co.uk"},
		{"github ghp_abcdefghijklmnopqrstuvwxyz0123 now", "ghp_abcdefghijklmnopqrstuvwxyz0123"},
		{"aws AKIAABCDEFGHIJKLMNOP now", "AKIAABCDEFGHIJKLMNOP"},
		{"slack xoxb-123456789012-abcdef now", "xoxb-123456789012-abcdef"},
		{"stripe sk_live_0123456789abc now", "sk_live_0123456789abc"},
		{"db postgres://joe:huntzr2huntzr2@db/x now", "joe:huntzr2huntzr2"},
		{"git https://tqkznasxserinfo06@git.test/x now", "tqkznasxserinfo06"},
		{"jwt eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl now", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl"},
		{"get https://x.test/?token=lqcqtzxn-tqkwn-03 now", "lqcqtzxn-tqkwn-03"},
		{"get https://x.test/?X-Amz-Expires=1&X-Amz-Signature=qmz-sxgnxt-05 now", "qmz-sxgnxt-05"},
		{"run api_key=commqnt-kxy-31337", "commqnt-kxy-31337"},
		{"open AccountName=a;AccountKey=accqunt-kxy-08abcdef; now", "accqunt-kxy-08abcdef"},
		{"send Authorization: Basic YmFzaWMtdXNlcjpiYXNpY1Bhc3M5OQ== now", "YmFzaWMtdXNlcjpiYXNpY1Bhc3M5OQ=="},
		{"-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEAodd -----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEAodd"},
		{"nvidia 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 now", "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"},
		{"cerebras csk-0OGr4hTxoF54Fzbka8FRCztUjAwyuh1vauWv1zh87mTa5Vsq now", "csk-0OGr4hTxoF54Fzbka8FRCztUjAwyuh1vauWv1zh87mTa5Vsq"},
		{"langsmith 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 now", "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"},
		{"digitalocean dop_v1_79fc35526f7eaed46725a2a7b860dcd6c8a1f8b46287cced9041dff02cee7374 now", "dop_v1_79fc35526f7eaed46725a2a7b860dcd6c8a1f8b46287cced9041dff02cee7374"},
		{"databricks dapi43e210471948d33296c87009e8a7f770 now", "dapi43e210471948d33296c87009e8a7f770"},
		{"shopify 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 now", "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"},
		{"python pypi-AgEIcHlwaS5vcmcW4sg8NFNl5oFA6Qd8Mj7zdnbMjAdTdlzC5T4uUhf7kvmlP7HVDctQUy1xvCk now", "pypi-AgEIcHlwaS5vcmcW4sg8NFNl5oFA6Qd8Mj7zdnbMjAdTdlzC5T4uUhf7kvmlP7HVDctQUy1xvCk"},
		{"linear lin_api_gafrfwA94hJ9WnywX0t0ZBfdTEmxI6CmuxV5EbOA now", "lin_api_gafrfwA94hJ9WnywX0t0ZBfdTEmxI6CmuxV5EbOA"},
		{"notion ntn_pZOXzcycDeZ6dqmVe5Mvxrv99NcqVTSu7rtaUWM6ZO88eb now", "ntn_pZOXzcycDeZ6dqmVe5Mvxrv99NcqVTSu7rtaUWM6ZO88eb"},
		{"notion secret_0ogET9D9XyYq6B0Fi7FlaZ7Vt0SXjMpu3uDxYYMfGmz now", "secret_0ogET9D9XyYq6B0Fi7FlaZ7Vt0SXjMpu3uDxYYMfGmz"},
		{"figma figd_WkpAePcEJIukB4geqNfngAFTCloiADN5RpVI2XQW now", "figd_WkpAePcEJIukB4geqNfngAFTCloiADN5RpVI2XQW"},
		{"postman PMAK-39988b886e7577496a2c8773-e130f7eb19731662b5e803b61ba4168160 now", "PMAK-39988b886e7577496a2c8773-e130f7eb19731662b5e803b61ba4168160"},
		{"vault hvs.0uARxlNtencYFJEeAgYzQJjOIfPkzSrAsQtA9dtVK4wAAb3XZxPmzUzn8aB5kBh0fzK4xDXkiadJjPZ6zfKN7xVGkj now", "hvs.0uARxlNtencYFJEeAgYzQJjOIfPkzSrAsQtA9dtVK4wAAb3XZxPmzUzn8aB5kBh0fzK4xDXkiadJjPZ6zfKN7xVGkj"},
		{"doppler dp.pt.wskHk7egyFWZY9Zmti18c6EudM7Oyf5TNS05kOY2oNz now", "dp.pt.wskHk7egyFWZY9Zmti18c6EudM7Oyf5TNS05kOY2oNz"},
		{"supabase sbp_6f561c5cb347611a3ce9d97dcbee500fe7ee5fc3 now", "sbp_6f561c5cb347611a3ce9d97dcbee500fe7ee5fc3"},
		{"atlassian ATATT3xFfGF0eiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNW now", "ATATT3xFfGF0eiwBxfZCGGQccOif7UuXUGfdWG5yP8Yib2eNUS0hmi4Fs9Z6YkRYU7oe1wNW"},
		{"twilio SK85a8e48f687ab165c58ac5831be38cb8 now", "SK85a8e48f687ab165c58ac5831be38cb8"},
		{"fireworks fw_yxKjxvWfColNV9ds0HqtO93L now", "fw_yxKjxvWfColNV9ds0HqtO93L"},
		{"square sq0atp-7Q5uUaVcojsNOBAGx5diFo now", "sq0atp-7Q5uUaVcojsNOBAGx5diFo"},
		{"watch sntrys_NPcbdaKwtgHwIoALtLinxN1Ekia7ZpTjCgeOj3QYrzZq9adP0J5wMPLCM7HU now", "sntrys_NPcbdaKwtgHwIoALtLinxN1Ekia7ZpTjCgeOj3QYrzZq9adP0J5wMPLCM7HU"},
		{"newrelic NRAK-5PKACD8BZLPKDGA9MJ0M760L6TE now", "NRAK-5PKACD8BZLPKDGA9MJ0M760L6TE"},
		{"age AGE-SECRET-KEY-1TD48AY13F2LOGQOCHVQDR917QSNF6AKQPMKUMYVPY8447AB1OTNZEKJCBH now", "1TD48AY13F2LOGQOCHVQDR917QSNF6AKQPMKUMYVPY8447AB1OTNZEKJCBH"},
		{"e2b e2b_35b400141212b62c376631129f34369aad80b891 now", "e2b_35b400141212b62c376631129f34369aad80b891"},
		{"airtable patTWx6uX9MGE2sNV.0d0d3bf16295d06910bf3f5fb85967f532f3ab3cc2d0b698d5c7e41ba4ea5ee8 now", "patTWx6uX9MGE2sNV.0d0d3bf16295d06910bf3f5fb85967f532f3ab3cc2d0b698d5c7e41ba4ea5ee8"},
		{"mailgun key-74ae7689447ab57a683536c4499d8633 now", "74ae7689447ab57a683536c4499d8633"},
		{"planet pscale_tkn_rn4yDcaz2YBSoGOsDbjqMVzaVp62BSKLVPA2oQUP44X now", "pscale_tkn_rn4yDcaz2YBSoGOsDbjqMVzaVp62BSKLVPA2oQUP44X"},
		{"discord MPSL2oRlPhDBuqOSg5ApYzTTOk.q2BEDb.N2AHRQ73l5PuXay1F6gcqInkTY88mHwg2KDInT now", "MPSL2oRlPhDBuqOSg5ApYzTTOk.q2BEDb.N2AHRQ73l5PuXay1F6gcqInkTY88mHwg2KDInT"},
	}
}

// spread cuts a text into pieces of six bytes, or more where a character does not end there.
func spread(text string) []string {
	var list []string
	from := 0
	for i := range text {
		if i-from >= 6 {
			list, from = append(list, text[from:i]), i
		}
	}
	return append(list, text[from:])
}

func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// tokens is the log-probabilities of a text that is cut into tokens.
func tokens(pieces ...string) string {
	type entry struct {
		Token       string  `json:"token"`
		Logprob     float64 `json:"logprob"`
		Bytes       []int   `json:"bytes"`
		TopLogprobs []entry `json:"top_logprobs,omitempty"`
	}
	var list []entry
	for _, p := range pieces {
		e := entry{Token: p, Logprob: -0.25}
		for _, b := range []byte(p) {
			e.Bytes = append(e.Bytes, int(b))
		}
		e.TopLogprobs = []entry{e}
		list = append(list, e)
	}
	return asJSON(map[string]any{"content": list, "refusal": nil})
}

// whereTheyCanBe puts a text into every place of an exchange, one exchange for each.
func whereTheyCanBe(text string) map[string]*recording.Exchange {
	ask := func(content string) string {
		return `{"model":"gpt-4o","messages":[{"role":"user","content":` + asJSON(content) + `}]}`
	}
	exchange := func(body, contentType, answer string) *recording.Exchange {
		x := &recording.Exchange{Method: "POST", Path: "/v1/chat/completions", Status: 200, Body: []byte(body), Header: http.Header{}, AnswerHeader: http.Header{}, Pieces: []recording.Piece{{Data: []byte(answer)}}}
		if contentType != "" {
			x.AnswerHeader.Set("Content-Type", contentType)
		}
		return x
	}
	message := func(content, logprobs string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":` + asJSON(content) + `},"logprobs":` + logprobs + `,"finish_reason":"stop"}]}`
	}
	var content, arguments, logprobs strings.Builder
	for i, p := range spread(text) {
		content.WriteString(chunkOf(`{"content":` + asJSON(p) + `}`))
		if i == 0 {
			arguments.WriteString(chunkOf(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":` + asJSON(p) + `}}]}`))
		} else {
			arguments.WriteString(chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":` + asJSON(p) + `}}]}`))
		}
		logprobs.WriteString(strings.Replace(chunkOf(`{"content":`+asJSON(p)+`}`), `"finish_reason"`, `"logprobs":`+tokens(p)+`,"finish_reason"`, 1))
	}
	var events strings.Builder
	event := func(kind, members string) {
		fmt.Fprintf(&events, "event: %s\ndata: {\"type\":%q,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,%s}\n\n", kind, kind, members)
	}
	list := func(pieces ...string) string {
		return strings.TrimSuffix(strings.TrimPrefix(tokens(pieces...), `{"content":`), `,"refusal":null}`)
	}
	for _, p := range spread(text) {
		event("response.output_text.delta", `"delta":`+asJSON(p)+`,"logprobs":`+list(p))
	}
	event("response.output_text.done", `"text":`+asJSON(text)+`,"logprobs":`+list(spread(text)...))
	const sse, inJSON = "text/event-stream", "application/json"
	var legacy []string
	var tops []map[string]float64
	for _, p := range spread(text) {
		legacy, tops = append(legacy, p), append(tops, map[string]float64{p: -0.25})
	}
	ok := message("ok", "null")
	const half = 11 // It is in the first secret.
	places := map[string]*recording.Exchange{
		"user":           exchange(ask(text), inJSON, ok),
		"system":         exchange(`{"model":"gpt-4o","messages":[{"role":"system","content":`+asJSON(text)+`},{"role":"user","content":"system"}]}`, inJSON, ok),
		"tool-result":    exchange(`{"model":"gpt-4o","messages":[{"role":"user","content":"tool-result"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":`+asJSON(asJSON(map[string]string{"x": text}))+`}}]},{"role":"tool","tool_call_id":"c1","content":`+asJSON(text)+`}]}`, inJSON, ok),
		"parts":          exchange(`{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":`+asJSON(text[:half])+`},{"type":"text","text":`+asJSON(text[half:])+`}]}]}`, inJSON, ok),
		"data-lines":     exchange(ask("data-lines"), sse, "data: "+text[:half]+"\ndata: "+strings.ReplaceAll(text[half:], "\n", "\ndata: ")+"\n\n"),
		"data-events":    exchange(ask("data-events"), sse, "data: "+text[:half]+"\n\ndata: "+strings.ReplaceAll(text[half:], "\n", "\n\ndata: ")+"\n\n"),
		"metadata":       exchange(`{"model":"gpt-4o","metadata":{`+asJSON(text)+`:"x"},"messages":[{"role":"user","content":"metadata"}]}`, inJSON, ok),
		"message":        exchange(ask("message"), inJSON, message(text, "null")),
		"pretty":         exchange(ask("pretty"), inJSON, strings.ReplaceAll(message(text, "null"), `,"`, ",\n  \"")),
		"tokens":         exchange(ask("tokens"), inJSON, message(text, tokens(spread(text)...))),
		"stream":         exchange(ask("stream"), sse, content.String()+"data: [DONE]\n\n"),
		"arguments":      exchange(ask("arguments"), sse, arguments.String()+"data: [DONE]\n\n"),
		"stream-tokens":  exchange(ask("stream-tokens"), sse, logprobs.String()+"data: [DONE]\n\n"),
		"responses":      exchange(`{"model":"gpt-4o","stream":true,"input":"responses"}`, sse, events.String()),
		"comment":        exchange(ask("comment"), sse, ": "+strings.ReplaceAll(text, "\n", "\n: ")+"\n\ndata: [DONE]\n\n"),
		"error":          exchange(ask("error"), inJSON, `{"error":{"message":`+asJSON(text)+`,"type":"invalid_request_error","param":null,"code":null}}`),
		"plain":          exchange(ask("plain"), "text/plain", "oops\n"+text+"\n"),
		"answer-header":  exchange(ask("answer-header"), inJSON, ok),
		"request-header": exchange(ask("request-header"), inJSON, ok),
		"query":          exchange(ask("query"), inJSON, ok),
		"legacy": {
			Method: "POST", Path: "/v1/completions", Status: 200, Body: []byte(`{"model":"gpt-3.5-turbo-instruct","prompt":"legacy"}`), AnswerHeader: http.Header{"Content-Type": {inJSON}},
			Pieces: []recording.Piece{{Data: []byte(`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"text":` + asJSON(text) + `,"index":0,"logprobs":` +
				asJSON(map[string]any{"tokens": legacy, "token_logprobs": []float64{}, "top_logprobs": tops, "text_offset": []int{}}) + `,"finish_reason":"stop"}]}`)}},
		},
	}
	places["error"].Status = 400
	places["answer-header"].AnswerHeader["X-Note"] = strings.Split(text, "\n")
	places["request-header"].Header["X-Note"] = strings.Split(text, "\n")
	places["responses"].Path = "/v1/responses"
	places["query"].Path += "?note=" + url.QueryEscape(text)
	return places
}

// No part of a secret is in a file, wherever the secret was and however it was cut, and the file
// still answers the request with the secret.
func TestNoPartOfASecretReachesAFile(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for group := range slices.Chunk(plantings(), 8) {
		var text []string
		for _, p := range group {
			text = append(text, p.text)
		}
		t.Run(group[0].secret, func(t *testing.T) {
			t.Parallel()
			r := recording.Redactor{Patterns: []*regexp.Regexp{regexp.MustCompile("CUSTOM-[0-9]+"), regexp.MustCompile("OTHER-[0-9]+")}}
			for place, x := range whereTheyCanBe(strings.Join(text, "\n")) {
				asked := string(x.Body)
				r.Redact(x)
				files, notes := collect(t, []*recording.Exchange{x}, recording.MatchExact)
				if len(files) != 1 || len(notes) > 0 {
					t.Fatalf("%s: %d files, %v", place, len(files), notes)
				}
				path, _, _ := strings.Cut(x.Path, "?")
				if again := exchangeWith(t, fakeOf(t, files), "", path, asked); again.Status != x.Status {
					t.Errorf("%s: the request with its secrets gets %d: %s", place, again.Status, bodyOf(again))
				}
				for _, p := range group {
					if part := partIn(files[0].Name+"\n"+string(files[0].Data), p.secret); part != "" {
						t.Errorf("%s: %q of %q is in\n%s\n%s", place, part, p.secret, files[0].Name, files[0].Data)
					}
				}
			}
		})
	}
}

// partIn is a part of a secret that a text has, as text or as numbers of its bytes; "" if there is none.
func partIn(text, secret string) string {
	text = strings.ToLower(strings.ReplaceAll(text, `\`, ""))
	secret = strings.ToLower(strings.ReplaceAll(secret, `\`, ""))
	for i := 0; i+5 <= len(secret); i++ {
		part := secret[i : i+5]
		numbers := strings.Trim(strings.ReplaceAll(fmt.Sprint([]byte(part[:4])), " ", ", "), "[]")
		if strings.Contains(text, part) || strings.Contains(strings.ReplaceAll(text, ",", ", "), numbers) {
			return part
		}
	}
	return ""
}

// A stream is recorded event by event and with its pauses, and without a secret that is cut
// between two events, whatever content type it has.
func TestAStreamIsOneWhateverItsContentType(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"", "text/event-stream", "Text/Event-Stream ; Charset=UTF-8", "text/plain; charset=utf-8"} {
		x := chat(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, "mple.org now")
		x.AnswerHeader.Set("Content-Type", contentType)
		if contentType == "" {
			x.AnswerHeader.Del("Content-Type")
		}
		x.Pieces = append([]recording.Piece{
			{At: 10 * time.Millisecond, Data: []byte(chunkOf(`{"content":"To "}`))},
			{At: 250 * time.Millisecond, Data: []byte(chunkOf(`{"content":"joe@exa"}`))},
		}, x.Pieces...)
		x.Pieces[2].At = 250 * time.Millisecond
		new(recording.Redactor).Redact(x)
		files, _ := collect(t, []*recording.Exchange{x}, recording.MatchTurn)
		if text := string(files[0].Data); !strings.Contains(text, `content: "To "`) || !strings.Contains(text, "240ms") {
			t.Errorf("%q: the recording is\n%s", contentType, text)
		} else if part := partIn(text, "joe@example.org"); part != "" {
			t.Errorf("%q: %q is in\n%s", contentType, part, text)
		}
	}
}

// A secret in a header field of the answer is replaced in its body, too, and JSON keeps its style.
func TestWhatIsRedactedKeepsItsStyle(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"{\"a\": [\"say letters-alone\", 1, {}], \"b\": \"ü\"}\n", "{\n  \"a\": \"say letters-alone\",\n  \"b\": []\n}", `{"a":"say letters-alone","b":"<"}`,
	} {
		x := &recording.Exchange{
			Method: "POST", Path: "/v1/chat/completions", Status: 200, AnswerHeader: http.Header{"X-Vault-Token": {"letters-alone"}},
			Pieces: []recording.Piece{{Data: []byte(body)}},
		}
		var r recording.Redactor
		r.Redact(x)
		want := strings.Replace(body, "letters-alone", x.AnswerHeader.Get("X-Vault-Token"), 1)
		if got := bodyOf(x); got != want || got == body {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}
