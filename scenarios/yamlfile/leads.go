package yamlfile

import (
	"cmp"
	_ "embed" // leads.txt
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// mainKey is the key that a text or a number stands for in place of a message or an error; "" for others.
func mainKey(section string, n *yaml.Node) string {
	return map[string]string{"message text": "content", "error text": "message", "error number": "status"}[section+" "+kindOf(n)]
}

// instead returns what to write in place of a key that a section does not have, which follows from what stands
// beside it or from its value, or is one of [leads]; "" if nothing is known.
func instead(u table.Unknown) string {
	value, _ := table.InLine(u.Value, table.MostInLine)
	has := func(key string) bool { return node.Member(u.Within, key).Key != nil }
	switch {
	case u.Section == "scenario" && isAnswer(u.Value):
		if hint, ok := table.Filled("write name: "+u.Key.Value+", $*", u.Value); ok && !has("name") {
			return hint
		}
	case slices.Contains(u.Own, "arguments") && node.ShapeOf(u.Value) == node.Mapping && !has("name") && !has("tool_name") && u.Name != "function" && u.Name != "custom":
		return "write name: " + u.Key.Value + ", arguments: " + value
	}
	return leadFor(u, leads())
}

//go:embed leads.txt
var leadsText string

// lead is a row of leads.txt: what to write in place of a key that a section does not have, or of a value that a key
// does not take.
type lead struct {
	// of is the kind of value, or the place in braces, that it is for, as leads.txt has them; "" is any.
	of     string
	match  string // match is an expression that fits the value, of a mapping its JSON with the keys sorted; "" if any value does.
	hint   string
	former bool   // former says that a former version took it, and that fmt does what the hint says.
	key    string // key is an expression that fits the whole key; "" in a row of that key.
}

// leads are the rows of leads.txt, by section and key: those for mistakes, those for keys that belong elsewhere, and the few for
// values that are valid and hardly meant, which each scenario is held against.
var (
	leads     = sync.OnceValue(func() map[[2]string][]*lead { return readLeads("") })
	misplaced = sync.OnceValue(func() map[[2]string][]*lead { return readLeads("?") })
	doubtful  = sync.OnceValue(func() map[[2]string][]*lead { return readLeads("!") })
)

func readLeads(mark string) map[[2]string][]*lead {
	rows := make(map[[2]string][]*lead, strings.Count(leadsText, "\n"+mark)/3) // most keys have several rows
	var sections []string
	for line := range strings.Lines(leadsText) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			sections = strings.Split(strings.TrimSuffix(name, "]"), ", ")
		}
		keys, hint, ok := strings.Cut(line, " -> ")
		if !ok || line[0] == '#' {
			continue
		}
		if strings.Trim(keys[:1], "!?") == "" != (mark != "") || !strings.HasPrefix(keys, mark) {
			continue
		}
		keys = strings.TrimPrefix(keys, mark+" ")
		keys, former := strings.CutPrefix(keys, "~ ")
		row := lead{hint: hint, former: former}
		keys, expr, found := strings.Cut(keys, " =/")
		if found {
			row.match = strings.TrimSuffix(expr, "/")
		}
		for key := range strings.SplitSeq(keys, ", ") {
			one := row
			key, one.of, _ = strings.Cut(key, " ")
			if expr, ok := strings.CutPrefix(key, "~"); ok {
				key, one.key = "~", "^(?:"+expr+")$"
			}
			for _, s := range sections {
				rows[[2]string{s, key}] = append(rows[[2]string{s, key}], &one)
			}
		}
	}
	return rows
}

// leadFor is what to write in place of a key and its value in a mapping, or of the value of a known key; "" if no row
// says it.
func leadFor(u table.Unknown, rows map[[2]string][]*lead) string {
	for _, key := range []string{u.Name, "~"} {
		if key == "~" && u.Own == nil { // it is about the value of a key that the section has
			break
		}
		for _, row := range rows[[2]string{u.Section, key}] {
			if groups, ok := row.fits(u); ok {
				if hint := row.filled(u, groups); hint != "" {
					return hint
				}
			}
		}
	}
	return ""
}

