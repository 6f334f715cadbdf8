// Package hint says what to write in place of what a scenario file cannot say: the
// place of a word that stands where it is not known, the word for a synonym, the
// condition on a member of the request. What it proposes is YAML to paste.
package hint
