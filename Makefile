# QuickVault. `make demo` and `make test` install what is missing (as root, with apt), build and run.

PREFIX ?= /usr/local
DESTDIR ?=

# Debian packages, all of them: for building, for the tests and the second reader, for README's pictures.
BUILD_PACKAGES = pkg-config libssl-dev libargon2-dev libutf8proc-dev libzxcvbn-dev libqrencode-dev libpng-dev libjpeg-dev \
    libexpat1-dev libjansson-dev libgmp-dev libedit-dev libzip-dev zlib1g-dev libzstd-dev libisal-dev libfreetype-dev libharfbuzz-dev libfribidi-dev libfontconfig-dev fonts-wqy-microhei \
    libheif-dev libwebp-dev libtiff-dev libqpdf-dev libzxing-dev liblcms2-dev libseccomp-dev libmicrohttpd-dev poppler-utils
TEST_PACKAGES = python3 nodejs qrencode zbar-tools oathtool keepassxc gpg python3-argon2 python3-zstandard python3-cryptography python3-cryptography-vectors unicode-data strace rsync rclone jq hledger ledger beancount e2fsprogs mount \
    tesseract-ocr tesseract-ocr-chi-sim bsdutils libjpeg-turbo-progs python3-pil python3-numpy qpdf libheif-examples webp libtiff-tools \
    esbuild chromium chromium-driver python3-selenium
PICTURE_PACKAGES = python3-pil python3-numpy
MODEL_PACKAGES = spin gcc libc6-dev

BIN = .build/release/qvault
DECODER = .build/release/qvault-decode
WINDOW = .build/release/qvault-window

# Everywhere with the same options, so that nothing is compiled twice. The index tells 'make check' who refers to whom.
SWIFT_BUILD = swift build -c release --enable-index-store

SOAK = .build/release/vault-soak $(CURDIR)/$(BIN) $(CURDIR)/.build/soak

.PHONY: all attacks coverage mutants reader-mutants pictures legible corpora demo model test test-swift test-kit soak soak-mutants bench fuzz docs install uninstall deb qvault-verify clean packages test-packages build check

all: build

packages:
	@Tests/Scripts/install-packages.sh $(BUILD_PACKAGES)

test-packages:
	@Tests/Scripts/install-packages.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)

build: packages
	$(SWIFT_BUILD) --static-swift-stdlib --product qvault
	$(SWIFT_BUILD) --static-swift-stdlib --product qvault-decode
	$(SWIFT_BUILD) --static-swift-stdlib --product qvault-window
	@$(BIN) man > qvault.1

demo: build
	Tests/Scripts/demo.sh $(BIN)

# Checks of the sources first. Then two jobs side by side: all tests and the library's pages; and the short form of the kit,
# hostile input, and the second reader over all vectors.
test: test-packages check
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going test-swift test-kit

# Kinds of hostile vaults that are tried each time; 'make soak' tries all.
HOSTILE = sound symlink-nul symlink-5000 folder-content kind-0 name-path name-nul card-no-cbor sequence-last sequence-last-but-1 \
    time-last epoch-last lines-twice past-trashed parent-trashed parent-missing folders-loop owner-loop owners-8000 shared-file \
    card-becomes-file mixture-1-0

test-swift:
	Tests/Scripts/swift-tests.sh .build/tests.log
	Tests/Scripts/docs.sh $(CURDIR)/.build

