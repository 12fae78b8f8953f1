#!/usr/bin/env bash
# Installs the Debian packages that the tests and the demo use. Run as root, or with sudo at hand.
set -eu
packages=(make git python3-venv gcc libc6-dev openjdk-17-jdk-headless chromium postgresql)
missing=()
for package in "${packages[@]}"; do
  case "$package" in
    make|git|gcc) command -v "$package" >/dev/null && continue ;;
    openjdk-17-jdk-headless) command -v javac >/dev/null && continue ;;
    chromium) command -v chromium >/dev/null && continue ;;
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && continue ;;
    python3-venv) python3 -c 'import venv, ensurepip' 2>/dev/null && continue ;;
    libc6-dev) [ -e /usr/include/stdio.h ] && continue ;;
  esac
  missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "system: all there"
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "run as root: apt-get install -y ${missing[*]}" >&2; exit 2; }
  as_root=(sudo)
fi
echo "system: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
