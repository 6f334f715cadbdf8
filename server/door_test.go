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
		var up []string
		d.setTimer(time.Second, func() { up = append(up, "the first") })
		d.setTimer(time.Minute, func() { up = append(up, "the second") })
		time.Sleep(time.Hour)
		if len(up) != 1 || up[0] != "the second" {
			t.Errorf("the doors were opened by %v, want the second alone", up)
		}
	})
}
