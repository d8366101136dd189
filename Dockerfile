# Debian with glibc: Temporal's native module has no build for musl. NODE_IMAGE in .env pins it by digest.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS sources
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY activities activities
COPY src src
COPY workflows workflows
COPY tools/docs-site tools/docs-site
COPY tools/sandbox tools/sandbox
COPY CHANGELOG.md ./
COPY packages/clients/node/README.md packages/clients/node/
COPY packages/clients/python/README.md packages/clients/python/
COPY packages/clients/php/README.md packages/clients/php/
COPY docs/guides docs/guides
COPY scripts/bundle.mjs scripts/build-only.mjs scripts/slim-image.mjs scripts/
COPY test/fixtures test/fixtures

FROM ${NODE_IMAGE} AS runtime
# Slim images lack the root certificates for TLS to providers.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
WORKDIR /app

# Only for docker-compose.yml: with the simulated providers, and the commands for a shop's developer.
FROM sources AS sandbox-build
COPY simulator simulator
COPY packages/cli packages/cli
RUN npm run --silent build && npm prune --omit=dev --ignore-scripts

FROM runtime AS sandbox
COPY --from=sandbox-build /app/package.json ./
COPY --from=sandbox-build /app/node_modules node_modules
COPY --from=sandbox-build /app/dist dist
COPY scripts/malipo.mjs scripts/
# `malipo` has the keys of the first shop. A new volume at .malipo gets its owner from the folder.
RUN printf '#!/bin/sh\n. /app/.malipo/env\nexec node /app/scripts/malipo.mjs "$@"\n' > /usr/local/bin/malipo \
  && chmod 755 /usr/local/bin/malipo \
  && mkdir --mode=0700 .malipo \
  && chown node:node .malipo
USER node
CMD ["node", "dist/tools/sandbox/compose.js"]

# Without the simulator: the image of a deployment. It is the last one, so that a build without a target makes it.
FROM sources AS build
# The name of the build, such as a release's; by default a digest of the code.
ARG MALIPO_BUILD_ID=
RUN npm run --silent build && npm prune --omit=dev --ignore-scripts && node scripts/slim-image.mjs

FROM runtime
LABEL org.opencontainers.image.title=malipo org.opencontainers.image.version=1.0.0 org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
CMD ["node", "dist/bundle/api.js"]
