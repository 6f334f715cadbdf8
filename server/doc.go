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
// Endpoints of its own are below /_fake/, to which GET / points. GET /_fake/ lists them all, in a browser as a page that shows
// what happened, and GET /_fake/openapi.json describes them in OpenAPI 3.1.
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
