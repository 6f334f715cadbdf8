package yamlfile

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// Word is a key of the language.
type Word struct {
	Section string // where it stands: scenario, reply, step, ...
	Name    string
	Type    string // what its value is, in words
	Doc     string // what it means, in a sentence or two
}

// Words are all keys of the language, section by section in the order in which a
// reader meets them. They come from the table that [Parse] reads with.
func Words() []Word {
	w := &schemaWriter{definitions: ojson.Object()}
	language().schema(w)
	return w.words
}