// fits reports whether the row is for a key and its value, and returns what the groups of its expression match.
func (l *lead) fits(u table.Unknown) (groups []string, ok bool) {
	for of := range strings.SplitSeq(l.of, " & ") {
		if l.key != "" && !compiled(l.key).MatchString(u.Name) || !isFor(of, u) {
			return nil, false
		}
	}
	switch {
	case l.match != "":
	case l.key != "":
		return compiled(l.key).FindStringSubmatch(u.Name), true
	default:
		return nil, true
	}
	text := u.Value.Value
	if u.Value.Kind != yaml.ScalarNode {
		v, _ := (&node.Reader{}).JSON(u.Value)
		text = v.Sorted().String()
	}
	groups = compiled(l.match).FindStringSubmatch(text)
	return groups, groups != nil
}

// isFor reports whether a kind of value or a place, as rows have them, is that of a key.
func isFor(of string, u table.Unknown) bool {
	key := strings.Trim(of, "{}")
	switch {
	case key == of:
		return strings.HasPrefix(kindOf(u.Value), of)
	case key == "@path":
		return asksPath(u.Within)
	case key[0] == '!':
		return memberAt(u.Within, key[1:]) == nil
	}
	key, value, isValue := strings.Cut(key, "=")
	n := memberAt(u.Value, key)
	if beside, ok := strings.CutPrefix(key, "^"); ok {
		n = memberAt(u.Within, beside)
	}
	return n != nil && (!isValue || n.Value == value)
}

var (
	askedPath = node.Lazily(`^(?:\w+\.)?(?:(?:http_?)?request|match|matcher|when|on|given|predicates|get|post|put|patch|delete|path|url\w*|uri|endpoint|route)\b.*?[ "'^](/?v1/[^\s"',}]*|/[^\s"',}]*)`)
	pathOfAPI = node.Lazily(`(?:chat/completions|responses|embeddings|moderations|completions)\W*$|/[gimsuy]*$`)
)

// asksPath reports whether a mapping is for requests to a path that is for no API, whatever tool's words it says it in.
func asksPath(n *yaml.Node) bool {
	return slices.ContainsFunc(node.Members(n), func(p node.Pair) bool {
		text, _ := table.InLine(p.Value, table.MostInLine)
		m := askedPath().FindStringSubmatch(table.Snake(p.Name) + ": " + text)
		return m != nil && !pathOfAPI().MatchString(m[1])
	})
}

// expressions are the expressions of rows, each compiled when it is first asked for: most never are.
var expressions sync.Map

func compiled(expr string) *regexp.Regexp {
	re, ok := expressions.Load(expr)
	if !ok {
		re, _ = expressions.LoadOrStore(expr, regexp.MustCompile(expr))
	}
	return re.(*regexp.Regexp)
}

// memberAt is the value of a member, such as jsonBody.error or, of a list, 0; nil if there is none.
func memberAt(n *yaml.Node, path string) *yaml.Node {
	for key := range strings.SplitSeq(path, ".") {
		if n == nil || n.Kind != yaml.SequenceNode {
			n = spelt(n, key)
			continue
		}
		i, err := strconv.Atoi(key)
		if i < 0 {
			i += len(n.Content)
		}
		if err != nil || i < 0 || i >= len(n.Content) {
			return nil
		}
		n = n.Content[i]
	}
	return n
}

// spelt is the value of a key, which may be spelt as other tools spell keys; nil if there is none.
func spelt(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if name := n.Content[i].Value; name == key || table.Snake(name) == key {
			return n.Content[i+1]
		}
	}
	return nil
}

var placeInHint = node.Lazily(`\$(?:\{(\^?)([\w.!+-]+)([*~]?)\}|(\*)|([0-9]))?`)