test-kit:
	Tests/Scripts/c-tests.sh
	$(VERBS) | while read -r verb; do $(BIN) man $$verb > .build/page.1 || exit 1; done
	$(SOAK) short
	/usr/bin/python3 Tests/Attacks/memory.py $(BIN) .build/memory
	/usr/bin/python3 Tests/Attacks/documents.py $(BIN) .build/documents 10
	/usr/bin/python3 Tests/Attacks/seen.py $(BIN) .build/seen 1 2
	/usr/bin/python3 Tests/Attacks/imports.py $(BIN) .build/imports 4
	/usr/bin/python3 Tests/Attacks/queries.py $(BIN) .build/queries 100 1000
	/usr/bin/python3 Tests/Attacks/excludes.py $(BIN) .build/excludes 60
	/usr/bin/python3 Tests/Attacks/hostile_vaults.py $(BIN) .build/hostile 1 --short $(HOSTILE)
	/usr/bin/python3 Tests/Attacks/two_machines.py $(BIN) .build/two-machines 20
	/usr/bin/python3 Spec/reader/qvault_reader.py vectors TestVectors/*.vector TestVectors/frozen/*.vector
	/usr/bin/node Spec/reader/web/vectors.js TestVectors
	/usr/bin/python3 Tests/Scripts/reader_page.py --check --tables $(BIN)
	/usr/bin/python3 Tests/Scripts/reader_browser.py $(BIN) .build/reader-page
	/usr/bin/python3 Tests/Attacks/window.py $(BIN) .build/window-attacks
	/usr/bin/python3 Tests/Scripts/window_browser.py $(BIN) .build/window
	/usr/bin/python3 Spec/reader/strip_reader.py vectors TestVectors/strip
	/usr/bin/python3 Tests/Attacks/strips.py $(BIN) .build/strips 1

check: test-packages
	swift format lint --strict --recursive Package.swift Sources Tests
	/usr/bin/python3 Tests/Checks/layering.py
	/usr/bin/python3 Tests/Checks/options.py
	/usr/bin/python3 Tests/Scripts/reader_page.py --check
	Tests/Checks/links.sh
	/usr/bin/python3 Tests/Checks/messages.py
	/usr/bin/python3 Tests/Mutants/soak-mutants.py --check
	/usr/bin/python3 TestVectors/generate/generate.py --check
	/usr/bin/python3 TestVectors/strip/generate.py --check
	/usr/bin/python3 Tests/Checks/pinyin-table.py --check
	/usr/bin/python3 Tests/Checks/watermark-geometry.py --check
	$(SWIFT_BUILD) --build-tests
	/usr/bin/python3 Tests/Checks/cycles.py .build/release/index/store

# The library's pages, by the toolchain's docc.
docs: packages
	Tests/Scripts/docs.sh $(CURDIR)/.build

# The kit at full size: crashes, kills, failing calls, crowds of writers, every byte flipped (TESTING.md).
soak: test-packages build
	$(SWIFT_BUILD) --static-swift-stdlib --product vault-soak
	$(SOAK) full
	/usr/bin/python3 Tests/Attacks/hostile_vaults.py $(BIN) .build/hostile
	/usr/bin/python3 Tests/Attacks/two_machines.py $(BIN) .build/two-machines 2000
	/usr/bin/python3 Tests/Attacks/seen.py $(BIN) .build/seen
	/usr/bin/python3 Tests/Attacks/imports.py $(BIN) .build/imports
	/usr/bin/python3 Tests/Attacks/imports.py $(BIN) .build/imports --growth
	Tests/Attacks/large.sh $(CURDIR)/$(BIN) $(CURDIR)/.build/large
	/usr/bin/python3 Tests/Attacks/queries.py $(BIN) .build/queries

# Each sync, lock, hash, tag and bounds check is removed in turn; the kit must fail every time.
soak-mutants: test-packages
	/usr/bin/python3 Tests/Mutants/soak-mutants.py $(CURDIR)/.build/mutants

# The second reader is altered in one place at a time; the vectors must notice nine in ten.
reader-mutants: test-packages
	/usr/bin/python3 Tests/Mutants/reader-mutants.py

# The share of the modules above the store that the tests reach.
coverage: test-packages
	Tests/Scripts/coverage.sh $(CURDIR)/.build/coverage

# Guards and operators of the modules above the store are altered, one at a time; the tests must notice 19 in 20.
mutants: test-packages
	/usr/bin/python3 Tests/Mutants/upper-mutants.py $(CURDIR)/.build/upper-mutants

# The order of writes as a model (Spec/model): all of its states, then each rule taken away.
model:
	@Tests/Scripts/install-packages.sh $(MODEL_PACKAGES)
	Spec/model/check.sh $(CURDIR)/.build/model

# Ratios beside the raw limit of the machine and the installed peers (age, 7z, tar, sha256sum), in memory (some 8 GiB).
bench: build
	$(SWIFT_BUILD) --static-swift-stdlib --product vault-bench
	.build/release/vault-bench $(CURDIR)/$(BIN)
	/usr/bin/python3 Tests/Bench/keys.py $(BIN) .build/keys
	/usr/bin/python3 Tests/Bench/reader_page.py $(BIN) .build/reader-bench
	/usr/bin/python3 Tests/Bench/window.py $(BIN) .build/window-bench

# Hostile input by the million: TIME seconds for each target (fuzz/README.md).
TIME ?= 60
fuzz: test-packages build
	Tests/Scripts/c-tests.sh
	fuzz/run.sh $(TIME)
	/usr/bin/python3 Tests/Attacks/documents.py $(BIN) .build/documents 300
	fuzz/documents.sh $(BIN) 100

# Measures how much of a mark is left after attempts to remove it, and which leaks are traced: COPIES copies of each of four
# documents (Spec/product/watermark.md, 6 and 8).
COPIES ?= 10
MINUTES ?= 20
attacks: build
	@Tests/Scripts/install-packages.sh python3 python3-venv $(PICTURE_PACKAGES)
	for layout in clear strong; do \
	    /usr/bin/python3 Tests/Attacks/watermark-attacks.py $(CURDIR)/$(BIN) .build/attacks-$$layout $$layout || exit 1; done
	for layout in clear strong; do /usr/bin/python3 Tests/Attacks/trace-leaks.py $(CURDIR)/$(BIN) .build/leaks $(COPIES) $$layout || exit 1; done
	/usr/bin/python3 Tests/Attacks/strips.py $(CURDIR)/$(BIN) .build/strips 5
	/usr/bin/python3 -m venv .build/jax
	.build/jax/bin/pip install --quiet jax==0.4.38 jaxlib==0.4.38 numpy pillow
	for layout in clear strong; do echo "--$$layout"; \
	    .build/jax/bin/python Tests/Attacks/network.py $(BIN) .build/network $(MINUTES) $$layout || exit 1; done

# Prints how much a text recognition reads of marked pages, and of their marks (Spec/product/watermark.md, 3.3). RapidOCR comes from
# PyPI, into an environment that nothing else uses.
legible: build
	@Tests/Scripts/install-packages.sh python3 python3-venv $(PICTURE_PACKAGES)
	/usr/bin/python3 -m venv .build/rapidocr
	.build/rapidocr/bin/pip install --quiet rapidocr-onnxruntime==1.4.4
	for layout in clear strong light sparse; do echo "--$$layout"; \
	    .build/rapidocr/bin/python Tests/Attacks/legible.py $(BIN) .build/legible/$$layout --$$layout --allow-faint || exit 1; done

pictures: build
	@Tests/Scripts/install-packages.sh python3 $(PICTURE_PACKAGES)
	/usr/bin/python3 Tests/Scripts/id-card.py Spec/product/pictures/before.jpg 900
	Tests/Scripts/terminal-picture.py $(BIN) Spec/product/pictures/terminal.svg
	Tests/Scripts/terminal-picture.py $(BIN) Spec/product/pictures/household.svg household
	$(BIN) watermark file Spec/product/pictures/before.jpg --recipient 招商银行 --purpose 开户 --force -o Spec/product/pictures/after.jpg
	Tests/Scripts/marked-pictures.sh $(BIN) Spec/product/pictures/marks

# Every public JPEG and PNG of four Debian source packages, marked or refused (80 MB to fetch); cards in made photos, found or not.
corpora: build
	@Tests/Scripts/install-packages.sh python3 $(PICTURE_PACKAGES)
	Tests/Scripts/corpora.sh .build/corpora
	/usr/bin/python3 -W ignore Tests/Scripts/corpora.py $(BIN) .build/corpora
	/usr/bin/python3 Tests/Scripts/straighten.py $(BIN) .build/straighten

VERBS = $(BIN) --lang en --help | sed -n -e '/^topics,/q' -e 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p'
HELPERS = $(addprefix $(DESTDIR)$(PREFIX)/libexec/,qvault-decode qvault-window)
MAN = $(DESTDIR)$(PREFIX)/share/man
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd
EXAMPLES = $(DESTDIR)$(PREFIX)/share/quickvault/feeds
FEEDS = $(filter-out %.md %/recorded,$(wildcard Spec/feeds/*))
BASH_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/qvault
ZSH_COMPLETION = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_qvault
FISH_COMPLETION = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/qvault.fish

# The command, its manual in English and Chinese, and the completions of three shells.
install: build
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/qvault
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec $(DECODER) $(WINDOW)
	strip --strip-unneeded $(DESTDIR)$(PREFIX)/bin/qvault $(HELPERS)
	install -d $(MAN)/man1 $(MAN)/zh_CN/man1 $(dir $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION))
	{ echo; $(VERBS); } | while read -r verb; do \
	    page=$$(echo qvault $$verb | tr ' ' -).1; \
	    $(BIN) man --lang en $$verb > $(MAN)/man1/$$page && $(BIN) man --lang zh $$verb > $(MAN)/zh_CN/man1/$$page || exit 1; \
	done
	$(BIN) completion --lang en bash > $(BASH_COMPLETION)
	$(BIN) completion --lang en zsh > $(ZSH_COMPLETION)
	$(BIN) completion --lang en fish > $(FISH_COMPLETION)
	install -D -m 644 -t $(UNITS)/user $(filter-out Spec/units/qvault-verify.%,$(wildcard Spec/units/*))
	install -D -m 644 -t $(UNITS)/system $(wildcard Spec/units/qvault-verify.*)
	install -D -m 755 -t $(EXAMPLES) $(FEEDS)
	install -D -m 644 -t $(EXAMPLES)/recorded Spec/feeds/recorded/*
	@du -ch $(DESTDIR)$(PREFIX)/bin/qvault $(HELPERS) $(MAN)/man1/qvault*.1 $(MAN)/zh_CN/man1/qvault*.1 $(BASH_COMPLETION) \
	    $(ZSH_COMPLETION) $(FISH_COMPLETION) | sed -n 's/\ttotal/ installed/p'

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/qvault $(HELPERS) $(MAN)/man1/qvault.1 $(MAN)/man1/qvault-*.1 $(MAN)/zh_CN/man1/qvault.1 \
	    $(MAN)/zh_CN/man1/qvault-*.1 $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION) $(UNITS)/*/qvault-*
	rm -rf $(EXAMPLES)

# The program for machines that keep backups, linked statically.
VERIFY = .build/verify/release/qvault-verify
qvault-verify: packages
	QUICKVAULT_VERIFY=1 swift build -c release --scratch-path .build/verify --product qvault-verify -Xswiftc -static-executable
	@du -h $(VERIFY)

# .build/qvault_VERSION-1_ARCHITECTURE.deb, and the same of qvault-verify.
deb: build qvault-verify
	Tests/Scripts/verify-program.sh $(CURDIR)/$(VERIFY) $(CURDIR)/$(BIN) .build/verify-program
	Tests/Scripts/make-deb.sh $(BIN) $(VERIFY) .build

clean:
	rm -rf .build
