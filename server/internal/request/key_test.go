package request

import "testing"

func TestAPIKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header map[string][]string
		want   string
	}{
		"no header":                           {nil, ""},
		"a bearer token":                      {map[string][]string{"Authorization": {"Bearer a"}}, "a"},
		"the scheme in another case":          {map[string][]string{"Authorization": {"bearer a"}}, "a"},
		"space around the token":              {map[string][]string{"Authorization": {"Bearer  a "}}, "a"},
		"another scheme":                      {map[string][]string{"Authorization": {"Basic x"}}, ""},
		"another scheme before the token":     {map[string][]string{"Authorization": {"Basic x", "Bearer z"}}, "z"},
		"the first of two tokens":             {map[string][]string{"Authorization": {"Bearer a", "Bearer b"}}, "a"},
		"an empty token before one":           {map[string][]string{"Authorization": {"Bearer ", "Bearer b"}}, "b"},
		"Azure's header":                      {map[string][]string{"Api-Key": {"azure"}}, "azure"},
		"the first of two in Azure's header":  {map[string][]string{"Api-Key": {"a", "b"}}, "a"},
		"a token before Azure's header":       {map[string][]string{"Authorization": {"Bearer a"}, "Api-Key": {"azure"}}, "a"},
		"Azure's header beside another":       {map[string][]string{"Authorization": {"Basic x"}, "Api-Key": {"azure"}}, "azure"},
		"Azure's header beside an empty one":  {map[string][]string{"Authorization": {"Bearer"}, "Api-Key": {"azure"}}, "azure"},
		"names of fields in lower case":       {map[string][]string{"authorization": {"Bearer a"}}, "a"},
		"a token without a scheme is no key":  {map[string][]string{"Authorization": {"a"}}, ""},
		"a scheme that only begins as Bearer": {map[string][]string{"Authorization": {"Bearertoken a"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := APIKey(tt.header); got != tt.want {
				t.Errorf("APIKey(%v) = %q, want %q", tt.header, got, tt.want)
			}
		})
	}
}
