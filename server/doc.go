// Package server plays scenarios as an OpenAI API over HTTP.
//
// A [Server] is a plain [net/http.Handler]:
//
//	set, err := yamlfile.Load(os.DirFS("testdata"), "*.yaml")
//	if err != nil {
//		log.Fatal(err)
//	}
//	fake, err := server.New(server.Config{Scenarios: set})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer fake.Close()
//	log.Fatal(http.ListenAndServe("127.0.0.1:8080", fake))
//
// # What it answers
//
//	POST /v1/chat/completions   a scenario, streamed or not
//	POST /v1/responses          the same scenarios, as items and events
//	POST /v1/completions        a scenario of text, in the older API
//	GET  /v1/models             the models that the scenarios name, and a few more
//	GET  /v1/models/{id}
//
// The same paths work without /v1 and below Azure's /openai/v1, and
// /openai/deployments/{deployment}/chat/completions answers as Azure does.
//
// Endpoints of its own are below /_fake/ (where "." is /_fake/ itself, to which
// GET / points):
//
//	GET    .                           all endpoints as JSON or, in a browser, a page that shows what happened
//	GET    openapi.json                these endpoints in OpenAPI 3.1
//	GET    healthz                     200 as long as the process serves
//	GET    readyz                      503 while it shuts down
//	GET    scenarios                   what is played
//	PUT    scenarios                   plays those in the body before the server's own: see [Server.PutScenarios]
//	POST   scenarios                   adds those in the body to the ones that were put
//	DELETE scenarios                   removes the ones that were put
//	GET    scenarios/sends             what they send, in a sentence each
//	POST   scenarios/try               what is wrong with those in the body, and what they would send
//	GET    faults                      what is laid over answers
//	PUT    faults                      lays those in the body over answers: see [Server.PutFaults]
//	DELETE faults                      removes the ones that were put
//	GET    requests                    the journal
//	DELETE requests                    empties it
//	GET    requests/{id}               one entry of the journal
//	GET    requests/events             the requests in short as server-sent events, and what changes
//	GET    requests/wait               the journal, once ?count=2 requests have ended; ?timeout=5s
//	GET    requests/{id}/wait          the entry, once the answer has ended; ?timeout=5s
//	GET    requests/find               the requests whose body or answer has a text; ?text=Paris
//	GET    requests/{id}/body          the body as it was sent
//	GET    requests/{id}/differences   how the answer differs from that to request ?with=2
//	GET    requests/{id}/transcript    the bytes that were sent
//	GET    requests/{id}/timeline      what was to be sent when, and when it was sent
//	GET    requests/{id}/why           which conditions of which scenarios hold
//	GET    requests/{id}/scenario      the answer as a scenario, with Config.AsScenario
//	GET    calls                       the requests grouped with their retries: see journal.Call
//	GET    calls/wait                  the calls, once ?count=2 of them have ended; ?outcome=succeeded, ?timeout=5s
//	GET    usage                       what API keys have spent of their limits
//	GET    metrics                     counters and times for Prometheus, with Config.Metrics
//	GET    holds                       the holds, and the streams that wait at them
//	GET    holds/{name}/wait           until a stream has reached it; ?timeout=5s
//	POST   holds/{name}/release        releases the streams that wait there
//	POST   reset                       forgets counters, usage, journal and releases
//	POST   reload                      reads the scenarios again
//	POST   down                        refuses connections for a while; ?for=2s, at most 60s
//
// Counts, journal entries and streams that wait at holds belong to the API key of
// their request. With ?api_key=KEY the endpoints scenarios, faults, requests, calls,
// usage, holds and reset show and change only what belongs to that key, so that test jobs
// with a key each can share a server.
//
// # Connections
//
// A server that watches its connections records more in a [journal.Delivery]:
// whether the client left by FIN or by RST, and whether it reused a connection:
//
//	front := &http.Server{Handler: fake, ConnContext: fake.ConnContext}
//	log.Fatal(front.Serve(fake.Watch(listener)))
//
// It can then also refuse connections for a while: see [Server.Down].
//
// # Answers that break off
//
// When the body of an answer must not end properly (the scenario cuts it, the client
// has left, the server closes), [Server.ServeHTTP] panics with
// [net/http.ErrAbortHandler], as net/http asks of handlers. The journal entry is
// complete by then. A caller other than net/http must recover from that panic.
package server
