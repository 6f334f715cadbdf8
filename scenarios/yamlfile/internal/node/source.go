package node

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Limits of a file. They are far above what people write, and keep a hostile file from
// using up the memory.
const (
	MaxFileBytes = 4 << 20
	maxNodes     = 1_000_000 // maxNodes is for all values in a file, where the value of an alias counts each time.
	maxDepth     = 200
)

// Documents returns the value of every document of a file. It reports what is wrong with
// a document; lost says that one could not be read at all.
func (r *Reader) Documents(src []byte) (roots []*yaml.Node, lost bool) {
	if !r.checkBytes(src) {
		return nil, true
	}
	roots, lost, err := r.documents(document{text: src})
	if err == nil {
		if len(roots) == 0 && !lost {
			r.reportAt(1, 1, 0, "", "no scenario in the file")
		}
		return roots, lost
	}
	// The file is not YAML. Each document is read by itself, to report all that are not.
	r.Problems, r.nodes, roots = nil, 0, nil
	for _, part := range cutDocuments(src) {
		list, _, err := r.documents(part)
		roots = append(roots, list...)
		if err != nil {
			r.syntaxError(err, part)
		}
	}
	return roots, true
}

// documents returns the value of every document in a text, up to the first that is not
// YAML.
func (r *Reader) documents(doc document) (roots []*yaml.Node, lost bool, err error) {
	documents := yaml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(doc.text, []byte(diag.ByteOrderMark))))
	for {
		next, err := nextDocument(documents)
		switch {
		case errors.Is(err, io.EOF):
			return roots, lost, nil
		case err != nil:
			return roots, lost, err
		}
		root := next.Content[0]
		if ShapeOf(root) == Nothing { // for example after a separator at the end of the file
			continue
		}
		moveDown(root, doc.before)
		if r.expand(root) {
			roots = append(roots, root)
		} else {
			lost = true
		}
	}
}

// document is the text of one document, and the number of lines before it in the file.
type document struct {
	text   []byte
	before int
}

// cutDocuments cuts a file before each line of three dashes. YAML allows no such
// line inside a document, not even in a quoted text.
func cutDocuments(src []byte) []document {
	lines := diag.SplitLines(src)
	var list []document
	first, written := 0, false
	for i, line := range lines {
		if isSeparator(line) && written {
			list = append(list, document{[]byte(strings.Join(lines[first:i], "\n") + "\n"), first})
			first, written = i, false
		}
		// Comments and directives belong to the document after them.
		written = written || line != "" && line[0] != '#' && line[0] != '%'
	}
	if first == 0 {
		return []document{{text: src}}
	}
	return append(list, document{[]byte(strings.Join(lines[first:], "\n") + "\n"), first})
}

func isSeparator(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func moveDown(n *yaml.Node, lines int) {
	if lines == 0 {
		return
	}
	n.Line += lines
	for _, child := range n.Content {
		moveDown(child, lines)
	}
}

// checkBytes reports what the YAML library refuses without a position: text that is not
// UTF-8 and control characters. It also reports files that are too large.
func (r *Reader) checkBytes(src []byte) bool {
	if len(src) > MaxFileBytes {
		r.reportAt(1, 1, 0, "for long texts write content: {repeat: ..., bytes: ...}", "the file is larger than %d MiB", MaxFileBytes>>20)
		return false
	}
	line, col := 1, 1
	for rest := bytes.TrimPrefix(src, []byte(diag.ByteOrderMark)); len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		switch {
		case c == utf8.RuneError && size == 1:
			r.reportAt(line, col, 1, "save the file as UTF-8", "the byte %#02x is not UTF-8", rest[0])
			return false
		case isControl(c):
			r.reportAt(line, col, 1, fmt.Sprintf(`write it as "\u%04x" in double quotes`, c), "the control character U+%04X cannot stand in YAML", c)
			return false
		case c == '\r' && len(rest) > 1 && rest[1] == '\n':
			// the line feed after it ends the line
		case diag.IsLineBreak(c):
			line, col = line+1, 0
		}
		col++
		rest = rest[size:]
	}
	return true
}

// isControl reports whether YAML forbids r.
func isControl(r rune) bool {
	switch {
	case r == '\t' || diag.IsLineBreak(r):
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == '\ufeff', r == '\ufffe', r == '\uffff':
		return true
	}
	return false
}

// nextDocument returns the next document, which has one value. The YAML library panics
// at some inputs; nextDocument turns panics into errors.
func nextDocument(documents *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	document = new(yaml.Node)
	if err := documents.Decode(document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("yaml: a document without a value")
	}
	return document, nil
}

// expand replaces all aliases by their values, so that later code sees none. It reports
// what would grow without bound: aliases that contain themselves, too many values, too
// deep nesting.
func (r *Reader) expand(root *yaml.Node) bool {
	e := expander{Reader: r, first: root.Line, enclosing: map[*yaml.Node]bool{}}
	return e.walk(root, 0)
}

