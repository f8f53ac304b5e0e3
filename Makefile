# robotsieve: build, test, measure. `make demo` and `make test` need Go, git and
# make only.

GO ?= go
BIN := bin/robotsieve
COUNT ?= 6

# Peers of make bench-peers: PEERS_ALL=1 asks about all sites, and PEERS_FLAGS
# are more flags, such as "--external 'google=./wrapper'".
PEERS_ALL ?=
PEERS_FLAGS ?=
PEERS_DIR := $(CURDIR)/bin/peers

.PHONY: build demo test builds-test golden race guard bench bench-page bench-guard bench-parts bench-baseline bench-compare bench-formats profile bench-peers peers-install peers-test rows-test browser-test wasm tester clib python python-test engines-test fuzz fuzz-short mutate lint sample man completions notices wheels release release-test reproducible site clean

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN) ./cmd/robotsieve

# The main job on the sample: which crawlers ignored this site's robots.txt, by
# the versions that were in force and the addresses that crawlers come from?
SAMPLE := testdata/sample
demo:
	@$(MAKE) -s build
	@$(BIN) audit --policy $(SAMPLE)/policy.csv --host https://lantern.example \
		--crawlers $(SAMPLE)/crawlers.json --ip-ranges $(SAMPLE)/ranges $(SAMPLE)/access.log.gz

test: lint # which vets everything
	$(GO) test -pgo=off -vet=off -timeout 20m -skip 'TestSystems|$(BUILDS)' ./...
	$(GO) test -pgo=off -vet=off -tags countsteps ./bench/hostile
	@$(MAKE) --no-print-directory race

# Tests that compile all of it once more, which takes as long as a third of make test: the report of a program of 32
# bits without assembly, the C interface from C, and the program of the page of check, byte by byte.
BUILDS := TestWithoutAssembly|TestC$$
builds-test:
	$(GO) test -pgo=off -vet=off -count=1 -run '$(BUILDS)' ./cmd/robotsieve/cli ./cmd/librobotsieve
	@$(MAKE) --no-print-directory wasm
	git diff --exit-code --stat -- cmd/robotsieve/internal/render/html

# The outputs for the sample that TestGolden compares. Read what changed before you keep it.
golden:
	$(GO) test ./cmd/robotsieve/cli -run TestGolden -update

