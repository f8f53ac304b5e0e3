#!/usr/bin/env bash
# How long whole runs of robotsieve take beside programs that do less with the same files: a table in Markdown, with
# the facts of the machine. Each time is the median of ROUNDS runs, in which the two commands of a row take turns, after
# one that warms up; their output is discarded. A ratio is our time divided by the other's: less than 1 is faster.
#
#	bench/ratios.sh [MB [ROUNDS]]     1,000 MB of log and 7 rounds unless given; 1.6 GB of the temporary folder
#
# With BEFORE=PROGRAM, a robotsieve of an earlier commit, the audit of a plain log is also timed beside its own.
#
# The log is a real one where there is a folder of shared data beside the checkout, else that of the sample, many times.
set -euo pipefail
cd "$(dirname "$0")/.."
mb=${1:-1000} rounds=${2:-7}
robotsieve=${ROBOTSIEVE:-bin/robotsieve}
sample=testdata/sample
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# repeat FILE MB: a file over and over, until that many megabytes are printed.
repeat() {
	local size times
	size=$(wc -c <"$1")
	times=$(($2 * 1000000 / size + 1))
	for ((i = 0; i < times; i++)); do cat "$1"; done
}

# file NAME FALLBACK: the shared file, decompressed, or else that of the sample.
file() {
	local name=../shared/data/$1
	[ -e "$name" ] || name=$2
	gzip -dcf "$name"
}

make_files() {
	file logs/wordpress-2016.combined.log.gz $sample/access.log.gz >"$dir/once"
	if [ -n "$(tail -c 1 "$dir/once")" ]; then echo >>"$dir/once"; fi
	repeat "$dir/once" "$mb" >"$dir/log"
	gzip -c "$dir/log" >"$dir/log.gz"
	zstd -q -c "$dir/log" >"$dir/log.zst" 2>/dev/null || rm -f "$dir/log.zst"
	head -c 1000000 "$dir/log" | sed '$d' >"$dir/small"
	for i in $(seq 30); do # the same log twice would count once
		tail -c $((mb * 1000000 / 30 + i)) "$dir/log" | sed 1d | gzip -c >"$dir/rotated.$i.gz"
	done
	awk '{ print "https://lantern.example" $7 }' "$dir/once" >"$dir/urls.once"
	repeat "$dir/urls.once" $((mb / 4)) >"$dir/urls"
	printf '%s\n' Googlebot bingbot Baiduspider YandexBot AhrefsBot >"$dir/names"
	cp $sample/robots*.txt "$dir"
	middle=$(sed -n "$(($(wc -l <"$dir/once") / 2))s,.*\[\([^:]*\):.*,\1,p" "$dir/once" | tr / ' ')
	{
		echo from,origin,status,file
		echo 2001-01-01,https://lantern.example,200,robots.txt
		echo "$(date -d "$middle" +%F),https://lantern.example,200,robots-2026-11-17.txt"
	} >"$dir/policy.csv"
	awk 'BEGIN { print "User-agent: *" } NR % 37 == 0 && n < 100 { print "Disallow: " substr($7, 1, 12) n++ }' "$dir/once" >"$dir/robots.txt"
}

# seconds COMMAND...: the seconds that passed and those of all processors, of one run.
seconds() {
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>"$dir/errors"; } 2>&1 | awk '{ print $1, $2 + $3 }' || { cat "$dir/errors" >&2 && return 1; }
}

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int(NR / 2) + 1] }'; }

# row WHAT TARGET OURS... [-- THEIRS...]: measures, and prints a row of the table.
row() {
	local what=$1 target=$2 ours=() theirs=() name=""
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do ours+=("$1") && shift; done
	if [ $# -gt 0 ]; then theirs=("${@:2}") name="${2##*/} $(printf %s "${3:-}" | grep '^-' || true)"; fi
	if [ -n "$name" ] && ! { command -v "${theirs[0]}" && [ -e "${theirs[-1]}" ]; } >/dev/null; then
		theirs=() name+=" is missing"
	fi
	: >"$dir/ours" && : >"$dir/theirs"
	for ((round = 0; round <= rounds; round++)); do
		seconds "${ours[@]}" >>"$dir/ours"
		if [ ${#theirs[@]} -gt 0 ]; then seconds "${theirs[@]}" >>"$dir/theirs"; fi
		if [ $round = 0 ]; then : >"$dir/ours" && : >"$dir/theirs"; fi
	done
	local wall cpu other
	wall=$(median <"$dir/ours") cpu=$(cut -d' ' -f2 "$dir/ours" | median) other=$(median <"$dir/theirs")
	awk -v what="$what" -v target="$target" -v name="$name" -v wall="$wall" -v cpu="$cpu" -v other="$other" \
		'BEGIN { printf "| %s | %.3f | %.3f | %s %s | %s | %s |\n", what, wall, cpu, name, other,
			(other > 0 ? sprintf("%.2f", wall / other) : ""), target }'
}

facts() {
	sed -n 's/^model name.*: //p' /proc/cpuinfo 2>/dev/null | head -1
	echo "$(getconf _NPROCESSORS_ONLN) processors, load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown)"
	echo "$(uname -sr), $(go version | cut -d' ' -f3-), commit $(git log -1 --format='%cs %h' 2>/dev/null || echo unknown)"
	for program in wc rg zstd igzip; do $program --version 2>/dev/null | head -1 || true; done
	echo "A log of $(wc -c <"$dir/log") bytes, $(wc -l <"$dir/log") lines; medians of $rounds in turn."
}

make_files
audit() { echo "$robotsieve" audit --output json --robots $sample/robots.txt --host https://lantern.example "$@"; }
read_lines=$($(audit "$dir/log") 2>/dev/null | grep -o '"lines": *[0-9]*' | head -1 | tr -dc 0-9)
if [ "$read_lines" != "$(grep -ac '[^[:space:]]' "$dir/log")" ]; then # blank lines are counted apart
	echo "ratios.sh: the audit read $read_lines lines, not all of them" >&2
	exit 1
fi
facts
printf '\n| what | s | s of CPU | beside, s | ratio | target |\n|---|--:|--:|---|--:|--:|\n'
by_manifest=("$robotsieve" audit --output json --policy "$dir/policy.csv" --ip-ranges $sample/ranges "$dir/log")
row "audit of .gz" "<= 1.5" $(audit "$dir/log.gz") -- igzip -dc "$dir/log.gz"
row "audit of .zst" "<= 1.3" $(audit "$dir/log.zst") -- zstd -dc "$dir/log.zst"
row "audit of plain" "<= 2.5" $(audit "$dir/log") -- rg -c -F -f "$dir/names" "$dir/log"
row "audit of plain" "" $(audit "$dir/log") -- wc -l "$dir/log"
if [ -n "${BEFORE:-}" ]; then row "audit of plain" "<= 0.8" $(audit "$dir/log") -- $(robotsieve=$BEFORE audit "$dir/log"); fi
row "audit by two versions and lists" "<= 1.15" "${by_manifest[@]}" -- $(audit "$dir/log")
row "filter of URLs by 100 rules" "<= 5" "$robotsieve" filter --robots "$dir/robots.txt" --agent FooBot "$dir/urls" -- wc -l "$dir/urls"
row "audit of 30 rotated .gz" "" $(audit "$dir"/rotated.*.gz)
row "audit of 1 MB" "<= 0.010" $(audit "$dir/small")
row "version" "<= 0.003" "$robotsieve" version
