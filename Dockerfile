# simtrun with clang, to build and run CUDA programs without a GPU:
#
#     docker build -t simtrun .
#     docker run --rm -v "$PWD:/work" simtrun run kernel.cu
FROM golang:1.26-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/bin/simtrun ./cmd/simtrun \
    && make -C cuda LIB=/out/lib/simtrun && rm -r /out/lib/simtrun/blas

FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends clang-19 libc6-dev libstdc++-14-dev lld-19 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out /usr
WORKDIR /work
ENTRYPOINT ["simtrun"]
