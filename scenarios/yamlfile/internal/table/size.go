package table

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

var sizeWithUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,6}) ?([kKMG])(i?)B?$`) })

var countWithNoun = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{1,6}) ?(bytes?|characters?|chunks?|events?|frames?|pieces?|times|tokens?|words?)$`)
})

// Size returns the hint for a number with a unit, such as 64 KiB or 3 chunks.
func Size(n *yaml.Node) string {
	if node.ShapeOf(n) != node.Text {
		return ""
	}
	if m := countWithNoun().FindStringSubmatch(n.Value); m != nil {
		return "write " + m[1]
	}
	m := sizeWithUnit().FindStringSubmatch(n.Value)
	if m == nil {
		return ""
	}
	factor := int64(1000)
	if m[3] != "" {
		factor = 1024
	}
	size, _ := strconv.ParseInt(m[1], 10, 64) // six digits
	for range strings.Index("KMG", strings.ToUpper(m[2])) + 1 {
		size *= factor
	}
	return fmt.Sprintf("write %d", size)
}
