package compat

import (
	"fmt"
	"math"
	"testing"

	"github.com/openai/openai-go/v3"
)

// openai-go reads the vectors of texts, and what is found in them.
func embeddingsAndModerations(t *testing.T, play player) {
	client := play(t, read(t, "whole.yaml")).openAIGo()
	made, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
		Model: openai.EmbeddingModelTextEmbedding3Small,
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"How do I get a new password?", "Password reset"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Data) != 2 || len(made.Data[0].Embedding) != 2 || made.Usage.PromptTokens != 10 {
		t.Fatalf("%d vectors, usage %+v", len(made.Data), made.Usage)
	}
	cosine := 0.0
	for i, a := range made.Data[0].Embedding {
		cosine += a * made.Data[1].Embedding[i]
	}
	if math.Abs(cosine-0.93) > 1e-4 {
		t.Errorf("the cosine is %v, want 0.93", cosine)
	}
	found, err := client.Moderations.New(t.Context(), openai.ModerationNewParams{Input: openai.ModerationNewParamsInputUnion{OfStringArray: []string{"kill it", "hug it"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(found.Results[0].Flagged, found.Results[0].Categories.Violence, found.Results[1].Flagged); got != "true true false" {
		t.Errorf("the results are %s", got)
	}
}
