package socket

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAnOutageRefusesAndEnds(t *testing.T) {
	t.Parallel()
	var ls Listeners
	if !ls.Empty() {
		t.Error("without a listener it is not empty")
	}
	l := ls.Watch(listen(t))
	defer l.Close()
	addr := l.Addr().String()
	accepted := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			accepted <- c
		}
	}()
	if err := ls.Down(); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", addr); !IsRefused(err) {
		t.Errorf("during an outage a dial ends with %v", err)
	}
	if err := ls.Up(); err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c := testflag.Receive(t, accepted).(*Conn)
	defer c.Close()
	if !c.Accepted() || c.Refusal() != "" {
		t.Errorf("accepted %t, refusal %q", c.Accepted(), c.Refusal())
	}
	c.BeginRequest()
	if err := ls.Down(); err != nil {
		t.Fatal(err)
	}
	if c.Refusal() == "" {
		t.Error("during an outage a connection takes a further request")
	}
	if _, err := c.Write([]byte("x")); err != nil || c.Written() != 1 {
		t.Errorf("a request that is being answered can write %d bytes, %v", c.Written(), err)
	}
	c.EndRequest()
}

// refusing is a listener that can refuse connections without being closed.
type refusing struct {
	net.Listener
	refuses bool
}

func (r *refusing) Refuse(refuses bool) { r.refuses = refuses }

func TestUpAfterTriesAgainUntilToldToStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, inner := time.Now(), &refusing{refuses: true}
		var ls Listeners
		ls.list = []*Listener{{inner: inner, down: true, release: func() {}, changed: make(chan struct{})}}
		ls.UpAfter(time.Second, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if ls.list[0].isDown() || inner.refuses || time.Since(began) != time.Second {
			t.Errorf("after %s down is %t", time.Since(began), ls.list[0].isDown())
		}

		// An address that no listener can have.
		lost := &Listener{addr: &net.UnixAddr{Name: "/nowhere/at/all", Net: "unix"}, inner: new(net.UnixListener), down: true, release: func() {}, changed: make(chan struct{})}
		ls.list = []*Listener{lost}
		tries := 0
		ls.UpAfter(time.Second, func(error) bool {
			tries++
			return tries < 3
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if tries != 3 || !lost.isDown() {
			t.Errorf("it was tried %d times, want 3", tries)
		}
	})
}

func TestCancelUpKeepsTheOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ls Listeners
		ls.setTimer(time.AfterFunc(time.Second, func() { t.Error("the outage was ended") }))
		ls.CancelUp()
		time.Sleep(time.Minute)
	})
}
