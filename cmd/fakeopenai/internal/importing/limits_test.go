package importing_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// zipped is a text compressed by gzip.
func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompressedFileIsRead(t *testing.T) {
	t.Parallel()
	var im importing.Importer
	if found := im.Add("browser.har.gz", zipped(t, inputs(t)["browser"])); found.Format != "HAR" || found.Imported == 0 {
		t.Errorf("it was read as %q with %d answers, and not read: %v", found.Format, found.Imported, found.Unread)
	}
}

func TestUnpackingIsBounded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	var im importing.Importer
	found := im.Add("bomb.gz", zipped(t, make([]byte, 65<<20)))
	if len(found.Unread) != 1 || !strings.Contains(found.Unread[0].Reason, "larger than 64 MiB") {
		t.Errorf("not read: %v", found.Unread)
	}
}

// No secret of a file is in what is written, whatever its format.
func TestSecretsAreReplaced(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for name, data := range inputs(t) {
		text := imported(t, name, data)
		for _, secret := range []string{"sk-abcdef", "sk-proj-", "test-api-key", "jane.doe@", "__cf_bm=abc"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is in\n%s", name, secret, text)
			}
		}
	}
	answer := []byte("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"jane.doe@example.com\"},\"finish_reason\":null}]}\n\n")
	for name, data := range map[string][]byte{"events": answer, "with headers": append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), answer...)} {
		if text := imported(t, name, data); strings.Contains(text, "jane") {
			t.Errorf("%s: an address is in\n%s", name, text)
		}
	}
	var im importing.Importer
	data := bytes.ReplaceAll(inputs(t)["vcrpy"], []byte("How is the weather?"), []byte("I am jane.doe@example.com"))
	im.Add("vcrpy", data)
	if found := im.Redactor.Summary(); len(found) == 0 {
		t.Error("nothing was replaced")
	}
	list, _ := im.Files()
	for _, f := range list {
		if bytes.Contains(f.Data, []byte("jane")) {
			t.Errorf("%s: an address is in\n%s", f.Name, f.Data)
		}
	}
}

// Files of one name do not replace each other.
func TestNamesAreApart(t *testing.T) {
	t.Parallel()
	var im importing.Importer
	im.Add("a/Greeting.sse", inputs(t)["events"])
	im.Add("b/greeting.json", inputs(t)["answer"])
	im.Add("c/???.json", inputs(t)["answer"])
	list, _ := im.Files()
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, " "), "greeting.yaml greeting-2.yaml imported.yaml"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
}
