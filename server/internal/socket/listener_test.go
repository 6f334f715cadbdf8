package socket

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestALaterOutageTakesThePlaceOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ls Listeners
		up := make(chan string, 2)
		ls.setTimer(time.AfterFunc(time.Second, func() { up <- "the first" }))
		ls.setTimer(time.AfterFunc(time.Minute, func() { up <- "the second" }))
		if first := <-up; first != "the second" {
			t.Errorf("the outage was ended by %s, want the second alone", first)
		}
	})
}
