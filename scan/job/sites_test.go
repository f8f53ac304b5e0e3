package job

import "testing"

func TestHostsInNamesOfLogs(t *testing.T) {
	for name, want := range map[string]string{
		"access.log": "", "access.log.1": "", "logs/access.log-20261101.gz": "", "ssl_access_log": "", "other_vhosts_access.log": "",
		"localhost_access_log.2026-11-01.txt": "", "u_ex261101.log": "", "E2EXAMPLE.2026-11-01-01.nBLPYTMQ.gz": "", "web1.log": "", "": "", ".": "", "/": "", "..": "", "a..b": "",
		"a.example.log": "a.example", "a.example.access.log.2.gz": "a.example", "access-www.my-site.example_ssl.log": "www.my-site.example",
		"b.example-access.log-20261101": "b.example", "/var/www/vhosts/c.example/logs/access.log": "c.example", "xn--bcher-kva.example.log": "xn--bcher-kva.example",
		"logs/2026.11.01/access.log": "", "a.example/b.example.log": "b.example",
	} {
		if got := hostIn(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
