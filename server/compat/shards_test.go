package compat

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests of this file put three replicas of the server behind a balancer, with the configurations of
// server/deploy.

const replicas = 3

// balancer is a program that keeps all requests of an API key at one replica.
type balancer struct {
	program, file string
	// here is the part of the file that says where it listens, and folder is where a directive can be added
	// that lets it write temporary files; "" for none.
	here, folder string
	args         []string // args come before the name of the file.
}

var balancers = []balancer{
	{"haproxy", "haproxy.cfg", "bind ", "", []string{"-db", "-f"}},
	{"nginx", "nginx.conf", "listen ", "http {", []string{"-e", "stderr", "-g", "daemon off;", "-c"}},
}

// run starts the balancer, and returns its URL.
func (b balancer) run(t *testing.T, urls []string) string {
	t.Helper()
	program, err := exec.LookPath(b.program)
	if err != nil {
		skip(t, fmt.Sprintf("there is no %s; install the package of that name", b.program))
	}
	src, err := os.ReadFile(filepath.Join("..", "deploy", b.file))
	if err != nil {
		t.Fatal(err)
	}
	address, dir := freeAddress(t), t.TempDir()
	changes := []string{b.here + ":8080", b.here + address, b.here + "8080", b.here + address}
	if b.folder != "" {
		changes = append(changes, b.folder, b.folder+" "+tempPaths(dir))
		b.args = slices.Replace(slices.Clone(b.args), 3, 4, "daemon off; pid "+dir+"/pid;")
	}
	for i, url := range urls {
		changes = append(changes, fmt.Sprintf("fakeopenai-%d:8080", i), strings.TrimPrefix(url, "http://"))
	}
	config := filepath.Join(dir, b.file)
	writeFile(t, config, []byte(strings.NewReplacer(changes...).Replace(string(src))))
	listen(t, b.program, exec.Command(program, append(b.args, config)...), address) //nolint:noctx // it is interrupted
	return "http://" + address
}

// adminToken opens the endpoints below /_fake/ of the replicas. It is the Authorization of requests to
// them, and must not decide which replica they reach.
const adminToken = "test-token"

// serveReplicas starts as many servers as there are replicas, which play shards.yaml. The flags
// are those of the first.
func serveReplicas(t *testing.T, flags ...string) (list []*process, urls []string) {
	t.Helper()
	for range replicas {
		p := startServer(t, build(t), append(flags, "--admin-token", adminToken, "--created", "1700000000", "--drain-timeout", "1m", "shards.yaml")...)
		list, urls, flags = append(list, p), append(urls, p.url), nil
	}
	return list, urls
}

// eachBalancer runs a test with replicas behind each balancer.
func eachBalancer(t *testing.T, test func(t *testing.T, list []*process, urls []string, front string)) {
	t.Parallel()
	for _, b := range balancers {
		t.Run(b.program, func(t *testing.T) {
			t.Parallel()
			list, urls := serveReplicas(t)
			test(t, list, urls, b.run(t, urls))
		})
	}
}

// caller asks a server, or a balancer, with an API key.
type caller struct {
	url, key string
}

// open sends a request. Those below /_fake/ have the admin token, and the API key in the query.
func (c caller) open(method, path, body string) (*http.Response, error) {
	fake := strings.HasPrefix(path, "/_fake/")
	if fake && c.key != "" {
		path += "?api_key=" + c.key
	}
	r, err := http.NewRequest(method, c.url+path, strings.NewReader(body)) //nolint:noctx // the test ends the server
	if err != nil {
		return nil, err
	}
	switch {
	case fake:
		r.Header.Set("Authorization", "Bearer "+adminToken)
	case c.key != "":
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	return manyConnections.Do(r)
}

// manyConnections keeps its connections, so that a hundred API keys do not make new ones all the time. An
// answer that does not end fails the test.
var manyConnections = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}, Timeout: 2 * time.Minute}

// ask sends a request, and returns the status and the body of the answer.
func (c caller) ask(method, path, body string) (status int, answer string) {
	res, err := c.open(method, path, body)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	src, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, string(src) + err.Error()
	}
	return res.StatusCode, string(src)
}

// chat is what a scenario says.
func (c caller) chat(scenario string) string {
	status, body := c.ask(http.MethodPost, "/v1/chat/completions", `{"model": "fake:`+scenario+`", "messages": []}`)
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Choices) != 1 {
		return fmt.Sprint("status ", status)
	}
	return answer.Choices[0].Message.Content
}

// stream begins a stream, and reads it up to a text.
func (c caller) stream(t *testing.T, scenario, upTo string) (*bufio.Reader, io.Closer) {
	t.Helper()
	res, err := c.open(http.MethodPost, "/v1/chat/completions", `{"model": "fake:`+scenario+`", "messages": [], "stream": true}`)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream of %s ends before %q: %v", scenario, upTo, err)
		}
		if strings.Contains(line, upTo) {
			return lines, res.Body
		}
	}
}

