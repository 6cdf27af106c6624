# The service in a container: `docker build -t deckhand .`, then as in compose.yaml. Not run by the project's tests.
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm pack --silent && mv deckhand-*.tgz /deckhand.tgz

FROM node:24-slim
RUN --mount=from=build,source=/deckhand.tgz,target=/deckhand.tgz npm install --global /deckhand.tgz \
  && npm cache clean --force \
  && install --directory --owner=node --mode=700 /data
USER node
ENV DECKHAND_HOME=/data
EXPOSE 8787
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM finishes the requests in progress first.
ENTRYPOINT ["deckhand", "serve", "--host", "0.0.0.0", "--log-format", "json"]
