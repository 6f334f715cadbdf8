package yamlfile

import _ "embed" // for the sheet

//go:embed sheet.md
var sheet string

// Sheet returns a page of Markdown with the whole language: all words by the mapping in which
// they stand, with an example of each. Its sections begin with "## " and the name of the mapping.
func Sheet() string { return sheet }
