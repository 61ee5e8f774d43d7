# `make run` and `make test` do all the set-up on a fresh machine with Swift 6.3.

SWIFT ?= swift
PACKAGES := libyaml-dev libsqlite3-dev libcurl4-openssl-dev libmd-dev pkg-config tzdata make git
# What the tests talk with: servers, certificates, plugins in other languages, process tools.
TEST_PACKAGES := python3 python3-venv curl openssl perl procps util-linux gcc libc6-dev \
	libpq5 postgresql-15 etcd-server etcd-client iproute2 time python3-dateutil python3-icalendar \
	python3-recurring-ical-events apache2-bin
SOURCES := Package.swift Sources Tools Tests Benchmarks/Package.swift Benchmarks/Sources \
	Examples/Package.swift Examples/Sources packaging/timermachine
# Outside test data; what is made with them is left out where they are not.
ORACLES ?= ../shared/oracles
# A Python with the packages for `make bench` and `make bench-report`; the lists are in packaging/pypi.
BENCH_PYTHON := .build/bench-venv/bin/python
BENCH_LISTS := peers plot
BENCH_FILE := .build/bench/bench.json
# What reads the API's description and tries what it says.
SCHEMATHESIS := .build/api-venv/bin/schemathesis
BROWSER := chromium chromium-driver
# An engine for containers, and what an image is made of.
PODMAN := podman runc busybox-static
# Unpacked: installed, they would begin to serve this machine's port 80. Of Apache, apache2-bin is the
# program alone.
PROXIES := nginx caddy
# What all that is built for release is built with, so that one target does not rebuild what another
# has built. lld comes with Swift; a section for each function lets it leave out what nothing calls;
# .build/static holds libstdc++.a and nothing else, so that the shared one is not found first; packed
# relocations need glibc 2.36.
# No path of this folder gets into it, also not as a hash that the compiler keeps for itself, so that the
# same commit makes the same program in each folder whose path is as long.
RELEASE_BUILD = TAKT_C_FLAGS='$(C_FLAGS)' $(SWIFT) build $(RELEASE)
RELEASE = -c release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -use-ld=lld -Xswiftc -L.build/static \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker --no-export-dynamic \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections \
	$(HARDENING) \
	$(shell getconf GNU_LIBC_VERSION 2>/dev/null | awk '{ split($$2, v, "."); \
	if (v[1] > 2 || v[2] >= 36) print "-Xlinker -z -Xlinker pack-relative-relocs" }')
