# The server and the workers of leakmend in one image: `serve` (default) or `worker`.
# Two stages: what builds stays behind; the result runs as a user without rights, on a file system that may be read-only.
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
RUN python -m venv /opt/leakmend
COPY pyproject.toml README.md LICENSE ./
COPY analyzers analyzers
COPY fixers fixers
COPY bot bot
COPY templates templates
RUN /opt/leakmend/bin/pip install --no-cache-dir '.[scale]'

FROM python:3.12-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends git ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin leakmend \
 && install -d -o leakmend -g leakmend -m 0700 /var/lib/leakmend
COPY --from=build /opt/leakmend /opt/leakmend
ENV PATH=/opt/leakmend/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LEAKMEND_DATA=/var/lib/leakmend \
    LEAKMEND_HOST=0.0.0.0 \
    LEAKMEND_PORT=8000
USER leakmend
VOLUME /var/lib/leakmend
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["python", "-c", "import os,urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"LEAKMEND_PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--", "leakmend"]
CMD ["serve"]
