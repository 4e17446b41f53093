/* Marks and ranges for profilers, which do nothing here. */
#ifndef SIMTRUN_NVTOOLSEXT_H
#define SIMTRUN_NVTOOLSEXT_H

#pragma GCC system_header

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef struct nvtxSyncUser *nvtxSyncUser_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN = 0,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union payload_t {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

typedef enum nvtxResourceGenericType_t {
	NVTX_RESOURCE_TYPE_UNKNOWN = 0,
	NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
	NVTX_RESOURCE_TYPE_GENERIC_HANDLE = 0x10002,
	NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 0x10003,
	NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 0x10004
} nvtxResourceGenericType_t;
typedef struct nvtxResourceAttributes_v0 {
	uint16_t version, size;
	int32_t identifierType;
	union identifier_t {
		const void *pIdentifier;
		uint64_t ullIdentifier;
	} identifier;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))

typedef struct nvtxSyncUserAttributes_v0 {
	uint16_t version, size;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxSyncUserAttributes_t;
#define NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxSyncUserAttributes_t))

#ifdef UNICODE
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxMark nvtxMarkW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#else
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxMark nvtxMarkA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#endif

static inline void nvtxInitialize(const void *reserved) { (void)reserved; }

static inline void nvtxMarkA(const char *text) { (void)text; }
static inline void nvtxMarkW(const wchar_t *text) { (void)text; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *event) { (void)event; }
static inline int nvtxRangePushA(const char *text) { return (void)text, 0; }
static inline int nvtxRangePushW(const wchar_t *text) { return (void)text, 0; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *event) { return (void)event, 0; }
static inline int nvtxRangePop(void) { return 0; }
static inline nvtxRangeId_t nvtxRangeStartA(const char *text) { return (void)text, 0; }
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t *text) { return (void)text, 0; }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *event) { return (void)event, 0; }
static inline void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
static inline void nvtxNameOsThreadA(uint32_t id, const char *name) { (void)id, (void)name; }
static inline void nvtxNameOsThreadW(uint32_t id, const wchar_t *name) { (void)id, (void)name; }
static inline void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category, (void)name; }
static inline void nvtxNameCategoryW(uint32_t category, const wchar_t *name) { (void)category, (void)name; }

static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (void)name, (nvtxDomainHandle_t)0; }
static inline nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name) { return (void)name, (nvtxDomainHandle_t)0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *text)
{
	return (void)domain, (void)text, (nvtxStringHandle_t)0;
}
static inline nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text)
{
	return (void)domain, (void)text, (nvtxStringHandle_t)0;
}
static inline void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
	(void)domain, (void)category, (void)name;
}
static inline void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name)
{
	(void)domain, (void)category, (void)name;
}
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	(void)domain, (void)event;
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	return (void)domain, (void)event, 0;
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, 0; }
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	return (void)domain, (void)event, (nvtxRangeId_t)0;
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain, (void)id; }
static inline nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *resource)
{
	return (void)domain, (void)resource, (nvtxResourceHandle_t)0;
}
static inline void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) { (void)resource; }

static inline nvtxSyncUser_t nvtxDomainSyncUserCreate(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t *sync)
{
	return (void)domain, (void)sync, (nvtxSyncUser_t)0;
}
static inline void nvtxDomainSyncUserDestroy(nvtxSyncUser_t sync) { (void)sync; }
static inline void nvtxDomainSyncUserAcquireStart(nvtxSyncUser_t sync) { (void)sync; }
static inline void nvtxDomainSyncUserAcquireFailed(nvtxSyncUser_t sync) { (void)sync; }
static inline void nvtxDomainSyncUserAcquireSuccess(nvtxSyncUser_t sync) { (void)sync; }
static inline void nvtxDomainSyncUserReleasing(nvtxSyncUser_t sync) { (void)sync; }

#endif
