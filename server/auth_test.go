package server

import "testing"

func TestMaskKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"fake_key":               "fake_key",
		"123456789012":           "123456789012",
		"1234567890123":          "12345678*0123",
		"sk-proj-abcdefghijklmn": "sk-proj-**********klmn",
	} {
		if got := maskKey(key); got != want {
			t.Errorf("maskKey(%q) = %q, want %q", key, got, want)
		}
	}
}
