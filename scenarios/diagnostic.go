package scenarios

// Diagnostic is one problem in a scenario file.
type Diagnostic struct {
	Pos
	Width   int    // how many characters to underline; 0 when unknown
	Rule    string // the lint rule that was broken, or ""
	Message string // what was found and what was expected: unknown key "contnet" in step
	Hint    string // what to do: did you mean "content"?
}

// Diagnostics are all problems of a load, sorted by position. As an error it
// prints one line for each.
type Diagnostics []Diagnostic