// entries are the requests with the caller's key in the journal.
func (c caller) entries() (list []struct {
	Path     string
	Status   int
	Delivery struct{ Ended string }
},
) {
	_, body := c.ask(http.MethodGet, "/_fake/requests", "")
	var found struct {
		Requests json.RawMessage
	}
	_ = json.Unmarshal([]byte(body), &found)
	_ = json.Unmarshal(found.Requests, &list)
	return list
}

// keys are as many API keys as there are in a test.
func keys() (list []string) {
	for i := range 100 {
		list = append(list, fmt.Sprintf("sk-shard-%d", i))
	}
	return list
}

// each calls do with each key, with all at the same time.
func each(list []string, do func(i int, key string)) {
	var all sync.WaitGroup
	for i, key := range list {
		all.Go(func() { do(i, key) })
	}
	all.Wait()
}

// placesOf are the numbers of the replicas that know an API key.
func placesOf(urls []string, key string) (places []int) {
	for i, url := range urls {
		if len(caller{url: url, key: key}.entries()) > 0 {
			places = append(places, i)
		}
	}
	return places
}

// Requests without an API key reach one replica, and so do those below /_fake/ that name none.
func TestRequestsWithoutAKeyReachOneReplica(t *testing.T) {
	eachBalancer(t, func(t *testing.T, _ []*process, _ []string, front string) {
		for n := range 10 {
			c := caller{url: front}
			c.chat("text")
			if got := len(c.entries()); got != n+1 {
				t.Fatalf("after %d requests without a key the journal has %d", n+1, got)
			}
		}
	})
}

// The command of the page resets each replica, past the balancer.
func TestTheLoopOfThePageReachesEachReplica(t *testing.T) {
	eachBalancer(t, func(t *testing.T, _ []*process, urls []string, front string) {
		countedAt(t, urls, front)
		loop := commands(t, read(t, "../deploy/README.md"), "for replica in")
		var places []string
		for i, url := range urls {
			places = append(places, fmt.Sprintf("fakeopenai-%d:8080", i), strings.TrimPrefix(url, "http://"))
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer(places...).Replace(loop))
		cmd.Env = append(os.Environ(), "TOKEN="+adminToken)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, key := range keys() {
			if places := placesOf(urls, key); len(places) > 0 {
				t.Fatalf("after the reset %s is known to the replicas %v", key, places)
			}
		}
	})
}

// The commands of the page start three replicas behind a balancer, which answer.
func TestThePageSaysHowToTryIt(t *testing.T) {
	t.Parallel()
	page := read(t, "../deploy/README.md")
	start, ask, byNginx := commands(t, page, "for port in"), commands(t, page, "curl -s http"), commands(t, page, `sed "$mine" nginx.conf`)
	for _, b := range balancers {
		t.Run(b.program, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(b.program); err != nil {
				skip(t, "there is no "+b.program)
			}
			dir, front := t.TempDir(), freeAddress(t)
			config := read(t, "../deploy/"+b.file)
			writeFile(t, filepath.Join(dir, b.file), []byte(strings.NewReplacer(b.here+":8080", b.here+front, b.here+"8080", b.here+front).Replace(config)))
			writeFile(t, filepath.Join(dir, "weather.yaml"), []byte(read(t, "../deploy/weather.yaml")))
			places := []string{"-0:8080", "-0:8080", "-1:8080", "-1:8080", "-2:8080", "-2:8080", "127.0.0.1:8080", front}
			for _, port := range []string{"8081", "8082", "8083"} {
				_, free, _ := strings.Cut(freeAddress(t), ":")
				places = append(places, port, free)
			}
			shell := func(script string) *exec.Cmd {
				cmd := exec.Command("bash", "-c", strings.NewReplacer(places...).Replace(script)) //nolint:noctx // it is interrupted
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(build(t))+":"+os.Getenv("PATH"))
				return cmd
			}
			script := start
			if b.program == "nginx" {
				script, _, _ = strings.Cut(start, "sed ")
				script += byNginx
			}
			listen(t, b.program, shell(script+"trap 'kill $(jobs -p); wait; exit' INT\nwait\n"), front)
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				out, err := shell(ask).CombinedOutput()
				if strings.Contains(string(out), "It is raining.") && strings.Contains(string(out), `"path": "/v1/chat/completions"`) {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the commands of the page print %s, %v", out, err)
				}
			}
		})
	}
}

// commands are those of the page's block that begins with a text.
func commands(t *testing.T, page, begin string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "```sh\n"+begin)
	block, _, ended := strings.Cut(begin+rest, "```")
	if !found || !ended {
		t.Fatalf("the page has no commands that begin with %s", begin)
	}
	return block
}

