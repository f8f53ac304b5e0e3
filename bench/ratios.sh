#!/usr/bin/env bash
# How long whole runs of robotsieve take beside programs that do less with the same files: a table in Markdown, with
# the facts of the machine. Each time is the median of ROUNDS runs, in which the two commands of a row take turns, after
# one that warms up, whose peak of memory the table has; their output is discarded. A ratio is our time divided by the
# other's: less than 1 is faster. A program that is not installed is named as missing.
#
#	bench/ratios.sh [MB [ROUNDS]]     300 MB of log and 5 rounds unless given; the temporary folder needs 7 times that
#
# With BEFORE=PROGRAM, a robotsieve of an earlier commit, some rows are also timed beside its own.
#
# The files are real ones where there is a folder of shared data beside the checkout, else made of the sample.
set -euo pipefail
cd "$(dirname "$0")/.."
mb=${1:-300} rounds=${2:-5}
robotsieve=${ROBOTSIEVE:-bin/robotsieve}
sample=testdata/sample
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# times FILE MB: how often a file must be repeated to have that many megabytes.
times() { echo $(($2 * 1000000 / $(wc -c <"$1") + 1)); }

# repeat FILE TIMES
repeat() { for ((i = 0; i < $2; i++)); do cat "$1"; done; }

# file NAME FALLBACK: the shared file, decompressed, or else that of the sample.
file() {
	local name=${SHARED:-../shared}/data/$1
	[ -e "$name" ] || name=$2
	gzip -dcf "$name"
}

make_files() {
	file logs/wordpress-2016.combined.log.gz $sample/access.log.gz >"$dir/once"
	if [ -n "$(tail -c 1 "$dir/once")" ]; then echo >>"$dir/once"; fi
	repeat "$dir/once" "$(times "$dir/once" "$mb")" >"$dir/log"
	gzip -c "$dir/log" >"$dir/log.gz"
	zstd -q -c "$dir/log" >"$dir/log.zst" 2>/dev/null || : >"$dir/log.zst"
	head -c 1000000 "$dir/log" | sed '$d' >"$dir/small"
	head -c $((mb * 100000)) "$dir/log" | sed '$d' >"$dir/tenth"
	for i in $(seq 30); do # the same log twice would count once
		tail -c $((mb * 1000000 / 30 + i)) "$dir/log" | sed 1d | gzip -c >"$dir/rotated.$i.gz"
	done
	printf '%s\n' Googlebot bingbot Baiduspider YandexBot AhrefsBot >"$dir/names"
	cp $sample/robots*.txt "$dir"
	middle=$(sed -n "$(($(wc -l <"$dir/once") / 2))s,.*\[\([^:]*\):.*,\1,p" "$dir/once" | tr / ' ')
	{
		echo from,origin,status,file
		echo 2001-01-01,https://lantern.example,200,robots.txt
		echo "$(date -d "$middle" +%F),https://lantern.example,200,robots-2026-11-17.txt"
	} >"$dir/policy.csv"
	make_json
	make_lists
}

# make_json makes the same requests in combined and as Caddy writes them, but for those with backslashes.
make_json() {
	awk -F'"' -v same="$dir/same.once" '!/\\/ && NF == 7 {
		print >same
		split($1, a, " "); split($2, request, " "); split($3, answer, " ")
		month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", substr(a[4], 5, 3)) + 2) / 3
		printf "{\"level\":\"info\",\"ts\":\"%s-%02d-%sT%sZ\",\"logger\":\"http.log.access\",\"msg\":\"handled request\",",
			substr(a[4], 9, 4), month, substr(a[4], 2, 2), substr(a[4], 14)
		printf "\"request\":{\"remote_ip\":\"%s\",\"remote_port\":\"1234\",\"client_ip\":\"%s\",\"proto\":\"%s\",", a[1], a[1], request[3]
		printf "\"method\":\"%s\",\"host\":\"lantern.example\",\"uri\":\"%s\",\"headers\":{\"User-Agent\":[\"%s\"],", request[1], request[2], $6
		printf "\"Referer\":[\"%s\"]},\"tls\":{\"resumed\":false,\"version\":772}},\"bytes_read\":0,\"user_id\":\"\",", $4
		printf "\"duration\":0.001,\"size\":%d,\"status\":%d,\"resp_headers\":{\"Server\":[\"Caddy\"]}}\n", answer[2], answer[1]
	}' "$dir/once" >"$dir/json.once"
	repeat "$dir/same.once" "$(times "$dir/json.once" "$mb")" >"$dir/same"
	repeat "$dir/json.once" "$(times "$dir/json.once" "$mb")" >"$dir/json"
}

