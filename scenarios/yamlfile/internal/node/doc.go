// Package node is YAML as an author sees it: the values of a file with what is
// wrong with them and where, and the making of values. It knows no word of the
// language.
package node
