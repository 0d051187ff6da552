# Tailback with its embedded Redis server; `docker build --tag tailback .` How to run it: docs/how-to/container.md.
# Another base, such as a mirror's: --build-arg PYTHON_IMAGE=mirror.example.com/python:3.13-slim-bookworm
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY .github/release.lock requirements-aws.lock ./
RUN python -m venv /tools \
    && /tools/bin/pip install --quiet --require-hashes --only-binary=:all: --requirement release.lock \
    && python -m venv --without-pip /opt/tailback \
    && /tools/bin/pip --python /opt/tailback/bin/python install --quiet --require-hashes --only-binary=:all: \
        --requirement requirements-aws.lock
COPY pyproject.toml README.md LICENSE .env.example ./
COPY docs/examples docs/examples
COPY deploy/systemd deploy/systemd
COPY deploy/proxy deploy/proxy
COPY bot bot
COPY handlers handlers
RUN /tools/bin/python -m hatchling build --target wheel \
    && /tools/bin/pip --python /opt/tailback/bin/python install --quiet --no-deps dist/*.whl

FROM ${PYTHON_IMAGE}
COPY --from=build /opt/tailback /opt/tailback
COPY --chmod=0644 deploy/healthcheck.py /opt/tailback/healthcheck.py
# Numeric, so that Kubernetes can see that it is not root. The embedded server makes /data/redis itself, and private.
RUN install --directory --owner=65532 --group=65532 --mode=0700 /data
ENV PATH=/opt/tailback/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 \
    PORT=8080 \
    TAILBACK_WORKER_PORT=9464 \
    TAILBACK_CONFIG=/etc/tailback/tailback.toml \
    TAILBACK_DATA=/data/redis
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["python", "/opt/tailback/healthcheck.py"]
ENTRYPOINT ["tailback"]
CMD ["run"]