HAVE_CC := [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1

# The packages that start goroutines, and of the others the tests in which several goroutines share what the package
# made. The command starts none but for its bar of progress. The race detector needs a C compiler. With
# the profile of cmd/robotsieve all that it imports would be compiled once more.
RACE := ./scan/source ./scan/job ./scan/filter ./scan
SHARED := ./automaton ./automaton/archive ./compile ./scan/audit ./scan/crawler ./scan/internal/judge ./scan/policy ./scan/internal/spill
SHARING := Goroutines|NothingIsShared|BusyIsNotLost|TestResolve|TestHeaders|CompiledOnce|WorkersThatSpill|WritersAfterAnError|HoweverItIsCut
# Guards, whose counts the race detector changes, and long tests of one goroutine or of those of other tests, in which it
# has nothing more to find.
NORACE := Guard|ZstdWithADictionary|XzDictionary|XzBlocks|Bzip2|CorruptBytes|HostileRecords|NoAllocationPerChunk|StatesAddUpInAnyTree|CompileInLittleMemory|RealDifferences|BlockRealLogs|TheSameURLsInEachForm|CompressedTarIsReadOnce|EmptyMembers|ManyMembersStayInTheRoom|VeryLongLine|LogHistoryOfAForger
race:
	@if $(HAVE_CC); then \
		set -ex; $(GO) test -pgo=off -vet=off -race -short -timeout 20m -skip '$(NORACE)' $(RACE); \
		$(GO) test -pgo=off -vet=off -race -short -skip Guard -run '$(SHARING)' $(SHARED); \
	else \
		echo "race, and the C interface (cmd/librobotsieve): skipped, no C compiler found"; \
	fi

# Tests that fail when the hot path allocates or loses its inlining.
guard:
	$(GO) test -count=1 -run Guard ./...

# The time of audit, filter and compile beside wc, rg, zstd, igzip, DuckDB, GoAccess and lnav, on files of 300 MB: a table
# in a few minutes. BENCH_FLAGS are the megabytes and the rounds, such as "1000 7".
BENCH_FLAGS ?=
bench: build
	@bench/ratios.sh $(BENCH_FLAGS) | tee bin/bench.md

# The same, into its page of the documentation.
BENCH_PAGE := docs/explain/benchmarks.md
bench-page: bench
	@sed -i -e '/^<!-- made by make bench-page -->$$/,/^<!-- end -->$$/ { //!d; }' \
		-e '/^<!-- made by make bench-page -->$$/ r bin/bench.md' $(BENCH_PAGE)

# Fails when a hot path takes more than twice as long beside a simple loop of the same process as was recorded.
bench-guard:
	$(GO) test -pgo=off -vet=off -count=1 ./bench -v -run TestGuardOfTime -guard-time

# Every benchmark of the tests, which takes hours.
bench-parts:
	$(GO) test -run '^$$' -bench . -benchmem -count=$(COUNT) ./...

# The main benchmarks beside those of bench/baseline.txt, which names its machine. Figures of
# two machines do not compare: make the baseline anew on yours first, from the commit that
# you want to compare with.
BASELINE := $(GO) test ./bench -run '^$$' -bench 'Match|Real|Classify|Filter|Stream|Archive' -benchtime 200ms -count $(COUNT)
bench-baseline:
	$(BASELINE) > bench/baseline.txt
bench-compare:
	@mkdir -p bin
	$(BASELINE) > bin/bench.txt
	$(GO) run golang.org/x/perf/cmd/benchstat@latest bench/baseline.txt bin/bench.txt

# The audit of one log of 300 MB in each format, each beside the same in combined.
bench-formats:
	$(GO) test ./bench -run '^$$' -bench Formats -benchtime 5x -formats-mb 300 -timeout 2h

# The Go command builds the program by where this profile says that time goes
# (go.dev/doc/pgo): plain logs and those of zstd are read 5 to 7 per cent faster.
profile:
	$(GO) test ./bench -run '^$$' -bench 'Stream|Filter|Match' -benchtime 2s -cpuprofile cmd/robotsieve/default.pgo -o /dev/null

# The same work by other parsers of robots.txt, in one run.
bench-peers: peers-install
	@cd bench/peers && NODE_PATH="$(PEERS_DIR)/node_modules" $(GO) run . $(if $(PEERS_ALL),--sites 0) $(PEERS_FLAGS)

# What can be had of the peers, all of it in bin/peers; those that cannot are missing in the table.
PEERS_PIP := jwm.robotstxt==1.0.8 fast-robotstxt==1.1.0 fastrobots==0.3.0 protego==0.7.0 gpyrobotstxt==1.0.0
PEERS_JARS := com.github.crawler-commons:crawler-commons:1.6 org.slf4j:slf4j-api:2.0.17 org.slf4j:slf4j-nop:2.0.17 commons-io:commons-io:2.21.0
peers-install:
	@mkdir -p "$(PEERS_DIR)"
	@if ! "$(PEERS_DIR)/python/bin/python" -c 'import fastrobots, gpyrobotstxt, jwm, protego, robotstxt' >/dev/null 2>&1; then \
		{ $(PYTHON) -m venv "$(PEERS_DIR)/python" && "$(PEERS_DIR)/python/bin/pip" install -q --disable-pip-version-check \
			--retries 1 $(PEERS_PIP); } || echo "peers: pip failed, peers in Python and C++ may be missing"; \
	fi
	@if [ ! -d "$(PEERS_DIR)/node_modules/robots-parser" ]; then \
		npm install --silent --no-save --no-package-lock --prefix "$(PEERS_DIR)" robots-parser@3.0.1 \
			|| echo "peers: npm failed, robots-parser is missing"; \
	fi
	@cp -rp bench/peers/adapters/rust "$(PEERS_DIR)/" && cd "$(PEERS_DIR)/rust" && cargo build --release -q \
		|| echo "peers: cargo failed, peers in Rust may be missing"
	@for jar in $(PEERS_JARS); do \
		name=$${jar#*:}; [ -f "$(PEERS_DIR)/java/$${name%:*}-$${name#*:}.jar" ] || \
		mvn -q -B dependency:copy -Dartifact=$$jar -DoutputDirectory="$(PEERS_DIR)/java" -Dmaven.repo.local="$(PEERS_DIR)/m2" \
			|| { echo "peers: mvn failed, crawler-commons is missing"; break; }; \
	done

# The peers are a module of their own, whose requirements make test must not need.
peers-test:
	cd bench/peers && $(GO) vet ./... && NODE_PATH="$(PEERS_DIR)/node_modules" $(GO) test ./...

# DuckDB reads the rows of audit --list: in a module of its own, too.
rows-test: build
	cd cmd/robotsieve/internal/render/duckdb && $(GO) vet ./... && $(GO) test -count=1 -v ./...

# The pages of audit --html and check --output html in Chromium, in a module of its own for the same reason. Where there
# is no Chromium it says so and passes. With ROBOTSIEVE_SHOTS=DIR it leaves pictures to look at.
browser-test:
	cd cmd/robotsieve/internal/render/browser && $(GO) vet ./... && $(GO) test -count=1 ./...

# The parser, the matcher and the notes as a program for browsers, which the page of check has in it. A test fails while
# it is not made of the code as it is.
wasm:
	$(GO) test -pgo=off ./cmd/robotsieve/internal/render -count=1 -run TestProgram -update

# The page in which anybody can try a robots.txt, to be hosted anywhere: one file that loads nothing.
tester:
	@mkdir -p bin
	$(GO) run ./cmd/robotsieve/internal/tester > bin/robots-tester.html
	@ls -l bin/robots-tester.html

# The C interface: the library, shared and static, and its header, in bin/clib. It needs a C compiler.
CLIB = CGO_ENABLED=1 $(GO) build -pgo=cmd/robotsieve/default.pgo -trimpath -ldflags '-s -w -X main.release=$(VERSION)'
clib:
	@mkdir -p bin/clib
	@name=$$(case $$($(GO) env GOOS) in darwin) echo librobotsieve.dylib;; windows) echo robotsieve.dll;; *) echo librobotsieve.so;; esac); \
		set -ex; $(CLIB) -buildmode=c-shared -o bin/clib/$$name ./cmd/librobotsieve; \
		$(CLIB) -buildmode=c-archive -o bin/clib/librobotsieve.a ./cmd/librobotsieve; \
		rm -f bin/clib/*.h; cp cmd/librobotsieve/robotsieve.h bin/clib/

# The package of Python with the library in it, as a wheel in bin/python, without a network. Its tests are run with the
# wheel installed; they say what they left out.
PYTHON ?= python3
python:
	@rm -rf bin/python
	$(PYTHON) cmd/librobotsieve/python/wheel.py bin/python "$(VERSION)"

python-test:
	@if $(HAVE_CC) && $(PYTHON) -m pip --version >/dev/null 2>&1; then \
		set -ex; $(MAKE) --no-print-directory build python; \
		PIP_ROOT_USER_ACTION=ignore $(PYTHON) -m pip install -q --no-index --target bin/python/site bin/python/*.whl; \
		PYTHONPATH=bin/python/site $(PYTHON) cmd/librobotsieve/python/tests/test_robotsieve.py -v; \
		$(PYTHON) cmd/librobotsieve/python/tests/test_wheel.py -v; \
	else \
		echo "python-test: skipped, no C compiler, or no Python with pip"; \
	fi

# The package beside real pyarrow, pandas, polars, DuckDB, Scrapy and DataTrove, and on a Spark cluster of three processes of
# this machine, of which one is killed. They are installed into bin/engines.
ENGINES := bin/engines/bin/python
ENGINES_PIP := $(ENGINES) -m pip install -q --disable-pip-version-check
ENGINES_TESTS := cmd/librobotsieve/python/tests
engines-test:
	@if ! { $(HAVE_CC) && $(PYTHON) -m venv bin/engines; } >/dev/null; then \
		echo "engines-test: left out, all of it: no C compiler, or no Python with venv"; \
	elif ! $(ENGINES_PIP) --retries 1 -r $(ENGINES_TESTS)/requirements.txt; then \
		echo "engines-test: left out, all of it: the packages of requirements.txt cannot be had"; \
	else \
		set -ex; $(MAKE) --no-print-directory build python; \
		$(ENGINES_PIP) --no-index --no-deps --force-reinstall bin/python/*.whl; \
		for test in robotsieve engines spark; do $(ENGINES) $(ENGINES_TESTS)/test_$$test.py -v; done; \
	fi

# More patterns, worlds and fleets than a test has, then each fuzz target in turn for FUZZTIME, which is ten minutes unless it is given, thirty
# for the machine. Without -fuzzminimizetime those of states, whose inputs are long,
# would do nothing but minimize what they find. Go before 1.27 may end a round with
# "context deadline exceeded" and no input (go.dev/issue/75804), so a round that fails is
# made once more: what a target found is in testdata then, and fails again.
fuzz:
	$(GO) test -pgo=off ./compile -run TestAllPairs -exhaust -timeout 1h
	$(GO) test -pgo=off ./scan/internal/judge -run 'TheHonest|EqualsTheTruth|HoweverItIsCut' -sim-seeds $(or $(SEEDS),300) -timeout 2h
	@set -e; for target in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' . | sed 's/func //' | sort -u); do \
		dir=$$(dirname $$(grep -rlE --include='*_test.go' "^func $$target\(" . | head -n 1)); \
		time=$(or $(FUZZTIME),10m); if [ $$target = FuzzMachine ]; then time=$(or $(FUZZTIME),30m); fi; \
		echo "fuzz $$target in $$dir for $$time"; \
		round="$(GO) test -pgo=off -run ^$$ -fuzz ^$$target$$ -fuzztime $$time -fuzzminimizetime 1x $$dir"; \
		$$round || $$round; \
	done

# The same in some eight minutes.
fuzz-short:
	@$(MAKE) --no-print-directory fuzz FUZZTIME=20s SEEDS=60

# Breaks the rules of the audit one by one in copies of the code, and shows which test
# notices it.
mutate:
	$(GO) run ./internal/test/mutate -o internal/test/mutate/mutation.md

ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
lint:
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
		if [ -n "$$unformatted" ]; then echo "gofmt would change:" $$unformatted; exit 1; fi
	$(GO) vet -pgo=off ./...
	$(GO) test -pgo=off -vet=off -run TestSystems ./docs # Windows, macOS and 32 bits
	@if $(GO) run -pgo=off $(ACTIONLINT) -version >/dev/null 2>&1; then $(GO) run -pgo=off $(ACTIONLINT); \
		else echo "actionlint, of the workflows: skipped, it cannot be had"; fi
	@if command -v golangci-lint >/dev/null; then golangci-lint run ./...; fi

# The man pages of all commands, in bin/man, and what shells complete, in bin/completions.
man:
	@mkdir -p bin/man
	$(GO) run -pgo=off ./cmd/robotsieve/internal/man bin/man

completions: build
	@mkdir -p bin/completions
	@set -e; for shell in bash zsh fish; do $(BIN) completion $$shell > bin/completions/robotsieve.$$shell; done

# What people without Go install, in bin/release, as .goreleaser.yaml describes it: archives, packages, manifests, wheels,
# lists of components and SHA256SUMS. The workflow of a tag also makes containers, and signs.
GORELEASER ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.1
VERSION ?= v$(shell sed -n 's/^const Number = "\(.*\)"/\1/p' internal/release/release.go)
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release:
	GORELEASER_CURRENT_TAG=$(VERSION) $(GORELEASER) release --snapshot --clean --skip=docker,sign

# Asks each part of bin/release for what its user gets, as far as this machine has the tools, and says what it left out.
release-test:
	$(PYTHON) packaging/test.py bin/release bin/python

# A clone in another folder makes the same bytes.
reproducible: release
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; git clone -q . "$$dir/tree"; \
		$(MAKE) --no-print-directory -C "$$dir/tree" release VERSION=$(VERSION); \
		diff bin/release/SHA256SUMS "$$dir/tree/bin/release/SHA256SUMS"; echo "the same bytes twice"

notices:
	$(GO) run -pgo=off ./internal/notices -o bin/THIRD_PARTY.txt ./cmd/robotsieve $(TARGETS)

# The wheel for both architectures of Linux; the library is in it where there is a C compiler for it.
wheels:
	@rm -rf bin/python
	CC=x86_64-linux-gnu-gcc $(PYTHON) cmd/librobotsieve/python/wheel.py bin/python $(VERSION) linux/amd64
	CC=aarch64-linux-gnu-gcc $(PYTHON) cmd/librobotsieve/python/wheel.py bin/python $(VERSION) linux/arm64

# The documentation as a site with search, in bin/site, by mkdocs-material of PyPI.
SITE_PIP := bin/docs/bin/python -m pip install -q --disable-pip-version-check
site:
	@if ! $(PYTHON) -m venv bin/docs >/dev/null || ! $(SITE_PIP) --retries 1 'mkdocs-material==9.*'; then \
		echo "site: not built: it needs Python with venv, and mkdocs-material from PyPI"; \
	else NO_MKDOCS_2_WARNING=1 bin/docs/bin/mkdocs build -q --strict && echo "bin/site/index.html"; fi

# The sample log is made by its generator; a test compares the two.
sample:
	$(GO) run ./internal/test/generate > testdata/sample/access.log.gz

clean:
	rm -rf bin
