package serving_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is the longest wait of a test for an event that must come.
const patience = 30 * time.Second

// talk is a server and a client that is connected to it.
type talk struct {
	t     *testing.T
	fake  *server.Server
	url   string
	conn  *websocket.Conn
	pings atomic.Int64
	ended chan journal.Entry
}

func serve(t *testing.T, yaml string, config server.Config) *talk {
	t.Helper()
	list, problems := yamlfile.Parse("test.yaml", []byte(yaml))
	for _, s := range list {
		s.Quirks = append(s.Quirks, scenarios.Quirk{Rule: scenarios.AnyQuirk})
	}
	set, more := scenarios.Build(nil, list...)
	if err := append(problems, more...).Err(); err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, ended: make(chan journal.Entry, 100)}
	config.Scenarios, config.Upgrade = set, serving.Upgrade
	config.Observe = func(e journal.Entry) { k.ended <- e }
	fake, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewUnstartedServer(fake)
	listening.Config.ConnContext, listening.Config.Protocols = fake.ConnContext, new(http.Protocols)
	listening.Config.Protocols.SetHTTP1(true)
	listening.Config.Protocols.SetUnencryptedHTTP2(true)
	listening.Listener = fake.Watch(listening.Listener)
	listening.Start()
	k.fake, k.url = fake, listening.URL
	t.Cleanup(func() { fake.Close(); listening.Close() })
	return k
}

func (k *talk) dial(header http.Header) {
	k.t.Helper()
	conn, _, err := websocket.Dial(k.t.Context(), k.url+"/v1/responses", &websocket.DialOptions{
		HTTPHeader:     header,
		OnPingReceived: func(context.Context, []byte) bool { k.pings.Add(1); return true },
	})
	if err != nil {
		k.t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	k.conn = conn
	k.t.Cleanup(func() { conn.CloseNow() })
}

// send asks for a response, with more members if there are any.
func (k *talk) send(members string) {
	k.t.Helper()
	message := `{"type":"response.create","model":"gpt-4o","input":"Hi"` + members + `}`
	if err := k.conn.Write(k.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		k.t.Fatal(err)
	}
}

// until reads messages up to one of the type and returns that.
func (k *talk) until(kind string) string {
	k.t.Helper()
	for {
		message, err := k.next()
		if err != nil {
			k.t.Fatalf("before %s: %v", kind, err)
		}
		if strings.HasPrefix(message, `{"type":"`+kind+`"`) {
			return message
		}
	}
}

func (k *talk) next() (string, error) {
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	_, message, err := k.conn.Read(ctx)
	return string(message), err
}

// status returns the code of the close frame that ends the connection.
func (k *talk) status() websocket.StatusCode {
	for {
		if _, err := k.next(); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// Two turns go over one connection, a comment as a ping, and each turn is in the journal.
func TestTurnsOfOneConnection(t *testing.T) {
	t.Parallel()
	k := serve(t, "name: agent\nstream:\n  - comment: beat\n  - content: Hi\n  - finish: stop\n", server.Config{Speed: server.Instant})
	k.dial(http.Header{"Authorization": {"Bearer sk-test"}})
	for range 2 {
		k.send("")
		k.until("response.completed")
	}
	k.conn.Close(websocket.StatusNormalClosure, "")
	if k.pings.Load() == 0 {
		t.Error("no comment came as a ping")
	}
	for i := range 2 {
		e := testflag.Receive(t, k.ended)
		d := e.Delivery
		if e.Method != "POST" || e.Path != "/v1/responses" || e.Status != 200 || e.Scenario != "agent" || e.APIKey != "sk-test" || e.Failed ||
			d.Protocol != "WebSocket" || d.RequestNumber != int64(i+1) || d.Reused != (i == 1) || d.Ended != journal.EndedComplete || d.Frames != d.Planned || d.Frames < 5 {
			t.Errorf("the entry of turn %d is %+v", i+1, e)
		}
	}
}

// Endings end the connection: in order with a close frame, otherwise without one.
func TestEndings(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]websocket.StatusCode{
		"{ close: { after: 3 } }": websocket.StatusNormalClosure, "{ cut: { after: 3 } }": -1, "{ reset: { after: 3 } }": -1,
		"refuse": -1, "{ stall: { after: 3, for: 1ms } }": -1,
	} {
		k := serve(t, "name: x\nmessage: Hi there you\nend: "+end, server.Config{})
		k.dial(nil)
		k.send("")
		if got := k.status(); got != want {
			t.Errorf("%s: the connection ends with %d, want %d", end, got, want)
		}
		code := map[websocket.StatusCode]int{websocket.StatusNormalClosure: 1000, -1: 1006}[want]
		if e := testflag.Receive(t, k.ended); e.Delivery.Ended != journal.EndedAsAuthored || !e.Failed || e.Delivery.CloseCode != code {
			t.Errorf("%s: the entry is %+v", end, e)
		}
	}
	k := serve(t, "name: x\nmessage: Hi\nend: { linger: { for: 1ms } }", server.Config{})
	k.dial(nil)
	for range 2 {
		k.send("")
		k.until("response.completed")
	}
}

const held = "name: held\nstream:\n  - role: assistant\n  - content: a\n  - hold: middle\n  - content: b\n  - finish: stop\n"

// The server notices that the client leaves in the middle of a turn.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	k := serve(t, held, server.Config{})
	k.dial(nil)
	k.send("")
	k.until("response.output_text.delta")
	if err := k.fake.Await(t.Context(), "middle"); err != nil {
		t.Fatal(err)
	}
	k.conn.CloseNow()
	e := testflag.Receive(t, k.ended)
	if d := e.Delivery; d.Ended != journal.EndedByClient || d.Left == "" || d.Unread.Frames == 0 || d.CloseCode != 1006 {
		t.Errorf("the delivery is %+v", d)
	}
	k.dial(nil)
	k.send("")
	k.until("response.output_text.delta")
	k.conn.Close(4001, "enough")
	if d := testflag.Receive(t, k.ended).Delivery; d.Ended != journal.EndedByClient || d.CloseCode != 4001 {
		t.Errorf("the delivery is %+v", d)
	}
}

// A shutdown closes connections with 1001, idle ones and those with a turn.
func TestShutdown(t *testing.T) {
	t.Parallel()
	k := serve(t, held, server.Config{DrainTimeout: time.Millisecond})
	idle := &talk{t: t, url: k.url}
	idle.dial(nil)
	k.dial(nil)
	k.send("")
	k.until("response.output_text.delta")
	closed := make(chan websocket.StatusCode, 2)
	for _, c := range []*talk{k, idle} {
		go func() { closed <- c.status() }()
	}
	_ = k.fake.Shutdown(t.Context())
	for range 2 {
		if got := testflag.Receive(t, closed); got != websocket.StatusGoingAway {
			t.Errorf("closed with %d", got)
		}
	}
	if e := testflag.Receive(t, k.ended); e.Delivery.Ended != journal.EndedByShutdown {
		t.Errorf("the turn ended by %s", e.Delivery.Ended)
	}
}

func TestMessagesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	k := serve(t, "name: x\nmessage: Hi\n", server.Config{MaxBody: 1000})
	k.dial(nil)
	k.send(`,"user":"` + strings.Repeat("a", 2000) + `"`)
	if got := k.status(); got != websocket.StatusMessageTooBig {
		t.Errorf("closed with %d", got)
	}
}

