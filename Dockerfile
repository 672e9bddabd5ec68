# The image brings its own Node and expects a database: neither comes from the optional packages.
FROM node:24-slim AS dependencies
WORKDIR /parley
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional

FROM node:24-slim AS build
WORKDIR /parley
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run --if-present build && rm -rf node_modules

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=7423
WORKDIR /parley
COPY --from=build /parley ./
COPY --from=dependencies /parley/node_modules ./node_modules
USER node
EXPOSE 7423
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "api/main.ts"]
