package responses

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// annotations writes an event for each annotation of the text. The closing events of the part
// repeat them.
func (s *speaker) annotations(list ojson.Value) {
	for _, written := range list.Items() {
		i, p := s.part(hosted.Message, partText)
		annotation := flat(written)
		members := append(s.insidePart(i, p), ojson.M("annotation", annotation), ojson.M("annotation_index", ojson.Int(int64(len(p.annotations)))))
		p.annotations = append(p.annotations, annotation)
		s.emit("response.output_text.annotation.added", "", members...)
	}
}

// flat returns an annotation in the shape of this API: its members beside its type, in
// alphabetical order as in recordings. On chat completions they are in an object that has the
// type for a name.
func flat(annotation ojson.Value) ojson.Value {
	kind := annotation.Get("type")
	inner := annotation.Get(kind.Text())
	if inner.Kind() != ojson.ObjectKind {
		return annotation
	}
	members := slices.Clone(inner.Members())
	slices.SortStableFunc(members, func(a, b ojson.Member) int { return cmp.Compare(a.Name, b.Name) })
	return ojson.Object(append([]ojson.Member{ojson.M("type", kind)}, members...)...)
}
