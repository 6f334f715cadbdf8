// Package table has the building blocks of the table of the language: a [Codec] reads
// one kind of value, writes it and describes it in JSON Schema, and a [Section] is a
// mapping with known keys. The words of the language are in package yamlfile.
package table