// filled is the hint with what stands for the value in it.
func (l *lead) filled(u table.Unknown, groups []string) string {
	n := u.Value
	if (strings.Contains(l.hint, "${foreign}") || u.Own == nil && strings.Contains(l.hint, "${parts}")) && !isForeign(n) {
		return "" // nothing more is read for the values of most
	}
	count, _ := strconv.Atoi(strings.TrimLeft(n.Value, "<>= ")) // rows with it are for numbers
	nth := slices.Index([]string{"", "first", "second", "third", "fourth", "fifth"}, n.Value)
	middle, spread := "", ""
	if m, s, ok := table.Range(n); ok {
		middle, spread = m.String(), s.String()
	}
	said := map[string]string{
		"middle": middle, "spread": spread,
		"json": asJSONText(n), "+1": strconv.Itoa(count + 1), "before": strconv.Itoa(count - 1), "self": u.Name, "-self": strings.ReplaceAll(u.Name, "_", "-"), "lower": strings.ToLower(n.Value), "upper": strings.ToUpper(n.Value), "nth": strconv.Itoa(nth), "ms": table.InUnit(n), "pause": pauseOf(n), "re": strings.ReplaceAll(regexp.QuoteMeta(cmp.Or(valueOf(u.Within, "contains"), n).Value), "'", "''"),
	}
	here := beside{u.Within}
	for key, say := range map[string]func(*yaml.Node) string{
		"replies": inTurn, "each": eachInTurn, "steps": asSteps, "tokens": asTokens, "foreign": foreignStream, "parts": foreignMessage, "merged": merged, "choices": foreignChoices, "decoded": decoded,
		"pieces": here.pieces, "words": here.words, "groups": here.groups, "beats": here.beats, "events": here.events, "share": here.share, "paced": here.paced,
	} {
		if strings.Contains(l.hint, "${"+key+"}") {
			if said[key] = say(n); said[key] == "" {
				return ""
			}
		}
	}
	hint := placeInHint().ReplaceAllStringFunc(l.hint, func(place string) string {
		m := placeInHint().FindStringSubmatch(place)
		from, all := n, m[4]
		switch text, ok := said[m[2]]; {
		case ok:
			return text
		case m[5] != "":
			i, _ := strconv.Atoi(m[5])
			return groups[i]
		case m[1] != "":
			from = u.Within
		}
		if but, ok := strings.CutPrefix(m[2], "!"); ok {
			from, all = without(from, but), "*"
		} else if m[2] != "" {
			from, all = memberAt(from, m[2]), m[3]
		}
		if from == nil {
			return ""
		} else if all == "~" {
			return table.InUnit(from)
		}
		text, _ := table.Filled("$"+all, from)
		if main := cmp.Or(mainKey(m[2], from), alone[node.ShapeOf(from)]); all != "" && main != "" {
			text = main + ": " + text
		}
		return text
	})
	if emptyPlace().MatchString(hint) {
		return "" // there is not what the row is about
	}
	return pathParameter().ReplaceAllString(hint, "{{ .match.$1 }}")
}

// pathParameter is a part of the path in the templates of other tools.
var pathParameter = node.Lazily(`\{\{ *(?:(?:req(?:uest)?\.)?(?:path|params|path_?[pP]aram(?:eter)?s?)\.|urlParam '+)(\w+)'* *\}\}`)

var emptyPlace = node.Lazily(`: *(?:[,}\]]|$)|\{ *,|\{ +\}`) // a member without a value, or no member

// alone are the members that a text and a number stand for in place of a reply.
var alone = map[node.Shape]string{node.Text: "message", node.Number: "error"}

// pauseOf is the pause between tokens of which n, or its member tps, says how many are sent in a second, or between chunks
// of which it says how many are sent in what time; "" if that is no such number.
func pauseOf(n *yaml.Node) string {
	number, _, _ := strings.Cut(cmp.Or(valueOf(n, "tps"), spelt(n, "number_of_chunks"), n).Value, " ")
	rate, err := strconv.ParseFloat(strings.TrimRight(number, "/abcdefghijklmnopqrstuvwxyz"), 64)
	whole := cmp.Or(durationOf(spelt(n, "total_duration")), time.Second)
	if err != nil || rate <= 0 {
		return ""
	}
	return time.Duration(float64(whole) / rate).Round(time.Microsecond).String()
}

// merged is the members of all mappings in a list; "" if two say something else of one key.
func merged(n *yaml.Node) string {
	all := node.NewMapping(yaml.FlowStyle)
	for _, item := range n.Content {
		text, _ := table.InLine(item, table.MostInLine)
		for _, own := range flowOf(text) { // a copy, which can be changed
			if !table.Merged(all, own) {
				return ""
			}
		}
	}
	text, _ := table.InLine(all, table.MostInLine)
	return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
}

