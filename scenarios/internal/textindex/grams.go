package textindex

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// gramsOf are grams that a text holds for which the condition holds.
func gramsOf(c Condition) []uint32 {
	switch {
	case c.Equals != nil:
		return gramsIn(*c.Equals)
	case c.Contains != nil:
		return gramsIn(*c.Contains)
	case c.Matches != nil:
		// What cannot be read so, was read by the rules of POSIX.
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

// required are texts that every match of a regular expression holds, maybe with other
// case of ASCII letters.
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
		// By the rules of POSIX the second sign of x+? lets it be left out.
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

// hasOtherCases reports whether a character has forms beyond upper and lower case of
// ASCII: k is also the sign of kelvin, and s the long s.
func hasOtherCases(r rune) bool { return r >= 0x80 || strings.ContainsRune("kKsS", r) }

// isReplacement reports whether a character also matches bytes that are no UTF-8.
func isReplacement(r rune) bool { return r == utf8.RuneError }
