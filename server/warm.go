package server

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// warm compiles the replies that do not depend on their request, in the form in
// which most requests ask for them, so that the first such request finds its
// program ready.
func (s *Server) warm(set *scenarios.Set) {
	for sel := range set.Selections(s.config.Seed) {
		if sel.Reply.Error != nil || compile.Bytewise(&sel.Manner) || templated(&sel.Manner) {
			continue
		}
		sel.Request = &scenarios.Request{Surface: "chat", Model: model.Default, Stream: true, IncludeObfuscation: true}
		p := preparation{server: s, req: sel.Request, sel: sel, manner: &sel.Manner}
		// What fails here fails for want of a request, and is tried again with one.
		if values, err := p.values(); err == nil {
			_, _ = p.compiled(values)
		}
	}
}
