package setting

import (
	"testing"
	"time"

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
	if _, err := Count("-1"); err == nil {
		t.Error("count -1 is accepted")
	}
	if _, err := Level("loud"); err == nil {
		t.Error("level loud is accepted")
	}
	if _, err := parseSwitch("on"); err == nil {
		t.Error("switch on is accepted")
	}
}
