package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// The APIs on which a scenario is said to answer are exactly those that do not refuse its
// reply as unsayable.
func TestSpeaksSaysWhereScenariosAnswer(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	set := bundled(t)
	fake := local(t, "", server.Config{Scenarios: set, Speed: server.Instant})
	speaks, elsewhere := server.Speaks(set), 0
	for _, sc := range set.Scenarios() {
		for _, on := range server.Surfaces() {
			req := httptest.NewRequestWithContext(server.WithPlan(t.Context(), func(server.Plan) {}), http.MethodPost, on.Path, strings.NewReader(on.Example))
			req.Header.Set("X-Fakeopenai-Scenario", sc.Name)
			answer := httptest.NewRecorder()
			fake.ServeHTTP(answer, req)
			unsayable := strings.Contains(answer.Body.String(), "fake_unsayable")
			said := slices.Contains(speaks[sc.Name], on.Name)
			if said == unsayable && len(sc.Replies) == 1 {
				t.Errorf("%s: said to answer on %s: %t, but the answer is %s", sc.Name, on.Name, said, answer.Body)
			}
			if unsayable {
				elsewhere++
			}
		}
	}
	if elsewhere == 0 {
		t.Error("all bundled scenarios answer on all APIs, so that nothing is told apart")
	}
}
