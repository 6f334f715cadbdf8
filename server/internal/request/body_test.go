package request

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestABodyIsReadWhateverLengthItIsSaidToHave(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 700, 5000, readAhead + 100} {
		want := bytes.Repeat([]byte("x"), size)
		for _, length := range []int64{-1, 0, 1, int64(size), int64(size) + 1, 32 << 20} {
			for _, from := range []io.Reader{bytes.NewReader(want), iotest.DataErrReader(bytes.NewReader(want))} {
				got, err := ReadAll(from, length)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, said to be %d: read %d, %v", size, length, len(got), err)
				}
				if unused := cap(got) - len(got); unused > size/8+bytes.MinRead {
					t.Errorf("%d bytes, said to be %d, have %d unused", size, length, unused)
				}
			}
		}
	}
	broken := errors.New("broken")
	if got, err := ReadAll(io.MultiReader(bytes.NewReader([]byte("ab")), iotest.ErrReader(broken)), 5); got != nil || !errors.Is(err, broken) {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestABodyOfAKnownLengthIsReadInOnePiece(t *testing.T) {
	src, from := make([]byte, 700), bytes.NewReader(nil)
	if n := testing.AllocsPerRun(100, func() {
		from.Reset(src)
		_, _ = ReadAll(from, 700)
	}); n != 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}
