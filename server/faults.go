package server

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// faultLayer is documents of faults from one place. A request can be struck by those of several layers,
// of which the first fault that is drawn counts.
type faultLayer struct {
	from  string // from tells the layer's counts from those of others.
	docs  []*scenarios.Faults
	since time.Time // since is when the faults began to hold.
	size  int       // size is what the faults take of memory; 0 if they were not put.
}

// requests is the name under which the requests that the layer can strike are counted.
func (l *faultLayer) requests() string { return "faults of " + l.from }

// countsOf is the name under which the times of a document's faults are counted.
func (l *faultLayer) countsOf(doc *scenarios.Faults) string { return l.requests() + ": " + doc.Name }

// maxFaultBytes bounds the text of the faults that are put at once. Read, a short fault takes some
// thousands of bytes.
const maxFaultBytes = 64 << 10

// PutFaults lays faults over the answers to the requests of one API key, or of all keys if it is "". They
// replace those of an earlier call, are tried before the server's own, and are counted anew; without files
// there are none. A file holds documents of faults, or what [yamlfile.ParseFaults] reads in place of one.
// The files can have 64 KiB together.
//
// The error is a [diag.List] if the faults have problems. After an error nothing has changed.
// [Server.Reset] and [Server.ResetKey] remove the faults.
func (s *Server) PutFaults(apiKey string, files ...yamlfile.Source) error {
	size := 0
	for _, f := range files {
		size += len(f.Data)
	}
	if size > maxFaultBytes {
		return fmt.Errorf("the faults are %d bytes long, and can have %d; leave some out, or play them from a scenario file", size, maxFaultBytes)
	}
	docs, err := readFaults(files, s.catalogOf(apiKey).set)
	if err != nil {
		return err
	}
	layer := putLayer(apiKey, docs)
	s.changing.Lock()
	defer s.changing.Unlock()
	next := s.catalogs.Load().overlays[apiKey]
	next.faults = layer
	return s.storeOverlay(apiKey, next)
}

// putLayer is the layer of faults that were put for an API key, or for all if it is "".
func putLayer(apiKey string, docs []*scenarios.Faults) faultLayer {
	from := "key"
	if apiKey == "" {
		from = "all"
	}
	return faultLayer{from, docs, time.Now(), memoryOf(docs)}
}

// Faults returns the documents of faults that hold for an API key, in the order in which they are tried.
func (s *Server) Faults(apiKey string) (docs []*scenarios.Faults) {
	for _, layer := range s.catalogOf(apiKey).faults {
		docs = append(docs, layer.docs...)
	}
	return docs
}

// readFaults reads files of faults, and checks them as [answer.CheckFaults] does.
func readFaults(files []yamlfile.Source, set *scenarios.Set) ([]*scenarios.Faults, error) {
	var all []*scenarios.Scenario
	var problems diag.List
	for _, f := range files {
		list, found := yamlfile.ParseFaults(f.Name, f.Data)
		all, problems = append(all, list...), append(problems, found...)
	}
	docs, found := scenarios.PrepareFaults(all...)
	if len(problems) == 0 {
		problems = found
	}
	if len(problems) == 0 {
		problems = answer.CheckFaults(docs, set)
	}
	return docs, problems.Err()
}

// The field of a request that names faults for this request alone, in a short text. It has no conditions
// and no counts, and nothing of it is kept.
const (
	faultHeader   = "X-Fakeopenai-Fault"
	longestHeader = 256
)

