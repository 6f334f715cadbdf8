// Package table is what the table of the language is made of: codecs, which read a
// kind of value, write it, and make its JSON Schema, and sections, which are
// mappings with known keys. The words themselves are in package yamlfile.
package table
