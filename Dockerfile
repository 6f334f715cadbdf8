# docker build -t fakeopenai --build-arg VERSION=$(git describe --tags --always) .
# docker run --rm -p 8080:8080 fakeopenai
# docker run --rm -p 8080:8080 -e FAKEOPENAI_ADMIN_TOKEN=TOKEN fakeopenai    (with the endpoints below /_fake/)
# docker run --rm -p 8080:8080 -v "$PWD/scenarios:/scenarios" fakeopenai serve /scenarios
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /fakeopenai ./cmd/fakeopenai

FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.version=$VERSION
COPY --from=build /fakeopenai /fakeopenai
COPY LICENSE NOTICES.txt /
# The server listens on all interfaces, because the host cannot reach the container's
# loopback. A variable also applies to healthcheck, and to serve with other arguments.
ENV FAKEOPENAI_ADDR=0.0.0.0:8080
EXPOSE 8080
USER 65534:65534
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["/fakeopenai", "healthcheck", "--timeout", "2s"]
ENTRYPOINT ["/fakeopenai"]
CMD ["serve"]
