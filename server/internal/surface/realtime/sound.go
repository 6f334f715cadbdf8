package realtime

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// The formats of sound: 16 bits, little endian, at 24 kHz; and the two of telephony, 8 bits at 8 kHz. All have one channel.
const (
	formatPCM  = "audio/pcm"
	formatPCMU = "audio/pcmu"
	formatPCMA = "audio/pcma"

	sampleRate  = 24_000 // sampleRate is in samples a second, for [formatPCM] as sampleBytes is.
	sampleBytes = 2
	phoneRate   = 8_000 // phoneRate is in samples, or bytes, a second.
)

// formats are the formats by the numbers that [script.Want] has for them; the first that is one is usual.
var formats = []string{"", formatPCM, formatPCMU, formatPCMA}

// rateOf returns how many bytes of sound take a second, in the format of audio.input or audio.output.
func rateOf(audio ojson.Value) int {
	if kind := audio.Get("format").Get("type").Text(); kind == formatPCMU || kind == formatPCMA {
		return phoneRate
	}
	return sampleRate * sampleBytes
}

func (s *Session) inputRate() int { return rateOf(s.config.Get("audio").Get("input")) }

// lasts is how long n bytes of sound take, at a rate of bytes a second.
func lasts(n, rate int) time.Duration { return time.Duration(n) * time.Second / time.Duration(rate) }

// speedOf returns the speed of audio.output in hundredths of the usual one.
func speedOf(output ojson.Value) int {
	speed, err := strconv.ParseFloat(output.Get("speed").Text(), 64)
	if err != nil {
		return usualSpeed
	}
	return int(math.Round(speed * usualSpeed))
}

// To speak takes about a fifteenth of a second for each character of a text, which is perCharacter base64 characters of
// [formatPCM].
const (
	usualSpeed   = 100
	perCharacter = 4_268
	maxSound     = 2 << 20  // maxSound is the longest sound of one piece of a text, in base64 characters.
	maxTone      = 32 << 20 // maxTone is the longest sound of the pieces of one answer together, in base64 characters.
)

// tones has for each format whole periods of a quiet tone of 400 Hz in base64, without padding, so that they can follow
// each other.
var tones = map[string]string{
	formatPCM: encodeTone(sampleRate, 1, func(dst []byte, sample int16) []byte {
		return binary.LittleEndian.AppendUint16(dst, uint16(sample))
	}),
	formatPCMU: encodeTone(phoneRate, 3, func(dst []byte, sample int16) []byte { return append(dst, muLaw(sample)) }),
	formatPCMA: encodeTone(phoneRate, 3, func(dst []byte, sample int16) []byte { return append(dst, aLaw(sample)) }),
}

func encodeTone(rate, periods int, add func(dst []byte, sample int16) []byte) string {
	const loudness = 300
	var samples []byte
	period := rate / 400
	for i := range period * periods {
		samples = add(samples, int16(math.Round(loudness*math.Sin(2*math.Pi*float64(i)/float64(period)))))
	}
	return base64.StdEncoding.EncodeToString(samples)
}

// muLaw returns a sample as G.711 has it: its complement, a sign, the number of the segment and four bits of the value.
func muLaw(sample int16) byte {
	const bias = 132
	size, sign := int(sample), byte(0)
	if size < 0 {
		size, sign = -size, 0x80
	}
	size = min(size+bias, math.MaxInt16)
	segment := bits.Len(uint(size)) - 8
	return ^(sign | byte(segment<<4) | byte(size>>(segment+3)&15))
}

// aLaw is the other law of G.711, in which every second bit is inverted.
func aLaw(sample int16) byte {
	size, sign := int(sample), byte(0x80)
	if size < 0 {
		size, sign = -size-1, 0
	}
	segment := max(0, bits.Len(uint(size))-8)
	return (sign | byte(segment<<4) | byte(size>>(max(segment, 1)+3)&15)) ^ 0x55
}

// appendTone appends the sound of a text of n characters, as long as it would take to say them, but at most that many
// base64 characters; a tone is at least one period long.
func appendTone(dst []byte, n, most int, want *script.Want) []byte {
	format := formats[want.Voice]
	tone, length := tones[format], n*perCharacter*usualSpeed/max(1, int(want.Speed))
	if format != formatPCM {
		length = length * phoneRate / (sampleRate * sampleBytes)
	}
	periods := min(length, maxSound, most) / len(tone)
	return append(dst, strings.Repeat(tone, max(1, periods))...)
}

// isTone reports whether sound in base64 is that of [appendTone].
func isTone(sound []byte) bool {
	for _, tone := range tones {
		if bytes.HasPrefix(sound, []byte(tone)) {
			return true
		}
	}
	return false
}

// loudness is the root mean square of samples of [formatPCM], where 1 is the loudest.
func loudness(samples []byte) float64 {
	var sum float64
	for i := 0; i+1 < len(samples); i += sampleBytes {
		level := float64(int16(binary.LittleEndian.Uint16(samples[i:]))) / math.MaxInt16
		sum += level * level
	}
	return math.Sqrt(sum / float64(max(1, len(samples)/sampleBytes)))
}
