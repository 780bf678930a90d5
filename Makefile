# QuickVault. `make demo` and `make test` install what is missing (as root, with apt), build and run.

PREFIX ?= /usr/local
DESTDIR ?=

# Debian packages, all of them: building needs the first line, the tests and the second reader the second.
BUILD_PACKAGES = pkg-config libssl-dev libutf8proc-dev
TEST_PACKAGES = python3 python3-cryptography python3-cryptography-vectors strace

BIN = .build/release/qvault

.PHONY: all demo test bench install uninstall clean packages test-packages build check

all: build

packages:
	@Tests/install-packages.sh $(BUILD_PACKAGES)

test-packages:
	@Tests/install-packages.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)

build: packages
	swift build -c release --static-swift-stdlib --product qvault

demo: build
	Tests/demo.sh $(BIN)

# What a machine can check about the sources, then every test, then the second reader over every vector.
test: test-packages check
	swift test -c release
	/usr/bin/python3 Spec/reader/qvault_reader.py vectors TestVectors/*.vector

check: test-packages
	swift format lint --strict --recursive Package.swift Sources Tests
	Tests/layering.sh
	Tests/links.sh
	/usr/bin/python3 Tests/messages.py
	/usr/bin/python3 TestVectors/generate/generate.py --check

# Ratios beside the raw limit of the machine and the installed peers (age, 7z, tar, sha256sum), in memory (some 8 GiB).
bench: build
	swift build -c release --static-swift-stdlib --product vault-bench
	.build/release/vault-bench $(CURDIR)/$(BIN)

install: build
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/qvault

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/qvault

clean:
	rm -rf .build
