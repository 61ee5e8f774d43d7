# Packages: the files that `make release` has built, installed below DESTDIR, or packed in .build/packages.

PREFIX ?= /usr/local
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/system
# The program that is installed.
PROGRAM ?= .build/release/takt
# Those in plugins/ that work where they are put; swift-hello is an example to build on.
PLUGINS := disk-usage google-chat http-check load mains-power sqlite-backup webhook
VERSION = $(shell scripts/version)
PACKED := .build/packages
PACKAGE_TOOLS := debhelper dpkg-dev fakeroot lintian mmdebstrap rpm buildah umoci prometheus \
	podman podman-compose crun binutils python3 python3-venv openssl file apt-utils createrepo-c dnf gnupg
INSTALLED = $(DESTDIR)$(PREFIX)
# The docs as pages, where `make html` has built those of this commit; otherwise as Markdown.
HTML = $(shell [ "$$(cat .build/html-commit 2>&1)" = "$$(git rev-parse HEAD 2>/dev/null)" ] && echo .build/html)

.PHONY: install uninstall deb rpm dist image apt-repository rpm-repository sums \
	image-index release-notes workflow-check site html pages site-test package-tools packages packages-test rules-test \
	reproducible release-check

install:         ## Install what `make release` has built: PREFIX=/usr/local DESTDIR=.
	@test -x $(PROGRAM) -a -f .build/man/takt.1 -a -d .build/pages || { \
		echo 'nothing to install yet: run `make release` first' >&2; exit 1; }
	install -D -m 755 $(PROGRAM) $(INSTALLED)/bin/takt
	install -d $(INSTALLED)/share/man/man1 $(INSTALLED)/lib/takt/plugins
	install -m 644 .build/man/*.1 $(INSTALLED)/share/man/man1/
	install -D -m 644 .build/man/takt.yaml.5 $(INSTALLED)/share/man/man5/takt.yaml.5
	install -d $(INSTALLED)/share/bash-completion/completions
	sed '1{/^#!/d}' .build/completions/takt.bash > $(INSTALLED)/share/bash-completion/completions/takt
	install -D -m 644 .build/completions/takt.zsh $(INSTALLED)/share/zsh/vendor-completions/_takt
	install -D -m 644 .build/completions/takt.fish $(INSTALLED)/share/fish/vendor_completions.d/takt.fish
	for plugin in $(PLUGINS); do \
		install -d $(INSTALLED)/lib/takt/plugins/$$plugin && \
		install -m 644 plugins/$$plugin/plugin.yaml $(INSTALLED)/lib/takt/plugins/$$plugin/ && \
		{ test ! -e plugins/$$plugin/$$plugin || \
			install -m 755 plugins/$$plugin/$$plugin $(INSTALLED)/lib/takt/plugins/$$plugin/; } || exit 1; done
	install -D -m 644 docs/schemas/jobs.schema.json $(INSTALLED)/share/takt/jobs.schema.json
	install -D -m 644 packaging/monitoring/prometheus/takt.rules.yaml $(INSTALLED)/share/takt/takt.rules.yaml
	install -D -m 644 packaging/monitoring/grafana/takt.json $(INSTALLED)/share/takt/takt.grafana.json
	install -D -m 644 packaging/jobs.yaml $(INSTALLED)/share/doc/takt/examples/jobs.yaml
	install -m 644 packaging/systemd/hardened.conf $(INSTALLED)/share/doc/takt/examples/
	cp -rT $(or $(HTML),.build/pages) $(INSTALLED)/share/doc/takt/$(if $(HTML),html,docs)
	install -d $(DESTDIR)$(UNITDIR)
	sed 's|/usr/local/bin/takt|$(PREFIX)/bin/takt|; 1,/^\#$$/d' packaging/systemd/takt.service \
		> $(DESTDIR)$(UNITDIR)/takt.service
	chmod 644 $(DESTDIR)$(UNITDIR)/takt.service

uninstall:       ## Remove what `make install` has installed, with the same PREFIX and DESTDIR.
	rm -f $(INSTALLED)/bin/takt $(INSTALLED)/share/man/man1/takt.1 \
		$(INSTALLED)/share/man/man1/takt-*.1 $(INSTALLED)/share/man/man5/takt.yaml.5 \
		$(INSTALLED)/share/bash-completion/completions/takt \
		$(INSTALLED)/share/zsh/vendor-completions/_takt \
		$(INSTALLED)/share/fish/vendor_completions.d/takt.fish $(DESTDIR)$(UNITDIR)/takt.service
	for plugin in $(PLUGINS); do rm -rf $(INSTALLED)/lib/takt/plugins/$$plugin; done
	rm -rf $(INSTALLED)/share/takt $(INSTALLED)/share/doc/takt
	-@cd $(INSTALLED) && rmdir -p --ignore-fail-on-non-empty lib/takt/plugins share/man/man1 share/man/man5 \
		share/bash-completion/completions share/zsh/vendor-completions \
		share/fish/vendor_completions.d 2>/dev/null; true

package-tools:   # Install what packages are made and tested with; nothing of it is started.
	@missing=$$(for p in $(PACKAGE_TOOLS); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | \
		grep -q 'ok installed' || echo $$p; done); [ -z "$$missing" ] || { \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; echo "installing $$missing"; \
		$$sudo apt-get update -q && $$sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
			apt-get install -qy --no-install-recommends $$missing; }

deb:             ## Build the Debian package in .build/packages.
	packaging/deb $(PACKED)

rpm:             ## Build the RPM package in .build/packages.
	packaging/rpm/build $(PACKED)

# Linked again: with libyaml, SQLite and libmd inside, so that it needs glibc alone.
dist:            ## Build the tarball for this architecture in .build/packages, with checksums and SBOM.
	packaging/tarball/build $(PACKED)

image:           ## Build the OCI image in .build/packages, from `make deb`.
	packaging/image/build $(PACKED)

# TAKT_SIGNING_KEY is the armoured secret key; TAKT_REPOSITORY_URL the address of the web server.
apt-repository:  ## Make a signed apt repository of the packages, .build/packages/apt: TAKT_SIGNING_KEY=… TAKT_REPOSITORY_URL=….
	packaging/publish/apt $(PACKED)

rpm-repository:  ## Make a signed dnf and zypper repository of the packages, .build/packages/rpm.
	packaging/publish/rpm $(PACKED)

sums:            ## Write and sign the sums of all that is in .build/packages.
	packaging/publish/sums $(PACKED)

site:            ## Build the docs as a site with search, .build/site.
	@scripts/venv .build/site-venv site
	packaging/publish/site/build .build/site-venv/bin/mkdocs

html:            ## Build the docs as pages without scripts, .build/html, which packages then contain.
	@scripts/venv .build/site-venv site
	packaging/publish/site/build --plain .build/site-venv/bin/mkdocs

pages:           # Lay out the docs as they are written, .build/pages.
	packaging/publish/site/build --markdown

site-test: site html browser ## Read both in a browser, as files: pictures, search, and what is missing.
	python3 -B Tests/release/site.py .build/site
	python3 -B Tests/release/site.py .build/html

# The images that `make image` has built on machines of several architectures.
IMAGES ?= $(PACKED)/takt-$(VERSION)-image.tar
image-index:     ## Put the images of several architectures into one OCI archive: IMAGES='FILE FILE'.
	@mkdir -p $(PACKED)
	packaging/image/index $(PACKED)/takt-$(VERSION)-image-index.tar takt:$(VERSION) $(IMAGES)

release-notes:   ## Write what CHANGELOG.md says of this version to .build/packages/NOTES.md.
	@mkdir -p $(PACKED)
	scripts/release/notes $(VERSION) >$(PACKED)/NOTES.md

workflow-check:  ## Check the workflows in .github with zizmor, their schema, and actionlint if it is installed.
	@scripts/venv .build/workflow-venv workflows
	.build/workflow-venv/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.build/workflow-venv/bin/zizmor --offline --quiet --no-progress .github/workflows
	@! command -v actionlint >/dev/null || actionlint

packages: release html deb rpm dist image ## Build all packages in .build/packages.

packages-test:   ## Install, run, upgrade and remove each package of .build/packages; needs root. TESTS='deb rpm': some.
	python3 -B Tests/packages/packages.py $(PACKED) $(TESTS)

rules-test:      ## Test the alert rules with promtool, and the dashboard with Prometheus and takt.
	promtool check rules packaging/monitoring/prometheus/takt.rules.yaml
	promtool test rules packaging/monitoring/prometheus/takt.rules.test.yaml
	python3 -B Tests/packages/dashboard.py $(or $(wildcard .build/release/takt),.build/debug/takt)

reproducible:    ## Build the tarball of the last commit twice, in two folders, and compare the bits.
	Tests/packages/reproducible

release-check:   ## Check that this commit can be released: versions, changelog, schema, packages.
	scripts/release/check --packages
