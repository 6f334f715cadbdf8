package request

import (
	"net/url"
	"strings"
	"testing"
)

func TestAQueryStandsForABody(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": `{"stream":true}`,
		"user=ada&model=gpt-4o&messages=" + url.QueryEscape(`[{"role":"user","content":"a & b"}]`): `{"stream":true,"model":"gpt-4o","messages":[{"role":"user","content":"a & b"}],"user":"ada"}`,
		"model=3&stream=false&n=2&api-version=2024-10-21":                                          `{"stream":false,"model":"3","n":2}`,
		"prompt=Say+hi": `{"stream":true,"prompt":"Say hi"}`,
	} {
		if got, err := FromQuery(query); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, want %s", query, got, err, want)
		}
	}
}

func TestAQueryThatIsNotRightIsRefused(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"mesages=[]&temp=1": "Unknown parameter: 'mesages' in the query of the request. It can have model, messages, prompt, ",
		"messages=hello":    "The value of 'messages' in the query of the request is not JSON: ",
		"stream=yes":        "The value of 'stream' in the query of the request is not JSON: ",
		"model=a&model=b":   "The query of the request has 'model' 2 times.",
		"model=%zz":         "The query of the request cannot be read: ",
		"model=a;stream=no": "The query of the request cannot be read: ",
	} {
		if _, err := FromQuery(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}
