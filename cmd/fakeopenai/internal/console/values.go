package console

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func parseSwitch(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("write true or false")
	}
	return on, nil
}

// Text accepts every text.
func Text(text string) (string, error) { return text, nil }

// fault accepts a fault as the text of a file, which the server reads.
func fault(text string) (yamlfile.Source, error) {
	return yamlfile.Source{Name: "--fault", Data: []byte(text)}, nil
}

func defaultName(text string) (string, error) {
	if text == "none" {
		return server.NoDefault, nil
	}
	return text, nil
}

// Choice accepts one of some words.
func Choice(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("write one of %s", strings.Join(words, ", "))
		}
		return text, nil
	}
}

// Address accepts an address to listen on.
func Address(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", errors.New("write host:port, such as 127.0.0.1:8080; port 0 takes a free one")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("port %q is not a number from 0 to 65535", port)
	}
	return text, nil
}

// Seed accepts a seed. 0 is refused, because it means "no seed" in [server.Config].
func Seed(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n == 0 {
		return 0, errors.New("write a whole number other than 0")
	}
	return n, nil
}

// orNone accepts a number of things to keep. 0 becomes -1, because 0 in [server.Config]
// stands for the default.
func orNone(text string) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 0:
		return 0, errors.New("write a whole number, 0 for none")
	case n == 0:
		return -1, nil
	}
	return n, nil
}

// Positive accepts a whole number from 1.
func Positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, errors.New("write a whole number from 1")
	}
	return n, nil
}

// Speed accepts a factor for the speed of playing, or instant.
func Speed(text string) (float64, error) {
	if text == "instant" {
		return server.Instant, nil
	}
	speed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(speed > 0) || speed > 1e9 {
		return 0, errors.New("write how many times as fast, such as 10 or 0.5, or instant for no pauses")
	}
	return speed, nil
}

// Created accepts a time, as seconds since 1970 or in RFC 3339, and returns the seconds.
func Created(text string) (int64, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 {
		return seconds, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Unix() <= 0 {
		return 0, errors.New("write seconds since 1970, such as 1700000000, or a time such as 2023-11-14T22:13:20Z")
	}
	return at.Unix(), nil
}

// Duration accepts a duration that is not negative.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("write a number with a unit, such as 10s or 500ms")
	}
	return d, nil
}

// Timeout accepts a duration above 0.
func Timeout(text string) (time.Duration, error) {
	d, err := Duration(text)
	if err == nil && d == 0 {
		err = errors.New("write more than 0, such as 10s")
	}
	return d, err
}

var errLimit = errors.New("write rpm=3, tpm=1000, concurrent=2 or several with commas, with window=2s if that is not a minute, after gpt-4o*: if they are for a model")

// Limit accepts limits of the server or, after a pattern and a colon, of the models that
// fit the pattern.
func Limit(text string) (server.Limit, error) {
	var l server.Limit
	if i := strings.LastIndex(text, ":"); i >= 0 { // the last colon: names of models may have colons, limits have none
		l.Model, text = strings.TrimSpace(text[:i]), text[i+1:]
		if l.Model == "" {
			return l, errLimit
		}
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if seen[name] {
			return l, fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if err := setLimit(&l, name, value); err != nil {
			return l, err
		}
	}
	return l, l.Check()
}

func setLimit(l *server.Limit, name, value string) (err error) {
	switch name {
	case "rpm":
		l.RPM, err = Positive(value)
	case "tpm":
		l.TPM, err = Positive(value)
	case "concurrent":
		l.Concurrent, err = Positive(value)
	case "window":
		l.Window, err = Timeout(value)
	default:
		return errLimit
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// Size accepts a number of bytes.
func Size(text string) (int64, error) {
	number, unit := text, int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return 0, errors.New("write a number of bytes, such as 1048576, 1MiB or 32MB")
	}
	return n * unit, nil
}

// Level accepts the name of a log level.
func Level(text string) (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(text)); err != nil {
		return 0, errors.New("write one of debug, info, warn, error")
	}
	return level, nil
}
