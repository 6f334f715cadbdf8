// Package cut cuts texts into pieces: into tokens much as the real service's
// tokenizer would, words, lines, or pieces of a size. It also counts tokens.
package cut

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// The longest word that is one token, and the length of the tokens into which a
// longer word is cut. A token that is cut again stays one token.
const (
	longestToken = 8
	wordPiece    = 5
)

// Text cuts a text into the pieces that by asks for. Joined together they are the
// text again; an empty text has no pieces. Beyond [MaxPieces] the rest is left in
// one piece.
func Text(text string, by scenarios.Cut) []string {
	if by.Size == 0 && by.Unit == "all" && text != "" {
		return []string{text}
	}
	return With(text, By(by))
}

// Cutter begins to cut a text. What it returns is the length in bytes of the piece with
// which what is left of the text begins: see [Next].
type Cutter func(text string) func(rest string) int

// By cuts texts as [Text] does.
func By(by scenarios.Cut) Cutter {
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

// Next is the length in bytes of the nth piece of a text, counted from 1, with which the
// rest of it begins.
func Next(rest string, n int, next func(string) int) int {
	if n > MaxPieces {
		return len(rest)
	}
	return pastSurrogate(rest, next(rest))
}

// With is the pieces of a text.
func With(text string, cutter Cutter) []string {
	if text == "" {
		return nil
	}
	next := cutter(text)
	pieces := make([]string, 0, Count(text))
	for n := 1; text != ""; n++ {
		size := Next(text, n, next)
		pieces = append(pieces, text[:size])
		text = text[size:]
	}
	return pieces
}

// Count is about how many pieces a text has, rather more than fewer.
func Count(text string) int {
	const perPiece = 4 // bytes, about
	return min(MaxPieces, len(text)/perPiece+1)
}

// pastSurrogate is n, moved past half of a surrogate pair, which a text holds as
// three bytes that are no UTF-8, if it lies inside one.
func pastSurrogate(text string, n int) int {
	for i := max(0, n-2); i < n; i++ {
		if i+3 <= len(text) && text[i] == 0xed && text[i+1] >= 0xa0 && text[i+1] <= 0xbf {
			return max(n, i+3)
		}
	}
	return n
}

// runesLen is the length of the next so many characters.
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

// Evenly cuts a text into n pieces of about the same number of characters, or
// into fewer if it has fewer characters.
func Evenly(n int) Cutter {
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

// argumentSizes are the lengths of the pieces that arguments are cut into, in
// turn. The real service sends 2 to 8 characters.
var argumentSizes = [...]int{2, 4, 5, 3, 6, 4, longestArgument, 3, 7, 5}

const longestArgument = 8

// Arguments cuts the arguments of a call as the real service does.
func Arguments(text string) []string { return With(text, ByArguments) }

// ByArguments cuts texts as [Arguments] does.
func ByArguments(string) func(rest string) int {
	i := 0
	return func(rest string) int {
		size := argumentSizes[i%len(argumentSizes)]
		i++
		if utf8.RuneCountInString(rest) == size+1 { // leave no single character over
			size += 1 - 2*btoi(size == longestArgument)
		}
		n := 0
		for range size {
			n += clusterLen(rest[n:])
		}
		return n
	}
}

// Tokens is about how many tokens a text has. Beyond [LargeText] it is counted as
// four bytes to a token.
func Tokens(text string) int {
	if len(text) > LargeText {
		return TokensOfLarge(int64(len(text)))
	}
	n := 0
	for text != "" {
		text = text[tokenLen(text):]
		n++
	}
	return n
}

// IsByToken reports whether by asks for pieces that are tokens, so that a text
// has as many tokens as pieces.
func IsByToken(by scenarios.Cut) bool { return by.Size == 0 && (by.Unit == "" || by.Unit == "token") }

// TokensOfLarge is about how many tokens a text of that many bytes has.
func TokensOfLarge(bytes int64) int { return int(bytes / 4) }

// lineLen is the length of the next line, with its end.
func lineLen(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// wordLen is the length of the next word with the space before it, or of the
// space after the last word.
func wordLen(text string) int {
	start := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := strings.IndexFunc(text[start:], unicode.IsSpace)
	if end < 0 {
		return len(text)
	}
	return start + end
}

// tokenLen is the length of the next token: most are short words of English.
func tokenLen(text string) int {
	if n := asciiWord(text); n > 0 {
		return n
	}
	return anyTokenLen(text)
}

// asciiWord is the length of the token with which a text begins if that is a short word
// of ASCII letters, with or without one space before it; otherwise it is 0.
func asciiWord(text string) int {
	begin := 0
	if text[0] == ' ' {
		begin = 1
	}
	n := begin
	for n < len(text) && 'a' <= text[n]|0x20 && text[n]|0x20 <= 'z' {
		n++
	}
	if n == begin || n-begin > longestToken || n < len(text) && text[n] >= utf8.RuneSelf {
		return 0
	}
	return n
}

// anyTokenLen is the length of the next token, roughly as the real service's
// tokenizer would have it: a word takes the space before it along, a long word is
// several tokens, numbers go by three digits, and scripts that write no spaces go
// by the character.
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

// spaceLen is the length of a token that starts with white space: one space
// belongs to the word after it, longer runs are tokens of their own.
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

// runLen is the length of up to limit characters for which ok holds.
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

// isSpacedLetter reports whether r belongs to a word of a script that puts
// spaces between words.
func isSpacedLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r)
}

// clusterLen is the length of the next character as a reader sees it: with its
// marks, its skin tone, and what is joined to it.
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

// LargeText is the size in bytes beyond which a generated text is not made but
// described, where that can be done.
const LargeText = 64 << 10

// MaxPieces is how many pieces a text is cut into, and how many groups a script
// has, at most.
const MaxPieces = 1_000_000
