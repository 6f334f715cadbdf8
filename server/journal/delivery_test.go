package journal

import (
	"fmt"
	"testing"
	"time"
)

func TestADeliveryPrintsItselfForTests(t *testing.T) {
	t.Parallel()
	whole := Delivery{Frames: 6, Planned: 6, Bytes: 1834, Step: 3, Ended: EndedComplete, Duration: 12 * time.Millisecond, First: time.Millisecond, Last: 11 * time.Millisecond, Protocol: "HTTP/1.1", RequestNumber: 1}
	left := Delivery{
		Frames: 2, Planned: 6, Bytes: 412, Step: 1, Ended: EndedByClient, Duration: time.Second, Left: LeftRST, LeftAfter: 20 * time.Millisecond,
		Stalls: Stalls{Count: 1, Longest: 30 * time.Millisecond, Total: 30 * time.Millisecond},
		Unread: Unread{Frames: 4, Bytes: 100}, Protocol: "HTTP/2.0", RequestNumber: 3, Reused: true,
	}
	for _, tt := range []struct {
		delivery Delivery
		want     string
	}{
		{whole, "6 of 6 frames, complete after 12ms; 1834 bytes, last step 3, written from 1ms to 11ms; request 1 of its HTTP/1.1 connection"},
		{left, "2 of 6 frames, client_left after 1s (rst after 20ms); 412 bytes, last step 1; unread: 4 frames, 100 bytes; stalls: 1, the longest 30ms; request 3 of its HTTP/2.0 connection"},
		{Delivery{Step: -1, Ended: EndedOpen, Protocol: "HTTP/1.1", RequestNumber: 1}, "0 of 0 frames, open after 0s; 0 bytes; request 1 of its HTTP/1.1 connection"},
	} {
		if got := fmt.Sprintf("%+v", tt.delivery); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
