# robotsieve: build, test, measure. `make demo` and `make test` need Go, git and
# make only.

GO ?= go
BIN := bin/robotsieve
FUZZTIME ?= 10m
COUNT ?= 6

.PHONY: build demo test race guard bench fuzz lint sample clean

build:
	$(GO) build -trimpath -o $(BIN) ./cmd/robotsieve

# The main job on the sample: which crawlers ignored this site's robots.txt?
demo:
	@$(MAKE) -s build
	@$(BIN) audit --robots testdata/sample/robots.txt testdata/sample/access.log.gz

test: lint
	$(GO) test ./...
	@$(MAKE) --no-print-directory race

# The race detector needs a C compiler.
race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1; then \
		echo "$(GO) test -race -short ./..." && $(GO) test -race -short ./...; \
	else \
		echo "race: skipped, no C compiler found"; \
	fi

# Tests that fail when the hot path allocates or loses its inlining.
guard:
	$(GO) test -count=1 -run Guard ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem -count=$(COUNT) ./...

# Each fuzz target in turn, FUZZTIME each.
fuzz:
	@set -e; for target in $$(grep -rhoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' . | sed 's/func //' | sort -u); do \
		dir=$$(dirname $$(grep -rlE --include='*_test.go' "^func $$target\(" . | head -n 1)); \
		echo "fuzz $$target in $$dir for $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$dir; \
	done

lint:
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
		if [ -n "$$unformatted" ]; then echo "gofmt would change:" $$unformatted; exit 1; fi
	$(GO) vet ./...

# The sample log is made by its generator; a test compares the two.
sample:
	$(GO) run ./testdata/generate -o testdata/sample

clean:
	rm -rf bin
