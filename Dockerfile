# simtrun with clang, to build and run CUDA programs without a GPU:
#
#     docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" ghcr.io/simtrun/simtrun run kernel.cu
#
# docker build -t simtrun . makes the image from a checkout. The first stage runs on the CPU of the host and compiles for
# that of the image, TARGETARCH.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
ARG TARGETARCH
# The tag of a release, for the addresses of pages in help.
ARG REVISION
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make \
    && case $TARGETARCH in amd64) gcc=gcc-x86-64-linux-gnu ;; arm64) gcc=gcc-aarch64-linux-gnu ;; esac \
    && if [ "$TARGETARCH" != "$(dpkg --print-architecture)" ]; then \
        apt-get install -y --no-install-recommends $gcc libc6-dev-$TARGETARCH-cross; fi \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN go run ./release licenses /out/share/doc/simtrun && cp LICENSE /out/share/doc/simtrun/
RUN case $TARGETARCH in amd64) cc=x86_64-linux-gnu-gcc ;; arm64) cc=aarch64-linux-gnu-gcc ;; esac \
    && export GOOS=linux GOARCH=$TARGETARCH \
    && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -funcalign=16 -X main.revision=$REVISION" -o /out/bin/simtrun ./cmd/simtrun \
    && make -C cuda LIB=/out/lib/simtrun CC=$cc && rm -r /out/lib/simtrun/blas

FROM debian:trixie-slim
LABEL org.opencontainers.image.title=simtrun \
    org.opencontainers.image.description="Run, check, debug and profile CUDA kernels without a GPU" \
    org.opencontainers.image.source=https://github.com/simtrun/simtrun \
    org.opencontainers.image.documentation=https://github.com/simtrun/simtrun/blob/main/docs/install.md \
    org.opencontainers.image.licenses=Apache-2.0
RUN apt-get update && apt-get install -y --no-install-recommends clang-19 libc6-dev libstdc++-14-dev lld-19 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out /usr
# With docker run --user there is no home.
ENV XDG_CACHE_HOME=/tmp
WORKDIR /work
ENTRYPOINT ["simtrun"]
