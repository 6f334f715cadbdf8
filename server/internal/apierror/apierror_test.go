package apierror_test

import (
	"strings"
	"testing"

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
	for status, want := range map[int]struct{ message, kind, code string }{
		400: {"The request cannot be answered.", "invalid_request_error", ""},
		401: {"Incorrect API key provided.", "invalid_request_error", "invalid_api_key"},
		403: {"Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"},
		404: {"The request cannot be answered.", "invalid_request_error", ""},
		429: {"Rate limit reached for requests.", "requests", "rate_limit_exceeded"},
		500: {"The server had an error while processing your request.", "server_error", ""},
		503: {"That model is currently overloaded with other requests.", "server_error", ""},
		529: {"The server had an error while processing your request.", "server_error", ""},
	} {
		e := apierror.Default(status)
		if e.Status != status || !strings.HasPrefix(e.Message, want.message) || e.Type != want.kind || e.Code != want.code || e.Param != "" {
			t.Errorf("%d: %+v, want %+v", status, *e, want)
		}
	}
}

func TestCodesComeWithTheirStatus(t *testing.T) {
	t.Parallel()
	for _, e := range []*apierror.Error{
		apierror.WrongKey("k"), apierror.UnknownURL("GET", "/"), apierror.WrongMethod([]string{"GET"}), apierror.UnknownModel("m"),
		apierror.Default(401), apierror.Default(403), apierror.Default(429), apierror.Bad("p", "invalid_type", "m"),
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