// A replica that is killed takes its open streams and the counts of its own keys with it. The others keep
// theirs, and no request goes unanswered.
func TestAReplicaThatIsKilled(t *testing.T) {
	eachBalancer(t, func(t *testing.T, list []*process, urls []string, front string) {
		where := countedAt(t, urls, front)
		lost := caller{url: front, key: keyAt(where, 0)}
		kept := caller{url: front, key: keyAt(where, 1)}
		broken, end := lost.stream(t, "held", "Once upon")
		defer end.Close()
		whole, end := kept.stream(t, "held", "Once upon")
		defer end.Close()
		if err := list[0].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = list[0].cmd.Wait() // its error says that it was killed
		if rest, _ := io.ReadAll(broken); strings.Contains(string(rest), "[DONE]") {
			t.Errorf("the stream of the replica that was killed ends with %q", rest)
		}
		checkOnlyTheKeysOf0BeginAnew(t, where, urls, front)
		if t.Failed() {
			return // the release may reach another replica than the stream
		}
		kept.ask(http.MethodPost, "/_fake/holds/middle/release", "")
		if rest, err := io.ReadAll(whole); err != nil || !strings.Contains(string(rest), "[DONE]") {
			t.Errorf("the stream of another replica ends with %q, %v", rest, err)
		}
		startServer(t, build(t), "--addr", strings.TrimPrefix(urls[0], "http://"), "--admin-token", adminToken, "shards.yaml")
		for end := time.Now().Add(time.Minute); len(placesOf(urls[:1], lost.key)) == 0; time.Sleep(50 * time.Millisecond) {
			if lost.chat("counted"); time.Now().After(end) {
				t.Fatal("the replica that is there again does not get its keys back")
			}
		}
	})
}

// A replica that is drained plays its open streams to their ends. Its keys begin anew at another replica, and
// the other keys keep their counts.
func TestAReplicaThatIsDrained(t *testing.T) {
	eachBalancer(t, func(t *testing.T, list []*process, urls []string, front string) {
		where := countedAt(t, urls, front)
		lines, end := (caller{url: front, key: keyAt(where, 0)}).stream(t, "slow", "word")
		defer end.Close()
		if err := list[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for status := http.StatusOK; status != 0; time.Sleep(10 * time.Millisecond) {
			status, _ = caller{url: urls[0]}.ask(http.MethodGet, "/_fake/readyz", "")
		}
		checkOnlyTheKeysOf0BeginAnew(t, where, urls, front)
		if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "[DONE]") {
			t.Errorf("the open stream ends with %q, %v", rest, err)
		}
		list[0].wait(t)
	})
}

// While a replica waits before it is drained, HAProxy sends the requests of its keys to others, and none is
// lost, although all keys ask all the time.
func TestNoRequestIsLostWhileAReplicaIsDrained(t *testing.T) {
	t.Parallel()
	list, urls := serveReplicas(t, "--drain-delay", "1h")
	front := balancers[0].run(t, urls)
	where := countedAt(t, urls, front)
	if err := list[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(2 * time.Minute)
	each(keys(), func(_ int, key string) {
		for asked := 1; ; asked++ {
			if said := (caller{url: front, key: key}).chat("counted"); said != "Again." && said != "First." {
				t.Errorf("%s gets %q", key, said)
				return
			}
			if asked >= 10 && len(placesOf(urls[1:], key)) == 1 {
				return
			}
			if time.Now().After(end) {
				t.Errorf("%s, once at replica %d, is at none of the others", key, where[key])
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	if err := list[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err) // the second signal ends the wait
	}
	list[0].wait(t)
}

// countedAt lets each key ask for counted, and returns at which replica it is.
func countedAt(t *testing.T, urls []string, front string) map[string]int {
	t.Helper()
	var mu sync.Mutex
	where := map[string]int{}
	each(keys(), func(_ int, key string) {
		said := caller{url: front, key: key}.chat("counted")
		places := placesOf(urls, key)
		mu.Lock()
		defer mu.Unlock()
		if said != "First." || len(places) != 1 {
			t.Errorf("%s gets %q, and is known to the replicas %v", key, said, places)
			return
		}
		where[key] = places[0]
	})
	if t.Failed() {
		t.FailNow()
	}
	return where
}

// keyAt is a key at a replica.
func keyAt(where map[string]int, replica int) string {
	least := ""
	for key, at := range where {
		if at == replica && (least == "" || cmp.Less(key, least)) {
			least = key
		}
	}
	return least
}

// checkOnlyTheKeysOf0BeginAnew lets each key ask for counted again, after replica 0 has gone.
func checkOnlyTheKeysOf0BeginAnew(t *testing.T, where map[string]int, urls []string, front string) {
	t.Helper()
	var mu sync.Mutex
	each(keys(), func(_ int, key string) {
		said := caller{url: front, key: key}.chat("counted")
		places := placesOf(urls[1:], key)
		mu.Lock()
		defer mu.Unlock()
		want := "Again."
		if where[key] == 0 {
			want = "First."
		}
		if said != want || len(places) != 1 || where[key] > 0 && places[0] != where[key]-1 {
			t.Errorf("%s, once at replica %d, gets %q, want %q; now it is at %v of the other replicas", key, where[key], said, want, places)
		}
	})
}
