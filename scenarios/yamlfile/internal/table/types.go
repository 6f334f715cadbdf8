package table

import (
	"fmt"
	"reflect"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// codecs is the codecs of the keys that have none of their own, by the type of the struct field.
var codecs = map[reflect.Type]func() Codec{
	reflect.TypeFor[bool]():                          BoolCodec,
	reflect.TypeFor[time.Duration]():                 DurationCodec,
	reflect.TypeFor[scenarios.Text]():                TextCodec,
	reflect.TypeFor[scenarios.Opt[scenarios.Text]](): func() Codec { return Nullable[scenarios.Text](TextCodec()) },
	reflect.TypeFor[[]scenarios.Path]():              func() Codec { return NonEmpty(OneOrMore("a list of paths", PathCodec())) },
	reflect.TypeFor[[]scenarios.Assignment]():        assignmentsCodec,
	reflect.TypeFor[ojson.Value]():                   AnyJSON,
}

// codecFor returns the codec for a type. It panics if there is none: a mistake in the table.
func codecFor(t reflect.Type) Codec {
	elem := t
	if t.Kind() == reflect.Pointer {
		elem = t.Elem()
	}
	if codec := codecs[elem]; codec != nil {
		return codec()
	}
	panic(fmt.Sprintf("a key for %s needs a codec", t))
}

// assignmentsCodec reads a mapping from paths to the values that are put there.
func assignmentsCodec() Codec {
	return MappingCodec("a mapping of paths to JSON values", AnyJSON(), func(d *Decoder, p node.Pair, v ojson.Value) (scenarios.Assignment, bool) {
		path, ok := d.Path(p.Key)
		return scenarios.Assignment{Path: path, Value: v}, ok
	}, func(a scenarios.Assignment) NamedValue[ojson.Value] {
		return NamedValue[ojson.Value]{Name: a.Path.String(), Value: a.Value}
	})
}