# make_lists makes lists of URLs, a robots.txt of 100 rules, half of them with a gap, and lines of robots.txt files.
make_lists() {
	awk '{ print "https://www.site" NR ".example" $7 }' "$dir/once" | gzip -c >"$dir/urls.gz"
	file urls/all.txt.gz "$dir/urls.gz" >"$dir/urls.once"
	repeat "$dir/urls.once" "$(times "$dir/urls.once" "$mb")" >"$dir/urls"
	awk 'BEGIN { print "User-agent: *" } NR % 37 == 0 && n < 100 {
		print "Disallow: " (n++ % 2 ? "/*" substr($7, length($7) / 2 + 1, 8) : substr($7, 1, 12))
	}' "$dir/once" >"$dir/robots.txt"
	awk 'BEGIN { print "\"id\",\"url\",\"title\",\"status\"" }
		{ gsub(/"/, "%22"); printf "\"%d\",\"%s\",\"The title, or a part of it\",\"200\"\n", NR, $0 }' "$dir/urls.once" >"$dir/csv.once"
	repeat "$dir/csv.once" "$(times "$dir/csv.once" "$mb")" >"$dir/list.csv"
	"$robotsieve" audit --robots $sample/robots.txt --host https://lantern.example --list all --output parquet \
		"$dir/log" >"$dir/list.parquet" 2>/dev/null
	awk '{ gsub(/[\\"]/, "\\\\&"); text = text $0 "\\n" } END {
		for (i = 0; i < 1000; i++) print "{\"host\": \"site" i ".example\", \"body\": \"" text "Disallow: /" i "\"}"
	}' $sample/robots.txt | gzip -c >"$dir/hosts.gz"
	file robots/by-host.jsonl.gz "$dir/hosts.gz" | grep -v '"host": "[^"]*@' >"$dir/hosts.once" # an address of mail is no host
	for ((i = 0; i < $(times "$dir/hosts.once" "$mb"); i++)); do sed "s,\"host\": \",&r$i.," "$dir/hosts.once"; done >"$dir/hosts.jsonl"
}

# seconds COMMAND...: the seconds that passed and those of all processors, of one run.
seconds() {
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>"$dir/errors"; } 2>&1 | awk '{ print $1, $2 + $3 }' || { cat "$dir/errors" >&2 && return 1; }
}

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int(NR / 2) + 1] }'; }

# peak COMMAND...: the most memory that a run takes, in MB, if GNU time is installed.
peak() { env time -f %M -o "$dir/peak" "$@" >/dev/null 2>&1 && awk '{ printf "%d", $1 / 1024 }' "$dir/peak" || true; }

# row WHAT TARGET OURS... [-- THEIRS...]: measures, and prints a row of the table. The last argument of ours is the input.
row() {
	local what=$1 target=$2 ours=() theirs=() name=""
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do ours+=("$1") && shift; done
	if [ $# -gt 0 ]; then theirs=("${@:2}") name="${2##*/} $(printf %s "${3:-}" | grep '^-' || true)"; fi
	if [ -n "$name" ] && ! command -v "${theirs[0]}" >/dev/null; then theirs=() name+=" is missing"; fi
	: >"$dir/ours" && : >"$dir/theirs"
	local memory
	memory=$(peak "${ours[@]}")
	for ((round = 0; round <= rounds; round++)); do
		if [ ${#theirs[@]} -gt 0 ]; then seconds "${theirs[@]}" >>"$dir/theirs"; fi
		if [ $round = 0 ]; then : >"$dir/theirs" && continue; fi
		seconds "${ours[@]}" >>"$dir/ours"
	done
	local wall cpu other busy size
	wall=$(median <"$dir/ours") cpu=$(cut -d' ' -f2 "$dir/ours" | median)
	other=$(median <"$dir/theirs") busy=$(cut -d' ' -f2 "$dir/theirs" | median)
	case ${ours[-1]} in
		*.gz | *.zst | *.parquet) size="" ;; # of what is compressed
		*) size=$(wc -c "${ours[-1]}" 2>/dev/null | cut -d' ' -f1 || true) ;;
	esac
	awk -v what="$what" -v target="$target" -v name="$name" -v wall="$wall" -v cpu="$cpu" -v other="$other" -v busy="$busy" \
		-v memory="$memory" -v size="$size" 'BEGIN { printf "| %s | %.3f | %.3f | %s | %s | %s | %s | %s | %s | %s |\n",
			what, wall, cpu, (size > 2e6 ? sprintf("%.2f", cpu * 1e9 / size) : ""), memory, name, other, busy,
			(other > 0 ? sprintf("%.2f", wall / other) : ""), target }'
}

