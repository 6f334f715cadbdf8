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
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// mostSound is the longest sound that waits to be committed, in bytes.
const mostSound = 32 << 20

// The detector decides for each frame of sound whether it is loud.
const (
	frame      = 20 * time.Millisecond
	frameBytes = sampleRate * sampleBytes / 50
)

// listener is the sound that came and is not part of the conversation yet, and what the detector of voices makes of it.
// The detector looks at the level alone: loud is speech, and quiet for long enough ends it. Nothing is recognised.
type listener struct {
	rate    int // rate is the number of bytes in one second of sound.
	sound   []byte
	judged  int           // judged is how much of sound the detector has looked at.
	dropped int           // dropped is how many bytes of the session's sound came before sound, in the same format.
	before  time.Duration // before is how long the sound in other formats was that came before that.
	talking string        // talking is the id of the item whose sound is coming; "" if nobody talks.
	quiet   time.Duration // quiet is the length of the silence since somebody who talks was last heard.
	ended   int64         // ended is the position at the end of the last response.
}

// expect says that further sound has this many bytes a second.
func (l *listener) expect(rate int) {
	if l.rate != 0 && l.rate != rate {
		l.before, l.dropped = l.before+lasts(l.dropped, l.rate), 0
	}
	l.rate = rate
}

// position is how much sound the session has had up to this byte of sound, in milliseconds.
func (l *listener) position(at int) int64 {
	return (l.before + lasts(l.dropped+at, l.rate)).Milliseconds()
}

// drop forgets the sound, or all but the last bytes of what the detector has seen.
func (l *listener) drop(keep int) {
	n := max(0, l.judged-keep)
	l.dropped, l.sound, l.judged = l.dropped+n, append([]byte(nil), l.sound[n:]...), l.judged-n
}

func (s *Session) appendSound(event ojson.Value) *apierror.Error {
	given := event.Get("audio")
	if given.Kind() != ojson.StringKind {
		return request.InvalidType("audio", "a string", given)
	}
	sound, err := base64.StdEncoding.DecodeString(given.Text())
	if err != nil {
		return apierror.Bad("audio", "invalid_value", "Invalid 'audio'. Expected base64-encoded audio bytes, but: %v.", err)
	}
	if len(s.heard.sound)+len(sound) > mostSound {
		return apierror.Bad("audio", apierror.CodeBodyTooLarge, "The audio buffer is full: this server keeps at most %d bytes. Commit or clear it.", mostSound)
	}
	s.heard.sound = append(s.heard.sound, sound...)
	s.detectSpeech()
	return nil
}

// detection returns turn_detection if voices are to be detected and the format of the sound is one that is looked at.
func (s *Session) detection() (v ojson.Value, ok bool) {
	input := s.config.Get("audio").Get("input")
	v = input.Get("turn_detection")
	return v, v.Kind() == ojson.ObjectKind && input.Get("format").Get("type").Text() == formatPCM
}

// detectSpeech looks for the begin and the end of speech in the sound that came since it was called last.
func (s *Session) detectSpeech() {
	settings, ok := s.detection()
	if !ok {
		return
	}
	l := &s.heard
	for l.judged+frameBytes <= len(l.sound) {
		loud := loudness(l.sound[l.judged:l.judged+frameBytes]) >= loudnessFor(settings)
		l.judged += frameBytes
		switch {
		case loud && l.talking == "":
			s.speechStarted(settings)
		case loud:
			l.quiet = 0
		case l.talking != "":
			if l.quiet += frame; l.quiet >= silenceFor(settings) {
				s.speechStopped(settings)
			}
		}
	}
	if l.talking == "" {
		l.drop(int(number(settings, "prefix_padding_ms", 300)) * sampleRate * sampleBytes / 1000)
	}
}

// loudnessFor is the level above which sound is speech: a fiftieth of the loudest for the usual threshold of 0.5.
func loudnessFor(settings ojson.Value) float64 {
	threshold, err := strconv.ParseFloat(settings.Get("threshold").Text(), 64)
	if err != nil {
		threshold = 0.5
	}
	return threshold / 25
}

// silenceFor is for how long it must be quiet until a turn has ended. What semantic_vad understands of speech is told by
// nothing but its eagerness here.
func silenceFor(settings ojson.Value) time.Duration {
	silence := int64(500)
	switch settings.Get("eagerness").Text() {
	case "high":
		silence = 250
	case "low":
		silence = 1000
	}
	return time.Duration(number(settings, "silence_duration_ms", silence)) * time.Millisecond
}

func number(settings ojson.Value, name string, otherwise int64) int64 {
	if n, ok := settings.Get(name).Int(); ok {
		return n
	}
	return otherwise
}

func (s *Session) speechStarted(settings ojson.Value) {
	l := &s.heard
	s.stopIdle()
	l.talking, l.quiet = s.newID("item_"), 0
	began := max(0, l.position(l.judged-frameBytes)-number(settings, "prefix_padding_ms", 300))
	s.send("input_audio_buffer.speech_started", ojson.M("audio_start_ms", ojson.Int(began)), ojson.M("item_id", ojson.String(l.talking)))
	if interrupts, _ := settings.Get("interrupt_response").Bool(); interrupts && s.active != nil {
		s.active.interrupt("turn_detected")
	}
}