type expander struct {
	*Reader
	first     int                 // first is the line in which the document's value begins.
	enclosing map[*yaml.Node]bool // enclosing is the values with an anchor that the walk is inside of.
}

func (e *expander) walk(n *yaml.Node, depth int) bool {
	e.nodes++
	switch {
	case e.nodes > maxNodes:
		e.Report(n, "use fewer aliases, or shorter lists behind them", "the file has more than %d values, counted with the values that aliases repeat", maxNodes)
		return false
	case depth > maxDepth:
		e.Report(n, "", "nested deeper than %d levels", maxDepth)
		return false
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		e.decodeTag(n)
	}
	if n.Anchor != "" {
		e.enclosing[n] = true
		defer delete(e.enclosing, n)
	}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			if e.enclosing[child.Alias] {
				e.Report(child, "leave it out", "the alias *%s stands inside of its own anchor", child.Value)
				return false
			}
			if child.Alias.Line < e.first { // The library keeps the anchors of earlier documents.
				e.Report(child, "an anchor ends with its document: set it again here, or use extends", "unknown anchor %q", child.Value)
				return false
			}
			child = child.Alias
			n.Content[i] = child
		}
		if !e.walk(child, depth+1) {
			return false
		}
	}
	return true
}

// The tags of texts that are encoded.
const (
	binaryTag = "!!binary" // binaryTag marks bytes in base64.
	jsonTag   = "!json"    // jsonTag marks a text that is written as a JSON string.
)

// decodeTag replaces a value that has a tag, such as !!binary, by the decoded value. It reports tags that it does not
// know, and values that cannot be decoded.
func (e *expander) decodeTag(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		e.Report(n, "leave it out", "the tag %s is not supported", n.ShortTag())
		return
	}
	var text string
	switch n.ShortTag() {
	case binaryTag:
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			e.Report(n, "write the bytes in base64, or the text itself, in quotes", "%s is not base64", strconv.Quote(Abbreviate(n.Value)))
			return
		}
		text = string(data)
	case jsonTag:
		var err error
		if text, err = ojson.Unquote(n.Value); err != nil {
			e.Report(n, `write it in both kinds of quotes: !json '"\ud83d"'`, "%s is not a JSON string", strconv.Quote(Abbreviate(n.Value)))
			return
		}
	default:
		e.Report(n, "leave it out", "the tag %s is not supported", n.ShortTag())
		return
	}
	n.Value, n.Style = text, yaml.DoubleQuotedStyle
}

// IsBytes reports whether a text was written as bytes, which are never a template.
func IsBytes(n *yaml.Node) bool { return n.Tag == binaryTag }

// spell encodes a text that YAML cannot write: as a JSON string if it has lone
// surrogates, else as bytes.
func spell(text string) *yaml.Node {
	if ojson.HasSurrogate(text) {
		quoted := string(ojson.AppendString(nil, text))
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: jsonTag, Value: quoted, Style: yaml.TaggedStyle | yaml.SingleQuotedStyle}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: binaryTag, Value: base64.StdEncoding.EncodeToString([]byte(text)), Style: yaml.TaggedStyle}
}

var errNoFile = errors.New("no .yaml or .yml file there")

// FileNames returns the names of the files that a pattern names.
func FileNames(fsys fs.FS, pattern string) ([]string, error) {
	info, err := fs.Stat(fsys, pattern)
	if err == nil && !info.IsDir() {
		return []string{pattern}, nil
	}
	var names []string
	if err == nil {
		names, err = filesBelow(fsys, pattern)
	} else if dir, ok := aboveTwoStars(pattern); ok {
		err = fmt.Errorf("** stands for one folder only; name the directory %s, which is read with all that is below it", dir)
	} else if hasMeta(pattern) {
		names, err = fs.Glob(fsys, pattern)
	}
	if err == nil && len(names) == 0 {
		err = errNoFile
	}
	return names, err
}

// aboveTwoStars returns the directory before a ** in a pattern. [fs.Glob] reads ** as *,
// so that it would leave out files that the author means.
func aboveTwoStars(pattern string) (dir string, ok bool) {
	parts := strings.Split(pattern, "/")
	i := slices.Index(parts, "**")
	return path.Join(".", path.Join(parts[:max(i, 0)]...)), i >= 0
}

func hasMeta(pattern string) bool {
	return slices.ContainsFunc([]rune(pattern), func(r rune) bool { return r == '*' || r == '?' || r == '[' || r == '\\' })
}

func filesBelow(fsys fs.FS, dir string) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// ReadFile reads a file. Of a file that is larger than limit it reads one byte more, so that the caller can
// refuse it for its size.
func ReadFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	// Opening a FIFO would block until somebody writes to it.
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file: %s", name, info.Mode())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}
