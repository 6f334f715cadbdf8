package fakeopenai

import "testing"

func TestAwaitSaysWhereEveryOpenStreamStands(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, append(with, YAML(`
				name: two-holds
				when: { model: gpt-4o }
				stream:
				  - role: assistant
				  - hold: here
				  - hold: there
				  - finish: stop
			`))...)
			if _, err := ask(t.Context(), fake, streamed); err != nil {
				t.Fatal(err)
			}
			fake.Await("here")
			go func() { // a request that no scenario answers ends the wait below
				if resp, err := ask(t.Context(), fake, `{"model":"o3","messages":[]}`); err == nil {
					resp.Body.Close()
				}
			}()
			fake.Await("there")
			t.Error("Await returned although no stream had reached the hold")
		}).wantErrors(t, "o3", `request 1 (scenario "two-holds", reply 1) waits at hold "here" after `)
	})
}