# Full RELRO, and for takt's own C a stack protector and the processor's control-flow protection, which
# Package.swift takes from the environment: with -Xcc, Swift would mark its functions, too, an
# instruction for each call that protects nothing, since the libraries of Swift are not marked.
# Package.swift adds FORTIFY.
HARDENING = -Xlinker -z -Xlinker now
C_FLAGS = -fstack-protector-strong $(control-flow-$(shell uname -m))
control-flow-x86_64 := -fcf-protection=full
control-flow-aarch64 := -mbranch-protection=standard
# Fails where a program is built without them.
HARDENED = scripts/release/hardened .build/release
OWN_C = $(foreach c,TaktSystem TaktTransfer TimerFD,.build/release/C$(c).build/*.o)
# A package counts as installed when dpkg says so; others are installed, as root or with sudo.
MISSING = $(shell for p in $(PACKAGES); do \
	dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done)

.PHONY: run build release release-setup test test-quick test-programs test-setup test-build browser proxies lint format bench \
	bench-programs bench-venv bench-report bench-faults check-slow crash tsan fuzz transfers contract man completions reference schema setup clean help

help:            ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: build       ## Build takt and run jobs.yaml in the foreground.
	@printf '%s\n' 'takt is running jobs.yaml; Ctrl-C stops it. Edit jobs.yaml, then apply the change' \
		"from a second terminal: '.build/debug/takt reload'." ''; \
	exec .build/debug/takt run

setup:           ## Install the Debian packages that are missing.
	@command -v $(SWIFT) >/dev/null || { \
		echo 'takt needs Swift 6.3 or newer: https://www.swift.org/install' >&2; exit 1; }
	@if command -v dpkg-query >/dev/null; then missing="$(MISSING)"; \
	if [ -n "$$missing" ]; then echo "installing $$missing"; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		if [ -n "$$sudo" ] && ! command -v sudo >/dev/null; then \
			echo "these packages need an administrator: apt-get install $$missing" >&2; exit 1; fi; \
		$$sudo apt-get update -q && $$sudo apt-get install -qy --no-install-recommends $$missing; fi; \
	else echo 'no dpkg here: install libyaml, SQLite, libmd and libcurl with their headers' >&2; fi

# Plain `swift build` uses the same flags, so that neither rebuilds what the other has built.
build: export SWIFT := $(SWIFT)
build:           ## Build takt, and the plugin in Swift, for debugging.
	@scripts/build --is-current || { make -s setup && scripts/build; }

release-setup: setup # Find the static library of C++.
	@mkdir -p .build/static; library=$$(clang -print-file-name=libstdc++.a 2>/dev/null || \
		cc -print-file-name=libstdc++.a); \
	[ ! -f "$$library" ] || ln -sf "$$library" .build/static/

release: export TAKT_COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
release: release-setup ## Build the program to install, .build/release/takt, its symbols in takt.debug, manual pages, completions.
	@scripts/release/pins check 2>/dev/null || scripts/release/pins resolve
	$(RELEASE_BUILD) --product takt
	@scripts/release/pins check
	@$(HARDENED)/takt $(OWN_C)
	@cd .build/release && if readelf -SW takt | grep -q '[.]symtab'; then \
		objcopy --only-keep-debug takt takt.debug && \
		objcopy --strip-all --add-gnu-debuglink=takt.debug takt takt.stripped && \
		mv takt.stripped takt; fi
	@$(MAKE) --no-print-directory man completions pages TAKT=.build/release/takt

test-setup: PACKAGES += $(TEST_PACKAGES)
test-setup: setup browser proxies # Install what the tests use.
	@scripts/venv .build/mcp-venv mcp || true

test-build: test-setup # Build all that the tests use.
	$(SWIFT) build --build-tests

# So many tests run at once. Those that start processes mostly wait, on threads of their own
# (`.ownThreads`). Without a bound all begin at once, and one that waits gets its next turn last.
# With more than one for each processor, daemons of other tests are late.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= $(shell nproc)
test: SHELL := bash
test: .SHELLFLAGS := -o pipefail -c
test: test-setup ## Run all tests, and list the failures at the end.
	@mkdir -p .build
	$(SWIFT) test 2>&1 | tee .build/test.log || { \
		echo && grep -E '^.?[✘↳]|error: ' .build/test.log; exit 1; }
	@$(MAKE) --no-print-directory -j2 --output-sync=target test-timermachine test-programs

# Much of it waits for machines of a cluster, beside which that package is built.
test-programs:
	python3 -B -m unittest discover -q -b Tests/packages
	python3 -B -m unittest discover -q -b Tests/release
	python3 -B Tests/nemesis/nemesis.py .build/debug/takt --seeds $(TEST_SEEDS)
	.build/debug/boundary-fuzz replay Tests/fuzz/corpus
	python3 -B Tests/moving/packages.py .build/debug/takt --count 10

# Targets whose tests start no program. Suites that try very many inputs, or ask another
# program what is right, are left out by their names.
QUICK := ^(Takt(API|Config|Core|Import|Picture)|TimerMachine)Tests[.]
NOT_QUICK := (Croniter|Explorer|Fuzz|Hostile|Oracle|Property|Schema|Shell|Simulation)[A-Za-z]*Tests
test-quick: setup ## Run the tests that need no process, server or browser.
	$(SWIFT) test --filter '$(QUICK)' --skip '$(NOT_QUICK)'

EXPORT ?= .build/timermachine
.PHONY: export-timermachine test-timermachine
export-timermachine: ## Write TimerMachine as a separate package, ready for its own repository, to EXPORT.
	@scripts/release/export-timermachine $(EXPORT)

test-timermachine: ## Build and test that package, again without its parts for Linux, and an example that depends on it.
	@scripts/release/export-timermachine .build/timermachine
	nice $(SWIFT) test --package-path .build/timermachine
	nice $(SWIFT) test --package-path .build/timermachine \
		--scratch-path .build/timermachine/.build/portable -Xswiftc -DTIMERMACHINE_PORTABLE
	nice $(SWIFT) test --package-path .build/timermachine/Example

check-slow:      ## Run the checks that take too long for CI, and print each one's time.
	@scripts/stages --all \
		'crash: make crash' \
		'tsan: make tsan' \
		'fuzz: make fuzz' \
		'transfers: make transfers' \
		'storm: make storm' \
		'explore: make explore' \
		'replay: make replay' \
		'faults: make bench-faults' \
		'contract: make contract' \
		'nemesis: make nemesis' \
		'guest: make guest' \
		'containers: make containers-test' \
		'soak: make soak' \
		'shells: env TAKT_SHELL_TEXTS=5000 $(SWIFT) test --filter DirectStartOracleTests' \
		'recurrences: env TAKT_RRULES=5000 $(SWIFT) test --filter RecurrenceOracleTests' \
		'moving: make moving' \
		'example: $(SWIFT) build --package-path Examples' \
		'manuals: make man completions' \
		'packages: make package-tools packages packages-test rules-test' \
		'same bits: make reproducible'

browser:         # The web page is tested in it; without it those tests are skipped, and say so.
	@command -v chromedriver >/dev/null || ! command -v apt-get >/dev/null || { \
		echo "installing $(BROWSER)"; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -q >/dev/null; \
		$$sudo apt-get install -qy --no-install-recommends $(BROWSER) >/dev/null; } || \
		echo 'without a browser: it could not be installed' >&2
	@scripts/venv .build/page-venv page || true

proxies:         # The examples in docs/control.md are run with them; without them those tests are skipped, and say so.
	@mkdir -p .build/proxies; cd .build/proxies && for program in $(PROXIES); do \
		command -v $$program >/dev/null || [ -x usr/sbin/$$program ] || [ -x usr/bin/$$program ] || { \
			apt-get download -q $$program >/dev/null 2>&1 && dpkg-deb -x $${program}_*.deb . && \
			rm $${program}_*.deb; } || \
		echo "without $$program: it could not be downloaded" >&2; done

# The program that describes itself.
TAKT ?= .build/debug/takt
DESCRIBED = $(if $(filter .build/debug/takt,$(TAKT)),build)

man: $(DESCRIBED) ## Write the manual pages: .build/man/takt.1, one for each command, and takt.yaml.5.
	@rm -rf .build/man
	scripts/release/manuals $(TAKT) .build/man "$$(scripts/date)"

completions: $(DESCRIBED) ## Write shell completions, .build/completions/takt.bash and others.
	@mkdir -p .build/completions
	@for shell in bash zsh fish; do \
		$(TAKT) --generate-completion-script $$shell \
			> .build/completions/takt.$$shell || exit 1; done

contract: build  ## Test the API of a running daemon with schemathesis, against its own description.
	@scripts/venv .build/api-venv api
	python3 Tests/api/contract.py .build/debug/takt $(SCHEMATHESIS)

SOAK_MINUTES ?= 60
SEEDS ?= 1-40
# Those of `make test`: between them kills, stops, cuts, a frozen and a slow engine, wrong clocks.
TEST_SEEDS ?= 11,16,20
PLANT ?= none
ENGINE ?= postgres
.PHONY: nemesis
nemesis: build   ## Run three machines in a cluster while things fail, and check every slot: SEEDS=1-40 ENGINE=postgres|etcd PLANT=none|lease|owner|guard.
	python3 -B Tests/nemesis/nemesis.py .build/debug/takt --seeds $(SEEDS) --engine $(ENGINE) --plant $(PLANT)

.PHONY: moving
moving: build    ## Import what 40 Debian packages bring along, and the files in PUBLIC; run twenty jobs under cron and under takt; export 2,000 commands to cron; run what --idiomatic makes beside the original; start 500 commands with and without a shell.
	@scripts/venv .build/moving-venv moving || true
	PATH=$(CURDIR)/.build/moving-venv/bin:$$PATH python3 -B Tests/moving/packages.py .build/debug/takt
	test -z '$(PUBLIC)' || \
		PATH=$(CURDIR)/.build/moving-venv/bin:$$PATH python3 -B Tests/moving/public.py '$(PUBLIC)' .build/debug/takt
	python3 -B Tests/moving/beside_cron.py .build/debug/takt
	python3 -B Tests/moving/exported.py .build/debug/takt
	python3 -B Tests/moving/idiomatic.py .build/debug/takt
	python3 -B Tests/moving/commands.py .build/debug/takt

lint: PACKAGES := python3
lint: setup      ## Check format, imports, sizes, folder dependencies, calls to the system, type names, retired phrases and names, comments, links, and messages of new commits.
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	@! grep -rnE '^([@a-z]+ )?import Foundation$$' Sources/takt Sources/Takt[ACEDST]* Sources/Timers || { \
		echo 'import FoundationEssentials: the installed program has no ICU' >&2; exit 1; }
	@! grep -rn '@_exported' Sources Tools | \
		grep -v '^Sources/Timers/TimerMachine/Time/Instants.swift:' || { \
		echo 'import what a file uses: no @_exported' >&2; exit 1; }
	scripts/size --check
	scripts/folders Sources/Timers/* Sources/Takt* Sources/takt Sources/TaktCore/Scheduler
	scripts/system-calls
	scripts/type-names
	scripts/retired-words
	scripts/comments
	scripts/links
	.ci/commits

format:          ## Format all sources.
	$(SWIFT) format --in-place --recursive $(SOURCES)

tsan: setup      ## Run the timers' tests, with 100,000 operations from 4 threads, under ThreadSanitizer.
	$(SWIFT) test --sanitize=thread --scratch-path .build-tsan --filter TimerMachineTests

fuzz: fuzz-timers fuzz-boundaries ## Fuzz the timer factories, and each reader of foreign bytes for FUZZ_SECONDS=600: FUZZ_TARGETS='jobs cron'.

.PHONY: fuzz-timers fuzz-boundaries fuzz-program fuzz-coverage
fuzz-timers: setup # 10 million random operations on each timer factory under AddressSanitizer.
	$(SWIFT) build -c release --sanitize=address --product timer-fuzz --scratch-path .build-asan
	.build-asan/release/timer-fuzz

# libFuzzer comes with Swift; the linker would leave its driver out, which only C code calls.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?=
FUZZER = .build-fuzz/release/boundary-fuzz
fuzz-program: setup
	$(SWIFT) build -c release --sanitize=address --product boundary-fuzz --scratch-path .build-fuzz \
		-Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld -Xlinker -u -Xlinker LLVMFuzzerRunDriver

fuzz-boundaries: fuzz-program # Findings are left in .build-fuzz/TARGET/.
	python3 -B Tests/fuzz/fuzz.py $(FUZZER) --seconds $(FUZZ_SECONDS) --out .build-fuzz $(FUZZ_TARGETS)

fuzz-coverage: setup ## Print how much of the reading code the kept inputs reach.
	$(SWIFT) build --product boundary-fuzz --scratch-path .build-coverage \
		-Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
	python3 -B Tests/fuzz/coverage.py .build-coverage/debug/boundary-fuzz

.PHONY: explore
explore: setup   ## Try each order of events of a small cluster, and of one machine, with one fault at each moment. FAULTS=2 takes hours.
	$(SWIFT) build -c release --product cluster-explore --scratch-path .build-storm
	.build-storm/release/cluster-explore --alone 1 --faults 2
	.build-storm/release/cluster-explore --alone 2 --faults $(or $(FAULTS),1)
	.build-storm/release/cluster-explore --faults $(or $(FAULTS),1)
	.build-storm/release/cluster-explore --faults $(or $(FAULTS),1) --longest 8
	.build-storm/release/cluster-explore --faults $(or $(FAULTS),1) --group

.PHONY: replay
replay: test-setup ## Do on PostgreSQL all that the explorer asks of an engine, with one fault at each moment.
	TAKT_EXPLORED=$(or $(FAULTS),1) $(SWIFT) test --filter 'all that a small cluster asks'

.PHONY: storm
storm: setup     ## Run 1,000 seeds of a cluster's machines in virtual time. SEED=N shows one.
	$(SWIFT) build -c release --product cluster-storm --scratch-path .build-storm
	.build-storm/release/cluster-storm $(SEED)

.PHONY: soak
soak: BENCH_LISTS := plot
soak: release test-setup bench-venv ## Run takt for SOAK_MINUTES=60 while things go wrong; memory, descriptors and ledger must stay flat. Figures in .build/soak.
	$(REPORT_PYTHON) -B Tests/soak/soak.py .build/release/takt --minutes $(SOAK_MINUTES)

# Where this machine cannot have one, it says so.
.PHONY: guest
guest: test-build ## Run the tests of control groups in a virtual machine with Debian's kernel and cgroup v2 alone.
	Tests/guest/guest env TAKT_IN_GUEST=1 .build/debug/taktPackageTests.xctest \
		--testing-library swift-testing --filter 'GroupLimitTests|ResourceUseTests'

# Where this machine cannot have one, it says so.
.PHONY: containers-test
containers-test: PACKAGES += $(PODMAN)
containers-test: test-build ## Run jobs in containers of a real Podman that goes, hangs and comes back, and on two machines of a cluster.
	python3 -B Tests/containers/drive.py .build/debug/takt
	python3 -B Tests/containers/podman.py .build/debug/taktPackageTests.xctest \
		--testing-library swift-testing --filter 'RealEngineTests|ContainerLabelTests'

crash: setup     ## Kill takt 200 times and stop it 2,000 times at random moments, and verify the ledger.
	TAKT_CRASHES=200 TAKT_QUICK_STOPS=2000 $(SWIFT) test --filter LedgerCrashTests

bench: release bench-programs bench-venv ## Run all benchmarks, other schedulers beside takt, in 20 minutes. QUICK=1: a short trial; ONLY=NAMES: some.
	python3 -B Benchmarks/bench.py .build/release/takt --python $(BENCH_PYTHON) --out $(BENCH_FILE) \
		--oracle $(ORACLES)/cronos.jsonl $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

bench-programs: # Build the benchmarks.
	for program in takt-bench timer-bench storm-bench plugin-bench; do \
		$(SWIFT) build -c release --package-path Benchmarks --product $$program || exit 1; done
	$(RELEASE_BUILD) --product schedule-bench

bench-venv:      # Install peers and matplotlib from PyPI; what cannot be installed is left out.
	@scripts/venv .build/bench-venv $(BENCH_LISTS) || true

# That Python, or the system's where there is no other.
REPORT_PYTHON = $$([ -x $(BENCH_PYTHON) ] && echo $(BENCH_PYTHON) || echo python3)

bench-report: bench-venv ## Write docs/internals/performance.md from the figures of `make bench`.
	$(REPORT_PYTHON) -B Benchmarks/report/report.py $(BENCH_FILE) docs/internals

bench-faults: release ## Measure how late jobs start while the disk of the ledger is full, slow or broken.
	python3 -B Benchmarks/ledger/ledger_bench.py .build/release/takt faults

# Instructions do not depend on how busy a machine is. Flags as for `release`, whose code is counted.
GATE := python3 -B Benchmarks/gate/gate.py --swift $(SWIFT)
GATE_FILE := Benchmarks/gate/instructions.tsv
GATE_PACKAGES := valgrind binutils python3 python3-venv util-linux
.PHONY: bench-gate bench-gate-write gate-program

# Without matplotlib, the tests of the report's pictures are skipped.
bench-gate: BENCH_LISTS := plot
bench-gate: gate-program bench-venv ## Count the instructions of eleven workloads; fail when one takes over 3 % more than recorded.
	for folder in . gate report peers cluster; do \
		$(REPORT_PYTHON) -B -m unittest discover -q -b Benchmarks/$$folder || exit 1; done
	$(GATE) .build/release/gate-bench $(GATE_FILE)

bench-gate-write: gate-program ## Record the instructions of the eleven workloads.
	$(GATE) --write .build/release/gate-bench $(GATE_FILE)

gate-program: PACKAGES += $(GATE_PACKAGES)
gate-program: release-setup
	$(RELEASE_BUILD) --product gate-bench
	@$(HARDENED)/gate-bench $(OWN_C)

transfers: setup ## Make 10,000 HTTP and mail transfers; memory and descriptors must not grow.
	TAKT_TRANSFERS=10000 $(SWIFT) test --filter ManyTransfersTests

schema: build    ## Write docs/schemas/jobs.schema.json and jobs.test.schema.json.
	.build/debug/takt schema > docs/schemas/jobs.schema.json
	.build/debug/takt schema --tests > docs/schemas/jobs.test.schema.json

reference: setup ## Write the generated parts of docs/ from the code.
	TAKT_WRITE_REFERENCE=1 $(SWIFT) test --filter 'KeyTableTests|BuiltinReferenceTests|RunMachineTests|FileTrustTests|RouteListTests'

clean:           ## Remove all build outputs.
	rm -rf .build .build-* Benchmarks/.build Examples/.build

include packaging/packages.mk
