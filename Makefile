# Everything runs on the pinned Node of the toolchain workspace, whatever Node the machine has.
SHELL := /bin/bash
BIN := $(CURDIR)/node_modules/.bin
export PATH := $(BIN):$(PATH)

.PHONY: install page up test check soak bench repeat coverage dist image release

RUNS ?= 20
LOADED ?= 5

# `npm ci` again only when the lock file is newer than what it installed.
node_modules/.package-lock.json: package.json package-lock.json toolchain/package.json
	@echo 'Installing what allot is built with into node_modules (npm ci, about 510 MB): this takes about a minute, once.'
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

install: node_modules/.package-lock.json

# The page of the dashboard, again only when something changes that it is built of.
dist/page/index.html: node_modules/.package-lock.json $(shell find web src scripts/artefacts -type f 2>/dev/null)
	@$(BIN)/node scripts/artefacts/build-page.ts dist/page
	@touch $@

page: dist/page/index.html ## the page of the dashboard, in dist/page

up: dist/page/index.html ## start allot (ARGS="--port 7443 --in-memory")
	@exec $(BIN)/node bin/allot.js up $(ARGS)

check: node_modules/.package-lock.json ## types, lint, format, floors and unit tests, in under 10 seconds
	@$(BIN)/node scripts/check.ts

test: node_modules/.package-lock.json ## everything that must hold before a change lands
	@scripts/test-tools
	@$(BIN)/node scripts/check.ts --static
	@$(BIN)/node scripts/test.ts

repeat: node_modules/.package-lock.json ## `make test` RUNS times, the last LOADED of them beside a load on all cores
	@scripts/repeat-tests $(RUNS) $(LOADED)

soak: node_modules/.package-lock.json ## every test, storms, kills and fuzzing in their long forms, and the mutants of the pure core
	@scripts/test-tools
	@failed=0; \
	$(BIN)/node scripts/mutation.ts || failed=1; \
	ALLOT_SOAK=1 $(BIN)/node scripts/test.ts || failed=1; \
	exit $$failed

coverage: dist/page/index.html ## which lines of src the tests run (ARGS="--project unit")
	@scripts/test-tools
	@$(BIN)/node scripts/coverage.ts $(ARGS)

bench: node_modules/.package-lock.json ## absolute figures, one JSON line each
	@$(BIN)/node bench/run.ts

dist: node_modules/.package-lock.json ## the npm package, the archives and the image, in dist (ARGS="--platforms linux-x64")
	@$(BIN)/node scripts/artefacts/make-dist.ts $(ARGS)

image: node_modules/.package-lock.json ## only the image, as an OCI archive in dist
	@$(BIN)/node scripts/artefacts/make-dist.ts --only image $(ARGS)

release: node_modules/.package-lock.json ## checks a release and makes it in dist; publishes nothing (ARGS="--from URL/ --key FILE")
	@$(BIN)/node scripts/artefacts/release.ts $(ARGS)
