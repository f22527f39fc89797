# The image of engines, for ORCH_BACKEND=docker. It is made from a release archive: see docs/docker.md.
#
#   npm run package && docker build -t orchd-engine .
#
# The base brings Node.js and what commands of engines need, such as a shell and git.
ARG BASE_IMAGE=node:26.10-bookworm-slim

FROM ${BASE_IMAGE} AS release
ARG RELEASE=orchd-*-linux-*.tar.gz
ADD ${RELEASE} /release/

FROM ${BASE_IMAGE}
COPY --from=release /release/*/bin/orch-engine.cjs /opt/orchd/bin/
COPY --from=release /release/*/dist/package.json /release/*/dist/engine-*.cjs /opt/orchd/dist/
WORKDIR /data
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["/opt/orchd/bin/orch-engine.cjs"]