func layerOf(values []string) (faultLayer, *apiError) {
	text := values[0]
	if len(values) > 1 || len(text) > longestHeader || strings.TrimSpace(text) == "" || strings.ContainsAny(text, "{[:") {
		return faultLayer{}, refusal(http.StatusBadRequest, apierror.CodeFaults, fmt.Sprintf("The header %s takes one status, ending or preset, with its chance, such as 429 5%%, "+
			"in %d bytes; for all else there is PUT /_fake/faults?api_key=KEY.", faultHeader, longestHeader))
	}
	faults, err := yamlfile.ShortFaults(text)
	if err != nil {
		return faultLayer{}, refusal(http.StatusBadRequest, apierror.CodeFaults, fmt.Sprintf("The header %s is wrong: %v", faultHeader, err))
	}
	docs, _ := scenarios.PrepareFaults(&scenarios.Scenario{Faults: faults}) // these forms have no problems
	return faultLayer{from: faultHeader, docs: docs}, nil
}

// striking looks for the fault that strikes the answer to a request. It is the [scenarios.Counter] of the
// faults' conditions.
type striking struct {
	*exchange
	from    *catalog
	layers  []faultLayer
	plain   bool   // plain says that no scenario gives the answer.
	numbers []int  // numbers are the numbers of the request among the requests that each layer can strike.
	apiKey  string // apiKey names the API key in what is drawn.

	asked  *answer.Asked
	layer  *faultLayer
	number int // number is that of the request in the layer.
	doc    *scenarios.Faults

	fault  *scenarios.Fault // fault is the one that strikes; nil if there is none.
	index  int              // index is the position of the fault in its document.
	struck *answer.Asked    // struck is asked with the fault laid over the reply.
}

// faultsFor returns the search for the fault of a request; nil if there are no faults.
func (x *exchange) faultsFor(from *catalog, req *scenarios.Request) (*striking, *apiError) {
	values, layers := x.r.Header[faultHeader], from.faults
	if len(values) == 0 && len(layers) == 0 {
		return nil, nil
	}
	k := &striking{exchange: x, from: from, apiKey: limits.NameOf(req.APIKey)}
	if len(values) > 0 {
		own, wrong := layerOf(values)
		if wrong != nil {
			return nil, wrong
		}
		own.since = x.entry.Time
		k.layers, k.numbers = append(k.layers, own), append(k.numbers, req.Attempt)
	}
	for i := range layers {
		k.layers = append(k.layers, layers[i])
		k.numbers = append(k.numbers, x.server.counters.Draw(x.key, limits.SumOf(layers[i].requests()), false))
	}
	return k, nil
}

// strike returns asked with the first fault that is drawn for it laid over it; asked itself if none is drawn.
func (k *striking) strike(asked *answer.Asked) *answer.Asked {
	k.asked, k.fault = asked, nil
	req := *asked.Request
	if req.Path == "" { // the conditions of faults see the paths of the APIs, too
		_ = request.SetPath(&req, k.r.Method, k.r.URL.EscapedPath()) // package net/http has decoded it
	}
	for i := range k.layers {
		k.layer, k.number = &k.layers[i], k.numbers[i]
		for _, k.doc = range k.layer.docs {
			if k.doc.Match(k.ctx, &req, k, k.server.config.Seed) != nil {
				return k.struck
			}
		}
	}
	return asked
}

// Available reports whether a fault is not used up for the API key.
func (k *striking) Available(_ string, fault, limit int) bool {
	return k.server.counters.Available(k.key, k.layer.countsOf(k.doc), fault, limit)
}

// Drawn reports whether the fault strikes the answer, and notes it for the journal.
func (k *striking) Drawn(sel *scenarios.Selection) bool {
	f := &k.doc.List[sel.Index]
	if !f.IsOpen(k.entry.Time.Sub(k.layer.since), k.number) || k.chance(sel).Float64() >= *sel.Reply.Chance {
		return false
	}
	var struck *answer.Asked
	why := k.cannotHave(f)
	if why == "" {
		struck, why = k.from.maker.Strike(f, k.nameOf(f, sel.Index), k.asked, func(sel *scenarios.Selection) *answer.Asked { return k.ask(k.asked.Surface, sel) })
	}
	note := fmt.Sprintf("fault %d (%s): ", sel.Index+1, k.doc.Describe(sel.Index))
	if why != "" {
		k.entry.Chance = append(k.entry.Chance, note+"not drawn: "+why)
		return false
	}
	k.entry.Chance = append(k.entry.Chance, note+"drawn")
	k.fault, k.index, k.struck = f, sel.Index, struck
	return true
}

