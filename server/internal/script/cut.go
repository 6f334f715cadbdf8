package script

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// This file cuts texts into pieces: into tokens, roughly as the real service's tokenizer does,
// into words, lines, or pieces of a size. It also counts tokens.

// longestToken is the length of the longest word that is one token; longer words are
// cut into tokens of wordPiece characters. A token that is cut again stays one token.
const (
	longestToken = 8
	wordPiece    = 5
)

// A cutter starts to cut a text. The function that it returns gives the length in bytes of the
// next piece.
type cutter func(text string) (next func(rest string) int)

// Cut cuts a text into pieces as by says.
func Cut(text string, by scenarios.Cut) []string { return collect(text, cutBy(by)) }

// CutArguments cuts the arguments of a call as the real service does.
func CutArguments(text string) []string { return collect(text, byArguments) }

// CutEvenly cuts a text into n pieces with about the same number of characters, or into
// fewer if the text is shorter.
func CutEvenly(text string, n int) []string { return collect(text, evenly(n)) }

func collect(text string, cut cutter) []string {
	return slices.AppendSeq(make([]string, 0, estimate(text)), cut.pieces(text))
}

func cutBy(by scenarios.Cut) cutter {
	next := tokenLen
	switch {
	case by.Size > 0:
		next = runesLen(by.Size)
	case by.Unit == "rune":
		next = runesLen(1)
	case by.Unit == "line":
		next = lineLen
	case by.Unit == "word":
		next = wordLen
	case by.Unit == "all":
		next = func(rest string) int { return len(rest) }
	}
	return func(string) func(string) int { return next }
}

