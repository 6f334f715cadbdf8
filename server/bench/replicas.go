package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// balancers are the programs of -balancer: the file of server/deploy with their configuration, where that says
// that they listen, and the arguments before the name of the file.
var balancers = map[string]struct {
	file, listens string
	args          []string
}{
	"haproxy": {"haproxy.cfg", "bind :8080", []string{"-db", "-f"}},
	"nginx":   {"nginx.conf", "listen 8080", []string{"-g", "daemon off; master_process off;", "-c"}},
}

// mostReplicas is how many replicas the configurations have.
const mostReplicas = 3

// openReplicas starts one, two and three replicas, and as many again behind the balancer. The caller stops the
// targets in list, also when err is not nil.
func (s *settings) openReplicas(w *work, dir, file string) (list []target, err error) {
	for _, balancer := range []string{"", s.balancer} {
		for n := 1; n <= mostReplicas; n++ {
			t := target{name: strings.TrimSpace(fmt.Sprintf("%d × fakeopenai %s", n, balancer)), process: &process{stop: func() {}}}
			err := s.startReplicas(t.process, n, file)
			if err == nil && balancer != "" {
				err = t.putBehind(balancer, dir)
			}
			list = append(list, t)
			if err == nil {
				_, err = list[len(list)-1].probe(w)
			}
			if err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// startReplicas starts n servers as one process. Its connections are spread over them.
func (s *settings) startReplicas(p *process, n int, file string) error {
	for range n {
		one, err := start(serverCore, s.binary, "serve", "--addr", "127.0.0.1:0", file)
		if err != nil {
			return err
		}
		p.add(one)
	}
	return nil
}

// add adds another replica to the process.
func (p *process) add(one *process) {
	stop := p.stop
	p.pids = append(p.pids, one.pids...)
	p.stop = func() { stop(); one.stop() }
	if p.url == "" {
		p.url = one.url
		return
	}
	p.others = append(p.others, one.url)
}

// putBehind starts a balancer before the replicas of the target, which are then reached through it.
func (t *target) putBehind(name, dir string) error {
	b, replicas := balancers[name], append([]string{t.url}, t.others...)
	src, err := os.ReadFile(filepath.Join("..", "deploy", b.file))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	here := l.Addr().String()
	_ = l.Close()
	config := filepath.Join(dir, t.name)
	if err := writeFile(config, balancing(string(src), b.listens, here, replicas)); err != nil {
		return err
	}
	running := exec.Command("taskset", append(append([]string{"-c", serverCore, name}, b.args...), config)...)
	running.Stderr = os.Stderr
	if err := running.Start(); err != nil {
		return err
	}
	before := *t.process
	t.process = &process{url: "http://" + here, stop: func() { _ = running.Process.Kill(); _ = running.Wait(); before.stop() }}
	for range 100 {
		if err = t.join(); err == nil {
			t.pids = append(t.pids, before.pids...)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.Join(fmt.Errorf("%s does not listen", name), err)
}

// balancing is a configuration of server/deploy for a balancer that listens here, with these replicas in place
// of its own. The lines of further replicas are left out.
func balancing(config, listens, here string, replicas []string) string {
	var b strings.Builder
	directive, _, _ := strings.Cut(listens, " ")
	for line := range strings.Lines(config) {
		_, number, is := strings.Cut(line, "fakeopenai-")
		number, _, _ = strings.Cut(number, ":")
		number, _, _ = strings.Cut(number, " ")
		i, err := strconv.Atoi(number)
		switch {
		case !is || err != nil:
			b.WriteString(strings.Replace(line, listens, directive+" "+here, 1))
		case i < len(replicas):
			b.WriteString(strings.Replace(line, "fakeopenai-"+number+":8080", strings.TrimPrefix(replicas[i], "http://"), 1))
		}
	}
	return b.String()
}

// urlFor is the URL for a connection with this number: that of one replica after the other.
func (p *process) urlFor(i int) string {
	if i %= len(p.others) + 1; i > 0 {
		return p.others[i-1]
	}
	return p.url
}
