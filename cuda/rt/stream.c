/* Streams, events and capture. */
#include "rt.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
	BEGIN;
	return done(driver.cuStreamCreateWithPriority(stream, flags, priority));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
	BEGIN;
	return done(driver.cuStreamDestroy_v2(stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
	BEGIN;
	return done(driver.cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
	BEGIN;
	return done(driver.cuStreamGetFlags(stream, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
	BEGIN;
	return waited(driver.cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
	BEGIN;
	return waited(driver.cuStreamQuery(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamWaitEvent(stream, event, flags));
}

/* The errors of both callbacks have the same values and the same size. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamAddCallback(stream, (CUstreamCallback)(void *)callback, data, flags));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t size, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamAttachMemAsync(stream, (CUdeviceptr)(size_t)p, size, flags));
}

/* The values of attributes have the same layout in both APIs. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value) {
	BEGIN;
	return done(driver.cuStreamSetAttribute(stream, (CUstreamAttrID)attr, (const CUstreamAttrValue *)value));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value) {
	BEGIN;
	return done(driver.cuStreamGetAttribute(stream, (CUstreamAttrID)attr, (CUstreamAttrValue *)value));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
	BEGIN;
	return done(driver.cuStreamCopyAttributes(to, from));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
	BEGIN;
	return done(driver.cuStreamGetId(stream, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *ordinal) {
	BEGIN;
	return done(driver.cuStreamGetDevice(stream, ordinal));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
	BEGIN;
	return done(driver.cuEventCreate(event, flags));
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
	BEGIN;
	return done(driver.cuEventRecordWithFlags(event, stream, flags));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault); }

cudaError_t cudaEventQuery(cudaEvent_t event) {
	BEGIN;
	return waited(driver.cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
	BEGIN;
	return waited(driver.cuEventSynchronize(event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
	BEGIN;
	return done(driver.cuEventDestroy_v2(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
	BEGIN;
	return done(driver.cuEventElapsedTime(ms, start, end));
}

/* Capture. */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
	BEGIN;
	return done(driver.cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
	BEGIN;
	return done(driver.cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
	BEGIN;
	return done(driver.cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *n) {
	BEGIN;
	return done(driver.cuStreamGetCaptureInfo_v2(stream, (CUstreamCaptureStatus *)status, id, graph, deps, n));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
	BEGIN;
	return done(driver.cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps, size_t n, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamUpdateCaptureDependencies(stream, deps, n, flags));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode) {
	BEGIN;
	return done(driver.cuStreamBeginCaptureToGraph(stream, graph, deps, (const CUgraphEdgeData *)edges, n, (CUstreamCaptureMode)mode));
}
