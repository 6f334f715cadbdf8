package server

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestALaterOutageTakesThePlaceOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var d doors
		up := make(chan string, 2)
		d.setTimer(time.Second, func() { up <- "the first" })
		d.setTimer(time.Minute, func() { up <- "the second" })
		if first := <-up; first != "the second" {
			t.Errorf("the doors were opened by %s, want the second alone", first)
		}
	})
}
