package block

// Kinds are all kinds, by name.
var Kinds = []*Kind{
	newKind(Kind{Name: "nginx", FreesRobots: true}, `
geo $robotsieve_address {
    default 0;
{{- range .Addresses}}
{{- range .Comments}}
    # {{plain .}}
{{- end}}
    {{.Prefix}} 1;
{{- end}}
}

map $http_user_agent $robotsieve_name {
    default 0;
{{- range .Names}}
{{- range .Comments}}
    # {{plain .}}
{{- end}}
    "~*{{.Pattern}}" 1;
{{- end}}
}
{{range .Impostors}}
{{- range .Comments}}
# {{plain .}}
{{- end}}
geo $robotsieve_own_{{.Number}} {
    default 0;
{{- range .Own}}
    {{.}} 1;
{{- end}}
}
map $http_user_agent $robotsieve_claim_{{.Number}} {
    default 0;
    "~*{{.Pattern}}" 1;
}
map "$robotsieve_claim_{{.Number}}$robotsieve_own_{{.Number}}" $robotsieve_impostor_{{.Number}} {
    default 0;
    "10" 1;
}
{{end}}
# 1: refuse. Everybody may read /robots.txt: who is refused it may take all as permitted.
map "$robotsieve_address$robotsieve_name{{range .Impostors}}$robotsieve_impostor_{{.Number}}{{end}}:$uri" $robotsieve_block {
    default 1;
    "~^0+:" 0;
    "~^[01]+:/robots[.]txt$" 0;
}
`),
	newKind(Kind{Name: "apache", FreesRobots: true}, `
{{range .Addresses}}
{{- range .Comments}}# {{plain .}}
{{end}}SetEnvIfExpr "-R '{{.Prefix}}'" robotsieve_block
{{end}}
{{- range .Names}}
{{- range .Comments}}# {{plain .}}
{{end}}SetEnvIfNoCase User-Agent "{{.Pattern}}" robotsieve_block
{{end}}
{{- range $i := .Impostors}}
{{- range .Comments}}# {{plain .}}
{{end}}SetEnvIfNoCase User-Agent "{{.Pattern}}" robotsieve_impostor_{{.Number}}
{{range .Own}}SetEnvIfExpr "-R '{{.}}'" !robotsieve_impostor_{{$i.Number}}
{{end}}SetEnvIf robotsieve_impostor_{{.Number}} "^1$" robotsieve_block
{{end}}
# Everybody may read /robots.txt: who is refused it may take all as permitted.
SetEnvIf Request_URI "^/robots[.]txt$" !robotsieve_block
`),
	newKind(Kind{Name: "caddy", FreesRobots: true}, `
# Everybody may read /robots.txt: who is refused it may take all as permitted.
(robotsieve_block) {
{{- range .Addresses}}
{{- range .Comments}}
	# {{plain .}}
{{- end}}
	@robotsieve_address_{{.Number}} {
		not path /robots.txt
		remote_ip {{.Prefix}}
	}
	respond @robotsieve_address_{{.Number}} 403
{{- end}}
{{- range .Names}}
{{- range .Comments}}
	# {{plain .}}
{{- end}}
	@robotsieve_name_{{.Number}} {
		not path /robots.txt
		header_regexp User-Agent "(?i){{.Pattern}}"
	}
	respond @robotsieve_name_{{.Number}} 403
{{- end}}
{{- range .Impostors}}
{{- range .Comments}}
	# {{plain .}}
{{- end}}
	@robotsieve_impostor_{{.Number}} {
		not path /robots.txt
		header_regexp User-Agent "(?i){{.Pattern}}"
		not remote_ip{{range .Own}} {{.}}{{end}}
	}
	respond @robotsieve_impostor_{{.Number}} 403
{{- end}}
}
`),
	newKind(Kind{Name: "haproxy", FreesRobots: true}, `
acl robotsieve_fetch path /robots.txt
{{range .Addresses}}
{{- range .Comments}}# {{plain .}}
{{end}}acl robotsieve_address src {{.Prefix}}
{{end}}
{{- range .Names}}
{{- range .Comments}}# {{plain .}}
{{end}}acl robotsieve_name req.fhdr(user-agent) -m reg -i '{{.Pattern}}'
{{end}}
{{- range $i := .Impostors}}
{{- range .Comments}}# {{plain .}}
{{end}}acl robotsieve_claim_{{.Number}} req.fhdr(user-agent) -m reg -i '{{.Pattern}}'
{{range .Own}}acl robotsieve_own_{{$i.Number}} src {{.}}
{{end}}{{end}}
# Everybody may read /robots.txt: who is refused it may take all as permitted.
{{if .Addresses}}http-request deny deny_status 403 if robotsieve_address !robotsieve_fetch
{{end}}{{if .Names}}http-request deny deny_status 403 if robotsieve_name !robotsieve_fetch
{{end}}{{range .Impostors}}http-request deny deny_status 403 if robotsieve_claim_{{.Number}} !robotsieve_own_{{.Number}} !robotsieve_fetch
{{end}}`),
	newKind(Kind{Name: "nft", OnlyAddresses: true}, `
table inet robotsieve
delete table inet robotsieve
table inet robotsieve {
	set refused4 {
		type ipv4_addr
		flags interval, timeout
	}
	set refused6 {
		type ipv6_addr
		flags interval, timeout
	}
	chain input {
		type filter hook input priority -5; policy accept;
		ip saddr @refused4 tcp dport { 80, 443 } reject with tcp reset
		ip6 saddr @refused6 tcp dport { 80, 443 } reject with tcp reset
		ip saddr @refused4 udp dport 443 reject
		ip6 saddr @refused6 udp dport 443 reject
	}
}
{{range .Addresses}}
{{- range .Comments}}# {{plain .}}
{{end}}add element inet robotsieve refused{{if .Prefix.Addr.Is4}}4{{else}}6{{end}} { {{.Prefix}} timeout {{$.Days}}d }
{{end}}`),
}
