package console

import (
	"log/slog"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/server"
)

// reads checks what a parser makes of texts, and that it refuses others.
func reads[T comparable](t *testing.T, name string, parse func(string) (T, error), good map[string]T, bad ...string) {
	t.Helper()
	for text, want := range good {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%s %q is %v, %v; want %v", name, text, got, err, want)
		}
	}
	for _, text := range append(bad, "") {
		if got, err := parse(text); err == nil {
			t.Errorf("%s %q is %v; want an error", name, text, got)
		}
	}
}

func TestValuesOfFlags(t *testing.T) {
	t.Parallel()
	reads(t, "size", Size, map[string]int64{
		"1": 1, "1048576": 1 << 20, "1MiB": 1 << 20, "32MB": 32e6, "64 KiB": 64 << 10, "5B": 5, "2GB": 2e9, "7kB": 7000,
	}, "0", "-1", "1.5MB", "MB", "10TB", "9223372036854775807GB")
	reads(t, "speed", Speed, map[string]float64{"1": 1, "0.5": 0.5, "1e3": 1000, "instant": server.Instant}, "0", "-1", "NaN", "Inf", "fast", "10x")
	reads(t, "time", Created, map[string]int64{"1700000000": 1700000000, "2023-11-14T22:13:20Z": 1700000000, "2023-11-14T23:13:20+01:00": 1700000000},
		"0", "-5", "yesterday", "2023-11-14", "1960-01-01T00:00:00Z")
	reads(t, "duration", Duration, map[string]time.Duration{"1m30s": 90 * time.Second}, "5", "-1s", "soon")
	reads(t, "address", Address, map[string]string{"127.0.0.1:0": "127.0.0.1:0", ":8080": ":8080", "localhost:80": "localhost:80", "[::1]:65535": "[::1]:65535"},
		"8080", "127.0.0.1", "host:http", "host:65536", "::1:80")
	reads(t, "seed", Seed, map[string]int64{"-1": -1}, "0") // the server takes 0 for no seed
	reads(t, "number", orNone, map[string]int{"0": -1, "7": 7}, "-1")
	reads(t, "level", Level, map[string]slog.Level{"warn": slog.LevelWarn}, "loud")
	reads(t, "switch", parseSwitch, map[string]bool{"true": true}, "on")
}

func TestLimit(t *testing.T) {
	t.Parallel()
	limits := func(model string, rpm, tpm, concurrent int, window time.Duration) server.Limit {
		l := server.Limit{Model: model}
		l.RPM, l.TPM, l.Concurrent, l.Window = rpm, tpm, concurrent, window
		return l
	}
	reads(t, "limit", Limit, map[string]server.Limit{
		"rpm=3":                                    limits("", 3, 0, 0, 0),
		"concurrent = 2, tpm = 1000":               limits("", 0, 1000, 2, 0),
		"gpt-4o*:rpm=3,window=2s":                  limits("gpt-4o*", 3, 0, 0, 2*time.Second),
		"ft:gpt-4o:acme::x:rpm=1":                  limits("ft:gpt-4o:acme::x", 1, 0, 0, 0),
		"o3:rpm=1,tpm=2,concurrent=3,window=500ms": limits("o3", 1, 2, 3, 500*time.Millisecond),
	},
		"3", "rpm", "rpm=", "rpm=0", "rpm=-1", "rpm=many", "rpd=3", "rpm=3,rpm=4", "rpm=3,", ":rpm=3", "gpt-4o", "gpt-4o:",
		"window=2s", "rpm=3,window=0s", "rpm=3,window=2", "concurrent=1,window=2s")
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
