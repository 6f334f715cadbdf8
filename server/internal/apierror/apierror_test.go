package apierror_test

import (
	"strings"
	"testing"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

func TestBodiesAreLaidOutAsTheRealServiceDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		e                 *apierror.Error
		status            int
		contentType, want string
	}{
		{"standard", apierror.UnknownModel("x"), 404, "application/json",
			"{\n  \"error\": {\n    \"message\": \"The model 'x' does not exist\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"model\",\n    \"code\": \"model_not_found\"\n  }\n}"},
		{"nulls", apierror.InvalidURL("GET", "/v1/x"), 404, "application/json",
			"{\n  \"error\": {\n    \"message\": \"Invalid URL (GET /v1/x)\",\n    \"type\": \"invalid_request_error\",\n    \"param\": null,\n    \"code\": null\n  }\n}"},
		{"auth", apierror.MissingKey(), 401, "application/json; charset=utf-8",
			"{\n    \"error\": {\n        \"message\": \"Missing bearer or basic authentication in header\",\n        \"type\": \"invalid_request_error\",\n        \"param\": null,\n        \"code\": null\n    }\n}\n"},
		{"gateway", apierror.UnknownURL("GET", "/x"), 404, "application/json",
			"{\n  \"error\": {\n    \"type\": \"invalid_request_error\",\n    \"code\": \"unknown_url\",\n    \"message\": \"Unknown request URL: GET /x. Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/.\",\n    \"param\": null\n  }\n}"},
		{"Azure", apierror.AzureURL(), 404, "application/json",
			`{"error":{"code":"404","message":"Resource not found"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := string(c.e.Body()); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := c.e.Shape.ContentType(); got != c.contentType {
				t.Errorf("the content type is %s, want %s", got, c.contentType)
			}
			if c.e.Status != c.status {
				t.Errorf("the status is %d, want %d", c.e.Status, c.status)
			}
		})
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	for given, want := range map[apierror.Given]struct{ message, kind, param, code string }{
		{Status: 400}:              {"The request cannot be answered.", "invalid_request_error", "", ""},
		{Status: 401}:              {"Incorrect API key provided. You can", "invalid_request_error", "", "invalid_api_key"},
		{Status: 403}:              {"Country, region, or territory not supported", "request_forbidden", "", "unsupported_country_region_territory"},
		{Status: 404}:              {"The request cannot be answered.", "invalid_request_error", "", ""},
		{Status: 429, Model: "o3"}: {"Rate limit reached for o3 in organization org-fakeopenai on requests per min (RPM): Limit 10000, Used 10000, Requested 1. Please try again in 6ms. Visit", "requests", "", "rate_limit_exceeded"},
		{Status: 500}:              {"The server had an error while processing your request.", "server_error", "", ""},
		{Status: 503}:              {"That model is currently overloaded with other requests.", "server_error", "", ""},
		{Status: 529}:              {"The server had an error while processing your request.", "server_error", "", ""},
		{Status: 400, Code: "context_length_exceeded"}:                                       {"This model's maximum context length is 8192 tokens.", "invalid_request_error", "messages", "context_length_exceeded"},
		{Status: 401, Code: "invalid_api_key", Key: "sk-0123456789abc"}:                      {"Incorrect API key provided: sk-01234****9abc. You can", "invalid_request_error", "", "invalid_api_key"},
		{Status: 401, Code: "mismatched_organization"}:                                       {"OpenAI-Organization header should match", "invalid_request_error", "", "mismatched_organization"},
		{Status: 404, Code: "model_not_found", Model: "o9"}:                                  {"The model `o9` does not exist or you do not have access to it.", "invalid_request_error", "", "model_not_found"},
		{Status: 429, Code: "insufficient_quota"}:                                            {"You exceeded your current quota,", "insufficient_quota", "", "insufficient_quota"},
		{Status: 429, Code: "rate_limit_exceeded", Model: "o3", RetryAfter: 2 * time.Second}: {"Rate limit reached for o3 in organization org-fakeopenai on requests per min (RPM): Limit 10000, Used 10000, Requested 1. Please try again in 2s.", "requests", "", "rate_limit_exceeded"},
	} {
		for _, given.Status = range []int{given.Status, 0} {
			e := apierror.Default(given)
			if given.Status == 0 && given.Code == "" {
				continue // without status and code, the error is a 500
			}
			if !strings.HasPrefix(e.Message, want.message) || e.Type != want.kind || e.Code != want.code || e.Param != want.param {
				t.Errorf("%+v: %+v, want %+v", given, *e, want)
			}
		}
	}
}

func TestTheStatusOfAnErrorFollowsItsCode(t *testing.T) {
	t.Parallel()
	for given, want := range map[apierror.Given]int{
		{}:                             500,
		{Code: "my_code"}:              500,
		{Code: "insufficient_quota"}:   429,
		{Code: "invalid_type"}:         400,
		{Status: 503, Code: "my_code"}: 503,
		{Status: 400, Code: "insufficient_quota"}: 400,
	} {
		if got := apierror.Default(given).Status; got != want {
			t.Errorf("%+v has the status %d, want %d", given, got, want)
		}
	}
}

func TestCodesComeWithTheirStatus(t *testing.T) {
	t.Parallel()
	for _, e := range []*apierror.Error{
		apierror.WrongKey("k"), apierror.UnknownURL("GET", "/"), apierror.WrongMethod([]string{"GET"}), apierror.UnknownModel("m"),
		apierror.Default(apierror.Given{Status: 401}), apierror.Default(apierror.Given{Status: 403}), apierror.Default(apierror.Given{Status: 429}), apierror.Bad("p", "invalid_type", "m"),
	} {
		if got := apierror.StatusOf(e.Code); got != e.Status {
			t.Errorf("the code %s belongs to status %d, and comes with %d", e.Code, got, e.Status)
		}
	}
	if got := apierror.StatusOf("my_code"); got != 0 {
		t.Errorf("a code that is not known belongs to status %d", got)
	}
}

func TestTheMiddleOfAKeyIsHidden(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"fake_key":               "fake_key",
		"123456789012":           "123456789012",
		"1234567890123":          "12345678*0123",
		"sk-proj-abcdefghijklmn": "sk-proj-**********klmn",
	} {
		message := apierror.WrongKey(key).Message
		if got, _, _ := strings.Cut(strings.TrimPrefix(message, "Incorrect API key provided: "), ". You can find"); got != want {
			t.Errorf("%q is shown as %q, want %q", key, got, want)
		}
	}
}

func TestTheMethodsThatAreAcceptedAreListedInASentence(t *testing.T) {
	t.Parallel()
	for want, allowed := range map[string][]string{
		"Only POST requests are accepted.":                 {"POST"},
		"Only GET and POST requests are accepted.":         {"GET", "POST"},
		"Only GET, POST and DELETE requests are accepted.": {"GET", "POST", "DELETE"},
	} {
		if got := apierror.WrongMethod(allowed).Message; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
