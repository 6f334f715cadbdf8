// Package node reads YAML files into nodes with positions, reports what is wrong with
// the YAML, and makes nodes to write. It knows no word of the scenario language.
package node
