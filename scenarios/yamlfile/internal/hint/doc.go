// Package hint makes hints for mistakes in scenario files: the section to which a
// misplaced key belongs, the word for a synonym, the condition on a member of the
// request. The YAML in a hint can be pasted.
package hint
