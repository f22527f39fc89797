# The images of orchd, made from a release archive: see docs/docker.md.
#
#   npm run package
#   docker build --target orchd -t orchd .                  # the daemon and orchctl
#   docker build --target orchd-engine -t orchd-engine .    # engines, for ORCH_BACKEND=docker and kubernetes
#
# The base brings Node.js and what commands of engines need, such as a shell and git. A digest pins it:
# --build-arg BASE_IMAGE=node@sha256:…
ARG BASE_IMAGE=node:26.10-bookworm-slim

FROM ${BASE_IMAGE} AS release
ARG RELEASE=orchd-*-linux-*.tar.gz
ADD ${RELEASE} /release/

# Without the archive's Node.js, which is that of the base, and without its PostgreSQL: set DATABASE_URL.
FROM ${BASE_IMAGE} AS orchd
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="orchd" \
  org.opencontainers.image.description="Gives every user of a product their own AI-agent engine" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=release /release/*/package.json /release/*/LICENSE /opt/orchd/
COPY --from=release /release/*/bin/*.js /release/*/bin/*.cjs /opt/orchd/bin/
COPY --from=release /release/*/dist /opt/orchd/dist
COPY --from=release /release/*/licenses /opt/orchd/licenses
# Folders of the user, for volumes: a new volume gets their owner. Without a shell, which the base may lack.
RUN ["/usr/local/bin/node", "-e", "for (const folder of ['/var/lib/orchd', '/etc/orchd']) { fs.mkdirSync(folder, { recursive: true }); fs.chownSync(folder, 65532, 65532); } fs.symlinkSync('/opt/orchd/bin/orchctl.js', '/usr/local/bin/orchctl')"]
ENV NODE_ENV=production HOME=/var/lib/orchd ORCH_DATA_DIR=/var/lib/orchd ORCH_HOST=0.0.0.0
WORKDIR /var/lib/orchd
USER 65532:65532
VOLUME /var/lib/orchd
EXPOSE 7700
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 \
  CMD ["/usr/local/bin/node", "/opt/orchd/bin/orchctl.js", "health"]
# Settings may come from a file too, as from the one of the systemd unit.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8", "--env-file-if-exists=/etc/orchd/orchd.env"]
CMD ["/opt/orchd/bin/orchd.js"]

FROM ${BASE_IMAGE} AS orchd-engine
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="orchd-engine" \
  org.opencontainers.image.description="An AI-agent engine of orchd" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=release /release/*/LICENSE /opt/orchd/
COPY --from=release /release/*/bin/orch-engine.cjs /opt/orchd/bin/
COPY --from=release /release/*/dist/package.json /release/*/dist/engine-*.cjs /release/*/dist/orchd-folder.cjs /release/*/dist/orchd-unpack-catalog.cjs /opt/orchd/dist/
COPY --from=release /release/*/dist/word-vectors /opt/orchd/dist/word-vectors
COPY --from=release /release/*/licenses /opt/orchd/licenses
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["/opt/orchd/bin/orch-engine.cjs"]