// pieces are the pieces of a text. Joined, they are the text again; an empty text has none. After
// [maxEvents] pieces the rest stays in one piece.
func (c cutter) pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		rest, next := text, c(text)
		for n := 1; rest != ""; n++ {
			size := len(rest)
			if n <= maxEvents {
				size = pastSurrogate(rest, next(rest))
			}
			if !yield(rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// estimate estimates how many pieces a text has, rather too many than too few.
func estimate(text string) int {
	const perPiece = 4 // bytes, estimated
	return min(maxEvents, len(text)/perPiece+1)
}

// pastSurrogate moves n to the end of a surrogate that it falls into. Texts hold lone
// surrogates as three bytes that are not valid UTF-8.
func pastSurrogate(text string, n int) int {
	for i := max(0, n-2); i < n; i++ {
		if i+3 <= len(text) && text[i] == 0xed && text[i+1] >= 0xa0 && text[i+1] <= 0xbf {
			return max(n, i+3)
		}
	}
	return n
}

// runesLen is the length of the next size characters.
func runesLen(size int) func(string) int {
	return func(rest string) int {
		n := 0
		for range size {
			_, width := utf8.DecodeRuneInString(rest[n:])
			n += width
		}
		return n
	}
}

// evenly cuts texts as [CutEvenly] does.
func evenly(n int) cutter {
	return func(text string) func(string) int {
		total, done := utf8.RuneCountInString(text), 0
		n := min(n, total)
		return func(rest string) int {
			size := total/n + btoi(done < total%n)
			done++
			return runesLen(size)(rest)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// argumentSizes are the lengths of the pieces of arguments, used in turn. The real
// service sends 2 to 8 characters.
var argumentSizes = [...]int{2, 4, 5, 3, 6, 4, longestArgument, 3, 7, 5}

const longestArgument = 8

// byArguments cuts texts as [CutArguments] does.
func byArguments(string) func(rest string) int {
	i := 0
	return func(rest string) int {
		size := argumentSizes[i%len(argumentSizes)]
		i++
		near := rest[:min(len(rest), (size+2)*utf8.UTFMax)]
		if utf8.RuneCountInString(near) == size+1 { // leave no single character for the last piece
			size += 1 - 2*btoi(size == longestArgument)
		}
		n := 0
		for range size {
			n += clusterLen(rest[n:])
		}
		return n
	}
}

// largeText is the size in bytes above which the tokens of a text are estimated from its
// size alone.
const largeText = 64 << 10

// Tokens estimates how many tokens a text has, as usage counts them: beyond [largeText], one for each four
// bytes.
func Tokens(text string) int {
	if len(text) > largeText {
		return len(text) / 4
	}
	n := 0
	for text != "" {
		text = text[tokenLen(text):]
		n++
	}
	return n
}

// isByToken reports whether by cuts into tokens, so that a text has as many tokens as
// pieces.
func isByToken(by scenarios.Cut) bool { return by.Size == 0 && (by.Unit == "" || by.Unit == "token") }

// lineLen is the length of the next line, including its end.
func lineLen(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// wordLen is the length of the next word including the space before it, or of the space
// after the last word.
func wordLen(text string) int {
	start := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := strings.IndexFunc(text[start:], unicode.IsSpace)
	if end < 0 {
		return len(text)
	}
	return start + end
}

// tokenLen is the length of the next token. It tries the most frequent case, a short
// English word, first.
func tokenLen(text string) int {
	if n := asciiWord(text); n > 0 {
		return n
	}
	return anyTokenLen(text)
}

// asciiWord is the length of a token at the start of a text that is a short word of
// ASCII letters, possibly after one space; otherwise 0.
func asciiWord(text string) int {
	begin := 0
	if text[0] == ' ' {
		begin = 1
	}
	n := begin
	for n < len(text) && n-begin <= longestToken && 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' {
		n++
	}
	if n == begin || n-begin > longestToken || n < len(text) && text[n] >= utf8.RuneSelf {
		return 0
	}
	return n
}

// anyTokenLen is the length of the next token, roughly as the real service's tokenizer
// has it: a word includes the space before it, a long word is several tokens, numbers
// are cut after three digits, and scripts without spaces after each character.
func anyTokenLen(text string) int {
	r, width := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsSpace(r):
		return spaceLen(text)
	case unicode.IsDigit(r):
		return runLen(text, 3, unicode.IsDigit)
	case isSpacedLetter(r):
		return letterLen(text)
	case r == '\'' && isSpacedLetter(runeAt(text[width:])):
		return width + runLen(text[width:], 2, isSpacedLetter)
	case unicode.IsPunct(r) || unicode.IsSymbol(r) && r < 0x2000:
		return runLen(text, longestToken, func(other rune) bool { return other == r })
	}
	return clusterLen(text)
}

// spaceLen is the length of a token that starts with white space. A single space
// belongs to the word after it; several are a token of their own.
func spaceLen(text string) int {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	run := len(text) - len(rest)
	next := runeAt(rest)
	if text[run-1] != ' ' || rest == "" || unicode.IsDigit(next) {
		return run
	}
	if run > 1 {
		return run - 1
	}
	return 1 + tokenLen(rest)
}

// letterLen is the length of a word, or of the first piece of a long one.
func letterLen(text string) int {
	word := runLen(text, longestToken+1, isSpacedLetter)
	if utf8.RuneCountInString(text[:word]) <= longestToken {
		return word
	}
	piece := runLen(text, wordPiece, isSpacedLetter)
	for unicode.IsMark(runeAt(text[piece:])) {
		piece += utf8.RuneLen(runeAt(text[piece:]))
	}
	return piece
}

// runLen is the length of the next characters for which ok returns true, up to limit of
// them.
func runLen(text string, limit int, ok func(rune) bool) int {
	n := 0
	for i, r := range text {
		if n == limit || !ok(r) {
			return i
		}
		n++
	}
	return len(text)
}

// isSpacedLetter reports whether r is a letter of a script that puts spaces between
// words.
func isSpacedLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r)
}

// clusterLen is the length of the next character as readers see it, with marks, skin
// tones and joined characters.
func clusterLen(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if isFlagHalf(r) && isFlagHalf(runeAt(text[n:])) {
		_, width := utf8.DecodeRuneInString(text[n:])
		n += width
	}
	const joiner = '\u200d'
	for n < len(text) {
		r, width := utf8.DecodeRuneInString(text[n:])
		switch {
		case r == joiner:
			_, joined := utf8.DecodeRuneInString(text[n+width:])
			n += width + joined
		case unicode.IsMark(r), r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xe0020 && r <= 0xe007f:
			n += width
		default:
			return n
		}
	}
	return n
}

func isFlagHalf(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func runeAt(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}
