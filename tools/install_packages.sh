#!/bin/sh
# Installs the Debian packages that puna needs and that are missing, and names them. Debian 12 and 13.
# usage: install_packages.sh build|all     build: to build and run; all: also to test, fuzz and format
set -eu

[ $# -eq 1 ] || { echo "usage: $0 build|all" >&2; exit 2; }
command -v dpkg-query >/dev/null || {
  echo "puna: this is no Debian: install CMake >= 3.25, Ninja, a C++23 compiler (GCC 12), Boost.JSON >= 1.81, fmt, CLI11, PCRE2," >&2
  echo "      utf8proc, libedit, libcurl, OpenSSL and zlib with their headers, and Python 3 with pip" >&2
  exit 1
}

# Debian 12 has Boost 1.81 under names with a version, beside an older default; later ones have a new enough default.
version=$(. /etc/os-release && echo "${VERSION_ID:-}")
case "$version" in
  12) boost="libboost1.81-dev libboost-json1.81-dev" ;;
  *) boost="libboost-dev libboost-json-dev" ;;
esac

packages="g++ cmake ninja-build pkg-config $boost libfmt-dev libcli11-dev libpcre2-dev libutf8proc-dev libedit-dev libbsd-dev
  libmd-dev libncurses-dev libcurl4-openssl-dev libssl-dev zlib1g-dev python3 python3-pip"
if [ "$1" = all ]; then
  packages="$packages ccache libgtest-dev libgmock-dev libbenchmark-dev clang-19 libclang-rt-19-dev clang-format-19 binutils
    python3-venv g++-aarch64-linux-gnu qemu-user googletest"
fi

missing=
for package in $packages; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "puna: installing these Debian packages:$missing" >&2
as_root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "puna: that needs root. hint: as root, run  apt-get install$missing" >&2
    exit 1
  }
  as_root=sudo
fi
$as_root apt-get update -qq >&2
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
