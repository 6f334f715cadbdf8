package console

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/server"
)

func TestSize(t *testing.T) {
	t.Parallel()
	good := map[string]int64{
		"1": 1, "1048576": 1 << 20, "1MiB": 1 << 20, "32MB": 32e6, "64 KiB": 64 << 10, "5B": 5, "2GB": 2e9, "7kB": 7000,
	}
	for text, want := range good {
		if got, err := Size(text); err != nil || got != want {
			t.Errorf("Size(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5MB", "MB", "10TB", "9223372036854775807GB"} {
		if got, err := Size(text); err == nil {
			t.Errorf("Size(%q) = %d; want an error", text, got)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	limits := func(model string, rpm, tpm, concurrent int, window time.Duration) server.Limit {
		l := server.Limit{Model: model}
		l.RPM, l.TPM, l.Concurrent, l.Window = rpm, tpm, concurrent, window
		return l
	}
	good := map[string]server.Limit{
		"rpm=3":                                    limits("", 3, 0, 0, 0),
		"concurrent = 2, tpm = 1000":               limits("", 0, 1000, 2, 0),
		"gpt-4o*:rpm=3,window=2s":                  limits("gpt-4o*", 3, 0, 0, 2*time.Second),
		"ft:gpt-4o:acme::x:rpm=1":                  limits("ft:gpt-4o:acme::x", 1, 0, 0, 0),
		"o3:rpm=1,tpm=2,concurrent=3,window=500ms": limits("o3", 1, 2, 3, 500*time.Millisecond),
	}
	for text, want := range good {
		if got, err := Limit(text); err != nil || got != want {
			t.Errorf("Limit(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "3", "rpm", "rpm=", "rpm=0", "rpm=-1", "rpm=many", "rpd=3", "rpm=3,rpm=4", "rpm=3,", ":rpm=3", "gpt-4o", "gpt-4o:",
		"window=2s", "rpm=3,window=0s", "rpm=3,window=2", "concurrent=1,window=2s",
	} {
		if got, err := Limit(text); err == nil {
			t.Errorf("Limit(%q) = %+v; want an error", text, got)
		}
	}
}

func TestLimitsAreRepeated(t *testing.T) {
	t.Parallel()
	var f ServerFlags
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.Define(flags, "error")
	if err := flags.Parse([]string{"--limit", "rpm=3; o3:tpm=5", "--limit=gpt-4o:rpm=1"}); err != nil {
		t.Fatal(err)
	}
	list := f.Config.Limits
	if len(list) != 3 || list[0].RPM != 3 || list[1].Model != "o3" || list[1].TPM != 5 || list[2].Model != "gpt-4o" {
		t.Errorf("got %+v", list)
	}
}

func TestSpeed(t *testing.T) {
	t.Parallel()
	good := map[string]float64{"1": 1, "0.5": 0.5, "1e3": 1000, "instant": server.Instant}
	for text, want := range good {
		if got, err := Speed(text); err != nil || got != want {
			t.Errorf("Speed(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "NaN", "Inf", "fast", "10x"} {
		if got, err := Speed(text); err == nil {
			t.Errorf("Speed(%q) = %v; want an error", text, got)
		}
	}
}

func TestCreated(t *testing.T) {
	t.Parallel()
	good := map[string]int64{"1700000000": 1700000000, "2023-11-14T22:13:20Z": 1700000000, "2023-11-14T23:13:20+01:00": 1700000000}
	for text, want := range good {
		if got, err := Created(text); err != nil || got != want {
			t.Errorf("Created(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-5", "yesterday", "2023-11-14", "1960-01-01T00:00:00Z"} {
		if got, err := Created(text); err == nil {
			t.Errorf("Created(%q) = %d; want an error", text, got)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	if got, err := Duration("1m30s"); err != nil || got != 90*time.Second {
		t.Errorf("Duration(1m30s) = %v, %v", got, err)
	}
	for _, text := range []string{"", "5", "-1s", "soon"} {
		if got, err := Duration(text); err == nil {
			t.Errorf("Duration(%q) = %v; want an error", text, got)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"127.0.0.1:0", ":8080", "localhost:80", "[::1]:65535"} {
		if got, err := Address(text); err != nil || got != text {
			t.Errorf("Address(%q) = %q, %v; want it unchanged", text, got, err)
		}
	}
	for _, text := range []string{"", "8080", "127.0.0.1", "host:http", "host:65536", "::1:80"} {
		if got, err := Address(text); err == nil {
			t.Errorf("Address(%q) = %q; want an error", text, got)
		}
	}
}

func TestOtherSettingsRefuseWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	if _, err := Seed("0"); err == nil {
		t.Error("seed 0 is accepted, but the server takes it for no seed")
	}
	if _, err := orNone("-1"); err == nil {
		t.Error("journal -1 is accepted")
	}
	if _, err := Level("loud"); err == nil {
		t.Error("level loud is accepted")
	}
	if _, err := parseSwitch("on"); err == nil {
		t.Error("switch on is accepted")
	}
}
