#!/usr/bin/env bash
# Runs the tests. Names the Debian package of each missing tool first: under CI (CI=true) a missing tool
# fails, on a desk the tests that need it are skipped and counted in the last line.
set -eu
cd "$(dirname "$0")/.."
declare -A package=([git]=git [gcc]=gcc [javac]=openjdk-17-jdk-headless [java]=openjdk-17-jdk-headless [chromium]=chromium)
missing=0
for tool in git gcc javac java chromium; do
  command -v "$tool" >/dev/null || { echo "missing: $tool (apt install ${package[$tool]}, or make system)" >&2; missing=1; }
done
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || { echo "missing: initdb (apt install postgresql, or make system)" >&2; missing=1; }
if [ "$missing" = 1 ] && [ "${CI:-}" = true ]; then
  echo "under CI every tool must be there: run make system" >&2
  exit 1
fi
jobs=${JOBS:-$(nproc)}
exec .venv/bin/pytest -n "$jobs" --dist worksteal "$@"