// chance draws for a fault. What it draws follows from the API key, and from the number of the request among
// those of the key; for the header, which counts nothing, from the request and its attempt.
func (k *striking) chance(sel *scenarios.Selection) *rand.Rand {
	purpose := fmt.Sprintf("%s, fault %d, request %d of %s", k.layer.countsOf(k.doc), sel.Index, k.number, k.apiKey)
	if k.layer.from == faultHeader {
		return invent.RequestRand(sel, fmt.Sprintf("%s, %s %s", purpose, k.entry.Method, k.entry.Path))
	}
	return invent.Rand(sel, purpose)
}

// headerFault names a fault of the header, of which each request has an own one.
type headerFault struct {
	what  string
	index int
}

func (k *striking) nameOf(f *scenarios.Fault, index int) any {
	if k.layer.from == faultHeader {
		return headerFault{cmp.Or(f.Of, f.What()), index}
	}
	return f
}

// cannotHave returns why the answer cannot have a fault that a reply of its kind could have; "" if it can.
func (k *striking) cannotHave(f *scenarios.Fault) string {
	switch {
	case f.Error != nil:
		return ""
	case k.plain:
		return "no scenario gives the answer, which can have an error alone"
	case f.What() != "pace" && k.asked.Surface == upgradable && responses.InBackground(k.asked.Request) && !k.asked.Request.Stream:
		return "it is answered as queued, and the response is made in the background"
	}
	return ""
}

// unscripted is what answers at an endpoint where no scenario is asked: answer, unless the API key is wrong or an error strikes.
func unscripted(answer func(*Server, *exchange)) func(*Server, *exchange) {
	return func(s *Server, x *exchange) {
		switch struck, wrong := s.struckWithoutScenario(x); {
		case wrong != nil:
			x.fail(wrong)
		case struck != nil:
			x.makeAnswer(s.catalogOf(x.entry.APIKey), struck)
		default:
			answer(s, x)
		}
	}
}

// struckWithoutScenario returns the fault that strikes a request which no scenario answers; nil if none does.
func (s *Server) struckWithoutScenario(x *exchange) (*answer.Asked, *apiError) {
	if wrong := x.authorize(); wrong != nil {
		return nil, wrong
	}
	req := &scenarios.Request{Surface: scenarios.SurfaceOther, APIKey: x.entry.APIKey, Header: x.r.Header, Time: x.entry.Time}
	faults, wrong := x.faultsFor(s.catalogOf(req.APIKey), req)
	if faults == nil {
		return nil, wrong
	}
	faults.plain = true
	req.Attempt = s.counters.Attempt(x.key, limits.SumOf(x.entry.Method+" "+x.entry.Path))
	for {
		x.entry.Chance, x.entry.Injected = nil, ""
		asked := faults.strike(x.ask(answer.Other, s.withoutOutput(req)))
		if faults.fault == nil {
			return nil, nil
		}
		if faults.take() {
			x.entry.Body, _ = x.readBody()
			asked.Selection.Context = x.ctx
			return asked, nil
		}
	}
}

// take uses up one of the times of the fault that strikes, and reports whether there was one left.
func (k *striking) take() bool {
	if k == nil || k.fault == nil {
		return true
	}
	if !k.server.counters.Take(k.key, k.layer.countsOf(k.doc), k.index, k.fault.Times) {
		return false
	}
	k.entry.Injected = k.doc.Describe(k.index)
	return true
}

// withholds reports whether a fault strikes that leaves the reply below to a later request.
func (k *striking) withholds() bool { return k != nil && k.fault != nil && k.fault.Withholds() }