// The time for a message counts from its first frame.
func TestMessagesThatAreNotCompleteInTime(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	k := serve(t, "name: x\nmessage: Hi\n", server.Config{BodyTimeout: limit})
	k.dial(nil)
	k.send("")
	k.until("response.completed")
	time.Sleep(2 * limit) // a connection may be idle for longer
	began := time.Now()
	w, err := k.conn.Writer(t.Context(), websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, `{"type":"response.create","input":"`+strings.Repeat("a", 10_000)); err != nil {
		t.Fatal(err)
	}
	if message := k.until("error"); !strings.Contains(message, "fake_body_too_slow") || time.Since(began) < limit {
		t.Errorf("after %s the server says %s", time.Since(began), message)
	}
	if got := k.status(); got != websocket.StatusNormalClosure {
		t.Errorf("closed with %d", got)
	}
}

// A client that reads nothing does not keep a server from ending.
func TestAShutdownDoesNotWaitForAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	k := serve(t, "name: large\nstream:\n  - role: assistant\n  - content: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    repeat: 40000\n  - finish: stop\n", server.Config{Speed: server.Instant})
	k.dial(nil)
	k.send("")
	k.until("response.in_progress")
	k.fake.Close()
	select {
	case e := <-k.ended:
		if e.Delivery.Ended != journal.EndedByShutdown {
			t.Errorf("the turn ended by %s", e.Delivery.Ended)
		}
	case <-time.After(patience):
		t.Fatal("the turn goes on")
	}
}