// withAnAnswer is a hint for a key of a scenario or a reply, with an answer where it says only how that ends, and no other key can be meant as one.
func withAnAnswer(u table.Unknown, hint string) string {
	if !strings.HasPrefix(hint, "write end: ") || u.Section != "scenario" && u.Section != "reply" || slices.ContainsFunc(node.Members(u.Within), func(p node.Pair) bool {
		return p.Name != u.Key.Value && !strings.Contains(" name description tags seed when times chance pace envelope ", " "+p.Name+" ")
	}) {
		return hint
	}
	return strings.NewReplacer("write end: ", "write message: Hello, end: ", " or end: ", " or message: Hello, end: ").Replace(hint)
}

// eachInTurn are the replies of inTurn without the brackets around them.
func eachInTurn(n *yaml.Node) string {
	return strings.TrimSuffix(strings.TrimPrefix(inTurn(n), "["), "]")
}

// inTurn is a list of answers as replies that follow one another, or a mapping of questions to answers as replies to these.
func inTurn(n *yaml.Node) string {
	var replies, otherwise []string
	for _, p := range node.Members(n) {
		question, _ := table.InLine(p.Key, table.MostInLine)
		answer, ok := table.InLine(p.Value, table.MostInLine)
		if !ok || node.ShapeOf(p.Value) != node.Text {
			return ""
		}
		if slices.Contains([]string{"default", "else", "otherwise", "fallback", "*", "_"}, p.Name) {
			otherwise = []string{"{ message: " + answer + " }"}
			continue
		}
		replies = append(replies, "{ when: { user: "+question+" }, message: "+answer+" }")
	}
	for i := range n.Content {
		item := weighted(n.Content[i:])
		text, ok := table.Filled("$*", item)
		switch conditional := slices.ContainsFunc(node.Members(item), func(p node.Pair) bool {
			return strings.Contains(" when match request if user input prompt question on condition times repeat count chance predicate predicates httpRequest path endpoint get post ", " "+p.Name+" ")
		}); {
		case n.Kind == yaml.MappingNode:
			continue
		case node.ShapeOf(item) == node.Number && errorInstead(item.Value, "", "") != "":
			text = "times: 1, error: " + text
		case !ok || node.ShapeOf(item)&(node.Text|node.Mapping) == 0:
			return ""
		case node.ShapeOf(item) == node.Text:
			text = "message: " + text
			fallthrough
		default:
			if i < len(n.Content)-1 && !conditional {
				text = "times: 1, " + text
			}
		}
		replies = append(replies, "{ "+text+" }")
	}
	return "[" + strings.Join(append(replies, otherwise...), ", ") + "]"
}

// weighted is the first of several replies, with a chance in place of its weight: that of its share in the weights of all of them.
func weighted(replies []*yaml.Node) *yaml.Node {
	sum, weights := 0.0, make([]float64, len(replies))
	for i, reply := range replies {
		if weight := valueOf(reply, "weight"); weight != nil {
			weights[i], _ = strconv.ParseFloat(weight.Value, 64)
			sum += weights[i]
		}
	}
	if weights[0] == 0 {
		return replies[0]
	}
	reply := node.NewMapping(yaml.FlowStyle)
	if weights[0] < sum {
		node.Add(reply, "chance", node.Plain(strconv.FormatFloat(100*weights[0]/sum, 'g', 4, 64)+"%"))
	}
	for _, p := range node.Members(replies[0]) {
		if p.Name != "weight" {
			node.Add(reply, p.Name, p.Value)
		}
	}
	return reply
}

