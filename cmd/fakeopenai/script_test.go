package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// patience is the longest wait of a script for an event that must come. Only a failing
// test waits that long.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	// By default programs built with the race detector sleep for a second at exit.
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){
		"fakeopenai": main,
		"client":     client,
	})
}

// The scripts are the commands' tests, one file for each command or subject.
// Beside testscript's own commands they have:
//
//	waitfile FILE            wait until the file is there
//	waitgrep PATTERN FILE    wait until a line of the file matches
//	waitget PATTERN FILE PATH  wait until GET PATH, at the URL in FILE, matches
//	occupy NAME              set $NAME to an address at which nothing else can listen
//	get, post FILE PATH      make a request to the URL in FILE; its body is stdout
//	many N FILE PATH         make N requests to the URL in FILE
//
// and a program named client:
//
//	client stream FILE SCENARIO  read a stream; after its first bytes, write a file named begun
//	client ask MODEL             make a request to OPENAI_BASE_URL
//	client storm FILE            make requests and reloads until the server has ended; write begun at the start
//	client done MODEL            read a stream up to [DONE], and leave
//	client naive TEXT, client careful TEXT  read a stream from OPENAI_BASE_URL in a simple or in a correct way; fail unless it has the text
func TestScripts(t *testing.T) {
	t.Parallel()
	testflag.Writes(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       testflag.Update(),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "race" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return testflag.Race(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitfile": waitFile,
			"waitgrep": waitGrep,
			"waitget":  waitGet,
			"occupy":   occupy,
			"many":     many,
			"get":      func(ts *testscript.TestScript, neg bool, args []string) { fetch(ts, neg, http.MethodGet, args) },
			"post":     func(ts *testscript.TestScript, neg bool, args []string) { fetch(ts, neg, http.MethodPost, args) },
		},
	})
}

// await polls until the condition holds.
func await(ts *testscript.TestScript, what string, holds func() bool) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	ts.Fatalf("%s: not in %v", what, patience)
}

func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	await(ts, "waitfile "+args[0], func() bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

func waitGrep(ts *testscript.TestScript, _ bool, args []string) {
	pattern, name := regexp.MustCompile("(?m)"+args[0]), ts.MkAbs(args[1])
	await(ts, "waitgrep "+args[0], func() bool {
		text, err := os.ReadFile(name)
		return err == nil && pattern.Match(text)
	})
}

func waitGet(ts *testscript.TestScript, _ bool, args []string) {
	pattern, url := regexp.MustCompile(args[0]), baseURL(ts.ReadFile(args[1]))+args[2]
	await(ts, "waitget "+args[0], func() bool {
		response, err := http.Get(url)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return err == nil && pattern.Match(body)
	})
}

func occupy(ts *testscript.TestScript, _ bool, args []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { listener.Close() })
	ts.Setenv(args[0], listener.Addr().String())
}

// many makes a number of requests: many N URLFILE PATH.
func many(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		response, err := (&http.Client{Timeout: patience}).Get(baseURL(ts.ReadFile(args[1])) + args[2])
		ts.Check(err)
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

// fetch makes a request that must succeed, or with ! must be answered with an
// error status.
func fetch(ts *testscript.TestScript, neg bool, method string, args []string) {
	request, err := http.NewRequest(method, baseURL(ts.ReadFile(args[0]))+args[1], nil)
	ts.Check(err)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	_, err = io.Copy(ts.Stdout(), response.Body)
	ts.Check(err)
	if failed := response.StatusCode >= 400; failed != neg {
		ts.Fatalf("%s %s: %s", method, args[1], response.Status)
	}
}

func baseURL(file string) string { return strings.TrimSpace(file) }

// client is a program that makes chat requests.
func client() {
	var err error
	switch os.Args[1] {
	case "stream":
		err = streamTo(os.Args[2], os.Args[3])
	case "ask":
		err = ask(os.Getenv("OPENAI_BASE_URL"), os.Args[2])
	case "done":
		err = askUntilDone(os.Getenv("OPENAI_BASE_URL"), os.Args[2])
	case "storm":
		err = storm(os.Args[2])
	case "naive":
		err = read(os.Args[2], naive)
	case "careful":
		err = read(os.Args[2], careful)
	default:
		err = fmt.Errorf("unknown verb %q", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func streamTo(urlFile, scenario string) error {
	url, err := os.ReadFile(urlFile)
	if err != nil {
		return err
	}
	response, err := chat(baseURL(string(url))+"/v1", "fake:"+scenario)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, err := io.Copy(os.Stdout, response.Body)
		return errors.Join(errors.New(response.Status), err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(response.Body, first); err != nil {
		return err
	}
	if err := os.WriteFile("begun", nil, 0o644); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, io.MultiReader(bytes.NewReader(first), response.Body))
	return err
}

// storm makes requests and reloads, several at a time, until the server has ended.
func storm(urlFile string) error {
	url, err := os.ReadFile(urlFile)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	var made atomic.Int64
	for range 4 {
		group.Go(func() {
			for flood(baseURL(string(url))) {
				if made.Add(1) == 100 {
					_ = os.WriteFile("begun", nil, 0o644)
				}
			}
		})
	}
	group.Wait()
	return nil
}

// flood makes a request and a reload, and reports whether the server answered.
func flood(url string) bool {
	response, err := chat(url+"/v1", "fake:one")
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	response, err = http.Post(url+"/_fake/reload", "", nil)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return true
}

func ask(base, model string) error {
	response, err := chat(base, model)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(os.Stdout, response.Body)
	fmt.Println()
	return err
}

// askUntilDone leaves at the end mark of the stream.
func askUntilDone(base, model string) error {
	response, err := chat(base, model)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if lines.Text() == "data: [DONE]" {
			return nil
		}
	}
	return errors.New("the stream has no end mark")
}

func chat(base, model string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{
		"model": model, "stream": true,
		"messages": []any{map[string]any{"role": "user", "content": "Hello"}},
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	return http.DefaultClient.Do(request)
}
