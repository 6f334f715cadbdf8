package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// reasoning writes a piece of reasoning: of its summary, or of the raw text.
func (s *speaker) reasoning(r *script.Reasoning) {
	kind := partSummary
	if r.Raw {
		kind = partReasoning
	}
	i := s.current()
	if i != nil && i.kind == hosted.Reasoning && r.Next == script.NextPart {
		s.closePart(i)
	}
	if r.Next == script.NextItem || !r.Encrypted.IsAbsent() && (i == nil || i.kind != hosted.Reasoning) {
		i = s.openItem(hosted.Reasoning, s.prepare)
	}
	if i != nil && !r.Encrypted.IsAbsent() && s.asks(hosted.Encrypted) {
		i.sealed = r.Encrypted
	}
	if r.Next != script.NextPart && !s.saysText(r.Text, kind) || r.Text.IsNullOrAbsent() {
		return
	}
	i, p := s.part(hosted.Reasoning, kind)
	p.text.add(r.Text)
	s.emit(textEvent(p)+".delta", kindReasoning, append(s.insidePart(i, p), ojson.M("delta", r.Text))...)
}

// encryptedPrefix is how encrypted_content begins.
const encryptedPrefix = "gAAAAAB"

// prepare gives an opened reasoning item its first encrypted_content, if the request includes
// it. The closed item has another.
func (s *speaker) prepare(i *item) {
	if s.asks(hosted.Encrypted) {
		i.encrypted = s.options.NewID(encryptedPrefix)
	}
}

// opening returns what to do to an item of this type when a part opens it; nil is nothing.
func (s *speaker) opening(itemKind string) func(*item) {
	if itemKind == hosted.Reasoning {
		return s.prepare
	}
	return nil
}

// seal gives a closed reasoning item its final encrypted_content, if it has one.
func (s *speaker) seal(i *item) {
	switch {
	case i.encrypted.IsAbsent():
	case !i.sealed.IsAbsent():
		i.encrypted = i.sealed
	default:
		i.encrypted = s.options.NewID(encryptedPrefix)
	}
}

// reasoning returns a reasoning item as it is by now. It has no status, and content only if
// there is raw text.
func (i *item) reasoning(id, kind ojson.Member) ojson.Value {
	v := ojson.Object(id, kind)
	if content := i.list(partReasoning); len(content.Items()) > 0 {
		v.Set("content", content)
	}
	v.Set("encrypted_content", i.encrypted)
	v.Set("summary", i.list(partSummary))
	return v
}
