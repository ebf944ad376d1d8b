# SPDX-License-Identifier: GPL-2.0
# softaff: see README.md. Kbuild says what the module is made of; this is for people.
#
#   make [KVER=6.12.0-amd64]        build softaff.ko for a kernel whose headers are installed
#   make install [KVER=...]         build and install it with dkms; needs root, as what follows
#   make unload                     take it out of the running kernel
#   make uninstall                  remove it from all kernels
#   make tools                      build the tool and the library
#   make install-tools [PREFIX=]    and install them, in /usr/local by default
#   make packages                   Debian packages of all that, in build/packages
#   make check [KERNELS='6.1 newest'] [TESTS='settle unload']
#   make check-all [TESTS='settle unload'] on the newest kernel of every series and flavour that Debian has
#   make static                     the part of it that only looks at the sources
#   make demo                       see it steer a server, in a virtual machine
#   make costs                      what it costs in instructions, on the oldest and newest kernel
#   make bench [ROUNDS=5] [CASES="idle stay"] it beside other policies on the same work, likewise
#   make debug-kernel [SERIES=7.3]  build a kernel with KASAN, lockdep and fault injection, for KERNELS=7.3-debug
#   make fuzz [RUNS=5000000]        random lines for its files, and rules; needs clang

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
VERSION = $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
SRC = /usr/src/softaff-$(VERSION)

# As dkms does: what has built the kernel
CLANG = $(shell sed -n 's/^CONFIG_CC_IS_CLANG=y/LLVM=1/p' $(KDIR)/.config)

all: headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) $(CLANG) modules

headers:
	@test -e $(KDIR)/Makefile || { echo "no headers of kernel $(KVER): $(KDIR) is missing;" \
		"install linux-headers-$(KVER), or name an installed kernel with KVER=" >&2; exit 1; }

install: headers
	@test -z "$$(dkms status softaff/$(VERSION))" || dkms remove softaff/$(VERSION) --all
	rm -rf $(SRC)
	mkdir -p $(SRC)/module $(SRC)/userspace
	cp Kbuild dkms.conf $(SRC)
	cp module/*.[ch] $(SRC)/module
	cp userspace/*.h $(SRC)/userspace
	dkms add softaff/$(VERSION)
	dkms install softaff/$(VERSION) -k $(KVER)

uninstall:
	dkms remove softaff/$(VERSION) --all
	rm -rf $(SRC)

unload:
	userspace/softaff-unload

tools:
	$(MAKE) -C userspace

install-tools:
	$(MAKE) -C userspace install

# In a copy, because dpkg-buildpackage leaves its results beside the tree that it builds.
packages:
	rm -rf build/packages
	mkdir -p build/packages/src
	tar c --exclude=./build --exclude=./.git . | tar x -C build/packages/src
	cd build/packages/src && dpkg-buildpackage -us -uc -b
	rm -rf build/packages/src

check:
	tests/run $(if $(KERNELS),--kernels "$(KERNELS)") $(TESTS)

check-all:
	tests/all $(TESTS)

static:
	tests/static

demo:
	tests/vm/demo

bench: export ROUNDS := $(ROUNDS)
bench: export CASES := $(CASES)
bench:
	tests/bench/policies $(KERNELS)

costs:
	tests/bench/costs $(KERNELS)

SERIES = newest
debug-kernel:
	tests/vm/build-kernel debug $(SERIES)

fuzz:
	$(MAKE) -C tests/fuzz fuzz

clean: headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean

.PHONY: all headers install uninstall unload tools install-tools packages check check-all static demo bench costs debug-kernel fuzz clean
