package textindex

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// gramsOf are grams that every text which satisfies the condition contains.
func gramsOf(c Condition) []uint32 {
	switch {
	case c.Equals != nil:
		return gramsIn(*c.Equals)
	case c.Contains != nil:
		return gramsIn(*c.Contains)
	case c.Matches != nil:
		// An expression that is invalid in Perl syntax was compiled with POSIX syntax.
		if re, err := syntax.Parse(c.Matches.String(), syntax.Perl); err == nil {
			return gramsIn(required(re)...)
		}
	}
	return nil
}

// gramsIn are the grams in texts.
func gramsIn(texts ...string) []uint32 {
	var grams []uint32
	for _, text := range texts {
		for ; len(text) >= gramSize; text = text[1:] {
			grams = append(grams, gram(text))
		}
	}
	return grams
}

// required are texts that every match of a regular expression contains, perhaps with
// another case of ASCII letters.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return strings.FieldsFunc(string(re.Rune), hasOtherCases)
		}
		return strings.FieldsFunc(string(re.Rune), isReplacement)
	case syntax.OpConcat, syntax.OpCapture:
		var texts []string
		for _, sub := range re.Sub {
			texts = append(texts, required(sub)...)
		}
		return texts
	case syntax.OpPlus:
		// In POSIX syntax, x+? means (x+)?, which also matches nothing.
		if re.Flags&syntax.NonGreedy == 0 {
			return required(re.Sub[0])
		}
	case syntax.OpRepeat:
		if re.Flags&syntax.NonGreedy == 0 && re.Min > 0 {
			return required(re.Sub[0])
		}
	}
	return nil
}

// hasOtherCases reports whether a character may fold to one that is not ASCII, as k does
// to the kelvin sign and s to the long s.
func hasOtherCases(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }

// isReplacement reports whether a character is U+FFFD, which also matches invalid UTF-8.
func isReplacement(r rune) bool { return r == utf8.RuneError }
