/* Parts of a device and contexts of parts, of which only the declarations are here: libraries of headers name them. The
   functions fail with CUDA_ERROR_NOT_SUPPORTED. */
#ifndef SIMTRUN_CUDA_GREEN_CONTEXTS_H
#define SIMTRUN_CUDA_GREEN_CONTEXTS_H

typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef enum { CU_DEV_RESOURCE_TYPE_INVALID = 0, CU_DEV_RESOURCE_TYPE_SM = 1 } CUdevResourceType;
typedef enum { CU_GREEN_CTX_DEFAULT_STREAM = 1 } CUgreenCtxCreate_flags;
typedef enum { CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 1, CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 2 } CUdevSmResourceSplit_flags;

typedef struct CUdevSmResource_st {
	unsigned int smCount;
} CUdevSmResource;

typedef struct CUdevResource_st {
	CUdevResourceType type;
	unsigned char _internal_padding[92];
	union {
		CUdevSmResource sm;
		unsigned char _oversize[48];
	};
} CUdevResource;

#ifndef SIMTRUN_CUDA_TYPES_ONLY
CUresult cuGreenCtxCreate(CUgreenCtx *green, CUdevResourceDesc desc, CUdevice dev, unsigned int flags);
CUresult cuGreenCtxDestroy(CUgreenCtx green);
CUresult cuGreenCtxGetDevResource(CUgreenCtx green, CUdevResource *resource, CUdevResourceType type);
CUresult cuGreenCtxGetId(CUgreenCtx green, unsigned long long *id);
CUresult cuGreenCtxRecordEvent(CUgreenCtx green, CUevent event);
CUresult cuGreenCtxWaitEvent(CUgreenCtx green, CUevent event);
CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx green, unsigned int flags, int priority);
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green);
CUresult cuCtxFromGreenCtx(CUcontext *ctx, CUgreenCtx green);
CUresult cuDeviceGetDevResource(CUdevice dev, CUdevResource *resource, CUdevResourceType type);
CUresult cuCtxGetDevResource(CUcontext ctx, CUdevResource *resource, CUdevResourceType type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups, const CUdevResource *input, CUdevResource *remaining, unsigned int flags, unsigned int least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources, unsigned int n);
#endif

#endif
