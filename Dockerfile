# glibc, since Temporal's native part has no build for musl. Pinned by digest with NODE_IMAGE in .env.
ARG NODE_IMAGE=node:20-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY activities activities
COPY src src
COPY workflows workflows
COPY tools/docs-site tools/docs-site
COPY tools/sandbox tools/sandbox
COPY docs/guides docs/guides
COPY scripts/bundle.mjs scripts/
COPY test/histories test/histories
# Names the build, as a release is called; without it the code itself does.
ARG MALIPO_BUILD_ID=
RUN npm run --silent build && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
# Slim images come without the certificates that TLS to providers needs.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
CMD ["node", "dist/bundle/api.js"]
