package server

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// askOf is what the selection's request wants to have in its answer, and in
// which layout.
func askOf(sel *scenarios.Selection) script.Ask {
	req, layout := sel.Request, sel.Manner.Envelope.Layout
	if layout == "" {
		layout = chat.LayoutFor(req.Model)
	}
	return script.Ask{
		Layout:      layout,
		N:           req.N,
		Usage:       req.IncludeUsage,
		Logprobs:    req.Logprobs,
		TopLogprobs: req.TopLogprobs,
		Fold:        !req.Stream,
	}
}