// speechStopped makes an item of what was said, and asks for a response to it.
func (s *Session) speechStopped(settings ojson.Value) {
	l := &s.heard
	id := l.talking
	s.send("input_audio_buffer.speech_stopped", ojson.M("audio_end_ms", ojson.Int(l.position(l.judged))), ojson.M("item_id", ojson.String(id)))
	if err := s.commitAs(id, l.judged); err != nil {
		s.refuse("", err)
		return
	}
	if creates, _ := settings.Get("create_response").Bool(); creates {
		if err := s.createResponse(ojson.Object()); err != nil {
			s.refuse("", err)
		}
	}
}

// commit makes an item of the sound that came.
func (s *Session) commit(ojson.Value) *apierror.Error {
	const least = 100
	if has := float64(len(s.heard.sound)) * 1000 / float64(s.heard.rate); has < least {
		return apierror.Bad("", "input_audio_buffer_commit_empty",
			"Error committing input audio buffer: buffer too small. Expected at least %dms of audio, but buffer only has %.2fms of audio.", least, has)
	}
	id := s.heard.talking
	if id == "" {
		id = s.newID("item_")
	}
	return s.commitAs(id, len(s.heard.sound))
}

// commitAs makes an item of the first n bytes of the sound.
func (s *Session) commitAs(id string, n int) *apierror.Error {
	l := &s.heard
	audio := base64.StdEncoding.AppendEncode(nil, l.sound[:n])
	l.dropped, l.sound, l.judged, l.talking, l.quiet = l.dropped+n, append([]byte(nil), l.sound[n:]...), 0, "", 0
	part := ojson.Object(ojson.M("type", ojson.String("input_audio")), ojson.M("transcript", ojson.Null()))
	e := &entry{id: id, audio: audio, lasts: lasts(n, l.rate), unheard: true, item: ojson.Object(
		ojson.M("id", ojson.String(id)), ojson.M("type", ojson.String(itemMessage)), ojson.M("status", ojson.String(statusCompleted)),
		ojson.M("role", ojson.String("user")), ojson.M("content", ojson.Array(part)))}
	if err := s.items.room(e.size()); err != nil {
		return err
	}
	previous := s.items.last()
	s.send("input_audio_buffer.committed", ojson.M("previous_item_id", previous), ojson.M("item_id", ojson.String(id)))
	s.join(len(s.items.entries)-1, previous, e)
	return nil
}

func (s *Session) clear(ojson.Value) *apierror.Error {
	l := &s.heard
	l.dropped, l.sound, l.judged, l.talking, l.quiet = l.dropped+len(l.sound), nil, 0, "", 0
	s.send("input_audio_buffer.cleared")
	return nil
}

// startIdle lets the session ask for a response by itself if the user is silent for idle_timeout_ms after sound of this
// length has been played.
func (s *Session) startIdle(playing time.Duration) {
	s.heard.ended = s.heard.position(len(s.heard.sound))
	settings, ok := s.detection()
	wait := time.Duration(number(settings, "idle_timeout_ms", 0)) * time.Millisecond
	switch s.stopIdle(); {
	case !ok || wait == 0 || s.closed:
	case s.idle == nil:
		s.idle = time.AfterFunc(playing+wait, s.timeOut)
	default:
		s.idle.Reset(playing + wait)
	}
}

func (s *Session) stopIdle() {
	if s.idle != nil {
		s.idle.Stop()
	}
}

// timeOut tells the model that the user is silent, as a message of the system and an empty one of the user, and asks for a
// response.
func (s *Session) timeOut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	settings, ok := s.detection()
	if !ok || settings.Get("idle_timeout_ms").IsNullOrAbsent() || s.closed || s.active != nil || s.heard.talking != "" {
		return
	}
	id, now := s.newID("item_"), s.heard.position(len(s.heard.sound))
	s.send("input_audio_buffer.timeout_triggered", ojson.M("audio_start_ms", ojson.Int(s.heard.ended)),
		ojson.M("audio_end_ms", ojson.Int(now)), ojson.M("item_id", ojson.String(id)))
	err := s.createItem(ojson.Object(ojson.M("item", silentUser)))
	if err == nil {
		err = s.commitAs(id, 0)
	}
	if err == nil {
		err = s.createResponse(ojson.Object())
	}
	if err != nil {
		s.refuse("", err)
	}
}

// silentUser is the item that tells the model of the silence.
var silentUser = ojson.Object(ojson.M("type", ojson.String(itemMessage)), ojson.M("role", ojson.String("system")), ojson.M("content", ojson.Array(ojson.Object(
	ojson.M("type", ojson.String("input_text")), ojson.M("text", ojson.String("The user has said nothing for a while. Ask whether they are still there."))))))

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

// rateOf returns the number of bytes in one second of sound, in the format of audio.input or audio.output.
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