// asTokens is log-probabilities in pairs, by token or in the lists of completions, as the language has them.
func asTokens(n *yaml.Node) string {
	var pairs []*yaml.Node
	tokens, numbers, tops := valueOf(n, "tokens"), valueOf(n, "token_logprobs"), valueOf(n, "top_logprobs")
	switch {
	case n.Kind == yaml.SequenceNode:
		for _, pair := range n.Content {
			if len(pair.Content) != 2 {
				return ""
			}
			pairs = append(pairs, pair.Content...)
		}
	case tokens != nil && numbers != nil && len(tokens.Content) == len(numbers.Content):
		for i := range tokens.Content {
			pairs = append(pairs, tokens.Content[i], numbers.Content[i])
		}
	case tokens == nil:
		pairs = n.Content
	}
	var entries []string
	for i := 0; i+1 < len(pairs); i += 2 {
		token, ok := table.InLine(pairs[i], table.MostInLine)
		if !ok || node.ShapeOf(pairs[i+1]) != node.Number {
			return ""
		}
		entry := "{ token: " + token + ", logprob: " + pairs[i+1].Value
		if tops != nil && i/2 < len(tops.Content) {
			entry += ", top_logprobs: " + asTokens(tops.Content[i/2])
		}
		entries = append(entries, entry+" }")
	}
	if entries == nil {
		return ""
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// asSteps is a list of pieces of a text as the steps of a stream, with its first and its last chunk.
func asSteps(n *yaml.Node) string {
	steps := []string{"{ role: assistant }"}
	for i, item := range n.Content {
		text, ok := table.InLine(item, table.MostInLine)
		hint := textLead(item)
		finish, isFinish := strings.CutPrefix(hint, "write finish: ")
		switch {
		case !ok || node.ShapeOf(item) != node.Text || pastedChunk(item) != nil:
			return ""
		case item.Value == "assistant" && i == 0:
		case isFinish && i == len(n.Content)-1:
			return "[" + strings.Join(append(steps, "{ finish: "+finish+" }"), ", ") + "]"
		case hint != "":
			return ""
		default:
			steps = append(steps, "{ content: "+text+" }")
		}
	}
	return "[" + strings.Join(append(steps, "{ finish: stop }"), ", ") + "]"
}

func kindOf(n *yaml.Node) string {
	switch shape := node.ShapeOf(n); shape {
	case node.Bool:
		return "bool"
	case node.Number:
		return "number"
	case node.Text:
		return "text"
	case node.Mapping:
		if len(n.Content) == 0 {
			return "empty"
		}
		return "mapping"
	case node.List:
		switch {
		case len(n.Content) == 0:
			return "empty"
		case n.Content[0].Kind == yaml.MappingNode:
			return "list of mappings"
		case node.ShapeOf(n.Content[0]) == node.Number:
			return "list of numbers"
		case !slices.ContainsFunc(n.Content, func(item *yaml.Node) bool { return !isText(item) }):
			return "list of texts"
		}
		return "list of values"
	}
	return "null"
}

func isText(n *yaml.Node) bool { return n != nil && node.ShapeOf(n) == node.Text }

// apiNames are the API's names of keys of messages and steps.
var apiNames = map[string]table.Shorthand{
	"finish_reason": {As: "finish"}, "reasoning_content": {As: "reasoning"}, "usage_metadata": {As: "usage"}, "role": {Only: "assistant"},
}

// stepNames are those of steps.
var stepNames = map[string]table.Shorthand{
	"finish_reason": {As: "finish"}, "reasoning_content": {As: "reasoning"}, "text_delta": {As: "content"},
}

// without is a mapping but for one of its members.
func without(n *yaml.Node, key string) *yaml.Node {
	others := node.NewMapping(yaml.FlowStyle)
	for _, p := range node.Members(n) {
		if p.Name != key {
			others.Content = append(others.Content, p.Key, p.Value)
		}
	}
	return others
}

// mappingOf is a mapping of one member.
func mappingOf(key string, value *yaml.Node) *yaml.Node {
	n := node.NewMapping(yaml.FlowStyle)
	node.Add(n, key, value)
	return n
}

// isAnswer reports whether a value is a mapping that says an answer, as a scenario does.
func isAnswer(n *yaml.Node) bool {
	return slices.ContainsFunc([]string{"message", "stream", "error", "replies"}, func(key string) bool { return node.Member(n, key).Key != nil })
}

// asJSONText is a mapping or a list as JSON, in quotes; "" for others.
func asJSONText(n *yaml.Node) string {
	if node.ShapeOf(n)&(node.Mapping|node.List) == 0 {
		return ""
	}
	v, ok := (&node.Reader{}).JSON(n)
	if !ok {
		return ""
	}
	return table.InSingleQuotes(v.String())
}

// hardlyMeant is what to write in place of a value that a key takes, in a document that says nothing of quirks; "" for most.
func hardlyMeant(u table.Unknown, document *yaml.Node) string {
	if hint := leadFor(u, doubtful()); hint == "" || valueOf(document, "quirks") == nil && valueOf(u.Within, "quirks") == nil {
		return hint
	}
	return ""
}
