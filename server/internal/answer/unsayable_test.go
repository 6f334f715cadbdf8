package answer_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// unknown is a beat that no surface knows, as one that was just added to the language.
type unknown struct{ script.Beat }

// An error names what a surface cannot say by its word in the language, not by a type of Go,
// even if the surface has never heard of it.
func TestABeatThatASurfaceDoesNotKnowIsNamedByItsWord(t *testing.T) {
	t.Parallel()
	for _, on := range answer.Surfaces() {
		sc := &script.Script{Groups: []script.Group{{Step: 1, Beats: []script.Beat{unknown{script.Literal{Member: "citations"}}}}}}
		err := on.Info().Sayable(sc, &surface.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "step 2 is citations, which ") {
			t.Errorf("%s: the error is %v, want one that names citations", on.Info().Name, err)
		}
	}
}
