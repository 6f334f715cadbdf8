package realtime

import (
	"encoding/base64"
	"encoding/binary"
	"math"
)

// The one format of sound that is looked at: 16 bits, little endian, one channel.
const (
	sampleRate  = 24_000 // sampleRate is in samples a second.
	sampleBytes = 2
)

// encodeTone returns one period of a tone of 400 Hz, as base64.
func encodeTone() string {
	const period, loudness = sampleRate / 400, 300
	samples := make([]byte, 0, period*sampleBytes)
	for i := range period {
		level := loudness * math.Sin(2*math.Pi*float64(i)/period)
		samples = binary.LittleEndian.AppendUint16(samples, uint16(int16(math.Round(level))))
	}
	return base64.StdEncoding.EncodeToString(samples)
}

// milliseconds is how long n bytes of sound take.
func milliseconds(n int) int64 { return int64(n) * 1000 / (sampleRate * sampleBytes) }

// loudness is the root mean square of samples, where 1 is the loudest.
func loudness(samples []byte) float64 {
	var sum float64
	for i := 0; i+1 < len(samples); i += sampleBytes {
		level := float64(int16(binary.LittleEndian.Uint16(samples[i:]))) / math.MaxInt16
		sum += level * level
	}
	return math.Sqrt(sum / float64(max(1, len(samples)/sampleBytes)))
}