facts() {
	local program
	sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -1
	echo "$(getconf _NPROCESSORS_ONLN) processors, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)"
	echo "$(uname -sr), $(go version | cut -d' ' -f3-), commit $(git log -1 --format='%cs %h' 2>/dev/null || echo unknown)"
	for program in wc rg zstd igzip duckdb goaccess lnav; do echo "$program: $($program --version 2>/dev/null | head -1 || true)"; done
	echo "$(date +%F): a log of $(wc -c <"$dir/log") bytes, $(wc -l <"$dir/log") lines; $(wc -l <"$dir/json") requests in JSON and combined;"
	echo "$(wc -l <"$dir/urls") URLs, $(wc -l <"$dir/list.csv") rows of CSV, $(wc -l <"$dir/hosts.jsonl") hosts; medians of $rounds in turn"
}

make_files
audit() { echo "${program:-$robotsieve}" audit --output json --robots $sample/robots.txt --host https://lantern.example "$@"; }
read_lines=$($(audit "$dir/log") 2>/dev/null | grep -o '"lines": *[0-9]*' | head -1 | tr -dc 0-9)
if [ "$read_lines" != "$(grep -ac '[^[:space:]]' "$dir/log")" ]; then # blank lines are counted apart
	echo "ratios.sh: the audit read $read_lines lines, not all of them" >&2
	exit 1
fi
printf '```text\n%s\n```\n' "$(facts)"
printf '\n| what | s | CPU | a GB | MB | beside | s | CPU | ratio | target |\n|---|--:|--:|--:|--:|---|--:|--:|--:|--:|\n'
by_manifest=("$robotsieve" audit --output json --policy "$dir/policy.csv" --ip-ranges $sample/ranges "$dir/log")
filter() { echo "${program:-$robotsieve}" filter --robots "$dir/robots.txt" --agent FooBot "$@"; }
compile() { echo "${program:-$robotsieve}" compile --force -o "$dir/rules.rsv" "$@"; }
# before WHAT TARGET COMMAND INPUT: a row beside the program before.
before() { if [ -n "${BEFORE:-}" ]; then row "$1, beside before" "$2" $($3 "$4") -- $(program=$BEFORE $3 "$4"); fi; }
audit_combined=$(audit "$dir/same")
row "audit of plain" "<= 2.1" $(audit "$dir/log") -- rg -c -F -f "$dir/names" "$dir/log"
row "audit of plain" "" $(audit "$dir/log") -- wc -l "$dir/log"
before "audit of plain" "<= 0.7" audit "$dir/log"
row "audit of a tenth" "" $(audit "$dir/tenth") -- goaccess --log-format=COMBINED --no-progress -o "$dir/goaccess.json" "$dir/tenth"
row "audit of a tenth" "" $(audit "$dir/tenth") -- lnav -n -c ";select count(*) from access_log where cs_user_agent like '%bot%'" "$dir/tenth"
row "audit of .gz" "<= 1.5" $(audit "$dir/log.gz") -- igzip -dc "$dir/log.gz"
row "audit of .zst" "<= 1.25" $(audit "$dir/log.zst") -- zstd -dc "$dir/log.zst"
row "audit of JSON, beside combined" "<= 2.8" $(audit "$dir/json") -- $audit_combined
row "audit by two versions and lists" "<= 1.15" "${by_manifest[@]}" -- $(audit "$dir/log")
row "audit of 30 rotated .gz" "" $(audit "$dir"/rotated.*.gz)
row "filter of URLs by 100 rules" "<= 8" $(filter "$dir/urls") -- wc -l "$dir/urls"
before "filter of URLs by 100 rules" "" filter "$dir/urls"
row "filter of quoted CSV" "<= 7" $(filter "$dir/list.csv") -- wc -l "$dir/list.csv"
row "filter of quoted CSV" "" $(filter "$dir/list.csv") -- duckdb -csv -c "select count(*) from '$dir/list.csv' where url like '%/wp-%'"
row "filter of Parquet" "" $(filter --column target "$dir/list.parquet") -- duckdb -csv -c "select count(*) from '$dir/list.parquet' where target like '/wp-%'"
row "compile" "" $(compile "$dir/hosts.jsonl")
before "compile" "<= 0.5" compile "$dir/hosts.jsonl"
row "audit of 1 MB" "<= 0.010" $(audit "$dir/small")
row "version" "<= 0.003" "$robotsieve" version
