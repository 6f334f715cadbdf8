package diag

import (
	"fmt"
	"strings"
)

// Nearest returns the known word that was probably meant, or "". A known word is near if
// it differs only in case, dashes and underscores, or by at most two typing mistakes (one
// in words of up to four letters). Of two that are equally near it returns the one with
// the longer common beginning, else the first.
func Nearest(word string, known []string) string {
	limit := 2
	if len([]rune(word)) <= 4 {
		limit = 1
	}
	best, distance := "", limit+1
	for _, k := range known {
		if withoutSeparators(k) == withoutSeparators(word) {
			return k
		}
		n := TypingDistance(word, k, limit)
		nearer := n < distance || n == distance && best != "" && commonPrefix(word, k) > commonPrefix(word, best)
		if nearer && n < len(k) {
			best, distance = k, n
		}
	}
	return best
}

// NearestLoosely returns [Nearest] or, if there is none, the only known word that is
// longer or shorter by whole parts, as finish_reason is than finish. It is for words that
// are refused in any case; where further members are allowed, model_version may be one.
func NearestLoosely(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return near
	}
	return onlyExtended(word, known)
}

// onlyExtended returns the known word that is word with a dash or an underscore and more
// behind it, or the other way round; "" if there are none or several.
func onlyExtended(word string, known []string) string {
	found := ""
	for _, k := range known {
		if !extends(k, word) && !extends(word, k) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

func extends(long, short string) bool {
	rest, ok := strings.CutPrefix(long, short)
	return ok && short != "" && rest != "" && strings.ContainsRune("-_", rune(rest[0]))
}

// commonPrefix returns the length in bytes of the common beginning of a and b.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func withoutSeparators(s string) string {
	return separators.Replace(strings.ToLower(s))
}

// TypingDistance returns how many letters must be added, left out, replaced or exchanged
// with their neighbour to turn a into b. Above limit it stops counting.
func TypingDistance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) > limit || len(t)-len(s) > limit {
		return limit + 1
	}
	before, last := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row := make([]int, len(t)+1)
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replaced := 1
			if s[i-1] == t[j-1] {
				replaced = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+replaced)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}

// DidYouMean returns a hint that proposes the [Nearest] known word, or "" if none is
// near. It ignores the case of word.
func DidYouMean(word string, known []string) string {
	if near := Nearest(strings.ToLower(word), known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
