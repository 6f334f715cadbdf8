package fakeopenai

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/fakeopenai/fakeopenai/internal/golden" // knows -update
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
